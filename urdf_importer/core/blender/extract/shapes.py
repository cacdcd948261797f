# SPDX-License-Identifier: GPL-3.0-or-later
"""Visuals and collisions in their state in the scene: moved, scaled, changed, coloured, added and
deleted shapes count, and nothing is read from files.

A shape that the user did not touch is exactly the described one: Blender holds places and sizes in
single precision only.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...diagnostics import Diagnostics
from ...geometry.mesh_data import MeshData, MeshMaterial
from ...geometry.primitives import make_primitive
from ...geometry.transforms import (
    Matrix,
    make_frame,
    matrix_from_pose,
    nearest_rotation,
    quaternion_from_rotation,
)
from ...meshes import ShownShape
from ...model import (
    Collision,
    Cone,
    Extrusion,
    Geometry,
    Link,
    Material,
    Mesh,
    Polyhedron,
    Pose,
    Visual,
)
from ...reshape.scaling import scale_geometry
from ..standing import properties
from ..standing.links import SHOWN_TYPES, is_users_shape
from .materials import MaterialReader
from .meshes import Slots, extract_mesh, extract_slots, is_plain, transform_mesh
from .robot import group_children, read_shape

_SAME = 2e-6
"""Places this near, per metre, are one place in Blender's single precision."""
_ROUND = np.array([[-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]])
"""The signs of axes by which a mirrored rotation becomes a rotation."""
_NOT_SHAPES = (properties.INERTIALS, properties.SENSORS)
Materials = tuple[MeshMaterial, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundShape:
    """An object that represents a shape.

    described  the shape from which the import made it; None where a user added it
    shown      its present geometry
    linear     (3, 3), the scale or shear of its mesh; None where there is none
    """

    item: Any
    described: Any | None
    shown: ShownShape
    linear: Matrix | None


class ShapeExtractor:
    """Extracts the shapes of one robot; plain objects with the same mesh and material share arrays.

    Images that are not in a file are written into `folder`.
    """

    def __init__(self, folder: Path, diagnostics: Diagnostics) -> None:
        self._materials = MaterialReader(folder, diagnostics)
        self._children = group_children()
        self._arrays: dict[tuple[Any, bool], MeshData] = {}
        self._made: dict[tuple[MeshData, bytes | None, Materials], MeshData] = {}

    def find_shapes(self, link: Link, empty: Any, moved: Matrix | None = None) -> list[FoundShape]:
        """Finds the objects of a link's shapes, in the order of the description; shapes that a user
        added come last. `moved` (4, 4) is the empty's frame in the frame of the link, where they
        differ."""
        order: dict[Any, int] = {}
        for index, shape in enumerate(link.shapes):
            order.setdefault(shape, index)
        found = []
        for item, place in shape_objects(empty, self._children):
            described = read_shape(item)
            index = len(order) if described is None else order.get(described, len(order))
            place = place if moved is None else moved @ place
            found.append((index, self._extract(item, described, place)))
        return [shape for _, shape in sorted(found, key=lambda pair: pair[0])]

    def _extract(self, item: Any, described: Any, place: Matrix) -> FoundShape:
        origin, linear = _split(place, described.origin if described is not None else None)
        shown = self._show(item, described, origin, linear)
        return FoundShape(item=item, described=described, shown=shown, linear=linear)

    def _show(self, item: Any, described: Any, origin: Pose, linear: Matrix | None) -> ShownShape:
        if item.type not in SHOWN_TYPES:
            return ShownShape(shape=replace(described, origin=origin), data=None)
        is_visual = item.get(properties.PART) != properties.COLLISIONS
        arrays = self._find_arrays(item, bare=not is_visual)
        geometry = _find_geometry(item, described, arrays, linear)
        kind = Visual if is_visual else Collision
        shape: Any = described or kind(geometry=geometry, name=item.name)
        shape = replace(shape, geometry=geometry, origin=origin)
        if not is_visual:
            return ShownShape(shape=shape, data=self._finish(arrays, linear, (), None))
        shape, materials, slots = self._read_materials(item, shape)
        return ShownShape(shape=shape, data=self._finish(arrays, linear, materials, slots))

    def extract_object(self, item: Any, place: Matrix) -> ShownShape:
        """Extracts an object that is attached to no link as a visual, at `place` (4, 4)."""
        return self._extract(item, read_shape(item), place).shown

    def _find_arrays(self, item: Any, *, bare: bool) -> MeshData:
        key = (item.data if is_plain(item) and item.mode != "EDIT" else item, bare)
        if key not in self._arrays:
            self._arrays[key] = extract_mesh(item, bare=bare)
        return self._arrays[key]

    def _read_materials(self, item: Any, visual: Visual) -> tuple[Visual, Materials, Slots | None]:
        """Reads the materials of an object: a single one goes to the visual, so that objects of
        other colours share the mesh; several go to the mesh, face by face."""
        found = tuple(self._materials.read(slot.material) for slot in item.material_slots)
        slots = extract_slots(item) if len(found) > 1 else None
        used = sorted(set(slots.tolist())) if slots is not None else [0]
        distinct = {found[slot] for slot in used if slot < len(found)}
        needs_several = len(distinct) > 1 or any(each.image_alpha for each in distinct)
        if needs_several and isinstance(visual.geometry, Mesh):
            return replace(visual, material=None), found, slots
        only = found[used[0]] if found and used else MeshMaterial()
        texture = None if only.texture is None else str(only.texture)
        material = Material(name=only.name, color=only.color, texture=texture, surface=only.surface)
        return replace(visual, material=material), (), None

    def _finish(
        self, arrays: MeshData, linear: Matrix | None, materials: Materials, slots: Slots | None
    ) -> MeshData:
        if linear is None and not materials:
            return arrays
        key = (arrays, None if linear is None else linear.tobytes(), materials)
        if key not in self._made:
            data = arrays if linear is None else transform_mesh(arrays, linear)
            self._made[key] = replace(data, materials=materials, slots=slots)
        return self._made[key]


def shape_objects(empty: Any, children: Mapping[Any, list[Any]]) -> Iterator[tuple[Any, Matrix]]:
    """Yields the objects below a link's empty that represent its shapes, with their transform (4,
    4) in the link's frame. `children` come from group_children."""
    scale = np.diag([*empty.scale, 1.0])
    waiting = [(child, scale) for child in children.get(empty, ())]
    while waiting:
        item, above = waiting.pop(0)
        if properties.LINK in item or properties.MOUNTED in item:
            continue
        place = above @ local_transform(item)
        if _stands_for_a_shape(item):
            yield item, place
        waiting.extend((child, place) for child in children.get(item, ()))
        if item.instance_type == "COLLECTION" and not item.hide_render:
            yield from _instanced(item.instance_collection, place)


def _instanced(collection: Any, place: Matrix) -> Iterator[tuple[Any, Matrix]]:
    """Yields the objects of a collection that is shown as one at `place`, in this frame. Blender
    lets no collection hold an instance of itself."""
    if collection is None:
        return
    origin = make_frame(point=-np.array(collection.instance_offset))
    for item in collection.all_objects:
        within = place @ origin @ _world_of(item)
        if _stands_for_a_shape(item):
            yield item, within
        if item.instance_type == "COLLECTION" and not item.hide_render:
            yield from _instanced(item.instance_collection, within)


def _world_of(item: Any) -> Matrix:
    """Returns an object's place in the world from the set values: Blender keeps none of objects
    that are in no scene."""
    if item.parent is None:
        return np.array(item.matrix_basis)
    return _world_of(item.parent) @ local_transform(item)


def _stands_for_a_shape(item: Any) -> bool:
    """Whether an object is a shape: an imported one, a copy of one, or whatever a user put under a
    link to be seen; not a mark that an import draws."""
    if properties.PART in item:
        is_known = item.type in SHOWN_TYPES or properties.SHAPE in item
        return is_known and item[properties.PART] not in _NOT_SHAPES
    return is_users_shape(item)


def local_transform(item: Any) -> Matrix:
    """Returns the transform (4, 4) under the parent, from the set values, not the last drawn ones:
    hidden objects are not kept up to date. Constraints are evaluated."""
    if item.parent_type != "OBJECT" or any(not each.mute for each in item.constraints):
        depsgraph = bpy.context.evaluated_depsgraph_get()
        parent = np.array(item.parent.evaluated_get(depsgraph).matrix_world)
        local: Matrix = np.linalg.solve(parent, item.evaluated_get(depsgraph).matrix_world)
        return local
    above: Matrix = np.array(item.matrix_parent_inverse) @ np.array(item.matrix_basis)
    return above


def _split(place: Matrix, described: Pose | None) -> tuple[Pose, Matrix | None]:
    """Splits a transform into (pose, linear map (3, 3) of the mesh before it or None): a pose can
    neither scale nor shear.

    The pose is the described one where the object is still there.
    """
    rotation = _unmirror(nearest_rotation(place[:3, :3]))
    if described is not None:
        wanted = matrix_from_pose(described)[:3, :3]
        scaled = wanted.T @ place[:3, :3]
        if np.abs(scaled - np.diag(np.diag(scaled))).max() < _SAME:
            # Scaled along its axes, and mirrored by some: it is not turned as well.
            rotation = wanted
    residue: Matrix = rotation.T @ place[:3, :3]
    linear = None if np.abs(residue - np.eye(3)).max() < _SAME else residue
    if described is not None:
        wanted = matrix_from_pose(described)
        near = np.abs(place[:3, 3] - wanted[:3, 3]) < _SAME * (1.0 + np.abs(wanted[:3, 3]))
        if near.all() and np.abs(rotation - wanted[:3, :3]).max() < _SAME:
            return described, linear
    x, y, z = place[:3, 3].tolist()
    return Pose(xyz=(x, y, z), quat_xyzw=quaternion_from_rotation(rotation)), linear


def _unmirror(turn: Matrix) -> Matrix:
    """Returns a rotation (3, 3); of a mirrored one the nearest to the identity with the sign of one
    axis, or of all three, changed: an object that was only mirrored is not turned."""
    if np.linalg.det(turn) > 0.0:
        return turn
    return max((turn * signs for signs in _ROUND), key=np.trace)


def _find_geometry(
    item: Any, described: Any | None, arrays: MeshData, linear: Matrix | None
) -> Geometry:
    """Returns the described geometry; for a simple shape whose mesh was changed, a mesh."""
    if described is None:
        return Mesh(filename=item.name)
    geometry: Geometry = described.geometry
    if isinstance(geometry, Mesh):
        return geometry
    scaled = geometry if linear is None else _scale_primitive(geometry, linear)
    if scaled is None or not _is_untouched(geometry, arrays):
        return Mesh(filename=item.name)
    return scaled


def _is_untouched(geometry: Any, arrays: MeshData) -> bool:
    made = make_primitive(geometry)
    return np.array_equal(made.vertices, arrays.vertices) and np.array_equal(
        made.corners, arrays.corners
    )


def _scale_primitive(geometry: Geometry, linear: Matrix) -> Geometry | None:
    """Returns a simple shape under a linear map; None where it does not stay of the same kind."""
    sizes = np.abs(np.diag(linear))
    is_aligned = np.abs(np.abs(linear) - np.diag(sizes)).max() <= _SAME and sizes.all()
    if not is_aligned or isinstance(geometry, Extrusion | Polyhedron):
        return None
    x, y, z = sizes.tolist()
    y = x if abs(x - y) < _SAME else y
    z = x if x == y and abs(x - z) < _SAME else z
    scaled, is_exact = scale_geometry(geometry, (x, y, z))
    is_upside_down = isinstance(geometry, Cone) and linear[2, 2] < 0.0
    return scaled if is_exact and not is_upside_down else None
