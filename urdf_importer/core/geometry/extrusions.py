# SPDX-License-Identifier: GPL-3.0-or-later
"""Outlines with holes, drawn up along z: to triangles.

Outlines may run either way round. One within another is a hole, one within a hole is full again.
Faces are cut by ears (Meisters 1975), after each hole is joined to its outline by a bridge.
"""

import itertools

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError
from ..model import Extrusion

MOST_POINTS = 4000
"""Of all outlines together: the time goes with the square of it."""

Points = NDArray[np.float64]
Corners = NDArray[np.int32]


def extrude(geometry: Extrusion) -> tuple[Points, Corners]:
    """Returns vertices (V, 3) in metres, z from 0 to the height, and triangles (T, 3) that run
    counter-clockwise seen from outside. Raises MeshError `invalid-size` where nothing is
    enclosed."""
    outlines = [_clean(np.array(each.points).reshape(-1, 2)) for each in geometry.outlines]
    rings = [each for each in outlines if len(each) > 2 and abs(_area(each)) > 0.0]
    height = geometry.height
    if not rings or not 0.0 < height <= 1e9:
        raise MeshError("a polyline that encloses nothing has no volume", code="invalid-size")
    count = sum(map(len, rings))
    if count > MOST_POINTS:
        message = f"polylines of {count} points exceed the {MOST_POINTS} that are drawn"
        raise MeshError(message, code="invalid-size")
    depths = [_find_depth(rings, index) for index in range(len(rings))]
    # Full ones run counter-clockwise, holes clockwise: the walls then face outwards.
    rings = [
        ring if (_area(ring) > 0.0) == (depth % 2 == 0) else ring[::-1]
        for ring, depth in zip(rings, depths, strict=True)
    ]
    flat = np.vstack(rings)
    starts = np.cumsum([0, *map(len, rings)]).tolist()
    places = [list(range(a, b)) for a, b in itertools.pairwise(starts)]
    cover = [
        triangle
        for index, depth in enumerate(depths)
        if depth % 2 == 0
        for triangle in _cover(flat, places, depths, index)
    ]
    top = np.array(cover, dtype=np.int32).reshape(-1, 3) + count
    bottom = (top - count)[:, ::-1]
    vertices = np.vstack([np.c_[flat, np.zeros(count)], np.c_[flat, np.full(count, height)]])
    walls = [_wall(np.array(ring, dtype=np.int32), count) for ring in places]
    return vertices, np.vstack([bottom, top, *walls]).astype(np.int32)


def _clean(points: Points) -> Points:
    """Drops points that repeat the one before, and the last where it closes the ring."""
    if not len(points):
        return points
    is_new: NDArray[np.bool_] = (points != np.roll(points, 1, axis=0)).any(axis=1)
    return points[is_new]


def _area(ring: Points) -> float:
    """Twice the area, positive where it runs counter-clockwise."""
    ahead = np.roll(ring, -1, axis=0)
    return float(ring[:, 0] @ ahead[:, 1] - ring[:, 1] @ ahead[:, 0])


def _find_depth(rings: list[Points], index: int) -> int:
    others = (ring for other, ring in enumerate(rings) if other != index)
    return sum(_holds(ring, rings[index][0]) for ring in others)


def _holds(ring: Points, point: Points) -> bool:
    """Whether a point lies within, by the crossings of a ray along x."""
    a, b = ring, np.roll(ring, -1, axis=0)
    spans = (a[:, 1] > point[1]) != (b[:, 1] > point[1])
    a, b = a[spans], b[spans]
    along = a[:, 0] + (point[1] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return int((along > point[0]).sum()) % 2 == 1


def _wall(ring: Corners, count: int) -> Corners:
    ahead = np.roll(ring, -1)
    return np.vstack([
        np.c_[ring, ahead, ahead + count],
        np.c_[ring, ahead + count, ring + count],
    ])  # fmt: skip


def _cover(
    flat: Points, places: list[list[int]], depths: list[int], index: int
) -> list[tuple[int, int, int]]:
    """The triangles of a full outline, without its holes."""
    ring = places[index]
    holes = [
        places[other]
        for other, depth in enumerate(depths)
        if depth == depths[index] + 1 and _holds(flat[ring], flat[places[other][0]])
    ]
    holes.sort(key=lambda hole: -float(flat[hole, 0].max()))
    for number, hole in enumerate(holes):
        ring = _join(flat, ring, hole, holes[number + 1 :])
    return cut_ears(flat, ring)


def _join(flat: Points, ring: list[int], hole: list[int], rest: list[list[int]]) -> list[int]:
    """Puts a hole into an outline, by a bridge to the nearest point that nothing hides."""
    start = int(np.argmax(flat[hole, 0]))
    hole = hole[start:] + hole[:start]
    origin = flat[hole[0]]
    away = flat[ring] - origin
    edges = [_edges(flat, each) for each in (ring, hole, *rest)]
    a, b = (np.vstack(part) for part in zip(*edges, strict=True))
    order = np.argsort(np.einsum("ij,ij->i", away, away))
    best = next((at for at in order if not _is_hidden(origin, flat[ring[at]], a, b)), order[0])
    at = int(best)
    return [*ring[: at + 1], *hole, hole[0], *ring[at:]]


def _edges(flat: Points, ring: list[int]) -> tuple[Points, Points]:
    return flat[ring], np.roll(flat[ring], -1, axis=0)


def _is_hidden(one: Points, other: Points, a: Points, b: Points) -> bool:
    """Whether edges a (N, 2) to b (N, 2) cross the line between two points, touching not
    counted."""
    sides = _turn(one, other, a) * _turn(one, other, b)
    ends = _turn(a, b, one) * _turn(a, b, other)
    return bool(((sides < 0.0) & (ends < 0.0)).any())


def _turn(a: Points, b: Points, c: Points) -> Points:
    """Twice the area of a triangle, positive where a, b, c run counter-clockwise."""
    result: Points = (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1])
    return result - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])


def cut_ears(flat: Points, ring: list[int]) -> list[tuple[int, int, int]]:
    """Returns the triangles of a polygon whose corners `ring` are places in `flat` (N, 2), and run
    counter-clockwise."""
    ring, found, at = list(ring), [], 0
    while len(ring) > 3:
        at = _find_ear(flat, ring, at)
        count = len(ring)
        found.append((ring[at - 1], ring[at], ring[(at + 1) % count]))
        del ring[at]
        at %= len(ring)
    return [*found, (ring[0], ring[1], ring[2])]


def _find_ear(flat: Points, ring: list[int], start: int) -> int:
    """Returns a corner that can be cut off; the first where none can, of lines that cross."""
    points = flat[ring]
    ahead = np.roll(points, -1, axis=0)
    turns = _turn(np.roll(points, 1, axis=0), points, ahead)
    count = len(ring)
    for step in range(count):
        at = (start + step) % count
        if turns[at] > 0.0 and _is_free(points, at):
            return at
    flat_ones = np.flatnonzero(turns == 0.0)
    return int(flat_ones[0]) if len(flat_ones) else start


def _is_free(points: Points, at: int) -> bool:
    """Whether no other point lies in the triangle at a corner; its own ones may repeat."""
    a, b, c = points[at - 1], points[at], points[(at + 1) % len(points)]
    inside = (_turn(a, b, points) >= 0.0) & (_turn(b, c, points) >= 0.0)
    inside &= _turn(c, a, points) >= 0.0
    for own in (a, b, c):
        inside &= (points != own).any(axis=1)
    return not bool(inside.any())
