# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own inverse kinematics: set up where it can hold the joints, and taken away again."""

import math
from dataclasses import replace

import bpy
import mathutils
import numpy as np
import pytest

from support.arm_chains import ARMS
from support.blender.snapshots import describe_scene
from support.paths import ROOT
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    add_ik,
    apply_srdf,
    bake_ik,
    compare_with_description,
    extract_robot,
    find_robots,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    link_pose,
    open_blend,
    remove_ik,
    save_blend,
    set_joint_positions,
    update_robot,
    write_urdf,
)
from urdf_importer.core import reshape
from urdf_importer.core.blender.semantics.markers import followed_targets_of
from urdf_importer.features.ik.blender.live import bring_to_link, snap_joints, unwatch
from urdf_importer.features.ik.blender.native import native_targets_of

pytestmark = pytest.mark.usefixtures("scene", "no_watch")
BARE = ImportOptions(visuals=False, collisions=False)
APART = ImportOptions(visuals=False, collisions=False, combine_joints=False)
BY_NAME = {arm.name: arm for arm in ARMS}


def import_arm(name, options=BARE):
    return import_robot(BY_NAME[name].path, options=options).armature


@pytest.fixture
def z1():
    armature = import_arm("z1")
    set_joint_positions(armature, {"joint2": 1.2, "joint3": -1.4, "joint5": 0.4})
    bpy.context.view_layer.update()
    return armature


def put(target, armature, frame):
    world = np.array(armature.matrix_world) @ frame
    target.matrix_world = mathutils.Matrix(world.tolist())
    bpy.context.view_layer.update()


def misses(armature, link, frame):
    """How far the link is from a frame, in m and rad."""
    shown = link_pose(armature, link)
    turn = np.linalg.norm(shown[:3, :3] - frame[:3, :3]) / math.sqrt(8.0)
    distance = np.linalg.norm(shown[:3, 3] - frame[:3, 3])
    return float(distance), float(2.0 * np.arcsin(min(turn, 1.0)))


def is_native(target):
    return bool(target["urdf_ik"].get("native")) and not target["urdf_ik"].get("live")


@pytest.mark.parametrize("name", ["ur5", "z1", "baxter", "iiwa14", "xarm7"])
def test_small_moves_are_followed_within_limits(name):
    """As measured: 90 % of moves up to 0.15 rad a joint come within 1e-4 m and 1e-3 rad."""
    arm = BY_NAME[name]
    armature = import_arm(name, APART)
    before = get_joint_positions(armature)
    target = add_ik(armature, arm.link)
    unwatch()  # Nothing of this extension helps.
    assert is_native(target) and get_joint_positions(armature) == pytest.approx(before, abs=1e-3)
    chance, reached = np.random.default_rng(3), 0
    ranges = {joint: (max(a, -2.5), min(b, 2.5)) for joint, (a, b) in arm.ranges.items()}
    for _ in range(20):
        start = {joint: chance.uniform(a + 0.3, b - 0.3) for joint, (a, b) in ranges.items()}
        there = {joint: value + chance.uniform(-0.15, 0.15) for joint, value in start.items()}
        set_joint_positions(armature, start)
        frame = forward_kinematics(arm.robot, there)[arm.link]
        put(target, armature, frame)
        distance, angle = misses(armature, arm.link, frame)
        reached += distance < 1e-4 and angle < 1e-3
        shown = get_joint_positions(armature)
        for joint, (lower, upper) in arm.bounds.items():
            assert lower - 1e-4 <= shown[joint] <= upper + 1e-4
    assert reached >= 18


def snake(count):
    """A chain of joints that turn about axes across each other, with bounds that hold zero."""
    axes = ("0 0 1", "0 1 0")
    links = "".join(f'<link name="l{i}"/>' for i in range(count + 1))
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f'<origin xyz="0.2 0 0"/><axis xyz="{axes[i % 2]}"/>'
        '<limit lower="-1.5" upper="1.2" effort="1" velocity="1"/></joint>'
        for i in range(count)
    )
    return (
        f'<robot name="snake">{links}<link name="tip"/>{joints}<joint name="end" type="fixed">'
        f'<parent link="l{count}"/><child link="tip"/>'
        '<origin xyz="0.1 0.05 0" rpy="0.3 -0.7 1.1"/></joint></robot>'
    )


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 12, 30])
def test_generated_chains(count, tmp_path):
    """With fewer joints than six the place alone counts."""
    (tmp_path / "snake.urdf").write_text(snake(count))
    result = import_robot(tmp_path / "snake.urdf")
    armature, robot = result.armature, result.robot
    chance = np.random.default_rng(count)
    start = {f"j{i}": chance.uniform(-0.8, 0.8) for i in range(count)}
    set_joint_positions(armature, start)
    bpy.context.view_layer.update()
    target = add_ik(armature, "tip")
    assert is_native(target) and bool(target["urdf_ik"]["turned"]) == (count >= 6)
    unwatch()
    there = {name: value + chance.uniform(-0.1, 0.1) for name, value in start.items()}
    frame = forward_kinematics(robot, there)["tip"]
    put(target, armature, frame)
    distance, angle = misses(armature, "tip", frame)
    assert distance < 1e-4 * max(1.0, 0.1 * count)
    assert count < 6 or angle < 1e-3


