# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh datablocks from arrays."""

import gc
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...diagnostics import MeshError
from ...geometry.creases import find_creases
from ...geometry.mesh_data import MeshData
from ...meshes import RobotFiles
from ...model import Collision, Geometry, Link, Mesh, Robot, Vector3, Visual, VisualMaterials
from ...options import ImportOptions
from ..arrays import read_array
from ..extract.fingerprints import (
    Sums,
    fingerprint_arrays,
    fingerprint_content,
    fingerprint_shape,
    note_materials,
    sum_arrays,
)
from ..extract.meshes import copy_shown_mesh
from ..ledger import Ledger
from ..standing import properties
from .links import lock, place_at
from .materials import MaterialBuilder
from .mesh_copies import can_copy_mirrored, copy_bare, copy_mirrored
from .sharing import Shelf

UV_MAP = "UVMap"


def build_mesh(data: MeshData, name: str, ledger: Ledger, *, smooth_angle: float = 30.0) -> Any:
    """Builds a mesh of these arrays, without materials but with the faces' slots.

    Without normals of its own it is shaded smooth up to `smooth_angle` (degrees) between faces.
    Vertices and corners go in through attributes: a hundred times faster than by vertices and
    loops. Starts of faces are numbers without a sign, which Blender copies as they are.
    """
    mesh = ledger.new_mesh(name)
    if not len(data.corners):
        return mesh
    mesh.vertices.add(len(data.vertices))
    mesh.loops.add(len(data.corners))
    mesh.polygons.add(data.face_count)
    mesh.attributes["position"].data.foreach_set("vector", data.vertices.ravel())
    mesh.attributes[".corner_vert"].data.foreach_set("value", data.corners)
    mesh.polygons.foreach_set("loop_start", _find_starts(data))
    mesh.update(calc_edges=True)
    if data.uvs is not None:
        layer = mesh.uv_layers.new(name=UV_MAP, do_init=False)
        mesh.attributes[layer.name].data.foreach_set("vector", data.uvs.ravel())
    if data.slots is not None:
        slots = mesh.attributes.new("material_index", "INT", "FACE")
        slots.data.foreach_set("value", data.slots)
    mesh.shade_smooth()
    if data.normals is not None:
        _set_normals(mesh, data, data.normals)
    elif not data.smooth:
        mesh.set_sharp_from_angle(angle=math.radians(smooth_angle))
    return mesh


def _find_starts(data: MeshData) -> NDArray[np.uint32]:
    """Which corner of all is each face's first."""
    if data.face_sizes is None:
        return np.arange(0, len(data.corners), 3, dtype=np.uint32)
    starts = np.cumsum(data.face_sizes, dtype=np.uint32)
    starts -= data.face_sizes.astype(np.uint32)
    return starts


def _set_normals(mesh: Any, data: MeshData, normals: NDArray[np.float32]) -> None:
    """Sets normals: since Blender 4.5 exactly, through an attribute; before, a hundred times slower
    and rounded to 16 bits.

    Cycles gives each vertex one normal and, before Blender 5.0, parts faces at sharp edges only: so
    the edges where normals differ are marked there.
    """
    if bpy.app.version < (4, 5):
        _set_normals_one_by_one(mesh, normals)
        return
    attribute = mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "CORNER")
    attribute.data.foreach_set("vector", normals.ravel())
    if bpy.app.version < (5, 0):
        _mark_creases(mesh, data, normals)


def _set_normals_one_by_one(mesh: Any, normals: NDArray[np.float32]) -> None:
    # The collector would look through the lists of all corners again and again, which takes longer
    # than all else here.
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        mesh.normals_split_custom_set(normals.tolist())
    finally:
        if is_collecting:
            gc.enable()


def _mark_creases(mesh: Any, data: MeshData, normals: NDArray[np.float32]) -> None:
    edges = read_array(mesh.attributes[".corner_edge"].data, "value", kind=np.int32)
    creases = find_creases(data, normals, edges)
    if len(creases):
        is_sharp = np.zeros(len(mesh.edges), dtype=bool)
        is_sharp[creases] = True
        attribute = mesh.attributes.new("sharp_edge", "BOOLEAN", "EDGE")
        attribute.data.foreach_set("value", is_sharp)


