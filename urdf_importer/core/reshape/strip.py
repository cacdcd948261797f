# SPDX-License-Identifier: GPL-3.0-or-later
"""strip: a robot without parts of its description."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..arguments import robot_of, texts_of
from ..diagnostics import KinematicsError, quote
from ..model import Extra, Joint, Link, Robot
from .references import interpret_again

_JOINT_PARTS = {
    "calibration": "calibration",
    "safety_controller": "safety_controller",
    "dynamics": "dynamics",
    "limits": "limit",
    "mimic": "mimic",
}
PARTS = ("extras", "visuals", "collisions", "inertials", "materials", *_JOINT_PARTS)


def strip(robot: Robot, what: str | Iterable[str]) -> Robot:
    """Returns the robot without the named parts: a part of PARTS, "transmission", or the tag of any
    element that URDF does not define, wherever it is.

    `materials` are the robot's materials to which nothing refers. Raises KinematicsError for a word
    that is neither a part nor the tag of anything in the robot; "gazebo", "transmission" and
    "ros2_control" may be missing.
    """
    robot = robot_of(robot)
    words = set(texts_of(what, "what"))
    tags = words.difference(PARTS)
    _need_tags(robot, tags)
    stripped = replace(
        robot,
        links=tuple(_strip_link(link, words) for link in robot.links),
        joints=tuple(_strip_joint(joint, words) for joint in robot.joints),
        transmissions=() if "transmission" in words else robot.transmissions,
        extras=_keep_extras(robot.extras, words),
    )
    if "materials" in words:
        visuals = (visual for link in stripped.links for visual in link.visuals)
        used = {each.material.name for each in visuals if each.material is not None}
        kept = tuple(material for material in robot.materials if material.name in used)
        stripped = replace(stripped, materials=kept)
    return interpret_again(robot, stripped)


def _need_tags(robot: Robot, tags: set[str]) -> None:
    holders: tuple[Robot | Link | Joint, ...] = (robot, *robot.links, *robot.joints)
    there = {extra.tag for holder in holders for extra in holder.extras}
    unknown = tags - there - {"gazebo", "transmission", "ros2_control"}
    if unknown:
        raise KinematicsError(
            f"the robot has no {quote(min(unknown))} to strip; parts are {', '.join(PARTS)}",
            source=robot.source,
        )


def _strip_link(link: Link, words: set[str]) -> Link:
    return replace(
        link,
        inertial=None if "inertials" in words else link.inertial,
        visuals=() if "visuals" in words else link.visuals,
        collisions=() if "collisions" in words else link.collisions,
        extras=_keep_extras(link.extras, words),
    )


def _strip_joint(joint: Joint, words: set[str]) -> Joint:
    gone: dict[str, Any] = {each: None for word, each in _JOINT_PARTS.items() if word in words}
    return replace(
        joint,
        **gone,
        leaves=tuple(leaf for leaf in joint.leaves if leaf.tag not in gone),
        extras=_keep_extras(tuple(each for each in joint.extras if each.tag not in gone), words),
    )


def _keep_extras(extras: tuple[Extra, ...], words: set[str]) -> tuple[Extra, ...]:
    if "extras" in words:
        return ()
    return tuple(extra for extra in extras if extra.tag not in words)
