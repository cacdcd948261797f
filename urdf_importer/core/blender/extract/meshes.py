# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of objects in their present state in the scene: with their modifiers, shape keys and
edits.

Collision shapes are in collections that Blender does not evaluate while they are hidden. An object
with modifiers is therefore copied into a scene of its own for a moment: the price is an evaluation
of its dependencies.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...geometry.mesh_data import MeshData, reverse_corners
from ...geometry.transforms import Matrix
from ..arrays import read_array

Slots = NDArray[np.int32]

_FLAT = 1e-5
"""Corner normals this near to their faces' add nothing to the faces."""


def extract_mesh(item: Any, *, bare: bool) -> MeshData:
    """Extracts the polygons of an object in its own frame, before its transform, in metres.

    With `bare` the mesh has no normals and no texture coordinates: a collision needs none.
    Materials and slots are left to `extract_slots`.
    """
    with shown_mesh(item) as mesh:
        return _read_mesh(mesh, bare=bare)


def extract_slots(item: Any) -> Slots:
    """Extracts the material slot of each face (F,), in the order of extract_mesh."""
    with shown_mesh(item) as mesh:
        attribute = mesh.attributes.get("material_index")
        slots = np.zeros(len(mesh.polygons), dtype=np.int32)
        if attribute is not None:
            slots = read_array(mesh.polygons, "material_index", kind=np.int32)
    return np.clip(slots, 0, max(len(item.material_slots) - 1, 0))


def is_plain(item: Any) -> bool:
    """Whether an object shows its mesh unmodified, so that all plain users of the mesh look
    alike."""
    return item.type == "MESH" and not item.modifiers and item.data.shape_keys is None


@contextmanager
def shown_mesh(item: Any) -> Iterator[Any]:
    """Gives the mesh that an object shows, also for a curve or a text; only for reading, and only
    within the block."""
    if item.mode == "EDIT":
        item.update_from_editmode()
    if is_plain(item):
        yield item.data
        return
    with _evaluated(item) as (shown, depsgraph):
        try:
            yield shown.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
        finally:
            shown.to_mesh_clear()


def copy_shown_mesh(item: Any) -> Any:
    """Makes a mesh of its own from the displayed object, with all layers of its data."""
    if item.mode == "EDIT":
        item.update_from_editmode()
    if is_plain(item):
        return item.data.copy()
    with _evaluated(item) as (shown, depsgraph):
        return bpy.data.meshes.new_from_object(
            shown, preserve_all_data_layers=True, depsgraph=depsgraph
        )


@contextmanager
def _evaluated(item: Any) -> Iterator[tuple[Any, Any]]:
    """Gives an evaluated copy of an object, whether or not it is hidden, and its depsgraph."""
    scene = bpy.data.scenes.new("urdf export")
    copy = item.copy()
    try:
        copy.hide_viewport = False
        scene.collection.objects.link(copy)
        user = bpy.context.scene
        # Not ViewLayer.update(), which would write keyed values to the user's own objects.
        scene.frame_set(user.frame_current, subframe=user.frame_subframe)
        depsgraph = scene.view_layers[0].depsgraph
        yield copy.evaluated_get(depsgraph), depsgraph
    finally:
        bpy.data.objects.remove(copy)
        bpy.data.scenes.remove(scene)


def transform_mesh(data: MeshData, linear: Matrix) -> MeshData:
    """Returns the mesh under a linear map (3, 3); faces stay counter-clockwise when it mirrors."""
    mirrors = np.linalg.det(linear) < 0.0
    sizes = data.face_sizes
    order = (
        reverse_corners(sizes, keep_first=True) if mirrors and sizes is not None else slice(None)
    )
    normals = data.normals
    if normals is not None:
        turned = normals[order].astype(np.float64) @ _normal_map(linear).T
        lengths = np.linalg.norm(turned, axis=1, keepdims=True)
        normals = (turned / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
    return replace(
        data,
        vertices=(data.vertices.astype(np.float64) @ linear.T).astype(np.float32),
        corners=data.corners[order],
        normals=normals,
        uvs=None if data.uvs is None else data.uvs[order],
    )


def _normal_map(linear: Matrix) -> Matrix:
    """Returns the inverse transpose up to a factor, also of a map that flattens: its cofactors."""
    a, b, c = linear
    cofactors: Matrix = np.array([np.cross(b, c), np.cross(c, a), np.cross(a, b)])
    return cofactors * (1.0 if np.linalg.det(linear) >= 0.0 else -1.0)


def _read_mesh(mesh: Any, *, bare: bool) -> MeshData:
    # Blender gives these no sign: numbers with one take a hundred times as long.
    corners = read_array(mesh.loops, "vertex_index", kind=np.uint32)
    starts = read_array(mesh.polygons, "loop_start", kind=np.uint32)
    sizes: Any = np.diff(starts.view(np.int32), append=np.int32(len(corners)))
    return MeshData(
        vertices=read_array(mesh.vertices, "co", 3),
        corners=corners.view(np.int32),
        face_sizes=sizes,
        normals=None if bare else _read_normals(mesh, sizes),
        name=mesh.name,
        uvs=None if bare else _read_uvs(mesh),
    )


def _read_normals(mesh: Any, sizes: Any) -> Any:
    """Reads the normals of the corners; None where all faces are flat."""
    normals = read_array(mesh.corner_normals, "vector", 3)
    faces = np.repeat(read_array(mesh.polygon_normals, "vector", 3), sizes, axis=0)
    if not len(normals) or bool(np.abs(normals - faces).max() < _FLAT):
        return None
    return normals


def _read_uvs(mesh: Any) -> Any:
    layer = mesh.uv_layers.active
    if layer is None:
        return None
    return read_array(mesh.attributes[layer.name].data, "vector", 2)
