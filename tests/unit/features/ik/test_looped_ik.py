# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics of links that closed loops carry: free joints move, the loops stay closed."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import real_robots
from support.linkages import five_bar, four_bar, gap_of, hinge, make_robot, slider_crank
from urdf_importer import (
    Diagnostics,
    IKOptions,
    close_loops,
    find_solutions,
    forward_kinematics,
    inverse_kinematics,
    read_robot,
)
from urdf_importer.core.kinematics.loops import LoopCloser
from urdf_importer.core.model import Pose

CASSIE = real_robots.ROOT / "cassie_description" / "robots" / "cassie_v2.sdf"


def assert_there(robot, link, target, found):
    """By forward kinematics of all joints as they are said to be, with nothing closed."""
    assert found.success, found.message
    frame = forward_kinematics(robot, found.positions, close_loops=False)[link]
    if np.shape(target) == (3,):
        assert frame[:3, 3] == pytest.approx(target, abs=2e-6)
    else:
        assert frame == pytest.approx(target, abs=5e-6)
    assert gap_of(robot, found.positions) < 1e-8


@settings(max_examples=15)
@given(st.floats(-2.0, 2.0), st.floats(0.2, 0.4))
def test_a_rocker_is_brought_somewhere_by_its_crank(turn, crank):
    """The crank is not between base and rocker, and moves it all the same."""
    robot = four_bar(crank, 1.0, 0.8, 1.1, 0.7)
    assert robot is not None
    wanted = forward_kinematics(robot, {"crank_pin": turn})["rocker"]
    found = inverse_kinematics(robot, "rocker", target=wanted, options=IKOptions(seconds=20.0))
    assert_there(robot, "rocker", wanted, found)
    assert set(found.positions) == {"crank_pin", "knee", "rocker_pin"}


@settings(max_examples=15)
@given(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4))
def test_the_tip_of_a_five_bar_goes_where_it_is_wanted(left, right):
    robot = five_bar(0.8, 0.5, 1.9)
    tip = np.array([0.8, 0.0, 0.0])
    pose = close_loops(robot, {"left_shoulder": left, "right_shoulder": right})
    frame = forward_kinematics(robot, pose.positions)["left_rod"]
    wanted = frame[:3, :3] @ tip + frame[:3, 3]
    found = inverse_kinematics(
        robot, "left_rod", target=wanted, options=IKOptions(tip=tip, seconds=20.0)
    )
    assert found.success, found.message
    assert gap_of(robot, found.positions) < 1e-8
    there = forward_kinematics(robot, found.positions, close_loops=False)["right_rod"]
    assert there[:3, :3] @ tip + there[:3, 3] == pytest.approx(wanted, abs=3e-6)


def test_a_piston_stands_where_its_crank_brings_it():
    robot = slider_crank(0.3, 0.8, 0.05)
    wanted = forward_kinematics(robot, {"crank_pin": 1.3})["piston"][:3, 3]
    found = inverse_kinematics(
        robot, "piston", target=wanted, options=IKOptions(orientation=False, seconds=20.0)
    )
    assert_there(robot, "piston", wanted, found)
    both = find_solutions(
        robot, "piston", target=wanted, options=IKOptions(orientation=False, seconds=20.0)
    )
    assert len(both) == 2
    # One has the crank on the way out, the other on the way back.
    turns = [math.sin(each["crank_pin"]) for each in both]
    assert min(turns) < 0.0 < max(turns)


def test_an_arm_on_a_linkage_uses_both():
    """A hand on a rocker: its own joint and the crank bring it to a place."""
    robot = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    assert robot is not None
    wrist = hinge("wrist", "rocker", "hand", (0.8, 0.0, 0.0), 0.2)
    robot = make_robot([*robot.joints, wrist], robot.loops)
    pose = {"crank_pin": 0.9, "wrist": -0.7}
    wanted = forward_kinematics(robot, pose)["hand"]
    found = inverse_kinematics(robot, "hand", target=wanted, options=IKOptions(seconds=20.0))
    assert_there(robot, "hand", wanted, found)
    held = inverse_kinematics(robot, "hand", target=wanted, options=IKOptions(joints=["wrist"]))
    assert not held.success
    assert "out of reach" in held.message


def test_what_is_out_of_reach_is_said_and_loops_stay_closed():
    robot = slider_crank(0.3, 0.8, 0.05)
    found = inverse_kinematics(
        robot, "piston", target=(9.0, 0.05, 0.0), options=IKOptions(seconds=20.0, restarts=2)
    )
    assert not found.success
    assert "out of reach" in found.message
    assert gap_of(robot, found.closest) < 1e-8
    farthest = math.sqrt((0.3 + 0.8) ** 2 - 0.05**2)
    assert found.position_error == pytest.approx(9.0 - farthest, abs=1e-3)


def test_robots_whose_loops_are_taken_away_move_as_trees():
    robot = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    assert robot is not None
    tree = replace(robot, loops=())
    wanted = forward_kinematics(tree, {"rocker_pin": 0.5})["rocker"]
    assert inverse_kinematics(tree, "rocker", target=wanted).positions == {
        "rocker_pin": pytest.approx(0.5, abs=1e-6)
    }


def test_cassie_moves_a_toe():
    """Through knee, shin and tarsus, which a rod of springs holds together."""
    robot = read_robot(CASSIE, diagnostics=Diagnostics())
    closer = LoopCloser(robot)
    pose = closer.close(
        {"left-knee-op": -0.3, "left-pitch-op": 0.1, "left-tarsus-crank-joint": -0.8}
    )
    link = "left-toe" if any(each.name == "left-toe" for each in robot.links) else "left-foot"
    wanted = forward_kinematics(robot, pose.positions)[link][:3, 3]
    found = inverse_kinematics(robot, link, target=wanted, options=IKOptions(seconds=20.0))
    assert_there(robot, link, wanted, found)


def test_tips_and_starts_are_checked_as_on_trees():
    robot = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    assert robot is not None
    start = Pose().xyz
    far = inverse_kinematics(robot, "rocker", target=np.full(3, np.nan))
    assert not far.success and "not finite" in far.message
    found = inverse_kinematics(
        robot,
        "rocker",
        target=start,
        start_positions={"crank_pin": 0.3},
        options=IKOptions(restarts=0),
    )
    assert gap_of(robot, found.positions) < 1e-8
