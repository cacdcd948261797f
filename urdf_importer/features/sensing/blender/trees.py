# SPDX-License-Identifier: GPL-3.0-or-later
"""The surfaces of a scene as rays hit them: all that is rendered, in its evaluated shape. A tree of
triangles is built once for each shape; all that rests is one tree together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from ....core.blender.memory import recall
from ....core.blender.standing import properties
from ....core.blender.standing.links import SHOWN_TYPES
from ....core.geometry.transforms import Matrix, Vector, nearest_turn

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
    """A shape at a rigid frame (4, 4) of the world; `link` is its link's id, 0 without a link.
    `key` distinguishes shapes; `moves` are shapes that may be elsewhere in the next frame."""

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
    frame = world.copy()
    frame[:3, :3] = nearest_turn(world[:3, :3])
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
        kept["still"] = (key, join_shapes(still))
    return [
        *(each for each in obstacles if each.moves),
        Obstacle(shape=kept["still"][1], frame=np.eye(4)),
    ]


def join_shapes(obstacles: Sequence[Obstacle]) -> Shape:
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
