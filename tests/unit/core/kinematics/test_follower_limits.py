# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that loops move stop at their limits, and what moves them stops with them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.linkages import find_closings, five_bar, four_bar, gap_of, hold, meet
from urdf_importer import (
    Diagnostics,
    IKOptions,
    close_loops,
    forward_kinematics,
    inverse_kinematics,
    trace_loops,
)
from urdf_importer.core.kinematics.loops import find_freedom
from urdf_importer.core.kinematics.tree import retrace_tree

SLACK = 3e-4
SWING = four_bar(0.25, 0.9, 0.6, 1.0, 1.3)


def swing_of(turns):
    """How far the rocker of SWING has turned from zero, where circles meet."""
    tips = [0.25 * np.array([math.cos(1.3 + turn), math.sin(1.3 + turn)]) for turn in turns]
    pins = [meet(tip, 0.9, np.array([1.0, 0.0]), 0.6) for tip in tips]
    tilts = np.unwrap([math.atan2(*(pin - (1.0, 0.0))[::-1]) for pin in pins])
    return tilts - tilts[0]


@settings(max_examples=25)
@given(st.floats(-6.0, 6.0), st.floats(-0.3, -0.05), st.floats(0.05, 0.3))
def test_a_rocker_stops_the_crank_where_trigonometry_says(turn, lower, upper):
    robot = hold(SWING, rocker_pin=(lower, upper))
    found = close_loops(robot, {"crank_pin": turn})
    assert gap_of(robot, found.positions) < 1e-9
    way = np.linspace(0.0, turn, 2000)
    swing = swing_of(way)
    past = np.flatnonzero((swing < lower) | (swing > upper))
    if not len(past):
        assert found.reached
        assert found.positions["crank_pin"] == turn
        return
    if found.reached:
        assert lower - SLACK <= found.positions["rocker_pin"] <= upper + SLACK
        assert min(abs(swing.max() - upper), abs(swing.min() - lower)) < 2.0 * SLACK
        return
    end = lower if swing[past[0]] < lower else upper
    assert found.positions["rocker_pin"] == pytest.approx(end, abs=1e-6)
    assert found.positions["crank_pin"] == pytest.approx(way[past[0]], abs=2e-3)
    assert (found.missed, found.limited) == (("crank_pin",), ("rocker_pin",))


def test_what_is_shown_is_told_by_the_name_of_the_joint_that_is_in_the_way():
    robot = hold(SWING, rocker_pin=(-0.1, 0.2))
    diagnostics = Diagnostics()
    frames = forward_kinematics(robot, {"crank_pin": 1.5}, diagnostics=diagnostics)
    (message,) = diagnostics
    assert (message.code, message.subject) == ("loop-out-of-reach", "crank_pin")
    assert "joint 'rocker_pin' would pass its limits" in message.message
    still = replace(robot, loops=())
    shown = forward_kinematics(still, close_loops(robot, {"crank_pin": 1.5}).positions)
    assert frames["rocker"] == pytest.approx(shown["rocker"])


@pytest.mark.parametrize("seed", range(6))
def test_no_pose_that_could_be_taken_is_nearer(seed):
    """A five bar whose elbow stops: random poses within limits are all further from the wish."""
    random = np.random.default_rng(seed)
    robot = hold(
        five_bar(0.8, 0.5, 1.9), left_elbow=(-0.25, 0.2),
        left_shoulder=(-0.5, 0.5), right_shoulder=(-0.5, 0.5),
    )  # fmt: skip
    names = ("left_shoulder", "right_shoulder")
    found, wish = None, np.zeros(2)
    while found is None or found.reached:
        wish = random.uniform(-0.5, 0.5, 2)
        found = close_loops(robot, dict(zip(names, wish.tolist(), strict=True)))
    assert found.limited == ("left_elbow",)
    assert gap_of(robot, found.positions) < 1e-9
    there = np.array([found.positions[name] for name in names])
    near = there + random.normal(0.0, 0.05, (60, 2))
    others = [close_loops(robot, dict(zip(names, each, strict=True))) for each in near.tolist()]
    free = [
        np.array([each.positions[name] for name in names])
        for each in others
        if each.reached and abs(each.positions["left_elbow"] - found.positions["left_elbow"]) > 1e-3
    ]
    assert len(free) > 5
    assert np.abs(there).max() <= 0.5
    assert min(np.linalg.norm(each - wish) for each in free) > np.linalg.norm(there - wish) - 1e-5


