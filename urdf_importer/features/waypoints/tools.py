# SPDX-License-Identifier: GPL-3.0-or-later
"""Tool centre points: links without shapes on fixed joints, whose names are the tools'."""

from dataclasses import replace
from typing import Any

import numpy as np

from ...core.arguments import robot_of, robot_or_rig_of
from ...core.diagnostics import KinematicsError, quote, unknown_name
from ...core.geometry.transforms import pose_of
from ...core.kinematics.tree import retrace_tree
from ...core.model import Link, Pose, Robot
from ...core.reshape.attach import attach
from .machine import suggest_tool

_FLANGES = ("tool0", "flange")
_ROUNDING = 1e-9


def set_tool(
    robot_or_armature: Any,
    name: str,
    *,
    link: str = "",
    origin: Any = None,
) -> Robot:
    """Gives a robot a tool centre point, or moves the one of this name, and returns the robot: a
    link without shapes on a fixed joint at `origin`, a `Pose` or a frame (4, 4), measured from
    `link`. Without a link that is the flange: the link tool0, else flange, else the last one that
    all joints of the arm move.

    Of an imported robot the rig is changed too; there `origin` may be a place in the scene: an
    object, or "cursor". Raises KinematicsError for unknown links, and for a name that is another
    kind of link's; BuildError for an object that is not an imported robot.
    """
    given = robot_or_rig_of(robot_or_armature)
    if isinstance(given, Robot):
        return place_tool(given, name, link, read_origin(origin))
    from .blender.tools import set_tool_of_rig

    return set_tool_of_rig(given, name, link, origin)


def read_origin(origin: Any) -> Pose:
    """Returns a pose, of itself or of a frame (4, 4); the identity for None."""
    if origin is None:
        return Pose()
    if isinstance(origin, Pose):
        return origin
    if isinstance(origin, str) or hasattr(origin, "matrix_world"):
        raise KinematicsError("a place in the scene needs an imported robot: pass its armature")
    frame = np.array(origin, dtype=np.float64)
    if frame.shape != (4, 4) or not np.isfinite(frame).all():
        raise KinematicsError("the origin of a tool must be a pose, or a finite frame (4, 4)")
    return pose_of(frame, rounding=_ROUNDING)


def find_flange(robot: Robot) -> str:
    """Returns the link from which tools are measured."""
    names = {each.name for each in robot.links}
    for name in _FLANGES:
        if name in names:
            return name
    return suggest_tool(retrace_tree(robot))


def place_tool(robot: Robot, name: str, link: str, origin: Pose) -> Robot:
    """Returns the robot with the tool on a link at an origin."""
    robot = robot_of(robot)
    known = [each.name for each in robot.links]
    if link and link not in known:
        raise unknown_name("the robot has no link", link, known)
    if link and link == name:
        raise KinematicsError(f"tool {quote(name)} cannot be measured from itself")
    if name not in known:
        tool = Robot(name=name, links=(Link(name=name),))
        return attach(robot, tool, link or find_flange(robot), origin=origin)
    joint = next((each for each in robot.joints if each.child == name), None)
    own = next(each for each in robot.links if each.name == name)
    carries = any(each.parent == name for each in robot.joints)
    if joint is None or joint.type != "fixed" or own.visuals or own.collisions or carries:
        raise KinematicsError(f"link {quote(name)} is a part of the robot, and no tool")
    moved = replace(joint, origin=origin, parent=link or joint.parent)
    joints = tuple(moved if each is joint else each for each in robot.joints)
    return replace(robot, joints=joints)
