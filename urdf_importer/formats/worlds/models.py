# SPDX-License-Identifier: GPL-3.0-or-later
"""The models of a world: which are robots, and which are mere things."""

from dataclasses import replace

from ...core.diagnostics import Diagnostics
from ...core.geometry.transforms import matrix_from_pose, pose_of
from ...core.kinematics.loops import forward_kinematics
from ...core.model import IDENTITY, Robot
from ...core.model.world import PlacedRobot, Thing
from ...core.reshape import merge_fixed

_ROUNDING = 1e-12
_FREE, _WORLD = "floating", "world"


def make_thing(model: PlacedRobot) -> Thing | None:
    """Returns a model as one link, where nothing in it moves or measures; else None. A model that
    is as a whole free to move has its mass."""
    robot, is_static = _unhang(model.robot), model.is_static
    moving = any(joint.type != "fixed" for joint in robot.joints)
    if moving or robot.loops or robot.sensors or robot.transmissions:
        return None
    friction = next((each.friction[0] for each in robot.settings if each.friction), None)
    bare = replace(
        robot,
        extras=(),
        joints=tuple(replace(joint, attributes=(), extras=()) for joint in robot.joints),
    )
    link = merge_fixed(bare, diagnostics=Diagnostics()).links[0]
    inertial = None if is_static or _is_held(model.robot) else link.inertial
    place = model.place
    if model.robot.start:
        frames = forward_kinematics(model.robot, dict(model.robot.start))
        place = pose_of(matrix_from_pose(place) @ frames[robot.links[0].name], rounding=_ROUNDING)
    return Thing(
        link=replace(link, name=robot.name, inertial=inertial), place=place, friction=friction
    )


def _unhang(robot: Robot) -> Robot:
    """Returns a robot without a world that its root link is free to move in."""
    root, *links = robot.links
    hung = [joint for joint in robot.joints if joint.parent == root.name]
    bare = not (root.visuals or root.collisions or root.inertial)
    if not bare or len(hung) != 1 or hung[0].type != _FREE or hung[0].origin != IDENTITY:
        return robot
    joints = tuple(joint for joint in robot.joints if joint is not hung[0])
    return replace(robot, links=tuple(links), joints=joints)


def _is_held(robot: Robot) -> bool:
    """Whether a fixed joint holds the model at the world."""
    return any(joint.parent == _WORLD and joint.type == "fixed" for joint in robot.joints)
