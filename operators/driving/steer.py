# SPDX-License-Identifier: GPL-3.0-or-later
"""The active robot driven by the arrow keys, in the viewport."""

import time
from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.core.blender.curves import widen_range
from ...urdf_importer.features.driving.blender.steering import Steering
from .. import props
from ..active_robot import Refusal, redraw_views
from ..reports import refuse
from ..timed_poses import TimedOperator, wait

_WAYS = {
    "UP_ARROW": (1, 0, 0), "DOWN_ARROW": (-1, 0, 0), "LEFT_ARROW": (0, 1, 0),
    "RIGHT_ARROW": (0, -1, 0), "PAGE_UP": (0, 0, 1), "PAGE_DOWN": (0, 0, -1),
}  # fmt: skip
"""Key -> ahead, to the left, up."""
_KEEPS = {"RET", "NUMPAD_ENTER", "SPACE", "LEFTMOUSE"}
_TAKES_BACK = {"ESC", "RIGHTMOUSE"}
_FAST = 3.0


class Steer(TimedOperator, bpy.types.Operator):
    bl_idname = "urdf.steer"
    bl_label = "Drive by Hand"
    bl_description = (
        "Drive the active robot with the arrow keys, from this frame on: its wheels roll; without "
        "wheels it glides, and Page Up and Page Down lift it. Shift is fast. Return or a click "
        "keeps the ride as keys, Esc discards it"
    )
    step = 1 / 60

    speed: props.number(
        "Speed", "The speed ahead, and upwards", default=0.5, min=0.001, soft_max=5.0,
        unit="VELOCITY",
    )  # fmt: skip
    turning: props.number(
        "Turning Speed", "How fast the robot turns, in radians a second", default=1.0, min=0.001,
        soft_max=6.0,
    )  # fmt: skip

    def begin(self, context: Any, robot: Any) -> None:
        """Begins it; a session without windows has no keys."""
        if bpy.app.background:
            raise Refusal("Driving by hand needs a window; bake_drive takes speeds", "ERROR")
        self._steering = Steering(robot, start_frame=context.scene.frame_current)
        self._held: set[str] = set()
        self._since = 0.0
        self._say(context)

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type == "TIMER":
            if self._steering.moves:
                self._steering.show(self._passed())
                redraw_views()
            return {"PASS_THROUGH"}
        if event.type in _WAYS:
            (self._held.discard if event.value == "RELEASE" else self._held.add)(event.type)
        if event.type in _WAYS or event.type in ("LEFT_SHIFT", "RIGHT_SHIFT"):
            self._steer(fast=event.shift)
            return {"RUNNING_MODAL"}
        if event.type in _KEEPS and event.value == "PRESS":
            return self._keep(context)
        if event.type in _TAKES_BACK and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        return wait(event)

    def cancel(self, context: Any) -> None:
        """Ends it without keys, also where Blender ends it: the window closes."""
        self._steering.put_back()
        self.end_timer(context)

    def _passed(self) -> float:
        return time.perf_counter() - self._since if self._since else 0.0

    def _steer(self, *, fast: bool) -> None:
        """Takes the speeds from the keys that are held; time begins with the first."""
        if self._held and not self._since:
            self._since = time.perf_counter()
        ahead, turn, up = (sum(_WAYS[key][place] for key in self._held) for place in range(3))
        speed, turning = (each * (_FAST if fast else 1.0) for each in (self.speed, self.turning))
        self._steering.command(self._passed(), ahead * speed, turn * turning, up * speed)

    def _keep(self, context: Any) -> set[str]:
        passed = self._passed()
        self.end_timer(context)
        try:
            baked = self._steering.bake(passed)
        except RobotError as error:
            return refuse(self, error, "WARNING")
        widen_range(context.scene, baked.first, baked.last)
        context.scene.frame_set(baked.last)
        how = "" if self._steering.rolls else ", gliding: no wheels were found that drive it"
        self.report({"INFO"}, f"Keyed frames {baked.first} to {baked.last}{how}")
        return {"FINISHED"}

    def _say(self, context: Any) -> None:
        lifts = "Page Up, Page Down: up, down    " if self._steering.rises else ""
        context.workspace.status_text_set(
            f"Arrow keys: drive    {lifts}Shift: fast    Return: keep as keys    Esc: take back"
        )
