# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot Motion in File > Import and Export: what the operators do is what the library does."""

import math
from pathlib import Path

import bpy
import numpy as np
import pytest

import urdf_importer
from support.lerobot import write_dataset
from support.paths import ROOT

pytestmark = pytest.mark.usefixtures("scene", "extension")

ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "wave.csv"
    path.write_text("time,shoulder,elbow\n0,0,0\n0.5,0.25,-0.5\n1,0,0\n")
    return path


def test_a_motion_comes_in_and_goes_out(table, tmp_path):
    bpy.ops.import_scene.urdf(filepath=ARM)
    assert bpy.ops.urdf.import_motion(filepath=str(table), start_frame="11") == {"FINISHED"}
    armature = bpy.context.view_layer.objects.active
    assert armature.animation_data.action.name == "wave"
    scene = bpy.context.scene
    scene.frame_set(23)
    shown = urdf_importer.get_joint_positions(armature)
    assert shown["elbow"] == pytest.approx(-0.5, abs=1e-6)
    scene.frame_start, scene.frame_end = 11, 35
    for suffix in (".json", ".bag"):
        output = tmp_path / f"out{suffix}"
        bpy.ops.export_scene.robot_motion(filepath=str(output), rate=48)
        again = urdf_importer.read_trajectory(output)
        assert again.duration == 1.0 and len(again.times) == 49
        column = again.names.index("elbow")
        assert np.allclose(again.positions[[0, 24, 48], column], [0, -0.5, 0], atol=1e-5)


def test_options_are_those_of_the_library(table):
    bpy.ops.import_scene.urdf(filepath=ARM)
    table.write_text("time,r1_shoulder\n0,90\n1,0\n")
    bpy.ops.urdf.import_motion(
        filepath=str(table), prefix="r1_", degrees=True, keys="frames", action="Turn", speed=2.0
    )
    action = bpy.context.view_layer.objects.active.animation_data.action
    assert action.name == "Turn" and action["urdf_motion"]["keys"] == "frames"
    assert tuple(action.frame_range) == (1, 13)


def test_degrees_are_angles_alone_for_dialogs_and_paths(table):
    result = urdf_importer.import_robot(ROOT / "tests/data/turn_and_slide.urdf")
    robot = result.armature
    table.write_text("time,r1_arm,r1_finger\n0,90,0.01\n1,45,0.04\n")
    bpy.ops.urdf.import_motion(filepath=str(table), prefix="r1_", degrees=True)
    options = urdf_importer.MotionOptions(prefix="r1_", degrees=True)
    for _ in range(2):
        bpy.context.scene.frame_set(1)
        shown = urdf_importer.get_joint_positions(robot)
        assert shown == {"arm": pytest.approx(np.pi / 2), "finger": pytest.approx(0.01)}
        urdf_importer.apply_trajectory(robot, table, options=options)
    assert (
        urdf_importer.read_trajectory(table, robot=robot, options=options).positions[0, 1] == 0.01
    )
    read = urdf_importer.read_trajectory(table, robot=result, options=options)
    assert read.positions[:, 1].tolist() == [0.01, 0.04]


def test_what_cannot_be_done_is_one_sentence(table):
    with pytest.raises(RuntimeError, match="there is no robot to move"):
        bpy.ops.urdf.import_motion(filepath=str(table))
    bpy.ops.import_scene.urdf(filepath=ARM)
    table.write_text("time,nose\n0,1\n")
    with pytest.raises(RuntimeError, match="no joint of the robot is in the motion"):
        bpy.ops.urdf.import_motion(filepath=str(table))
    with pytest.raises(RuntimeError, match="'soon' in Start Frame is not a number"):
        bpy.ops.urdf.import_motion(filepath=str(table), start_frame="soon")
    with pytest.raises(RuntimeError, match="not as"):
        bpy.ops.export_scene.robot_motion(filepath=str(table.with_suffix(".xyz")))
    assert len(bpy.data.actions) == 0


FAST = "time,shoulder,elbow\n0,0,0\n0.5,0,0\n0.625,0.5,-0.1\n1,0.4,0\n"


def panel_of(extension):
    return extension.operators.motion.panel


def checks_of(extension):
    return extension.operators.session.session_state(panel_of(extension).Checks).found


def load_fast(table):
    """The shoulder goes 4 rad/s from frame 13 to 16, its limit is 2.5."""
    bpy.ops.import_scene.urdf(filepath=ARM)
    table.write_text(FAST)
    bpy.ops.urdf.import_motion(filepath=str(table))
    return bpy.context.view_layer.objects.active


