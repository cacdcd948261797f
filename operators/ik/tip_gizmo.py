# SPDX-License-Identifier: GPL-3.0-or-later
"""A handle at every hand and foot of a robot; dragging it is DragTip.

One gizmo for all robots of the scene. It is asked before the joint gizmo, but takes the mouse on
its own lines only: bodies between and behind them react as before.
"""

from dataclasses import replace
from typing import Any

import bpy

from ...urdf_importer.core.blender.memory import forget
from ...urdf_importer.features.ik.blender.tip_handles import handles_in
from ..gizmos.bodies import read_eye
from ..gizmos.dragging import DraggedGizmos
from ..gizmos.strokes import WARNING, WHITE, write_lines
from ..gizmos.switch import is_on
from .drag_tip import DragTip, find_tip_dragging
from .tip_opening import find_opened, follow_mouse, name_tip
from .tip_shape import draw_large, draw_miss, draw_small, list_active, look_at, visible_handles

_STRONG, _WEAK = 0.9, 0.45
"""The opacity of the small handles of the active robot, and of other robots'."""


class TipGizmo(bpy.types.Gizmo):
    bl_idname = "VIEW3D_GT_urdf_tip"
    __slots__ = ("mouse",)

    def setup(self) -> None:
        self.mouse = (0.0, 0.0)

    def test_select(self, context: Any, location: Any) -> int:
        if context.region is None:
            return -1
        self.mouse = (location[0], location[1])
        if follow_mouse(context, self.mouse):
            context.region.tag_redraw()
        return -1 if find_opened(context)[1] is None else 0

    def draw(self, context: Any) -> None:
        dragging = find_tip_dragging()
        try:
            if dragging is None:
                self._draw_resting(context)
            elif self.is_modal:
                self._draw_dragging(context)
        except ReferenceError:  # The robot is gone: undo, another file.
            forget()

    def _draw_resting(self, context: Any) -> None:
        look, part = (None, None) if context.window.modal_operators else find_opened(context)
        name = ("", "") if look is None else name_tip(look.handle)
        handles = {name_tip(each): each for each in visible_handles(context)}
        large = handles.pop(name, None)
        eye, active = read_eye(context), list_active(context)
        for strength in (_WEAK, _STRONG):
            shown = [
                look_at(context, each, eye=eye)
                for each in handles.values()
                if (each.armature in active) == (strength == _STRONG)
            ]
            draw_small(shown, strength)
        if large is None or look is None:
            return
        draw_large(look_at(context, large, hold=look.hold, eye=eye), part)
        if part is not None:
            lines = [(large.link, WHITE)] + [(look.hold, WARNING)] * bool(look.hold)
            write_lines(lines, self.mouse, context)

    def _draw_dragging(self, context: Any) -> None:
        dragging = find_tip_dragging()
        assert dragging is not None
        grip, answer = dragging.grip, dragging.tip.answer
        look = look_at(context, grip.look.handle)
        # The axes stay the same as at the drag's beginning: it continues along them.
        look = replace(look, frame=replace(look.frame, axes=grip.look.frame.axes))
        draw_large(look, grip.part, alone=True)
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
