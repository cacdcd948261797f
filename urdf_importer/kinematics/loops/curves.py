# SPDX-License-Identifier: GPL-3.0-or-later
"""Where followers of a loop stand, as curves over the position of the one free joint.

A linkage with one free joint goes one way. Its followers' positions, sampled with their slopes, are
cubic Hermite curves, whose error falls with the fourth power of the distance of samples: some
dozens of them hold to 1e-7 what any linkage does, in a plane or in space, and every program that
knows keyframes can follow them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...diagnostics import Diagnostics, quote
from ...geometry.transforms import Matrix, Vector
from ..motion import JointMotion
from ..tree import KinematicTree
from .freedom import LoopFreedom
from .linkage import Linkage
from .newton import Closed, solve_least
from .solve import LinkageSolver

FINE = 2e-7
"""How far curves may be off between samples, in radians and sizes of the linkage."""
_STRIDE = 0.1
"""Between the first samples, in radians and sizes of the linkage; what is wrong is halved."""
_STEEPEST = 50.0
"""Where followers move so many times as far as the free joint, at the end of its way, is its end:
further on there is no pose, and single precision makes leaps of it."""
_MOST_SAMPLES = 2000
_FARTHEST = 20.0
"""How far free joints without bounds are followed, in sizes of the linkage, if they slide."""
_NARROWEST = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoopCurve:
    """`samples` (K, 3): positions of `leader`, ascending, positions of `follower` there, slopes.

    lower, upper   how far the leader can go; None where it goes on without end
    cyclic         whether the samples are one turn, which repeats, each time further by what lies
                   between its ends
    """

    leader: str
    follower: str
    samples: Matrix
    lower: float | None
    upper: float | None

    @property
    def cyclic(self) -> bool:
        return self.lower is None and self.upper is None


def find_loop_curves(
    tree: KinematicTree, freedom: LoopFreedom, diagnostics: Diagnostics
) -> tuple[LoopCurve, ...]:
    """Returns a curve for each follower on linkages of one free joint.

    Others stay open, with a diagnostic, as do those with joints of several degrees of freedom.
    """
    found: list[LoopCurve] = []
    for linkage, follows in zip(freedom.linkages, freedom.moved, strict=True):
        reason = _find_obstacle(linkage, follows)
        if reason:
            names = ", ".join(quote(closure.joint.name) for closure in linkage.closures[:3])
            first = linkage.closures[0].joint
            diagnostics.warning(
                "loop-not-closed",
                f"loop joint {names} stays open in the rig: {reason}",
                subject=first.name,
                line=first.line,
            )
            continue
        found += _Sampler(linkage, follows).curves(diagnostics)
    return tuple(found)


def _find_obstacle(linkage: Linkage, follows: tuple[bool, ...]) -> str:
    """Why the followers cannot be drawn as curves; empty where they can."""
    pairs = list(zip(linkage.variables, follows, strict=True))
    for variable, _ in pairs:
        if not variable.is_single:
            return f"joint {quote(variable.motion.joint.name)} has several degrees of freedom"
    free = [variable for variable, each in pairs if not each and not _is_locked(variable.motion)]
    if len(free) != 1:
        return f"{len(free)} of its joints are free, and one must be"
    if not any(follows):
        return "it moves no joint"
    return ""


def _is_locked(motion: JointMotion) -> bool:
    return motion.lower is not None and motion.lower == motion.upper


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sample:
    """`leader` its position; `values` and `slopes` (n,) of all variables."""

    leader: float
    values: Vector
    slopes: Vector
    closed: Closed


class _Sampler:
    """Goes along the way of a linkage's one free joint."""

    def __init__(self, linkage: Linkage, follows: tuple[bool, ...]) -> None:
        self._linkage = linkage
        self._solver = LinkageSolver(linkage, follows)
        self._moving = self._solver.moving
        self._follows = follows
        self._leader = next(
            variable
            for variable, each in zip(linkage.variables, follows, strict=True)
            if not each and not _is_locked(variable.motion)
        )
        self._column = self._leader.columns.start
        self._unit = float(linkage.units[self._column])

    def curves(self, diagnostics: Diagnostics) -> Iterator[LoopCurve]:
        """Yields a curve for each follower."""
        samples, lower, upper = self._sample(diagnostics)
        places = np.array([each.leader for each in samples])
        for variable, follows in zip(self._linkage.variables, self._follows, strict=True):
            if not follows:
                continue
            column = variable.columns.start
            rows = [(each.values[column], each.slopes[column]) for each in samples]
            yield LoopCurve(
                leader=self._leader.motion.joint.name,
                follower=variable.motion.joint.name,
                samples=np.column_stack([places, np.array(rows)]),
                lower=lower,
                upper=upper,
            )

    def _sample(self, diagnostics: Diagnostics) -> tuple[list[_Sample], float | None, float | None]:
        motion = self._leader.motion
        home = self._describe(self._solver.home({}))
        turns = motion.kind == "revolute"
        if turns and motion.lower is None and motion.upper is None:
            round_trip, whole = self._go(home, home.leader + 2.0 * np.pi)
            if whole:
                return self._refine(round_trip), None, None
        most = 2.0 * np.pi if turns else _FARTHEST * self._linkage.size
        lower = home.leader - most if motion.lower is None else motion.lower
        upper = home.leader + most if motion.upper is None else motion.upper
        down, all_down = self._go(home, lower)
        up, all_up = self._go(home, upper)
        samples = self._refine([*down[:0:-1], *up])
        bounds = (samples[0].leader, samples[-1].leader)
        if not (all_down and all_up):
            name = quote(motion.joint.name)
            diagnostics.warning(
                "loop-range",
                f"joint {name} can go from {bounds[0]:g} to {bounds[1]:g} only: further its loop "
                "cannot close; it is held there",
                subject=motion.joint.name,
                line=motion.joint.line,
            )
        return samples, *bounds

    def _describe(self, closed: Closed) -> _Sample:
        slopes = np.zeros(len(self._moving))
        slopes[self._column] = 1.0 / self._unit
        right = closed.jacobian[:, self._column] / self._unit
        slopes[self._moving] = -solve_least(closed.jacobian[:, self._moving], right)
        return _Sample(
            leader=float(closed.pose.values[self._column]),
            values=closed.pose.values,
            slopes=slopes * self._linkage.units,
            closed=closed,
        )

    def _go(self, home: _Sample, end: float) -> tuple[list[_Sample], bool]:
        """Returns samples from home to the end, or to where there is no way on; and which."""
        way = (end - home.leader) / self._unit
        count = max(int(np.ceil(abs(way) / _STRIDE)), 1)
        samples = [home]
        for place in np.linspace(home.leader, end, count + 1)[1:] if way else ():
            there = self._try(samples[-1], float(place))
            if there is None:
                return self._find_end(samples, float(place)), False
            samples.append(there)
        return samples, True

    def _try(self, here: _Sample, place: float) -> _Sample | None:
        """Returns the sample at a place; None where there is none, or none to be trusted."""
        found, reached = self._solver.trace(here.closed, place, self._column)
        if not reached:
            return None
        there = self._describe(found)
        steepness = np.abs(there.slopes / self._linkage.units).max() * self._unit
        return there if steepness < _STEEPEST else None

    def _find_end(self, samples: list[_Sample], beyond: float) -> list[_Sample]:
        while abs(beyond - samples[-1].leader) > _NARROWEST * self._unit:
            there = self._try(samples[-1], (samples[-1].leader + beyond) / 2.0)
            if there is None:
                beyond = (samples[-1].leader + beyond) / 2.0
            else:
                samples.append(there)
        return samples

    def _refine(self, samples: list[_Sample]) -> list[_Sample]:
        """Puts samples between those where a curve through them is off."""
        fine = [samples[0]]
        waiting = samples[:0:-1]
        while waiting:
            first, last = fine[-1], waiting[-1]
            narrow = last.leader - first.leader < 2.0 * _NARROWEST * self._unit
            middle = None
            if not narrow and len(fine) + len(waiting) < _MOST_SAMPLES:
                middle = self._try(first, (first.leader + last.leader) / 2.0)
            if middle is None or self._is_fine(first, middle, last):
                fine.append(waiting.pop())
            else:
                waiting.append(middle)
        return fine

    def _is_fine(self, first: _Sample, middle: _Sample, last: _Sample) -> bool:
        width = last.leader - first.leader
        guess = (first.values + last.values) / 2.0 + width / 8.0 * (first.slopes - last.slopes)
        off = np.abs(guess - middle.values) / self._linkage.units
        return bool(off[self._moving].max() <= FINE)
