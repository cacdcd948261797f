# SPDX-License-Identifier: GPL-3.0-or-later
"""Smallest circles and balls around points, and smallest rectangles."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

_MOST_STEPS = 200
_SLACK = 1e-10


def enclosing_ball(points: Points) -> tuple[Points, float]:
    """Centre (D,) and radius of the smallest ball around (N, D) points, D = 2 or 3.

    The ball of a few points grows by the farthest point that it lacks until none is outside; each
    step makes it larger, so the search ends. The radius is measured at last, over all points: the
    ball contains them whatever rounding did.
    """
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    if size == 0.0:
        return points[0].copy(), 0.0
    origin = points.mean(axis=0)
    scaled = (points - origin) / size
    support = [int(np.einsum("ij,ij->i", scaled, scaled).argmax())]
    centre = scaled[support[0]]
    for _ in range(_MOST_STEPS):
        chosen, centre, radius = _smallest_ball(scaled[support])
        distances = np.linalg.norm(scaled - centre, axis=1)
        farthest = int(distances.argmax())
        if distances[farthest] <= radius + _SLACK:
            break
        support = [support[index] for index in chosen] + [farthest]
    reach = float(np.linalg.norm(scaled - centre, axis=1).max())
    return centre * size + origin, reach * size


def _smallest_ball(points: Points) -> tuple[tuple[int, ...], Points, float]:
    """Of at most D + 2 points, by trying all of their subsets: which ones hold it, and it."""
    count, dimensions = points.shape
    best: tuple[tuple[int, ...], Points, float] | None = None
    for size in range(1, min(count, dimensions + 1) + 1):
        for subset in combinations(range(count), size):
            centre = _circumcentre(points[list(subset)])
            reach = float(np.sqrt(((points - centre) ** 2).sum(axis=1).max()))
            if best is None or reach < best[2] - _SLACK / 100:
                best = subset, centre, reach
    assert best is not None
    return best


def _circumcentre(points: Points) -> Points:
    """The point of equal distance to all of these, in the flat that they span."""
    first = points[0]
    edges = points[1:] - first
    if not len(edges):
        return _middle(points)
    gram = edges @ edges.T
    halves = gram.diagonal() / 2.0
    try:
        weights = np.linalg.solve(gram, halves)
    except np.linalg.LinAlgError:
        return _middle(points)
    if not np.isfinite(weights).all() or np.abs(weights).max() > 1e6:
        return _middle(points)
    centre: Points = first + weights @ edges
    return centre


def _middle(points: Points) -> Points:
    middle: Points = points.mean(axis=0)
    return middle


def smallest_rectangle(points: Points) -> float:
    """The angle by which to turn the plane's axes so that (N, 2) points span the least area.

    One side of the smallest rectangle lies on an edge of the convex hull (Freeman and Shapira
    1975), so the angles of those are tried.
    """
    outline = _outline(points)
    edges = np.roll(outline, -1, axis=0) - outline
    angles = np.unique(np.concatenate([[0.0], np.arctan2(edges[:, 1], edges[:, 0]) % (np.pi / 2)]))
    cosines, sines = np.cos(angles), np.sin(angles)
    along = np.outer(cosines, outline[:, 0]) + np.outer(sines, outline[:, 1])
    across = np.outer(cosines, outline[:, 1]) - np.outer(sines, outline[:, 0])
    return float(angles[(np.ptp(along, axis=1) * np.ptp(across, axis=1)).argmin()])


def _outline(points: Points) -> Points:
    """The convex hull of points in the plane (Andrew's monotone chain)."""
    rows = sorted(set(map(tuple, points.tolist())))
    if len(rows) < 3:
        return np.array(rows)
    return np.array(_half_outline(rows) + _half_outline(rows[::-1]))


def _half_outline(rows: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    kept: list[tuple[float, ...]] = []
    for x, y in rows:
        while len(kept) > 1:
            (ax, ay), (bx, by) = kept[-2], kept[-1]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                break
            kept.pop()
        kept.append((x, y))
    return kept[:-1]
