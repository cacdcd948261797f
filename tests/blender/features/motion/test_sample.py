# SPDX-License-Identifier: GPL-3.0-or-later
"""What rigs show, as motions: from their curves alone where these say all, else frame by frame."""

from dataclasses import replace

import bpy
import numpy as np
import pytest

from support.blender.moving import load, random_motion, show
from support.blender.rigs import new_scene
from support.blender.split_rigs import PANDA_PARTS, find
from support.blender.split_rigs import load as load_to_split
from urdf_importer import (
    FrameTrack,
    ImportOptions,
    Trajectory,
    apply_trajectory,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    link_pose,
    sample_trajectory,
)
from urdf_importer.core.blender.standing.joints import posed_joints_of
from urdf_importer.core.blender.standing.keys import find_curves
from urdf_importer.features.motion.blender import sample
from urdf_importer.features.motion.blender.own_curves import find_own_motion
from urdf_importer_morse.split.split import split_armature

FRAMES = [(number, 0.25) for number in range(1, 25)]


def sample_slowly(armature, frame_range, **more):
    """Every frame is shown."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "find_own_motion", lambda *_: None)
        return sample_trajectory(armature, frame_range=frame_range, **more)


def circle(parent, child):
    times = np.linspace(0, 2, 9)
    turned = np.stack([0.3 * np.sin(times), 0 * times, np.sin(times), np.cos(times)], axis=1)
    return FrameTrack(
        parent=parent,
        child=child,
        times=times,
        translations=np.stack([np.cos(times), np.sin(times), 0.2 * times], axis=1),
        quaternions=turned / np.linalg.norm(turned, axis=1, keepdims=True),
    )


def assert_same(one, other):
    """To the last digit where a number is said, to single precision where poses are."""
    assert one.names == other.names and np.array_equal(one.positions, other.positions)
    assert [track.child for track in one.frames] == [track.child for track in other.frames]
    for mine, its in zip(one.frames, other.frames, strict=True):
        assert np.allclose(mine.translations, its.translations, atol=2e-6)
        assert np.allclose(mine.quaternions, its.quaternions, atol=2e-6)


@pytest.mark.parametrize(
    "name", ["gantry", "gripper", "humanoid_arm", "planar_base", "drone", "differential_drive"]
)
def test_curves_alone_say_what_frames_show(name):
    result = load(name)
    links = {joint.child for joint in result.robot.joints}
    root = next(link.name for link in result.robot.links if link.name not in links)
    child = next(iter(result.robot.joints)).child if name in ("planar_base", "drone") else root
    motion = random_motion(result.robot, frames=(circle("odom", child),))
    apply_trajectory(result.armature, motion)
    own = find_own_motion(result.armature, FRAMES)
    assert own is not None and own.is_sure.all()
    quick = sample_trajectory(result.armature, frame_range=(1, 30), rate=35)
    assert_same(quick, sample_slowly(result.armature, (1, 30), rate=35))
    assert quick.frames


@pytest.mark.parametrize("stem", ["panda", "romeo"])
def test_real_robots_with_followers_are_sampled_so_too(stem):
    new_scene()
    result = import_robot(find(stem), options=ImportOptions(visuals=False, collisions=False))
    followers = {joint.name for joint in result.robot.joints if joint.mimic is not None}
    motion = random_motion(result.robot, seed=4)
    apply_trajectory(result.armature, motion)
    assert find_own_motion(result.armature, FRAMES).is_sure.all()
    quick = sample_trajectory(result.armature, frame_range=(1, 12))
    assert followers and followers <= set(quick.names)
    assert_same(quick, sample_slowly(result.armature, (1, 12)))


def test_frames_beyond_limits_are_shown_and_no_others():
    result = load("two_link_arm")
    positions = [[0.1, 0.2], [0.2, 9.0], [0.3, 0.1]]
    motion = Trajectory(names=("shoulder", "elbow"), times=[0.0, 0.5, 1.0], positions=positions)
    apply_trajectory(result.armature, motion)
    own = find_own_motion(result.armature, [(1, 0.0), (13, 0.0), (25, 0.0)])
    assert own.is_sure.tolist() == [True, False, True]
    found = sample_trajectory(result.armature, frame_range=(1, 25))
    assert_same(found, sample_slowly(result.armature, (1, 25)))
    assert found.positions[:, found.names.index("elbow")].max() < 9.0


def add_constraint(armature, bone):
    bone.constraints.new("LIMIT_ROTATION")


def add_ik(armature, bone):
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (0.3, 0.2, 0.4)
    constraint = bone.constraints.new("IK")
    constraint.target = target


def add_strip(armature, bone):
    data = armature.animation_data
    data.nla_tracks.new().strips.new("more", 1, data.action)


def add_driver(armature, bone):
    bone.driver_add("rotation_euler", 0).driver.expression = "0.25 + 0.1"


def add_modifier(armature, bone):
    find_curves(armature)[0].modifiers.new("NOISE")


def turn_by_quaternions(armature, bone):
    bone.rotation_mode = "QUATERNION"


def mute_curves(armature, bone):
    find_curves(armature)[0].mute = True


def rest(armature, bone):
    armature.data.pose_position = "REST"


def follow_another(armature, bone):
    above = bpy.data.objects.new("Above", None)
    bpy.context.scene.collection.objects.link(above)
    above.keyframe_insert("location", frame=1)
    above.location.x = 1.0
    above.keyframe_insert("location", frame=25)
    armature.parent = above


def turn_aside(armature, bone):
    """A number of the bone that is no joint's."""
    bone.scale = (1.5, 1.0, 1.0)


