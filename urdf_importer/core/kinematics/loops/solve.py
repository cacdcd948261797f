# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint positions at which loops are closed: the followers' positions from the free joints'.

A linkage may be put together in several ways for the same free joints: an elbow up or down. So the
followers are traced from the pose of zero, or from a pose that the caller knows, along the straight
line to the positions asked for; the answer depends on where it begins and on nothing else. An
unreachable pose, where the loops would not close or a follower would pass its limits, is replaced
by the nearest reachable one.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass

import numpy as np

from ...arguments import positions_of, robot_of
from ...model import Robot
from ..forward import Positions, check_positions
from ..recent import Recent
from ..tree import KinematicTree, retrace_tree
from .follow import LinkageSolver
from .freedom import LoopFreedom, find_freedom

_GENTLY = 0.25
"""How far a pose of a motion may slide from the one before, in radians and sizes of the linkage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopResult:
    """`positions` are the given ones, with the followers', and free joints where they could come.

    gap       metres: the length of the remaining gaps of all loops, angles times the loops' size
    reached   whether the free joints are where they were asked to be
    missed    the free joints that are not
    limited   followers that would pass their limits if the free joints went further
    """

    positions: Mapping[str, float | tuple[float, ...]]
    gap: float
    reached: bool = True
    missed: tuple[str, ...] = ()
    limited: tuple[str, ...] = ()


def close_loops(
    robot: Robot | KinematicTree,
    positions: Positions | None = None,
    *,
    start: Positions | None = None,
    freedom: LoopFreedom | None = None,
) -> LoopResult:
    """Returns joint positions at which the loops of a robot are closed.

    `positions` are as forward_kinematics takes them; free joints that they do not name are at zero.
    Followers are traced from their values in `positions` where that nearly closes the loops, else
    from `start`, an earlier result's positions, and without one from the pose of zero.
    `freedom` is the robot's find_freedom, to save computing it again.

    Raises KinematicsError for an unknown joint or a wrong kind of position.
    """
    return LoopCloser(robot, freedom).close(positions_of(positions), start=start)


def trace_loops(
    robot: Robot | KinematicTree,
    poses: Iterable[Positions],
    *,
    start: Positions | None = None,
    freedom: LoopFreedom | None = None,
) -> Iterator[LoopResult]:
    """Yields close_loops of one pose after the other, each traced from the one before, as a motion
    goes: nothing jumps to another way of putting the mechanism together. Arguments and errors are
    as for close_loops."""
    closer = LoopCloser(robot, freedom)
    for pose in poses:
        found = closer.close(positions_of(pose), start=start, gently=start is not None)
        start = found.positions
        yield found


class LoopCloser:
    """Closes the loops of one robot, again and again: everything reusable is computed once."""

    def __init__(self, robot: Robot | KinematicTree, freedom: LoopFreedom | None = None) -> None:
        self.tree = robot if isinstance(robot, KinematicTree) else retrace_tree(robot_of(robot))
        self.freedom = freedom or find_freedom(self.tree)
        self.solvers = tuple(
            LinkageSolver(linkage, follows)
            for linkage, follows in zip(self.freedom.linkages, self.freedom.moved, strict=True)
        )

    def select(self, solvers: "Iterable[LinkageSolver]") -> "LoopCloser":
        """Returns a closer of some of the linkages alone, by `solvers` of this one."""
        chosen = copy(self)
        chosen.solvers = tuple(solvers)
        return chosen

    def close(
        self, positions: Positions, *, start: Positions | None = None, gently: bool = False
    ) -> LoopResult:
        """Does as close_loops. As one pose of a motion, `gently`, it slides no further than the
        joints may go from one to the next, even where the nearest pose is further."""
        found = check_positions(self.tree.motion_of, positions)
        known = None if start is None else check_positions(self.tree.motion_of, start)
        gap, missed, limited = 0.0, list[str](), list[str]()
        for solver in self.solvers:
            closed, reached = solver.follow(found, known, _GENTLY if gently else np.inf)
            gap = max(gap, closed.gap * solver.linkage.size)
            there = solver.positions_of(closed.pose)
            if not reached:
                missed += solver.list_missed(closed, found)
                limited += solver.list_limited(closed, found)
            found |= there
        return LoopResult(
            positions=found,
            gap=gap,
            reached=not missed,
            missed=tuple(missed),
            limited=tuple(limited),
        )


_closers: Recent[int, tuple[Robot, LoopCloser]] = Recent(8)


def recall_closer(given: Robot | KinematicTree) -> LoopCloser:
    """Returns a closer of a robot's loops, or of its tree's, cached for the robots last asked
    about, since questions come in rows."""
    robot = given.robot if isinstance(given, KinematicTree) else given
    # A robot that is kept keeps its number.
    return _closers.get(id(robot), lambda: (robot, LoopCloser(given)))[1]
