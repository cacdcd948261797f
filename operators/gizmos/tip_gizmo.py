# SPDX-License-Identifier: GPL-3.0-or-later
"""A handle at every hand and foot of a robot; dragging it is DragTip.

One gizmo for all robots of the scene. It is asked before the joint gizmo, but takes the mouse on
its own lines only: bodies between and behind them react as before.
"""

from dataclasses import replace
from typing import Any

import bpy

from ...urdf_importer.blender.ik.tip_handles import handles_in
from ...urdf_importer.blender.memory import forget
from .drag_tip import DragTip, find_tip_dragging
from .dragging import DraggedGizmos
from .strokes import WARNING, WHITE, write_lines
from .switch import is_on
from .tip_shape import (
    Look,
    Part,
    draw_large,
    draw_miss,
    draw_small,
    find_grip,
    find_near,
    is_active,
    look_at,
    visible_handles,
)

_STRONG, _WEAK = 0.9, 0.45
"""The opacity of the small handles of the active robot, and of other robots'."""


class TipGizmo(bpy.types.Gizmo):
    bl_idname = "VIEW3D_GT_urdf_tip"
    __slots__ = ("lit", "mouse", "near")

    def setup(self) -> None:
        self.near: Look | None = None
        self.lit: Part | None = None
        self.mouse = (0.0, 0.0)

    def test_select(self, context: Any, location: Any) -> int:
        before = (_name(self.near), self.lit)
        self.mouse = (location[0], location[1])
        try:
            self.near = find_near(context, self.mouse)
            grip = find_grip(context, self.near, self.mouse) if self.near is not None else None
        except ReferenceError:  # The robot is gone: undo, another file.
            forget()
            self.near, grip = None, None
        self.lit = None if grip is None else grip.part
        if before != (_name(self.near), self.lit) and context.region is not None:
            context.region.tag_redraw()
        return -1 if self.lit is None else 0

    def draw(self, context: Any) -> None:
        dragging = find_tip_dragging()
        try:
            if dragging is not None:
                if self.is_modal:
                    self._draw_dragging(context)
                return
            self._draw_resting(context)
        except ReferenceError:
            forget()
            self.near = self.lit = None

    def _draw_resting(self, context: Any) -> None:
        near = None if context.window.modal_operators else self.near
        others = [each for each in visible_handles(context) if near is None or each != near.handle]
        draw_small(
            context,
            [
                (look_at(context, each), _STRONG if is_active(context, each) else _WEAK)
                for each in others
            ],
        )
        if near is None or near.handle not in handles_in(context.scene):
            return
        draw_large(context, look_at(context, near.handle, hold=near.hold), self.lit)
        if self.lit is not None:
            lines = [(near.handle.link, WHITE)] + [(near.hold, WARNING)] * bool(near.hold)
            write_lines(lines, self.mouse, context)

    def _draw_dragging(self, context: Any) -> None:
        dragging = find_tip_dragging()
        assert dragging is not None
        grip, answer = dragging.grip, dragging.tip.answer
        look = look_at(context, grip.look.handle)
        # The axes stay the same as at the drag's beginning: it goes on along them.
        look = replace(look, frame=replace(look.frame, axes=grip.look.frame.axes))
        draw_large(context, look, grip.part, alone=True)
        if answer is not None and not answer.success:
            draw_miss(look, dragging.hand.goal)
        write_lines(dragging.describe(), dragging.mouse, context)


class TipGizmos(DraggedGizmos, bpy.types.GizmoGroup):
    bl_idname = "VIEW3D_GGT_urdf_tip"
    bl_label = "Robot Tips"
    keymap = "URDF Tip Handles"
    gizmo = TipGizmo.bl_idname
    operator = DragTip.bl_idname

    @classmethod
    def poll(cls, context: Any) -> bool:
        return is_on(context, "tip_handles") and bool(handles_in(context.scene))


def _name(look: Look | None) -> str:
    try:
        return "" if look is None else f"{look.handle.armature.name}/{look.handle.link}/{look.hold}"
    except ReferenceError:
        return ""
