# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of all kinds: where they stand, how far they go, what drives them."""

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.webots.webots_robots import BOX, Small, joint, link
from urdf_importer import Diagnostics, KinematicsError, WebotsOptions, export_robot

SHAPE = f"<visual>{BOX}</visual>"


def arm(kind: str, inside: str = "", **more: Any) -> tuple[str, ...]:
    """One joint that stands askew between two links."""
    place = {"xyz": "0.3 -0.2 0.1", "rpy": "0.4 -0.5 0.6"} | more
    return link("base"), link("arm"), joint("j", kind, "base", "arm", inside, **place)


FAR = (link("far"), joint("k", "revolute", "arm", "far", xyz="1 0 0"))


# Kinds


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_one_axis(kind: str, tmp_path: Path) -> None:
    small = Small(tmp_path, *arm(kind, axis="1 2 3"))
    for q in (0.0, 0.7, -0.9):
        small.assert_frames({"j": q}, {"j": q})
    (plan,) = small.check().joints.values()
    assert plan["type"] == ("SliderJoint" if kind == "prismatic" else "HingeJoint")
    (axis,) = plan["dofs"]
    assert axis["motor"] == "j" and axis["sensor"] == "j_sensor"


def test_planar_is_two_slides_and_a_turn(tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        *arm("planar", axis="1 1 1"),
        link("far"),
        joint("k", "revolute", "arm", "far", xyz="1 0 0"),
    )
    values = {"j_x": 0.4, "j_y": -0.3, "j_yaw": 2.5, "k": 0.2}
    small.assert_frames(values, {"j": (0.4, -0.3, 2.5), "k": 0.2})
    assert [axis.motor for axis in small.result.axes] == ["j_x", "j_y", "j_yaw", "k"]
    assert [plan["type"] for plan in small.check().joints.values()] == [
        "SliderJoint", "SliderJoint", "HingeJoint", "HingeJoint",
    ]  # fmt: skip


def test_floating_is_three_slides_and_a_ball_without_motors(tmp_path: Path) -> None:
    small = Small(
        tmp_path, *arm("floating"), link("far"), joint("k", "revolute", "arm", "far", xyz="1 0 0")
    )
    roll, pitch, yaw = 0.3, -1.1, 2.0
    quaternion = ball_quaternion(roll, pitch, yaw)
    values = {
        "j_x_sensor": 1.0, "j_y_sensor": 2.0, "j_z_sensor": 3.0,
        "j_roll_sensor": roll, "j_pitch_sensor": pitch, "j_yaw_sensor": yaw, "k": 0.5,
    }  # fmt: skip
    small.assert_frames(values, {"j": (1.0, 2.0, 3.0, *quaternion), "k": 0.5})
    assert [axis.motor for axis in small.result.axes] == [""] * 6 + ["k"]


def ball_quaternion(roll: float, pitch: float, yaw: float) -> tuple[float, float, float, float]:
    """x, y, z, w of Rx Ry Rz."""
    result = np.array([0.0, 0.0, 0.0, 1.0])
    for axis, angle in enumerate((roll, pitch, yaw)):
        x1, y1, z1, w1 = result
        other = np.zeros(4)
        other[axis], other[3] = math.sin(angle / 2), math.cos(angle / 2)
        x2, y2, z2, w2 = other
        result = np.array([
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
        ])  # fmt: skip
    x, y, z, w = result.tolist()
    return x, y, z, w


def test_a_ball_turns_freely(tmp_path: Path) -> None:
    small = Small(tmp_path, *arm("ball"))
    quaternion = ball_quaternion(0.5, 0.6, -0.7)
    values = {"j_roll_sensor": 0.5, "j_pitch_sensor": 0.6, "j_yaw_sensor": -0.7}
    small.assert_frames(values, {"j": quaternion})


@pytest.mark.parametrize("kind, text, position", [
    ("revolute", "0.5", 0.5),
    ("prismatic", "-0.25", -0.25),
    ("planar", "1,2,3", (1.0, 2.0, 3.0)),
    ("floating", "1,2,3,0.1,-0.2,0.3,0.9", (1.0, 2.0, 3.0, 0.1, -0.2, 0.3, 0.9)),
    ("floating", "0,0,0,0,0.7071067811865476,0,0.7071067811865476",
     (0.0, 0.0, 0.0, 0.0, 0.7071067811865476, 0.0, 0.7071067811865476)),
    ("ball", "0.1,-0.2,0.3,0.9", (0.1, -0.2, 0.3, 0.9)),
])  # fmt: skip
def test_where_joints_start(kind: str, text: str, position: Any, tmp_path: Path) -> None:
    """The position and the pose at that position agree: at zero all is where it would be anyway."""
    small = Small(tmp_path, *arm(kind, axis="1 2 3"), positions=(("j", text),))
    small.assert_frames({}, {"j": position}, initial=True)
    small.assert_frames({}, {})


