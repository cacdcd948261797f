# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging a tip: its joints follow, and keyframes and an undo step come at the end, as they do
with the joints' sliders."""

import math
from dataclasses import dataclass
from typing import Any

import bpy

from ...urdf_importer.blender.ik.tip_hand import TipHand, take_handle
from ...urdf_importer.blender.ik.tip_handles import TipDrag, grip_tip
from .bodies import Sight, look_through
from .drag_joint import pressed_at
from .strokes import BEYOND, WHITE, Color
from .tip_shape import Grip, find_grip, find_near

_HELP = "Drag: joints follow    Shift: finely    Ctrl: in steps    Esc or right click: take back"
_AXES = "XYZ"


@dataclass(slots=True, kw_only=True)
class TipDragging:
    """What goes on: drawn by the gizmo, moved by the operator."""

    grip: Grip
    tip: TipDrag
    hand: TipHand
    mouse: tuple[float, float]

    def move(self, sight: Sight, *, fine: bool, steps: bool) -> None:
        """Moves the mouse; the joints follow."""
        self.hand.move(sight, fine=fine, steps=steps)
        self.tip.move(self.hand.goal, self.hand.turn, turning=self.hand.kind == "turn")

    def describe(self) -> list[tuple[str, Color]]:
        """Says in lines what is dragged, how far it went, and by how much it cannot follow."""
        kind, axis = self.grip.part
        name = "" if kind == "free" else f"{_AXES[axis]}   "
        lines = [(self.grip.look.handle.link, WHITE), (name + self._say_way(kind), WHITE)]
        answer = self.tip.answer
        if answer is not None and not answer.success:
            missed = [_say_length(answer.position_error)] * (answer.position_error > 1e-5)
            missed += [_say_angle(answer.orientation_error)] * (answer.orientation_error > 1e-4)
            lines.append((f"out of reach by {', '.join(missed)}", BEYOND))
        return lines

    def _say_way(self, kind: str) -> str:
        return _say_angle(self.hand.way) if kind == "turn" else _say_length(self.hand.way)


_now: list[TipDragging] = []


def find_tip_dragging() -> TipDragging | None:
    """Finds what is being dragged."""
    return _now[0] if _now else None


class DragTip(bpy.types.Operator):
    bl_idname = "urdf.drag_tip"
    bl_label = "Drag Tip"
    bl_description = (
        "Move or turn the robot's hand or foot under the mouse; its joints follow, within their "
        "limits. Shift moves it finely, Ctrl in steps, Esc takes it back"
    )
    bl_options = {"INTERNAL"}

    def invoke(self, context: Any, event: Any) -> set[str]:
        if context.region_data is None:
            return {"CANCELLED", "PASS_THROUGH"}
        mouse = pressed_at(context.region, event)
        look = find_near(context, mouse)
        grip = find_grip(context, look, mouse) if look is not None else None
        if look is None or grip is None:
            return {"CANCELLED", "PASS_THROUGH"}
        if look.hold:
            self.report({"WARNING"}, f"{look.handle.link}: {look.hold}")
            return {"CANCELLED"}
        _now[:] = [_begin(context, grip, mouse)]
        self._move(context, event)
        context.workspace.status_text_set(f"{look.handle.link}    {_HELP}")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        done = (event.type == "LEFTMOUSE" and event.value == "RELEASE") or (
            event.type in ("RET", "NUMPAD_ENTER") and event.value == "PRESS"
        )
        if not done:
            if event.type == "MOUSEMOVE" or "SHIFT" in event.type or "CTRL" in event.type:
                self._move(context, event)
            return {"RUNNING_MODAL"}
        dragging = self._end(context)
        if not dragging.tip.keep():
            return {"CANCELLED"}
        # By hand, not by the option UNDO: that names the step after the operator.
        bpy.ops.ed.undo_push(message=dragging.grip.look.handle.link)
        return {"FINISHED"}

    def cancel(self, context: Any) -> None:
        """Takes it back; Blender calls this when it has to end the operator."""
        self._end(context).tip.take_back()

    def _move(self, context: Any, event: Any) -> None:
        dragging = _now[0]
        dragging.mouse = (event.mouse_region_x, event.mouse_region_y)
        sight = look_through(context.region, context.region_data, dragging.mouse)
        dragging.move(sight, fine=event.shift, steps=event.ctrl)
        context.region.tag_redraw()

    def _end(self, context: Any) -> TipDragging:
        context.workspace.status_text_set(None)
        context.area.tag_redraw()
        return _now.pop()


def _begin(context: Any, grip: Grip, mouse: tuple[float, float]) -> TipDragging:
    look, (kind, axis) = grip.look, grip.part
    sight = look_through(context.region, context.region_data, mouse)
    view = context.region_data.view_rotation
    hand = take_handle(kind, look.frame.origin, look.frame.axes[axis], grip.point, sight, view)
    return TipDragging(grip=grip, tip=grip_tip(look.handle), hand=hand, mouse=mouse)


def _say_length(length: float) -> str:
    units = bpy.context.scene.unit_settings
    if units.system == "NONE":
        return f"{length:.4f}"
    text = bpy.utils.units.to_string(
        units.system, "LENGTH", length * units.scale_length, precision=4, compatible_unit=False
    )
    return str(text)


def _say_angle(angle: float) -> str:
    if bpy.context.scene.unit_settings.system_rotation == "RADIANS":
        return f"{angle:.3f} rad"
    return f"{round(math.degrees(angle), 1) + 0.0:.1f}\N{DEGREE SIGN}"
