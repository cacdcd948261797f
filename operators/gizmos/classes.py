# SPDX-License-Identifier: GPL-3.0-or-later
"""All that makes the gizmos, registered together."""

import bpy

from .drag_joint import DragJoint, PickJoint
from .drag_tip import DragTip
from .joint_gizmo import KEYMAP, JointGizmo, JointGizmos
from .switch import draw_in_gizmos
from .tip_gizmo import TIP_KEYMAP, TipGizmo, TipGizmos

# In the order in which Blender asks them for the part under the mouse.
_CLASSES = (DragTip, TipGizmo, TipGizmos, DragJoint, PickJoint, JointGizmo, JointGizmos)


def register() -> None:
    """Adds the gizmos to all 3D views."""
    for kind in _CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.VIEW3D_PT_gizmo_display.append(draw_in_gizmos)


def unregister() -> None:
    """Takes it out again."""
    bpy.types.VIEW3D_PT_gizmo_display.remove(draw_in_gizmos)
    for kind in reversed(_CLASSES):
        bpy.utils.unregister_class(kind)
    keymaps = bpy.context.window_manager.keyconfigs.default.keymaps
    for name in (KEYMAP, TIP_KEYMAP):
        keymap = keymaps.get(name)
        if keymap is not None:
            keymaps.remove(keymap)