@pytest.mark.parametrize(
    "disturb",
    [add_constraint, add_ik, add_strip, add_driver, add_modifier, turn_by_quaternions, mute_curves,
     rest, follow_another, turn_aside],
    ids=lambda each: each.__name__,
)  # fmt: skip
def test_whatever_else_moves_a_robot_is_sampled(disturb):
    result = load("two_link_arm")
    apply_trajectory(result.armature, random_motion(result.robot, seed=2))
    bones = {joint.name: bone for bone, joint in posed_joints_of(result.armature)}
    disturb(result.armature, bones["elbow"])
    bpy.context.view_layer.update()
    found = sample_trajectory(result.armature, frame_range=(1, 20))
    assert_same(found, sample_slowly(result.armature, (1, 20)))
    show(0.4)
    shown = get_joint_positions(result.armature)
    slow = sample_trajectory(result.armature, frame_range=(1 + 0.4 * 24, 1 + 0.4 * 24))
    assert np.allclose([shown[name] for name in slow.names], slow.positions[0], atol=1e-6)


def test_what_others_do_in_every_frame_is_sampled():
    result = load("two_link_arm")
    apply_trajectory(result.armature, random_motion(result.robot))
    bones = {joint.name: bone for bone, joint in posed_joints_of(result.armature)}

    def meddle(scene, *_):
        bones["elbow"].scale.x = 1.0

    bpy.app.handlers.frame_change_pre.append(meddle)
    try:
        assert find_own_motion(result.armature, FRAMES) is None
    finally:
        bpy.app.handlers.frame_change_pre.remove(meddle)
    assert find_own_motion(result.armature, FRAMES) is not None


def test_a_split_robot_moves_and_is_sampled_as_a_whole():
    robot, main = load_to_split("panda")
    for name, joints in PANDA_PARTS.items():
        split_armature(main, name, joints)
    motion = replace(random_motion(robot, seed=6), frames=(circle("odom", "panda_link0"),))
    action = apply_trajectory(main, motion)
    assert main.animation_data.action == action
    moving = {bone.id_data for bone, joint in posed_joints_of(main)}
    assert len({home.animation_data.action for home in moving}) == len(moving) > 2
    times = [*motion.times[::4], *np.random.default_rng(0).uniform(0, 1, 3)]
    for time in times:
        show(time)
        positions = {
            name: float(np.interp(time, motion.times, motion.positions[:, column]))
            for column, name in enumerate(motion.names)
        }
        for link, frame in forward_kinematics(robot, positions).items():
            assert np.allclose(link_pose(main, link), frame, atol=1e-4), (link, time)
    quick = sample_trajectory(main, frame_range=(1, 20))
    assert set(motion.names) <= set(quick.names) and quick.frames[0].child == "panda_link0"
    assert_same(quick, sample_slowly(main, (1, 20)))
