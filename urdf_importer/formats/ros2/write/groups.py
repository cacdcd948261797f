# SPDX-License-Identifier: GPL-3.0-or-later
"""The groups of a robot that has no SRDF: limbs, their hands, a state, a virtual joint."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import takewhile

from ....core.kinematics.motion import JointMotion
from ....core.kinematics.semantic_groups import describe_group
from ....core.kinematics.tips import Tip, find_tips
from ....core.kinematics.tree import KinematicTree
from ....core.model import (
    EndEffector,
    Group,
    GroupState,
    PassiveJoint,
    Semantics,
    VirtualJoint,
)
from ....core.names import Claims
from .drives import Drive

_WORLD, _ODOM = "world", "odom"
_LEGGED = 3
"""From so many limbs on a robot is on its feet, and nothing holds it."""
_SHORTEST_NAME = 2
_TAIL = re.compile(r"(?:[^A-Za-z0-9]*(?:joint|j|link)?[^A-Za-z]*)$", re.IGNORECASE)


def make_semantics(
    tree: KinematicTree, given: Semantics | None, drive: Drive | None, passive: Collection[str]
) -> Semantics:
    """Returns the SRDF of a robot: the given one where it has groups; else the same with the groups
    of the limbs that are found, their states and hands, and a virtual joint."""
    if given is not None and given.groups:
        return given
    semantics = given or Semantics(name=tree.robot.name)
    still = {*passive, *(drive.joints if drive is not None else ())}
    tips = [tip for tip in find_tips(tree, (), still) if still.isdisjoint(_joints_to(tree, tip))]
    claims, groups, hands = Claims(), list[Group](), list[EndEffector]()
    states = list[GroupState]()
    for tip in tips:
        name = claims.claim(_name_limb(tip, len(tips)))
        groups.append(_make_limb(tree, tip, name))
        states.append(_make_state(tree, name, tip.joints))
        fingers = _find_fingers(tree, tip, still)
        if fingers:
            called = claims.claim("gripper" if len(tips) == 1 else f"{name}_gripper")
            groups.append(Group(name=called, joints=fingers))
            states.append(_make_state(tree, called, fingers))
            hands.append(
                EndEffector(name=called, group=called, parent_link=tip.link, parent_group=name)
            )
    if not groups:
        return semantics
    return replace(
        semantics,
        groups=tuple(groups),
        end_effectors=tuple(hands),
        group_states=semantics.group_states or tuple(states),
        virtual_joints=semantics.virtual_joints or _make_virtual(tree, drive, len(tips)),
    )


def add_passive(semantics: Semantics, passive: Iterable[str]) -> Semantics:
    """Returns an SRDF in which these joints are passive too."""
    known = {each.name for each in semantics.passive_joints}
    new = tuple(PassiveJoint(name=name) for name in passive if name not in known)
    return (
        replace(semantics, passive_joints=(*semantics.passive_joints, *new)) if new else semantics
    )


def find_home(motion: JointMotion) -> float:
    """Returns zero, or the middle of a joint's range that leaves zero out."""
    low, high = motion.ends
    return 0.0 if low <= 0.0 <= high else motion.nearest_valid((low + high) / 2.0)


def _joints_to(tree: KinematicTree, tip: Tip) -> Iterator[str]:
    """Yields the joints from the last one of a tip up to the root."""
    for place in tree.ancestors(tree.joint_index[tip.joints[-1]]):
        motion = tree.motions[place]
        if motion is not None:
            yield motion.joint.name


def _name_limb(tip: Tip, count: int) -> str:
    """Returns arm where there is one limb; else the common start of its joints' names or, of a head
    on a torso, of the last two; else the name of its link."""
    if count == 1:
        return "arm"
    for joints in (tip.joints, tip.joints[-2:]):
        start = _TAIL.sub("", _find_start([name.lower() for name in joints]))
        if len(start) >= _SHORTEST_NAME:
            return start
    return tip.link


def _find_start(names: Iterable[str]) -> str:
    """Returns the characters with which all names begin."""
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*names, strict=False))
    return "".join(column[0] for column in columns)


def _make_limb(tree: KinematicTree, tip: Tip, name: str) -> Group:
    """Returns the joints of a tip as a group. A chain ends at the tool's frame, which is fixed
    on the last link."""
    found = describe_group(tree.robot, name, tip.joints)
    chains = tuple(replace(each, tip_link=tip.link) for each in found.chains)
    return replace(found, chains=chains)


def _find_fingers(tree: KinematicTree, tip: Tip, still: Collection[str]) -> tuple[str, ...]:
    last = tree.joint_index[tip.joints[-1]]
    motions = (tree.motions[place] for place in tree.subtree(last)[1:])
    return tuple(
        motion.joint.name
        for motion in motions
        if motion is not None and motion.is_scalar and motion.joint.name not in still
    )


def _make_state(tree: KinematicTree, group: str, joints: Iterable[str]) -> GroupState:
    motions = [tree.motion_of[name] for name in joints]
    leaders = [each for each in motions if each.mimic is None]
    positions = tuple((each.joint.name, (find_home(each),)) for each in leaders)
    return GroupState(name="home", group=group, positions=positions)


def _make_virtual(tree: KinematicTree, drive: Drive | None, limbs: int) -> tuple[VirtualJoint, ...]:
    root = tree.links[0].name
    if root == _WORLD:
        return ()
    kind = "planar" if drive is not None else "floating" if limbs >= _LEGGED else "fixed"
    frame = _ODOM if drive is not None else _WORLD
    joint = VirtualJoint(name="virtual_joint", type=kind, parent_frame=frame, child_link=root)
    return (joint,)
