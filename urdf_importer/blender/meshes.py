# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh datablocks from arrays."""

import math
from typing import Any

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from ..geometry.mesh_data import MeshData
from .ledger import Ledger

UV_MAP = "UVMap"


def build_mesh(data: MeshData, name: str, ledger: Ledger, *, smooth_angle: float = 30.0) -> Any:
    """A mesh of these arrays, without materials but with the faces' slots.

    Without normals of its own it is shaded smooth up to `smooth_angle` (degrees) between faces.

    Vertices and corners go in through attributes: a hundred times faster than by vertices and
    loops.
    """
    mesh = ledger.new_mesh(name)
    if not len(data.corners):
        return mesh
    sizes = data.face_sizes
    starts = (
        np.arange(0, len(data.corners), 3, dtype=np.int32)
        if sizes is None
        else np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
    )
    mesh.vertices.add(len(data.vertices))
    mesh.loops.add(len(data.corners))
    mesh.polygons.add(len(starts))
    mesh.attributes["position"].data.foreach_set("vector", data.vertices.ravel())
    mesh.attributes[".corner_vert"].data.foreach_set("value", data.corners)
    mesh.polygons.foreach_set("loop_start", starts)
    mesh.update(calc_edges=True)
    if data.uvs is not None:
        layer = mesh.uv_layers.new(name=UV_MAP, do_init=False)
        mesh.attributes[layer.name].data.foreach_set("vector", data.uvs.ravel())
    if data.slots is not None:
        slots = mesh.attributes.new("material_index", "INT", "FACE")
        slots.data.foreach_set("value", data.slots)
    _shade(mesh, data, smooth_angle)
    return mesh


def copy_bare(mesh: Any, ledger: Ledger) -> Any:
    """A copy without materials, slots and properties, at next to no cost in time and memory."""
    copied = ledger.note(mesh.copy())
    for key in list(copied.keys()):
        del copied[key]
    copied.materials.clear()
    slots = copied.attributes.get("material_index")
    if slots is not None:
        copied.attributes.remove(slots)
    return copied


def _shade(mesh: Any, data: MeshData, smooth_angle: float) -> None:
    mesh.shade_smooth()
    if data.normals is not None:
        _set_normals(mesh, data.normals)
    elif not data.smooth:
        mesh.set_sharp_from_angle(angle=math.radians(smooth_angle))


def _set_normals(mesh: Any, normals: NDArray[np.float32]) -> None:
    """Since Blender 4.5 as they are, through an attribute; before, a hundred times slower and
    rounded to 16 bits."""
    if bpy.app.version >= (4, 5):
        attribute = mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "CORNER")
        attribute.data.foreach_set("vector", normals.ravel())
    else:
        mesh.normals_split_custom_set(normals.tolist())


def decimate(mesh: Any, most_triangles: int, smooth_angle: float, ledger: Ledger) -> Any:
    """The mesh, or one of about so many triangles in its place, shaded by angle.

    Blender decimates only by a modifier of an object that is in the scene, so one is there for a
    moment: the price is an update of the scene for each large mesh.
    """
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    if count <= most_triangles:
        return mesh
    thing = ledger.new_object(mesh.name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    modifier = thing.modifiers.new("Decimate", "DECIMATE")
    modifier.ratio = most_triangles / count
    depsgraph = bpy.context.evaluated_depsgraph_get()
    reduced = ledger.note(bpy.data.meshes.new_from_object(thing.evaluated_get(depsgraph)))
    name = mesh.name
    ledger.remove(thing)
    ledger.remove(mesh)
    reduced.name = name
    _drop_normals(reduced)
    reduced.shade_smooth()
    reduced.set_sharp_from_angle(angle=math.radians(smooth_angle))
    return reduced


def _drop_normals(mesh: Any) -> None:
    """Those of the file do not fit the new faces."""
    normals = mesh.attributes.get("custom_normal")
    if normals is not None:
        mesh.attributes.remove(normals)


def build_hull(data: MeshData, name: str, ledger: Ledger, *, smooth_angle: float = 30.0) -> Any:
    """The convex hull of a mesh, flat; the mesh itself where its hull has no volume."""
    mesh = ledger.new_mesh(name)
    mesh.vertices.add(len(data.vertices))
    mesh.attributes["position"].data.foreach_set("vector", data.vertices.ravel())
    hull = bmesh.new()
    try:
        hull.from_mesh(mesh)
        found = bmesh.ops.convex_hull(hull, input=hull.verts[:])
        unused = {*found["geom_interior"], *found["geom_unused"]}
        inner = [each for each in unused if isinstance(each, bmesh.types.BMVert)]
        bmesh.ops.delete(hull, geom=inner, context="VERTS")
        if hull.faces and abs(hull.calc_volume()) > 0.0:
            hull.to_mesh(mesh)
            return mesh
    finally:
        hull.free()
    ledger.remove(mesh)
    return build_mesh(data, name, ledger, smooth_angle=smooth_angle)