@pytest.mark.parametrize(
    ("kind", "value", "limit", "text"),
    [
        ("velocity", math.radians(180.4), math.pi, "shoulder: 180.4 of 180°/s"),
        ("velocity", math.radians(180.04), math.pi, "shoulder: > 180°/s"),
        ("acceleration", math.radians(12345.4), math.radians(12345), "shoulder: > 12345°/s²"),
        ("position", 0.0, math.radians(0.5), "shoulder: 0 of 0.5°"),
        ("position", -math.radians(90.001), -math.radians(90), "shoulder: < -90°"),
        ("effort", 100.04, 100.0, "shoulder: effort > 100"),
    ],
)
def test_the_text_of_a_broken_limit_shows_that_it_is_broken(extension, kind, value, limit, text):
    bpy.ops.import_scene.urdf(filepath=ARM)
    armature = bpy.context.view_layer.objects.active
    each = urdf_importer.Violation(joint="shoulder", kind=kind, time=0.0, value=value, limit=limit)
    assert panel_of(extension).describe_violation(armature, each) == text


def test_a_motion_is_checked_marked_and_retimed(extension, table):
    armature, panel = load_fast(table), panel_of(extension)
    scene = bpy.context.scene
    assert bpy.ops.urdf.check_motion() == {"FINISHED"}
    (worst,) = checks_of(extension)[armature.session_uid].violations
    assert (worst.joint, worst.kind) == ("shoulder", "velocity")
    assert worst.value == pytest.approx(4.0, rel=1e-3)
    assert panel.describe_violation(armature, worst) == "shoulder: 229 of 143°/s"
    (marker,) = scene.timeline_markers
    assert marker.name == "! shoulder velocity" and 13 <= marker.frame <= 16
    bpy.ops.urdf.go_to_violation(frame=14.5)
    assert (scene.frame_current, scene.frame_subframe) == (14, 0.5)
    assert panel.find_fast_joints(bpy.context, armature) == {"shoulder"}
    scene.frame_set(3)
    assert panel.find_fast_joints(bpy.context, armature) == set()
    before = armature.animation_data.action
    assert bpy.ops.urdf.retime_motion(only_slower=True) == {"FINISHED"}
    action = armature.animation_data.action
    assert action != before and action.name == "wave retimed" and before in set(bpy.data.actions)
    assert checks_of(extension) == {}
    assert bpy.ops.urdf.check_motion(markers=False) == {"FINISHED"}
    assert checks_of(extension)[armature.session_uid].violations == ()
    assert not scene.timeline_markers
    names = [each.name for each in panel.actions_of(armature)]
    assert names == ["wave", "wave retimed"]
    assert bpy.ops.urdf.show_motion(action="wave") == {"FINISHED"}
    assert armature.animation_data.action == before
    assert bpy.ops.urdf.show_motion(action="nose") == {"CANCELLED"}


def test_checks_of_files_that_were_left_are_forgotten(extension, table):
    armature = load_fast(table)
    bpy.ops.urdf.check_motion()
    left = armature.session_uid
    bpy.ops.wm.read_homefile(use_empty=True)
    armature = load_fast(table)
    bpy.ops.urdf.check_motion()
    assert armature.session_uid != left and set(checks_of(extension)) == {armature.session_uid}


def test_the_keyed_frames_are_meant_not_those_of_the_scene(extension, table):
    armature = load_fast(table)
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end) == (1, 250)
    motion = urdf_importer.sample_trajectory(armature)
    assert motion.duration == pytest.approx(1.0) and len(motion.times) == 25
    bpy.ops.urdf.check_motion()
    checked = checks_of(extension)[armature.session_uid]
    assert (checked.first, checked.last) == (1, 25)
    bpy.ops.urdf.retime_motion(only_slower=True)
    assert 25 < armature.animation_data.action.frame_range[1] < 35
    armature.animation_data.action = None
    assert len(urdf_importer.sample_trajectory(armature).times) == 250


def test_a_motion_that_starts_late_is_checked_where_it_is(extension, table):
    bpy.ops.import_scene.urdf(filepath=ARM)
    table.write_text(FAST)
    bpy.ops.urdf.import_motion(filepath=str(table), start_frame="101")
    armature = bpy.context.view_layer.objects.active
    bpy.ops.urdf.check_motion()
    checked = checks_of(extension)[armature.session_uid]
    assert (checked.first, checked.last) == (101, 125)
    (marker,) = bpy.context.scene.timeline_markers
    assert 113 <= marker.frame <= 116


