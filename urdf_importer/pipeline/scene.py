# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on a rig that exists, and on the scene that it is in."""

from collections.abc import Mapping
from typing import Any

from ..files.packages import AnyPath
from ..geometry.transforms import Matrix
from ..kinematics.forward import Position


def set_joint_positions(armature: Any, positions: Mapping[str, Position]) -> None:
    """Poses an imported robot, also one in a re-opened .blend.

    `positions`: joint name -> radians (revolute, continuous) or metres (prismatic); (x, y, yaw) for
    planar joints, (x, y, z, qx, qy, qz, qw) for floating ones, (qx, qy, qz, qw) for ball joints.
    Joints that mimic another follow it, whatever `positions` has for them; the rig shows every
    joint within its limits.

    Raises KinematicsError for an unknown joint or a wrong position (and moves nothing), BuildError
    for an object that is not an imported robot.
    """
    from ..blender.standing import pose

    pose.set_joint_positions(armature, positions)


def get_joint_positions(armature: Any) -> dict[str, float | tuple[float, ...]]:
    """Returns joint name -> position as the rig shows it, after limits, IK and drivers; for all
    moving joints, in the units and tuples of set_joint_positions. Raises BuildError."""
    from ..blender.standing import pose

    return pose.get_joint_positions(armature)


def link_pose(armature: Any, link: str) -> Matrix:
    """Returns the evaluated frame (4, 4) of a link in armature space. Raises KinematicsError."""
    from ..blender.standing import pose

    return pose.link_pose(armature, link)


def new_file() -> None:
    """Opens a new file in Blender, empty and with Blender's own settings. What is open is lost."""
    from ..blender import save

    save.new_file()


def open_blend(path: AnyPath) -> None:
    """Opens a .blend in Blender, without its window layout and without running its scripts. What is
    open is lost. Raises ReadError; what is open stays then."""
    from ..blender import save

    save.open_file(path)


def find_robots() -> dict[str, Any]:
    """Finds the imported robots in the scene: name of the object -> armature."""
    from ..blender.standing.robot_table import find_robots

    return {armature.name: armature for armature in find_robots()}


def save_blend(path: AnyPath) -> None:
    """Saves what is open in Blender as a compressed .blend, whole or not at all, without backups.

    An existing file is overwritten. Raises WriteError.
    """
    from ..blender import save

    save.save_scene(path)


def render_preview(
    armature: Any,
    path: AnyPath,
    *,
    width: int = 960,
    height: int = 720,
    samples: int = 24,
    bones: bool = False,
) -> None:
    """Renders an imported robot, as it is posed, into a PNG file; works without a window.

    `width` and `height` are in pixels, `samples` per pixel. `bones` shows the rig through a
    transparent robot. The scene stays as it is; an existing file is overwritten. Raises BuildError
    for an object that is not an imported robot, WriteError where the file cannot be written.
    """
    from ..blender.preview import render as preview

    preview.render_preview(armature, path, width=width, height=height, samples=samples, bones=bones)
