# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints along lines and arcs, from their starts: all courses at once, each in steps of its
own.

A step is taken where the tool is exactly on its way and no joint moves far, else halved: so a way
past a singularity is followed through the turn of the wrist, and never jumps to another
configuration.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...core.geometry.transforms import Matrix, Vector
from .courses import ToolCourse
from .curves import interpolate, spline_slopes
from .machine import NEAR, PlannedArm

_STEPS = 24
_LEAST = 1e-4
_FAR = 0.15
"""Radians, or shares of the reach, that a joint moves in one step."""
_PAST = 4
_MOST_ROUNDS = 6000
_ARRIVED = 1e-3
Failure = Literal["", "unreachable", "singular", "configuration"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Followed:
    """The joints along a course: positions (k, n) and slopes (k, n) at shares (k,), which end
    before 1 after a failure; `joint` is its column, `jump` how far that joint would move."""

    shares: Vector
    values: Matrix
    slopes: Matrix
    failure: Failure = ""
    joint: int = 0
    jump: float = 0.0

    def at(self, shares: Vector) -> Matrix:
        """Returns positions (B, n) near the exact ones."""
        return interpolate(self.shares, self.values, self.slopes, shares)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leg:
    """A course with the positions (n,) at its start, and at its end where these are taught: there
    external axes must arrive."""

    course: ToolCourse
    start: Vector
    end: Vector | None = None

    def lead(self, shares: Vector, seeds: Matrix, outer: Vector) -> Matrix:
        """Returns the seeds (B, n) with external axes where they are at shares (B,)."""
        goal = self.start if self.end is None else self.end
        even = self.start + shares[:, None] * (goal - self.start)
        return np.where(outer, even, seeds)

    def turned_back(self) -> "Leg":
        """Returns the same way from its taught end."""
        assert self.end is not None
        course = _Backward(self.course)
        return Leg(course=course, start=self.end, end=self.start)  # type: ignore[arg-type]


class _Backward:
    """A course from its end."""

    def __init__(self, course: ToolCourse) -> None:
        self._course = course

    def at(self, shares: Vector) -> Matrix:
        return self._course.at(1.0 - shares)


def follow(machine: PlannedArm, legs: Sequence[Leg]) -> list[Followed]:
    """Follows courses. Of a redundant arm both taught ends are met: it is followed from both, and
    the two ways are mixed."""
    found = _follow(machine, legs)
    if not machine.redundant:
        return [_arrive(machine, leg, each) for leg, each in zip(legs, found, strict=True)]
    both = [
        place for place, (leg, each) in enumerate(zip(legs, found, strict=True))
        if leg.end is not None and not each.failure
    ]  # fmt: skip
    back = _follow(machine, [legs[place].turned_back() for place in both]) if both else []
    for place, other in zip(both, back, strict=True):
        found[place] = _mix(machine, legs[place], found[place], other)
    return found


class _Front:
    """How far each of L courses has been followed."""

    def __init__(self, machine: PlannedArm, legs: Sequence[Leg]) -> None:
        self.machine, self.legs = machine, legs
        self.shares = np.zeros(len(legs))
        self.steps = np.full(len(legs), 1.0 / _STEPS)
        self.values = np.array([leg.start for leg in legs])
        # The last shares and positions, the newest first; far back where there are fewer.
        self.past = np.full((len(legs), _PAST), np.nan)
        self.past[:, 0] = 0.0
        self.known = np.repeat(self.values[:, None], _PAST, axis=1)
        self.tracks: list[list[tuple[float, Vector]]] = [[(0.0, leg.start)] for leg in legs]
        self.failures: list[tuple[Failure, int, float]] = [("", 0, 0.0)] * len(legs)
        self.open = np.ones(len(legs), dtype=bool)

    def advance(self) -> None:
        """Tries a step of each open course."""
        rows: Any = np.flatnonzero(self.open)
        goals = np.minimum(self.shares[rows] + self.steps[rows], 1.0)
        goals[1.0 - goals < 1e-9] = 1.0
        frames = np.concatenate(
            [self.legs[row].course.at(goal[None]) for row, goal in zip(rows, goals, strict=True)]
        )
        seeds = self.values[rows] if self.machine.redundant else self._predict(rows, goals)
        seeds = np.concatenate(
            [
                self.legs[row].lead(goal[None], seed[None], self.machine.outer)
                for row, goal, seed in zip(rows, goals, seeds, strict=True)
            ]
        )
        values, missed = self.machine.solve(frames, seeds)
        moved = np.abs(values - self.values[rows]) / self.machine.chain.units
        # External axes go where they are led, however far.
        moved[:, self.machine.outer] = 0.0
        good = (missed <= NEAR) & (moved.max(axis=1) <= _FAR)
        for place in np.flatnonzero(good).tolist():
            self._take(int(rows[place]), float(goals[place]), values[place])
        for place in np.flatnonzero(~good).tolist():
            self._refuse(int(rows[place]), float(missed[place]), moved[place])

    def _predict(self, rows: Vector, goals: Vector) -> Matrix:
        """Extrapolates by the polynomial through the last positions."""
        past, known = self.past[rows], self.known[rows]
        there = ~np.isnan(past)
        shares = np.where(there, past, 0.0)
        weights = there.astype(float)
        for one in range(_PAST):
            for other in range(_PAST):
                if one != other:
                    both = there[:, one] & there[:, other]
                    gap = np.where(both, shares[:, one] - shares[:, other], 1.0)
                    weights[:, one] *= np.where(both, (goals - shares[:, other]) / gap, 1.0)
        found: Matrix = (weights[..., None] * known).sum(axis=1)
        return found

    def _take(self, row: int, goal: float, values: Vector) -> None:
        self.shares[row], self.values[row] = goal, values
        self.past[row, 1:], self.known[row, 1:] = self.past[row, :-1], self.known[row, :-1]
        self.past[row, 0], self.known[row, 0] = goal, values
        self.tracks[row].append((goal, values))
        self.steps[row] = min(2.0 * self.steps[row], 1.0 / _STEPS)
        self.open[row] = goal < 1.0

    def _refuse(self, row: int, missed: float, moved: Vector) -> None:
        self.steps[row] *= 0.5
        if self.steps[row] < _LEAST:
            joint = int(moved.argmax())
            jump = float(moved[joint])
            lost = missed > NEAR
            self.failures[row] = ("unreachable" if lost else "singular", joint, jump)
            self.open[row] = False


def _follow(machine: PlannedArm, legs: Sequence[Leg]) -> list[Followed]:
    front = _Front(machine, legs)
    for _ in range(_MOST_ROUNDS):
        if not front.open.any():
            break
        front.advance()
    for row in np.flatnonzero(front.open).tolist():
        front.failures[row] = ("singular", 0, 0.0)
    return [_record(*each) for each in zip(front.tracks, front.failures, strict=True)]


def _record(track: list[tuple[float, Vector]], failed: tuple[Failure, int, float]) -> Followed:
    shares, values = np.array([each[0] for each in track]), np.array([each[1] for each in track])
    slopes = spline_slopes(shares, values) if len(shares) > 1 else np.zeros_like(values)
    failure, joint, jump = failed
    return Followed(
        shares=shares, values=values, slopes=slopes, failure=failure, joint=joint, jump=jump
    )


def _arrive(machine: PlannedArm, leg: Leg, found: Followed) -> Followed:
    """Returns the way as it is, or why it does not come to the taught positions."""
    if found.failure or leg.end is None:
        return found
    away = (leg.end - found.values[-1]) / machine.chain.units
    joint = int(np.abs(away).argmax())
    if abs(away[joint]) <= _ARRIVED:
        values = found.values.copy()
        values[-1] = leg.end
        return replace(found, values=values)
    gap = float(leg.end[joint] - found.values[-1][joint])
    return replace(found, failure="configuration", joint=joint, jump=gap)


def _mix(machine: PlannedArm, leg: Leg, there: Followed, back: Followed) -> Followed:
    """Mixes the ways from both ends, and corrects the mixture by the least motion."""
    assert leg.end is not None
    gaps = np.abs(leg.end - there.values[-1]) / machine.chain.units
    joint = int(gaps.argmax())
    if gaps[joint] <= 1e-9:
        return there
    jump = float(leg.end[joint] - there.values[-1][joint])
    wrong = replace(there, failure="configuration", joint=joint, jump=jump)
    if back.failure:
        return wrong
    shares = np.union1d(there.shares, np.round(1.0 - back.shares, 12))
    shares = shares[np.append(np.diff(shares) > 1e-9, True)]
    blend = (3.0 * shares**2 - 2.0 * shares**3)[:, None]
    seeds = (1.0 - blend) * there.at(shares) + blend * back.at(1.0 - shares)
    seeds[0], seeds[-1] = leg.start, leg.end
    values, missed = machine.solve(leg.course.at(shares), seeds)
    if missed.max() > NEAR:
        return wrong
    values[0], values[-1] = leg.start, leg.end
    moved = np.abs(np.diff(values, axis=0)) / machine.chain.units
    if moved[:, machine.free].max() > 4.0 * _FAR:
        return wrong
    return Followed(shares=shares, values=values, slopes=spline_slopes(shares, values))
