# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses with pictures: what is kept, and that the robot and its SRDF stay as they were."""

import bpy
import numpy as np
import pytest

from support.blender.sidebars import activate, load
from urdf_importer import extract_semantics, get_joint_positions, set_joint_positions
from urdf_importer.core.blender.semantics.apply import keep_state
from urdf_importer.core.blender.standing.poses import poses_of, whole_poses_of

pytestmark = pytest.mark.usefixtures("extension", "scene")


def test_poses_have_pictures_and_leave_the_robot_as_it_was() -> None:
    robot = load("two_link_arm")
    activate(robot)
    set_joint_positions(robot, {"shoulder": 0.3, "elbow": 0.4})
    bpy.context.view_layer.update()
    before, semantics = get_joint_positions(robot), extract_semantics(robot)
    assert bpy.ops.urdf.make_poses() == {"FINISHED"}
    poses = dict(whole_poses_of("two_link_arm"))
    assert set(poses) == {"Home", "Zero", "Ready"}
    assert all(action.asset_data is not None for action in poses.values())
    shown = [np.array(action.preview.image_pixels_float[:]) for action in poses.values()]
    assert all(tuple(action.preview.image_size) == (128, 128) for action in poses.values())
    assert np.abs(shown[0] - shown[-1]).max() > 0.1 or np.abs(shown[1] - shown[-1]).max() > 0.1
    assert get_joint_positions(robot) == pytest.approx(before)
    assert extract_semantics(robot) == semantics, "they are no states of groups"
    assert bpy.ops.urdf.make_poses() == {"FINISHED"}
    assert dict(whole_poses_of("two_link_arm")) == poses, "they are made once"


def test_a_pose_is_shown_by_its_button() -> None:
    robot = load("two_link_arm")
    activate(robot)
    assert bpy.ops.urdf.ready_pose() == {"FINISHED"}
    bpy.context.view_layer.update()
    ready = get_joint_positions(robot)
    assert bpy.ops.urdf.make_poses() == {"FINISHED"}
    set_joint_positions(robot, {"shoulder": -0.2, "elbow": -0.3})
    assert bpy.ops.urdf.show_pose(state="Ready") == {"FINISHED"}
    bpy.context.view_layer.update()
    assert get_joint_positions(robot) == pytest.approx(ready, abs=1e-5)
    with pytest.raises(RuntimeError, match="no pose 'Nowhere'"):
        bpy.ops.urdf.show_pose(state="Nowhere")


def test_states_of_groups_get_pictures_too() -> None:
    robot = load("two_link_arm")
    activate(robot)
    bones = robot.data.collections.new("arm")
    for bone in robot.data.bones:
        bones.assign(bone)
    set_joint_positions(robot, {"shoulder": 0.5, "elbow": 0.5})
    bpy.context.view_layer.update()
    keep_state(robot, "arm", "reach")
    assert bpy.ops.urdf.make_poses() == {"FINISHED"}
    ((group, name, action),) = poses_of("two_link_arm")
    assert (group, name) == ("arm", "reach") and tuple(action.preview.image_size) == (128, 128)
