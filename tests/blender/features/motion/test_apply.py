# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions on rigs: what is keyed is what is shown, at the samples and between."""

from dataclasses import replace
from time import process_time

import bpy
import numpy as np
import pytest

import urdf_importer
from support.blender.moving import load, random_motion, range_of, show
from support.seconds import within
from urdf_importer import (
    BuildError,
    Diagnostics,
    FrameTrack,
    KinematicsError,
    MotionOptions,
    Trajectory,
    apply_trajectory,
    forward_kinematics,
    link_pose,
    sample_trajectory,
)
from urdf_importer.core.blender.standing.keys import find_curves


@pytest.mark.parametrize("name", ["two_link_arm", "gantry", "humanoid_arm", "gripper"])
def test_links_are_where_forward_kinematics_has_them(name):
    result = load(name)
    motion = random_motion(result.robot)
    diagnostics = Diagnostics()
    action = apply_trajectory(result.armature, motion, diagnostics=diagnostics)
    assert not list(diagnostics)
    assert result.armature.animation_data.action == action
    rng = np.random.default_rng(1)
    for time in [*motion.times[::4], *rng.uniform(0, motion.duration, 4)]:
        show(time)
        positions = {
            joint: float(np.interp(time, motion.times, motion.positions[:, column]))
            for column, joint in enumerate(motion.names)
        }
        wanted = forward_kinematics(result.robot, positions)
        for link, frame in wanted.items():
            assert np.allclose(link_pose(result.armature, link), frame, atol=2e-4), (link, time)


def test_what_is_applied_is_sampled():
    result = load("humanoid_arm")
    motion = random_motion(result.robot, count=6)
    even = replace(motion, times=np.arange(6) / 24)
    apply_trajectory(result.armature, even)
    bpy.context.scene.frame_set(3, subframe=0.5)
    sampled = sample_trajectory(result.armature, frame_range=(1, 6))
    columns = [sampled.names.index(name) for name in even.names]
    assert np.allclose(sampled.times, even.times, atol=1e-9)
    assert np.allclose(sampled.positions[:, columns], even.positions, atol=1e-5)
    assert np.allclose(sampled.velocities, np.gradient(sampled.positions, sampled.times, axis=0))
    scene = bpy.context.scene
    assert (scene.frame_current, scene.frame_subframe) == (3, 0.5)
    assert sampled.frames == ()


def curve_values(action, armature, path, index, frames):
    curves = (
        action.fcurves
        if hasattr(action, "fcurves")
        else action.layers[0].strips[0].channelbag(armature.animation_data.action_slot).fcurves
    )
    curve = curves.find(path, index=index)
    return curve, np.array([curve.evaluate(frame) for frame in frames])


def curve_of(result, joint, frames):
    action = result.armature.animation_data.action
    bone, rig = next(
        (bone, each)
        for bone, each in urdf_importer.core.blender.standing.joints.posed_joints_of(
            result.armature
        )
        if each.name == joint
    )
    channel = rig.channels[0]
    path = f"{bone.path_from_id()}.{channel.prop}"
    curve, values = curve_values(action, result.armature, path, channel.index, frames)
    return curve, values * channel.sign


def test_commands_are_cubics():
    result = load("two_link_arm")
    rng = np.random.default_rng(2)
    times = np.array([0, 0.5, 1.7, 2.0])
    positions, velocities = rng.uniform(-1, 1, (4, 2)), rng.uniform(-2, 2, (4, 2))
    motion = Trajectory(
        names=("shoulder", "elbow"),
        times=times,
        positions=positions,
        velocities=velocities,
        interpolation="spline",
    )
    apply_trajectory(result.armature, motion)
    seconds = np.linspace(0, 2, 101)
    for column, joint in enumerate(motion.names):
        curve, values = curve_of(result, joint, 1 + seconds * 24)
        assert len(curve.keyframe_points) == 4
        wanted = []
        for second in seconds:
            i = min(int(np.searchsorted(times, second, side="right")) - 1, 2)
            h = times[i + 1] - times[i]
            s = (second - times[i]) / h
            q, v = positions[i : i + 2, column], velocities[i : i + 2, column]
            basis = (
                (1 + 2 * s) * (1 - s) ** 2, s * (1 - s) ** 2 * h,
                s * s * (3 - 2 * s), -s * s * (1 - s) * h,
            )  # fmt: skip
            wanted.append(np.dot(basis, [q[0], v[0], q[1], v[1]]))
        assert np.allclose(values, wanted, atol=5e-5)
        assert curve.group.name in result.armature.pose.bones


