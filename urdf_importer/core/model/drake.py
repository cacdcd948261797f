# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake's joints beyond URDF, <drake:joint>, as joints of one axis and back.

A joint or shape in Drake's spelling has a Leaf of that tag. Balls and planar joints are joints of
the model; a screw or universal joint is one only while a file is read or written. A robot has two
joints in its place, with a link without mass between.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

from .extra import Leaf
from .joint import Joint, Limit, Mimic
from .link import Link
from .robot import Robot

DRAKE_JOINT = "drake:joint"
DRAKE_LEAF = Leaf(tag=DRAKE_JOINT)
DRAKE_PITCH = "drake:screw_thread_pitch"
"""Metres in a turn. A screw that is one joint has its metres in a radian as its `mimic`."""
_ENDLESS = Limit(lower=-1e16, upper=1e16)
_X, _Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def is_drake(joint: Joint) -> bool:
    return any(leaf.tag == DRAKE_JOINT for leaf in joint.leaves)


def split_drake_joints(robot: Robot) -> Robot:
    """Returns the robot with its screws and universal joints as two joints each."""
    if not any(is_drake(joint) for joint in robot.joints if joint.leaves):
        return robot
    parts = [list(_split(joint)) for joint in robot.joints]
    links = {link.name for link in robot.links}
    joints = {joint.name for joint in robot.joints}
    between: list[Link] = []
    found: list[Joint] = []
    for whole, made in zip(robot.joints, parts, strict=True):
        if len(made) == 2:
            link, second = _find_free(made[0].child, links), _find_free(made[1].name, joints)
            made = [replace(made[0], child=link), replace(made[1], name=second, parent=link)]
            between.append(Link(name=link, line=whole.line))
        found += made
    return replace(robot, links=(*robot.links, *between), joints=tuple(found))


def _find_free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _split(joint: Joint) -> Iterator[Joint]:
    """Yields the joint, or the two that it is; the second one is called after it."""
    if not is_drake(joint) or joint.type not in ("screw", "universal"):
        yield joint
        return
    link, is_screw = f"{joint.name}_link", joint.type == "screw"
    axis = joint.axis if is_screw else _X
    yield replace(joint, type="continuous", child=link, axis=axis, mimic=None)
    multiplier = joint.mimic.multiplier if joint.mimic is not None else 0.0
    yield Joint(
        name=f"{joint.name}_{'travel' if is_screw else 'axis2'}",
        type="prismatic" if is_screw else "continuous",
        parent=link,
        child=joint.child,
        axis=axis if is_screw else _Y,
        limit=_ENDLESS if is_screw else None,
        dynamics=None if is_screw else joint.dynamics,
        mimic=Mimic(joint=joint.name, multiplier=multiplier) if is_screw else None,
        leaves=(DRAKE_LEAF,),
        line=joint.line,
    )


def join_drake_joints(robot: Robot) -> Robot:
    """Returns the robot as a file holds it: with one joint in the place of two that are one of
    Drake's, as split_drake_joints made them; others of theirs that URDF knows are URDF's."""
    if not any(map(is_drake, robot.joints)):
        return robot
    bare = {link.name for link in robot.links if link == Link(name=link.name)}
    below: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    wholes: dict[str, Joint] = {}
    gone: set[str] = set()
    for joint in robot.joints:
        others = below.get(joint.child, ())
        if is_drake(joint) and joint.child in bare and len(others) == 1:
            whole = _join(joint, others[0])
            if whole is not None:
                wholes[joint.name] = whole
                gone.add(joint.child)
    links = tuple(link for link in robot.links if link.name not in gone)
    joints = (wholes.get(each.name, each) for each in robot.joints if each.parent not in gone)
    return replace(robot, links=links, joints=tuple(map(_settle, joints)))


def _join(first: Joint, second: Joint) -> Joint | None:
    """Returns the joint that is split into these two; None where there is none."""
    is_screw = second.type == "prismatic"
    whole = replace(
        first,
        type="screw" if is_screw else "universal",
        child=second.child,
        axis=first.axis if is_screw else None,
        mimic=second.mimic,
    )
    return whole if list(_split(whole)) == [first, second] else None


def _settle(joint: Joint) -> Joint:
    return as_urdf(joint) if joint.type in ("continuous", "prismatic") else joint


def as_urdf(joint: Joint) -> Joint:
    """Returns the joint in URDF's own spelling."""
    return replace(joint, leaves=tuple(leaf for leaf in joint.leaves if leaf.tag != DRAKE_JOINT))


def pitch_of(screw: Joint) -> float | None:
    """Returns the metres in a turn of a screw that is one joint, to the 15 digits that come back
    unchanged."""
    return None if screw.mimic is None else float(f"{screw.mimic.multiplier * math.tau:.15g}")