def follower(limits="-1 1", kind="revolute", mimic=False):
    lower, upper = limits.split()
    follows = '<mimic joint="a"/>' if mimic else ""
    return f"""<robot name="arm"><link name="base"/><link name="one"/><link name="two"/>
      <joint name="a" type="revolute"><parent link="base"/><child link="one"/>
        <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
      <joint name="b" type="{kind}"><parent link="one"/><child link="two"/>
        <origin xyz="0.3 0 0"/><axis xyz="0 0 1"/>{follows}
        <limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (follower(limits="0.2 1"), "joint 'b' has limits that exclude zero"),
        (follower(kind="prismatic"), "joint 'b' does not turn about one axis"),
        (follower(mimic=True), "joint 'b' "),
    ],
)
def test_what_blender_cannot_hold_is_live(text, reason, tmp_path):
    (tmp_path / "arm.urdf").write_text(text)
    armature = import_robot(tmp_path / "arm.urdf").armature
    before, diagnostics = describe_scene(), Diagnostics()
    target = add_ik(armature, "two", diagnostics=diagnostics)
    assert target["urdf_ik"]["live"] and not native_targets_of(armature)
    (said,) = diagnostics
    assert said.code == "ik-not-native" and reason in said.message
    remove_ik(target)
    assert describe_scene() == before


@pytest.mark.parametrize(
    ("options", "reason"),
    [(BARE, "shares its bone"), (replace(APART, profile="morse"), "MORSE")],
)
def test_combined_bones_and_the_simulators_profile_are_live(options, reason):
    armature = import_arm("iiwa14", options)
    diagnostics = Diagnostics()
    target = add_ik(armature, BY_NAME["iiwa14"].link, diagnostics=diagnostics)
    assert target["urdf_ik"]["live"] and reason in next(iter(diagnostics)).message
    assert not [bone for bone in armature.data.bones if "urdf_ik" in bone]


def test_live_is_there_for_those_who_want_it(z1):
    diagnostics = Diagnostics()
    link = BY_NAME["z1"].link
    target = add_ik(z1, link)
    assert is_native(target)
    assert add_ik(z1, link, live=True, diagnostics=diagnostics) == target
    assert not is_native(target) and not diagnostics
    assert not [bone for bone in z1.data.bones if "urdf_ik" in bone]


def test_a_users_constraint_is_found_out(z1):
    """The elbow is held: the scene would not show what the constraint wants."""
    bone = next(each for each in z1.pose.bones if each.name == "joint3")
    held = bone.constraints.new("LIMIT_ROTATION")
    held.owner_space, held.use_limit_x, held.min_x, held.max_x = "LOCAL", True, -0.3, -0.3
    bpy.context.view_layer.update()
    bones = len(z1.data.bones)
    diagnostics = Diagnostics()
    target = add_ik(z1, BY_NAME["z1"].link, diagnostics=diagnostics)
    bpy.context.view_layer.update()
    assert is_native(target) or "something else moves the rig" in next(iter(diagnostics)).message
    remove_ik(target)
    assert len(z1.data.bones) == bones


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_letting_go_restores_everything(z1, mode):
    bpy.context.view_layer.objects.active = z1
    bpy.ops.object.mode_set(mode=mode)
    before = describe_scene()
    target = add_ik(z1, BY_NAME["z1"].link)
    assert z1.mode == mode
    remove_ik(target)
    assert z1.mode == mode
    after = describe_scene()
    bones = (each[z1.name].pop("bones") for each in (after, before))
    for bone, old in zip(*bones, strict=True):
        assert bone.keys() == old.keys()
        for key, value in bone.items():
            assert value == old[key] or np.allclose(value, old[key], atol=1e-5), key
    assert after == before


def test_the_joints_stay_where_they_are_shown(z1):
    link = BY_NAME["z1"].link
    target = add_ik(z1, link)
    frame = link_pose(z1, link)
    frame[2, 3] -= 0.04
    put(target, z1, frame)
    shown = get_joint_positions(z1)
    remove_ik(target)
    bpy.context.view_layer.update()
    assert get_joint_positions(z1) == pytest.approx(shown, abs=1e-5)
    assert max(misses(z1, link, frame)) < 1e-4


def test_snapping_joints_lets_it_rest_and_snapping_targets_wakes_it(z1):
    link = BY_NAME["z1"].link
    target = add_ik(z1, link)
    frame = link_pose(z1, link)
    frame[0, 3] -= 0.03
    put(target, z1, frame)
    snap_joints(z1)
    assert max(misses(z1, link, frame)) < 1e-4
    set_joint_positions(z1, {"joint1": 0.5})
    bpy.context.view_layer.update()
    turned = link_pose(z1, link)
    assert misses(z1, link, frame)[0] > 0.05
    bring_to_link(z1, target)
    assert max(misses(z1, link, turned)) < 1e-4
    turned[2, 3] -= 0.02
    put(target, z1, turned)
    assert max(misses(z1, link, turned)) < 1e-3


def test_reopened_files_need_nothing_of_this_extension(z1, tmp_path):
    link = BY_NAME["z1"].link
    add_ik(z1, link)
    save_blend(tmp_path / "z1.blend")
    open_blend(tmp_path / "z1.blend")
    unwatch()
    armature = find_robots()["z1_description"]
    (target,) = followed_targets_of(armature)
    frame = link_pose(armature, link)
    frame[2, 3] -= 0.05
    put(target, armature, frame)
    assert max(misses(armature, link, frame)) < 1e-3
    remove_ik(target)
    assert not [item for item in bpy.data.objects if "urdf_ik" in item]


def test_undo_takes_it_back(z1):
    bpy.ops.ed.undo_push(message="before")
    before = describe_scene()
    add_ik(z1, BY_NAME["z1"].link)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert describe_scene() == before


def test_nobody_takes_the_tip_for_a_part_of_the_robot(z1, tmp_path):
    robot, before = extract_robot(z1), set(find_robots())
    diagnostics = Diagnostics()
    write_urdf(z1, tmp_path / "without.urdf")
    add_ik(z1, BY_NAME["z1"].link)
    assert extract_robot(z1) == robot and set(find_robots()) == before
    assert not compare_with_description(z1)
    write_urdf(z1, tmp_path / "with.urdf", diagnostics=diagnostics)
    assert (tmp_path / "with.urdf").read_bytes() == (tmp_path / "without.urdf").read_bytes()
    assert "added-bone" not in [item.code for item in diagnostics]


def test_updates_build_it_anew(z1):
    """The arm gets longer, and its links other names: the target stays, the link reaches it."""
    link = BY_NAME["z1"].link
    target = add_ik(z1, link)
    place = target.matrix_world.copy()
    robot = reshape.resize(extract_robot(z1), scale=1.2)
    update_robot(z1, robot=robot)
    assert is_native(target) and target.matrix_world == place
    set_joint_positions(z1, {"joint2": 1.0, "joint3": -1.6, "joint5": 0.4})
    there = get_joint_positions(z1) | {"joint1": 0.2, "joint2": 1.1, "joint3": -1.5}
    frame = forward_kinematics(robot, there)[link]
    put(target, z1, frame)
    assert max(misses(z1, link, frame)) < 1e-3
    names = {link: "flange"}
    update_robot(z1, robot=reshape.rename(robot, names), names=names)
    assert is_native(target) and target["urdf_ik"]["link"] == "flange"
    assert max(misses(z1, "flange", frame)) < 1e-3
    pruned = reshape.prune(reshape.rename(robot, names), remove=["flange"])
    update_robot(z1, robot=pruned)
    assert not is_native(target) and not target["urdf_ik"].get("live")
    assert not [bone for bone in z1.data.bones if "urdf_ik" in bone]


def test_an_srdf_leaves_followed_targets_alone(z1, tmp_path):
    target = add_ik(z1, BY_NAME["z1"].link)
    (tmp_path / "z1.srdf").write_text('<robot name="z1"/>')
    apply_srdf(z1, tmp_path / "z1.srdf")
    assert followed_targets_of(z1) == [target] and is_native(target)


def test_baking_ends_with_keys_and_rests(z1):
    link = BY_NAME["z1"].link
    target = add_ik(z1, link)
    scene = bpy.context.scene
    target.keyframe_insert("location", frame=1)
    target.location.z -= 0.06
    target.keyframe_insert("location", frame=5)
    target.location.x += 5.0
    target.keyframe_insert("location", frame=6)
    assert bake_ik(z1, target, frame_range=(1, 6)).failed == (6,)
    unwatch()
    found = []
    for frame in (1, 5, 6):
        scene.frame_set(frame)
        found.append(link_pose(z1, link)[2, 3])
    assert found[0] - found[1] == pytest.approx(0.06, abs=2e-5)
    assert found[2] == pytest.approx(found[1], abs=1e-6)


def test_two_robots_of_one_file_have_their_own(tmp_path):
    """Bones are shared by no one who has a bone at its tip."""
    path = ROOT / "sample_urdfs/quadruped_leg.urdf"
    first, second = (import_robot(path, options=APART).armature for _ in range(2))
    target = add_ik(first, "foot")
    second.data = first.data
    diagnostics = Diagnostics()
    add_ik(second, "foot", diagnostics=diagnostics)
    assert is_native(target)
    assert "share the robot's bones" in next(iter(diagnostics)).message
