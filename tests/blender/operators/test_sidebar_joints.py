# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's sliders, poses and keyframes, on rigs that the library made."""

import math
from pathlib import Path
from types import ModuleType

import bpy
import pytest

from support.blender.sidebars import activate, enforce, keyed, limits_of, load, sliders_of
from support.blender.snapshots import describe_scene
from urdf_importer import get_joint_positions, link_pose, save_blend, set_joint_positions

pytestmark = pytest.mark.usefixtures("extension", "scene")


# Sliders


@pytest.mark.parametrize("name", ["two_link_arm", "gantry", "quadruped_leg", "humanoid_arm"])
def test_sliders_are_joint_positions(name: str, extension: ModuleType) -> None:
    robot = load(name)
    before = get_joint_positions(robot)
    for joint, [(bone, slider)] in sliders_of(extension, robot).items():
        assert getattr(bone, slider) == pytest.approx(before[joint], abs=1e-6)
    set_joint_positions(robot, {joint: 0.01 for joint in before})
    for joint, [(bone, slider)] in sliders_of(extension, robot).items():
        lower, upper = limits_of(bone, joint)
        if lower <= 0.01 <= upper:
            assert getattr(bone, slider) == pytest.approx(0.01, abs=1e-6)
            setattr(bone, slider, 0.02 if upper >= 0.02 else lower)
            bpy.context.view_layer.update()
            wanted = 0.02 if upper >= 0.02 else lower
            assert get_joint_positions(robot)[joint] == pytest.approx(wanted, abs=1e-5)


def test_a_slider_says_range_and_unit_and_stores_nothing(extension: ModuleType) -> None:
    robot = load("gantry")
    found = sliders_of(extension, robot)
    kept = describe_scene()
    for joint, [(bone, slider)] in found.items():
        shown = bone.bl_rna.properties[slider]
        lower, upper = limits_of(bone, joint)
        if math.isfinite(lower):
            assert shown.soft_min == pytest.approx(lower)
        if math.isfinite(upper):
            assert shown.soft_max == pytest.approx(upper)
        (kind,) = (each["kind"] for each in bone.bone["urdf_joints"] if each["name"] == joint)
        assert shown.unit == ("LENGTH" if kind == "prismatic" else "ROTATION")
        assert not shown.is_animatable and shown.description
        setattr(bone, slider, getattr(bone, slider))
        assert bone.get(slider) is None
    assert describe_scene() == kept


def test_a_slider_stops_at_the_limit_while_limits_are_enforced(extension: ModuleType) -> None:
    robot = load("two_link_arm")
    [(bone, slider)] = sliders_of(extension, robot)["elbow"]
    upper = limits_of(bone, "elbow")[1]
    setattr(bone, slider, upper + 1.0)
    assert getattr(bone, slider) == pytest.approx(upper)
    enforce(robot, False)
    setattr(bone, slider, upper + 1.0)
    assert getattr(bone, slider) == pytest.approx(upper + 1.0)
    bpy.context.view_layer.update()
    assert get_joint_positions(robot)["elbow"] == pytest.approx(upper + 1.0, abs=1e-5)


def test_joints_of_several_numbers_have_a_slider_for_each(extension: ModuleType) -> None:
    robot = load("planar_base")
    found = sliders_of(extension, robot)
    (joint,) = (name for name, each in found.items() if len(each) == 3)
    for value, (bone, slider) in zip((0.5, -0.25, 1.0), found[joint], strict=True):
        setattr(bone, slider, value)
    assert get_joint_positions(robot)[joint] == pytest.approx((0.5, -0.25, 1.0), abs=1e-5)
    floating = load("drone")
    assert sorted(len(each) for each in sliders_of(extension, floating).values())[-1] == 6


def test_a_follower_shows_what_it_follows(extension: ModuleType) -> None:
    robot = load("gripper")
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
    follower = next(row for row in table.joints.values() if row.mimics)
    found = sliders_of(extension, robot)
    [(source, slider)] = found[follower.mimics]
    setattr(source, slider, 0.5 * source.bl_rna.properties[slider].soft_max)
    bpy.context.view_layer.update()
    [(bone, shown)] = found[follower.name]
    wanted = get_joint_positions(robot)[follower.name]
    assert abs(wanted) > 1e-4
    assert getattr(bone, shown) == pytest.approx(wanted, abs=1e-5)


