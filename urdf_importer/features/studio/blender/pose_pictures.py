# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses with pictures: Home, Zero and Ready as pose assets, and pictures of them and of the states
of groups, as the asset browser and the sidebar show them."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import bpy

from ....core.blender.extract.robot import extract_name
from ....core.blender.standing.armatures import armatures_of, check_robot, keep_channels
from ....core.blender.standing.joints import joints_of
from ....core.blender.standing.mirrored import home_pose, ready_pose
from ....core.blender.standing.pose import get_joint_positions, set_joint_positions, zero_pose
from ....core.blender.standing.poses import (
    new_pose,
    poses_of,
    read_pose,
    whole_poses_of,
    write_pose,
)
from .asset import take_picture

_PICTURE = 128
_SAMPLES = 6
MOST_PICTURES = 40
_POSED = ("revolute", "prismatic", "ball")
_MADE: tuple[tuple[str, Callable[[Any], None]], ...] = (
    ("Home", home_pose),
    ("Zero", zero_pose),
    ("Ready", ready_pose),
)


def make_poses(armature: Any) -> list[Any]:
    """Makes the poses Home, Zero and Ready of a robot as pose assets, in place of earlier ones, and
    takes a picture of each and of the states of its groups. The robot is in its pose again
    afterwards. Returns the actions, the groups' last.

    Raises BuildError for an object that is not an imported robot, WriteError where a picture
    cannot be made.
    """
    check_robot(armature)
    robot = extract_name(armature)
    made = []
    with ExitStack() as kept:
        kept.callback(bpy.context.view_layer.update)
        for each in armatures_of(armature):
            kept.callback(keep_channels(each))
        for name, pose in _MADE:
            pose(armature)
            bpy.context.view_layer.update()
            made.append(_keep_pose(armature, robot, name))
            take_picture(made[-1], armature, size=_PICTURE, samples=_SAMPLES)
        states = [each for _, _, each in poses_of(robot) if each.library is None]
        for action in states[: MOST_PICTURES - len(made)]:
            home_pose(armature)
            show_pose(armature, action)
            bpy.context.view_layer.update()
            take_picture(action, armature, size=_PICTURE, samples=_SAMPLES)
            made.append(action)
    return made


def show_pose(armature: Any, action: Any) -> None:
    """Poses a robot as a pose asset says; joints that it does not name stay."""
    set_joint_positions(
        armature,
        {
            joint: numbers[0] if len(numbers) == 1 else numbers
            for joint, numbers in read_pose(action, armature).items()
        },
    )


def _keep_pose(armature: Any, robot: str, name: str) -> Any:
    """Keeps the joints of a robot in a pose asset; where a planar or floating joint has taken it
    does not belong to the pose."""
    moving = {joint.name for joint in joints_of(armature) if joint.kind in _POSED}
    shown = {
        joint: position
        for joint, position in get_joint_positions(armature).items()
        if joint in moving
    }
    action = dict(whole_poses_of(robot)).get(name)
    if action is None:
        return new_pose(armature, name, shown, robot=robot, whole=True)
    write_pose(action, armature, shown)
    return action
