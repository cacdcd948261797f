# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops with ball joints and with two and more free joints in Blender: the free joints are set, the
drivers alone close the rest."""

from dataclasses import replace
from itertools import product

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from support.linkages import gap_of
from support.mechanisms import ankle, delta, five_bar, hexapod, planar_platform, steered_rod
from support.paths import TESTS
from support.real_robots import ROOT as ROBOTS
from urdf_importer import (
    RigIKOptions,
    close_loops,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    link_pose,
    open_blend,
    read_robot,
    save_blend,
    set_joint_positions,
    solve_ik,
    update_robot,
)
from urdf_importer.core.blender.standing.handles import explain_hold, make_handle
from urdf_importer.core.blender.standing.joints import joints_of

pytestmark = pytest.mark.usefixtures("scene")

MECHANISMS = {
    "rod between balls": steered_rod,
    "five bars": five_bar,
    "ankle": ankle,
    "delta": delta,
    "hexapod": hexapod,
    "planar platform": planar_platform,
}
CASSIE = ROBOTS / "cassie_description" / "robots"


def bring_in(mechanism, tmp_path):
    return import_robot(mechanism.write(tmp_path / "robot.sdf"))


def free_joints(armature):
    return [joint for joint in joints_of(armature) if not joint.mimics]


def pose_within_limits(armature, random):
    wanted = {}
    for joint in free_joints(armature):
        lower, upper = joint.limits
        wanted[joint.name] = random.uniform(
            -3.0 if lower is None else lower, 3.0 if upper is None else upper
        )
    set_joint_positions(armature, wanted)
    bpy.context.view_layer.update()
    return wanted


def check_poses(armature, robot, count, near, seed=3):
    """Random poses: free joints where they were set, loops closed, links where positions say."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        wanted = pose_within_limits(armature, random)
        shown = get_joint_positions(armature)
        for name, position in wanted.items():
            assert shown[name] == pytest.approx(position, abs=2e-6)
        assert gap_of(robot, shown) < near
        frames = forward_kinematics(replace(robot, loops=()), shown)
        for link in robot.links:
            assert link_pose(armature, link.name) == pytest.approx(frames[link.name], abs=2e-5)


@pytest.mark.parametrize(
    ("kind", "seed"), [*product(MECHANISMS, [1]), *product(("five bars", "ankle"), [2])]
)
def test_loops_stay_closed_wherever_their_free_joints_may_be(kind, seed, tmp_path):
    result = bring_in(MECHANISMS[kind](np.random.default_rng(seed)), tmp_path)
    assert {each.code for each in result.diagnostics} <= {"loop-range", "unknown-joint-type"}
    check_poses(result.armature, result.robot, 12, 2e-5)


@pytest.mark.parametrize(("name", "near"), [("cassie", 1e-3), ("cassie_v2", 1e-5)])
def test_cassies_legs_stay_closed(name, near):
    result = import_robot(CASSIE / f"{name}.sdf")
    assert "loop-not-closed" not in {each.code for each in result.diagnostics}
    check_poses(result.armature, result.robot, 12, near)


def test_closing_two_free_joints_changes_nothing_at_zero(tmp_path):
    result = bring_in(ankle(np.random.default_rng(5)), tmp_path)
    frames = forward_kinematics(result.robot)
    for link in result.robot.links:
        assert link_pose(result.armature, link.name) == pytest.approx(frames[link.name], abs=1e-5)


@pytest.mark.parametrize("kind", [ankle, delta])
def test_nothing_but_blenders_own_drivers_moves_them(kind, tmp_path):
    robot = bring_in(kind(np.random.default_rng(6)), tmp_path).robot
    save_blend(tmp_path / "robot.blend")
    open_blend(tmp_path / "robot.blend")
    (armature,) = (each for each in bpy.data.objects if each.type == "ARMATURE")
    check_poses(armature, robot, 4, 2e-5)
    drivers = armature.animation_data.drivers
    assert all(each.driver.is_valid for each in drivers)
    assert [
        each.driver.expression for each in drivers if not each.driver.is_simple_expression
    ] == []
    followers = [joint for joint in joints_of(armature) if joint.mimics]
    balls = {"left_ball", "right_ball"} if kind is ankle else {"elbow_0a", "wrist_0a"}
    assert {joint.name for joint in followers} >= balls
    for joint in followers:
        assert all(armature.pose.bones[joint.bone].lock_rotation)


def test_an_update_closes_two_free_joints_again(tmp_path):
    armature = bring_in(five_bar(np.random.default_rng(7)), tmp_path).armature
    other = read_robot(five_bar(np.random.default_rng(8)).write(tmp_path / "robot.sdf"))
    check_poses(update_robot(armature).armature, other, 4, 2e-5)


