# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways of a part of a linkage, step by step from the pose of zero, as far as it closes and no
follower passes its limits."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import Matrix, Vector
from .blocks import LoopBlock
from .follow import LinkageSolver
from .linkage import LinkagePose
from .newton import CLOSED, Closed, close, close_all, solve_least, solve_least_all

_STRIDE = 0.25
"""How far free joints go at once, in radians and sizes of the linkage."""
_LEAST_STRIDE = 1.0 / 16.0
"""Of one such step: a pose that does not close after it cannot be reached."""
_JUMP = 0.6
"""Followers that move further at once may have fallen into another way to be put together."""
_AT_LIMIT = 1e-4
"""Radians and sizes of the linkage: a follower that has come so near to a limit where the way ends
is the cause."""
IDLE = 1e-6
"""Of singular values, against the largest: turns that change gaps less change none."""
STEEPEST = 50.0
"""Where followers move so many times as far as the free joint, at the end of its way, is its end:
further on there is no pose, and single precision makes leaps of it."""
_FARTHEST = 2.0
"""How far free joints without bounds are followed, in sizes of the linkage, if they slide."""


class Tracer:
    """Follows a part from pose to pose; gaps of up to `slack` count as closed, and followers that
    are past their limits by so much as within them.

    home       the closed pose at zero
    limits     of followers; spins say about which axis rods turn without moving anything
    columns    of the free joints that may move
    units      (len(columns),) the worth of one unit of each column: 1 rad, or the linkage's size
    """

    def __init__(self, block: LoopBlock, slack: float = 0.0) -> None:
        self._linkage = block.linkage
        solver = LinkageSolver(block.linkage, block.follows)
        self._balls = [
            each.motion.joint.name
            for each in block.linkage.variables
            if each.motion.kind == "spherical"
        ]
        self._moving: NDArray[np.bool_] = solver.moving
        self.home = solver.home({})
        self.limits, self._slack = solver.limits, slack
        self.spins = dict(_find_spins(block, self.home))
        self._enough = max(3.0 * self.home.gap, 100.0 * CLOSED, slack)
        self.columns = tuple(variable.columns.start for variable in block.inputs)
        self.units: Vector = block.linkage.units[list(self.columns)]

    def places(self, closed: Closed) -> Vector:
        """Returns where the free joints are."""
        return closed.pose.values[list(self.columns)]

    def go(self, here: Closed, places: Vector) -> Closed | None:
        """Returns the pose with the free joints at these places; None where no way leads there."""
        target = here.pose.values.copy()
        target[list(self.columns)] = places
        way = (target - here.pose.values) / self._linkage.units
        strides = max(int(np.ceil(float(np.abs(way).max()) / _STRIDE)), 1)
        done, stride = 0.0, 1.0 / strides
        while done < 1.0 - 1e-12:
            part = min(stride, 1.0 - done)
            last = done + part >= 1.0 - 1e-12
            there = self._step(here, way * part, places if last else None)
            if (
                there.gap <= self._enough
                and not self._jumps(here, there)
                and self.limits.hold(there.pose.values, self._slack)
            ):
                here, done = there, done + part
            elif stride * strides > _LEAST_STRIDE:
                stride /= 2.0
            else:
                return None
        return here

    def go_all(self, heres: Sequence[Closed], places: Matrix) -> Iterator[Closed | None]:
        """Does `go` from many poses at once, each to its own places (N, k)."""
        poses, jacobians = _stack(heres)
        targets = poses.values.copy()
        targets[:, list(self.columns)] = places
        way = (targets - poses.values) / self._linkage.units
        strides = max(int(np.ceil(float(np.abs(way).max(initial=0.0)) / _STRIDE)), 1)
        fine = np.ones(len(heres), dtype=bool)
        for count in range(strides):
            last = places if count == strides - 1 else None
            there, gaps, rates = self._step_all(poses, jacobians, way / strides, last)
            fine &= (gaps <= self._enough) & ~self._jump(poses, there)
            fine &= [self.limits.hold(values, self._slack) for values in there.values]
            poses, jacobians = there, rates
        for index, here in enumerate(heres):
            if fine[index]:
                pose, gap = _pick(poses, index), float(gaps[index])
                yield Closed(pose=pose, gap=gap, jacobian=jacobians[index])
            else:
                yield self.go(here, places[index])

    def _step_all(
        self, poses: LinkagePose, jacobians: Matrix, change: Matrix, places: Matrix | None
    ) -> tuple[LinkagePose, Vector, Matrix]:
        """Does _step with many poses."""
        moving, step = self._moving, change.copy()
        right = (jacobians @ change[:, :, None])[:, :, 0]
        step[:, moving] = -solve_least_all(jacobians[:, :, moving], right)
        far = np.abs(step).max(axis=1) > 2.0 * _JUMP
        step[np.ix_(far, moving)] = 0.0
        moved = self._linkage.move(poses, step)
        if places is not None:
            moved.values[:, list(self.columns)] = places
        there = close_all(self._linkage, moved, moving)
        if not self.spins:
            return there
        for name, axis in self.spins.items():
            turns = there[0].several[name]
            there[0].several[name] = np.array([_stop_spin(turn, axis) for turn in turns.tolist()])
        return close_all(self._linkage, there[0], moving)

    def _jump(self, heres: LinkagePose, theres: LinkagePose) -> NDArray[np.bool_]:
        """Returns (N,), or of one pose (), whether followers or balls go further than they may at
        once."""
        moved = np.abs(theres.values - heres.values) / self._linkage.units
        far: NDArray[np.bool_] = moved.max(axis=-1) > _JUMP
        for name in self._balls:
            turned = np.multiply(heres.several[name], theres.several[name]).sum(axis=-1)
            far = far | (np.abs(turned) < np.cos(_JUMP))
        return far

    def list_limited(self, closed: Closed, index: int, change: float) -> list[str]:
        """Lists the followers that would pass their limits if the free joint `index` continued."""
        way = self.speeds(closed, index) * change
        stopped = self.limits.find_stopped(closed.pose.values, way, _AT_LIMIT)
        return self._linkage.name_columns(stopped)

    def speeds(self, closed: Closed, index: int) -> Vector:
        """Returns (n,) how fast all variables move where the free joint `index` does, by one."""
        column = self.columns[index]
        found = np.zeros(len(self._moving))
        found[column] = 1.0 / self._linkage.units[column]
        right = closed.jacobian[:, column] * found[column]
        found[self._moving] = -solve_least(closed.jacobian[:, self._moving], right)
        speeds: Vector = found * self._linkage.units
        for variable in self._linkage.variables:
            name = variable.motion.joint.name
            if name in self.spins:
                turn = np.array(closed.pose.several[name])
                speeds[variable.columns] += _hold_spin(
                    turn, speeds[variable.columns], self.spins[name]
                )
        return speeds

    def is_steep(self, closed: Closed, most: float = STEEPEST) -> bool:
        """Whether followers move so fast here that a pose a little further on is not sure."""
        for index, unit in enumerate(self.units):
            speeds = self.speeds(closed, index) / self._linkage.units * unit
            if np.abs(speeds).max() >= most:
                return True
        return False

    def _step(self, here: Closed, change: Vector, places: Vector | None) -> Closed:
        """Moves the free joints, the followers along their tangent, and closes the remaining gaps.
        Sums of steps are rounded; the given places of the free joints are not."""
        moving, step = self._moving, change.copy()
        step[moving] = -solve_least(here.jacobian[:, moving], here.jacobian @ change)
        if float(np.abs(step).max()) > 2.0 * _JUMP:
            step[moving] = 0.0
        moved = self._linkage.move(here.pose, step)
        if places is not None:
            moved.values[list(self.columns)] = places
        there = close(self._linkage, moved, moving, nearby=True)
        if not self.spins:
            return there
        for name, axis in self.spins.items():
            there.pose.several[name] = _stop_spin(there.pose.several[name], axis)
        return close(self._linkage, there.pose, moving)

    def _jumps(self, here: Closed, there: Closed) -> bool:
        return bool(self._jump(here.pose, there.pose))


