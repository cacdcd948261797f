# SPDX-License-Identifier: GPL-3.0-or-later
"""The free joints on loops, and their followers.

As many follow as the loops' equations are independent: the rank of their Jacobian in a general pose
of the linkage. At zero it may be in a special pose, such as a parallelogram laid flat, so the rank
is taken at other poses that close the loops, too.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...geometry.transforms import Matrix
from ...model import LoopJoint
from ..tree import KinematicTree
from .linkage import Linkage, LinkagePose, Variable
from .newton import CLOSED, close, find_rank, start_pose
from .plan import name_variables, plan_linkage

PER_RANK = 2e-9
"""Seconds of finding a rank, per row and square of columns."""
_TRIES = 8
_ENOUGH = 4
"""Poses beside zero at which the rank is looked at, until so many of them close."""
_TURN = 0.35
"""How far variables are taken from zero for them: radians, and parts of the linkage's size."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoopFreedom:
    """`free` are the joints on loops that move independently, `followers` the joints that the loops
    then move, both in tree order. `loops` are the loops that constrain something."""

    free: tuple[str, ...]
    followers: tuple[str, ...]
    loops: tuple[LoopJoint, ...]
    linkages: tuple[Linkage, ...]
    moved: tuple[tuple[bool, ...], ...]
    """Per linkage and its variables: whether it follows."""


def find_freedom(tree: KinematicTree, actuated: Collection[str] = ()) -> LoopFreedom:
    """Says which joints on the loops of a robot are free.

    Joints of `actuated` are free as long as the loops allow it, then the robot's joints that a
    transmission names or ros2_control commands, then joints that others on their loops mimic one to
    one, as the sides of a gripper do; on loops that have such, then joints that springs hold, which
    stay at rest; then joints in the order of the file. Joints of several degrees of freedom come
    last: loops turn them as little as possible.
    """
    linkages = tuple(plan_linkages(tree))
    moved = tuple(choose_followers(tree, linkages, actuated))
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for linkage, follows in zip(linkages, moved, strict=True):
        for variable, each in zip(linkage.variables, follows, strict=True):
            names[each].add(variable.motion.joint.name)
    in_order = [motion.joint.name for motion in tree.joint_motions]
    return LoopFreedom(
        free=tuple(name for name in in_order if name in names[False]),
        followers=tuple(name for name in in_order if name in names[True]),
        loops=tuple(closure.joint for linkage in linkages for closure in linkage.closures),
        linkages=linkages,
        moved=moved,
    )


def choose_followers(
    tree: KinematicTree, linkages: Iterable[Linkage], actuated: Collection[str] = ()
) -> Iterator[tuple[bool, ...]]:
    """Yields per linkage and its variables whether these follow, as find_freedom says."""
    driven = {joint.name for each in tree.robot.transmissions for joint in each.joints}
    driven |= {each.joint for each in tree.robot.controls if each.command_interfaces}
    order = {joint.name: place for place, joint in enumerate(tree.robot.joints)}

    def rank(variable: Variable, led: Collection[str], with_motor: bool) -> tuple[int, ...]:
        motion, name = variable.motion, variable.motion.joint.name
        locked = motion.lower is not None and motion.lower == motion.upper
        return (
            not variable.is_single,
            not locked,
            name not in actuated,
            name not in driven,
            name not in led,
            not (with_motor and variable.is_sprung),
            order.get(name, len(order)),
        )

    for linkage in linkages:
        led = {each.motion.joint.name for each in linkage.variables if _is_led(linkage, each)}
        with_motor = any(each.motion.joint.name in driven | led for each in linkage.variables)
        yield _choose_followers(linkage, partial(rank, led=led, with_motor=with_motor))


def _is_led(linkage: Linkage, variable: Variable) -> bool:
    """Whether other joints on the loops mimic a joint one to one."""
    ratios = np.abs(linkage.mixing[:, variable.columns.start])
    return variable.is_single and int((ratios == 1.0).sum()) > 1


def plan_linkages(tree: KinematicTree) -> Iterator[Linkage]:
    """Yields the linkages of a robot: loops that share joints are one."""
    for loops in group_loops(tree):
        linkage = plan_linkage(tree, loops)
        if linkage is not None:
            yield linkage


def group_loops(tree: KinematicTree) -> list[list[LoopJoint]]:
    """Returns the loops that share variables, each group in their order, sorted by their last
    loops; without loops that have no variables."""
    groups: dict[int, list[int]] = {}
    group_of: dict[str, int] = {}
    names_of: dict[int, set[str]] = {}
    for place, loop in enumerate(tree.robot.loops):
        names = name_variables(tree, loop)
        if not names:
            continue
        met = {group_of[name] for name in names & group_of.keys()}
        group = max(met, key=lambda each: len(groups[each]), default=place)
        met.discard(group)
        for other in met:
            groups[group] += groups.pop(other)
            names |= names_of.pop(other)
        groups.setdefault(group, []).append(place)
        names_of.setdefault(group, set()).update(names)
        group_of |= dict.fromkeys(names, group)
    loops = tree.robot.loops
    return [[loops[place] for place in sorted(each)] for each in sorted(groups.values(), key=max)]


def _choose_followers(linkage: Linkage, rank: Callable[[Variable], Any]) -> tuple[bool, ...]:
    """Takes the variables that are least wanted free until their columns span all equations."""
    jacobian = find_general_jacobian(linkage)
    follows: dict[str, bool] = {}
    columns: list[int] = []
    whole, reached = find_rank(jacobian), 0
    for variable in sorted(linkage.variables, key=rank, reverse=True):
        own = list(range(variable.columns.start, variable.columns.stop))
        found = reached
        if own and reached < whole:
            linkage.budget.spend(PER_RANK * len(jacobian) * (len(columns) + len(own)) ** 2)
            found = find_rank(jacobian[:, columns + own])
        follows[variable.motion.joint.name] = found > reached
        if found > reached:
            columns += own
            reached = found
    return tuple(follows[variable.motion.joint.name] for variable in linkage.variables)


def find_general_jacobian(linkage: Linkage) -> Matrix:
    """Returns the Jacobian (G, n) of highest rank among zero and other closed poses; of several the
    one whose equations are the least alike. A parallelogram that is laid flat at zero is seen as
    itself only where it is bent, so half of the poses are taken from within limits."""
    moving = np.ones(linkage.mixing.shape[1], dtype=bool)
    home = close(linkage, start_pose(linkage), moving)
    enough = max(2.0 * home.gap, 100.0 * CLOSED)
    random = np.random.default_rng(0)
    found = [home.jacobian]
    for attempt in range(_TRIES):
        if len(found) > _ENOUGH:
            break
        step = random.uniform(-_TURN, _TURN, len(moving))
        pose = linkage.move(home.pose, step)
        if attempt % 2:
            pose = _place_within_limits(linkage, pose, random)
        there = close(linkage, pose, moving)
        if there.gap <= enough:
            found.append(there.jacobian)
    return max(found, key=judge)


def _place_within_limits(
    linkage: Linkage, pose: LinkagePose, random: np.random.Generator
) -> LinkagePose:
    for variable in linkage.variables:
        lower, upper = variable.motion.lower, variable.motion.upper
        if variable.is_single and lower is not None and upper is not None:
            pose.values[variable.columns] = random.uniform(lower, upper)
    return pose


def judge(jacobian: Matrix) -> tuple[int, float]:
    """Returns the rank of a Jacobian, and how different its equations are: its smallest singular
    value that counts."""
    rank = find_rank(jacobian)
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    return rank, float(sizes[rank - 1]) if rank else 0.0
