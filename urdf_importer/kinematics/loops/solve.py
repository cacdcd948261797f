# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint positions at which loops are closed: those of the followers, from those of free joints.

A linkage may be put together in several ways for the same free joints: an elbow up or down. So the
followers are traced from the pose of zero, or from a pose that the caller knows, along the straight
line to the positions asked for; the answer depends on where it begins and on nothing else. What
cannot be reached is replaced by the nearest pose that closes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...diagnostics import KinematicsError, quote
from ...geometry.transforms import Vector
from ...model import Robot
from ..forward import Position, Positions, check_position
from ..tree import KinematicTree, retrace_tree
from .freedom import LoopFreedom, find_freedom
from .linkage import Linkage, LinkagePose
from .newton import CLOSED, RANK_TOLERANCE, Closed, close, solve_least, start_pose

_STRIDE = 0.25
"""How far free joints go at once, in radians and sizes of the linkage."""
_LEAST_STRIDE = 1.0 / 256.0
"""Of one such step: what does not close after it cannot be reached."""
_JUMP = 0.6
"""Followers that move further at once may have fallen into another way to be put together."""
_MOST_ROUNDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopResult:
    """`positions` are those given, with the followers', and free joints where they could come.

    gap       metres: the length of what stays open of all loops, angles times the loops' size
    reached   whether the free joints are where they were asked to be
    """

    positions: Mapping[str, float | tuple[float, ...]]
    gap: float
    reached: bool = field(default=True)


def close_loops(
    robot: Robot | KinematicTree,
    positions: Positions | None = None,
    *,
    start: Positions | None = None,
    freedom: LoopFreedom | None = None,
) -> LoopResult:
    """Returns joint positions at which the loops of a robot are closed.

    `positions` are as forward_kinematics takes them; what they say of followers is passed over, and
    free joints that they do not name are at zero. `start` is an earlier result's, from which the
    followers are traced: else they are traced from the pose of zero. `freedom` is what find_freedom
    said of the robot, for those who ask often.

    Raises KinematicsError for an unknown joint or a wrong kind of position.
    """
    tree = robot if isinstance(robot, KinematicTree) else retrace_tree(robot)
    asked = _check_positions(tree, positions or {})
    known = _check_positions(tree, start or {})
    freedom = freedom or find_freedom(tree)
    gap, reached = 0.0, True
    for linkage, follows in zip(freedom.linkages, freedom.moved, strict=True):
        solver = LinkageSolver(linkage, follows)
        found, whole = solver.follow(asked, known)
        reached = reached and whole
        gap = max(gap, found.gap * linkage.size)
        asked |= solver.positions_of(found.pose)
    return LoopResult(positions=asked, gap=gap, reached=reached)


def _check_positions(
    tree: KinematicTree, positions: Positions
) -> dict[str, float | tuple[float, ...]]:
    checked: dict[str, float | tuple[float, ...]] = {}
    for name, position in positions.items():
        if name not in tree.joint_index:
            raise KinematicsError(f"the robot has no joint {quote(name)}")
        motion = tree.motions[tree.joint_index[name]]
        assert motion is not None
        if motion.moves:
            checked[name] = check_position(name, motion.kind, position)
    return checked


