# SPDX-License-Identifier: GPL-3.0-or-later
"""When pairs of links touch during a motion, between its samples too.

A span between two samples is free where planes between hulls are further apart in its middle than
the links can get until its ends: in all spans at once. Of a run of other spans the ends are
measured: it is free where the links cannot come together on the way between them, else it is
halved; spans too, down to half a millisecond where the links begin or end to touch. Links that
touch twice within a fiftieth of a second count as touching between. Two links that are free at both
ends of less than a millisecond, and move by less than a tenth of a millimetre in it, count as free.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.progress import Progress
from .link_motion import Course, Moments, Places
from .pairs import Pair, PairTester
from .sampling import Array

Flags = NDArray[np.bool_]
Intervals = list[tuple[float, float]]

MERGED = 1e-3
_FEW = 8
_SHORT, _SMALL, _STILL, _THROUGH = 5e-4, 1e-4, 1e-5, 0.02
_ROUNDING, _TINY = 1e-9, 1e-12
_AT_ONCE = 100_000
"""Frames of links at a time."""


@dataclass(slots=True, eq=False)
class _Left:
    """Parts of spans, from share `low` to `high`, that are still to be looked at: the number of the
    pair, the span, how far its links may get from each other in all of it, and whether they touch
    at both ends."""

    pairs: Places
    spans: Places
    ways: Array
    low: Array
    high: Array
    before: Flags
    after: Flags

    def select(self, chosen: Flags | Places) -> "_Left":
        return _Left(*(getattr(self, name)[chosen] for name in self.__slots__))


class Sweep:
    """Finds when pairs touch along a course, or are as near as `margin`."""

    def __init__(
        self, course: Course, tester: PairTester, pairs: Sequence[Pair], margin: float
    ) -> None:
        self._course = course
        self._tester = tester
        self._pairs = pairs
        self._margin = margin
        self._times = course.way.times
        self._found: list[Intervals] = [[] for _ in pairs]

    def run(self) -> Generator[Progress, None, Mapping[Pair, Intervals]]:
        """Returns the seconds from and to which each pair touches, of pairs that do."""
        last = len(self._times) - 1
        if last == 0:
            self._look_once()
        step = max(1, _AT_ONCE // len(self._course.index))
        for start in range(0, last, step):
            spans = np.arange(start, min(start + step, last))
            left = self._find_doubtful(spans)
            share = start / last
            yield Progress(share=share, text=f"{self._times[start]:.1f} s")
            while left is not None and len(left.spans):
                left = self._halve(left)
                yield Progress(share=share, text=f"{self._times[start]:.1f} s")
        return {
            pair: _merge(found)
            for pair, found in zip(self._pairs, self._found, strict=True)
            if found
        }

    def _look_once(self) -> None:
        start = np.zeros(1, np.intp)
        moments = self._course.at(start, np.zeros(1), np.zeros(1))
        for number, pair in enumerate(self._pairs):
            if len(self._near(number, moments, start, self._margin)):
                rotations, places = moments.relate(pair, start)
                if self._tester.touch(pair, rotations[0], places[0], self._margin):
                    self._found[number].append((0.0, 0.0))

    def _find_doubtful(self, spans: Places) -> _Left | None:
        """Returns the spans in which pairs may begin or end to touch, and keeps the touching
        ones."""
        half = np.full(len(spans), 0.5)
        moments = self._course.at(spans, half, half)
        every = np.arange(len(spans))
        doubtful: list[tuple[int, Places, Array]] = []
        for number, pair in enumerate(self._pairs):
            sway = moments.sway(pair)
            near = self._near(number, moments, every, self._margin + sway)
            if len(near):
                doubtful.append((number, near, sway))
        if not doubtful:
            return None
        ends = np.append(spans, spans[-1] + 1)
        knots = self._course.at(ends, np.zeros(len(ends)), np.zeros(len(ends)))
        parts = []
        for number, near, sway in doubtful:
            before, after = knots.frames.select(near), knots.frames.select(near + 1)
            sway[near] = moments.tighten(self._pairs[number], near, before, after)
            near = near[self._near(number, moments, near, self._margin + sway[near])]
            if len(near):
                parts.append(self._cover(knots, number, near, sway))
        return self._keep(_join(parts)) if parts else None

    def _cover(self, knots: Moments, number: int, near: Places, sway: Array) -> _Left:
        """Returns which of the near spans are not free, without the time at their ends in which the
        links cannot have come together. Spans of links that touch and do not move against each
        other are kept as contacts."""
        travel = np.append(0.0, np.cumsum(2.0 * sway))
        every = np.arange(len(travel))
        poses = knots.relate(self._pairs[number], every)
        # Links that did not move against each other are as near as before.
        gaps: dict[float, float] = {}
        found: list[tuple[int, float, float]] = []
        breaks = np.flatnonzero(np.diff(near) > 1)
        firsts, lasts = near[np.append(0, breaks + 1)], near[np.append(breaks, -1)]
        runs = list(zip(firsts.tolist(), (lasts + 1).tolist(), strict=True))
        while runs:
            low, high = runs.pop()
            way = travel[high] - travel[low]
            for k in (low, high):
                if travel[k] not in gaps:
                    gaps[travel[k]] = self._measure(number, poses, k, way)
            one, other = gaps[travel[low]], gaps[travel[high]]
            if way == 0.0 and one == 0.0:
                times = self._times[knots.spans[[low, high]]]
                self._found[number].append((float(times[0]), float(times[1])))
            elif way >= one + other - _ROUNDING:
                if high - low == 1:
                    found.append((low, one / way, other / way))
                else:
                    middle = (low + high) // 2
                    runs += [(low, middle), (middle, high)]
        places, before, after = np.array(found).reshape(-1, 3).T
        chosen = places.astype(np.intp)
        return _Left(
            pairs=np.full(len(found), number),
            spans=knots.spans[chosen],
            ways=2.0 * sway[chosen],
            low=before,
            high=1.0 - after,
            before=before == 0.0,
            after=after == 0.0,
        )

    def _keep(self, left: _Left) -> _Left:
        """Keeps the parts that touch at both ends, and ends that are known well enough; returns the
        others."""
        starts, lengths = self._times[left.spans], np.diff(self._times)[left.spans]
        low, high = starts + left.low * lengths, starts + left.high * lengths
        both = left.before & left.after & (high - low <= _THROUGH)
        known = (left.before != left.after) & (high - low <= _SHORT)
        low, high = (
            np.where(known & left.after, high, low),
            np.where(known & left.before, low, high),
        )
        for k in np.flatnonzero(both | known).tolist():
            self._found[left.pairs[k]].append((float(low[k]), float(high[k])))
        return left.select(~both & ~known)

    def _halve(self, left: _Left) -> _Left:
        """Looks at the middles; returns the halves that are still to be looked at, without the time
        around the middle in which the links cannot have come together."""
        middle, reach = (left.low + left.high) / 2.0, (left.high - left.low) / 2.0
        moments = self._course.at(left.spans, middle, reach)
        lengths = 2.0 * reach * np.diff(self._times)[left.spans]
        free = ~left.before & ~left.after
        # How far from its ends a part is free, in shares of its half.
        sure = np.ones(len(middle))
        for number in np.unique(left.pairs).tolist():
            own = np.flatnonzero(left.pairs == number)
            sway = left.ways[own] * reach[own]
            small = (sway <= _STILL) | ((sway <= _SMALL) & (lengths[own] <= _SHORT))
            own, sway = own[~(free[own] & small)], sway[~(free[own] & small)]
            near = self._near(number, moments, own, self._margin + sway)
            poses = moments.relate(self._pairs[number], own)
            for k in near.tolist():
                gap = self._measure(number, poses, k, sway[k])
                sure[own[k]] = min(gap / max(sway[k], _TINY), 1.0) if gap > 0.0 else -1.0
        touching = sure < 0.0
        reach = reach * np.maximum(sure, 0.0)
        before = _Left(
            left.pairs, left.spans, left.ways, left.low, middle - reach, left.before, touching
        )
        after = _Left(
            left.pairs, left.spans, left.ways, middle + reach, left.high, touching, left.after
        )
        return self._keep(_join([before, after]).select(np.tile(~free | (sure < 1.0), 2)))

    def _near(
        self, number: int, moments: Moments, chosen: Places, margins: Array | float
    ) -> Places:
        """Returns which of the chosen moments are not provably further apart than `margins`, as
        places in `chosen`."""
        pair = self._pairs[number]
        close = np.flatnonzero(moments.gaps(pair, chosen) <= margins)
        if len(close) < _FEW:
            return close  # They are asked of the shapes as fast as of planes.
        relation = moments.relate(pair, chosen[close])
        margins = np.broadcast_to(margins, len(chosen))[close]
        found: Places = close[self._tester.find_near(pair, *relation, margins)]
        return found

    def _measure(self, number: int, poses: tuple[Array, Array], k: int, most: float) -> float:
        """Returns how far a pair is from touching, `most` if it is more; 0 where it touches."""
        rotations, places = poses
        most += self._margin
        found = self._tester.measure(self._pairs[number], rotations[k], places[k], most)
        return max(found.distance - self._margin, 0.0)


def _join(parts: Sequence[_Left]) -> _Left:
    columns = zip(*([getattr(p, name) for name in _Left.__slots__] for p in parts), strict=True)
    return _Left(*(np.concatenate(column) for column in columns))


def _merge(found: Intervals) -> Intervals:
    """Joins intervals that are less than a millisecond apart."""
    merged: Intervals = []
    for start, end in sorted(found):
        if merged and start - merged[-1][1] < MERGED:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
