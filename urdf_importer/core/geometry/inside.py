# SPDX-License-Identifier: GPL-3.0-or-later
"""Points inside a surface, also one that is open or crosses itself."""

import numpy as np

from .hulls import Points

_MOST_CROSSINGS = 4_000_000


def find_inside(soup: Points, count: int = 20) -> tuple[Points, float]:
    """Returns points (N, 3) inside triangles (T, 3, 3), of a grid of `count` along the longest side
    of their box, and the step of the grid. A point is inside where lines along all three axes cross
    the surface to both sides of it; so little is inside of open surfaces."""
    low = soup.min(axis=(0, 1))
    size = soup.max(axis=(0, 1)) - low
    step = float(size.max()) / count
    if step <= 0.0 or size.min() < 1e-6 * size.max():
        return np.zeros((0, 3)), 0.0
    # At odd places between triangles' corners, which often lie at even ones.
    places = [low[i] + step * (np.arange(int(size[i] / step) + 1) + 0.4871) for i in range(3)]
    inside = np.ones([len(each) for each in places], dtype=bool)
    for axis in range(3):
        turn = [(axis + 1) % 3, (axis + 2) % 3, axis]
        found = _fill(soup[:, :, turn], [places[i] for i in turn])
        inside &= np.moveaxis(found, [0, 1, 2], turn)
    grid = np.stack(np.meshgrid(*places, indexing="ij"), axis=-1)
    return grid[inside], step


def _fill(soup: Points, places: list[Points]) -> Points:
    """Which points of a grid are between triangles of opposite sides along its third axis."""
    xs, ys, zs = places
    first = [np.searchsorted(p, soup[:, :, i].min(axis=1)) for i, p in enumerate((xs, ys))]
    last = [np.searchsorted(p, soup[:, :, i].max(axis=1)) for i, p in enumerate((xs, ys))]
    wide, deep = last[0] - first[0], last[1] - first[1]
    counts = wide * deep
    below = np.zeros((len(xs), len(ys), len(zs) + 1), dtype=np.int32)
    total = np.zeros((len(xs), len(ys)), dtype=np.int32)
    if counts.sum() > _MOST_CROSSINGS:
        return np.zeros((len(xs), len(ys), len(zs)), dtype=bool)
    which = np.repeat(np.arange(len(soup)), counts)
    number = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    i = first[0][which] + number // np.maximum(deep[which], 1)
    k = first[1][which] + number % np.maximum(deep[which], 1)
    a, b, c = np.moveaxis(soup[which], 1, 0)
    at = np.column_stack([xs[i], ys[k]])
    areas = [_double_area(p, q, at) for p, q in ((b, c), (c, a), (a, b))]
    sign = np.sign(sum(areas))
    hit = (sign != 0) & np.all([each * sign >= 0.0 for each in areas], axis=0)
    i, k, sign = i[hit], k[hit], sign[hit].astype(np.int32)
    weights = np.array(areas)[:, hit]
    heights = (weights * np.array([p[hit, 2] for p in (a, b, c)])).sum(axis=0) / weights.sum(axis=0)
    np.add.at(below, (i, k, np.searchsorted(zs, heights)), sign)
    np.add.at(total, (i, k), sign)
    passed = np.cumsum(below, axis=2)[:, :, :-1]
    filled: Points = (passed != 0) & (passed != total[:, :, None])
    return filled


def _double_area(p: Points, q: Points, at: Points) -> Points:
    return (p[:, 0] - at[:, 0]) * (q[:, 1] - at[:, 1]) - (p[:, 1] - at[:, 1]) * (q[:, 0] - at[:, 0])
