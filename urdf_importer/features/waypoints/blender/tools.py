# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools and external axes of rigs: the robot is changed, and the rig follows it."""

from typing import Any

import bpy
import numpy as np

from ....core.blender.standing.links import find_root
from ....core.blender.standing.pose import link_pose
from ....core.diagnostics import KinematicsError, quote_value, unknown_name
from ....core.geometry.transforms import Matrix, nearest_rotation
from ....core.model import Robot
from ....core.pipeline.extracting import find_reshaped
from ....core.pipeline.updating import update_robot
from ....core.reshape.mount import MountedAxis, mount, unmount
from ...ik.blender.targets import world_from_armature
from ..tools import find_flange, place_tool, read_origin
from .objects import find_via, waypoint_empties_of


def set_tool_of_rig(armature: Any, name: str, link: str, origin: Any) -> Robot:
    """Does set_tool for a rig."""
    robot = find_reshaped(armature)
    known = {each.child: each.parent for each in robot.joints}
    link = link or known.get(name, "") or find_flange(robot)
    if link not in {each.name for each in robot.links}:
        raise unknown_name("the robot has no link", link, [each.name for each in robot.links])
    if isinstance(origin, str) or hasattr(origin, "matrix_world"):
        origin = np.linalg.solve(link_pose(armature, link), _find_target(armature, origin))
    changed = place_tool(robot, name, link, read_origin(origin))
    update_robot(armature, robot=changed)
    return changed


def _find_target(armature: Any, target: Any) -> Matrix:
    """Returns the frame (4, 4) of an object or of the 3D cursor in the armature's."""
    bpy.context.view_layer.update()
    if isinstance(target, str):
        if target != "cursor":
            raise KinematicsError(
                f"an origin is a pose, a frame, an object or 'cursor', not {quote_value(target)}"
            )
        world = np.array(bpy.context.scene.cursor.matrix, dtype=np.float64)
    else:
        world = np.array(target.matrix_world, dtype=np.float64)
    frame: Matrix = np.linalg.solve(world_from_armature(armature), world)
    frame[:3, :3] = nearest_rotation(
        frame[:3, :3] / np.maximum(np.linalg.norm(frame[:3, :3], axis=0), 1e-12)
    )
    return frame


def mount_rig(armature: Any, name: str, axis: MountedAxis) -> None:
    """Puts a rig on an external axis; its waypoints stay where they are. Raises as mount does."""
    _change_root(armature, mount(find_reshaped(armature), name, axis))


def unmount_rig(armature: Any, name: str) -> None:
    """Takes an external axis off a rig; its waypoints stay where they are. Raises as unmount
    does."""
    _change_root(armature, unmount(find_reshaped(armature), name))


def _world_of(root: Any) -> Any:
    return root.matrix_world.copy()


def _change_root(armature: Any, robot: Robot) -> None:
    """Updates a rig to a robot of another root, which takes over the waypoints of the old one.
    Their own numbers stay, as users may have keyed these."""
    bpy.context.view_layer.update()
    root, points = find_root(armature), waypoint_empties_of(armature)
    vias = [via for each in points if (via := find_via(each)) is not None]
    moved = [each for each in (*points, *vias) if each.parent == root]
    before = _world_of(root)
    update_robot(armature, robot=robot)
    bpy.context.view_layer.update()
    root = find_root(armature)
    shift = _world_of(root).inverted() @ before
    for each in moved:
        each.parent, each.parent_type = root, "OBJECT"
        each.matrix_parent_inverse = shift @ each.matrix_parent_inverse
    bpy.context.view_layer.update()
