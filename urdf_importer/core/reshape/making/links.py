# SPDX-License-Identifier: GPL-3.0-or-later
"""add_link: a robot with one more link."""

from dataclasses import replace
from typing import Any, Unpack

from ...arguments import robot_of
from ...diagnostics import ArgumentError
from ...model import IDENTITY, Joint, Link, Pose, Robot
from ..references import need_links
from .steps import (
    GivenMotion,
    check_motion,
    check_pose,
    complete_joint,
    joint_names,
    refuse_taken,
)


def add_link(
    robot: Robot,
    link: Link | str,
    *,
    parent: str = "",
    joint: str = "",
    origin: Pose = IDENTITY,
    **motion: Unpack[GivenMotion],
) -> Robot:
    """Returns the robot with a link, or a bare one of this name, on `parent`, which may be left out
    where the robot has one link.

    `joint` names the joint, by default {parent}_to_{link}; `origin` is its frame in the parent's.
    `motion` are its `type`, by default fixed, its `axis` in that frame, by default z, and its
    `limit`, by default -pi..pi or -1..1 m, effort 10, velocity 1: list_missing reports such limits.
    Raises KinematicsError for an unknown parent and names that are taken, ArgumentError for
    impossible values.
    """
    robot = robot_of(robot)
    made = link if isinstance(link, Link) else Link(name=link)
    given: dict[str, Any] = {"type": "fixed", **check_motion(motion)}
    check_pose(origin)
    if not parent:
        if len(robot.links) != 1:
            raise ArgumentError(f"the robot has {len(robot.links)} links: name the parent of one")
        parent = robot.links[0].name
    need_links(robot, [parent])
    refuse_taken("link", [each.name for each in robot.links], made.name, robot)
    name = joint or f"{parent}_to_{made.name}"
    refuse_taken("joint", joint_names(robot), name, robot)
    added = Joint(name=name, parent=parent, child=made.name, origin=origin, **given)
    return replace(robot, links=(*robot.links, made), joints=(*robot.joints, complete_joint(added)))
