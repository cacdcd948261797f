# SPDX-License-Identifier: GPL-3.0-or-later
"""The mouse's view of robots: the foremost body under it.

Blender casts the ray. It makes a search tree of every mesh whose box the ray meets, which takes
long for large meshes of other people's scenes: so it is asked only where the ray meets the sphere
around a body of a robot, and only as far as that reaches.
"""

import math
from dataclasses import dataclass
from typing import Any

from bpy_extras import view3d_utils
from mathutils import Vector

from ...urdf_importer.core.blender.memory import forget, recall
from ...urdf_importer.core.blender.standing.armatures import objects_of
from ...urdf_importer.core.blender.standing.robot_table import list_robots

_MOST_LOOKED_THROUGH = 32
"""Objects that the view does not show, one behind the other."""
_SLACK = 1.05
"""For modifiers, which change bodies after they were measured."""
_SOLID = ("SOLID", "TEXTURED")

Sight = tuple[Any, Any]
"""A ray of the world: where it starts, and its unit direction, as vectors of mathutils."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedBody:
    """An object of a robot and the sphere around its mesh, in the object's own frame."""

    item: Any
    center: Any
    radius: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """`point` of the world where the ray `sight` meets an object of a robot."""

    item: Any
    point: Any
    sight: Sight


def bodies_in(scene: Any) -> tuple[BoundedBody, ...]:
    """Returns the bodies of all robots of a scene."""
    return recall(scene, "bodies", _read_bodies, shaped=True)


def _read_bodies(scene: Any) -> tuple[BoundedBody, ...]:
    items = [item for robot in list_robots(scene) for item in objects_of(robot)]
    return tuple(_measure(item) for item in items if item.type == "MESH")


def look_through(region: Any, view: Any, mouse: tuple[float, float]) -> Sight:
    """Returns the ray of a place in a 3D view's region, in pixels."""
    origin = view3d_utils.region_2d_to_origin_3d(region, view, mouse)
    return origin, view3d_utils.region_2d_to_vector_3d(region, view, mouse).normalized()


def find_hit(context: Any, mouse: tuple[float, float]) -> Hit | None:
    """Finds the body of a robot that the mouse is on, with nothing before it."""
    return cast_sight(context, look_through(context.region, context.region_data, mouse))


def cast_sight(context: Any, sight: Sight) -> Hit | None:
    """Finds the same as find_hit, for a ray of the world."""
    try:
        far = _find_reach(context, sight)
    except ReferenceError:
        forget()
        far = _find_reach(context, sight)
    return _cast(context, sight, far) if far > 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Eye:
    """The eye of a 3D view, read once for a redraw: the unit vectors `right`, `up` and `back`,
    against its line of sight, and its `place`, all in the world. `depth` (4,) is the row of
    the view's projection that says how far away places are, `reach` how many pixels a metre is at a
    depth of 1, `scale` the size of the interface."""

    right: Vector
    up: Vector
    back: Vector
    place: Vector
    is_perspective: bool
    depth: Vector
    reach: float
    scale: float

    def measure_pixel(self, place: Any) -> float:
        """Returns how long a pixel is at a place of the world; zero behind the eye."""
        depth = float(self.depth.dot(place.to_4d()))
        return depth / self.reach if depth > 0.0 and self.reach > 0.0 else 0.0

    def point_from(self, place: Any) -> Any:
        """Returns the unit vector to the eye from a place of the world."""
        return (self.place - place).normalized() if self.is_perspective else self.back


def read_eye(context: Any) -> Eye:
    """Reads the eye of the 3D view of a context."""
    region, view = context.region, context.region_data
    world_from_eye, projection = view.view_matrix.inverted_safe(), view.perspective_matrix
    right, up, back = (world_from_eye.col[axis].to_3d().normalized() for axis in range(3))
    aside = projection @ Vector((*right, 0.0))
    return Eye(
        right=right, up=up, back=back, place=world_from_eye.translation,
        is_perspective=view.is_perspective, depth=projection[3].copy(),
        reach=0.5 * math.hypot(region.width * aside[0], region.height * aside[1]),
        scale=context.preferences.system.ui_scale,
    )  # fmt: skip


def _measure(item: Any) -> BoundedBody:
    corners = [Vector(corner) for corner in item.bound_box]
    center = sum(corners, Vector()) / len(corners)
    radius = max((corner - center).length for corner in corners)
    return BoundedBody(item=item, center=center, radius=_SLACK * radius)


def _find_reach(context: Any, sight: Sight) -> float:
    """Returns how far along the ray bodies can be that the view shows; zero where there are none.
    Takes 2 microseconds for each body of the scene."""
    origin, direction = sight
    far = 0.0
    for body in bodies_in(context.scene):
        place = body.item.matrix_world
        offset = place @ body.center - origin
        along = offset.dot(direction)
        radius = body.radius * max(map(abs, place.to_scale()))
        if offset.length_squared - along * along > radius * radius or along + radius <= far:
            continue
        if body.item.visible_get(viewport=context.space_data):
            far = along + radius
    return far


def _cast(context: Any, sight: Sight, far: float) -> Hit | None:
    origin, direction = sight
    depsgraph = context.evaluated_depsgraph_get()
    bodies = bodies_in(context.scene)
    start = 0.0
    for _ in range(_MOST_LOOKED_THROUGH):
        met, point, _normal, _face, item, place = context.scene.ray_cast(
            depsgraph, origin + start * direction, direction, distance=far - start
        )
        if not met:
            return None
        item = item.original
        ours = any(body.item == item for body in bodies)
        hidden = not item.visible_get(viewport=context.space_data)
        if hidden or not (ours or item.display_type in _SOLID):
            start = (point - origin).dot(direction) + 1e-5 * max(1.0, far)
            continue
        # An instance of a robot has no joints of its own: the collection that it shows has them.
        if not ours or place != item.matrix_world:
            return None
        return Hit(item=item, point=point, sight=sight)
    return None
