# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds along a path without jumps of acceleration, for limits of jerk.

The path's parameter s(t) of each run between two stops is averaged over a window of time T, in
closed form: ds/dt = (s(t) - s(t - T)) / T. That keeps the path, its order and its ends, and
spreads each jump of the acceleration over the window.
"""

from itertools import pairwise

import numpy as np

from .path import JointPath
from .trajectory import Numbers

_PARTS = 12
_MOST_PARTS = 20_000


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
