# SPDX-License-Identifier: GPL-3.0-or-later
"""Driving: arcs that close, the same way in any pieces, and wheels that are found."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.paths import ROOT
from urdf_importer import KinematicsError, read_robot
from urdf_importer.core.kinematics.drive import (
    check_commands,
    drive_path,
    find_wheels,
    wheel_speeds,
)
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.model import (
    Box,
    Collision,
    Cylinder,
    Joint,
    Limit,
    Link,
    Mesh,
    Pose,
    Robot,
    Visual,
)

speeds = st.floats(-20.0, 20.0)
durations = st.floats(0.01, 5.0)
rows = st.lists(st.tuples(durations, speeds, speeds), min_size=1, max_size=8)
sizes = st.tuples(st.floats(0.01, 0.5), st.floats(0.05, 2.0))
axles = st.tuples(st.floats(-0.5, 0.5), st.floats(-0.1, 0.1))


def commands_of(steps):
    times = np.concatenate([[0.0], np.cumsum([step[0] for step in steps])])
    given_speeds = [step[1:] for step in steps] + [(0.0, 0.0)]
    return np.column_stack([times, given_speeds])


@given(st.floats(0.01, 5.0), st.floats(0.01, 3.0), st.integers(1, 20), axles, st.floats(-9, 9))
def test_full_circles_close(ahead, turn, circles, axle, heading):
    length = circles * math.tau / turn
    commands = wheel_speeds(
        np.array([(0.0, ahead, turn), (length, 0.0, 0.0)]), radius=0.1, distance=0.4
    )
    ride = drive_path(
        commands, np.array([0.0, length]), radius=0.1, distance=0.4, axle=axle, heading=heading
    )
    reach = 1.0 + ahead / turn
    assert abs(ride.x[-1]) < 1e-9 * reach and abs(ride.y[-1]) < 1e-9 * reach
    assert ride.heading[-1] == pytest.approx(heading + circles * math.tau, abs=1e-9)


@given(rows, sizes, axles)
def test_wheels_roll_and_do_not_slip(steps, size, axle):
    """The wheels' own points go as far along the robot as they roll, and not aside."""
    radius, distance = size
    commands = commands_of(steps)
    end = commands[-1, 0]
    times = np.linspace(0.0, end, 400)
    ride = drive_path(commands, times, radius=radius, distance=distance, axle=axle)
    for angles, side in ((ride.left, 0.5), (ride.right, -0.5)):
        x, y = axle[0], axle[1] + side * distance
        sine, cosine = np.sin(ride.heading), np.cos(ride.heading)
        place = np.stack([ride.x + cosine * x - sine * y, ride.y + sine * x + cosine * y])
        middle = ride.heading[:-1] + np.diff(ride.heading) / 2
        step = np.diff(place)
        along = step[0] * np.cos(middle) + step[1] * np.sin(middle)
        across = step[1] * np.cos(middle) - step[0] * np.sin(middle)
        within = np.searchsorted(commands[:, 0], times[1:]) == np.searchsorted(
            commands[:, 0], times[:-1], side="right"
        )
        chord = radius * np.diff(angles) * np.sinc(np.diff(ride.heading) / math.tau)
        near = 1e-9 * (1.0 + 20.0 * radius * end)
        assert (np.abs(along - chord)[within] < near).all()
        assert (np.abs(across)[within] < near).all()


@given(rows, sizes, st.integers(1, 50))
def test_no_drift_in_whatever_pieces(steps, size, pieces):
    """The end is the same whether it is asked for alone, with all frames, or commands are cut."""
    radius, distance = size
    commands = commands_of(steps)
    end = np.array([commands[-1, 0]])
    alone = drive_path(commands, end, radius=radius, distance=distance)
    many = drive_path(
        commands, np.linspace(0.0, end[0], pieces + 1), radius=radius, distance=distance
    )
    middle = (commands[:-1] + commands[1:]) / 2
    middle[:, 1:] = commands[:-1, 1:]
    cut = np.concatenate([commands, middle])
    halves = drive_path(cut[np.argsort(cut[:, 0])], end, radius=radius, distance=distance)
    reach = 1e-12 * (1.0 + 20.0 * radius * end[0]) * (1.0 + 40.0 * radius * end[0] / distance)
    for other in (many, halves):
        for name in ("x", "y", "heading", "left", "right"):
            gap = getattr(other, name)[-1] - getattr(alone, name)[-1]
            assert abs(gap) < 1e-9 + 100.0 * reach, name


def test_headings_and_wheels_never_wrap():
    commands = np.array([(0.0, -10.0, 10.0), (100.0, 0.0, 0.0)])
    times = np.linspace(0.0, 100.0, 1001)
    ride = drive_path(commands, times, radius=0.1, distance=0.2)
    assert ride.heading[-1] == pytest.approx(1000.0)
    assert (np.diff(ride.heading) > 0.0).all() and ride.left[-1] == pytest.approx(-1000.0)
    assert np.abs(ride.x).max() < 1e-9
    late = drive_path(commands, np.array([200.0]), radius=0.1, distance=0.2)
    assert late.heading[-1] == pytest.approx(1000.0), "it stands still after the last row"


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ([(0.0, 1.0)], "not of shape"),
        ([(0.0, 1.0, 1.0)], "at least two rows"),
        ([(0.0, 1.0, 1.0), (0.0, 1.0, 1.0)], "do not grow at row 2"),
        ([(0.0, 1.0, 1.0), (1.0, float("nan"), 1.0)], "not finite"),
        ("soon", "rows of a time and two speeds"),
    ],
)
def test_bad_commands(commands, message):
    with pytest.raises(KinematicsError, match=message):
        check_commands(commands)