def smooth_motion(count=2000):
    times = np.arange(count) / 200
    return Trajectory(
        names=("shoulder", "elbow"),
        times=times,
        positions=np.stack([np.sin(times), 0.5 * np.cos(2 * times)], axis=1),
    )


def test_reduced_keys_keep_the_tolerance():
    result = load("two_link_arm")
    motion = smooth_motion()
    apply_trajectory(result.armature, motion, options=MotionOptions(keys="reduced", tolerance=1e-3))
    for column, joint in enumerate(motion.names):
        curve, values = curve_of(result, joint, 1 + motion.times * 24)
        assert len(curve.keyframe_points) < 0.1 * len(motion.times)
        assert np.abs(values - motion.positions[:, column]).max() < 1.01e-3


def test_keys_on_whole_frames_and_parts_of_a_motion():
    result = load("two_link_arm")
    motion = smooth_motion()
    options = MotionOptions(
        keys="frames", start=1.0, end=3.0, speed=2.0, start_frame=10, action="Go"
    )
    action = apply_trajectory(result.armature, motion, options=options)
    curve, values = curve_of(result, "shoulder", [10, 22, 34])
    assert action.name == "Go" and len(curve.keyframe_points) == 25
    assert np.allclose(values, np.sin([1, 2, 3]), atol=1e-4)
    assert bpy.context.scene.frame_end == 250


def test_the_range_grows_and_the_rate_stays():
    result = load("two_link_arm")
    motion = replace(smooth_motion(), times=np.arange(2000) * 1.0)
    scene = bpy.context.scene
    apply_trajectory(result.armature, motion, options=MotionOptions(set_range=False))
    assert (scene.frame_end, scene.render.fps) == (250, 24)
    apply_trajectory(result.armature, motion)
    assert (scene.frame_start, scene.frame_end, scene.render.fps) == (1, 1 + 1999 * 24, 24)


def test_other_actions_stay_and_the_action_says_where_it_is_from(tmp_path):
    result = load("two_link_arm")
    path = tmp_path / "wave.csv"
    urdf_importer.write_trajectory(smooth_motion(20), path)
    first = apply_trajectory(result.armature, urdf_importer.read_trajectory(path))
    second = apply_trajectory(result.armature, urdf_importer.read_trajectory(path))
    assert first.name == "wave" and first != second and first in set(bpy.data.actions)
    assert second["urdf_motion"]["source"] == str(path)


def test_turns_go_on_where_a_recorder_jumps():
    result = load("two_link_arm")
    motion = Trajectory(names=("shoulder",), times=[0, 1, 2], positions=[[3.0], [-3.0], [3.0]])
    joint = next(joint for joint in result.robot.joints if joint.name == "shoulder")
    diagnostics = Diagnostics()
    apply_trajectory(result.armature, motion, diagnostics=diagnostics)
    _, values = curve_of(result, "shoulder", [1, 25, 49])
    if joint.type == "continuous":
        assert np.allclose(values, [3, 2 * np.pi - 3, 3], atol=1e-5)
    else:
        assert np.allclose(values, [3, -3, 3])
        assert [item.code for item in diagnostics] == ["beyond-limits"]
        apply_trajectory(result.armature, motion, options=MotionOptions(clamp=True))
        _, values = curve_of(result, "shoulder", [1, 25, 49])
        lower, upper = range_of(joint)
        assert np.allclose(values, np.clip([3, -3, 3], lower, upper), atol=1e-6)


