# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots are copied and removed as one thing."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.sidebars import load
from support.blender.snapshots import describe_object, list_data
from support.blender.split_rigs import PANDA_PARTS
from support.blender.split_rigs import load as load_to_split
from urdf_importer import (
    BuildError,
    delete_robot,
    duplicate_robot,
    extract_robot,
    find_robots,
    get_joint_positions,
    link_pose,
    save_blend,
    set_joint_positions,
)
from urdf_importer.core.blender.standing.armatures import armatures_of
from urdf_importer.core.blender.standing.display import find_collection, find_parts
from urdf_importer.core.blender.standing.whole import list_objects
from urdf_importer_morse.split.split import split_armature

pytestmark = pytest.mark.usefixtures("scene")


def describe(robot: Any) -> list[dict[str, Any]]:
    """What a robot is, without what names it."""
    found = []
    for item in list_objects(robot):
        described = describe_object(item)
        for key in ("collections", "selected", "properties", "materials"):
            del described[key]
        parent = described["parent"]
        described["parent"] = parent and parent[1:]
        found.append(described)
    return found


def poses(robot: Any) -> list[Any]:
    bpy.context.view_layer.update()
    return [link_pose(robot, link.name) for link in extract_robot(robot).links]


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("name", ["humanoid_arm", "quadruped_leg", "gripper"])
def test_a_copy_is_the_whole_robot(name: str, linked: bool) -> None:
    robot = load(name, rigid_bodies=name == "gripper", limit_arcs=True)
    bpy.context.view_layer.update()
    before, wanted = describe(robot), extract_robot(robot)
    copy = duplicate_robot(robot, linked=linked)
    assert describe(robot) == before and describe(copy) == before
    assert not set(list_objects(robot)) & set(list_objects(copy))
    assert extract_robot(copy) == wanted and len(find_robots()) == 2
    assert bpy.context.view_layer.objects.active == copy
    assert list(bpy.context.view_layer.objects.selected) == [copy]
    meshes = [{item.data for item in list_objects(r) if item.type == "MESH"} for r in (robot, copy)]
    assert (meshes[0] == meshes[1]) == linked and copy.data != robot.data
    assert linked or not meshes[0] & meshes[1]
    assert len(meshes[0]) == len(meshes[1])
    home = find_collection(copy)
    assert home != find_collection(robot) and home.name == f"{name}.001"
    assert [child["urdf_part"] for child in home.children] == [
        child["urdf_part"] for child in find_collection(robot).children
    ]


@pytest.mark.parametrize("name", ["humanoid_arm", "gripper"])
def test_each_moves_alone(name: str) -> None:
    """Combined joints and mimic joints go by drivers and constraints: each robot by its own."""
    robot = load(name)
    set_joint_positions(robot, dict.fromkeys(get_joint_positions(robot), 0.02))
    copy = duplicate_robot(robot)
    still = poses(robot)
    assert np.array(poses(copy)) == pytest.approx(np.array(still), abs=1e-6)
    moved = {
        joint: position + 0.1 if name != "gripper" else 0.001
        for joint, position in get_joint_positions(copy).items()
        if isinstance(position, float)
    }
    set_joint_positions(copy, moved)
    assert np.array(poses(robot)) == pytest.approx(np.array(still), abs=1e-9)
    set_joint_positions(robot, moved)
    assert np.array(poses(robot)) == pytest.approx(np.array(poses(copy)), abs=1e-9)
    assert np.abs(np.array(poses(robot)) - still).max() > 1e-4


def test_a_copy_has_an_animation_of_its_own() -> None:
    robot = load("two_link_arm")
    robot.pose.bones["elbow"].rotation_euler.x = 0.3
    robot.pose.bones["elbow"].keyframe_insert("rotation_euler", index=0, frame=1)
    copy = duplicate_robot(robot)
    assert copy.animation_data.action != robot.animation_data.action
    copy.pose.bones["elbow"].rotation_euler.x = 0.9
    copy.pose.bones["elbow"].keyframe_insert("rotation_euler", index=0, frame=1)
    bpy.context.scene.frame_set(1)
    assert robot.pose.bones["elbow"].rotation_euler.x == pytest.approx(0.3)
    assert copy.pose.bones["elbow"].rotation_euler.x == pytest.approx(0.9)


