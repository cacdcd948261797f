# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of triangles beside each other, with numpy alone: trees of boxes, and exact distances of
the triangles whose boxes are near."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_AT_ONCE = 2048
_TINY = 1e-300


class TriangleTree:
    """A full binary tree of boxes around triangles (T, 3, 3): the children of box k are 2k + 1 and
    2k + 2, and each of the last `leaves` boxes has one triangle."""

    def __init__(self, triangles: Array) -> None:
        levels = max(0, int(len(triangles) - 1).bit_length())
        self.leaves = 2**levels
        # The last triangle fills the missing places.
        order = np.minimum(np.arange(self.leaves), len(triangles) - 1)
        centers = triangles.mean(axis=1)
        for level in range(levels):
            blocks = order.reshape(2**level, -1)
            spots = centers[blocks]
            longest = np.ptp(spots, axis=1).argmax(axis=1)
            along = np.take_along_axis(spots, longest[:, None, None], axis=2)[:, :, 0]
            halves = along.argsort(axis=1, kind="stable")
            order = np.take_along_axis(blocks, halves, axis=1).ravel()
        self.triangles = triangles[order]
        lower, upper = [self.triangles.min(axis=1)], [self.triangles.max(axis=1)]
        for _ in range(levels):
            lower.append(lower[-1].reshape(-1, 2, 3).min(axis=1))
            upper.append(upper[-1].reshape(-1, 2, 3).max(axis=1))
        low, high = np.concatenate(lower[::-1]), np.concatenate(upper[::-1])
        self.centers, self.halves = (low + high) / 2.0, (high - low) / 2.0
        self.sizes = np.linalg.norm(self.halves, axis=1)


def nearest(
    first: TriangleTree, second: TriangleTree, pose: Array, most: float, enough: float
) -> tuple[float, Array] | None:
    """Finds the least distance of two surfaces if it is at most `most`, or any that is at most
    `enough`, and the middle between the nearest points, in the first one's frame. `pose` (4, 4) is
    the second one's frame in the first one's. None where all is further apart."""
    moved = second.triangles @ pose[:3, :3].T + pose[:3, 3]
    best: tuple[float, Array] | None = None
    stack = [np.zeros((1, 2), np.intp)]
    while stack:
        chunk = stack.pop()
        bounds = _bound(first, second, pose, chunk)
        chunk = chunk[bounds <= most]
        near = chunk[bounds[bounds <= most].argsort()]
        leaf_a, leaf_b = near[:, 0] >= first.leaves - 1, near[:, 1] >= second.leaves - 1
        ends = near[leaf_a & leaf_b]
        if len(ends):
            one = first.triangles[ends[:, 0] - first.leaves + 1]
            other = moved[ends[:, 1] - second.leaves + 1]
            distances, points = measure_triangles(one, other)
            k = int(distances.argmin())
            if distances[k] <= most:
                most = float(distances[k])
                best = most, points[k]
                if most <= enough:
                    return best
        inner = near[~(leaf_a & leaf_b)]
        if len(inner):
            stack += _split(first, second, inner)
    return best


def _bound(first: TriangleTree, second: TriangleTree, pose: Array, chunk: Indices) -> Array:
    """Returns how far boxes are apart at least, along the axes of both."""
    turn, (a, b) = pose[:3, :3], chunk.T
    size = np.abs(turn)
    between = second.centers[b] @ turn.T + pose[:3, 3] - first.centers[a]
    here = np.abs(between) - first.halves[a] - second.halves[b] @ size.T
    there = np.abs(between @ turn) - second.halves[b] - first.halves[a] @ size
    gaps = [np.square(np.maximum(each, 0.0)).sum(axis=1) for each in (here, there)]
    bounds: Array = np.sqrt(np.maximum(*gaps))
    return bounds