@pytest.mark.parametrize("name, text, message", [
    ("j", "a", "is not a number"),
    ("j", "1,2", "one finite number"),
    ("j", "nan", "one finite number"),
    ("k", "1", "no joint 'k'"),
])  # fmt: skip
def test_positions_that_fit_no_joint(name: str, text: str, message: str, tmp_path: Path) -> None:
    source = Small(tmp_path, *arm("revolute")).robot
    options = WebotsOptions(positions=((name, text),))
    with pytest.raises(KinematicsError, match=message):
        export_robot(source, tmp_path / "No.proto", options=options, diagnostics=Diagnostics())
    assert not (tmp_path / "No.proto").exists()


# Limits


def limits_of(small: Small, motor: str = "j") -> tuple[float, ...]:
    """minStop, minPosition, position, maxPosition, maxStop; stops of 0 are none."""
    axis = small.check().axes[motor]
    return (
        axis.get("min_stop", 0.0), axis["min_position"], axis["position"], axis["max_position"],
        axis.get("max_stop", 0.0),
    )  # fmt: skip


@pytest.mark.parametrize("limit, written", [
    ('lower="-1" upper="2" effort="5" velocity="2"', (-1, -1, 0, 2, 2)),
    # Hinges take stops of -pi to 0 and 0 to pi only; the motor keeps what it can.
    ('lower="-4" upper="2" effort="5" velocity="2"', (0, -4, 0, 2, 0)),
    ('lower="0.5" upper="1.5" effort="5" velocity="2"', (0, 0.5, 0.5, 1.5, 0)),
    # A stop that a joint starts at makes the simulation shake: it stands a little behind.
    ('lower="0" upper="1.5" effort="5" velocity="2"', (-1e-4, 0, 0, 1.5, 1.5)),
    ('lower="-1.5" upper="0" effort="5" velocity="2"', (-1.5, -1.5, 0, 0, 1e-4)),
    # To Webots, equal limits are none.
    ('lower="0.3" upper="0.3" effort="5" velocity="2"', (0, 0.3 - 1e-6, 0.3, 0.3 + 1e-6, 0)),
    ('lower="0" upper="0" effort="5" velocity="2"', (0, -1e-6, 0, 1e-6, 0)),
    ('effort="5" velocity="2"', (0, 0, 0, 0, 0)),
    ("", (0, 0, 0, 0, 0)),
])  # fmt: skip
def test_limits_of_hinges(limit: str, written: tuple[float, ...], tmp_path: Path) -> None:
    small = Small(tmp_path, *arm("revolute", limit=limit))
    assert limits_of(small) == pytest.approx(written, abs=1e-12)
    start = written[2]
    small.assert_frames({}, {"j": start}, initial=True)
    small.assert_frames({"j": 0.25}, {"j": 0.25})


@pytest.mark.parametrize("axis", ["1 0 0", "0 1 0", "0 0 -1", "1 1 0"])
def test_slides_without_zero_start_along_their_own_axis(axis: str, tmp_path: Path) -> None:
    limit = 'lower="0.1" upper="0.5" effort="5" velocity="2"'
    small = Small(tmp_path, *arm("prismatic", axis=axis, limit=limit))
    assert limits_of(small) == pytest.approx((0.1 - 1e-4, 0.1, 0.1, 0.5, 0.5))
    assert [code for code, _ in small.lines] == ["zero-outside-limits"]
    small.assert_frames({}, {"j": 0.1}, initial=True)
    small.assert_frames({"j": 0.3}, {"j": 0.3})


def test_a_start_beyond_the_limits(tmp_path: Path) -> None:
    small = Small(tmp_path, *arm("revolute"), positions=(("j", "1.5"),))
    assert limits_of(small)[2] == 1.0
    assert small.lines == [("webots-start-position", 4)]


