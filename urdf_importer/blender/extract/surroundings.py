# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects, lights and camera of the scene that belong to no robot, in their present state."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...diagnostics import Diagnostics, WriteError, quote
from ...geometry.collision_bodies import fit_collision
from ...geometry.fitting import Fit
from ...geometry.mesh_data import MeshData
from ...geometry.primitives import make_box, make_primitive
from ...geometry.transforms import Matrix, invert, matrix_from_pose, quaternion_from_rotation
from ...geometry.triangles import make_triangles
from ...geometry.volumes import inertia_of, join_masses, mesh_mass
from ...images.colors import srgb_from_linear
from ...meshes import ShownShape
from ...model import IDENTITY, Box, Collision, Inertial, Link, Mesh, Pose, Vector3, Visual
from ...model.world import LightKind, Surroundings, Thing, WorldLight, WorldView
from ...names import Claims
from ..standing import properties
from .scene_source import shorten
from .shapes import SHOWN_TYPES, ShapeExtractor

_MOST_THINGS = 20_000
_NEAR = 1e-6
_NO_SIZE = 1e-9
_ANGLE = 0.785
"""Radians, of lights and cameras without an angle."""
_KINDS: dict[str, LightKind] = {"POINT": "point", "SUN": "sun", "SPOT": "spot", "AREA": "point"}
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
    """Objects that make one thing, with their places (4, 4) in the world; several where an empty
    holds them."""

    name: str
    frame: Matrix
    is_held: bool
    items: list[tuple[Any, Matrix]] = field(default_factory=list)


def extract_surroundings(
    objects: Collection[Any] | None, folder: Path, diagnostics: Diagnostics
) -> ShownSurroundings:
    """Extracts all around the robots of the current scene, or some objects of it. Images that are
    not in a file are written into `folder`, which has to be there as long as the result is used.
    Raises WriteError for more objects than a world can have."""
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
            holder = item.parent if key is None and _is_thing(item.parent) else None
            frame = np.array(holder.matrix_world) if holder is not None else matrix
            group = groups.setdefault(
                holder or key or item,
                _Group((holder or item).name, frame, is_held=holder is not None),
            )
            group.items.append((item, matrix))
    names = Claims()
    things = [maker.make(group, names) for group in groups.values()]
    return ShownSurroundings(
        world=Surroundings(
            things=tuple(each for each in things if each is not None),
            lights=_read_lights(lamps, diagnostics),
            view=_read_view(scene),
            background=_read_background(scene.world),
            gravity=_read_gravity(scene),
        ),
        shapes=tuple(maker.shapes),
        images=frozenset(maker.images),
        names=maker.names,
    )


def _list_items(objects: Collection[Any] | None) -> Iterator[tuple[Any, Matrix, object]]:
    """Lists the objects with faces and the lights that are rendered and hang on no robot, with
    their places (4, 4) and, for instances, a key of their own."""
    chosen = None if objects is None else set(objects)
    found: list[tuple[Any, Matrix, object]] = []
    for each in bpy.context.evaluated_depsgraph_get().object_instances:
        item = each.object.original
        source = each.parent.original if each.is_instance and each.parent else item
        if item.type not in SHOWN_TYPES and item.type != "LIGHT":
            continue
        if not each.show_self or not _is_rendered(item) or _is_of_robot(item):
            continue
        if chosen is not None and not {item, source, item.parent} & chosen:
            continue
        key = (source, item, *each.persistent_id) if each.is_instance else None
        found.append((item, np.array(each.matrix_world), key))
        if len(found) > _MOST_THINGS:
            raise WriteError(f"the scene has more than {_MOST_THINGS} objects for a world")
    yield from found


def _is_rendered(item: Any) -> bool:
    homes = item.users_collection
    is_mark = properties.WIDGET in item or properties.LIMITS_OF in item
    hidden = bool(homes) and all(each.hide_render for each in homes)
    return not (item.hide_render or hidden or is_mark)


def _is_of_robot(item: Any) -> bool:
    marks = (properties.ROBOT, properties.LINK)
    while item is not None:
        if any(mark in item for mark in marks):
            return True
        item = item.parent
    return False


def _is_thing(item: Any | None) -> bool:
    return item is not None and properties.THING in item


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
        place = _pose_of(group.frame)
        back = invert(matrix_from_pose(place))
        parts: list[_Part] = []
        for item, matrix in group.items:
            shown = self._extractor.extract_object(item, back @ matrix)
            if not group.is_held:
                shown = replace(shown, shape=replace(shown.shape, origin=IDENTITY))
            if shown.data is None or not len(shown.data.corners):
                _report_lost(item, "it has no faces", self._diagnostics)
                continue
            parts.append(self._collide(item, self._simplify(shown)))
        if not parts:
            return None
        body = group.items[0][0].rigid_body
        name = names.claim(group.name)
        self.names.setdefault(group.name, name)
        return Thing(
            link=Link(
                name=name,
                visuals=tuple(part[0] for part in parts),
                collisions=tuple(part[1] for part in parts),
                inertial=_weigh(shorten(body.mass), parts) if _is_active(body) else None,
            ),
            place=place,
            friction=None if body is None else shorten(body.friction),
        )

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
        shape = replace(visual, geometry=box, origin=_pose_of(frame, visual.origin))
        return ShownShape(shape=shape, data=make_box(box.size))

    def _collide(self, item: Any, shown: ShownShape) -> "_Part":
        visual, data = shown.shape, shown.data
        assert isinstance(visual, Visual) and data is not None
        if visual.material is not None:
            maps = () if visual.material.surface is None else visual.material.surface.maps.values()
            named = (visual.material.texture, *maps)
            self.images.update(name for name in named if name is not None)
        if data not in self._bare:
            plain = not data.materials and data.uvs is None
            self._bare[data] = (
                data if plain else replace(data, materials=(), slots=None, uvs=None, normals=None)
            )
        bare = self._bare[data]
        collision = Collision(geometry=visual.geometry, origin=visual.origin)
        kind = None if item.rigid_body is None else _FITS.get(item.rigid_body.collision_shape)
        if kind and isinstance(visual.geometry, Mesh):
            collision, bare = _fit(collision, bare, kind)
        self.shapes += [shown, ShownShape(shape=collision, data=bare)]
        return visual, collision, bare


