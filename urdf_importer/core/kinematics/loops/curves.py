# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of a loop's followers, as curves over the position of the one free joint.

A part of a linkage with one free joint goes one way. Its followers' positions, sampled with their
slopes, are cubic Hermite curves, whose error falls with the fourth power of the distance of
samples: some dozens of them match any linkage to 1e-7, in a plane or in space, and every program
that knows keyframes can follow them. Ball joints are three such curves, of their angles.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...diagnostics import Diagnostics, quote
from ...geometry.transforms import Matrix, Vector
from .blocks import AngleReader, LoopBlock, choose_orders
from .limits import SLACK
from .newton import Closed
from .tracing import Tracer

FINE = 2e-7
"""How far curves may be off between samples, in radians and sizes of the linkage."""
_STRIDE = 0.1
"""Between the first samples, in radians and sizes of the linkage; inaccurate intervals are halved.
"""
_MOST_SAMPLES = 2000
_FARTHEST = 20.0
"""How far free joints without bounds are followed, in sizes of the linkage, if they slide."""
_NARROWEST = 1e-6
NARROW = 1e-3
HARDLY = "its free joints can hardly move where it is closed"
_LONGER = 1.1
"""By how much the way must be longer for gaps to be borne with that the description makes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoopCurve:
    """`samples` (K, 3): positions of `leader`, ascending, positions of `follower` there, slopes.

    number         which of the follower's numbers it gives: for ball joints the angle about X, Y or
                   Z, in Blender's `order`
    lower, upper   how far the leader can go; None where it continues without end
    cyclic         whether the samples are one turn, which repeats, each time shifted by the
                   difference of its ends
    """

    leader: str
    follower: str
    samples: Matrix
    lower: float | None
    upper: float | None
    number: int = 0
    order: str = "XYZ"

    @property
    def cyclic(self) -> bool:
        return self.lower is None and self.upper is None

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Free joint -> how far it can move; without joints that turn without end."""
        if self.lower is None or self.upper is None:
            return {}
        return {self.leader: (self.lower, self.upper)}


