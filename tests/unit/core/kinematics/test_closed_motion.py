# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots whose loops stay closed wherever they are asked to go: forward kinematics, rows of poses,
poses that cannot be reached."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import real_robots
from support.linkages import five_bar, four_bar, gap_of, make_robot, slider_crank
from support.seconds import within
from urdf_importer import Diagnostics, close_loops, forward_kinematics, read_robot, trace_loops
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.loops import find_freedom
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.model.simulation import JointControl

CASSIE = real_robots.ROOT / "cassie_description" / "robots" / "cassie_v2.sdf"
LENGTHS = st.floats(0.2, 2.0)


def open_gap(robot, frames):
    """How far the ends of loops are apart, of frames that are there."""
    apart = [
        frames[loop.link1] @ matrix_from_pose(loop.origin1)
        - frames[loop.link2] @ matrix_from_pose(loop.origin2)
        for loop in robot.loops
    ]
    return max(float(np.linalg.norm(each[:3, 3])) for each in apart)


@settings(max_examples=30)
@given(LENGTHS, LENGTHS, LENGTHS, LENGTHS, st.floats(-3.0, 3.0), st.floats(-9.0, 9.0))
def test_forward_kinematics_of_four_bars_is_closed(crank, coupler, rocker, base, angle, turn):
    robot = four_bar(crank, coupler, rocker, base, angle)
    if robot is None:
        return
    diagnostics = Diagnostics()
    wild = {"crank_pin": turn, "knee": 2.0, "rocker_pin": -1.0}
    frames = forward_kinematics(robot, wild, diagnostics=diagnostics)
    assert open_gap(robot, frames) < 1e-9
    found = close_loops(robot, {"crank_pin": turn})
    assert [each.code for each in diagnostics] == ["loop-out-of-reach"] * (not found.reached)
    # Poses that are closed already stay what they are, whichever way they were come to.
    again = forward_kinematics(robot, found.positions)
    raw = forward_kinematics(robot, found.positions, close_loops=False)
    for link, frame in raw.items():
        assert again[link] == pytest.approx(frame, abs=1e-7)


@settings(max_examples=20)
@given(st.floats(0.7, 1.2), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5))
def test_both_shoulders_of_a_five_bar_are_free(reach, left, right):
    robot = five_bar(reach, 0.5, 1.9)
    freedom = find_freedom(retrace_tree(robot))
    assert freedom.free == ("left_shoulder", "right_shoulder")
    frames = forward_kinematics(robot, {"left_shoulder": left, "right_shoulder": right})
    assert open_gap(robot, frames) < 1e-9
    tips = [frames[name][:3, 3] + frames[name][:3, 0] * reach for name in ("left_rod", "right_rod")]
    elbows = [
        np.array([x + reach * math.cos(a), reach * math.sin(a), 0.0])
        for x, a in ((0.0, 1.9 + left), (0.5, math.pi - 1.9 + right))
    ]
    for tip, elbow in zip(tips, elbows, strict=True):
        assert np.linalg.norm(tip - elbow) == pytest.approx(reach, abs=1e-9)


def test_off_every_joint_is_where_it_is_put():
    robot = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    frames = forward_kinematics(robot, {"crank_pin": 0.5}, close_loops=False)
    still = forward_kinematics(robot)
    assert frames["rocker"] == pytest.approx(still["rocker"])
    assert open_gap(robot, frames) > 0.05
    closed = forward_kinematics(robot, {"crank_pin": 0.5})
    assert np.abs(closed["rocker"] - still["rocker"]).max() > 0.05


def test_rows_of_poses_go_on_from_each_other():
    """A parallelogram that goes through where it is flat stays one, turn after turn."""
    robot = four_bar(0.3, 1.0, 0.3, 1.0, 0.4)
    poses = [{"crank_pin": float(turn)} for turn in np.linspace(0.0, 12.0, 100)]
    for pose, found in zip(poses, trace_loops(robot, poses), strict=True):
        assert found.reached
        assert found.positions["rocker_pin"] == pytest.approx(pose["crank_pin"], abs=1e-7)
        assert gap_of(robot, found.positions) < 1e-9


def test_nothing_jumps_along_a_motion_that_cannot_be_followed():
    robot = five_bar(0.8, 0.5, 1.9)
    turns = np.linspace(0.0, 3.0, 60)
    last = None
    for found in trace_loops(robot, [{"left_shoulder": turn} for turn in turns]):
        assert gap_of(robot, found.positions) < 1e-9
        if last is not None:
            moved = [abs(found.positions[name] - last[name]) for name in last]
            assert max(moved) < 0.7
        last = found.positions
    assert not found.reached
    assert found.missed[0] == "left_shoulder"


def test_what_is_out_of_reach_is_the_nearest_that_is_not():
    """No pose of a closed five bar is nearer: a grid of all poses of both shoulders has none."""
    robot = five_bar(0.5, 0.6, 1.9)
    wish = {"left_shoulder": 1.2, "right_shoulder": -1.2}
    found = close_loops(robot, wish)
    assert not found.reached
    there = np.array([found.positions[name] for name in wish])
    distance = float(np.linalg.norm(there - (1.2, -1.2)))
    angles = np.linspace(-1.6, 1.6, 161)
    left, right = np.meshgrid(angles, angles)
    elbows = (
        0.5 * np.exp(1j * (1.9 + left)),
        0.6 + 0.5 * np.exp(1j * (math.pi - 1.9 + right)),
    )
    reached = np.abs(elbows[0] - elbows[1]) <= 1.0
    nearest = np.hypot(left - 1.2, right + 1.2)[reached].min()
    assert distance <= nearest + 1e-6


def test_controlled_joints_are_free():
    robot = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    control = JointControl(joint="rocker_pin", command_interfaces=("position",))
    driven = make_robot(robot.joints, robot.loops, controls=(control,))
    assert find_freedom(retrace_tree(driven)).free == ("rocker_pin",)
    frames = forward_kinematics(driven, {"rocker_pin": 0.3})
    assert open_gap(driven, frames) < 1e-9


def test_cassie_walks_on_closed_legs():
    """Within reach or not; a pose takes about as long as a picture lasts, at most."""
    robot = read_robot(CASSIE, diagnostics=Diagnostics())
    freedom = find_freedom(retrace_tree(robot))
    knees = [name for name in freedom.free if "knee" in name or "crank" in name]
    random = np.random.default_rng(3)
    start = [-0.7 if "crank" in name else 0.0 for name in knees]
    poses = start + np.cumsum(random.uniform(-0.03, 0.03, (40, len(knees))), axis=0)
    rows = [dict(zip(knees, row, strict=True)) for row in poses.tolist()]
    for _ in within(40 * 0.2):
        found = list(trace_loops(robot, rows, freedom=freedom))
    for each in found:
        assert gap_of(robot, each.positions) < 1e-7
    assert sum(each.reached for each in found) > 10


@pytest.mark.parametrize("turn", [0.4, 9.0, -9.0])
def test_sliders_are_where_the_rod_reaches(turn):
    robot = slider_crank(0.3, 0.8, 0.05)
    frames = forward_kinematics(robot, {"crank_pin": turn})
    pin = 0.3 * np.array([math.cos(turn), math.sin(turn)])
    assert np.linalg.norm(frames["piston"][:2, 3] - pin) == pytest.approx(0.8, abs=1e-9)