_Part = tuple[Visual, Collision, MeshData]


def _weigh(mass: float, parts: Sequence[_Part]) -> Inertial:
    """Returns the mass of a moving object, spread evenly over its collision shapes."""
    found = [
        body.moved(matrix_from_pose(collision.origin))
        for _, collision, data in parts
        if (body := mesh_mass(make_triangles(data)[0])) is not None
    ]
    whole = join_masses(found)
    if whole is None or whole.volume <= 0.0:
        return Inertial(mass=mass)
    x, y, z = whole.centre.tolist()
    tensor = whole.inertia * (mass / whole.volume)
    return Inertial(origin=Pose(xyz=(x, y, z)), mass=mass, inertia=inertia_of(tensor))


def _is_active(body: Any | None) -> bool:
    return body is not None and body.type == "ACTIVE" and not body.kinematic


def _fit(collision: Collision, data: MeshData, kind: str) -> tuple[Collision, MeshData]:
    body = fit_collision(make_triangles(data)[0], kind).body
    if not isinstance(body, Fit):
        made = MeshData(vertices=body.vertices, corners=body.corners, name=data.name)
        name = collision.geometry.filename if isinstance(collision.geometry, Mesh) else ""
        return replace(collision, geometry=Mesh(filename=f"{name}_hull")), made
    frame = matrix_from_pose(collision.origin) @ body.frame
    return (
        replace(collision, geometry=body.geometry, origin=_pose_of(frame)),
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


def _pose_of(matrix: Matrix, like: Pose = IDENTITY) -> Pose:
    """Returns the pose of a frame, without its scale and with short numbers."""
    u, _, v = np.linalg.svd(matrix[:3, :3])
    rotation = u @ v
    if np.linalg.det(rotation) < 0.0:
        rotation = -rotation
    x, y, z = (shorten(float(part)) for part in matrix[:3, 3])
    if np.abs(rotation - np.eye(3)).max() < 1e-7:
        return Pose(xyz=(x, y, z))
    return Pose(xyz=(x, y, z), quat_xyzw=quaternion_from_rotation(rotation))


def _read_lights(
    lamps: Sequence[tuple[Any, Matrix]], diagnostics: Diagnostics
) -> tuple[WorldLight, ...]:
    strongest: dict[bool, float] = {}
    for item, _ in lamps:
        is_sun = item.data.type == "SUN"
        strongest[is_sun] = max(strongest.get(is_sun, 0.0), float(item.data.energy))
    names, found = Claims(), []
    for item, matrix in lamps:
        lamp = item.data
        if lamp.type == "AREA":
            diagnostics.warning(
                "world-area-light",
                f"light {quote(item.name)} is an area; it becomes a point",
                subject=item.name,
            )
        most = strongest[lamp.type == "SUN"]
        found.append(
            WorldLight(
                name=names.claim(item.name),
                kind=_KINDS[lamp.type],
                place=_pose_of(matrix),
                color=_read_color(lamp.color),
                strength=shorten(lamp.energy / most) if most > 0.0 else 0.0,
                angle=shorten(lamp.spot_size) if lamp.type == "SPOT" else _ANGLE,
                shadows=bool(lamp.use_shadow),
            )
        )
    return tuple(found)


def _read_view(scene: Any) -> WorldView | None:
    camera = scene.camera
    if camera is None or camera.type != "CAMERA":
        return None
    matrix = np.array(camera.matrix_world)
    if not np.isfinite(matrix).all():
        return None
    angle = _ANGLE
    if camera.data.type != "ORTHO":
        corner = camera.data.view_frame(scene=scene)[0]
        angle = float(2.0 * np.arctan2(abs(corner.y), abs(corner.z)))
    render = scene.render
    width = render.resolution_x * render.pixel_aspect_x
    aspect = width / (render.resolution_y * render.pixel_aspect_y)
    return WorldView(name=camera.name, place=_pose_of(matrix), angle=angle, aspect=aspect)


def _read_background(world: Any | None) -> Vector3 | None:
    if world is None:
        return None
    nodes = world.node_tree.nodes if world.node_tree is not None else ()
    shader = next((node for node in nodes if node.type == "BACKGROUND"), None)
    if shader is None or (bpy.app.version < (5, 0) and not world.use_nodes):
        return _read_color(world.color)
    strength = shader.inputs["Strength"].default_value
    return _read_color([strength * part for part in shader.inputs["Color"].default_value[:3]])


def _read_gravity(scene: Any) -> Vector3:
    if not scene.use_gravity:
        return (0.0, 0.0, 0.0)
    x, y, z = (shorten(part) for part in scene.gravity)
    return (x, y, z)


def _read_color(linear: Sequence[float]) -> Vector3:
    red, green, blue = (
        round(min(max(srgb_from_linear(float(part)), 0.0), 1.0), 6) for part in linear
    )
    return (red, green, blue)
