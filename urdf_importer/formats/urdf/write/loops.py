# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that close loops, in the notation that they came in: see ../read/loop.py.

Not every notation can express every loop: a loop that one cannot is written as <loop_joint>, which
can.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ....core.diagnostics import KinematicsError
from ....core.geometry.transforms import Matrix, invert, matrix_from_pose, pose_of
from ....core.kinematics.forward import zero_frames
from ....core.kinematics.loops.gap import find_axis
from ....core.kinematics.tree import retrace_tree
from ....core.markup.write import XmlWriter, format_number, format_numbers
from ....core.model import IDENTITY, Dynamics, Limit, LoopJoint, Pose, Robot

_GAZEBO_TYPES = ("revolute", "continuous", "prismatic", "fixed", "ball")
_OF_AXIS = ("initial_position", "mimic")
_SAME = 1e-9
_ROUNDING = 1e-12
_BALL = "drake:ball_constraint"


def settle_notations(robot: Robot) -> Robot:
    """Returns the robot with its loops as a file of URDF holds them: each in a notation that can
    express it. SDF's joint has one pose, so both links must be at it where all joints are at zero:
    its frame in the first link follows from that. Drake's has points."""
    if not any(loop.notation for loop in robot.loops):
        return robot
    return replace(robot, loops=tuple(_settle(robot)))


def _settle(robot: Robot) -> Iterator[LoopJoint]:
    places: dict[str, Matrix] = {}
    if any(loop.notation == "gazebo" for loop in robot.loops):
        try:
            tree = retrace_tree(robot)
            names = (link.name for link in tree.links)
            places = dict(zip(names, zero_frames(tree), strict=True))
        except KinematicsError:
            pass  # There are no frames to go by.
    held = {joint.child: joint.line for joint in robot.joints}
    for loop in robot.loops:
        if loop.notation == "joint":
            yield loop if _is_second(loop, held) else replace(loop, notation="")
        elif loop.notation == "gazebo":
            yield _settle_gazebo(loop, places)
        elif loop.notation == "drake":
            yield _settle_drake(loop)
        else:
            yield replace(loop, notation="")


def _is_second(loop: LoopJoint, held: dict[str, int]) -> bool:
    """Whether a <joint> would be read as this loop: its frame is the child's, and an earlier joint
    in the file holds the child."""
    return loop.origin2 == IDENTITY and held.get(loop.link2, loop.line + 1) <= loop.line


def _settle_gazebo(loop: LoopJoint, places: dict[str, Matrix]) -> LoopJoint:
    one, other = places.get(loop.link1), places.get(loop.link2)
    lacks_axis = loop.type in _GAZEBO_TYPES[:3] and (loop.axis is None or find_axis(loop) is None)
    if one is None or other is None or loop.type not in _GAZEBO_TYPES or lacks_axis:
        return replace(loop, notation="")
    first = invert(one) @ (
        other @ matrix_from_pose(loop.origin2)
    )  # The value after reading, to the last bit.
    if np.abs(first - matrix_from_pose(loop.origin1)).max() > _SAME * (1.0 + np.abs(first).max()):
        return replace(loop, notation="")
    return replace(loop, origin1=pose_of(first, rounding=_ROUNDING))


def _settle_drake(loop: LoopJoint) -> LoopJoint:
    says_more = loop.limit or loop.dynamics or loop.extras or loop.axis
    if loop.type != "ball" or says_more:
        return replace(loop, notation="")
    return replace(loop, origin1=Pose(xyz=loop.origin1.xyz), origin2=Pose(xyz=loop.origin2.xyz))


def write_gazebo_joint(loop: LoopJoint, xml: XmlWriter) -> None:
    """Writes the loop as SDF's joint in a <gazebo>. `loop` is settled."""
    with xml.element("gazebo"):
        kind = "revolute" if loop.type == "continuous" else loop.type
        with xml.element("joint", {"name": loop.name, "type": kind}):
            write_pose(loop.origin2, "", xml)
            xml.leaf("parent", text=loop.link1)
            xml.leaf("child", text=loop.link2)
            if loop.axis is not None:
                _write_axis(loop, xml)
            others = (e for e in loop.extras if loop.axis is None or e.tag not in _OF_AXIS)
            xml.verbatim(*(extra.xml for extra in others))


def write_pose(pose: Pose, base: str, xml: XmlWriter) -> None:
    """Writes SDF's <pose>; nothing for the identity in the usual frame."""
    if pose == IDENTITY and not base:
        return
    attributes = {"relative_to": base} if base else {}
    turn: tuple[float, ...] = pose.rpy
    if pose.quat_xyzw is not None:
        attributes["rotation_format"] = "quat_xyzw"
        turn = pose.quat_xyzw
    xml.leaf("pose", attributes, format_numbers((*pose.xyz, *turn)))


def _write_axis(loop: LoopJoint, xml: XmlWriter) -> None:
    with xml.element("axis"):
        xml.leaf("xyz", text=format_numbers(loop.axis or ()))
        _write_numbers("limit", ("lower", "upper", "effort", "velocity"), loop.limit, xml)
        _write_numbers("dynamics", ("damping", "friction"), loop.dynamics, xml)
        xml.verbatim(*(extra.xml for extra in loop.extras if extra.tag in _OF_AXIS))


def _write_numbers(
    tag: str, names: tuple[str, ...], holder: Limit | Dynamics | None, xml: XmlWriter
) -> None:
    if holder is not None:
        with xml.element(tag):
            for name in names:
                if (number := getattr(holder, name)) is not None:
                    xml.leaf(name, text=format_number(number))
            xml.verbatim(*(extra.xml for extra in holder.extras))


def write_ball_constraint(loop: LoopJoint, xml: XmlWriter) -> None:
    """Writes the loop as Drake does. `loop` is settled."""
    plain = f"{loop.link1}_to_{loop.link2}"
    with xml.element(_BALL, {"name": None if loop.name == plain else loop.name}):
        xml.leaf(f"{_BALL}_body_A", {"name": loop.link1})
        xml.leaf(f"{_BALL}_body_B", {"name": loop.link2})
        xml.leaf(f"{_BALL}_p_AP", {"value": loop.origin1.xyz})
        xml.leaf(f"{_BALL}_p_BQ", {"value": loop.origin2.xyz})