def find_block_curves(
    block: LoopBlock, ranges: Mapping[str, tuple[float, float]], diagnostics: Diagnostics
) -> tuple[list[LoopCurve], str]:
    """Returns the curves of all followers of a part that has one free joint, or why there are none.

    `ranges` are the ranges of free joints left by earlier closings. Where the joint cannot go as
    far as its limits say, that is reported.
    """
    sampler = _Sampler(block, Tracer(block), ranges)
    way = sampler.find_way()
    if not way.whole:
        lenient = _Sampler(block, Tracer(block, SLACK), ranges)
        other = lenient.find_way()
        if other.whole or other.length > _LONGER * way.length:
            sampler, way = lenient, other
    if way.length < NARROW * float(sampler.unit):
        return [], HARDLY
    if not way.whole:
        _report_range(block, way, sampler.list_limited(way), diagnostics)
    return sampler.curves(way), ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Way:
    """`poses` from end to end; `whole` where the limits end it and nothing else."""

    poses: list[Closed]
    places: list[float]
    whole: bool
    cyclic: bool = field(default=False)

    @property
    def length(self) -> float:
        return self.places[-1] - self.places[0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sample:
    """`place` of the leader; `values` and `slopes` (m,) of its followers."""

    place: float
    values: Vector
    slopes: Vector
    closed: Closed


def _report_range(
    block: LoopBlock, way: _Way, limited: Sequence[str], diagnostics: Diagnostics
) -> None:
    joint = block.inputs[0].motion.joint
    reason = (
        f"joint {quote(limited[0])} would pass its limits" if limited else "its loop cannot close"
    )
    diagnostics.warning(
        "loop-range",
        f"joint {quote(joint.name)} can go from {way.places[0]:g} to {way.places[-1]:g} only: "
        f"further {reason}; it is held there",
        subject=joint.name,
        line=joint.line,
    )


class _Sampler:
    """Goes along the way of a part's one free joint."""

    def __init__(
        self, block: LoopBlock, tracer: Tracer, ranges: Mapping[str, tuple[float, float]]
    ) -> None:
        self._block = block
        self._tracer = tracer
        self._motion = block.inputs[0].motion
        self._bounds = ranges.get(self._motion.joint.name, block.bounds[0])
        self.unit = float(tracer.units[0])
        self._orders: dict[str, str] = {}
        self._reader = AngleReader(block.outputs, {})

    def find_way(self) -> _Way:
        """Returns the way between the limits, or as far as the loop closes."""
        motion, home = self._motion, self._tracer.home
        start = float(self._tracer.places(home)[0])
        turns = motion.kind == "revolute"
        bounds, turn = self._bounds, 2.0 * np.pi * self.unit
        if turns and bounds == (None, None):
            poses, places, whole = self._go(home, start + turn)
            if whole and self._returns(poses):
                return _Way(poses=poses, places=places, whole=True, cyclic=True)
        most = turn if turns else _FARTHEST * self._block.linkage.size
        lower = start - most if bounds[0] is None else bounds[0]
        upper = start + most if bounds[1] is None else bounds[1]
        down, below, all_down = self._go(home, lower)
        up, above, all_up = self._go(home, upper)
        poses, places = [*down[:0:-1], *up], [*below[:0:-1], *above]
        return _Way(poses=poses, places=places, whole=all_down and all_up)

    def list_limited(self, way: _Way) -> list[str]:
        """Lists the followers whose limits end the way."""
        return [
            name
            for closed, change in ((way.poses[0], -1.0), (way.poses[-1], 1.0))
            for name in self._tracer.list_limited(closed, 0, change)
        ]

    def curves(self, way: _Way) -> list[LoopCurve]:
        """Returns a curve for each number of each follower."""
        self._orders = choose_orders(self._block.outputs, way.poses)
        self._reader = AngleReader(self._block.outputs, self._orders)
        samples = self._refine(self._read(way.poses))
        places = np.array([each.place for each in samples])
        values = np.array([each.values for each in samples])
        ends = (None, None) if way.cyclic else (samples[0].place, samples[-1].place)
        return [
            LoopCurve(
                leader=self._motion.joint.name,
                follower=name,
                number=number,
                order=self._orders.get(name, "XYZ"),
                samples=np.column_stack(
                    [places, values[:, row], [each.slopes[row] for each in samples]]
                ),
                lower=ends[0],
                upper=ends[1],
            )
            for row, (name, number) in enumerate(self._reader.names)
        ]

    def _returns(self, poses: Sequence[Closed]) -> bool:
        """Whether a whole turn brings all followers back, or whole turns on."""
        first = self._reader.read(poses[0], None)
        change = self._reader.read(poses[-1], first) - first
        change -= np.where(self._reader.turning, 2.0 * np.pi * np.round(change / 2.0 / np.pi), 0.0)
        return bool(np.abs(change).max() < 1e-6 * max(1.0, self._block.linkage.size))

    def _read(self, poses: Sequence[Closed]) -> list[_Sample]:
        samples: list[_Sample] = []
        for closed in poses:
            samples.append(self._describe(closed, samples[-1].values if samples else None))
        return samples

    def _describe(self, closed: Closed, near: Vector | None) -> _Sample:
        values = self._reader.read(closed, near)
        return _Sample(
            place=float(self._tracer.places(closed)[0]),
            values=values,
            slopes=self._reader.rates(closed, values, self._tracer.speeds(closed, 0)),
            closed=closed,
        )

    def _go(self, home: Closed, end: float) -> tuple[list[Closed], list[float], bool]:
        """Returns poses from home to the end, or until no solution exists, and which of the two
        ended it.
        """
        start = float(self._tracer.places(home)[0])
        way = (end - start) / self.unit
        count = max(int(np.ceil(abs(way) / _STRIDE)), 1)
        poses, places, whole = [home], [start], True
        for place in np.linspace(start, end, count + 1)[1:] if way else ():
            there = self._try(poses[-1], float(place))
            if there is None:
                self._find_end(poses, places, float(place))
                whole = False
                break
            poses.append(there)
            places.append(float(place))
        return poses, places, whole

    def _try(self, here: Closed, place: float) -> Closed | None:
        """Returns the pose at a place; None where there is none, or none to be trusted."""
        there = self._tracer.go(here, np.array([place]))
        return None if there is None or self._tracer.is_steep(there) else there

    def _find_end(self, poses: list[Closed], places: list[float], beyond: float) -> None:
        while abs(beyond - places[-1]) > _NARROWEST * self.unit:
            middle = (places[-1] + beyond) / 2.0
            there = self._try(poses[-1], middle)
            if there is None:
                beyond = middle
            else:
                poses.append(there)
                places.append(middle)

    def _refine(self, samples: list[_Sample]) -> list[_Sample]:
        """Puts samples between the ones where a curve through them is off."""
        fine = [samples[0]]
        waiting = samples[:0:-1]
        while waiting:
            first, last = fine[-1], waiting[-1]
            narrow = last.place - first.place < 2.0 * _NARROWEST * self.unit
            middle = None
            if not narrow and len(fine) + len(waiting) < _MOST_SAMPLES:
                # However steep it is: both ends are trusted, and steep ways need more samples.
                place = np.array([(first.place + last.place) / 2.0])
                middle = self._tracer.go(first.closed, place)
            if middle is None:
                fine.append(waiting.pop())
                continue
            between = self._describe(middle, first.values)
            if self._is_fine(first, between, last):
                fine.append(waiting.pop())
            else:
                waiting.append(between)
        return fine

    def _is_fine(self, first: _Sample, middle: _Sample, last: _Sample) -> bool:
        width = last.place - first.place
        guess = (first.values + last.values) / 2.0 + width / 8.0 * (first.slopes - last.slopes)
        worth = np.where(self._reader.turning, 1.0, self._block.linkage.size)
        off = np.abs(guess - middle.values) / worth
        return bool(off.max() <= max(FINE, 0.1 * middle.closed.gap))