def decimate(mesh: Any, most_triangles: int, smooth_angle: float, ledger: Ledger) -> Any:
    """Returns the mesh, or a replacement of about so many triangles, shaded by angle.

    Blender decimates only by a modifier of an object in a scene: the price is a scene of its own,
    for a moment, for each large mesh.
    """
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    if count <= most_triangles:
        return mesh
    thing = ledger.new_object(mesh.name, mesh)
    thing.modifiers.new("Decimate", "DECIMATE").ratio = most_triangles / count
    reduced = ledger.note(copy_shown_mesh(thing))
    name = mesh.name
    ledger.remove(thing)
    ledger.remove(mesh)
    reduced.name = name
    normals = reduced.attributes.get("custom_normal")
    if normals is not None:  # The file's do not fit the new faces.
        reduced.attributes.remove(normals)
    reduced.shade_smooth()
    reduced.set_sharp_from_angle(angle=math.radians(smooth_angle))
    reduced[properties.DECIMATED] = True
    return reduced


def _without_signs(shape: Visual | Collision, geometry: Mesh) -> tuple[Any, ...]:
    """Returns all that decides the mesh of a shape but the signs of its scale."""
    x, y, z = geometry.scale
    scale = abs(x), abs(y), abs(z)
    return type(shape), geometry.filename, geometry.part, geometry.bare, scale


_PLACEHOLDER_SHARE = 0.03