def test_a_file_of_limits_counts_and_a_factor_does_without(extension, table, tmp_path):
    armature, panel = load_fast(table), panel_of(extension)
    manager = bpy.context.window_manager
    limits = tmp_path / "joint_limits.yaml"
    limits.write_text("joint_limits:\n  elbow: {max_acceleration: 2.0}\n", encoding="utf-8")
    try:
        manager.urdf_limits_file = str(limits)
        assert bpy.ops.urdf.check_motion() == {"FINISHED"}
        found = checks_of(extension)[armature.session_uid].violations
        assert {(each.joint, each.kind) for each in found} == {
            ("shoulder", "velocity"), ("elbow", "acceleration"),
        }  # fmt: skip
        assert bpy.ops.urdf.retime_motion() == {"FINISHED"}
        motion = urdf_importer.sample_trajectory(armature, rate=240)
        # Between keys of single precision differences of second order are noise.
        wide = {"elbow": urdf_importer.JointLimits(acceleration=2.1)}
        assert urdf_importer.check_trajectory(armature, motion, limits=wide) == ()
        assert panel.find_motion_limits(bpy.context, armature)["elbow"].acceleration == 2.0
        limits.write_text("joint_limits:\n  elbow: {max_acceleration: 2.25}\n", encoding="utf-8")
        assert panel.find_motion_limits(bpy.context, armature)["elbow"].acceleration == 2.25
        limits.write_text("joint_limits: 3\n", encoding="utf-8")
        assert bpy.ops.urdf.check_motion() == {"CANCELLED"}
        assert panel.find_fast_joints(bpy.context, armature) == set()
    finally:
        manager.urdf_limits_file = ""
    bpy.ops.urdf.show_motion(action="wave")
    assert bpy.ops.urdf.retime_motion(by="factor", factor=0.5) == {"FINISHED"}
    assert armature.animation_data.action.frame_range[1] == pytest.approx(49, abs=1e-3)


def test_keys_beyond_a_range_are_told_though_the_rig_holds_it(extension, table):
    bpy.ops.import_scene.urdf(filepath=ARM)
    table.write_text("time,elbow\n0,0\n10,2.5\n")
    bpy.ops.urdf.import_motion(filepath=str(table))
    armature = bpy.context.view_layer.objects.active
    bpy.ops.urdf.check_motion(markers=False)
    (found,) = checks_of(extension)[armature.session_uid].violations
    assert (found.joint, found.kind) == ("elbow", "position")
    assert (found.value, found.time) == (pytest.approx(2.5), pytest.approx(10.0))


def test_followers_are_seen_by_their_leader(extension, table):
    bpy.ops.import_scene.urdf(filepath=str(ROOT / "sample_urdfs" / "gripper.urdf"))
    table.write_text("time,jaw_left\n0,0\n0.05,0.03\n1,0.03\n")
    bpy.ops.urdf.import_motion(filepath=str(table))
    armature = bpy.context.view_layer.objects.active
    bpy.context.scene.frame_set(2)
    limits = {name: urdf_importer.JointLimits(velocity=0.3) for name in ("jaw_left", "pad_right")}
    found = {each.joint: each for each in panel_of(extension).check_frame(armature, limits, 1.6)}
    leader = found["jaw_left"].value
    assert leader == pytest.approx(0.36, rel=1e-3)
    masters = urdf_importer.core.kinematics.tree.retrace_tree(
        urdf_importer.extract_robot(armature)
    ).masters
    ratio = abs(masters["pad_right"].multiplier)
    assert found["pad_right"].value == pytest.approx(ratio * leader, rel=1e-3)


FOLDING = """<robot name="folding">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0.55 0 0"/>
    <geometry><box size="0.8 0.05 0.05"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0.5 0 0"/>
    <geometry><box size="0.8 0.05 0.05"/></geometry></collision></link>
  <joint name="hip" type="fixed"><parent link="base"/><child link="upper"/></joint>
  <joint name="knee" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="1 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-3.2" upper="3.2" velocity="9" effort="1"/></joint>
</robot>"""


