# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a path may be followed: one speed ds/dt for all joints.

In each cell of a grid on s the acceleration u = d2s/dt2 is constant, so x = (ds/dt)^2 grows by 2 u
ds. The joints' limits bound u and x by straight lines. Backward: the greatest x from which the rest
can be kept; forward: as fast as that allows (Pham and Pham, A New Approach to Time-Optimal Path
Parameterization based on Reachability Analysis, 2018).

For limits of jerk the path's parameter s(t) of each run between two stops is averaged over a window
of time T, in closed form: ds/dt = (s(t) - s(t - T)) / T. That keeps the path, its order and its
ends, and spreads each jump of the acceleration over the window.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .path import JointPath
from .series import make_cubics, values_after
from .trajectory import Numbers

_FASTEST = 1e12
_BUDGET = 4_000_000
_FLOOR = 1e-6
_PARTS = 12
_MOST_PARTS = 20_000


def plan_speeds(
    first: Numbers,
    second: Numbers,
    path: JointPath,
    velocities: Numbers,
    accelerations: Numbers,
    most: Numbers,
) -> Numbers:
    """Returns ds/dt (m - 1, p + 1) at the nodes of a path, as fast as the limits allow, at rest
    where the path stops.

    first, second   (m - 1, p + 1, n) derivatives of the joints by s
    velocities, accelerations  (n,) limits, infinite where there is none
    most            (m - 1,) the greatest ds/dt of each segment
    """
    count, nodes, _ = first.shape
    top = _cap(first, velocities, most)
    limited = np.isfinite(accelerations)
    step = np.repeat(path.lengths / (nodes - 1), nodes - 1)
    alpha, rho = _plan_rows(first[..., limited], second[..., limited], accelerations[limited], step)
    caps = np.minimum(top[:, :-1].ravel(), _bound(alpha, rho, step))
    last = top[:, -1]
    caps[nodes - 1 :: nodes - 1] = np.minimum(caps[nodes - 1 :: nodes - 1], last[:-1])
    caps[:: nodes - 1][path.stops[:-1]] = 0.0
    caps = np.append(caps, 0.0)
    # x' <= c x + d keeps a cell's upper bounds, x <= (x' + d) / c its lower ones.
    growth = 1.0 - 2.0 * step[:, None] * rho
    gain = 2.0 * step[:, None] * alpha
    with np.errstate(divide="ignore"):
        share = np.where(growth > 0, 1.0 / growth, np.inf)
    _sweep_back(caps, gain, share)
    _sweep_on(caps, gain, growth)
    speeds = np.sqrt(caps)
    table: Numbers = speeds[np.arange(count)[:, None] * (nodes - 1) + np.arange(nodes)[None, :]]
    return table


def _cap(first: Numbers, velocities: Numbers, most: Numbers) -> Numbers:
    with np.errstate(divide="ignore"):
        top = (velocities / np.maximum(np.abs(first), 1e-300)).min(axis=2)
    return np.minimum(np.minimum(top, most[:, None]), _FASTEST) ** 2


def _plan_rows(
    first: Numbers, second: Numbers, most: Numbers, step: Numbers
) -> tuple[Numbers, Numbers]:
    """Returns bounds |p u + r x| <= 1 of each cell, as (alpha, rho) in u <= alpha - rho x and
    u >= -alpha - rho x. They hold at both ends of a cell: at its end x + 2 u ds replaces x."""
    count = first.shape[2]
    p0, r0 = first[:, :-1].reshape(-1, count) / most, second[:, :-1].reshape(-1, count) / most
    p1, r1 = first[:, 1:].reshape(-1, count) / most, second[:, 1:].reshape(-1, count) / most
    p = np.concatenate([p0, p1 + 2.0 * step[:, None] * r1], axis=1)
    r = np.concatenate([r0, r1], axis=1) * np.where(p < 0, -1.0, 1.0)
    p = np.maximum(np.abs(p), _FLOOR * max(float(np.abs(p).max(initial=0.0)), 1e-12))
    return 1.0 / p, r / p