class ShapeBuilder:
    """Builds the shapes of one robot. Equal geometries share a mesh; visuals and collisions never
    do, since a user's change to one must not touch the other."""

    def __init__(
        self,
        robot: Robot,
        size: float,
        options: ImportOptions,
        files: RobotFiles,
        ledger: Ledger,
        *,
        shares: bool = False,
    ) -> None:
        self._looks = VisualMaterials(robot)
        self._shelf = Shelf(ledger, shares=shares)
        self._size = size
        self._options = options
        self.files = files
        self._ledger = ledger
        self._materials = MaterialBuilder(
            files,
            ledger,
            packs=options.pack_textures,
            merges=options.merge_materials,
            find_made=self._shelf.find_material,
        )
        self._meshes: dict[tuple[type, Geometry], Any | None] = {}
        self._unmirrored: dict[tuple[Any, ...], tuple[Any, Vector3]] = {}
        self._lost: set[Geometry] = set()
        self._sums: dict[MeshData, Sums] = {}

    def build_visual(self, visual: Visual, link: Link, empty: Any, collection: Any) -> Any:
        """Builds an object under a link's empty; without an empty, an object without a place."""
        name = link.name if empty is None else f"{empty.name}_visual"
        built = self._build(visual, link, empty, name, collection)
        if built.type == "MESH":
            self._assign_material(built, visual, link)
        return built

    def build_collision(self, collision: Collision, link: Link, empty: Any, collection: Any) -> Any:
        """Builds an object under a link's empty. Callers hide them in renders, all at once."""
        built = self._build(collision, link, empty, f"{empty.name}_collision", collection)
        built.display_type = "WIRE"
        return built

    def _build(
        self, shape: Visual | Collision, link: Link, empty: Any, name: str, collection: Any
    ) -> Any:
        mesh = self._find_mesh(shape, link)
        built = self._ledger.new_object(shape.name or name, mesh)
        if mesh is None:
            built.empty_display_type = "CUBE"
            built.empty_display_size = _PLACEHOLDER_SHARE * self._size
        if empty is not None:
            built.parent = empty
            place_at(built, shape.origin)
            lock(built)
        is_visual = isinstance(shape, Visual)
        built[properties.PART] = properties.VISUALS if is_visual else properties.COLLISIONS
        built[properties.SHAPE] = properties.pack(shape)
        collection.objects.link(built)
        return built

    def _find_mesh(self, shape: Visual | Collision, link: Link) -> Any | None:
        key = (type(shape), shape.geometry)
        if key not in self._meshes:
            data = self._load(shape, link)
            self._meshes[key] = None if data is None else self._provide_mesh(data, shape, link)
        return self._meshes[key]

    def _provide_mesh(self, data: MeshData, shape: Visual | Collision, link: Link) -> Any:
        """Finds the mesh that the .blend already holds, or makes it."""
        if data not in self._sums:
            self._sums[data] = sum_arrays(data)
        fingerprint = fingerprint_shape(data, self._sums[data], shape, self._options)
        materials = self._build_materials(data, shape, link)
        make = partial(self._make_mesh, data, shape, materials)
        made = self._shelf.find_mesh(fingerprint, materials, make) or make()
        if properties.FINGERPRINT not in made:
            made[properties.FINGERPRINT] = fingerprint
            made[properties.CONTENT] = self._fingerprint_content(made, data, shape)
        if isinstance(shape.geometry, Mesh):
            key = _without_signs(shape, shape.geometry)
            self._unmirrored.setdefault(key, (made, shape.geometry.scale))
        return made

    def _fingerprint_content(self, made: Any, data: MeshData, shape: Visual | Collision) -> str:
        if self._options.most_triangles or not len(data.corners):
            return fingerprint_content(made)
        return fingerprint_arrays(data, self._sums[data], has_slots=isinstance(shape, Visual))

    def _build_materials(
        self, data: MeshData, shape: Visual | Collision, link: Link
    ) -> Sequence[Any]:
        """Builds the materials of a mesh file; collision shapes need none."""
        if not isinstance(shape, Visual):
            return ()
        build, has_uvs = self._materials.build_from, data.uvs is not None
        return [build(each, link.name, shape.line, has_uvs=has_uvs) for each in data.materials]

    def _make_mesh(
        self, data: MeshData, shape: Visual | Collision, materials: Sequence[Any]
    ) -> Any:
        """Makes a shape's mesh. A collision that looks like a visual gets a copy of its mesh:
        Blender shares the arrays of copies until a copy is changed."""
        alike = self._meshes.get((Visual, shape.geometry))
        if isinstance(shape, Visual) or alike is None:
            return self._build_mesh(data, shape, materials)
        return copy_bare(alike, self._ledger)

    def _build_mesh(
        self, data: MeshData, shape: Visual | Collision, materials: Sequence[Any]
    ) -> Any:
        """Options about meshes concern mesh files only."""
        options = self._options
        if not isinstance(shape, Visual):
            data = replace(data, materials=(), slots=None)
        mesh = self._copy_mirrored(data, shape)
        if mesh is None:
            name = data.name or type(shape.geometry).__name__
            mesh = build_mesh(data, name, self._ledger, smooth_angle=options.smooth_angle)
        if isinstance(shape.geometry, Mesh) and options.most_triangles:
            mesh = decimate(mesh, options.most_triangles, options.smooth_angle, self._ledger)
        for material in materials:
            mesh.materials.append(material)
        note_materials(mesh, mesh.materials)
        return mesh

    def _copy_mirrored(self, data: MeshData, shape: Visual | Collision) -> Any | None:
        """Copies the mesh of the same file that was made for a scale with other signs, as robots
        have it on their other side; None where there is none, or where it was decimated."""
        geometry = shape.geometry
        if not isinstance(geometry, Mesh) or self._options.most_triangles:
            return None
        found = self._unmirrored.get(_without_signs(shape, geometry))
        if found is None or not can_copy_mirrored(data):
            return None
        mesh, scale = found
        signs = [math.copysign(1.0, a * b) for a, b in zip(geometry.scale, scale, strict=True)]
        return copy_mirrored(mesh, signs, data, self._ledger)

    def _load(self, shape: Visual | Collision, link: Link) -> MeshData | None:
        """Loads the arrays of a shape; None if an empty takes its place, which is reported once for
        a geometry."""
        try:
            return self.files.load(shape, link)
        except MeshError as error:
            if shape.geometry not in self._lost:
                self._lost.add(shape.geometry)
                substitute = "an empty takes its place"
                self.files.report_lost(error, shape, link, substitute=substitute)
            return None

    def _assign_material(self, built: Any, visual: Visual, link: Link) -> None:
        """Puts the material on the object, since objects of one mesh may have different colours. As
        in RViz, a mesh that brings materials along keeps them."""
        data = self.files.peek(visual.geometry)
        material = None if data.materials else self._looks.find(visual, link)
        has_uvs = data.uvs is not None
        made = material and self._materials.build(material, link, has_uvs=has_uvs)
        if made is None:
            return
        if not built.data.materials:
            built.data.materials.append(None)
        built.material_slots[0].link = "OBJECT"
        built.material_slots[0].material = made
        note_materials(built, [made])
