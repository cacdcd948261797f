# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of inverse kinematics: its operators do what the library does."""

from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.sidebars import activate, load
from urdf_importer import get_joint_positions, link_pose, set_joint_positions

pytestmark = pytest.mark.usefixtures("extension", "scene")


@pytest.fixture
def arm() -> Any:
    robot = load("humanoid_arm")
    activate(robot)
    set_joint_positions(robot, {"elbow": -0.8, "shoulder_pitch": 0.3})
    bpy.context.view_layer.update()
    return robot


def ask(**wanted: Any) -> Any:
    settings = bpy.context.window_manager.urdf_ik
    chosen = {
        "link": "", "group": "", "source": "cursor", "mode": "absolute", "orientation": "free",
        "frame": "armature", "object": None, "key": False,
    }  # fmt: skip
    for name, value in (chosen | wanted).items():
        setattr(settings, name, value)
    return settings


def place_of(arm: Any, link: str = "hand") -> Any:
    return (np.array(arm.matrix_world) @ link_pose(arm, link))[:3, 3]


def test_the_hand_goes_to_the_cursor(arm: Any) -> None:
    arm.location = (0.4, -0.2, 0.1)
    bpy.context.view_layer.update()
    goal = place_of(arm) + np.array((0.03, 0.01, 0.02))
    bpy.context.scene.cursor.location = goal
    ask(link="hand")
    assert bpy.ops.urdf.solve_ik() == {"FINISHED"}
    assert place_of(arm) == pytest.approx(goal, abs=2e-5)


def test_numbers_are_a_way_in_the_axes_that_are_chosen(arm: Any) -> None:
    before = place_of(arm)
    ask(link="hand", source="numbers", mode="relative", place=(0.0, 0.02, 0.03), key=True)
    assert bpy.ops.urdf.solve_ik() == {"FINISHED"}
    assert place_of(arm) == pytest.approx(before + np.array((0.0, 0.02, 0.03)), abs=2e-5)
    assert len(bpy.data.actions) == 1


def test_an_object_is_a_target(arm: Any) -> None:
    empty = bpy.data.objects.new("there", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = place_of(arm) + np.array((0.02, 0.02, 0.0))
    bpy.context.view_layer.update()
    ask(link="hand", source="object", object=empty)
    assert bpy.ops.urdf.solve_ik() == {"FINISHED"}
    assert place_of(arm) == pytest.approx(np.array(empty.location), abs=2e-5)


def test_a_solve_that_fails_changes_nothing(arm: Any) -> None:
    before = get_joint_positions(arm)
    ask(link="hand", source="numbers", place=(9.0, 0.0, 0.0))
    assert bpy.ops.urdf.solve_ik() == {"CANCELLED"}
    assert get_joint_positions(arm) == before
    ask(link="ghost", source="numbers")
    assert bpy.ops.urdf.solve_ik() == {"CANCELLED"}
    ask(link="hand", source="object")
    assert bpy.ops.urdf.solve_ik() == {"CANCELLED"}


def test_a_live_target_is_selected_followed_baked_and_let_go(arm: Any) -> None:
    ask(link="hand")
    before = get_joint_positions(arm)
    assert bpy.ops.urdf.add_ik() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert get_joint_positions(arm) == before
    target = bpy.context.view_layer.objects.active
    assert target.select_get() and target["urdf_ik"]["link"] == "hand"
    target.location.x += 0.01
    target.location.z += 0.02
    bpy.context.view_layer.update()
    bpy.context.view_layer.update()
    assert place_of(arm) == pytest.approx(np.array(target.matrix_world.translation), abs=3e-5)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 3
    assert bpy.ops.urdf.bake_ik() == {"FINISHED"}
    assert bpy.data.actions
    set_joint_positions(arm, {"elbow": -1.0})
    bpy.context.view_layer.update()
    assert bpy.ops.urdf.snap_target() == {"FINISHED"}
    assert place_of(arm) == pytest.approx(np.array(target.matrix_world.translation), abs=1e-5)
    assert bpy.ops.urdf.remove_ik(target=target.name) == {"FINISHED"}
    assert not [each for each in bpy.data.objects if "urdf_ik" in each]


def test_what_is_shown_becomes_what_is_set(arm: Any) -> None:
    """The limit holds the elbow at zero, though it is set beyond."""
    set_joint_positions(arm, {"elbow": 0.5})
    bpy.context.view_layer.update()
    shown = get_joint_positions(arm)
    assert bpy.ops.urdf.snap_joints() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert get_joint_positions(arm) == pytest.approx(shown, abs=1e-5)
    bone = next(each for each in arm.pose.bones if each.name.startswith("elbow"))
    assert max(map(abs, bone.rotation_euler)) < 0.5 - 1e-3
