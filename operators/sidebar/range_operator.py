# SPDX-License-Identifier: GPL-3.0-or-later
"""The range test of the active robot: an animation that leaves no trace."""

import time
from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.blender.animation.range_test import RangeTest
from ..active_robot import RobotOperator, active_robot, redraw_views
from ..reports import refuse
from .robot_menu import selected_joints

_STEP = 1 / 30
_ENDS = {"ESC", "RET", "SPACE", "LEFTMOUSE", "RIGHTMOUSE"}
_LOOKS = {
    "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE",
    "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION",
}  # fmt: skip
"""Events that only change the view. All others wait: saving, undoing or keying would take a pose of
the test for one of the robot."""


def is_looking(event: Any) -> bool:
    """Whether an event of the viewport only changes the view."""
    return event.type in _LOOKS or event.type.startswith("NUMPAD_")


class RangeTestOperator(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.range_test"
    bl_label = "Range Test"
    bl_description = (
        "Move each joint in turn to its limits and back, to see whether limits, "
        "axes and meshes are right; in pose mode only the joints of selected "
        "bones, if any are selected. Esc or a click ends it. The pose comes "
        "back, and nothing is keyed"
    )
    bl_options = {"REGISTER"}

    joint: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Joint", description="The joint to move. Empty: all", options={"SKIP_SAVE"}
    )
    seconds: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Seconds", description="How long each joint takes", default=2.5, min=0.1, soft_max=10
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        screen = context.screen
        if screen is not None and screen.is_animation_playing:
            cls.poll_message_set("Stop the animation first")
            return False
        return super().poll(context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        return self.execute(context)

    def execute(self, context: Any) -> set[str]:
        """Begins it; a session without windows has no time to pass."""
        if bpy.app.background:
            self.report({"ERROR"}, "A range test needs a window")
            return {"CANCELLED"}
        robot = active_robot(context)
        named = [self.joint] if self.joint else selected_joints(context, robot)
        try:
            self._test = RangeTest(robot, named, self.seconds)
        except RobotError as error:
            return refuse(self, error, "WARNING")
        manager = context.window_manager
        self._timer = manager.event_timer_add(_STEP, window=context.window)
        self._start = time.perf_counter()
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

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
        return {"PASS_THROUGH"} if is_looking(event) else {"RUNNING_MODAL"}

    def cancel(self, context: Any) -> None:
        """Ends it, also where Blender ends it: the window closes, another file is opened."""
        self._test.end()
        context.window_manager.event_timer_remove(self._timer)
        context.workspace.status_text_set(None)
        redraw_views()


CLASSES = (RangeTestOperator,)
