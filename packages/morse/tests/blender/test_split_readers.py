# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever reads and poses a rig takes the armatures of a split robot for one robot."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene
from support.blender.sidebars import activate, enforce
from support.blender.snapshots import describe_scene, list_data
from support.blender.split_rigs import MORSE, PR2, assert_stands, find, joints_of, random_positions
from support.paths import ROOT
from urdf_importer import (
    BuildError,
    Robot,
    check_morse_profile,
    compare_with_source,
    export_robot,
    find_robots,
    get_joint_positions,
    import_robot,
    link_pose,
    render_preview,
    set_joint_positions,
)
from urdf_importer.core.blender.standing.armatures import armatures_of, bones_of, pose_bones_of
from urdf_importer.core.blender.standing.display import enforces_limits
from urdf_importer.core.blender.standing.pose import hold_limits, key_joints, random_pose, zero_pose
from urdf_importer.core.blender.standing.robot_table import find_robot, read_table, recall_table
from urdf_importer_morse.split.split import split_armature

SAMPLES = ROOT / "sample_urdfs"
GRIPPER = SAMPLES / "gripper.urdf"

pytestmark = pytest.mark.usefixtures("scene")


def load_split(path: Path = GRIPPER) -> tuple[Robot, Any]:
    """A robot that is split behind its first joint, so that followers are in other armatures."""
    result = import_robot(path, options=MORSE)
    main = result.armature
    first = next(bone for bone in main.data.bones if bone.children)
    split_armature(main, "first", [first["urdf_joints"][0]["name"]])
    assert len(armatures_of(main)) > 2
    return result.robot, main


def load_pair() -> tuple[Any, Any]:
    """The same robot whole and split, in one scene."""
    result = import_robot(find("panda"), options=MORSE)
    whole = result.armature
    split = import_robot(find("panda"), options=MORSE).armature
    split_armature(split, "elbow", ["panda_joint3", "panda_joint4"])
    split_armature(split, "wrist", ["panda_joint6"])
    return whole, split


# The library


def test_every_part_of_it_is_the_robot(extension: ModuleType) -> None:
    whole, split = load_pair()
    active = extension.operators.active_robot.active_robot
    for robot in (whole, split):
        parts = [each for armature in armatures_of(robot) for each in armature.children_recursive]
        for item in {*armatures_of(robot), *parts}:
            assert find_robot(item) == robot
            activate(item)
            assert active(bpy.context) == robot
    assert list(find_robots().values()) == [whole, split]


