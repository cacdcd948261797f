# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage's followers, traced while its free joints go somewhere; and the nearest closed pose
where these cannot."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import Vector
from ..forward import Position
from .linkage import Linkage, LinkagePose
from .newton import (
    CLOSED,
    NEARLY,
    RANK_TOLERANCE,
    Closed,
    close,
    solve_least,
    start_pose,
    zero_pose,
)

_STRIDE = 0.25
"""How far free joints go at once, in radians and sizes of the linkage."""
_LEAST_STRIDE = 1.0 / 64.0
"""Of one such step: what does not close after it cannot be reached."""
_JUMP = 0.6
"""Followers that move further at once may have fallen into another way to be put together."""
_MOST_ROUNDS = 60
_ASIDE = 0.05
_ROUNDED = 3e-7
"""Gaps, in sizes of the linkage and radians, that descriptions of six digits leave."""
_ANSWERING = 1e-3
_FLAT = 1e-6
"""Where the way down is less steep, the nearest pose is reached."""
_MOST_REACH = 100.0
_MEMORY = 5
"""Of so many steps one has to come nearer: such descents are quick because they may go back."""


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
        """The closed pose nearest to zero within limits."""
        first = close(self.linkage, start_pose(self.linkage), self.moving)
        if first.gap <= CLOSED:
            return first
        return close(self.linkage, first.pose, np.ones_like(self.moving))

    @cached_property
    def _zero(self) -> Closed:
        """The pose at zero, if it nearly closes, as it does in what simulators write; else that
        within limits."""
        there = close(self.linkage, zero_pose(self.linkage), self.moving, nearby=True)
        nearly = np.abs(there.pose.values / self.linkage.units).max(initial=0.0) <= NEARLY
        return there if there.gap <= _ROUNDED and nearly else self._valid

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
        `known` ones, or from those asked for themselves, or from zero."""
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
        """Lists the free joints that are not where they were asked to be; the first, if that cannot
        be told."""
        there = self.positions_of(closed.pose)
        missed = [
            name
            for name in self.free
            if name in asked and not np.allclose(asked[name], there[name], atol=1e-9)
        ]
        return missed or list(self.free[:1])

    def _find_start(self, known: Mapping[str, Position]) -> Closed | None:
        """Returns the closed pose that is meant by positions of followers; None where they say
        nothing of them, or not nearly close."""
        if not any(name in known for name in self.followers):
            return None
        gaps, _ = self.linkage.measure(self._put(zero_pose(self.linkage), known, free=False))
        if float(np.linalg.norm(gaps)) > NEARLY:
            return None
        itself = self.home(known)
        return itself if self.closes(itself) else None

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

    def trace(self, here: Closed, place: float, column: int) -> tuple[Closed, bool]:
        """Does as follow, from a closed pose, for one free joint: to a place of its column."""
        target = here.pose.copy()
        target.values[column] = place
        return self._go(here, target, 0.0)

    def _go(self, here: Closed, target: LinkagePose, farthest: float) -> tuple[Closed, bool]:
        way = np.where(self.moving, 0.0, target.values - here.pose.values) / self.linkage.units
        strides = max(int(np.ceil(float(np.abs(way).max(initial=0.0)) / _STRIDE)), 1)
        done, stride = 0.0, 1.0 / strides
        while done < 1.0 - 1e-12:
            part = min(stride, 1.0 - done)
            there = self._step(here, way * part)
            if self.closes(there) and not self._jumps(here, there):
                here, done = there, done + part
            elif stride * strides > (_LEAST_STRIDE if farthest else 4.0 * _LEAST_STRIDE):
                stride /= 2.0
            else:
                return self._come_near(here, target, farthest) if farthest else here, False
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
        """Moves the free joints, the followers along their tangent, and closes what is left."""
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
        """Slides along closed poses, as long as the free joints come nearer to their target: down
        the gradient, by steps as long as Barzilai and Borwein choose them (Two-Point Step Size
        Gradient Methods, 1988)."""
        linkage, free = self.linkage, ~self.moving
        everything = np.ones_like(free)
        best, least, gone = here, self._distance(here.pose, target, free), 0.0
        slope, reach, recent = self._find_slope(here, target, free), 1.0, [least]
        for _ in range(_MOST_ROUNDS):
            longest = float(np.abs(slope).max(initial=0.0))
            if longest < _FLAT or reach * longest < _FLAT:
                break
            reach = min(reach, _STRIDE / longest)
            step = slope * reach
            there = close(linkage, linkage.move(here.pose, step), everything, nearby=True)
            distance = self._distance(there.pose, target, free)
            if not self.closes(there) or distance >= max(recent[-_MEMORY:]):
                reach /= 4.0
                continue
            after = self._find_slope(there, target, free)
            bend = float(step @ (slope - after))
            reach = min(float(step @ step) / bend, _MOST_REACH) if bend > 0.0 else _MOST_REACH
            here, slope = there, after
            gone += float(np.abs(step).max())
            recent.append(distance)
            if distance < least:
                best, least = there, distance
            if gone >= farthest or (
                len(recent) > _MEMORY and recent[-_MEMORY] - min(recent) < _FLAT
            ):
                break
        return best

    def _find_slope(
        self, here: Closed, target: LinkagePose, free: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Returns the way (n,) of steepest descent to the target among closed poses."""
        wish = np.where(free, target.values - here.pose.values, 0.0) / self.linkage.units
        kept = _null_space(here.jacobian)
        slope: NDArray[np.float64] = kept @ (kept.T @ wish)
        return slope

    def _distance(self, pose: LinkagePose, target: LinkagePose, free: NDArray[np.bool_]) -> float:
        off = (target.values - pose.values)[free] / self.linkage.units[free]
        return float(np.linalg.norm(off))


def _null_space(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns (n, k) the directions that change no gap."""
    _, sizes, rows = np.linalg.svd(matrix)
    rank = int((sizes > RANK_TOLERANCE * sizes[0]).sum())
    kept: NDArray[np.float64] = rows[rank:].T
    return kept