def test_sliders_follow_renamed_bones_and_files(extension: ModuleType, tmp_path: Path) -> None:
    robot = load("two_link_arm")
    sliders_of(extension, robot)
    robot.data.bones["elbow"].name = "joint of the arm"
    bpy.context.view_layer.update()
    save_blend(tmp_path / "arm.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "arm.blend"))
    robot = bpy.data.objects["two_link_arm"]
    [(bone, slider)] = sliders_of(extension, robot)["elbow"]
    assert bone.name == "joint of the arm"
    setattr(bone, slider, 0.25)
    assert get_joint_positions(robot)["elbow"] == pytest.approx(0.25, abs=1e-6)


def test_auto_keying_keys_the_channel(extension: ModuleType) -> None:
    robot = load("two_link_arm")
    [(bone, slider)] = sliders_of(extension, robot)["elbow"]
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    setattr(bone, slider, 0.25)
    assert keyed(extension, robot) == {"elbow"}


# Poses


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_zero_random_and_valid_poses(mode: str) -> None:
    robot, other = load("humanoid_arm"), load("two_link_arm")
    activate(robot)
    bpy.ops.object.mode_set(mode=mode)
    still = get_joint_positions(other)
    start = get_joint_positions(robot)
    assert bpy.ops.urdf.random_pose(seed=4) == {"FINISHED"}
    first = get_joint_positions(robot)
    assert all(first[name] != start[name] for name in start)
    bpy.ops.urdf.random_pose(seed=5)
    assert get_joint_positions(robot) != first
    bpy.ops.urdf.random_pose(seed=4)
    assert get_joint_positions(robot) == first
    assert bpy.ops.urdf.nearest_valid() == {"CANCELLED"}  # So that there is no undo step.
    assert get_joint_positions(robot) == first
    bpy.ops.urdf.zero_pose()
    assert get_joint_positions(robot) == start
    assert get_joint_positions(other) == still
    assert robot.mode == mode


def test_zero_is_the_nearest_valid_position() -> None:
    robot = load("messy")
    start = get_joint_positions(robot)
    bpy.ops.urdf.random_pose(seed=1)
    bpy.ops.urdf.zero_pose()
    assert get_joint_positions(robot) == start


@pytest.mark.parametrize(
    ("position", "nearest"),
    [(2.7, 2.4), (-0.5, 0.0), (-9.0, 2.4), (1.0, 1.0), (1.0 + math.tau, 1.0)],
)
def test_nearest_valid(position: float, nearest: float, extension: ModuleType) -> None:
    channel = extension.urdf_importer.core.blender.standing.joints.JointChannel(
        label="", prop="rotation_euler", index=0, sign=-1, lower=0.0, upper=2.4
    )
    found = channel.find_valid(position)
    assert found == pytest.approx(nearest)
    assert 0.0 <= found <= 2.4


def test_nearest_valid_keeps_an_angle_that_is_valid_on_the_circle(extension: ModuleType) -> None:
    channel = extension.urdf_importer.core.blender.standing.joints.JointChannel(
        label="", prop="rotation_euler", index=0, sign=1, lower=-1.0, upper=1.0
    )
    assert channel.find_valid(0.5 + math.tau) == pytest.approx(0.5)
    assert channel.find_valid(2.0) == 1.0
    assert channel.find_valid(4.5) == -1.0


def test_joints_outside_their_limits_go_back() -> None:
    robot = load("two_link_arm")
    set_joint_positions(robot, {"elbow": 50.0, "shoulder": 0.1})
    assert bpy.ops.urdf.nearest_valid() == {"FINISHED"}
    elbow, shoulder = (robot.pose.bones[name] for name in ("elbow", "shoulder"))
    shown = get_joint_positions(robot)
    lower, upper = limits_of(elbow, "elbow")
    assert lower <= shown["elbow"] <= upper and shown["shoulder"] == pytest.approx(0.1)
    raw = elbow.rotation_euler[0] * elbow.bone["urdf_joints"][0]["sign"]
    assert raw == pytest.approx(shown["elbow"], abs=1e-5)
    assert shoulder.rotation_euler[0] != 0.0


def test_a_random_pose_leaves_the_robot_where_it_stands() -> None:
    robot = load("drone")
    stands = link_pose(robot, next(iter(robot["urdf_robot"]["links"])))
    before = get_joint_positions(robot)
    base = next(name for name, each in before.items() if isinstance(each, tuple))
    set_joint_positions(robot, {base: (1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0)})
    bpy.ops.urdf.random_pose(seed=1)
    assert get_joint_positions(robot)[base] == pytest.approx((1, 2, 3, 0, 0, 0, 1), abs=1e-6)
    bpy.ops.urdf.zero_pose()
    assert get_joint_positions(robot)[base] == pytest.approx((0, 0, 0, 0, 0, 0, 1), abs=1e-6)
    assert link_pose(robot, next(iter(robot["urdf_robot"]["links"]))) == pytest.approx(stands)


# Keyframes


def test_key_all_keys_every_joint_but_followers(extension: ModuleType) -> None:
    robot = load("gripper")
    bpy.context.scene.frame_set(7)
    assert bpy.ops.urdf.key_all() == {"FINISHED"}
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
    assert keyed(extension, robot) == {row.name for row in table.joints.values() if not row.mimics}
    bpy.context.scene.frame_set(8)
    assert keyed(extension, robot) == set()


def test_a_joint_is_keyed_and_its_key_taken_away(extension: ModuleType) -> None:
    robot = load("quadruped_leg")
    names = list(get_joint_positions(robot))
    assert bpy.ops.urdf.key_joint(joint=names[0]) == {"FINISHED"}
    assert keyed(extension, robot) == {names[0]}
    bpy.ops.urdf.key_joint(joint=names[1])
    assert keyed(extension, robot) == set(names[:2])
    bpy.ops.urdf.key_joint(joint=names[0])
    assert keyed(extension, robot) == {names[1]}


def test_keyframes_are_those_of_the_channel(extension: ModuleType) -> None:
    robot = load("two_link_arm")
    [(bone, slider)] = sliders_of(extension, robot)["elbow"]
    for frame, position in ((1, 0.0), (11, 1.0)):
        bpy.context.scene.frame_set(frame)
        setattr(bone, slider, position)
        bpy.ops.urdf.key_joint(joint="elbow")
    bpy.context.scene.frame_set(6)
    assert getattr(bone, slider) == pytest.approx(0.5, abs=1e-5)
    assert get_joint_positions(robot)["elbow"] == pytest.approx(0.5, abs=1e-5)


@pytest.mark.parametrize(("name", "joint"), [("gripper", None), ("two_link_arm", "nobody")])
def test_what_cannot_be_keyed_says_why(name: str, joint: str | None, extension: ModuleType) -> None:
    robot = load(name)
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
    joint = joint or next(row.name for row in table.joints.values() if row.mimics)
    with pytest.raises(RuntimeError, match=f"'{joint}' (follows '|is not a joint of this robot)"):
        bpy.ops.urdf.key_joint(joint=joint)
    assert robot.animation_data is None or robot.animation_data.action is None


# Undo


def test_each_button_is_one_undo_step() -> None:
    load("two_link_arm")
    bpy.ops.ed.undo_push(message="start")
    start = get_joint_positions(bpy.data.objects["two_link_arm"])
    bpy.ops.urdf.random_pose(seed=3)
    bpy.ops.ed.undo_push(message="random")
    posed = get_joint_positions(bpy.data.objects["two_link_arm"])
    bpy.ops.urdf.zero_pose()
    bpy.ops.ed.undo_push(message="zero")
    bpy.ops.ed.undo()
    assert get_joint_positions(bpy.data.objects["two_link_arm"]) == posed != start
    bpy.ops.ed.undo()
    assert get_joint_positions(bpy.data.objects["two_link_arm"]) == start
    bpy.ops.ed.redo()
    assert get_joint_positions(bpy.data.objects["two_link_arm"]) == posed


# Limits


def test_an_icon_says_that_a_joint_is_at_a_limit(extension: ModuleType) -> None:
    rows = __import__(f"{extension.__name__}.operators.sidebar.panel_joints", fromlist=["x"])
    robot = load("quadruped_leg", combine_joints="never")
    recall = extension.urdf_importer.core.blender.standing.robot_table.recall_table
    row = recall(robot).joints["knee"]
    bone = robot.pose.bones[row.bone]
    lower, upper = limits_of(bone, "knee")
    span = upper - lower
    left, right, plain = "TRIA_LEFT_BAR", "TRIA_RIGHT_BAR", "BONE_DATA"
    for position, icon in (
        (lower + 0.5 * span, plain), (upper - 0.04 * span, plain), (lower + 0.04 * span, plain),
        (upper, right), (lower, left), (upper + 1.0, right), (lower - 1.0, left),
    ):  # fmt: skip
        row.channels[0].put(bone, position)
        assert rows.find_icon(row, bone) == icon, position
    (wheel, *_) = recall(load("differential_drive")).joints.values()
    assert wheel.limits == (None, None)
    spinning = bpy.data.objects["differential_drive"].pose.bones[wheel.bone]
    assert rows.find_icon(wheel, spinning) == plain
