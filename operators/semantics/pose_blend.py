# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses in the sidebar: a click shows one, and with Shift the mouse blends towards it.

Buttons act when the mouse is let go, and Blender has no other kind that could be dragged: so the
button is clicked, and the mouse is free until the next click.
"""

from collections.abc import Mapping
from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.core.blender.extract.robot import extract_name
from ...urdf_importer.core.blender.semantics.apply import find_state
from ...urdf_importer.core.blender.semantics.blending import PoseBlend
from ...urdf_importer.core.blender.standing.poses import read_pose, whole_poses_of
from .. import props
from ..active_robot import RobotOperator, active_robot, redraw_views

_WAY = 200.0
"""Pixels, at an interface of scale 1, from a pose to all of it."""
_STEPS = 10
_HELP = "Mouse to the right: more    Ctrl: in steps    Click: keep    Esc or right click: take back"


class PoseOperator(RobotOperator):
    """Base of the operators that show a pose, or a share of the way to it."""

    bl_options = {"REGISTER", "UNDO"}

    share: props.number(
        "Share", "The share of the way to the pose: 0 for the present pose, 1 for all of it",
        default=1.0, min=0.0, max=1.0, subtype="FACTOR", kept=False,
    )  # fmt: skip

    def read_goal(self, robot: Any) -> Mapping[str, tuple[float, ...]]:
        """Returns joint -> numbers of the pose. Raises RobotError."""
        raise NotImplementedError

    def run(self: Any, context: Any, robot: Any) -> None:
        blend = PoseBlend(robot, self.read_goal(robot))
        blend.show(self.share)
        blend.keep()

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        if bpy.app.background or not event.shift:
            return set(self.execute(context))
        try:
            robot = active_robot(context)
            self._blend = PoseBlend(robot, self.read_goal(robot))
        except RobotError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._begun = event.mouse_x
        self._show(context, 0.0)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self: Any, context: Any, event: Any) -> set[str]:
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        if event.type in ("LEFTMOUSE", "RET", "NUMPAD_ENTER") and event.value == "PRESS":
            self._end(context)
            self._blend.keep()
            return {"FINISHED"}
        if event.type == "MOUSEMOVE" or "CTRL" in event.type:
            way = (event.mouse_x - self._begun) / context.preferences.system.ui_scale
            share = min(max(way / _WAY, 0.0), 1.0)
            self._show(context, round(share * _STEPS) / _STEPS if event.ctrl else share)
        return {"RUNNING_MODAL"}

    def cancel(self: Any, context: Any) -> None:
        """Takes it back; Blender calls this when it must end the operator."""
        self._blend.take_back()
        self._end(context)

    def _show(self: Any, context: Any, share: float) -> None:
        self.share = share
        self._blend.show(share)
        context.workspace.status_text_set(f"{self.state}: {share:.0%}    {_HELP}")
        redraw_views()

    def _end(self, context: Any) -> None:
        context.workspace.status_text_set(None)
        redraw_views()


class ShowState(PoseOperator, bpy.types.Operator):
    bl_idname = "urdf.show_state"
    bl_label = "Show State"
    bl_description = (
        "Pose the robot as this named state says; with Shift blend towards it by the mouse. Joints "
        "that the state does not name stay"
    )

    group: props.text("Group", "The name of the group of joints", kept=False)
    state: props.text("State", "The name of the state", kept=False)

    def read_goal(self: Any, robot: Any) -> Mapping[str, tuple[float, ...]]:
        return dict(find_state(robot, self.group, self.state).positions)


class ShowPose(PoseOperator, bpy.types.Operator):
    bl_idname = "urdf.show_pose"
    bl_label = "Show Pose"
    bl_description = (
        "Pose the robot as in this pose asset; with Shift blend towards it by the mouse. The "
        "robot's place does not change"
    )

    state: props.text("Pose", "The name of the pose", kept=False)

    def read_goal(self: Any, robot: Any) -> Mapping[str, tuple[float, ...]]:
        action = dict(whole_poses_of(extract_name(robot))).get(self.state)
        if action is None:
            raise RobotError(f"the robot has no pose '{self.state}'")
        return read_pose(action, robot)
