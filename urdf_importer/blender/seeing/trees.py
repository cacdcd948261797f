# SPDX-License-Identifier: GPL-3.0-or-later
"""The surfaces of a scene as rays hit them: all that is rendered, in its evaluated shape.

A tree of triangles is built once for each shape and cast in the shape's own frame. All that rests
is one tree together; so is everything for very many rays.
"""

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import repeat
from typing import Any

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from ...geometry.transforms import Matrix, Vector
from ...progress import Progress
from ..extract.shapes import SHOWN_TYPES
from ..memory import recall
from ..standing import properties

_MANY_RAYS, _MANY_SHAPES = 60_000, 100
"""From so many on one tree of all is faster than a tree for each shape."""
_FEW, _MANY = 12, 64
"""Up to so many triangles, with so many rays for each, a tree is slower than one triangle after
another."""
_STEP = 4096
"""Rays."""
_BESIDE = 128
"""Rays beside each other that pass a sphere together, or do not."""
_WIDER = 1e-6
"""Radians that cones are wider than their rays."""
_EDGE = 1e-9
"""Parts of a triangle beyond its edges that belong to it, so that no ray passes between two."""
_MOST_KEPT = 4096
_Numbers = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """Triangles (m, 3) of points (n, 3), in metres of the world. `links`: per triangle the id of
    its link, where the shape is made of several."""

    points: Matrix
    triangles: _Numbers
    links: _Numbers | None = None

    @cached_property
    def tree(self) -> Any:
        return BVHTree.FromPolygons(
            self.points.tolist(), self.triangles.tolist(), all_triangles=True
        )

    @cached_property
    def normals(self) -> Matrix:
        """Unit normals (m, 3) of the triangles; 0 for one without an area."""
        a, b, c = (self.points[self.triangles[:, corner]] for corner in range(3))
        across = np.cross(b - a, c - a)
        lengths = np.linalg.norm(across, axis=1, keepdims=True)
        return across / np.where(lengths > 0.0, lengths, 1.0)

    @cached_property
    def sphere(self) -> tuple[Vector, float]:
        """A centre and a radius about all points."""
        center = (self.points.min(axis=0) + self.points.max(axis=0)) / 2.0
        return center, float(np.linalg.norm(self.points - center, axis=1).max())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Obstacle:
    """A shape at a rigid frame (4, 4) of the world; `link` is its link's id, 0 for others. `key`
    distinguishes shapes; `moves` are shapes that may be elsewhere in the next frame."""

    shape: Shape
    frame: Matrix
    link: int = 0
    key: Any = field(default=None)
    moves: bool = False


def collect_obstacles(
    own: Mapping[Any, int],
    skipped: frozenset[Any] = frozenset(),
    shapes: dict[Any, Any] | None = None,
) -> list[Obstacle]:
    """Returns all surfaces that a render of the scene would show, but collision shapes. `own` are
    the empties of robots' links with their ids; `skipped` objects are left out. Shapes are kept
    until the scene changes, and all that rests is one; or they are put into `shapes`, each by
    itself."""
    graph = bpy.context.evaluated_depsgraph_get()
    kept = recall(bpy.context.scene, "surfaces", _begin, shaped=True) if shapes is None else shapes
    if len(kept) > _MOST_KEPT:
        kept.clear()
    obstacles = []
    for item, shown, world in _list_shown(bpy.context.view_layer, graph):
        if item in skipped or item.get(properties.PART) == properties.COLLISIONS:
            continue
        frame, stretch = _split(np.array(world))
        found = _shape_of(shown, stretch, kept)
        if found is not None and np.isfinite(frame).all():
            key, shape = found
            link = _link_of(item, own)
            moves = link > 0 or _may_move(item)
            obstacles.append(Obstacle(shape=shape, frame=frame, link=link, key=key, moves=moves))
    return _join_still(obstacles, kept) if shapes is None else obstacles


def _begin(_: Any) -> dict[Any, Any]:
    return {}


