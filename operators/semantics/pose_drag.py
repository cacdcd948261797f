# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses in the sidebar: a click shows one, a drag from it blends towards it.

Buttons of operators act when the mouse is let go. So poses are buttons of a choice, which act when
it is pressed: setting the choice calls the operator, which then has the mouse.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.blender.extract.robot import extract_name
from ...urdf_importer.blender.semantics.apply import find_state
from ...urdf_importer.blender.semantics.blending import PoseBlend
from ...urdf_importer.blender.standing.poses import read_pose, whole_poses_of
from .. import props
from ..active_robot import RobotOperator, active_robot, redraw_views
from ..additions import add_property
from ..session import recall_state

_WAY = 200.0
"""Pixels, at an interface of scale 1, from a pose to all of it."""
_STILL = 4.0
"""Pixels within which a press is a click."""
_STEPS = 10
_HELP = "Ctrl: in steps    Esc or right click: take back"
_TOOLTIP = "Click for the pose. Drag to the right to blend towards it, Esc takes it back"


class PoseOperator(RobotOperator):
    """Base of the operators that show a pose, or a share of the way to it."""

    bl_options = {"REGISTER", "UNDO", "BLOCKING"}

    share: props.number(
        "Share", "How far the robot goes to the pose: 0 for its pose now, 1 for all of it",
        default=1.0, min=0.0, max=1.0, subtype="FACTOR", kept=False,
    )  # fmt: skip

    def read_goal(self, robot: Any) -> Mapping[str, tuple[float, ...]]:
        """Returns joint -> numbers of the pose. Raises RobotError."""
        raise NotImplementedError

    def act(self: Any, context: Any, robot: Any) -> None:
        blend = PoseBlend(robot, self.read_goal(robot))
        blend.show(self.share)
        blend.keep()

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        if bpy.app.background or (event.type, event.value) != ("LEFTMOUSE", "PRESS"):
            return set(self.execute(context))
        try:
            robot = active_robot(context)
            self._blend = PoseBlend(robot, self.read_goal(robot))
        except RobotError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._begun, self._dragged = event.mouse_x, False
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self: Any, context: Any, event: Any) -> set[str]:
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        if (event.type, event.value) == ("LEFTMOUSE", "RELEASE"):
            self._show(context, self.share if self._dragged else 1.0)
            self._end(context)
            self._blend.keep()
            # The button that was pressed has to see that the mouse was let go.
            return {"FINISHED", "PASS_THROUGH"}
        scale = context.preferences.system.ui_scale
        way = (event.mouse_x - self._begun) / scale
        self._dragged = self._dragged or abs(way) > _STILL
        if self._dragged:
            share = min(max(way / _WAY, 0.0), 1.0)
            self._show(context, round(share * _STEPS) / _STEPS if event.ctrl else share)
            text = (
                f"{self.state}: {self.share:.0%}    Ctrl: in steps    Esc or right click: take back"
            )
            context.workspace.status_text_set(text)
        return {"RUNNING_MODAL"}

    def cancel(self: Any, context: Any) -> None:
        """Takes it back; Blender calls this when it has to end the operator."""
        self._blend.take_back()
        self._end(context)

    def _show(self: Any, context: Any, share: float) -> None:
        self.share = share
        self._blend.show(share)
        redraw_views()

    def _end(self, context: Any) -> None:
        context.workspace.status_text_set(None)
        redraw_views()


class ShowState(PoseOperator, bpy.types.Operator):
    bl_idname = "urdf.show_state"
    bl_label = "Show State"
    bl_description = (
        "Pose the robot as this named state says, or a share of the way to it. Joints that the "
        "state does not name stay"
    )

    group: props.text("Group", "The name of the group of joints", kept=False)
    state: props.text("State", "The name of the state", kept=False)

    def read_goal(self: Any, robot: Any) -> Mapping[str, tuple[float, ...]]:
        return dict(find_state(robot, self.group, self.state).positions)


class ShowPose(PoseOperator, bpy.types.Operator):
    bl_idname = "urdf.show_pose"
    bl_label = "Show Pose"
    bl_description = (
        "Pose the robot as in this pose asset, or a share of the way to it. The robot's place does "
        "not change"
    )

    state: props.text("Pose", "The name of the pose", kept=False)

    def read_goal(self: Any, robot: Any) -> Mapping[str, tuple[float, ...]]:
        action = dict(whole_poses_of(extract_name(robot))).get(self.state)
        if action is None:
            raise RobotError(f"the robot has no pose '{self.state}'")
        return read_pose(action, robot)


@dataclass(slots=True)
class _Drawn:
    """The items of the choice: all poses that were drawn, so that numbers stay theirs. A pose is
    (group, name); poses of the whole robot have no group, None."""

    poses: dict[tuple[str | None, str], int] = field(default_factory=dict)
    items: list[tuple[str, str, str, int]] = field(default_factory=list)


def draw_pose(layout: Any, context: Any, group: str | None, name: str) -> None:
    """Draws the button of a pose: of a group's state, or of the whole robot."""
    drawn = recall_state(_Drawn)
    number = drawn.poses.setdefault((group, name), len(drawn.poses))
    if number == len(drawn.items):
        drawn.items.append((str(number), name, _TOOLTIP, number))
    layout.prop_enum(context.window_manager, "urdf_pose", str(number), text=name)


def _list_items(_manager: Any, _context: Any) -> list[tuple[str, str, str, int]]:
    return recall_state(_Drawn).items


def _get(_manager: Any) -> int:
    return -1  # None is lit: a pose is shown, not chosen.


def _press(_manager: Any, number: int) -> None:
    group, name = list(recall_state(_Drawn).poses)[number]
    if group is None:
        bpy.ops.urdf.show_pose("INVOKE_DEFAULT", state=name)
    else:
        bpy.ops.urdf.show_state("INVOKE_DEFAULT", group=group, state=name)


def register() -> None:
    """Adds the choice of poses, which keeps nothing."""
    choice = props.choice(
        "Pose", _TOOLTIP, items=_list_items, get=_get, set=_press, options={"SKIP_SAVE"}
    )
    add_property(bpy.types.WindowManager, "urdf_pose", choice)
