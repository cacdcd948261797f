# SPDX-License-Identifier: GPL-3.0-or-later
"""When pairs of links touch during a motion, between its samples too.

A span between two samples is free where the links are further apart in its middle than they can get
until its ends: for planes between hulls in all spans at once, then for the shapes themselves.
The rest is halved, down to half a millisecond where the links begin or end to touch. Links that
touch twice within a fiftieth of a second count as touching between. Two links that are free at both
ends of less than a millisecond, and move by less than a tenth of a millimetre in it, count as free.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..progress import Progress
from .course import Course, Moments, Places
from .pairs import Pair, PairTester
from .sampling import Array
from .separation import relate

Flags = NDArray[np.bool_]
Intervals = list[tuple[float, float]]

MERGED = 1e-3
_SHORT, _SMALL, _STILL, _THROUGH = 5e-4, 1e-4, 1e-5, 0.02
_AT_ONCE = 100_000
"""Frames of links at a time."""


@dataclass(slots=True, eq=False)
class _Left:
    """Parts of spans, from share `low` to `high`, that are still to be looked at: the number of the
    pair, the span, and whether the pair touches at both ends."""

    pairs: Places
    spans: Places
    low: Array
    high: Array
    before: Flags
    after: Flags

    def take(self, chosen: Flags | Places) -> "_Left":
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
        moments = self._moments(np.zeros(1, np.intp), np.zeros(1), np.zeros(1))
        for number in range(len(self._pairs)):
            if self._touching(number, moments, np.zeros(1, np.intp))[0]:
                self._found[number].append((0.0, 0.0))

    def _moments(self, spans: Places, shares: Array, reach: Array) -> Moments:
        return self._course.at(spans, shares, reach)

    def _find_doubtful(self, spans: Places) -> _Left | None:
        """Returns the spans in which pairs may begin or end to touch, and keeps the touching
        ones."""
        half = np.full(len(spans), 0.5)
        moments = self._moments(spans, half, half)
        every = np.arange(len(spans))
        doubtful: list[tuple[int, Places, Array]] = []
        for number, pair in enumerate(self._pairs):
            sway = moments.sway(pair)
            near = self._near(number, moments, every, self._margin + sway)
            if len(near):
                # Where nothing moved since the sample before, it was looked at there.
                doubtful.append((number, near, np.cumsum(np.append(0.0, sway > 0.0))))
        if not doubtful:
            return None
        ends = np.append(spans, spans[-1] + 1)
        knots = self._moments(ends, np.zeros(len(ends)), np.zeros(len(ends)))
        parts = []
        for number, near, keys in doubtful:
            wanted = np.union1d(near, near + 1)
            _, firsts, same = np.unique(keys[wanted], return_index=True, return_inverse=True)
            flags = np.zeros(len(ends), bool)
            flags[wanted] = self._touching(number, knots, wanted[firsts])[same]
            # Links that touch, and do not move against each other.
            idle = flags[near] & (np.diff(keys)[near] == 0.0)
            for k in spans[near[idle]].tolist():
                self._found[number].append((float(self._times[k]), float(self._times[k + 1])))
            near = near[~idle]
            parts.append(self._part(number, spans[near], flags[near], flags[near + 1]))
        return self._keep(_join(parts))

    def _part(self, number: int, spans: Places, before: Flags, after: Flags) -> _Left:
        count = len(spans)
        pairs = np.full(count, number)
        return _Left(pairs, spans, np.zeros(count), np.ones(count), before, after)

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
        return left.take(~both & ~known)

    def _halve(self, left: _Left) -> _Left:
        """Looks at the middles; returns the halves that are still to be looked at, without the time
        around the middle in which the links cannot have come together."""
        middle, reach = (left.low + left.high) / 2.0, (left.high - left.low) / 2.0
        moments = self._moments(left.spans, middle, reach)
        lengths = 2.0 * reach * np.diff(self._times)[left.spans]
        free = ~left.before & ~left.after
        # How far from its ends a part is free, in shares of its half.
        sure = np.ones(len(middle))
        for number in np.unique(left.pairs).tolist():
            own = np.flatnonzero(left.pairs == number)
            sway = moments.sway(self._pairs[number])[own]
            small = (sway <= _STILL) | ((sway <= _SMALL) & (lengths[own] <= _SHORT))
            own, sway = own[~(free[own] & small)], sway[~(free[own] & small)]
            near = self._near(number, moments, own, self._margin + sway)
            for k in near.tolist():
                sure[own[k]] = self._look(number, moments, int(own[k]), sway[k], free[own[k]])
        touching = sure < 0.0
        reach = reach * np.maximum(sure, 0.0)
        before = _Left(left.pairs, left.spans, left.low, middle - reach, left.before, touching)
        after = _Left(left.pairs, left.spans, middle + reach, left.high, touching, left.after)
        return self._keep(_join([before, after]).take(np.tile(~free | (sure < 1.0), 2)))

    def _near(
        self, number: int, moments: Moments, chosen: Places, margins: Array | float
    ) -> Places:
        """Returns which of the chosen moments are not provably further apart than `margins`, as
        places in `chosen`."""
        pair, frames = self._pairs[number], moments.frames
        one, other = (self._course.index[name] for name in pair)
        balls = [self._tester.balls[name] for name in pair]
        centers = [
            frames.rotations[place, chosen] @ ball.center + frames.places[place, chosen]
            for place, ball in zip((one, other), balls, strict=True)
        ]
        reach = np.broadcast_to(balls[0].radius + balls[1].radius + margins, len(chosen))
        between = centers[0] - centers[1]
        close = np.flatnonzero(np.einsum("si,si->s", between, between) <= reach * reach)
        if not len(close) or len(chosen) == 1:
            return close  # One question is asked of the shapes as fast as of planes.
        relation = relate(frames, one, other, chosen[close])
        margins = np.broadcast_to(margins, len(chosen))[close]
        found: Places = close[self._tester.find_near(pair, *relation, margins)]
        return found

    def _touching(self, number: int, moments: Moments, chosen: Places) -> Flags:
        """Whether a pair touches at each of the chosen moments."""
        flags = np.zeros(len(chosen), bool)
        for k in self._near(number, moments, chosen, self._margin).tolist():
            flags[k] = self._touch(number, moments, int(chosen[k]), self._margin)
        return flags

    def _look(self, number: int, moments: Moments, moment: int, sway: float, free: bool) -> float:
        """Returns the share of `sway` for which a pair stays free; -1 where it touches.
        Of parts that touch at an end both halves are looked at anyway: 0 where it is free."""
        if not free:
            return -1.0 if self._touch(number, moments, moment, self._margin) else 0.0
        if not self._touch(number, moments, moment, self._margin + sway):
            return 1.0
        apart = self._measure(number, moments, moment) - self._margin
        return -1.0 if apart <= 0.0 else min(apart / max(sway, 1e-12), 1.0)

    def _measure(self, number: int, moments: Moments, moment: int) -> float:
        return self._tester.measure(
            self._pairs[number], *self._relate(number, moments, moment)
        ).distance

    def _touch(self, number: int, moments: Moments, moment: int, margin: float) -> bool:
        return self._tester.touch(
            self._pairs[number], *self._relate(number, moments, moment), margin
        )

    def _relate(self, number: int, moments: Moments, moment: int) -> tuple[Array, Array]:
        one, other = (self._course.index[name] for name in self._pairs[number])
        rotations, places = relate(moments.frames, one, other, np.array([moment]))
        return rotations[0], places[0]


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