def test_names_fit_with_a_prefix_and_unknown_ones_are_told():
    result = load("two_link_arm")
    diagnostics = Diagnostics()
    motion = Trajectory(names=("r1/shoulder", "r1/elbow"), times=[0], positions=[[0.1, 0.2]])
    apply_trajectory(result.armature, motion, diagnostics=diagnostics)
    assert [item.code for item in diagnostics] == ["joints-matched"]
    apply_trajectory(result.armature, motion, options=MotionOptions(prefix="r1/"))
    motion = Trajectory(names=("elbow", "nose"), times=[0], positions=[[0.1, 0.2]])
    diagnostics = Diagnostics()
    apply_trajectory(result.armature, motion, diagnostics=diagnostics)
    assert [item.code for item in diagnostics] == ["unknown-joint"]
    options = MotionOptions(names=(("nose", "shoulder"),))
    apply_trajectory(result.armature, motion, options=options)
    assert np.allclose(curve_of(result, "shoulder", [1])[1], 0.2)


def test_what_does_not_fit_leaves_nothing_behind():
    result = load("two_link_arm")
    motion = Trajectory(names=("nose",), times=[0], positions=[[0.1]])
    with pytest.raises(KinematicsError, match=r"'nose'.*'shoulder'"):
        apply_trajectory(result.armature, motion)
    with pytest.raises(KinematicsError, match="between"):
        late = MotionOptions(start=50.0)
        apply_trajectory(result.armature, smooth_motion(), options=late)
    assert len(bpy.data.actions) == 0 and result.armature.animation_data is None
    other = bpy.data.objects.new("Empty", None)
    with pytest.raises(BuildError):
        apply_trajectory(other, motion)


def circle(parent, child, tilt=0.0):
    times = np.linspace(0, 2, 9)
    angles = times * 1.2
    turned = np.stack(
        [np.sin(angles / 2) * tilt, 0 * angles, np.sin(angles / 2), np.cos(angles / 2)]
    )
    turned = (turned / np.linalg.norm(turned, axis=0)).T
    moved = np.stack([np.cos(angles), np.sin(angles), tilt * angles], axis=1)
    return FrameTrack(
        parent=parent, child=child, times=times, translations=moved, quaternions=turned
    )


def test_the_whole_robot_moves_through_chained_frames():
    result = load("two_link_arm")
    root = next(
        link.name for link in result.robot.links
        if link.name not in {joint.child for joint in result.robot.joints}
    )  # fmt: skip
    fixed = FrameTrack(
        parent="map",
        child="odom",
        times=[0.0],
        translations=[[5.0, 0, 0]],
        quaternions=[[0, 0, 0, 1]],
    )
    motion = replace(smooth_motion(400), frames=(circle("odom", root, 0.4), fixed))
    apply_trajectory(result.armature, motion)
    track = motion.frames[0]
    for row in (0, 4, 8):
        show(track.times[row])
        shown = np.array(result.armature.matrix_world)
        assert np.allclose(shown[:3, 3], track.translations[row] + [5, 0, 0], atol=1e-4)
    sampled = sample_trajectory(result.armature, frame_range=(1, 49))
    (base,) = sampled.frames
    assert (base.parent, base.child) == ("world", root)
    assert np.allclose(base.translations[0], [6, 0, 0], atol=1e-5)
    cosines = np.abs((base.quaternions[[0, 24, 48]] * track.quaternions[[0, 4, 8]]).sum(axis=1))
    assert np.allclose(cosines, 1.0, atol=1e-6)
    apply_trajectory(result.armature, motion, options=MotionOptions(fixed_frame="odom"))
    show(0)
    assert np.allclose(result.armature.location, [1, 0, 0], atol=1e-5)
    result = load("two_link_arm")
    apply_trajectory(result.armature, motion, options=MotionOptions(base="none"))
    show(1)
    assert np.allclose(np.array(result.armature.matrix_world), np.eye(4))


@pytest.mark.parametrize(("name", "tilt"), [("planar_base", 0.0), ("drone", 0.4)])
def test_planar_and_floating_roots_move_by_their_joints(name, tilt):
    result = load(name)
    joint = next(each for each in result.robot.joints if each.type in ("planar", "floating"))
    motion = Trajectory(
        names=(), times=(), positions=np.empty((0, 0)), frames=(circle("map", joint.child, tilt),)
    )
    diagnostics = Diagnostics()
    apply_trajectory(result.armature, motion, diagnostics=diagnostics)
    assert not list(diagnostics)
    track = motion.frames[0]
    for row in (0, 3, 8):
        show(track.times[row])
        pose = link_pose(result.armature, joint.child)
        assert np.allclose(pose[:3, 3], track.translations[row], atol=1e-4)
        x, y, z, w = track.quaternions[row]
        assert np.allclose(pose[0, 0], 1 - 2 * (y * y + z * z), atol=1e-4)
        assert np.allclose(pose[1, 0], 2 * (x * y + w * z), atol=1e-4)
    sampled = sample_trajectory(result.armature, frame_range=(1, 49))
    before = link_pose(result.armature, joint.child)
    again = load(name)
    apply_trajectory(again.armature, sampled)
    show(track.times[8])
    assert np.allclose(link_pose(again.armature, joint.child), before, atol=1e-4)