def _split(first: TriangleTree, second: TriangleTree, inner: Indices) -> Iterator[Indices]:
    """Yields the pairs of children, of the larger box of each pair, in chunks: the nearest last."""
    a, b = inner.T
    by_first = first.sizes[a] >= second.sizes[b]
    by_first = (by_first | (b >= second.leaves - 1)) & (a < first.leaves - 1)
    children = np.repeat(inner, 2, axis=0)
    side = np.tile([1, 2], len(inner))
    chosen = np.repeat(np.where(by_first, 0, 1), 2)
    rows = np.arange(len(children))
    children[rows, chosen] = 2 * children[rows, chosen] + side
    for start in reversed(range(0, len(children), _AT_ONCE)):
        yield children[start : start + _AT_ONCE]


def measure_triangles(one: Array, other: Array) -> tuple[Array, Array]:
    """Returns the distances (P,) of triangles (P, 3, 3), 0 where they meet, and the middles (P, 3)
    between their nearest points. Two triangles are nearest at two edges, or at a corner of
    one over the inside of the other; they meet where an edge goes through the other (Ericson 2005,
    5.1 and 5.3)."""
    found = [*_from_edges(one, other), *_from_corners(one, other), *_from_corners(other, one)]
    squares = np.stack([square for square, _ in found])
    points = np.stack([point for _, point in found])
    best = squares.argmin(axis=0)
    rows = np.arange(len(one))
    return np.sqrt(squares[best, rows]), points[best, rows]


def _from_edges(one: Array, other: Array) -> Iterator[tuple[Array, Array]]:
    """Yields squares of distances and middles of all pairs of edges (Ericson 2005, 5.1.9)."""
    for i in range(3):
        for k in range(3):
            p, q = one[:, i], other[:, k]
            u, v, w = one[:, i - 2] - p, other[:, k - 2] - q, one[:, i] - other[:, k]
            a, e, f = _dot(u, u), _dot(v, v), _dot(v, w)
            b, c = _dot(u, v), _dot(u, w)
            wide, high = np.maximum(a, _TINY), np.maximum(e, _TINY)
            denominator = a * e - b * b
            s = np.where(
                denominator > 1e-14 * a * e,
                (b * f - c * e) / np.where(denominator > 0.0, denominator, 1.0),
                0.0,
            )
            s = np.clip(s, 0.0, 1.0)
            t = np.clip((b * s + f) / high, 0.0, 1.0)
            s = np.clip((b * t - c) / wide, 0.0, 1.0)
            here, there = p + u * s[:, None], q + v * t[:, None]
            yield _dot(here - there, here - there), (here + there) / 2.0


def _from_corners(one: Array, other: Array) -> Iterator[tuple[Array, Array]]:
    """Yields the same of corners of one triangle over the inside of the other, infinite where none
    is, and 0 where an edge goes through it."""
    base = other[:, 0]
    x, y = other[:, 1] - base, other[:, 2] - base
    normal = np.cross(x, y)
    square = np.maximum(_dot(normal, normal), _TINY)
    heights = [_dot(normal, one[:, i] - base) for i in range(3)]
    for i in range(3):
        p, height = one[:, i], heights[i]
        foot = p - normal * (height / square)[:, None]
        inside = _is_over(foot - base, x, y, normal, square)
        yield np.where(inside, height * height / square, np.inf), (p + foot) / 2.0
        beyond = heights[i - 2]
        passes = (height * beyond <= 0.0) & (height != beyond)
        share = height / np.where(passes, height - beyond, 1.0)
        hit = p + (one[:, i - 2] - p) * share[:, None]
        passes &= _is_over(hit - base, x, y, normal, square)
        yield np.where(passes, 0.0, np.inf), hit


def _is_over(way: Array, x: Array, y: Array, normal: Array, square: Array) -> NDArray[np.bool_]:
    """Whether points of the plane of a triangle with sides x and y are inside it."""
    along = _dot(np.cross(way, y), normal) / square
    across = _dot(np.cross(x, way), normal) / square
    inside: NDArray[np.bool_] = (along >= 0.0) & (across >= 0.0) & (along + across <= 1.0)
    return inside & (square > _TINY)


def _dot(one: Array, other: Array) -> Array:
    products: Array = np.einsum("pi,pi->p", one, other)
    return products
