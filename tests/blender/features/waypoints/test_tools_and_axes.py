# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools and external axes of rigs, by numbers, objects and the cursor; and off again."""

from pathlib import Path
from typing import Any

import bpy
import mathutils
import numpy as np
import pytest

from support.arm_chains import ARMS
from urdf_importer import (
    ImportOptions,
    KinematicsError,
    PlanOptions,
    Pose,
    extract_robot,
    get_waypoints,
    import_robot,
    link_pose,
    plan_waypoints,
    record_waypoint,
    set_joint_positions,
    set_tool,
    write_urdf,
)
from urdf_importer.core.blender.standing.keys import find_curves
from urdf_importer.core.blender.standing.links import find_root
from urdf_importer.core.reshape import MountedAxis
from urdf_importer.features.waypoints.blender.tools import mount_rig, unmount_rig

pytestmark = pytest.mark.usefixtures("scene", "no_watch")
PANDA = next(arm for arm in ARMS if arm.name == "panda")
BARE = ImportOptions(visuals=False, collisions=False)


@pytest.fixture
def panda() -> Any:
    armature = import_robot(PANDA.path, options=BARE).armature
    set_joint_positions(armature, {"panda_joint4": -1.7, "panda_joint6": 1.6})
    bpy.context.view_layer.update()
    return armature


def test_a_tool_by_numbers_is_a_link_on_a_fixed_joint(panda):
    set_tool(panda, "gun", link="panda_link8", origin=Pose(xyz=(0, 0, 0.12)))
    (joint,) = (each for each in extract_robot(panda).joints if each.child == "gun")
    assert (joint.name, joint.type, joint.parent) == ("panda_link8_to_gun", "fixed", "panda_link8")
    offset = np.linalg.solve(link_pose(panda, "panda_link8"), link_pose(panda, "gun"))
    assert offset[:3, 3] == pytest.approx((0, 0, 0.12), abs=1e-6)
    set_tool(panda, "gun", origin=Pose(xyz=(0, 0.05, 0.2)))
    offset = np.linalg.solve(link_pose(panda, "panda_link8"), link_pose(panda, "gun"))
    assert offset[:3, 3] == pytest.approx((0, 0.05, 0.2), abs=1e-6)
    assert len([each for each in extract_robot(panda).links if each.name == "gun"]) == 1


def test_a_tool_is_where_an_object_and_the_cursor_are(panda):
    panda.location = (0.3, 0.0, 0.1)
    thing = bpy.data.objects.new("nozzle", None)
    bpy.context.scene.collection.objects.link(thing)
    turned = mathutils.Euler((0.3, 0.2, 1)).to_matrix().to_4x4()
    place = mathutils.Matrix.Translation((0.8, 0.1, 0.6)) @ turned
    thing.matrix_world = place
    bpy.context.view_layer.update()
    set_tool(panda, "nozzle_tip", link="panda_hand", origin=thing)
    world = np.array(panda.matrix_world) @ link_pose(panda, "nozzle_tip")
    assert world == pytest.approx(np.array(place), abs=2e-6)
    bpy.context.scene.cursor.location = (0.5, -0.2, 0.4)
    set_tool(panda, "nozzle_tip", origin="cursor")
    world = np.array(panda.matrix_world) @ link_pose(panda, "nozzle_tip")
    assert world[:3, 3] == pytest.approx((0.5, -0.2, 0.4), abs=2e-6)


def test_a_name_of_a_part_is_no_tool(panda):
    with pytest.raises(KinematicsError, match="'panda_link5' is a part of the robot, and no tool"):
        set_tool(panda, "panda_link5")


def test_a_rail_and_a_table_come_and_go_with_keys_kept(panda, tmp_path: Path):
    write_urdf(panda, tmp_path / "before.urdf")
    bone = panda.pose.bones[0]
    bone.keyframe_insert("location", frame=1)
    action = panda.animation_data.action
    mount_rig(panda, "rail", MountedAxis(axis=(0, 1, 0), lower=-1, upper=1, velocity=1))
    mount_rig(
        panda, "table", MountedAxis(kind="rotary", axis=(0, 0, 1), lower=-3, upper=3, velocity=1)
    )
    before = link_pose(panda, "panda_hand")
    set_joint_positions(panda, {"rail": 0.5})
    bpy.context.view_layer.update()
    moved = link_pose(panda, "panda_hand")[:3, 3] - before[:3, 3]
    assert moved == pytest.approx((0, 0.5, 0), abs=1e-6)
    set_joint_positions(panda, {"rail": 0.0})
    unmount_rig(panda, "table")
    unmount_rig(panda, "rail")
    write_urdf(panda, tmp_path / "after.urdf")
    assert (tmp_path / "after.urdf").read_bytes() == (tmp_path / "before.urdf").read_bytes()
    assert panda.animation_data.action == action and find_curves(panda)


def test_waypoints_stay_where_they_are_on_rails(panda):
    """A waypoint, one with a via point, and a keyed one: on, moved along, and off again."""
    first = record_waypoint(panda, link="panda_hand", name="first")
    set_joint_positions(panda, {"panda_joint1": 0.4})
    record_waypoint(panda, link="panda_hand", name="second", move="circular")
    first.keyframe_insert("location", frame=1)
    before = get_waypoints(panda)
    mount_rig(panda, "rail", MountedAxis(axis=(0, 1, 0), lower=-1, upper=1))
    for position in (0.0, 0.5):
        set_joint_positions(panda, {"rail": position})
        bpy.context.view_layer.update()
        check_same_places(panda, before)
    unmount_rig(panda, "rail")
    check_same_places(panda, before)
    assert first.parent == find_root(panda)
    bpy.context.scene.frame_set(2)
    check_same_places(panda, before)


def test_waypoints_recorded_on_a_rail_are_planned_without_it(panda):
    """The rail's positions come back with the rail."""
    rail = MountedAxis(axis=(0, 1, 0), lower=-1, upper=1)
    mount_rig(panda, "rail", rail)
    for turn in (0.0, 0.3):
        set_joint_positions(panda, {"rail": turn, "panda_joint1": turn})
        record_waypoint(panda, link="panda_hand", move="joint")
    taught = [each.positions for each in get_waypoints(panda)]
    unmount_rig(panda, "rail")
    found = [each.positions for each in get_waypoints(panda)]
    assert found == [{k: v for k, v in each.items() if k != "rail"} for each in taught]
    plan = plan_waypoints(panda, options=PlanOptions(link="panda_hand", collisions=False))
    assert plan.success, plan.message
    mount_rig(panda, "rail", rail)
    assert [each.positions for each in get_waypoints(panda)] == taught


def check_same_places(armature: Any, before: Any) -> None:
    for one, other in zip(get_waypoints(armature), before, strict=True):
        assert np.asarray(one.pose) == pytest.approx(np.asarray(other.pose), abs=2e-6)
        if other.via is not None:
            assert np.asarray(one.via) == pytest.approx(np.asarray(other.via), abs=2e-6)


def test_a_tool_is_not_measured_from_itself(panda):
    set_tool(panda, "gun", link="panda_link8")
    with pytest.raises(KinematicsError, match="tool 'gun' cannot be measured from itself"):
        set_tool(panda, "gun", link="gun")