def test_bodies_of_followers_of_two_drag_the_first_of_them(tmp_path):
    armature = bring_in(five_bar(np.random.default_rng(9)), tmp_path).armature
    positions = {}
    for place in (0.101, 0.1, 0.099):
        set_joint_positions(armature, {"left_pin": place, "right_pin": -0.1})
        bpy.context.view_layer.update()
        positions[place] = get_joint_positions(armature)["right_knee"]
        if place == 0.1:
            handle = make_handle(armature, "right_knee")
    assert handle.joint.name == "left_pin"
    steepness = (positions[0.101] - positions[0.099]) / 0.002
    assert handle.ratio == pytest.approx(steepness, abs=1e-2)


def test_bodies_on_ball_joints_that_follow_say_what_to_drag(tmp_path):
    """A rod that hangs on the motor itself goes where that goes; the other one does not."""
    armature = bring_in(ankle(np.random.default_rng(10)), tmp_path).armature
    assert explain_hold(make_handle(armature, "left_ball")) == ""
    assert (
        explain_hold(make_handle(armature, "right_ball")) == "follows 'left_motor': drag its leader"
    )


def test_hexapods_stay_closed_wherever_they_stand_and_in_every_frame(tmp_path):
    """No program of ours runs while frames change: drivers alone close the loops."""
    result = bring_in(hexapod(np.random.default_rng(11)), tmp_path)
    armature, scene = result.armature, bpy.context.scene
    armature.matrix_world = Matrix.Translation((3.0, -2.0, 1.0)) @ Matrix.Rotation(1.0, 4, "X")
    legs = [joint for joint in joints_of(armature) if joint.name.startswith("slide")]
    for frame in (1, 11, 21):
        for number, leg in enumerate(legs):
            bone, channel = armature.pose.bones[leg.bone], leg.channels[0]
            place = 0.05 * np.sin(frame + 1.3 * number)
            getattr(bone, channel.prop)[channel.index] = place
            bone.keyframe_insert(channel.prop, index=channel.index, frame=frame)
    pose = {}
    for frame in (21, 6, 16, 1, 6):
        scene.frame_set(frame)
        shown = get_joint_positions(armature)
        assert gap_of(result.robot, shown) < 5e-6
        assert shown == pose.setdefault(frame, shown)
    assert pose[6]["swing_0"] != pytest.approx(pose[16]["swing_0"], abs=1e-3)


def test_the_plate_of_a_hexapod_goes_where_it_is_asked_to(tmp_path):
    result = bring_in(hexapod(np.random.default_rng(12)), tmp_path)
    wanted = forward_kinematics(result.robot)["plate"]
    wanted[:3, 3] += (0.01, -0.02, 0.015)
    found = solve_ik(result.armature, "plate", target=wanted, options=RigIKOptions(seconds=20.0))
    assert found.success, found.message
    assert link_pose(result.armature, "plate") == pytest.approx(wanted, abs=2e-5)


def test_bodies_of_followers_of_six_drag_the_first_of_them(tmp_path):
    armature = bring_in(hexapod(np.random.default_rng(13)), tmp_path).armature
    positions = {}
    for place in (0.011, 0.01, 0.009):
        set_joint_positions(armature, {"slide_0": place, "slide_3": -0.02})
        bpy.context.view_layer.update()
        positions[place] = get_joint_positions(armature)["tilt_2"]
        if place == 0.01:
            handle = make_handle(armature, "tilt_2")
    assert handle.joint.name == "slide_0"
    steepness = (positions[0.011] - positions[0.009]) / 0.002
    assert handle.ratio == pytest.approx(steepness, abs=1e-2)


def test_an_update_writes_formulas_anew(tmp_path):
    armature = bring_in(hexapod(np.random.default_rng(14)), tmp_path).armature
    other = read_robot(hexapod(np.random.default_rng(15)).write(tmp_path / "robot.sdf"))
    check_poses(update_robot(armature).armature, other, 4, 2e-5)
    assert all(each.driver.is_valid for each in armature.animation_data.drivers)
    five_bar(np.random.default_rng(15)).write(tmp_path / "robot.sdf")
    armature = update_robot(armature).armature
    assert not [key for bone in armature.pose.bones for key in dict(bone.items()) if "loop" in key]


@pytest.mark.parametrize("name", ["mirrored_gripper", "sprung_leg"])
def test_loops_of_mujoco_with_springs_and_equalities_stay_closed(name):
    """At rest, where close_loops puts the joints, and in poses within limits."""
    robot = read_robot(TESTS / "data" / f"{name}.xml")
    armature = import_robot(TESTS / "data" / f"{name}.xml").armature
    assert gap_of(robot, get_joint_positions(armature)) < 1e-6
    set_joint_positions(armature, close_loops(robot).positions)
    bpy.context.view_layer.update()
    assert gap_of(robot, get_joint_positions(armature)) < 1e-6
    check_poses(armature, robot, 6, 2e-6)