@pytest.mark.parametrize("soft, written", [
    ('soft_lower_limit="-0.8" soft_upper_limit="0.7"', (-1, -0.8, 0, 0.7, 1)),
    ('soft_lower_limit="-2" soft_upper_limit="2"', (-1, -1, 0, 1, 1)),
    ('soft_lower_limit="0.2" soft_upper_limit="0.7"', (-1, 0.2, 0.2, 0.7, 1)),
    # Nonsense: nothing would be left.
    ('soft_lower_limit="3" soft_upper_limit="4"', (-1, -1, 0, 1, 1)),
    ("", (-1, -1, 0, 1, 1)),
])  # fmt: skip
def test_soft_limits_bound_the_motor(soft: str, written: tuple[float, ...], tmp_path: Path) -> None:
    inside = f'<safety_controller k_velocity="1" {soft}/>'
    small = Small(tmp_path, *arm("revolute", inside))
    assert limits_of(small) == pytest.approx(written, abs=1e-12)


def test_limits_without_effort_are_never_zero(tmp_path: Path) -> None:
    limit = 'lower="-1" upper="1" effort="0"'
    small = Small(tmp_path, *arm("revolute", limit=limit), effort_scale=3.0)
    axis = small.check().axes["j"]
    assert (axis["max_torque"], axis["max_velocity"]) == (1000.0, 10.0)
    assert small.lines == [("webots-motor-default", 4)]


def test_largest_effort_stays_a_number_when_scaled(tmp_path: Path) -> None:
    limit = f'lower="-1" upper="1" effort="{sys.float_info.max!r}" velocity="2"'
    small = Small(tmp_path, *arm("revolute", limit=limit), effort_scale=3.0)
    assert small.check().axes["j"]["max_torque"] == sys.float_info.max


def test_coefficients(tmp_path: Path) -> None:
    dynamics = '<dynamics damping="0.5" friction="0.25"/>'
    scales = {f"{name}_scale": scale for name, scale in SCALES.items()}
    small = Small(tmp_path, *arm("prismatic", dynamics), **scales)
    axis = small.check().axes["j"]
    assert axis["max_force"] == 5.0 * SCALES["effort"]
    assert axis["max_velocity"] == 2.0 * SCALES["velocity"]
    assert axis["damping"] == 0.5 * SCALES["damping"]
    assert axis["friction"] == 0.25 * SCALES["friction"]


SCALES = {"effort": 2.0, "velocity": 4.0, "damping": 8.0, "friction": 16.0}


# Mimic


def fingers(
    multiplier: float, offset: float, leader: str = 'lower="-0.5" upper="1"'
) -> tuple[str, ...]:
    more = ' effort="5" velocity="2"'
    return (
        link("palm"), link("a"), link("b"), link("c"),
        joint("lead", "revolute", "palm", "a", xyz="1 0 0", rpy="1 2 3", limit=leader + more),
        joint("follow", "revolute", "a", "b",
              f'<mimic joint="lead" multiplier="{multiplier}" offset="{offset}"/>',
              xyz="0 1 0", rpy="3 2 1", axis="1 1 0", limit='lower="-9" upper="9"' + more),
        joint("slide", "prismatic", "b", "c", '<mimic joint="follow" multiplier="2" offset="0.1"/>',
              xyz="0 0 1", axis="0 1 1", limit='lower="-90" upper="90"' + more),
    )  # fmt: skip


@pytest.mark.parametrize("multiplier, offset", [(1.0, 0.0), (-2.0, 0.5), (0.3, -1.25)])
def test_followers_are_coupled_motors(multiplier: float, offset: float, tmp_path: Path) -> None:
    """Chains multiplied out; limits and speeds in the ratio of the multipliers (the checker asks
    for that); the offset in the pose."""
    small = Small(tmp_path, *fingers(multiplier, offset))
    assert small.codes == ["mimic-limits"]
    motors = [axis.motor for axis in small.result.axes]
    assert motors == ["lead::lead", "lead::follow", "lead::slide"]
    for q in (0.0, 0.9, -0.4):
        small.assert_frames({"lead": q}, {"lead": q})
    small.assert_frames({}, {}, initial=True)
    axes = small.check().axes
    assert axes["lead::follow"]["multiplier"] == multiplier
    assert axes["lead::slide"]["multiplier"] == 2.0 * multiplier
    bounds = sorted((-0.5 * multiplier, 1.0 * multiplier))
    follow = axes["lead::follow"]
    assert [follow["min_position"], follow["max_position"]] == pytest.approx(bounds)
    fastest = 2.0 / max(1.0, abs(multiplier), abs(2.0 * multiplier))
    assert axes["lead::lead"]["max_velocity"] == pytest.approx(fastest)
    shown = {axis.joint: axis.offset for axis in small.result.axes}
    assert shown == pytest.approx({"lead": 0.0, "follow": offset, "slide": 2 * offset + 0.1})


