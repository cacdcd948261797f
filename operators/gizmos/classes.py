# SPDX-License-Identifier: GPL-3.0-or-later
"""All that makes the gizmos, registered together."""

from typing import Any

import bpy

from ...urdf_importer.blender.ik.tip_handles import forget_handles
from .bodies import forget_bodies
from .drag_joint import DragJoint, PickJoint
from .drag_tip import DragTip
from .joint_gizmo import KEYMAP, JointGizmo, JointGizmos
from .switch import draw_in_gizmos
from .tip_gizmo import TIP_KEYMAP, TipGizmo, TipGizmos

# In the order in which they are asked for what is under the mouse.
_CLASSES = (DragTip, TipGizmo, TipGizmos, DragJoint, PickJoint, JointGizmo, JointGizmos)


def register_gizmos() -> None:
    """Adds the gizmos to all 3D views."""
    for kind in _CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.VIEW3D_PT_gizmo_display.append(draw_in_gizmos)
    for handlers in _moments():
        handlers.append(_forget)
    bpy.app.handlers.depsgraph_update_post.append(_forget_changed)


def unregister_gizmos() -> None:
    """Takes it out again."""
    bpy.app.handlers.depsgraph_update_post.remove(_forget_changed)
    for handlers in _moments():
        handlers.remove(_forget)
    bpy.types.VIEW3D_PT_gizmo_display.remove(draw_in_gizmos)
    for kind in reversed(_CLASSES):
        bpy.utils.unregister_class(kind)
    keymaps = bpy.context.window_manager.keyconfigs.default.keymaps
    for name in (KEYMAP, TIP_KEYMAP):
        keymap = keymaps.get(name)
        if keymap is not None:
            keymaps.remove(keymap)
    _forget()


def _moments() -> tuple[Any, ...]:
    handlers = bpy.app.handlers
    return handlers.load_post, handlers.undo_post, handlers.redo_post


@bpy.app.handlers.persistent
def _forget(*_: Any) -> None:
    forget_bodies()
    forget_handles()


@bpy.app.handlers.persistent
def _forget_changed(scene: Any, depsgraph: Any) -> None:
    """Forgets what there is when objects come or go, and when one gets another mesh or parent."""
    if any(depsgraph.id_type_updated(kind) for kind in ("COLLECTION", "MESH")):
        _forget()
