# SPDX-License-Identifier: GPL-3.0-or-later
"""The range test in the viewport: each joint in turn to its limits."""

import time
from typing import Any

import bpy

from ...urdf_importer.features.motion.blender.range_test import RangeTest
from .. import props
from ..active_robot import Refusal, redraw_views
from ..sidebar.robot_menu import selected_joints
from ..timed_poses import TimedOperator, wait

_ENDS = {"ESC", "RET", "SPACE", "LEFTMOUSE", "RIGHTMOUSE"}


class RangeTestOperator(TimedOperator, bpy.types.Operator):
    bl_idname = "urdf.range_test"
    bl_label = "Range Test"
    bl_description = (
        "Move each joint in turn to its limits and back, to see whether limits, axes and meshes "
        "are right; in pose mode only the joints of selected bones, if any are selected. Esc or a "
        "click ends it. The pose comes back, and nothing is keyed"
    )
    bl_options = {"REGISTER"}
    step = 1 / 30

    joint: props.text("Joint", "The joint to move. Empty: all", kept=False)
    seconds: props.number("Seconds", "How long each joint takes", default=2.5, min=0.1, soft_max=10)

    def begin(self, context: Any, robot: Any) -> None:
        """Begins it; a session without windows has no time to pass."""
        if bpy.app.background:
            raise Refusal("A range test needs a window", "ERROR")
        named = [self.joint] if self.joint else selected_joints(context, robot)
        self._test = RangeTest(robot, named, self.seconds)
        self._start = time.perf_counter()

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type == "TIMER":
            passed = time.perf_counter() - self._start
            if passed >= self._test.duration:
                self.cancel(context)
                return {"FINISHED"}
            text = self._test.show(passed)
            context.workspace.status_text_set(f"Range test  {text}    Esc: end")
            redraw_views()
            return {"PASS_THROUGH"}
        if event.type in _ENDS and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        return wait(event)

    def cancel(self, context: Any) -> None:
        """Ends it, also where Blender ends it: the window closes, another file is opened."""
        self._test.end()
        self.end_timer(context)