def test_a_motion_into_a_limit_stays_there_and_comes_back():
    robot = hold(SWING, rocker_pin=(-0.1, 0.2))
    turns = [*np.linspace(0.0, 2.0, 40), *np.linspace(2.0, 0.0, 40)]
    results = list(trace_loops(robot, [{"crank_pin": float(turn)} for turn in turns]))
    places = np.array([each.positions["rocker_pin"] for each in results])
    assert places.max() < 0.2 + SLACK
    assert np.abs(np.diff(places)).max() < 0.1
    assert sum(not each.reached for each in results) > 20
    assert results[-1].reached
    assert places[-1] == pytest.approx(0.0, abs=1e-9)


def test_positions_past_limits_are_brought_back():
    """What a recording says of followers chooses the way to put it together, but not the limits."""
    there = close_loops(SWING, {"crank_pin": 1.5}).positions
    robot = hold(SWING, rocker_pin=(-0.1, 0.2))
    assert there["rocker_pin"] > 0.25
    found = close_loops(robot, there)
    assert not found.reached
    assert found.positions["rocker_pin"] == pytest.approx(0.2, abs=1e-6)
    assert gap_of(robot, found.positions) < 1e-9


def test_followers_without_a_range_are_not_held():
    """0 to 0 is what a file has that says nothing of how far a joint goes."""
    robot = hold(SWING, knee=(0.0, 0.0), rocker_pin=(0.0, 0.0))
    freedom = find_freedom(retrace_tree(robot))
    assert len(freedom.free) == 1
    found = close_loops(robot, {freedom.free[0]: 0.1}, freedom=freedom)
    assert found.reached
    assert gap_of(robot, found.positions) < 1e-9
    assert abs(found.positions["knee"]) > 0.01


def test_curves_end_where_followers_do_and_say_which():
    robot = hold(SWING, rocker_pin=(-0.1, 0.2))
    tree, diagnostics = retrace_tree(robot), Diagnostics()
    curves = find_closings(tree, diagnostics)
    (message,) = diagnostics
    assert message.code == "loop-range"
    assert "further joint 'rocker_pin' would pass its limits" in message.message
    lower, upper = curves[0].ranges["crank_pin"]
    ends = [close_loops(robot, {"crank_pin": turn}).positions for turn in (-2.0, 2.0)]
    assert [each["crank_pin"] for each in ends] == pytest.approx([lower, upper], abs=1e-5)
    rocker = next(each for each in curves if each.follower == "rocker_pin")
    assert rocker.samples[[0, -1], 1] == pytest.approx([-0.1, 0.2], abs=1e-5)


def test_limits_that_are_rounded_do_not_shorten_the_way():
    ends = [swing_of([0.0, turn])[1] for turn in (-0.5, 0.9)]
    span = tuple(math.copysign(math.floor(abs(end) * 1e4) / 1e4, end) for end in ends)
    robot = hold(SWING, crank_pin=(-0.5, 0.9), rocker_pin=span)
    tree, diagnostics = retrace_tree(robot), Diagnostics()
    curves = find_closings(tree, diagnostics)
    assert not len(diagnostics)
    assert curves[0].ranges["crank_pin"] == pytest.approx((-0.5, 0.9))
    assert close_loops(robot, {"crank_pin": 0.9}).reached


def test_inverse_kinematics_stops_with_the_follower_and_names_it():
    robot = hold(SWING, rocker_pin=(-0.1, 0.2))
    wanted = forward_kinematics(SWING, {"crank_pin": 1.5})["rocker"]
    found = inverse_kinematics(
        robot, "rocker", target=wanted, options=IKOptions(restarts=0, seconds=20.0)
    )
    assert not found.success
    assert "'rocker_pin'" in found.message
    assert found.closest["rocker_pin"] == pytest.approx(0.2, abs=SLACK)