def test_followers_start_where_their_leader_does(tmp_path: Path) -> None:
    positions = (("lead", "0.8"), ("follow", "0.1"))
    small = Small(tmp_path, *fingers(-0.5, 0.25), positions=positions)
    assert small.lines == [("mimic-limits", 7), ("webots-start-position", 7)]
    small.assert_frames({}, {"lead": 0.8}, initial=True)
    small.assert_frames({"lead": 0.0}, {"lead": 0.0})


def test_all_are_unlimited_if_the_leader_is(tmp_path: Path) -> None:
    elements = fingers(1.0, 0.0)
    leader = joint("lead", "continuous", "palm", "a")
    small = Small(tmp_path, *elements[:4], leader, *elements[5:])
    axes = small.check().axes.values()
    assert all(axis["min_position"] == axis["max_position"] == 0.0 for axis in axes)
    assert small.lines == [("mimic-limits", 7), ("webots-motor-default", 6)]


def test_a_multiplier_of_zero_is_a_locked_joint(tmp_path: Path) -> None:
    small = Small(tmp_path, *fingers(0.0, 0.5))
    assert [axis.motor for axis in small.result.axes] == ["lead", "follow", "slide"]
    assert small.lines == [("mimic-limits", 7), ("webots-mimic", 7), ("webots-mimic", 8)]
    small.assert_frames({"lead": 0.3}, {"lead": 0.3})


def test_leaders_of_odd_names(tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        link("a"), link("b"), link("c"),
        joint("a::b", "revolute", "a", "b"),
        joint("a__b", "revolute", "b", "c", '<mimic joint="a::b"/>'),
    )  # fmt: skip
    assert [axis.motor for axis in small.result.axes] == ["a__b::a__b", "a__b::a__b_2"]
    small.assert_frames({"a__b": 0.5}, {"a::b": 0.5})


# Several axes in one joint


def hip(
    axes: tuple[str, ...],
    between: float | None = None,
    inside: str = "",
    offset: str = "0 0 0",
    limit: str = 'lower="-1" upper="1.2" effort="5" velocity="2"',
) -> tuple[str, ...]:
    """Revolute joints in a row, with links of mass `between` them."""
    names = [f"l{i}" for i in range(len(axes))]
    links = [link("base"), *(link(name, between, inside) for name in names[:-1]), link(names[-1])]
    joints = [
        joint(f"j{i}", "revolute", parent, child, axis=axis, limit=limit,
              xyz="0.1 0.2 0.3" if i == 0 else offset, rpy="0.3 0.2 0.1" if i == 0 else "0 0 0")
        for i, (parent, child, axis) in enumerate(zip(["base", *names], names, axes, strict=False))
    ]  # fmt: skip
    return (*links, *joints)


HIP = ("1 0 0", "0 1 0", "0 0 1")
POSE = {"j0": 0.4, "j1": -0.7, "j2": 1.1}


@pytest.mark.parametrize("axes, kinds", [
    (HIP, ["BallJoint"]),
    (("0 0 1", "1 0 0", "0 1 0"), ["BallJoint"]),
    # Axis 2 must be axis 3 x axis 1: the other order is two joints.
    (("0 1 0", "1 0 0", "0 0 1"), ["Hinge2Joint", "HingeJoint"]),
    (("1 0 0", "0 1 0"), ["Hinge2Joint"]),
    (("1 0 0", "1 1 0"), ["Hinge2Joint"]),
    (("1 0 0", "-1 0 0"), ["HingeJoint", "HingeJoint"]),
])  # fmt: skip
def test_hinges_about_one_point(axes: tuple[str, ...], kinds: list[str], tmp_path: Path) -> None:
    small = Small(tmp_path, *hip(axes))
    assert [plan["type"] for plan in small.check().joints.values()] == kinds
    assert [axis.motor for axis in small.result.axes] == [f"j{i}" for i in range(len(axes))]
    values = {name: POSE[name] for name in list(POSE)[: len(axes)]}
    small.assert_frames(values, values)
    started = Small(tmp_path, *hip(axes), positions=tuple((n, str(q)) for n, q in values.items()))
    started.assert_frames({}, values, initial=True)
    started.assert_frames({}, {})
    assert small.codes.count("webots-combined-joint") == DEGREES[kinds[0]] - 1
    assert small.codes.count("webots-small-mass") == len(axes) - 1 - (DEGREES[kinds[0]] - 1)