def _stack(poses: Sequence[Closed]) -> tuple[LinkagePose, Matrix]:
    several = {name: np.array([each.pose.several[name] for each in poses])
               for name in poses[0].pose.several}  # fmt: skip
    values = np.array([each.pose.values for each in poses])
    return LinkagePose(values=values, several=several), np.array([p.jacobian for p in poses])


def _pick(poses: LinkagePose, index: int) -> LinkagePose:
    several = {name: tuple(turns[index].tolist()) for name, turns in poses.several.items()}
    return LinkagePose(values=poses.values[index], several=several)


def _find_spins(block: LoopBlock, home: Closed) -> Iterator[tuple[str, Vector]]:
    """Yields ball joint -> the axis (3,), in its link, about which a rod with a ball joint at
    either end can spin without moving anything."""
    for variable, follows in zip(block.linkage.variables, block.follows, strict=True):
        if not follows or variable.motion.kind != "spherical":
            continue
        _, sizes, rows = np.linalg.svd(home.jacobian[:, variable.columns])
        if sizes[1] > IDLE * sizes[0] >= sizes[2]:
            yield variable.motion.joint.name, rows[2]


def _stop_spin(quaternion: tuple[float, ...], axis: Vector) -> tuple[float, ...]:
    """Returns the turn x, y, z, w without its part about an axis of the link, so that a rod's
    orientation does not depend on its history."""
    vector, w = np.array(quaternion[:3]), quaternion[3]
    half = float(np.arctan2(vector @ axis, w))
    cosine, spin = float(np.cos(half)), -float(np.sin(half)) * axis
    turned = w * spin + cosine * vector + np.cross(vector, spin)
    return (*turned.tolist(), w * cosine - float(vector @ spin))


def _hold_spin(turn: Vector, speed: Vector, axis: Vector) -> Vector:
    """Returns the spin that is added to how fast a link turns, both about its own axes, so that
    _stop_spin finds nothing to stop."""
    across = float(np.cross(turn[:3], speed) @ axis)
    spin: Vector = -(speed @ axis + across / turn[3]) * axis
    return spin


def find_wanted(
    block: LoopBlock, tracer: Tracer, ranges: Mapping[str, tuple[float, float]]
) -> Matrix:
    """Returns (k, 2) how far the limits let the free joints go; half a turn where there is none."""
    rows = []
    homes = tracer.places(tracer.home)
    for variable, place, unit, bounds in zip(
        block.inputs, homes, tracer.units, block.bounds, strict=True
    ):
        motion = variable.motion
        most = unit * (np.pi if motion.kind == "revolute" else _FARTHEST)
        low, high = ranges.get(motion.joint.name, bounds)
        lower = place - most if low is None else low
        upper = place + most if high is None else high
        rows.append((min(lower, place), max(upper, place)))
    return np.array(rows)
