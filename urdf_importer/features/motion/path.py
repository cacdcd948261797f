# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion -> the path of all its joints together, which a retiming follows at other speeds.

The path's parameter s is the motion's own time, without the time in which nothing moves. Between
knots it is a cubic of s for each joint. Commanded cubics are taken exactly. Through samples goes
the smooth curve (a cubic spline with continuous second derivative); where that would leave the
straight lines by more than the tolerance, there is a corner at which the motion stops.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...core.kinematics.keys import Keys, evaluate
from .series import Cubics, extreme_values, make_cubics, slopes_at
from .trajectory import Numbers

_STILL = 1e-9
_ROUNDS = 50
_SWEEPS = 40
"""Each halves the error at least, since a row's middle outweighs its sides twofold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPath:
    """n joints over m knots.

    values        (m, n) at the knots
    begin, end    (m - 1, n) slopes dq/ds at both ends of each segment
    lengths       (m - 1,) of s
    starts        (m - 1,) seconds of the motion at which each segment begins
    stops         (m,) where all joints are at rest
    """

    values: Numbers
    begin: Numbers
    end: Numbers
    lengths: Numbers
    starts: Numbers
    stops: NDArray[np.bool_]

    @property
    def cubics(self) -> Cubics:
        """The segments, with (m - 1, n) numbers."""
        ends = (self.values[:-1], self.values[1:])
        return make_cubics(self.starts, self.lengths[:, None], ends, (self.begin, self.end))


def plan_path(
    series: Sequence[Keys],
    bounds: Sequence[tuple[float | None, float | None]],
    *,
    tolerance: float,
    keep: Numbers | None = None,
) -> JointPath | None:
    """Returns the path of joints, each with its own samples; before the first and after the last
    each rests. `bounds` are their limits, which the curve keeps where the samples do. `keep` are
    intervals (m, 2) in which nothing is left out; None to leave out all rests. None where nothing
    moves."""
    times = np.unique(np.concatenate([keys.times for keys in series]))
    values = np.stack([evaluate(keys, times) for keys in series], axis=1)
    sides = [_slopes(keys, times) for keys in series]
    begin, end = (np.stack([side[i] for side in sides], axis=1) for i in (0, 1))
    lengths = np.diff(times)
    moved = np.abs(np.diff(values, axis=0)) > _STILL
    bent = np.nan_to_num(np.abs(begin) + np.abs(end)) * lengths[:, None] > _STILL
    moving = (moved | bent).any(axis=1) | _kept(times, keep)
    if not (moved | bent).any():
        return None
    places = np.flatnonzero(moving)
    knots = np.append(places, places[-1] + 1)
    begin, end = begin[places], end[places]
    path = JointPath(
        values=values[knots],
        begin=begin,
        end=end,
        lengths=lengths[places],
        starts=times[places],
        stops=_find_stops(begin, end),
    )
    smooth = np.array([keys.slopes is None for keys in series])
    return _smooth(path, smooth, bounds, tolerance) if smooth.any() else path


def _slopes(keys: Keys, times: Numbers) -> tuple[Numbers, Numbers]:
    """Returns the slopes of cubics at both ends of each segment, none before and after a joint's
    own samples; NaN for lines, whose slopes are still to be found."""
    if keys.slopes is None or len(keys.times) < 2:
        unknown = np.full(len(times) - 1, np.nan)
        return unknown, unknown
    slopes, middles = slopes_at(keys, times), (times[1:] + times[:-1]) / 2
    own = (middles > keys.times[0]) & (middles < keys.times[-1])
    return np.where(own, slopes[:-1], 0.0), np.where(own, slopes[1:], 0.0)


def _kept(times: Numbers, keep: Numbers | None) -> NDArray[np.bool_]:
    found = np.zeros(len(times) - 1, dtype=bool)
    if keep is not None:
        for first, last in keep:
            found |= (times[:-1] < last) & (times[1:] > first)
    return found


def _find_stops(begin: Numbers, end: Numbers) -> NDArray[np.bool_]:
    """The ends, and where time that was left out leaves a jump of slopes."""
    stops = np.ones(len(begin) + 1, dtype=bool)
    jumps = np.nan_to_num(np.abs(begin[1:] - end[:-1])) > 1e-6
    stops[1:-1] = jumps.any(axis=1)
    return stops


def _smooth(
    path: JointPath,
    smooth: NDArray[np.bool_],
    bounds: Sequence[tuple[float | None, float | None]],
    tolerance: float,
) -> JointPath:
    """Gives lines the slopes of a smooth curve, with corners where it would go too far astray."""
    values, lengths, stops = path.values[:, smooth], path.lengths, path.stops.copy()
    chords = np.diff(values, axis=0) / lengths[:, None]
    kinks = np.zeros(len(stops))
    kinks[1:-1] = np.abs(np.diff(chords, axis=0)).max(axis=1)
    for left in range(_ROUNDS, -1, -1):
        begin, end = _spline(chords, lengths, stops)
        off = _deviation(begin - chords, end - chords, lengths).max(axis=1) > tolerance
        if not off.any():
            break
        _add_corners(stops, np.flatnonzero(off), kinks, at_once=left <= 1)
    own = [each for each, is_line in zip(bounds, smooth, strict=True) if is_line]
    begin, end = _hold_bounds(values, lengths, begin, end, own)
    all_begin, all_end = path.begin.copy(), path.end.copy()
    all_begin[:, smooth], all_end[:, smooth] = begin, end
    return replace(path, begin=all_begin, end=all_end, stops=stops)


def _spline(chords: Numbers, lengths: Numbers, stops: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Returns the slopes at both ends of each segment of cubic splines between the stops, with a
    constant second derivative in the first and last segments (de Boor, A Practical Guide to
    Splines, IV); of a segment between two stops, the slopes of the line."""
    weight = 1.0 / lengths[:, None]
    before, after = weight[:-1], weight[1:]
    # Next to a stop the neighbour's slope is 2 chord - own slope, which goes into the middle.
    ends_before, ends_after = stops[:-2, None], stops[2:, None]
    right = 3.0 * (chords[:-1] * before + chords[1:] * after)
    right = right - 2.0 * np.where(ends_before, chords[:-1] * before, 0.0)
    right = right - 2.0 * np.where(ends_after, chords[1:] * after, 0.0)
    middle = 2.0 * (before + after) - np.where(ends_before, before, 0.0)
    middle = middle - np.where(ends_after, after, 0.0)
    before = np.where(ends_before, 0.0, before)
    after = np.where(ends_after, 0.0, after)
    slopes = np.zeros((len(stops), chords.shape[1]))
    slopes[1:-1] = right / middle
    for _ in range(_SWEEPS):
        slopes[1:-1] = (right - before * slopes[:-2] - after * slopes[2:]) / middle
    begin, end = slopes[:-1].copy(), slopes[1:].copy()
    first, last = stops[:-1], stops[1:]
    begin[first] = 2.0 * chords[first] - end[first]
    end[last] = 2.0 * chords[last] - begin[last]
    both = first & last
    begin[both] = end[both] = chords[both]
    return begin, end


