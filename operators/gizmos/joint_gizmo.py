# SPDX-License-Identifier: GPL-3.0-or-later
"""Hovering a body of a robot lights its joint; dragging it is DragJoint.

A gizmo of Blender's own kind: it gets the mouse before tools do, and only over a robot; Blender
hides it with all gizmos. A click works as before, but that in pose mode it finds the bone of a body
too.
"""

from dataclasses import replace
from typing import Any

import bpy

from ...urdf_importer.core.blender.standing.free_joints import can_move
from ...urdf_importer.core.blender.standing.handles import explain_hold, find_handle
from .bodies import bodies_in, find_hit, read_eye
from .drag_joint import DragJoint, PickJoint, find_dragging
from .dragging import DraggedGizmos
from .drawing import Picture, draw_joint, draw_text
from .switch import is_on


class JointGizmo(bpy.types.Gizmo):
    bl_idname = "VIEW3D_GT_urdf_joint"
    __slots__ = ("lit",)

    def setup(self) -> None:
        self.lit: Picture | None = None

    def test_select(self, context: Any, location: Any) -> int:
        before = self.lit
        self.lit = _light(context, (location[0], location[1]))
        if _name(self.lit) == _name(before):
            # The text stays where the joint was lit: a new place would need the view drawn anew.
            if self.lit is not None and before is not None:
                self.lit = replace(self.lit, mouse=before.mouse)
        elif context.region is not None:
            context.region.tag_redraw()
        return -1 if self.lit is None else 0

    def draw(self, context: Any) -> None:
        picture = self.lit
        dragging = find_dragging() if self.is_modal else None
        if picture is None or (dragging is None and context.window.modal_operators):
            return  # Blender's own tools keep the mouse, and gizmos hear nothing of it.
        try:
            if dragging is not None:
                start, turning = dragging.start, dragging.turning
                picture = replace(picture, mouse=dragging.mouse, start=start, turning=turning)
            draw_joint(picture, read_eye(context))
            draw_text(picture, context)
        except (ReferenceError, KeyError):  # The robot is gone: undo, another file.
            self.lit = None


class JointGizmos(DraggedGizmos, bpy.types.GizmoGroup):
    bl_idname = "VIEW3D_GGT_urdf_joint"
    bl_label = "Robot Joints"
    keymap = "URDF Joint Gizmo"
    gizmo = JointGizmo.bl_idname
    operator = DragJoint.bl_idname

    @classmethod
    def poll(cls, context: Any) -> bool:
        return is_on(context, "joint_gizmo") and bool(bodies_in(context.scene))

    @classmethod
    def setup_keymap(cls, keyconfig: Any) -> Any:
        keymap = super().setup_keymap(keyconfig)
        keymap.keymap_items.new(PickJoint.bl_idname, "LEFTMOUSE", "CLICK")
        return keymap

    def setup(self, context: Any) -> None:
        super().setup(context)
        self.gizmos[0].use_draw_hover = True


def _light(context: Any, mouse: tuple[float, float]) -> Picture | None:
    hit = find_hit(context, mouse)
    handle = find_handle(hit.item) if hit is not None else None
    if handle is None:
        return None
    hold, turning = explain_hold(handle), not can_move(handle)
    return Picture(handle=handle, hold=hold, mouse=mouse, turning=turning)


def _name(picture: Picture | None) -> tuple[str, str, str]:
    if picture is None:
        return "", "", ""
    handle = picture.handle
    try:
        return handle.carrier.name, handle.mover.name, picture.hold
    except ReferenceError:  # The robot is gone: undo, another file.
        return "", "", ""
