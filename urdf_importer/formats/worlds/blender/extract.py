# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects, lights and camera of the scene that belong to no robot, in their present state."""

from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ....core.blender.extract.robot import unpack
from ....core.blender.extract.scene_lights import (
    read_background,
    read_gravity,
    read_lights,
    read_view,
    short_pose,
)
from ....core.blender.extract.scene_source import shorten
from ....core.blender.extract.shapes import ShapeExtractor, local_transform
from ....core.blender.standing import properties
from ....core.blender.standing.links import SHOWN_TYPES
from ....core.diagnostics import Diagnostics, WriteError, quote
from ....core.geometry.collision_bodies import fit_collision
from ....core.geometry.fitting import Fit
from ....core.geometry.mesh_data import MeshData
from ....core.geometry.primitives import make_box, make_primitive
from ....core.geometry.transforms import Matrix, invert, matrix_from_pose
from ....core.geometry.triangles import make_triangles
from ....core.geometry.volumes import inertia_of, join_masses, mesh_mass
from ....core.meshes import ShownShape
from ....core.model import IDENTITY, Box, Collision, Inertial, Link, Mesh, Pose, Vector3, Visual
from ....core.model.world import Surroundings, Thing
from ....core.names import Claims
from ....core.progress import Progress

_MOST_THINGS = 20_000
_NEAR = 1e-6
_NO_SIZE = 1e-9
_FITS = {
    "BOX": "box",
    "SPHERE": "sphere",
    "CAPSULE": "capsule",
    "CYLINDER": "cylinder",
    "CONE": "hull",
    "CONVEX_HULL": "hull",
}
"""Blender's collision shapes -> ours; the others are the mesh itself."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShownSurroundings:
    """`shapes` and `images` belong to the things; `names` maps an object to the name of its
    thing."""

    world: Surroundings
    shapes: tuple[ShownShape, ...]
    images: frozenset[str]
    names: dict[str, str]


@dataclass(slots=True, eq=False)
class _Group:
    """Objects that make one thing, with their places (4, 4) in the world. Of an imported thing
    `holder` is the object with its properties: an empty above these, or the only one."""

    name: str
    frame: Matrix
    holder: Any | None = None
    items: list[tuple[Any, Matrix]] = field(default_factory=list)


def extract_surroundings(
    objects: Collection[Any] | None, folder: Path, diagnostics: Diagnostics
) -> Generator[Progress, None, ShownSurroundings]:
    """Extracts all around the robots of the current scene, or some objects of it, one by one.
    Images that are not in a file are written into `folder`, which must be there as long as the
    result is used. Raises WriteError for more objects than a world can have."""
    scene = bpy.context.scene
    if abs(scene.unit_settings.scale_length - 1.0) > _NEAR:
        diagnostics.warning(
            "world-units",
            f"the scene has units of {scene.unit_settings.scale_length:g} m; the world has the "
            "same numbers in metres",
        )
    maker = _ThingMaker(folder, diagnostics)
    lamps: list[tuple[Any, Matrix]] = []
    groups: dict[object, _Group] = {}
    for item, matrix, key in _list_items(objects):
        if not np.isfinite(matrix).all():
            _report_lost(item, "its place has no finite numbers", diagnostics)
        elif item.type == "LIGHT":
            lamps.append((item, matrix))
        elif np.linalg.svd(matrix[:3, :3], compute_uv=False)[1] < _NO_SIZE:
            _report_lost(item, "its scale leaves it no size", diagnostics)
        else:
            holder = item.parent if key is None and _is_holder(item.parent) else None
            frame = np.array(holder.matrix_world) if holder is not None else matrix
            said = holder or (item if properties.THING in item else None)
            group = groups.setdefault(
                holder or key or item, _Group((holder or item).name, frame, said)
            )
            if item.type != "EMPTY":
                group.items.append((item, matrix))
    things = yield from _make_things(maker, list(groups.values()))
    return ShownSurroundings(
        world=Surroundings(
            things=tuple(things),
            lights=read_lights(lamps, diagnostics),
            view=read_view(scene),
            background=read_background(scene.world),
            gravity=read_gravity(scene),
            text=_join_texts(scene),
        ),
        shapes=tuple(maker.shapes),
        images=frozenset(maker.images),
        names=maker.names,
    )


def _make_things(
    maker: "_ThingMaker", groups: Sequence[_Group]
) -> Generator[Progress, None, list[Thing]]:
    names, things = Claims(), []
    for number, group in enumerate(groups):
        yield Progress(share=number / len(groups), text=group.name)
        thing = maker.make(group, names)
        if thing is not None:
            things.append(thing)
    return things


def _join_texts(scene: Any) -> str:
    """Joins the texts that worlds keep on their collections."""
    texts = [each.get(properties.WORLD) for each in scene.collection.children_recursive]
    return "".join(each for each in texts if isinstance(each, str))


def _list_items(objects: Collection[Any] | None) -> list[tuple[Any, Matrix, object]]:
    """Lists the objects with faces and the lights that are rendered and belong to no robot, with
    their places (4, 4) and, for instances, a key of their own."""
    chosen = None if objects is None else set(objects)
    found: list[tuple[Any, Matrix, object]] = []
    for each in bpy.context.evaluated_depsgraph_get().object_instances:
        item = each.object.original
        source = each.parent.original if each.is_instance and each.parent else item
        if item.type not in SHOWN_TYPES and item.type != "LIGHT" and not _is_holder(item):
            continue
        # Robots first: whether an object is rendered takes a walk through the whole file.
        if not each.show_self or _is_of_robot(item) or not _is_rendered(item):
            continue
        if chosen is not None and not {item, source, item.parent} & chosen:
            continue
        key = (source, item, *each.persistent_id) if each.is_instance else None
        found.append((item, np.array(each.matrix_world), key))
        if len(found) > _MOST_THINGS:
            raise WriteError(f"the scene has more than {_MOST_THINGS} objects for a world")
    return found


def _is_rendered(item: Any) -> bool:
    homes = item.users_collection
    is_mark = properties.WIDGET in item or properties.LIMITS_OF in item
    hidden = bool(homes) and all(each.hide_render for each in homes)
    return not (item.hide_render or hidden or is_mark)


def _is_of_robot(item: Any) -> bool:
    while item is not None and properties.ROBOT not in item and properties.LINK not in item:
        item = item.parent
    return item is not None


def _is_holder(item: Any | None) -> bool:
    return item is not None and item.type == "EMPTY" and properties.THING in item


def _report_lost(item: Any, why: str, diagnostics: Diagnostics) -> None:
    diagnostics.error(
        "world-lost-object",
        f"object {quote(item.name)} is left out: {why}",
        subject=item.name,
    )


class _ThingMaker:
    def __init__(self, folder: Path, diagnostics: Diagnostics) -> None:
        self.shapes: list[ShownShape] = []
        self.images: set[str] = set()
        self.names: dict[str, str] = {}
        self._extractor = ShapeExtractor(folder, diagnostics)
        self._diagnostics = diagnostics
        self._boxes: dict[MeshData, tuple[Box, Vector3] | None] = {}
        self._bare: dict[MeshData, MeshData] = {}

    def make(self, group: _Group, names: Claims) -> Thing | None:
        """Makes the thing of some objects; None, and reported, where they have no faces."""
        place = short_pose(group.frame)
        back = invert(matrix_from_pose(place))
        visuals: list[Visual] = []
        collisions: list[_Solid] = []
        for item, matrix in group.items:
            shown = self._extractor.extract_object(item, back @ matrix)
            if group.holder in (None, item):
                shown = replace(shown, shape=replace(shown.shape, origin=IDENTITY))
            if shown.data is None or not len(shown.data.corners):
                _report_lost(item, "it has no faces", self._diagnostics)
                continue
            visual, collision = self._collide(item, self._simplify(shown))
            visuals.append(visual)
            collisions.append(collision)
        said = _read_thing(group.holder)
        own = list(self._collide_as_imported(group, back))
        if group.holder is not None and (own or not said.get("collisions")):
            collisions = own
        if not visuals and not collisions:
            return None
        self.shapes += [ShownShape(shape=collision, data=data) for collision, data in collisions]
        body = group.items[0][0].rigid_body if group.items else None
        name = names.claim(group.name)
        self.names.setdefault(group.name, name)
        inertial = unpack(Inertial, said["inertial"]) if "inertial" in said else None
        if body is not None:
            is_active = body.type == "ACTIVE" and not body.kinematic
            inertial = _weigh(shorten(body.mass), collisions) if is_active else None
        return Thing(
            link=Link(
                name=name,
                visuals=tuple(visuals),
                collisions=tuple(collision for collision, _ in collisions),
                inertial=inertial,
            ),
            place=place,
            friction=said.get("friction") if body is None else shorten(body.friction),
        )

    def _collide_as_imported(self, group: _Group, back: Matrix) -> Iterator["_Solid"]:
        """Yields the collision shapes of an imported thing."""
        if group.holder is None:
            return
        for item in group.holder.children:
            if item.get(properties.PART) != properties.COLLISIONS or item.type != "MESH":
                continue
            frame = back @ group.frame @ local_transform(item)
            shown = self._simplify(self._extractor.extract_object(item, frame))
            if shown.data is not None and len(shown.data.corners):
                shape = shown.shape
                collision = Collision(geometry=shape.geometry, origin=shape.origin)
                yield collision, self._strip(shown.data)

    def _simplify(self, shown: ShownShape) -> ShownShape:
        """Returns a mesh that is just a box as one."""
        visual, data = shown.shape, shown.data
        if data is None or data.materials or not isinstance(visual.geometry, Mesh):
            return shown
        if isinstance(visual, Visual) and visual.material and visual.material.texture:
            return shown
        if data not in self._boxes:
            self._boxes[data] = _find_box(data)
        found = self._boxes[data]
        if found is None:
            return shown
        box, middle = found
        frame = matrix_from_pose(visual.origin)
        frame[:3, 3] += frame[:3, :3] @ np.array(middle)
        shape = replace(visual, geometry=box, origin=short_pose(frame, visual.origin))
        return ShownShape(shape=shape, data=make_box(box.size))

    def _collide(self, item: Any, shown: ShownShape) -> tuple[Visual, "_Solid"]:
        """Returns the visual of an object, and the collision shape that its rigid body asks for."""
        visual, data = shown.shape, shown.data
        assert isinstance(visual, Visual) and data is not None
        if visual.material is not None:
            self.images.update(visual.material.images)
        bare = self._strip(data)
        collision = Collision(geometry=visual.geometry, origin=visual.origin)
        kind = None if item.rigid_body is None else _FITS.get(item.rigid_body.collision_shape)
        if kind and isinstance(visual.geometry, Mesh):
            collision, bare = _fit(collision, bare, kind)
        self.shapes.append(shown)
        return visual, (collision, bare)

    def _strip(self, data: MeshData) -> MeshData:
        """Returns a mesh without looks, the same one for each that is given again."""
        if data not in self._bare:
            plain = not data.materials and data.uvs is None
            self._bare[data] = (
                data if plain else replace(data, materials=(), slots=None, uvs=None, normals=None)
            )
        return self._bare[data]


_Solid = tuple[Collision, MeshData]


def _read_thing(holder: Any | None) -> dict[str, Any]:
    said: Any = None if holder is None else holder.get(properties.THING)
    return said.to_dict() if hasattr(said, "to_dict") else {}


def _weigh(mass: float, solids: Sequence[_Solid]) -> Inertial:
    """Returns the mass of a moving object, spread evenly over its collision shapes."""
    found = [
        body.moved(matrix_from_pose(collision.origin))
        for collision, data in solids
        if (body := mesh_mass(make_triangles(data)[0])) is not None
    ]
    whole = join_masses(found)
    if whole is None or whole.volume <= 0.0:
        return Inertial(mass=mass)
    x, y, z = whole.centre.tolist()
    tensor = whole.inertia * (mass / whole.volume)
    return Inertial(origin=Pose(xyz=(x, y, z)), mass=mass, inertia=inertia_of(tensor))


def _fit(collision: Collision, data: MeshData, kind: str) -> tuple[Collision, MeshData]:
    body = fit_collision(make_triangles(data)[0], kind).body
    if not isinstance(body, Fit):
        made = MeshData(vertices=body.vertices, corners=body.corners, name=data.name)
        name = collision.geometry.filename if isinstance(collision.geometry, Mesh) else ""
        return replace(collision, geometry=Mesh(filename=f"{name}_hull")), made
    frame = matrix_from_pose(collision.origin) @ body.frame
    return (
        replace(collision, geometry=body.geometry, origin=short_pose(frame)),
        make_primitive(body.geometry),
    )


def _find_box(data: MeshData) -> tuple[Box, Vector3] | None:
    """Returns the box along the axes that a mesh is, and its middle; None for other meshes."""
    if data.face_count not in (6, 12) or not len(data.vertices):
        return None
    points = data.vertices[data.corners].astype(np.float64)
    low, high = points.min(axis=0), points.max(axis=0)
    sides = high - low
    if not (sides > _NEAR).all():
        return None
    share = (points - low) / sides
    if np.abs(share - np.round(share)).max() > _NEAR:
        return None
    volume = mesh_mass(make_triangles(data)[0])
    if volume is None or abs(volume.volume / np.prod(sides) - 1.0) > 1e-4:
        return None
    x, y, z = (shorten(float(side)) for side in sides)
    a, b, c = (shorten(float(part)) for part in 0.5 * (low + high))
    return Box(size=(x, y, z)), (a, b, c)