DEGREES = {"HingeJoint": 1, "Hinge2Joint": 2, "BallJoint": 3}


@pytest.mark.parametrize("more", [
    {"between": 1.0},
    {"inside": SHAPE},
    {"offset": "0 0 1e-3"},
])  # fmt: skip
def test_what_keeps_hinges_apart(more: dict[str, Any], tmp_path: Path) -> None:
    small = Small(tmp_path, *hip(HIP, **more))
    kinds = [plan["type"] for plan in small.check().joints.values()]
    if more == {"offset": "0 0 1e-3"}:
        # j1 and j2 still cross: the offset lies along the axis of j2.
        assert kinds == ["HingeJoint", "Hinge2Joint"]
    else:
        assert kinds == ["HingeJoint"] * 3
    small.assert_frames(POSE, POSE)


def test_hinges_stay_apart_where_asked_and_on_what_stands_fixed(tmp_path: Path) -> None:
    apart = Small(tmp_path, *hip(HIP), multi_axis_joints=False)
    assert len(apart.check().joints) == 3 and apart.codes == ["webots-small-mass"] * 2
    fixed = Small(tmp_path, *hip(HIP), base="fixed")
    assert [plan["type"] for plan in fixed.check().joints.values()] == ["HingeJoint", "Hinge2Joint"]
    slot = Small(tmp_path, *hip(HIP), tool_slot="l0")
    assert "l0" in slot.result.links
    for small in (apart, fixed, slot):
        small.assert_frames(POSE, POSE)


def test_a_ball_stays_away_from_its_poles(tmp_path: Path) -> None:
    wide = 'lower="-2" upper="2" effort="5" velocity="2"'
    small = Small(tmp_path, *hip(HIP, limit=wide))
    assert [plan["type"] for plan in small.check().joints.values()] == ["Hinge2Joint", "HingeJoint"]


def test_no_degree_of_freedom_is_lost_in_a_chain_without_mass(tmp_path: Path) -> None:
    count = 12
    links = [link("l0"), *(link(f"l{i}", None) for i in range(1, count)), link(f"l{count}")]
    axes = ("1 0 0", "0 1 0", "0 0 1", "0 1 1")
    joints = [
        joint(f"j{i}", "revolute", f"l{i}", f"l{i + 1}", axis=axes[i % 4], xyz="0.1 0 0")
        for i in range(count)
    ]
    small = Small(tmp_path, *links, *joints)
    assert [axis.motor for axis in small.result.axes] == [f"j{i}" for i in range(count)]
    values = {f"j{i}": 0.1 * i - 0.5 for i in range(count)}
    small.assert_frames(values, values)
    combined = {item.subject for item in small.diagnostics if item.code == "webots-combined-joint"}
    assert combined == {"l1", "l4", "l8"}
    assert set(small.result.links) == {f"l{i}" for i in range(count + 1)} - combined


def test_all_links_between_combined_joints_are_named(tmp_path: Path) -> None:
    links = [link("base"), link("a", None), link("b", None), link("tip")]
    joints = [
        joint("first", "revolute", "base", "a", axis="1 0 0"),
        joint("glued", "fixed", "a", "b"),
        joint("second", "revolute", "b", "tip", axis="0 1 0"),
    ]
    small = Small(tmp_path, *links, *joints)
    combined = {item.subject for item in small.diagnostics if item.code == "webots-combined-joint"}
    assert combined == {"a", "b"} and set(small.result.links) == {"base", "tip"}


def test_two_exports_share_no_state(tmp_path: Path) -> None:
    first = Small(tmp_path, *fingers(-2.0, 0.5)).text
    Small(tmp_path, *hip(HIP))
    assert Small(tmp_path, *fingers(-2.0, 0.5)).text == first