def test_contacts_are_listed_and_marked_beside_violations(extension, tmp_path):
    (tmp_path / "folding.urdf").write_text(FOLDING)
    (tmp_path / "fold.csv").write_text("time,knee\n0,0\n1,3.1\n")
    bpy.ops.import_scene.urdf(filepath=str(tmp_path / "folding.urdf"))
    bpy.ops.urdf.import_motion(filepath=str(tmp_path / "fold.csv"), start_frame="1")
    assert bpy.ops.urdf.check_motion() == {"FINISHED"}
    armature = bpy.context.view_layer.objects.active
    checked = checks_of(extension)[armature.session_uid]
    (contact,) = checked.contacts
    assert (contact.link1, contact.link2) == ("base", "lower")
    (marker,) = [each for each in bpy.context.scene.timeline_markers if "base" in each.name]
    assert marker.name == "! base lower"
    per_second = bpy.context.scene.render.fps
    assert marker.frame == round(1 + contact.start * per_second)
    assert bpy.ops.urdf.check_motion(collisions=False) == {"FINISHED"}
    assert not checks_of(extension)[armature.session_uid].contacts


def test_a_free_base_goes_out_and_comes_in_as_columns(tmp_path):
    robot = urdf_importer.import_robot(ROOT / "tests/data/free_base.xml").armature
    output = tmp_path / "free.csv"
    half = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))
    pose = {"root": (1.0, 2.0, 3.0, *half), "j": 0.5}
    urdf_importer.set_joint_positions(robot, pose)
    bpy.context.view_layer.objects.active = robot
    bpy.ops.export_scene.robot_motion(filepath=str(output))
    again = urdf_importer.read_trajectory(output)
    (track,) = again.frames
    # MuJoCo counts from the world: the body rests 0.3 m above it.
    assert track.translations[0] == pytest.approx([1.0, 2.0, 3.3], abs=1e-6)
    assert track.quaternions[0] == pytest.approx(half, abs=1e-6)
    urdf_importer.set_joint_positions(robot, {"root": (0, 0, 0, 0, 0, 0, 1), "j": 0.0})
    urdf_importer.apply_trajectory(robot, again)
    shown = urdf_importer.get_joint_positions(robot)
    assert shown["root"] == pytest.approx(pose["root"], abs=1e-6)
    bpy.ops.export_scene.robot_motion(filepath=str(output), form="unitree")
    row = np.loadtxt(output, delimiter=",").reshape(-1, 8)[0]
    assert row == pytest.approx([1.0, 2.0, 3.3, *half, 0.5], abs=1e-6)
    with pytest.raises(RuntimeError, match="the layout tracking is a"):
        bpy.ops.export_scene.robot_motion(filepath=str(output), form="tracking")


def test_a_robot_that_moves_as_a_whole_has_its_base_in_a_table(tmp_path):
    robot = urdf_importer.import_robot(ARM).armature
    for frame, place in ((1, 0.0), (3, 0.5)):
        robot.location.x = place
        robot.keyframe_insert("location", frame=frame)
    motion = urdf_importer.sample_trajectory(robot)
    urdf_importer.write_trajectory(motion, tmp_path / "m.csv")
    (track,) = urdf_importer.read_trajectory(tmp_path / "m.csv").frames
    assert track.translations[[0, -1], 0] == pytest.approx([0.0, 0.5], abs=1e-6)


def test_a_dataset_is_imported_and_exported(tmp_path):
    states = write_dataset(tmp_path / "pick")
    bpy.ops.import_scene.urdf(filepath=str(ROOT / "tests/data/so_arm.urdf"))
    bpy.context.scene.render.fps = 30
    done = bpy.ops.urdf.import_motion(
        filepath=str(tmp_path / "pick/meta/info.json"), topic="1", units="*:=deg; gripper:=deg"
    )
    assert done == {"FINISHED"}
    folder = tmp_path / "again"
    done = bpy.ops.export_scene.robot_episodes(
        filepath=str(folder), units="*:=deg; gripper:=deg", task="pick"
    )
    assert done == {"FINISHED"}
    found = urdf_importer.read_trajectory(folder)
    assert found.positions[:, 4] == pytest.approx(states[1][:, 4], abs=1e-3)
    table = tmp_path / "arm.yaml"
    table.write_text("servos: {wrist_roll: {id: 5}}\n")
    header = tmp_path / "m.h"
    with pytest.raises(RuntimeError, match="keeps no table of servos"):
        bpy.ops.export_scene.robot_motion(filepath=str(header))
    done = bpy.ops.export_scene.robot_motion(filepath=str(header), servos=str(table))
    assert done == {"FINISHED"}
    written = header.read_text()
    assert "#define SERVOS 1" in written
    table.unlink()
    header.unlink()
    assert bpy.ops.export_scene.robot_motion(filepath=str(header)) == {"FINISHED"}
    assert header.read_text() == written
