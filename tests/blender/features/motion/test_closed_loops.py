# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings on robots with closed loops: free joints are keyed as they were recorded, what the rig
moves follows, and what it does not move is keyed where its loops close."""

import bpy
import numpy as np
import pytest

from support import real_robots
from support.linkages import four_bar, gap_of, hexagon
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    MotionOptions,
    Trajectory,
    apply_trajectory,
    close_loops,
    get_joint_positions,
    import_robot,
    read_robot,
    sample_trajectory,
    trace_loops,
    write_urdf,
)
from urdf_importer.core.blender.standing.keys import find_curves
from urdf_importer.features.live.blender.live import BlenderRig

pytestmark = pytest.mark.usefixtures("scene", "three_stay_open")
CASSIE = real_robots.ROOT / "cassie_description" / "robots" / "cassie_v2.sdf"


def bring_in(robot, tmp_path, **options):
    write_urdf(robot, tmp_path / "robot.urdf")
    return import_robot(tmp_path / "robot.urdf", options=ImportOptions(**options)).armature


def record(seconds, count, **moves):
    """A recording of joints: each a function of time."""
    times = np.linspace(0.0, seconds, count)
    positions = np.array([[move(time) for move in moves.values()] for time in times])
    return Trajectory(names=tuple(moves), times=times, positions=positions)


def shown_in(frame):
    bpy.context.scene.frame_set(frame)
    (armature,) = (each for each in bpy.data.objects if each.type == "ARMATURE")
    return get_joint_positions(armature)


@pytest.mark.parametrize("keys", ["samples", "reduced", "frames"])
def test_followers_that_nothing_moves_are_keyed(keys, tmp_path):
    robot = hexagon()
    armature = bring_in(robot, tmp_path)
    motion = record(
        2.0, 50,
        corner_0=lambda t: 0.15 * np.sin(3 * t),
        corner_1=lambda t: 0.1 * np.sin(2 * t),
        corner_2=lambda t: -0.1 * np.sin(5 * t),
    )  # fmt: skip
    diagnostics = Diagnostics()
    apply_trajectory(armature, motion, options=MotionOptions(keys=keys), diagnostics=diagnostics)
    assert not len(diagnostics)
    rate = bpy.context.scene.render.fps
    for frame in range(1, 1 + int(2.0 * rate)):
        shown = shown_in(frame)
        assert gap_of(robot, shown) < 3e-6
        for column, name in enumerate(motion.names):
            wanted = np.interp((frame - 1) / rate, motion.times, motion.positions[:, column])
            assert shown[name] == pytest.approx(wanted, abs=2e-3)
    sampled = sample_trajectory(armature, frame_range=(1, 20))
    for row in sampled.positions[::5]:
        assert gap_of(robot, dict(zip(sampled.names, row.tolist(), strict=True))) < 3e-6


def test_what_the_rig_moves_is_compared_and_not_keyed(tmp_path):
    robot = four_bar(0.25, 0.9, 0.6, 1.0, 0.4)
    armature = bring_in(robot, tmp_path)
    crank = record(1.0, 40, crank_pin=lambda t: 5.0 * t)
    poses = [{"crank_pin": turn} for turn in crank.positions[:, 0].tolist()]
    rocker = [found.positions["rocker_pin"] for found in trace_loops(robot, poses)]
    for off, codes in ((0.0, []), (0.05, ["follower-off-leader"])):
        positions = np.column_stack([crank.positions[:, 0], np.array(rocker) + off])
        motion = Trajectory(
            names=("crank_pin", "rocker_pin"), times=crank.times, positions=positions
        )
        diagnostics = Diagnostics()
        apply_trajectory(armature, motion, diagnostics=diagnostics)
        assert [each.code for each in diagnostics] == codes
    bone = armature.pose.bones["rocker_pin"].path_from_id()
    assert not [each for each in find_curves(armature) if each.data_path.startswith(bone)]
    assert shown_in(15)["rocker_pin"] == pytest.approx(
        close_loops(robot, {"crank_pin": 5.0 * 14 / 24}).positions["rocker_pin"], abs=1e-4
    )


def test_a_follower_that_was_recorded_alone_moves_the_one_it_follows(tmp_path):
    robot = four_bar(0.25, 0.9, 0.6, 1.0, 0.4)
    armature = bring_in(robot, tmp_path)
    motion = record(1.0, 25, rocker_pin=lambda t: 0.1 * np.sin(4 * t))
    apply_trajectory(armature, motion)
    for frame in (5, 12, 20):
        shown = shown_in(frame)
        wanted = np.interp((frame - 1) / 24, motion.times, motion.positions[:, 0])
        assert shown["rocker_pin"] == pytest.approx(wanted, abs=1e-4)
        assert gap_of(robot, shown) < 1e-5


def test_what_cannot_be_followed_is_followed_as_far_as_it_goes(tmp_path):
    robot = hexagon()
    armature = bring_in(robot, tmp_path)
    motion = record(1.0, 25, corner_0=lambda t: -3.0 * t, corner_1=lambda t: -2.0 * t)
    diagnostics = Diagnostics()
    apply_trajectory(armature, motion, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["loop-out-of-reach"]
    before = None
    for frame in range(1, 26):
        shown = shown_in(frame)
        assert gap_of(robot, shown) < 3e-6
        if before is not None:
            assert max(abs(shown[name] - before[name]) for name in shown) < 1.0
        before = shown


def test_open_loops_are_keyed_as_they_were_recorded(tmp_path):
    armature = bring_in(hexagon(), tmp_path, close_loops=False)
    apply_trajectory(armature, record(1.0, 25, corner_0=lambda t: t, corner_4=lambda t: -t))
    shown = shown_in(13)
    assert (shown["corner_0"], shown["corner_4"]) == pytest.approx((0.5, -0.5), abs=1e-5)
    assert shown["corner_3"] == 0.0


def test_a_robot_that_is_played_live_keeps_its_loops_closed(tmp_path):
    robot = hexagon()
    armature = bring_in(robot, tmp_path)
    rig = BlenderRig(armature)
    for turn in (0.05, 0.1, 0.15, 0.12):
        assert rig.pose({"corner_0": turn, "corner_1": -turn, "corner_4": 0.7})
        bpy.context.view_layer.update()
        shown = get_joint_positions(armature)
        assert (shown["corner_0"], shown["corner_1"]) == pytest.approx((turn, -turn), abs=1e-6)
        assert gap_of(robot, shown) < 1e-5


@pytest.mark.slow
def test_cassie_is_closed_to_a_micrometre_where_it_is_keyed():
    robot = read_robot(CASSIE, diagnostics=Diagnostics())
    armature = import_robot(CASSIE).armature
    motion = record(
        0.5, 13,
        **{
            "left-knee-op": lambda t: -0.4 * t,
            "right-knee-op": lambda t: -0.3 * t,
            "left-tarsus-crank-joint": lambda t: -0.8 - 0.2 * t,
            "right-tarsus-crank-joint": lambda t: -0.8 + 0.2 * t,
            "left-knee-shin-joint": lambda t: 0.01 * np.sin(6 * t),
            "right-knee-shin-joint": lambda t: 0.0,
        },
    )  # fmt: skip
    diagnostics = Diagnostics()
    apply_trajectory(armature, motion, diagnostics=diagnostics)
    assert not len(diagnostics)
    for frame in range(1, 13):
        shown = shown_in(frame)
        assert gap_of(robot, shown) < 1e-6