class LinkageSolver:
    """Traces the followers of one linkage. `moving` (n,) are the columns of their variables."""

    def __init__(self, linkage: Linkage, follows: tuple[bool, ...]) -> None:
        self._linkage = linkage
        self.moving = np.zeros(linkage.mixing.shape[1], dtype=bool)
        for variable, each in zip(linkage.variables, follows, strict=True):
            self.moving[variable.columns] = each
        self._follows = follows

    def follow(
        self, asked: Mapping[str, Position], known: Mapping[str, Position]
    ) -> tuple[Closed, bool]:
        """Returns the pose for these positions, and whether the free joints came there."""
        home = self.home(known)
        target = self._put(home.pose, asked, free=True)
        here = home
        if target.several != home.pose.several:
            several = LinkagePose(values=home.pose.values, several=target.several)
            here = close(self._linkage, several, self.moving)
        return self._go(here, target, max(3.0 * home.gap, 100.0 * CLOSED))

    def trace(self, here: Closed, place: float, column: int) -> tuple[Closed, bool]:
        """Does as follow, from a closed pose, for one free joint: to a place of its column."""
        target = here.pose.copy()
        target.values[column] = place
        enough = max(3.0 * here.gap, 100.0 * CLOSED)
        return self._go(here, target, enough, nearest=False)

    def _go(
        self, here: Closed, target: LinkagePose, enough: float, *, nearest: bool = True
    ) -> tuple[Closed, bool]:
        way = np.where(self.moving, 0.0, target.values - here.pose.values) / self._linkage.units
        strides = max(int(np.ceil(float(np.abs(way).max(initial=0.0)) / _STRIDE)), 1)
        done, stride = 0.0, 1.0 / strides
        while done < 1.0 - 1e-12:
            part = min(stride, 1.0 - done)
            there = self._step(here, way * part)
            if there.gap <= enough and not self._jumps(here, there):
                here, done = there, done + part
            elif stride * strides > (_LEAST_STRIDE if nearest else 16.0 * _LEAST_STRIDE):
                stride /= 2.0
            else:
                return self._come_near(here, target, enough) if nearest else here, False
        # Sums of strides are rounded; where the joints were asked to be is not.
        exact = here.pose.copy()
        exact.values = np.where(self.moving, here.pose.values, target.values)
        there = close(self._linkage, exact, self.moving)
        return there, there.gap <= enough

    def positions_of(self, pose: LinkagePose) -> dict[str, float | tuple[float, ...]]:
        """Returns joint name -> position of all variables."""
        return {
            variable.motion.joint.name: float(pose.values[variable.columns.start])
            if variable.is_single
            else pose.several[variable.motion.joint.name]
            for variable in self._linkage.variables
        }

    def home(self, known: Mapping[str, Position]) -> Closed:
        """Returns the closed pose nearest to zero, or that of an earlier result."""
        pose = start_pose(self._linkage)
        everything = np.ones_like(self.moving)
        if not known:
            first = close(self._linkage, pose, self.moving)
            return first if first.gap <= CLOSED else close(self._linkage, first.pose, everything)
        return close(self._linkage, self._put(pose, known, free=False), self.moving)

    def _put(
        self, pose: LinkagePose, positions: Mapping[str, Position], *, free: bool
    ) -> LinkagePose:
        """Returns the pose with these positions, of free joints alone or of all."""
        placed = pose.copy()
        for variable, follows in zip(self._linkage.variables, self._follows, strict=True):
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
        return close(self._linkage, self._linkage.move(here.pose, step), moving)

    def _jumps(self, here: Closed, there: Closed) -> bool:
        moved = (there.pose.values - here.pose.values) / self._linkage.units
        return bool(np.abs(moved).max(initial=0.0) > _JUMP)

    def _come_near(self, here: Closed, target: LinkagePose, enough: float) -> Closed:
        """Slides along closed poses, as long as the free joints come nearer to their target."""
        linkage, free = self._linkage, ~self.moving
        everything = np.ones_like(free)
        best, distance = here, self._distance(here.pose, target, free)
        reach = 1.0
        for _ in range(_MOST_ROUNDS):
            wish = np.where(free, target.values - best.pose.values, 0.0) / linkage.units
            kept = _null_space(best.jacobian)
            step = kept @ (kept.T @ wish)
            longest = float(np.abs(step).max(initial=0.0))
            if longest < 1e-10:
                break
            step *= min(1.0, _STRIDE / longest) * reach
            there = close(linkage, linkage.move(best.pose, step), everything)
            nearer = self._distance(there.pose, target, free)
            if there.gap <= enough and nearer < distance:
                best, distance, reach = there, nearer, min(1.0, 2.0 * reach)
            elif reach < 1e-4:
                break
            else:
                reach /= 2.0
        return best

    def _distance(self, pose: LinkagePose, target: LinkagePose, free: NDArray[np.bool_]) -> float:
        off = (target.values - pose.values)[free] / self._linkage.units[free]
        return float(np.linalg.norm(off))


def _null_space(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns (n, k) the directions that change no gap."""
    _, sizes, rows = np.linalg.svd(matrix)
    rank = int((sizes > RANK_TOLERANCE * sizes[0]).sum())
    kept: NDArray[np.float64] = rows[rank:].T
    return kept
