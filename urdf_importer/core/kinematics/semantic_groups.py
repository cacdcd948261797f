# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints an SRDF's groups have: as MoveIt resolves them.

A group has the joints that it names, the joint above each link that it names, of a chain the joints
from the tip up to the base (not the one above the base), and the joints of its subgroups. Where a
chain's base is not above its tip, both go up to the link where they meet, and the joint above that
one comes along. Above the root is the virtual joint, where there is one.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from ..arguments import robot_of
from ..diagnostics import KinematicsError, quote, unknown_name
from ..model import Chain, EndEffector, Group, Robot, Semantics
from .tree import KinematicTree, retrace_tree

_Node = TypeVar("_Node", bound=Hashable)


def group_joints(robot: Robot, name: str, *, semantics: Semantics) -> tuple[str, ...]:
    """Returns the joints of a group: virtual ones first, then in the order of the robot.

    Raises KinematicsError for an unknown group and for groups that contain each other.
    """
    robot = robot_of(robot)
    if all(group.name != name for group in semantics.groups):
        known = [group.name for group in semantics.groups]
        raise unknown_name("the SRDF has no group", name, known, source=semantics.source)
    if name in find_rings(semantics):
        raise KinematicsError(
            f"group {quote(name)} depends on groups that contain each other",
            source=semantics.source,
        )
    return resolve_groups(robot, semantics)[name]


def resolve_groups(robot: Robot, semantics: Semantics) -> dict[str, tuple[str, ...]]:
    """Returns the joints of every group, in the order of group_joints; no joints for groups in
    rings."""
    if not semantics.groups:
        return {}
    resolver = _Resolver(robot, semantics)
    rings = find_rings(semantics)
    groups = {group.name: group for group in semantics.groups}
    found: dict[str, set[str]] = {name: set() for name in rings}
    for name in _subgroups_first(groups, rings):
        joints = resolver.own_joints(groups[name])
        for other in groups[name].groups:
            joints |= found.get(other, set())
        found[name] = joints
    return {name: resolver.in_order(found[name]) for name in groups}


def find_parent_group(robot: Robot, semantics: Semantics, effector: EndEffector) -> str:
    """Returns the group of the arm that carries an end effector: the named one, where it holds the
    joint above the parent link, else the smallest group that holds it; empty where there is
    none."""
    above = {joint.name for joint in robot.joints if joint.child == effector.parent_link}
    fitting = {
        name: len(joints)
        for name, joints in resolve_groups(robot, semantics).items()
        if above & set(joints) and name != effector.group
    }
    if effector.parent_group in fitting:
        return effector.parent_group
    return min(fitting, key=lambda name: fitting[name], default="")


def describe_group(robot: Robot, name: str, joints: Iterable[str]) -> Group:
    """Returns a group of these joints: as a chain where they are all that moves on their own on the
    way between two links, else by their names, in the order of the robot, virtual ones first."""
    tree = retrace_tree(robot)
    wanted = dict.fromkeys(joints)
    moving = {
        motion.joint.child: motion.joint
        for motion in tree.joint_motions
        if motion.moves and motion.mimic is None
    }
    chosen = [joint for joint in moving.values() if joint.name in wanted]
    known = [joint.name for joint in robot.joints]
    virtual = wanted.keys() - set(known)
    ordered = (*(each for each in wanted if each in virtual), *filter(wanted.__contains__, known))
    named = Group(name=name, joints=ordered)
    if len(chosen) < 2 or len(chosen) != len(wanted):
        return named
    places = [tree.index[joint.child] for joint in chosen]
    top, tip = chosen[places.index(min(places))], chosen[places.index(max(places))]
    way: list[str] = []
    for place in tree.ancestors(tree.index[tip.child]):
        link = tree.links[place].name
        if link == top.parent:
            break
        if link in moving:
            way.append(moving[link].name)
    if set(way) != wanted.keys():
        return named
    return Group(name=name, chains=(Chain(base_link=top.parent, tip_link=tip.child),))


def find_rings(semantics: Semantics) -> frozenset[str]:
    """Returns the groups that need each other, or need such groups."""
    groups = {group.name: group for group in semantics.groups}
    done = set(_subgroups_first(groups, frozenset()))
    return frozenset(groups.keys() - done)


def _subgroups_first(groups: Mapping[str, Group], without: frozenset[str]) -> Iterator[str]:
    """Groups after all that they need; groups that can never be resolved are left out."""
    known = groups.keys() - without
    return list_ready(
        {name: known.intersection(groups[name].groups) for name in groups.keys() & known}
    )


def list_ready(needs: Mapping[_Node, Collection[_Node]]) -> Iterator[_Node]:
    """Yields the nodes of `needs`, node -> its prerequisites, after all that they need, without
    nodes that need themselves through other nodes.
    """
    sorter = TopologicalSorter(needs)
    with suppress(CycleError):
        sorter.prepare()
    while ready := sorter.get_ready():
        yield from ready
        sorter.done(*ready)


class _Resolver:
    def __init__(self, robot: Robot, semantics: Semantics) -> None:
        self._tree: KinematicTree = retrace_tree(robot)
        root = self._tree.links[0].name
        self._virtual = [v.name for v in semantics.virtual_joints if v.child_link == root]
        names = [*self._virtual, *(joint.name for joint in robot.joints)]
        self._places = {name: place for place, name in enumerate(names)}

    def in_order(self, joints: set[str]) -> tuple[str, ...]:
        return tuple(sorted(joints, key=self._places.__getitem__))

    def own_joints(self, group: Group) -> set[str]:
        """Without the joints of subgroups; names that the robot does not have are left out."""
        joints = {name for name in group.joints if name in self._places}
        index = self._tree.index
        for link in group.links:
            joints.update(self._above(index[link]) if link in index else ())
        for chain in group.chains:
            if chain.base_link in index and chain.tip_link in index:
                joints |= self._chain_joints(chain)
        return joints

    def _above(self, place: int) -> list[str]:
        motion = self._tree.motions[place]
        if motion is not None:
            return [motion.joint.name]
        return self._virtual if place == 0 else []

    def _chain_joints(self, chain: Chain) -> set[str]:
        path = self._tree.path(chain.base_link, chain.tip_link)
        if path.top < 0:
            return set()  # two trees
        meeting = [path.top] if len(path.up) else []
        return {name for place in [*path.places, *meeting] for name in self._above(int(place))}