def _deviation(begin: Numbers, end: Numbers, lengths: Numbers) -> Numbers:
    """Returns how far cubics are off their chords at the quarters, of slopes less the chords'."""
    found = np.zeros(begin.shape)
    for u in (0.25, 0.5, 0.75):
        off = u * (1 - u) ** 2 * begin - u * u * (1 - u) * end
        found = np.maximum(found, np.abs(off))
    return found * lengths[:, None]


def _add_corners(
    stops: NDArray[np.bool_], off: NDArray[np.int64], kinks: Numbers, *, at_once: bool
) -> None:
    """Makes the sharper end of each segment that strays a corner; both in the last round."""
    if at_once:
        stops[off] = stops[off + 1] = True
        return
    first = np.where(stops[off], -1.0, kinks[off])
    last = np.where(stops[off + 1], -1.0, kinks[off + 1])
    stops[np.where(first >= last, off, off + 1)] = True


def _hold_bounds(
    values: Numbers,
    lengths: Numbers,
    begin: Numbers,
    end: Numbers,
    bounds: Sequence[tuple[float | None, float | None]],
) -> tuple[Numbers, Numbers]:
    """Flattens the curve where it would swing beyond a limit that its samples keep: with slopes
    between none and three times the chord's it does not (Fritsch and Carlson 1980)."""
    low = np.array([-np.inf if lower is None else lower for lower, _ in bounds])
    high = np.array([np.inf if upper is None else upper for _, upper in bounds])
    q0, q1 = values[:-1], values[1:]
    low, high = np.minimum(low, np.minimum(q0, q1)), np.maximum(high, np.maximum(q0, q1))
    spans = np.broadcast_to(lengths[:, None], q0.shape)
    most = 3.0 * (q1 - q0) / spans
    for left in range(10, -1, -1):
        _, inside = extreme_values(make_cubics(spans, spans, (q0, q1), (begin, end)))
        beyond = (inside.max(axis=-1) > high + 1e-9) | (inside.min(axis=-1) < low - 1e-9)
        if not beyond.any():
            break
        if left == 0:
            beyond = np.broadcast_to(beyond.any(axis=0), beyond.shape)
        begin, end = _flatten(begin, end, beyond, np.minimum(most, 0), np.maximum(most, 0))
    return begin, end


def _flatten(
    begin: Numbers, end: Numbers, chosen: NDArray[np.bool_], low: Numbers, high: Numbers
) -> tuple[Numbers, Numbers]:
    """Clips slopes of segments, and the slopes of neighbours that go on smoothly from them."""
    new_begin = np.where(chosen, np.clip(begin, low, high), begin)
    new_end = np.where(chosen, np.clip(end, low, high), end)
    smooth = begin[1:] == end[:-1]
    smaller = np.where(np.abs(new_begin[1:]) < np.abs(new_end[:-1]), new_begin[1:], new_end[:-1])
    new_begin[1:] = np.where(smooth, smaller, new_begin[1:])
    new_end[:-1] = np.where(smooth, smaller, new_end[:-1])
    return new_begin, new_end


def nodes_of(path: JointPath, pieces: int) -> tuple[Numbers, Numbers, Numbers]:
    """Returns values, first and second derivatives by s, each (m - 1, pieces + 1, n), at evenly
    spaced places of each segment."""
    cubics = path.cubics
    t = (np.linspace(0.0, 1.0, pieces + 1)[None, :] * cubics.lengths)[:, :, None]
    q0, v0, c2, c3 = (
        part[:, None, :] for part in (cubics.values, cubics.slopes, cubics.second, cubics.third)
    )
    values = ((c3 * t + c2) * t + v0) * t + q0
    values[:, -1] = path.values[1:]
    return values, (3 * c3 * t + 2 * c2) * t + v0, 6 * c3 * t + 2 * c2
