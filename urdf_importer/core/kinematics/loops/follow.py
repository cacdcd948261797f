# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage's followers, traced while its free joints go somewhere; and the nearest closed pose
where these cannot."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import Vector
from ..forward import Position
from .limits import SLACK, LoopLimits, find_limits
from .linkage import Linkage, LinkagePose
from .newton import CLOSED, NEARLY, Closed, close, solve_least, start_pose, zero_pose
from .sliding import Slide, hold_limits

_STRIDE = 0.25
"""How far free joints go at once, in radians and sizes of the linkage."""
_LEAST_STRIDE = 1.0 / 64.0
"""Of one such step: a pose that does not close after it cannot be reached."""
_JUMP = 0.6
"""Followers that move further at once may have fallen into another way to be put together."""
_ASIDE = 0.05
_ROUNDED = 3e-7
"""Gaps, in sizes of the linkage and radians, that descriptions of six digits leave."""
_ANSWERING = 1e-3
_HARDLY_PAST = 0.1
"""Radians and sizes of the linkage by which descriptions may contradict their limits at zero."""
_MOST_STARTS = 12


class LinkageSolver:
    """Traces the followers of one linkage. `moving` (n,) are the columns of their variables."""

    def __init__(self, linkage: Linkage, follows: tuple[bool, ...]) -> None:
        self.linkage = linkage
        self.moving = np.zeros(linkage.mixing.shape[1], dtype=bool)
        for variable, each in zip(linkage.variables, follows, strict=True):
            self.moving[variable.columns] = each
        self._follows = follows
        names = [variable.motion.joint.name for variable in linkage.variables]
        pairs = list(zip(names, follows, strict=True))
        self.free = tuple(name for name, each in pairs if not each)
        self.followers = tuple(name for name, each in pairs if each)

    def closes(self, found: Closed) -> bool:
        """Whether nothing stays open that could be closed."""
        if found.gap <= 100.0 * CLOSED or found.gap <= self._rest:
            return True
        if found.gap > _ROUNDED or not self.moving.any():
            return False
        # Followers that answer well have been brought to where the least stays open.
        sizes = np.linalg.svd(found.jacobian[:, self.moving], compute_uv=False)
        return len(sizes) == self.moving.sum() and bool(sizes[-1] > _ANSWERING * sizes[0])

    @cached_property
    def _rest(self) -> float:
        """The gap that the numbers of a description leave: at zero, and in a pose beside it, where
        equations that say the same thing twice differ most."""
        everything = np.ones_like(self.moving)
        aside = np.random.default_rng(0).uniform(-_ASIDE, _ASIDE, len(everything))
        found = close(self.linkage, self.linkage.move(self._valid.pose, aside), everything)
        rounded = min(10.0 * found.gap, _ROUNDED) if found.gap < _ROUNDED else 0.0
        return max(3.0 * self._valid.gap, rounded)

    @cached_property
    def _valid(self) -> Closed:
        """The closed pose nearest to zero within limits, including the followers' where the file
        does not say by its zero which way the linkage is put together."""
        found, own = self._find_nearest_to_zero(), find_limits(self.linkage, self._follows)
        if own.hold(found.pose.values, _HARDLY_PAST):
            return found
        zero, free = zero_pose(self.linkage), self._free_limits
        if free.hold(zero.values) and np.linalg.norm(self.linkage.measure(zero)[0]) <= NEARLY:
            return found
        return self._find_within(own.meet(free)) or found

    def _find_within(self, limits: LoopLimits) -> Closed | None:
        """Returns the closed pose within limits nearest to zero, among the poses reached from
        random ones."""
        random, start = np.random.default_rng(0), start_pose(self.linkage)
        reach = np.pi * self.linkage.units
        low, high = (np.where(np.isfinite(end), end, start.values + way)
                     for end, way in ((limits.lower, -reach), (limits.upper, reach)))  # fmt: skip
        found: list[Closed] = []
        for _ in range(_MOST_STARTS):
            pose = start.copy()
            pose.values = np.where(self.moving, random.uniform(low, high), start.values)
            there = close(self.linkage, pose, self.moving)
            if not limits.hold(there.pose.values, SLACK):
                there = hold_limits(self.linkage, there.pose, limits)
            if there.gap <= 100.0 * CLOSED and limits.hold(there.pose.values, SLACK):
                found.append(there)
        everything = np.ones_like(self.moving)
        return min(
            found, key=lambda each: self._distance(each.pose, start, everything), default=None
        )

    @cached_property
    def _free_limits(self) -> LoopLimits:
        return find_limits(self.linkage, self._follows, free=True)

    def _find_nearest_to_zero(self) -> Closed:
        """Returns the closed pose nearest to zero within limits of free joints."""
        first = close(self.linkage, start_pose(self.linkage), self.moving)
        if first.gap <= CLOSED:
            return first
        there = close(self.linkage, first.pose, np.ones_like(self.moving))
        free = self._free_limits
        if free.hold(there.pose.values):
            return there
        held = hold_limits(self.linkage, there.pose, free)
        inside = held.gap <= max(2.0 * there.gap, CLOSED) and free.hold(held.pose.values)
        return held if inside else there

    @cached_property
    def _zero(self) -> Closed:
        """The pose at zero, if it nearly closes, as it does in files that simulators write; else
        the one within limits."""
        there = close(self.linkage, zero_pose(self.linkage), self.moving, nearby=True)
        nearly = np.abs(there.pose.values / self.linkage.units).max(initial=0.0) <= NEARLY
        return there if there.gap <= _ROUNDED and nearly else self._valid

    @cached_property
    def limits(self) -> LoopLimits:
        """The limits of the followers. A description that has one past its limit in the pose
        nearest to zero contradicts itself; it may come back from there."""
        return find_limits(self.linkage, self._follows).widen(self._valid.pose.values)

    @cached_property
    def _wide_limits(self) -> LoopLimits:
        """Limits that hold at zero, too, where that closes but is past limits."""
        return self.limits.widen(self._zero.pose.values)

    def _choose_limits(self, here: Closed) -> LoopLimits:
        inside = self.limits.hold(here.pose.values, SLACK)
        return self.limits if inside else self._wide_limits

    def _find_nearest_home(self, asked: Mapping[str, Position]) -> Closed:
        """Returns the closed pose at zero or that within limits, whichever has the free joints
        nearer to where they are asked to be."""
        if self._zero is self._valid:
            return self._zero
        return min(
            (self._zero, self._valid),
            key=lambda home: self._distance(home.pose, self._aim(home.pose, asked), ~self.moving),
        )

    def follow(
        self,
        asked: Mapping[str, Position],
        known: Mapping[str, Position] | None,
        farthest: float = np.inf,
    ) -> tuple[Closed, bool]:
        """Returns the pose for these positions, and whether the free joints came there: from
        `known` positions, or from the asked ones, or from zero."""
        home = self._find_start(asked)
        if home is None and known is not None:
            home = self._find_start(known)
        home = home or self._find_nearest_home(asked)
        target = self._aim(home.pose, asked)
        here = home
        if target.several != home.pose.several:
            several = LinkagePose(values=home.pose.values, several=target.several)
            here = close(self.linkage, several, self.moving)
        return self._go(here, target, farthest)

    def list_missed(self, closed: Closed, asked: Mapping[str, Position]) -> list[str]:
        """Lists the free joints that are not where they were asked to be; the first, if that is
        unclear."""
        there = self.positions_of(closed.pose)
        missed = [
            name
            for name in self.free
            if name in asked and not np.allclose(asked[name], there[name], atol=1e-9)
        ]
        return missed or list(self.free[:1])

    def list_limited(self, closed: Closed, asked: Mapping[str, Position]) -> list[str]:
        """Lists the followers that would pass their limits if the free joints continued to where
        they were asked to be."""
        target = self._aim(closed.pose, asked)
        way = np.where(self.moving, 0.0, target.values - closed.pose.values) / self.linkage.units
        way[self.moving] = -solve_least(closed.jacobian[:, self.moving], closed.jacobian @ way)
        return self.linkage.name_columns(
            self._choose_limits(closed).find_stopped(closed.pose.values, way)
        )

    def list_held(self, positions: Mapping[str, Position]) -> list[str]:
        """Lists the followers at a limit."""
        values = self._put(zero_pose(self.linkage), positions, free=False).values
        both = (self.limits.find_stopped(values, np.full_like(values, way)) for way in (-1.0, 1.0))
        return self.linkage.name_columns(np.logical_or(*both))

    def _find_start(self, known: Mapping[str, Position]) -> Closed | None:
        """Returns the closed pose that is meant by positions of followers; None where they say
        nothing of them, or not nearly close."""
        if not any(name in known for name in self.followers):
            return None
        gaps, _ = self.linkage.measure(self._put(zero_pose(self.linkage), known, free=False))
        if float(np.linalg.norm(gaps)) > NEARLY:
            return None
        itself = self.home(known)
        if not self._choose_limits(itself).hold(itself.pose.values, SLACK):
            itself = hold_limits(self.linkage, itself.pose, self.limits)
        inside = self._wide_limits.hold(itself.pose.values, SLACK)
        return itself if inside and self.closes(itself) else None

    def nudge(
        self, positions: Mapping[str, Position], joint: str, change: float
    ) -> dict[str, float | tuple[float, ...]]:
        """Returns the positions of a closed pose, with a free joint changed a little and the
        followers moved along with it, as fast as the loops have them move."""
        pose = self._put(zero_pose(self.linkage), positions, free=False)
        _, jacobian = self.linkage.measure(pose)
        step = np.zeros(len(self.moving))
        for variable in self.linkage.variables:
            if variable.motion.joint.name == joint:
                step[variable.columns] = change / self.linkage.units[variable.columns]
        moving = self.moving
        step[moving] = -solve_least(jacobian[:, moving], jacobian @ step)
        return self.positions_of(self.linkage.move(pose, step))

    def _go(self, here: Closed, target: LinkagePose, farthest: float) -> tuple[Closed, bool]:
        limits = self._choose_limits(here)
        way = np.where(self.moving, 0.0, target.values - here.pose.values) / self.linkage.units
        strides = max(int(np.ceil(float(np.abs(way).max(initial=0.0)) / _STRIDE)), 1)
        done, stride = 0.0, 1.0 / strides
        while done < 1.0 - 1e-12:
            part = min(stride, 1.0 - done)
            there = self._step(here, way * part)
            if (
                self.closes(there)
                and not self._jumps(here, there)
                and limits.hold(there.pose.values, SLACK)
            ):
                here, done = there, done + part
            elif stride * strides > _LEAST_STRIDE:
                stride /= 2.0
            else:
                return self._come_near(here, target, farthest), False
        # Sums of strides are rounded; where the joints were asked to be is not.
        exact = here.pose.copy()
        exact.values = np.where(self.moving, here.pose.values, target.values)
        there = close(self.linkage, exact, self.moving)
        return there, self.closes(there)

    def positions_of(self, pose: LinkagePose) -> dict[str, float | tuple[float, ...]]:
        """Returns joint name -> position of all variables."""
        return {
            variable.motion.joint.name: float(pose.values[variable.columns.start])
            if variable.is_single
            else pose.several[variable.motion.joint.name]
            for variable in self.linkage.variables
        }

    def home(self, known: Mapping[str, Position]) -> Closed:
        """Returns the closed pose nearest to zero, or that at positions which nearly close."""
        if not known:
            return self._valid
        pose = self._put(zero_pose(self.linkage), known, free=False)
        return close(self.linkage, pose, self.moving, nearby=True)

    def _aim(self, pose: LinkagePose, asked: Mapping[str, Position]) -> LinkagePose:
        """Returns the pose with its free joints where they are asked to be, or at zero."""
        target, zero = pose.copy(), zero_pose(self.linkage)
        target.values = np.where(self.moving, pose.values, zero.values)
        for variable, follows in zip(self.linkage.variables, self._follows, strict=True):
            if not follows and not variable.is_single:
                name = variable.motion.joint.name
                target.several[name] = zero.several[name]
        return self._put(target, asked, free=True)

    def _put(
        self, pose: LinkagePose, positions: Mapping[str, Position], *, free: bool
    ) -> LinkagePose:
        """Returns the pose with these positions, of free joints alone or of all."""
        placed = pose.copy()
        for variable, follows in zip(self.linkage.variables, self._follows, strict=True):
            name = variable.motion.joint.name
            position = positions.get(name)
            if position is None or (free and follows):
                continue
            if isinstance(position, int | float):
                placed.values[variable.columns] = position
            else:
                placed.several[name] = tuple(position)
        return placed

    def _step(self, here: Closed, change: Vector) -> Closed:
        """Moves the free joints, the followers along their tangent, and closes the rest."""
        moving = self.moving
        step = change.copy()
        step[moving] = -solve_least(here.jacobian[:, moving], here.jacobian @ change)
        longest = float(np.abs(step).max(initial=0.0))
        if longest > 2.0 * _JUMP:
            step[moving] = 0.0
        return close(self.linkage, self.linkage.move(here.pose, step), moving, nearby=True)

    def _jumps(self, here: Closed, there: Closed) -> bool:
        moved = (there.pose.values - here.pose.values) / self.linkage.units
        return bool(np.abs(moved).max(initial=0.0) > _JUMP)

    def _come_near(self, here: Closed, target: LinkagePose, farthest: float) -> Closed:
        """Slides to the nearest pose that can be reached. Free joints stay within their limits,
        except joints that are past them or were asked to go there."""
        free = self._free_limits.widen(here.pose.values, target.values)
        limits = self._choose_limits(here).meet(free)
        slide = Slide(self.linkage, target, ~self.moving, limits, self.closes)
        if not limits.hold(here.pose.values):
            held = hold_limits(self.linkage, here.pose, limits)
            here = held if self.closes(held) else here
        return slide.come_near(here, farthest)

    def _distance(self, pose: LinkagePose, target: LinkagePose, free: NDArray[np.bool_]) -> float:
        off = (target.values - pose.values)[free] / self.linkage.units[free]
        return float(np.linalg.norm(off))