def _bound(alphas: Numbers, rhos: Numbers, step: Numbers) -> Numbers:
    """Returns the greatest x of each cell for which some u keeps all bounds and x' >= 0."""
    cells, count = alphas.shape
    found = np.full(cells, _FASTEST**2)
    for start in range(0, cells, max(1, _BUDGET // max(count * count, 1))):
        part = slice(start, start + max(1, _BUDGET // max(count * count, 1)))
        alpha, rho, h = alphas[part], rhos[part], 2.0 * step[part, None]
        found[part] = np.minimum(
            _ratio(alpha[:, :, None] + alpha[:, None, :], rho[:, :, None] - rho[:, None, :]).min(
                axis=(1, 2), initial=_FASTEST**2
            ),
            _ratio(h * alpha, h * rho - 1.0).min(axis=1, initial=_FASTEST**2),
        )
    return found


def _ratio(above: Numbers, below: Numbers) -> Numbers:
    """Returns above / below where below is above zero, else no bound."""
    positive = below > 0
    found: Numbers = np.where(positive, above / np.where(positive, below, 1.0), np.inf)
    return found


def _sweep_back(caps: Numbers, gain: Numbers, share: Numbers) -> None:
    x = float(caps[-1])
    for cell in range(len(gain) - 1, -1, -1):
        reach = ((x + gain[cell]) * share[cell]).min(initial=np.inf)
        x = min(float(caps[cell]), float(reach))
        caps[cell] = x


def _sweep_on(caps: Numbers, gain: Numbers, growth: Numbers) -> None:
    x = float(caps[0])
    for cell in range(len(gain)):
        reach = (gain[cell] + growth[cell] * x).min(initial=np.inf)
        x = max(min(float(caps[cell + 1]), float(reach)), 0.0)
        caps[cell + 1] = x


def durations(speeds: Numbers, lengths: Numbers) -> Numbers:
    """Returns the seconds (m - 1, p) of the cells between nodes: constant acceleration in each
    cell.
    """
    pieces = speeds.shape[1] - 1
    both = np.maximum(speeds[:, 1:] + speeds[:, :-1], 1e-12)
    spent: Numbers = 2.0 * (lengths[:, None] / pieces) / both
    return spent


def choose_nodes(
    values: Numbers, slopes: Numbers, times: Numbers, limits: Numbers, tolerance: float
) -> NDArray[np.bool_]:
    """Returns which nodes (m - 1, p + 1) a curve of cubics in time needs to be within `tolerance`
    of all, and to keep accelerations within `limits` (n,) by one in a thousand: the ends of each
    segment and, where that is not enough, the middle, and so on. p is a power of two."""
    pieces = values.shape[1] - 1
    kept = np.zeros(values.shape[:2], dtype=bool)
    kept[:, [0, -1]] = True
    size, open_blocks = pieces, np.ones((len(values), 1), dtype=bool)
    while size > 1:
        fails = _fail((values, slopes, times), size, limits, tolerance) & open_blocks
        kept[:, size // 2 :: size] |= fails
        open_blocks = np.repeat(fails, 2, axis=1)
        size //= 2
    return kept


def _fail(
    knots: tuple[Numbers, Numbers, Numbers], size: int, limits: Numbers, tolerance: float
) -> NDArray[np.bool_]:
    """Returns (m - 1, p / size) whether one cubic over each block of the values, slopes and times
    would be too far off."""
    values, slopes, times = knots
    starts, lengths = times[:, :-1:size, None], np.diff(times[:, ::size])[..., None]
    (q, v) = (array[:, ::size] for array in (values, slopes))
    cubics = make_cubics(starts, lengths, (q[:, :-1], q[:, 1:]), (v[:, :-1], v[:, 1:]))
    begin = 2 * cubics.second
    bend = np.maximum(np.abs(begin), np.abs(begin + 6 * cubics.third * lengths))
    off: NDArray[np.bool_] = (bend > limits * 1.001).any(axis=2)
    for inner in range(size // 8 or 1, size, size // 8 or 1):
        since = (times[:, inner::size, None] - starts)[..., None]
        wanted = values[:, inner::size]
        shown = values_after(cubics, since)[..., 0]
        off |= (np.abs(shown - wanted) > tolerance).any(axis=2)
    return off


def smooth_speeds(
    path: JointPath, times: Numbers, speeds: Numbers, window: float
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Returns (k,) new and old seconds, (k, n) positions and velocities of a path that was followed
    at `speeds` (m - 1, p + 1), at `times` of all nodes: later by the window for each run."""
    pieces = speeds.shape[1] - 1
    knots = np.concatenate([[0.0], np.cumsum(path.lengths)])
    nodes = _spread(knots, pieces)
    rates = np.append(speeds[:, :-1].ravel(), speeds[-1, -1])
    stops = (np.flatnonzero(path.stops) * pieces).tolist()
    parts: list[tuple[Numbers, Numbers, Numbers]] = []
    for index, (first, last) in enumerate(pairwise(stops)):
        run = slice(first, last + 1)
        t, s, rate = _average(times[run], nodes[run], rates[run], window)
        # A stop is the last node of a run and the first of the next.
        kept = slice(None) if last == stops[-1] else slice(-1)
        parts.append((t[kept] + index * window, s[kept], rate[kept]))
    t, s, rate = (np.concatenate(each) for each in zip(*parts, strict=True))
    return (t, *_evaluate(path, knots, s, rate))


def _spread(knots: Numbers, pieces: int) -> Numbers:
    inner = knots[:-1, None] + np.diff(knots)[:, None] * np.linspace(0, 1, pieces + 1)[None, :-1]
    return np.append(inner.ravel(), knots[-1])


def _average(
    times: Numbers, nodes: Numbers, rates: Numbers, window: float
) -> tuple[Numbers, Numbers, Numbers]:
    """Returns times, s and ds/dt of a run whose s is averaged over the window before each time."""
    begin, spent = times[0], times[-1] - times[0]
    parts = int(np.clip(np.ceil((spent + window) / window * _PARTS), 2 * _PARTS, _MOST_PARTS))
    since = np.linspace(0.0, spent + window, parts + 1)
    local = times - begin, nodes - nodes[0], rates
    (s_now, sum_now), (s_then, sum_then) = (
        _integrate(*local, at) for at in (since, since - window)
    )
    s, rate = (sum_now - sum_then) / window, (s_now - s_then) / window
    s[0], s[-1] = 0.0, nodes[-1] - nodes[0]
    rate[0] = rate[-1] = 0.0
    return begin + since, nodes[0] + s, rate


def _integrate(
    times: Numbers, nodes: Numbers, rates: Numbers, at: Numbers
) -> tuple[Numbers, Numbers]:
    """Returns s and its integral from the start at times, also outside, where s rests."""
    steps = np.diff(times)
    bends = np.diff(rates) / steps
    whole = ((bends / 6 * steps + rates[:-1] / 2) * steps + nodes[:-1]) * steps
    sums = np.concatenate([[0.0], np.cumsum(whole)])
    inside = np.clip(at, 0.0, times[-1])
    i = np.clip(np.searchsorted(times, inside, side="right") - 1, 0, len(steps) - 1)
    t = inside - times[i]
    s = (bends[i] / 2 * t + rates[i]) * t + nodes[i]
    total = ((bends[i] / 6 * t + rates[i] / 2) * t + nodes[i]) * t + sums[i]
    return s, total + np.maximum(at - times[-1], 0.0) * nodes[-1]


def _evaluate(
    path: JointPath, knots: Numbers, s: Numbers, rate: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """Returns old seconds, positions and velocities at places of the path."""
    at = np.clip(np.searchsorted(knots, s, side="right") - 1, 0, len(path.lengths) - 1)
    cubics = path.cubics
    since = (s - knots[at])[:, None]
    c3, c2, v0 = cubics.third[at], cubics.second[at], cubics.slopes[at]
    positions = ((c3 * since + c2) * since + v0) * since + cubics.values[at]
    slopes = (3 * c3 * since + 2 * c2) * since + v0
    return path.starts[at] + since[:, 0], positions, slopes * rate[:, None]
