# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as a few convex parts, by cuts along planes.

The mesh is cut where the hulls of both sides have the least volume, always in the part where that
saves most; where no cut saves much, two are looked at together. Then parts whose common hull is
hardly larger are joined again. Each part is the hull of the surface in its cells, so the parts
cover the surface of any mesh: open, torn or crossing itself. Points of a grid inside are in the
hulls too, else cuts would make a solid body hollow. The cuts are sought on a coarse copy of large
meshes, and made on the mesh itself.
"""

import time
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..diagnostics import MeshError
from .clipping import Soup, Supports, clip, cut_inside, find_supports, measure_cuts
from .fitting import fit_oriented_box
from .hulls import Points, convex_hull, find_reach, mesh_of_hull
from .inside import find_inside
from .mesh_data import MeshData
from .primitives import make_primitive
from .simplify import simplify
from .triangles import Triangles
from .volumes import mesh_mass

CONVEX = 0.98
"""A closed mesh that fills so much of its hull is convex."""

MOST_CUT = 1_000_000
"""Triangles of a mesh that is cut; the hull of a larger one is its only part."""

_COARSE = 3_000
_SAMPLE = 20_000
_CHUNK = 200_000
_EVEN = np.arange(1, 8) / 8.0
_FLAT_PLACES = 4
_FLAT_FACE = 0.9995
_BALANCE = 0.05
_CLEAR_GAIN = 0.05
_LEAST_GAIN = 0.01
_MOST_LOSS = 0.03


class _Cell:
    """A part of space between cuts: `planes` are normals and offsets, with the cell below each.

    supports  of the surface in it
    volume    of the hull of that
    cuts      planes that may halve it, the best one of each axis: how large the hulls of both
              sides are, axis, offset
    """

    def __init__(
        self, soup: Soup, inner: Points, step: float, planes: tuple[tuple[Points, float], ...] = ()
    ) -> None:
        self.soup = soup
        self.inner = inner
        self.step = step
        self.planes = planes
        self.supports = find_supports(np.concatenate([soup.reshape(-1, 3), inner]))
        self.volume = float(self.supports.volumes())

    @cached_property
    def cuts(self) -> list[tuple[float, Points, float]]:
        found = []
        for axis in _find_axes(self.soup):
            offsets = _find_offsets(self.soup, axis)
            if len(offsets):
                below, above = measure_cuts(self.soup, self.inner, self.step, axis, offsets)
                index = int((below + above + _BALANCE * np.maximum(below, above)).argmin())
                total = float(below[index] + above[index])
                found.append((total, axis, float(offsets[index])))
        return sorted(found, key=lambda cut: cut[0])

    @property
    def least(self) -> float:
        """The volume of both sides of the best cut."""
        return min(self.volume, self.cuts[0][0] if self.cuts else np.inf)

    @cached_property
    def halving(self) -> "tuple[float, tuple[_Cell, _Cell]] | None":
        """How much volume the best cut saves, and the halves. Where no cut saves much by itself,
        the best one with another cut of each half: half a ring has the hull of half a disc."""
        if not self.cuts:
            return None
        total, axis, offset = self.cuts[0]
        if total < (1.0 - _CLEAR_GAIN) * self.volume:
            halves = self._cut(axis, offset)
            return None if halves is None else (self.volume - total, halves)
        found = []
        for _, axis, offset in self.cuts:
            halves = self._cut(axis, offset)
            if halves is not None:
                found.append((self.volume - halves[0].least - halves[1].least, halves))
        return max(found, key=lambda each: each[0], default=None)

    def _cut(self, axis: Points, offset: float) -> "tuple[_Cell, _Cell] | None":
        below, above = clip(self.soup, axis, offset), clip(self.soup, -axis, -offset)
        if not len(below) or not len(above):
            return None
        face = cut_inside(self.inner, self.step, axis, offset)
        is_below = self.inner @ axis <= offset
        lower = np.concatenate([self.inner[is_below], face])
        upper = np.concatenate([self.inner[~is_below], face])
        return (
            _Cell(below, lower, self.step, (*self.planes, (axis, offset))),
            _Cell(above, upper, self.step, (*self.planes, (-axis, -offset))),
        )


def decompose(
    vertices: ArrayLike,
    faces: ArrayLike,
    *,
    most_parts: int = 16,
    most_triangles: int = 256,
    seconds: float = 60.0,
) -> tuple[MeshData, ...]:
    """Returns convex meshes, at most `most_parts` of at most `most_triangles` each, that cover all
    of the triangles `faces` (T, 3) between `vertices` (V, 3), in metres: (V, 3) float32 in the same
    frame, closed, each a hair larger than the surface in it. A part without volume becomes a thin
    box. No triangles make no parts.

    After `seconds` no more cuts are sought. Raises MeshError `bad-numbers` for vertices that are
    not finite.
    """
    points = np.asarray(vertices, dtype=np.float32).reshape(-1, 3)
    triangles = Triangles(points, np.asarray(faces, dtype=np.int32).reshape(-1))
    if not triangles.count:
        return ()
    if not np.isfinite(points).all():
        raise MeshError("the mesh has vertices that are not finite", code="unreadable-mesh")
    groups = _plan(triangles, most_parts, time.monotonic() + seconds)
    found = (_wrap(triangles, cells, most_triangles) for cells in groups)
    return tuple(part for part in found if part is not None)


def _plan(triangles: Triangles, most_parts: int, end: float) -> list[list[_Cell]]:
    """The cells of each part."""
    is_huge = triangles.count > MOST_CUT
    coarse = None if is_huge else simplify(triangles, _COARSE)
    if coarse is None:
        coarse = triangles.keep(np.arange(triangles.count) < _COARSE)
        most_parts = 1
    soup = coarse.vertices[coarse.faces].astype(np.float64)
    cells = [_Cell(soup, *find_inside(soup))]
    if most_parts == 1 or _is_convex(coarse):
        return [cells]
    while len(cells) < 2 * most_parts and time.monotonic() < end:
        best, gain, halves = None, _LEAST_GAIN * sum(cell.volume for cell in cells), None
        for cell in cells:
            found = cell.halving
            if found is not None and found[0] > gain:
                best, (gain, halves) = cell, found
        if best is None or halves is None:
            break
        cells.remove(best)
        cells += halves
    return _join(cells, most_parts)


def _is_convex(triangles: Triangles) -> bool:
    """Whether cuts save nothing: a flat mesh has no volume to save."""
    hull = convex_hull(triangles.vertices[np.unique(triangles.corners)].astype(np.float64))
    if hull is None:
        return True
    mass = mesh_mass(triangles)
    return mass is not None and mass.volume > CONVEX * hull.volume


def _find_axes(soup: Soup) -> list[Points]:
    """The axes of the frame, and the principal axes of the surface."""
    crossed = np.cross(soup[:, 1] - soup[:, 0], soup[:, 2] - soup[:, 0])
    areas = np.linalg.norm(crossed, axis=1)
    total = float(areas.sum())
    if total <= 0.0:
        return list(np.eye(3))
    middles = soup.mean(axis=1)
    centred = middles - areas @ middles / total
    _, axes = np.linalg.eigh((centred * areas[:, None]).T @ centred)
    others = [axis for axis in axes.T if np.abs(axis).max() < 1.0 - 1e-4]
    return [*np.eye(3), *others]


def _find_offsets(soup: Soup, axis: Points) -> Points:
    """Where planes across `axis` may cut: at even distances, and along the largest flat faces."""
    heights = soup @ axis
    low, high = float(heights.min()), float(heights.max())
    if high - low <= 0.0:
        return np.zeros(0)
    crossed = np.cross(soup[:, 1] - soup[:, 0], soup[:, 2] - soup[:, 0])
    areas = np.linalg.norm(crossed, axis=1)
    flat = np.abs(crossed @ axis) > _FLAT_FACE * areas
    shares = (heights[flat].mean(axis=1) - low) / (high - low)
    steps = np.round(shares * 1000.0).astype(np.int64)
    inner = (steps > 10) & (steps < 990)
    sums = np.bincount(steps[inner], areas[flat][inner], 1001)
    largest = [step for step in np.argsort(-sums, kind="stable")[:_FLAT_PLACES] if sums[step] > 0]
    exact = [float(shares[steps == step].mean()) for step in largest]
    return np.unique(low + (high - low) * np.array([*_EVEN, *exact]))


def _join(cells: list[_Cell], most_parts: int) -> list[list[_Cell]]:
    """Joins parts while there are too many, and while all joins add nearly nothing."""
    groups = [[cell] for cell in cells]
    found = [cell.supports for cell in cells]
    room = _MOST_LOSS * sum(cell.volume for cell in cells)
    while len(groups) > 1:
        volumes = np.array([float(each.volumes()) for each in found])
        all_of = Supports(np.stack([s.points for s in found]), np.stack([s.reach for s in found]))
        costs = np.full((len(found), len(found)), np.inf)
        for i, each in enumerate(found[:-1]):
            joined = all_of.pick(slice(i + 1, None)).join(each).volumes()
            costs[i, i + 1 :] = joined - volumes[i] - volumes[i + 1 :]
        i, k = (int(each) for each in np.unravel_index(costs.argmin(), costs.shape))
        room -= max(float(costs[i, k]), 0.0)
        if len(groups) <= most_parts and room < 0.0:
            break
        groups[i] += groups.pop(k)
        found[i] = found[i].join(found.pop(k))
    return groups


def _wrap(triangles: Triangles, cells: list[_Cell], most_triangles: int) -> MeshData | None:
    """The hull of the surface in these cells; a thin box where that is flat. Of a large mesh the
    hull of the supports of its pieces, pushed out by the distance that it misses."""
    is_large = triangles.count > _CHUNK
    gathered = [
        _sample(points) if is_large else points
        for cell in cells
        for points in _gather(triangles, cell)
    ]
    if not gathered:
        return None
    points = np.concatenate([*gathered, *(cell.inner for cell in cells)])
    hull = convex_hull(points, most_triangles)
    if hull is None:
        return box_around(points)
    reach = hull.offsets
    for cell in cells if is_large else ():
        for piece in _gather(triangles, cell):
            reach = np.maximum(reach, find_reach(piece, hull.normals))
    return mesh_of_hull(hull, reach)


def _gather(triangles: Triangles, cell: _Cell) -> Iterator[Points]:
    """The corners of the surface in the cell, in pieces of bounded memory."""
    if not cell.planes:
        used = np.zeros(len(triangles.vertices), dtype=bool)
        used[triangles.corners] = True
        points = triangles.vertices[used]
        yield from (
            points[start : start + _CHUNK].astype(np.float64)
            for start in range(0, len(points), _CHUNK)
        )
        return
    for start in range(0, triangles.count, _CHUNK):
        soup = triangles.vertices[triangles.faces[start : start + _CHUNK]].astype(np.float64)
        for normal, offset in cell.planes:
            soup = clip(soup, normal, offset)
        if len(soup):
            yield soup.reshape(-1, 3)


def _sample(points: Points) -> Points:
    return find_supports(points[:: len(points) // _SAMPLE + 1]).points


def box_around(points: Points) -> MeshData:
    """Returns the smallest box around points (N, 3), N > 0, thin where they are flat."""
    fit = fit_oriented_box(points, None)
    box = make_primitive(fit.geometry)
    vertices = box.vertices.astype(np.float64) @ fit.frame[:3, :3].T + fit.frame[:3, 3]
    return MeshData(
        vertices=vertices.astype(np.float32), corners=box.corners, face_sizes=box.face_sizes
    )