def wheel(name, x, y, axis="y", sign=1, radius=0.1, shape=None):
    axes = {"y": (0.0, float(sign), 0.0), "x": (1.0, 0.0, 0.0)}
    shape = shape or Cylinder(radius=radius, length=0.02)
    link = Link(name=f"{name}_link", collisions=(Collision(geometry=shape),))
    joint = Joint(
        name=name, type="continuous", parent="base", child=link.name, axis=axes[axis],
        origin=Pose(xyz=(x, y, 0.1)),
    )  # fmt: skip
    return link, joint


def robot_of(*wheels):
    links = [Link(name="base"), *(each[0] for each in wheels)]
    joints = [each[1] for each in wheels]
    return retrace_tree(Robot(name="cart", links=tuple(links), joints=tuple(joints)))


def test_wheels_of_a_sample_are_found_and_its_caster_is_not():
    found = find_wheels(
        retrace_tree(read_robot(ROOT / "sample_urdfs/differential_drive.urdf")),
        base="base_footprint",
    )
    assert [each.joint for each in found.left + found.right] == [
        "left_wheel_joint", "right_wheel_joint",
    ]  # fmt: skip
    assert (found.radius, found.distance) == (0.1, pytest.approx(0.336))
    assert found.axle == pytest.approx((0.02, 0.0))


def test_signs_and_four_wheels():
    tree = robot_of(
        wheel("fl", 0.2, 0.3), wheel("fr", 0.2, -0.3, sign=-1), wheel("bl", -0.2, 0.3),
        wheel("br", -0.2, -0.3), wheel("nose", 0.4, 0.0), wheel("drum", 0.0, 0.1, axis="x"),
    )  # fmt: skip
    found = find_wheels(tree, base="base")
    assert [each.joint for each in found.left] == ["fl", "bl"]
    assert [(each.joint, each.sign) for each in found.right] == [("fr", -1), ("br", 1)]
    named = find_wheels(tree, base="base", left=["bl"], right=["br"])
    assert [each.joint for each in named.left + named.right] == ["bl", "br"]
    assert find_wheels(tree, base="base", passive=["fl", "fr"]) == named


def test_boxes_meshes_and_hubs():
    box = wheel("l", 0.0, 0.3, shape=Box(size=(0.1, 0.02, 0.3)))
    assert find_wheels(robot_of(box, wheel("r", 0.0, -0.3, radius=0.15)), base="base").radius == (
        pytest.approx(0.15)
    )
    mesh = Mesh(filename="tyre.stl")
    hub = Visual(geometry=Cylinder(radius=0.02, length=0.1))
    pair = []
    for name, y in (("l", 0.3), ("r", -0.3)):
        joint = wheel(name, 0.0, y)[1]
        pair.append((Link(name=joint.child, visuals=(hub, Visual(geometry=mesh))), joint))
    assert find_wheels(robot_of(*pair), base="base").radius is None


@pytest.mark.parametrize(
    ("wheels", "names", "message"),
    [
        ([wheel("l", 0.1, 0.3), wheel("r", 0.0, -0.3)], {}, "no two wheels .* 'l', 'r'"),
        ([], {}, "roll along it: none"),
        (
            [wheel("a", 0, 0.3), wheel("b", 0, -0.3), wheel("c", 1, 0.2), wheel("d", 1, -0.2)],
            {},
            "not clear which wheels drive: joints 'a', 'b', 'c', 'd'",
        ),
        ([wheel("l", 0, 0.3)], {"left": ["l"]}, "both sides"),
        ([wheel("l", 0, 0.3)], {"left": ["l"], "right": ["x"]}, "no joint 'x'"),
        ([wheel("l", 0, 0.3), wheel("r", 0, -0.3)], {"left": ["r"], "right": ["l"]}, "side of"),
    ],
)
def test_wheels_that_are_not_clear(wheels, names, message):
    with pytest.raises(KinematicsError, match=message):
        find_wheels(robot_of(*wheels), base="base", **names)


def test_wheels_with_limits_do_not_roll():
    link, joint = wheel("l", 0.0, 0.3)
    limit = Limit(lower=-1.0, upper=1.0, effort=1.0, velocity=1.0)
    held = Joint(
        name="l", type="revolute", parent="base", child=link.name, axis=joint.axis,
        origin=joint.origin, limit=limit,
    )  # fmt: skip
    tree = robot_of((link, held), wheel("r", 0.0, -0.3))
    with pytest.raises(KinematicsError, match="joint 'l' does not roll"):
        find_wheels(tree, base="base", left=["l"], right=["r"])