def test_a_planar_joint_says_what_it_lost():
    result = load("planar_base")
    joint = next(each for each in result.robot.joints if each.type == "planar")
    motion = Trajectory(
        names=(), times=(), positions=np.empty((0, 0)), frames=(circle("map", joint.child, 0.4),)
    )
    diagnostics = Diagnostics()
    apply_trajectory(result.armature, motion, diagnostics=diagnostics)
    assert [item.code for item in diagnostics] == ["base-motion-lost"]


def test_keys_are_written_as_arrays():
    """In CPU time that keying one by one would not come near: 400,000 keys take minutes so."""
    result = load("two_link_arm")
    count = 200_000
    times = np.arange(count) / 1000
    motion = Trajectory(
        names=("shoulder", "elbow"),
        times=times,
        positions=np.stack([np.sin(times), np.cos(times)], axis=1),
    )
    for _ in within(10, process_time):
        apply_trajectory(result.armature, motion)


def test_followers_recorded_off_their_leader_are_told_once():
    result = load("gripper")
    times = np.linspace(0, 1, 11)
    jaw = 0.02 * times
    masters = urdf_importer.core.kinematics.tree.retrace_tree(result.robot).masters
    right, pad = masters["jaw_right"], masters["pad_right"]
    follow = [each.multiplier * jaw + each.offset for each in (right, pad)]
    names = (right.joint, "jaw_right", "pad_right")
    motion = Trajectory(
        names=names, times=times, positions=np.stack([jaw, follow[0], follow[1] + 5e-4], axis=1)
    )
    diagnostics = Diagnostics()
    apply_trajectory(result.armature, motion, diagnostics=diagnostics)
    assert not list(diagnostics)
    off = np.where(times > 0.5, 0.01, 0.0)
    moved = np.stack([jaw, follow[0] + off, follow[1] + 2 * off * times], axis=1)
    apply_trajectory(result.armature, replace(motion, positions=moved), diagnostics=diagnostics)
    assert [(item.code, item.subject) for item in diagnostics] == [
        ("follower-off-leader", "pad_right")
    ]
    (told,) = diagnostics
    assert "2 joints" in told.message and "1.000 s" in told.message


def key_places(armature):
    """All keys and handles of a robot, by its curves."""
    found = {}
    for curve in find_curves(armature):
        arrays = []
        for name, kind, size in (("co", np.float32, 2), ("interpolation", np.int32, 1)):
            array = np.zeros(size * len(curve.keyframe_points), dtype=kind)
            curve.keyframe_points.foreach_get(name, array)
            arrays.append(array.tolist())
        found[curve.data_path, curve.array_index] = arrays
    return found


def test_all_formats_give_the_same_curves(tmp_path):
    motion = replace(smooth_motion(60), start_time=1_700_000_000 * 10**9)
    curves = []
    for name in ("a.bag", "a.mcap", "a", "a.csv", "a.json", "a.yaml", "a.npz"):
        urdf_importer.write_trajectory(motion, tmp_path / name)
        result = load("two_link_arm")
        apply_trajectory(result.armature, urdf_importer.read_trajectory(tmp_path / name))
        curves.append(key_places(result.armature))
    assert len(curves[0]) == 2 and all(each == curves[0] for each in curves)


def test_frames_that_are_coarse_are_told():
    result = load("two_link_arm")
    for seconds, codes in ((3000.0, []), (9000.0, ["coarse-frames"])):
        motion = replace(smooth_motion(3), times=np.array([0.0, 1.0, seconds]))
        diagnostics = Diagnostics()
        apply_trajectory(result.armature, motion, diagnostics=diagnostics)
        assert [item.code for item in diagnostics] == codes
