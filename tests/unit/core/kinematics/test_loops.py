# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of joints: which are free, and where the others stand, by trigonometry and by frames."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.linkages import Z, four_bar, gap_of, hinge, make_robot, meet, slider_crank
from support.paths import ROOT
from urdf_importer import KinematicsError, forward_kinematics, read_robot
from urdf_importer.core.geometry.transforms import matrix_from_pose, rpy_from_rotation
from urdf_importer.core.kinematics.loops import close_loops, find_freedom
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.model import Joint, Limit, LoopJoint, Mimic, Pose
from urdf_importer.core.model.transmission import Transmission, TransmissionJoint


def random_pose(random, reach=0.5):
    return Pose(xyz=tuple(random.uniform(-reach, reach, 3)), rpy=tuple(random.uniform(-3, 3, 3)))


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(("revolute", "fixed", "ball", "prismatic")))
def test_any_chain_in_space_closes_near_zero(seed, kind):
    """A fixed seam takes six of seven joints, others fewer; links stand away from their joints."""
    random = np.random.default_rng(seed)
    joints = [
        Joint(
            name=f"j{i}", parent=f"l{i}", child=f"l{i + 1}", axis=tuple(random.normal(size=3)),
            type="prismatic" if i == 3 else "continuous", origin=random_pose(random),
            child_origin=random_pose(random), limit=Limit(lower=-9.0, upper=9.0),
        )
        for i in range(7)
    ]  # fmt: skip
    origin = random_pose(random)
    seam = forward_kinematics(make_robot(joints, []))["l7"] @ matrix_from_pose(origin)
    there = Pose(xyz=tuple(seam[:3, 3]), rpy=rpy_from_rotation(seam[:3, :3]))
    loop = LoopJoint(
        name="seam", type=kind, link1="l0", link2="l7", origin1=there, origin2=origin, axis=Z
    )
    robot = make_robot(joints, [loop])
    assert gap_of(robot, {}) < 1e-12
    freedom = find_freedom(retrace_tree(robot))
    assert len(freedom.followers) == {"fixed": 6, "revolute": 5, "prismatic": 5, "ball": 3}[kind]
    found = close_loops(robot, {name: 0.02 for name in freedom.free}, freedom=freedom)
    assert gap_of(robot, found.positions) < 1e-8
    for name in freedom.free if found.reached else ():
        assert found.positions[name] == 0.02


LENGTHS = st.floats(0.2, 2.0)


