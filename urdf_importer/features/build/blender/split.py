# SPDX-License-Identifier: GPL-3.0-or-later
"""split_object: one object becomes several, such as a CAD mesh its parts."""

from typing import Any, Literal

import bpy
import mathutils
import numpy as np

from ....core.arguments import choice_of
from ....core.blender.modes import remember_state, restore_state, select, separate_mesh
from ....core.diagnostics import BuildError, quote


def split_object(
    item: Any, *, by: Literal["loose", "material", "selection"] = "loose"
) -> list[Any]:
    """Splits a mesh object into its loose parts, by its materials, or its selected faces from the
    rest; returns all parts, the object itself first. New objects keep transform, parent, materials,
    normals, vertex groups and modifiers; the origin of each goes to the middle of its bounds, where
    it has no modifiers. Raises BuildError for other objects, and where there is nothing to
    split."""
    choice_of(by, "by", ("loose", "material", "selection"))
    if getattr(item, "type", "") != "MESH" or not len(item.data.polygons):
        raise BuildError(f"{quote(getattr(item, 'name', str(item)))} has no faces")
    if item.library is not None or item.data.library is not None:
        raise BuildError(f"{quote(item.name)} is linked from another file")
    chosen = np.zeros(len(item.data.polygons), bool)
    if item.mode == "EDIT":
        item.update_from_editmode()
    item.data.polygons.foreach_get("select", chosen)
    if by == "selection" and (not chosen.any() or chosen.all()):
        raise BuildError(f"select some faces of {quote(item.name)} first, not all")
    shared = item.data
    if shared.users > 1:
        item.data = shared.copy()
    state = remember_state()
    before = set(bpy.data.objects)
    try:
        separate_mesh(item, by)
    finally:
        select(())
        restore_state(state)
    parts = [item, *(each for each in bpy.data.objects if each not in before)]
    if len(parts) == 1:
        _share_again(item, shared)
        raise BuildError(f"{quote(item.name)} is one part")
    bpy.context.view_layer.update()
    for part in parts:
        if not part.modifiers and len(part.data.vertices):
            _center(part)
    bpy.context.view_layer.update()
    return parts


def _share_again(item: Any, mesh: Any) -> None:
    """Gives an object the mesh back that it shared, in the place of its own copy."""
    if item.data != mesh:
        own, item.data = item.data, mesh
        bpy.data.meshes.remove(own)


def _center(item: Any) -> None:
    """Moves the origin of an object to the middle of its bounds; nothing that is seen moves."""
    corners = np.array(item.bound_box, dtype=np.float64)
    middle = mathutils.Vector((0.5 * (corners.min(axis=0) + corners.max(axis=0))).tolist())
    back = mathutils.Matrix.Translation(-middle)
    item.data.transform(back, shape_keys=True)
    shift = item.matrix_basis.to_3x3() @ middle
    item.location += shift
    for child in item.children:
        child.matrix_parent_inverse = back @ child.matrix_parent_inverse
