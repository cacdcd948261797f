# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging a tip: its joints follow."""

from dataclasses import dataclass
from typing import Any

import bpy

from ...urdf_importer.features.ik.blender.tip_hand import TipHand, take_handle
from ...urdf_importer.features.ik.blender.tip_handles import TipDrag, grip_tip
from ..gizmos.bodies import Sight, look_through
from ..gizmos.dragging import DragOperator, find_dragged, pressed_at
from ..gizmos.strokes import BEYOND, WHITE, Color, describe_angle, describe_length
from .tip_opening import take_part
from .tip_shape import Grip

_HELP = "Drag: joints follow    Shift: finely    Ctrl: in steps    Esc or right click: take back"
_AXES = "XYZ"


@dataclass(slots=True, kw_only=True)
class TipDragging:
    """The drag in progress: drawn by the gizmo, moved by the operator."""

    grip: Grip
    tip: TipDrag
    hand: TipHand
    mouse: tuple[float, float]

    @property
    def name(self) -> str:
        return self.grip.look.handle.link

    def keep(self) -> bool:
        """Ends it. Returns whether any joint is elsewhere than it was."""
        return self.tip.keep()

    def take_back(self) -> None:
        """Puts the joints where they were before."""
        self.tip.take_back()

    def move(self, sight: Sight, *, fine: bool, steps: bool) -> None:
        """Moves the mouse; the joints follow."""
        self.hand.move(sight, fine=fine, steps=steps)
        self.tip.move(self.hand.goal, self.hand.turn, turning=self.hand.kind == "turn")

    def describe(self) -> list[tuple[str, Color]]:
        """Returns lines with the dragged part, its distance, and by how much it cannot follow."""
        kind, axis = self.grip.part
        name = "" if kind == "free" else f"{_AXES[axis]}   "
        lines = [(self.name, WHITE), (name + self._say_way(kind), WHITE)]
        answer = self.tip.answer
        if answer is not None and not answer.success:
            missed = [describe_length(answer.position_error)] * (answer.position_error > 1e-5)
            missed += [describe_angle(answer.orientation_error)] * (answer.orientation_error > 1e-4)
            lines.append((f"out of reach by {', '.join(missed)}", BEYOND))
        return lines

    def _say_way(self, kind: str) -> str:
        return describe_angle(self.hand.way) if kind == "turn" else describe_length(self.hand.way)


class DragTip(DragOperator, bpy.types.Operator):
    bl_idname = "urdf.drag_tip"
    bl_label = "Drag Tip"
    bl_description = (
        "Move or turn the robot's hand or foot under the mouse; its joints follow, within their "
        "limits. Shift moves it finely, Ctrl in steps, Esc takes it back"
    )

    def invoke(self, context: Any, event: Any) -> set[str]:
        if context.region_data is None:
            return {"CANCELLED", "PASS_THROUGH"}
        mouse = pressed_at(context.region, event)
        grip = take_part(context, mouse)
        if grip is None:
            return {"CANCELLED", "PASS_THROUGH"}
        if grip.look.hold:
            self.report({"WARNING"}, f"{grip.look.handle.link}: {grip.look.hold}")
            return {"CANCELLED"}
        return self.begin(context, event, _begin(context, grip, mouse), _HELP)

    def follow(self, context: Any, sight: Sight, event: Any) -> None:
        find_dragged().move(sight, fine=event.shift, steps=event.ctrl)


def find_tip_dragging() -> TipDragging | None:
    """Finds the tip that is being dragged."""
    found = find_dragged()
    return found if isinstance(found, TipDragging) else None


def _begin(context: Any, grip: Grip, mouse: tuple[float, float]) -> TipDragging:
    look, (kind, axis) = grip.look, grip.part
    sight = look_through(context.region, context.region_data, mouse)
    view = context.region_data.view_rotation
    hand = take_handle(kind, look.frame.origin, look.frame.axes[axis], grip.point, sight, view)
    return TipDragging(grip=grip, tip=grip_tip(look.handle), hand=hand, mouse=mouse)
