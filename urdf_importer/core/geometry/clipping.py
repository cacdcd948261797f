# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles cut by planes, and hulls measured by their supports, for many planes at a time."""

import numpy as np
from numpy.typing import NDArray

from .hulls import Indices, Points

Soup = NDArray[np.float64]
"""Triangles (T, 3, 3): three corners each."""

_TURN = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
"""No direction lies along an axis of a frame, where many points reach equally far."""


def clip(soup: Soup, normal: Points, offset: float) -> Soup:
    """Returns the pieces of triangles where `normal` (3,) times a point is at most `offset`."""
    heights = soup @ normal - offset
    below = heights <= 0.0
    count = below.sum(axis=1)
    kept = [soup[count == 3]]
    for number in (1, 2):
        cut, height = soup[count == number], heights[count == number]
        if len(cut):
            kept += _cut(cut, height, one_below=number == 1)
    return np.concatenate(kept)


def _cut(soup: Soup, heights: Points, *, one_below: bool) -> list[Soup]:
    """One corner lies on the other side of the plane than two; it comes first here."""
    alone = (heights <= 0.0) if one_below else (heights > 0.0)
    turn = (alone.argmax(axis=1)[:, None] + np.arange(3)) % 3
    a, b, c = np.moveaxis(np.take_along_axis(soup, turn[:, :, None], axis=1), 1, 0)
    p, q, r = np.take_along_axis(heights, turn, axis=1).T
    ab = a + (p / (p - q))[:, None] * (b - a)
    ac = a + (p / (p - r))[:, None] * (c - a)
    if one_below:
        return [np.stack([a, ab, ac], axis=1)]
    return [np.stack([ab, b, c], axis=1), np.stack([ab, c, ac], axis=1)]


def _make_sphere(steps: int) -> tuple[Points, Indices]:
    """An icosahedron, whose triangles are divided by four so often."""
    golden = (1.0 + 5.0**0.5) / 2.0
    corners = [(0.0, y, z) for y in (-1.0, 1.0) for z in (-golden, golden)]
    points = np.array([np.roll(corner, turn) for turn in range(3) for corner in corners])
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = gaps < 2.1
    faces = [
        (a, b, c) if np.linalg.det(points[[a, b, c]]) > 0.0 else (a, c, b)
        for a in range(12)
        for b in range(a + 1, 12)
        for c in range(b + 1, 12)
        if near[a, b] and near[b, c] and near[a, c]
    ]
    for _ in range(steps):
        made = {tuple(sorted(edge)) for a, b, c in faces for edge in ((a, b), (b, c), (c, a))}
        middle = {edge: len(points) + number for number, edge in enumerate(sorted(made))}
        points = np.concatenate([points, [points[list(edge)].sum(axis=0) for edge in middle]])
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        divided = []
        for a, b, c in faces:
            ab, bc, ca = (middle[tuple(sorted(e))] for e in ((a, b), (b, c), (c, a)))
            divided += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = divided
    return points @ (_TURN * np.sign(np.linalg.det(_TURN))), np.array(faces)


DIRECTIONS, _FACES = _make_sphere(2)


class Supports:
    """The farthest points of sets along 162 directions: `points` (S, 162, 3) and how far they
    reach (S, 162), -inf for an empty set. Sets can be joined; the volume of their hulls is
    measured by the surface between these points, which is a little too small."""

    def __init__(self, points: Points, reach: Points) -> None:
        self.points = points
        self.reach = reach

    def join(self, other: "Supports") -> "Supports":
        """Returns the supports of the unions of the sets, one by one or as numpy repeats them."""
        first = self.reach >= other.reach
        points = np.where(first[..., None], self.points, other.points)
        return Supports(points, np.maximum(self.reach, other.reach))

    def pick(self, index: int | slice) -> "Supports":
        """Returns the supports of one set or of several."""
        return Supports(self.points[index], self.reach[index])

    def volumes(self) -> Points:
        """Returns the volumes (S,) of the hulls; 0 for empty sets."""
        is_there = np.isfinite(self.reach).all(axis=-1)
        points = np.where(is_there[..., None, None], self.points, 0.0)
        points = points - points.mean(axis=-2, keepdims=True)
        a, b, c = (points[..., _FACES[:, i], :] for i in range(3))
        volumes: Points = np.einsum("...ij,...ij->...", a, np.cross(b, c)) / 6.0
        return volumes


def find_supports(points: Points) -> Supports:
    """Returns the supports of one set of points (N, 3)."""
    if not len(points):
        return Supports(np.zeros((len(DIRECTIONS), 3)), np.full(len(DIRECTIONS), -np.inf))
    reach = points @ DIRECTIONS.T
    farthest = reach.argmax(axis=0)
    return Supports(points[farthest], reach[farthest, np.arange(len(DIRECTIONS))])


def _stack(sets: list[Supports]) -> Supports:
    return Supports(np.stack([s.points for s in sets]), np.stack([s.reach for s in sets]))


def cut_inside(inner: Points, step: float, axis: Points, offset: float) -> Points:
    """Returns the points (N, 3) of a grid of `step` next to a plane, moved into it."""
    heights = inner @ axis - offset
    near = np.abs(heights) < step
    return inner[near] - heights[near, None] * axis


def measure_cuts(
    soup: Soup, inner: Points, step: float, axis: Points, offsets: Points
) -> tuple[Points, Points]:
    """Returns the volumes (K,) of the hulls below and above each of the planes across `axis` (3,)
    at rising `offsets` (K,), of a surface and of points `inner` (N, 3) of a grid of `step` in
    it."""
    points = np.concatenate([soup.reshape(-1, 3), inner])
    heights = points @ axis
    layer = np.searchsorted(offsets, heights, side="left")
    layers = [find_supports(points[layer == k]) for k in range(len(offsets) + 1)]
    low = heights[: 3 * len(soup)].reshape(-1, 3)
    high, ends = np.roll(low, -1, axis=1), np.roll(soup, -1, axis=1)
    below, above = [layers[0]], [layers[-1]]
    for k in range(1, len(offsets)):
        below.append(below[-1].join(layers[k]))
        above.append(above[-1].join(layers[-1 - k]))
    crossed = []
    for offset in offsets:
        cuts = (low <= offset) != (high <= offset)
        share = ((offset - low[cuts]) / (high[cuts] - low[cuts]))[:, None]
        outline = soup[cuts] + share * (ends[cuts] - soup[cuts])
        face = cut_inside(inner, step, axis, offset)
        crossed.append(find_supports(np.concatenate([outline, face])))
    edge = _stack(crossed)
    return _stack(below).join(edge).volumes(), _stack(above[::-1]).join(edge).volumes()