def _list_shown(layer: Any, graph: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yields objects with surfaces that are rendered, evaluated, with their places; for instances
    the object that makes them."""
    rendered = _rendered_objects(layer.layer_collection)
    makes_instances = False
    for item in layer.objects:
        if item.hide_render or item not in rendered:
            continue
        makes_instances |= item.is_instancer or any(m.type == "NODES" for m in item.modifiers)
        if item.type in SHOWN_TYPES and not (item.is_instancer and item.type == "MESH"):
            shown = item.evaluated_get(graph)
            yield item, shown, shown.matrix_world
    for each in graph.object_instances if makes_instances else ():
        maker = each.parent.original if each.is_instance else None
        if maker is None or maker not in rendered or maker.hide_render:
            continue
        if each.object.type in SHOWN_TYPES:
            yield maker, each.object, each.matrix_world


def _rendered_objects(layer: Any) -> set[Any]:
    found: set[Any] = set()
    waiting = [layer]
    while waiting:
        each = waiting.pop()
        if not each.exclude and not each.collection.hide_render:
            found.update(each.collection.objects)
            waiting += each.children
    return found


def _link_of(item: Any, own: Mapping[Any, int]) -> int:
    while item is not None:
        if item in own:
            return own[item]
        item = item.parent
    return 0


def _may_move(item: Any) -> bool:
    while item is not None:
        if item.animation_data is not None or item.constraints or item.parent_type != "OBJECT":
            return True
        item = item.parent
    return False


def _split(world: Matrix) -> tuple[Matrix, Matrix]:
    """Returns the rigid part (4, 4) of a place, and the stretch (3, 3) before it."""
    left, _, right = np.linalg.svd(world[:3, :3])
    frame = world.copy()
    frame[:3, :3] = left @ right
    if np.linalg.det(frame[:3, :3]) < 0.0:
        frame[:3, :3] *= -1.0
    return frame, _snap(frame[:3, :3].T @ world[:3, :3])


def _snap(stretch: Matrix) -> Matrix:
    """Rounds to six digits of the largest entry: frames have single precision, so without this a
    shape that is kept would depend on the pose in which it was first seen."""
    most = max(float(np.abs(stretch).max()), 1e-30)
    unit = 2.0 ** np.round(np.log2(most)) if np.isfinite(most) else 1.0
    snapped: Matrix = (stretch / unit).round(6) * unit + 0.0
    return snapped


def _shape_of(shown: Any, stretch: Matrix, kept: dict[Any, Any]) -> tuple[Any, Shape] | None:
    """Returns the key and the shape of an evaluated object; None where it has no faces. A mesh that
    nothing changes is known by itself, others by their points."""
    item, is_plain = shown.original, False
    if item.type == "MESH" and item.mode != "EDIT":
        is_plain = not item.modifiers and item.data.shape_keys is None
    key: Any = (item.data.session_uid if is_plain else None, stretch.tobytes())
    if is_plain and key in kept:
        return key, kept[key]
    mesh = shown.to_mesh()
    if mesh is None:
        return None
    try:
        points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", points)
        if not is_plain:
            key = (blake2b(points.tobytes(), digest_size=16).digest(), len(mesh.polygons), key[1])
        if key not in kept:
            mesh.calc_loop_triangles()
            corners = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
            mesh.loop_triangles.foreach_get("vertices", corners)
            placed = points.reshape(-1, 3).astype(np.float64) @ stretch.T
            if not len(corners) or not np.isfinite(placed).all():
                return None
            kept[key] = Shape(points=placed, triangles=corners.reshape(-1, 3))
    finally:
        shown.to_mesh_clear()
    return key, kept[key]


def _join_still(obstacles: list[Obstacle], kept: dict[Any, Any]) -> list[Obstacle]:
    still = [each for each in obstacles if not each.moves]
    if len(still) < 2:
        return obstacles
    key = tuple((each.key, each.frame.tobytes()) for each in still)
    if kept.get("still", (None,))[0] != key:
        kept["still"] = (key, _join(still))
    return [
        *(each for each in obstacles if each.moves),
        Obstacle(shape=kept["still"][1], frame=np.eye(4)),
    ]


def _join(obstacles: Sequence[Obstacle]) -> Shape:
    """Returns the shapes as one, in the world."""
    points, triangles, links, count = [], [], [], 0
    for each in obstacles:
        shape = each.shape
        points.append(shape.points @ each.frame[:3, :3].T + each.frame[:3, 3])
        triangles.append(shape.triangles + count)
        own = np.full(len(shape.triangles), each.link, np.int32)
        links.append(own if shape.links is None else shape.links)
        count += len(shape.points)
    return Shape(
        points=np.concatenate(points),
        triangles=np.concatenate(triangles),
        links=np.concatenate(links),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Rays:
    """Rays from one origin (3,) in unit directions (n, 3), between distances `near` and `far`
    (n,), all in the world."""

    origin: Vector
    directions: Matrix
    near: Vector
    far: Vector

    def part(self, which: slice) -> "Rays":
        """Returns some of the rays."""
        return Rays(
            origin=self.origin,
            directions=self.directions[which],
            near=self.near[which],
            far=self.far[which],
        )

    @cached_property
    def cones(self) -> tuple[Matrix, Vector]:
        """The axes (m, 3) of cones about _BESIDE rays each, and the angles (m,) to their sides."""
        firsts = np.arange(0, len(self.directions), _BESIDE)
        axes = np.add.reduceat(self.directions, firsts)
        lengths = np.linalg.norm(axes, axis=1, keepdims=True)
        axes /= np.where(lengths > 0.0, lengths, 1.0)
        along = np.einsum(
            "ij,ij->i", self.directions, axes.repeat(_BESIDE, axis=0)[: len(self.far)]
        )
        return axes, np.arccos(np.clip(np.minimum.reduceat(along, firsts), -1.0, 1.0)) + _WIDER

    def near_sphere(self, center: Vector, radius: float) -> NDArray[np.intp]:
        """Returns the places of all rays that may pass a sphere, whose centre is seen from the
        origin, and of some others."""
        distance = float(np.linalg.norm(center))
        if distance <= radius:
            return np.arange(len(self.far))
        axes, angles = self.cones
        away = np.arccos(np.clip(axes @ (center / distance), -1.0, 1.0))
        passed = away <= angles + math.asin(radius / distance)
        return np.flatnonzero(passed.repeat(_BESIDE)[: len(self.far)])


@dataclass(slots=True, kw_only=True, eq=False)
class Hits:
    """The first hits of rays: `far` (n,) from the origin, inf where nothing is; `links` (n,) ids;
    `normals` (n, 3) in the world and towards the origin; `alone`: link -> the rays (n,) that would
    hit it if nothing else were there. The last two are kept where they are given."""

    far: Vector
    links: _Numbers
    normals: NDArray[np.float32] | None = None
    alone: dict[int, NDArray[np.bool_]] | None = None


def start_hits(count: int) -> Hits:
    """Returns rays that have hit nothing yet."""
    return Hits(far=np.full(count, np.inf), links=np.zeros(count, dtype=np.int32))


def cast(obstacles: Sequence[Obstacle], rays: Rays, hits: Hits | None = None) -> Hits:
    """Casts rays at all obstacles; returns `hits`, where these are not given new ones."""
    count = len(rays.directions)
    hits = start_hits(count) if hits is None else hits
    if count > _MANY_RAYS and len(obstacles) > _MANY_SHAPES and hits.alone is None:
        obstacles = [Obstacle(shape=_join(obstacles), frame=np.eye(4))]
    for obstacle in obstacles:
        _cast_at(obstacle, rays, hits)
    return hits


def cast_steps(obstacles: Sequence[Obstacle], rays: Rays) -> Generator[Progress, None, Hits]:
    """Runs cast in steps of few milliseconds."""
    count = len(rays.directions)
    hits = start_hits(count)
    for first in range(0, count, _STEP):
        part = slice(first, first + _STEP)
        some, found = rays.part(part), Hits(far=hits.far[part], links=hits.links[part])
        for obstacle in obstacles:
            _cast_at(obstacle, some, found)
            yield Progress(share=first / count, text="rays")
    return hits


def _cast_at(obstacle: Obstacle, rays: Rays, hits: Hits) -> None:
    places, far, faces = _cast_one(obstacle, rays, None if hits.alone is not None else hits.far)
    if hits.alone is not None and obstacle.link:
        mask = hits.alone.setdefault(obstacle.link, np.zeros(len(hits.far), bool))
        mask[places] = True
    nearer = far < hits.far[places]
    places, faces = places[nearer], faces[nearer]
    hits.far[places] = far[nearer]
    several = obstacle.shape.links
    hits.links[places] = obstacle.link if several is None else several[faces]
    if hits.normals is not None and len(places):
        hits.normals[places] = _turn_normals(obstacle, rays.origin)[faces]


def turn(vectors: NDArray[Any], frame: NDArray[Any]) -> Matrix:
    """Returns vectors (n, 3), turned by the rotation of a frame. Products of matrices would be left
    to a library with threads, which wait for each other for longer than this takes."""
    turned: Matrix = np.einsum("ij,kj->ik", vectors, frame[:3, :3])
    return turned


def _along(vectors: Matrix, way: Vector) -> Vector:
    products: Vector = np.einsum("ij,j->i", vectors, way)
    return products


def _turn_normals(obstacle: Obstacle, origin: Vector) -> NDArray[np.float32]:
    """Returns the normals (m, 3) of triangles in the world, on the side of an origin (3,)."""
    shape = obstacle.shape
    inside = (origin - obstacle.frame[:3, 3]) @ obstacle.frame[:3, :3]
    ways = inside - shape.points[shape.triangles[:, 0]]
    behind = np.einsum("ij,ij->i", shape.normals, ways) < 0.0
    turned = turn(shape.normals, obstacle.frame)
    turned[behind] *= -1.0
    return turned.astype(np.float32)


def _cast_one(
    obstacle: Obstacle, rays: Rays, taken: Vector | None
) -> tuple[NDArray[np.intp], Vector, NDArray[np.intp]]:
    """Casts the rays that pass the sphere about an obstacle, up to what they hit at `taken` (n,).
    Returns the places of the hits, their distances and the triangles."""
    center, radius = obstacle.shape.sphere
    rotation = obstacle.frame[:3, :3]
    away = rotation @ center + obstacle.frame[:3, 3] - rays.origin
    places = rays.near_sphere(away, radius)
    directions = rays.directions[places]
    along, outside = _along(directions, away), away @ away - radius**2 * 1.0001 - 1e-9
    least = np.sqrt(outside) if outside > 0.0 else -np.inf
    reach = rays.far[places] if taken is None else np.minimum(rays.far[places], taken[places])
    passed = (along >= least) & (along + radius >= rays.near[places]) & (along - radius <= reach)
    places, directions, reach = places[passed], directions[passed], reach[passed]
    origin = (rays.origin - obstacle.frame[:3, 3]) @ rotation
    ways, near = turn(directions, rotation.T), rays.near[places]
    triangles = len(obstacle.shape.triangles)
    if triangles <= _FEW and len(places) > _MANY * triangles:
        far, faces = _cross(obstacle.shape, origin, ways, near)
    else:
        far, faces = _cast_tree(obstacle.shape.tree, origin, ways, near)
    hit = far <= reach
    return places[hit], far[hit], faces[hit]


def _cast_tree(
    tree: Any, origin: Vector, ways: Matrix, near: Vector
) -> tuple[Vector, NDArray[np.intp]]:
    """Casts rays at a tree: their distances, NaN where nothing is, and the triangles."""
    start, cast_ray = tuple(origin.tolist()), tree.ray_cast
    found = [hit[2:] for hit in map(cast_ray, repeat(start), ways.tolist())]
    values = np.array(found, dtype=float).reshape(-1, 2)
    far, faces = values[:, 1], values[:, 0]
    # The first hit may be too near to be seen: those rays begin again there.
    for place in np.flatnonzero(far < near).tolist():
        first, way = float(near[place]), ways[place]
        again = cast_ray((origin + way * first).tolist(), way.tolist())
        values[place] = np.array(again[2:], dtype=float)
        far[place] += first
    return far, np.nan_to_num(faces).astype(np.intp)


def _cross(
    shape: Shape, origin: Vector, ways: Matrix, near: Vector
) -> tuple[Vector, NDArray[np.intp]]:
    """Does the work of _cast_tree for many rays at few triangles, one triangle after another
    (Moeller and Trumbore 1997)."""
    far, faces = np.full(len(ways), np.nan), np.zeros(len(ways), dtype=np.intp)
    a, b, c = (shape.points[shape.triangles[:, corner]] for corner in range(3))
    one, two, start = b - a, c - a, origin - a
    # Products of a ray's direction with vectors that all rays share.
    flat, first, second = np.cross(one, two), np.cross(start, two), np.cross(one, start)
    heights = -np.einsum("ij,ij->i", start, flat)
    for number, height in enumerate(heights.tolist()):
        with np.errstate(divide="ignore", invalid="ignore"):
            share = 1.0 / _along(ways, flat[number])
            u, v = (_along(ways, each[number]) * share for each in (first, second))
            t = height * share
            hit = (u >= -_EDGE) & (v >= -_EDGE) & (u + v <= 1.0 + _EDGE) & (t >= near)
            hit &= ~(t >= far)
        far[hit], faces[hit] = t[hit], number
    return far, faces