def test_tables_say_the_same() -> None:
    whole, split = load_pair()
    one, other = read_table(whole), read_table(split)
    for name in ("name", "source", "link_count", "joint_count", "mass", "triangles", "chains"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.joints.keys() == other.joints.keys()
    for name, row in one.joints.items():
        again = other.joints[name]
        assert (row.kind, row.bone, row.channels) == (again.kind, again.bone, again.channels)
    assert {row.armature for row in other.joints.values()} == {
        "", "elbow", "beyond_panda_joint4", "wrist", "beyond_panda_joint6",
    }  # fmt: skip
    assert len(one.limits) == len(other.limits) > 0


def test_a_table_is_read_again_when_the_robot_is_split() -> None:
    main = import_robot(find("panda"), options=MORSE).armature
    assert recall_table(main).joints["panda_joint3"].armature == ""
    split_armature(main, "base", ["panda_joint1"])
    assert recall_table(main).joints["panda_joint3"].armature == "beyond_panda_joint1"
    split_armature(main, "arm", [f"panda_joint{number}" for number in range(2, 8)])
    assert recall_table(main).joints["panda_joint3"].armature == "arm"
    split_armature(main, "wrist", ["panda_joint6"])
    assert recall_table(main).joints["panda_joint7"].armature == "beyond_panda_joint6"


def test_poses_are_the_same() -> None:
    whole, split = load_pair()
    for pose in (zero_pose, lambda main: random_pose(main, 7), hold_limits):
        pose(whole)
        pose(split)
        # Random numbers are drawn in the order of the bones.
        assert get_joint_positions(split) == pytest.approx(get_joint_positions(whole), abs=1e-6)
        for link in ("panda_link4", "panda_hand", "panda_leftfinger"):
            assert link_pose(split, link) == pytest.approx(link_pose(whole, link), abs=1e-5)
    for main in (whole, split):
        bone = next(bone for bone in pose_bones_of(main) if bone.name == "panda_joint6")
        bone.rotation_euler.x = 9.0
    assert hold_limits(split) == hold_limits(whole) == 1


def test_keyframes_move_the_robot() -> None:
    robot, main = load_split()
    shown = {}
    for frame in (1, 20):
        bpy.context.scene.frame_set(frame)
        shown[frame] = random_positions(main, frame)
        set_joint_positions(main, shown[frame])
        assert key_joints(main) == len(shown[frame])
    for frame, positions in shown.items():
        bpy.context.scene.frame_set(frame)
        assert_stands(robot, main, positions)
    (name, *_) = positions
    assert key_joints(main, [name]) == 1


@pytest.mark.parametrize("stem", ["pr2", "panda", "talos_reduced"])
def test_webots_gets_the_same(stem: str, tmp_path: Path) -> None:
    robot = import_robot(find(stem), options=MORSE)
    main = robot.armature
    positions = random_positions(main, 4)
    set_joint_positions(main, positions)
    main.location = (1.0, 2.0, 0.5)
    export_robot(main, tmp_path / "whole" / "Robot.proto")
    joints = PR2["torso"] if stem == "pr2" else [bone.name for bone in bones_of(main)][2:4]
    split_armature(main, "part", joints)
    if stem == "pr2":
        split_armature(main, "l_arm", PR2["l_arm"])
    export_robot(main, tmp_path / "split" / "Robot.proto")
    assert read_files(tmp_path / "split") == read_files(tmp_path / "whole")


def read_files(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_pictures_show_all_of_it(tmp_path: Path) -> None:
    main = import_robot(find("panda"), options=MORSE).armature
    set_joint_positions(main, random_positions(main, 2))
    shown = [take(main, tmp_path / "0.png", bones=bones) for bones in (False, True)]
    split_armature(main, "base", ["panda_joint1"])
    split_armature(main, "elbow", ["panda_joint3", "panda_joint4"])
    for before, bones in zip(shown, (False, True), strict=True):
        assert np.abs(take(main, tmp_path / "1.png", bones=bones) - before).mean() < 0.01
    # No longer below the main armature, and still of the robot.
    armatures_of(main)[1].parent = None
    assert np.abs(take(main, tmp_path / "2.png", bones=False) - shown[0]).mean() < 0.01


def take(armature: Any, path: Path, *, bones: bool) -> Any:
    render_preview(armature, path, width=96, height=72, samples=8, bones=bones)
    image = bpy.data.images.load(str(path))
    pixels = np.array(image.pixels[:])
    bpy.data.images.remove(image)
    return pixels


def test_what_morse_can_not_drive_is_said_of_each_armature() -> None:
    """A sliding joint that gets an armature of its own is right there."""
    whole, split = load_pair()
    said = find_faults(split)
    assert said == find_faults(whole)
    assert ("morse-prismatic-runaway", "panda_finger_joint1") in said
    split_armature(split, "finger", ["panda_finger_joint1"])
    assert find_faults(split) == said - {("morse-prismatic-runaway", "panda_finger_joint1")}


def find_faults(main: Any) -> set[tuple[str, str]]:
    found = (item for each in armatures_of(main) for item in check_morse_profile(each))
    return {(item.code, item.subject) for item in found}


def test_functions_take_the_main_armature() -> None:
    _, main = load_split()
    part = armatures_of(main)[1]
    for use in (get_joint_positions, read_table, compare_with_source):
        with pytest.raises(BuildError):
            use(part)
    with pytest.raises(BuildError, match="several armatures"):
        compare_with_source(main)


# The sidebar


@pytest.mark.usefixtures("extension")
def test_limits_are_switched_in_all_armatures() -> None:
    _, main = load_pair()
    limits = [
        limit
        for each in armatures_of(main)
        if each.pose
        for bone in each.pose.bones
        for limit in bone.constraints
    ]
    assert len(limits) > 1 and enforces_limits(main)
    enforce(main, False)
    assert all(limit.mute for limit in limits) and not enforces_limits(main)
    enforce(main, True)
    assert not any(limit.mute for limit in limits) and enforces_limits(main)


@pytest.mark.usefixtures("extension")
def test_every_joint_and_link_can_be_selected() -> None:
    robot, main = load_split()
    moving = {joint["name"] for joint in joints_of(main)}
    activate(main)
    for joint in robot.joints:
        assert bpy.ops.urdf.select_joint(joint=joint.name) == {"FINISHED"}
        if joint.name in moving:
            (bone,) = bpy.context.selected_pose_bones
            assert [each["name"] for each in bone.bone["urdf_joints"]] == [joint.name]
    bpy.ops.object.mode_set(mode="OBJECT")
    for link in robot.links:
        activate(main)
        assert bpy.ops.urdf.select_link(link=link.name) == {"FINISHED"}
        assert bpy.context.object["urdf_link"]["name"] == link.name
        activate(main)
        assert bpy.ops.urdf.select_link(link=link.name, what="BONE") == {"FINISHED"}
        assert bpy.context.object in armatures_of(main)
        bpy.ops.object.mode_set(mode="OBJECT")


def test_sliders_and_keys(extension: ModuleType) -> None:
    _, main = load_split()
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(main)
    extension.operators.sidebar.sliders._make(
        (channel, False) for joint in table.joints.values() for channel in joint.channels
    )
    homes = extension.urdf_importer.core.blender.standing.armatures.armatures_by_name(main)
    activate(homes["first"])
    keying = extension.urdf_importer.core.blender.standing.keys
    for name, row in table.joints.items():
        if row.mimics:
            continue
        (channel,) = row.channels
        bone = homes[row.armature].pose.bones[row.bone]
        slider = extension.operators.sidebar.sliders.find_slider(channel)
        setattr(bone, slider, channel.find_valid(0.01))
        assert keying.key_state_of(bone, row.channels) == "none"
        bpy.ops.urdf.key_joint(joint=name)
        assert keying.key_state_of(bone, row.channels) == "keyed"
        bpy.context.view_layer.update()
        wanted = channel.find_valid(0.01)
        assert get_joint_positions(main)[name] == pytest.approx(wanted, abs=1e-6)


@pytest.mark.usefixtures("extension")
def test_an_update_says_why_not() -> None:
    _, main = load_split()
    activate(main)
    before = describe_scene(), list_data()
    with pytest.raises(RuntimeError, match="several armatures"):
        bpy.ops.urdf.update()
    assert (describe_scene(), list_data()) == before


def test_poses_are_read_from_disk(tmp_path: Path) -> None:
    robot, main = load_split()
    positions = random_positions(main, 9)
    set_joint_positions(main, positions)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "r.blend"))
    new_scene()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "r.blend"))
    (main,) = find_robots().values()
    read = get_joint_positions(main)
    assert {name: read[name] for name in positions} == pytest.approx(positions, abs=1e-6)
    assert_stands(robot, main, positions)