@settings(max_examples=60)
@given(LENGTHS, LENGTHS, LENGTHS, LENGTHS, st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_four_bars_stand_as_circles_meet(crank, coupler, rocker, base, angle, turn):
    robot = four_bar(crank, coupler, rocker, base, angle)
    if robot is None:
        return
    freedom = find_freedom(retrace_tree(robot))
    assert (freedom.free, freedom.followers) == (("crank_pin",), ("knee", "rocker_pin"))
    found = close_loops(robot, {"crank_pin": turn})
    assert gap_of(robot, found.positions) < 1e-9
    # On the way from zero circles part where the crank cannot turn on.
    passed = [
        meet(crank * np.array([math.cos(a), math.sin(a)]), coupler, np.array([base, 0.0]), rocker)
        for a in np.linspace(angle, angle + turn, 400)
    ]
    if any(point is None for point in passed):
        return
    assert found.reached
    assert found.positions["crank_pin"] == turn
    frame = forward_kinematics(robot, found.positions)["rocker"]
    shown = (frame @ [rocker, 0.0, 0.0, 1.0])[:2]
    other = meet(
        crank * np.array([math.cos(angle + turn), math.sin(angle + turn)]),
        coupler, np.array([base, 0.0]), rocker, -1.0,
    )  # fmt: skip
    # Where both ways to put it together are one, it may come out as the other.
    near = [passed[-1]] if _margin(passed, other) > 0.05 else [passed[-1], other]
    assert min(np.hypot(*(shown - point)) for point in near) < 1e-6


def _margin(passed, other):
    return float(np.hypot(*(passed[-1] - other)))


def test_a_parallelogram_stays_one_past_where_it_is_flat():
    """Where all bars lie on a line, the equations do not say which way to go on."""
    robot = four_bar(0.3, 1.0, 0.3, 1.0, math.pi / 2)
    for turn in (0.9, 2.5, -2.5):
        found = close_loops(robot, {"crank_pin": turn})
        assert found.positions["rocker_pin"] == pytest.approx(turn, abs=1e-9)
        assert found.positions["knee"] == pytest.approx(-turn, abs=1e-9)


@settings(max_examples=40)
@given(st.floats(0.2, 1.0), st.floats(1.1, 3.0), st.floats(-0.1, 0.1), st.floats(-7.0, 7.0))
def test_sliders_stand_where_the_rod_reaches(crank, rod, offset, turn):
    robot = slider_crank(crank, rod, offset)
    far = math.sqrt(rod**2 - offset**2)
    assert find_freedom(retrace_tree(robot)).free == ("crank_pin",)
    found = close_loops(robot, {"crank_pin": turn})
    tip = crank * np.array([math.cos(turn), math.sin(turn)])
    place = tip[0] + math.sqrt(rod**2 - (offset - tip[1]) ** 2)
    assert found.reached
    assert found.positions["bore"] == pytest.approx(place - crank - far, abs=1e-8)


def test_the_joint_with_a_motor_is_free():
    robot = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    tree = retrace_tree(robot)
    assert find_freedom(tree, ["rocker_pin"]).free == ("rocker_pin",)
    drive = Transmission(name="t", joints=(TransmissionJoint(name="knee"),))
    driven = make_robot(robot.joints, robot.loops, transmissions=(drive,))
    assert find_freedom(retrace_tree(driven)).free == ("knee",)


def test_joints_that_cannot_move_do_not_count_as_followers():
    robot = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    still = Limit(lower=0.0, upper=0.0)
    joints = [*robot.joints[:2], hinge("rocker_pin", "base", "rocker", (1.1, 0.0, 0.0),
              robot.joints[2].origin.rpy[2], type="revolute", limit=still)]  # fmt: skip
    freedom = find_freedom(retrace_tree(make_robot(joints, robot.loops)))
    assert freedom.free == ("rocker_pin",)
    assert freedom.followers == ("crank_pin", "knee")


def test_what_cannot_be_reached_comes_as_near_as_it_can():
    """A rocker that swings: the long crank stops where coupler and rocker are one line."""
    robot = four_bar(1.0, 0.5, 0.6, 1.2, 0.3)
    found = close_loops(robot, {"crank_pin": 3.0})
    assert not found.reached
    assert gap_of(robot, found.positions) < 1e-9
    farthest = math.acos((1.0 + 1.2**2 - (0.5 + 0.6) ** 2) / (2 * 1.2)) - 0.3
    assert found.positions["crank_pin"] == pytest.approx(farthest, abs=1e-4)


def test_results_are_traced_on_from_the_last_one():
    robot = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    turns = np.linspace(0.0, 4 * math.pi, 60)
    last = None
    for turn in turns:
        last = close_loops(robot, {"crank_pin": turn}, start=last.positions if last else None)
        assert last.reached
        assert gap_of(robot, last.positions) < 1e-9
    assert last.positions["rocker_pin"] == pytest.approx(0.0, abs=1e-9)
    assert last.positions["knee"] == pytest.approx(-4 * math.pi, abs=1e-9)


def test_joints_that_mimic_take_part():
    """A gripper's finger on a parallelogram whose far side is geared to the near one."""
    robot = four_bar(0.3, 1.0, 0.3, 1.0, 1.2)
    geared = hinge("gear", "base", "wheel", (0.0, 0.5, 0.0), mimic=Mimic(joint="knee"))
    robot = make_robot([*robot.joints, geared], robot.loops)
    found = close_loops(robot, {"crank_pin": -0.5})
    assert found.positions["knee"] == pytest.approx(0.5, abs=1e-9)
    frames = forward_kinematics(robot, found.positions)
    assert math.atan2(frames["wheel"][1, 0], frames["wheel"][0, 0]) == pytest.approx(0.5)


def test_balls_hold_a_rod_in_space():
    """A crank and a rocker with crossed axes and a rod between them on two balls, one in the tree:
    the rod's turn about itself is nobody's business and stays as it is."""
    lift = hinge("crank_pin", "base", "crank", (0.0, 0.0, 0.0))
    swing = Joint(
        name="rocker_pin", type="continuous", parent="base", child="rocker", axis=(1.0, 0.0, 0.0),
        origin=Pose(xyz=(0.0, 1.0, 0.0)),
    )  # fmt: skip
    ball = Joint(
        name="ball", type="ball", parent="crank", child="rod", origin=Pose(xyz=(0.3, 0.0, 0.0))
    )
    far = np.array([0.0, 1.0, 0.5]) - (0.3, 0.0, 0.0)
    loop = LoopJoint(
        name="end", type="ball", link1="rod", link2="rocker",
        origin1=Pose(xyz=tuple(far)), origin2=Pose(xyz=(0.0, 0.0, 0.5)),
    )  # fmt: skip
    robot = make_robot([lift, swing, ball], [loop])
    freedom = find_freedom(retrace_tree(robot))
    assert (freedom.free, freedom.followers) == (("crank_pin",), ("ball", "rocker_pin"))
    for turn in (0.3, -0.6, 1.4):
        found = close_loops(robot, {"crank_pin": turn})
        assert found.reached
        assert gap_of(robot, found.positions) < 1e-9


def test_redundant_loops_leave_the_same_freedom():
    """A third bar beside the two of a parallelogram adds no equation."""
    robot = four_bar(0.3, 1.0, 0.3, 1.0, 1.2)
    third = hinge("third", "base", "bar", (0.5, 0.0, 0.0), 1.2)
    loop = LoopJoint(
        name="beside", type="continuous", link1="coupler", link2="bar",
        origin1=Pose(xyz=(0.5, 0.0, 0.0)), origin2=Pose(xyz=(0.3, 0.0, 0.0)), axis=Z,
    )  # fmt: skip
    robot = make_robot([*robot.joints, third], [*robot.loops, loop])
    assert find_freedom(retrace_tree(robot)).free == ("crank_pin",)
    found = close_loops(robot, {"crank_pin": -0.8})
    assert found.positions["third"] == pytest.approx(-0.8, abs=1e-9)


def test_robots_without_loops_stay_as_they_are():
    robot = read_robot(ROOT / "sample_urdfs/two_link_arm.urdf")
    found = close_loops(robot, {"shoulder": 0.4})
    assert (found.positions, found.gap, found.reached) == ({"shoulder": 0.4}, 0.0, True)
    with pytest.raises(KinematicsError, match="no joint 'ghost'"):
        close_loops(robot, {"ghost": 1.0})


def test_the_pumpjack_pumps():
    robot = read_robot(ROOT / "sample_urdfs/pumpjack.xml")
    found = close_loops(robot, {robot.joints[0].name: 0.0})
    assert found.gap < 1e-6
    freedom = find_freedom(retrace_tree(robot))
    (crank,) = freedom.free
    for turn in np.linspace(0.0, 2 * math.pi, 7):
        found = close_loops(robot, {crank: turn}, freedom=freedom)
        assert found.reached
        assert gap_of(robot, found.positions) < 1e-6
