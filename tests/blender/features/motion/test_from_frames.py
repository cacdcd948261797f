# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of /tf alone move robots as joint states do; what frames cannot say is told."""

from dataclasses import replace

import bpy
import numpy as np
import pytest

from support.blender.moving import load, random_motion, show
from urdf_importer import (
    Diagnostics,
    FrameTrack,
    KinematicsError,
    MotionOptions,
    Trajectory,
    apply_trajectory,
    get_joint_positions,
    read_trajectory,
    sample_trajectory,
    write_trajectory,
)

EMPTY = {"names": (), "times": (), "positions": np.empty((0, 0)), "velocities": None}


def frames_of(name, seed=0):
    """The robot, its motion at whole frames, and that motion as frames alone."""
    result = load(name)
    motion = random_motion(result.robot, seed=seed)
    motion = replace(motion, times=np.arange(len(motion.times)) / 24)
    apply_trajectory(result.armature, motion)
    sampled = sample_trajectory(result.armature, frame_range=(1, len(motion.times)), links=True)
    links = {joint.child for joint in result.robot.joints}
    assert links <= {track.child for track in sampled.frames}
    return motion, replace(sampled, **EMPTY)


@pytest.mark.parametrize("name", ["two_link_arm", "gantry", "gripper", "humanoid_arm"])
def test_frames_of_links_move_joints(name, tmp_path):
    motion, frames = frames_of(name)
    # As they come out of a bag: /tf and nothing else.
    path = tmp_path / "frames.bag"
    write_trajectory(frames, path)
    found = read_trajectory(path)
    assert found.topic == "/tf" and not found.names
    again = load(name)
    diagnostics = Diagnostics()
    apply_trajectory(again.armature, found, diagnostics=diagnostics)
    assert not list(diagnostics)
    for row in (0, 5, 11):
        show(motion.times[row])
        shown = get_joint_positions(again.armature)
        assert np.allclose([shown[each] for each in motion.names], motion.positions[row], atol=3e-5)


def renamed(frames, change):
    tracks = [
        replace(each, parent=change(each.parent), child=change(each.child)) for each in frames
    ]
    return tuple(tracks)


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (lambda name: f"/{name}", MotionOptions()),
        (lambda name: f"left_{name}", MotionOptions(prefix="left_")),
        (lambda name: f"robot1/{name}", MotionOptions()),
        (lambda name: f"/robot1/{name}", MotionOptions(prefix="robot1")),
    ],
)
def test_frames_are_known_with_slashes_prefixes_and_namespaces(change, options):
    motion, frames = frames_of("two_link_arm")
    again = load("two_link_arm")
    apply_trajectory(
        again.armature, replace(frames, frames=renamed(frames.frames, change)), options=options
    )
    show(motion.times[4])
    shown = get_joint_positions(again.armature)
    assert np.allclose([shown[each] for each in motion.names], motion.positions[4], atol=3e-5)


def test_frames_of_others_are_refused_by_name():
    result = load("two_link_arm")
    track = FrameTrack(
        parent="moon", child="crater", times=[0.0], translations=[[0, 0, 0]],
        quaternions=[[0, 0, 0, 1]],
    )  # fmt: skip
    motion = Trajectory(**EMPTY, frames=(track,))
    with pytest.raises(KinematicsError, match=r"no frame of the motion.*'crater', 'moon'"):
        apply_trajectory(result.armature, motion)
    assert not bpy.data.actions


def test_two_robots_in_one_tree_are_told_apart_by_a_prefix():
    motion, frames = frames_of("two_link_arm")
    still = replace(frames, frames=renamed(frames.frames, lambda name: f"b/{name}"))
    both = renamed(frames.frames, lambda name: f"a/{name}") + tuple(
        replace(each, translations=each.translations * 0 + [9, 9, 9]) for each in still.frames
    )
    again = load("two_link_arm")
    with pytest.raises(KinematicsError, match="no frame"):
        apply_trajectory(again.armature, replace(frames, frames=both))
    diagnostics = Diagnostics()
    apply_trajectory(
        again.armature,
        replace(frames, frames=both),
        options=MotionOptions(prefix="a/"),
        diagnostics=diagnostics,
    )
    assert not list(diagnostics)
    show(motion.times[4])
    shown = get_joint_positions(again.armature)
    assert np.allclose([shown[each] for each in motion.names], motion.positions[4], atol=3e-5)


def test_what_a_joint_cannot_do_is_told():
    _, frames = frames_of("two_link_arm")
    robot = load("two_link_arm").robot
    lower = next(joint.child for joint in robot.joints if joint.name == "elbow")
    off = tuple(
        replace(each, translations=np.add(each.translations, (0, 0, 0.02 * (each.child == lower))))
        for each in frames.frames
    )
    again = load("two_link_arm")
    diagnostics = Diagnostics()
    apply_trajectory(again.armature, replace(frames, frames=off), diagnostics=diagnostics)
    assert [item.code for item in diagnostics] == ["frame-off-joint"]
    assert "0.02 m" in next(iter(diagnostics)).message