def test_what_a_user_added_is_copied_too() -> None:
    robot = load("two_link_arm")
    hand = list_objects(robot)[3]
    camera = bpy.data.objects.new("eye", bpy.data.cameras.new("eye"))
    bpy.context.scene.collection.objects.link(camera)
    camera.parent = hand
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    own = robot.pose.bones["elbow"].constraints.new("COPY_LOCATION")
    own.target = camera
    other = robot.pose.bones["elbow"].constraints.new("COPY_ROTATION")
    other.target = target
    copy = duplicate_robot(robot)
    (eye,) = (item for item in list_objects(copy) if item.type == "CAMERA")
    constraints = copy.pose.bones["elbow"].constraints
    assert eye != camera and constraints[own.name].target == eye
    assert constraints[other.name].target == target
    assert eye.users_collection == (bpy.context.scene.collection,)


def test_a_robot_of_several_armatures() -> None:
    _, robot = load_to_split("panda")
    for group, joints in PANDA_PARTS.items():
        split_armature(robot, group, joints)
    before = list_data()
    copy = duplicate_robot(robot)
    assert len(armatures_of(copy)) == len(armatures_of(robot)) > 2
    assert not set(armatures_of(copy)) & set(armatures_of(robot))
    assert np.array(poses(copy)) == pytest.approx(np.array(poses(robot)), abs=1e-6)
    delete_robot(copy)
    assert list_data() == before


@pytest.mark.parametrize("name", ["quadruped_leg", "gripper", "differential_drive"])
def test_nothing_of_a_deleted_robot_is_left(name: str) -> None:
    before = list_data()
    robot = load(name, rigid_bodies=True, limit_arcs=True)
    worlds = [each for each in list_data()["collections"] if "RigidBody" in each]
    robot.keyframe_insert("location", frame=1)
    delete_robot(robot)
    assert list_data() == before | {"collections": before["collections"] + worlds}


def test_others_keep_what_they_share() -> None:
    robot = load("gripper")
    copy = duplicate_robot(robot)
    bpy.context.view_layer.update()
    kept = describe(copy)
    delete_robot(robot)
    assert describe(copy) == kept and list(find_robots()) == [copy.name]
    assert {item.name for item in bpy.context.scene.objects} == {
        item.name for item in list_objects(copy)
    }


def test_what_a_user_attached_stays_where_it_is() -> None:
    robot = load("two_link_arm")
    robot.location = (1.0, 2.0, 3.0)
    set_joint_positions(robot, {"elbow": 0.7})
    hand = find_parts(robot)["Links"][0].objects[-1]
    cup = bpy.data.objects.new("cup", None)
    find_collection(robot).objects.link(cup)
    cup.parent = hand
    bpy.context.view_layer.update()
    place = np.array(cup.matrix_world)
    delete_robot(robot)
    bpy.context.view_layer.update()
    assert cup.parent is None and cup.name in bpy.context.scene.objects
    assert np.array(cup.matrix_world) == pytest.approx(place, abs=1e-5)
    assert [each.name for each in bpy.data.collections] == ["two_link_arm"]


def test_in_the_middle_of_other_work() -> None:
    robot = load("two_link_arm")
    bpy.ops.object.mode_set(mode="POSE")
    copy = duplicate_robot(robot)
    assert copy.mode == "OBJECT"
    bpy.ops.object.mode_set(mode="EDIT")
    delete_robot(copy)
    assert list(find_robots()) == [robot.name]


def test_rigs_of_other_files_are_left_alone(tmp_path: Path, extension: ModuleType) -> None:
    load("two_link_arm")
    save_blend(tmp_path / "arm.blend")
    delete_robot(next(iter(find_robots().values())))
    with bpy.data.libraries.load(str(tmp_path / "arm.blend"), link=True) as (_, wanted):
        wanted.collections = ["two_link_arm"]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    (robot,) = find_robots().values()
    for work in (duplicate_robot, delete_robot):
        with pytest.raises(BuildError):
            work(robot)
    assert len(find_robots()) == 1


def test_only_robots_are_robots() -> None:
    item = bpy.data.objects.new("box", None)
    for work in (duplicate_robot, delete_robot):
        with pytest.raises(BuildError):
            work(item)
