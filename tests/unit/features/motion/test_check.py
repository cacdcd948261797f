# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions beside limits: what is beyond is found, by how much, and when."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.paths import ROOT
from urdf_importer import (
    Diagnostics,
    JointLimits,
    KinematicsError,
    Trajectory,
    Violation,
    check_trajectory,
    find_limits,
    read_robot,
    retime_trajectory,
)
from urdf_importer.core.model import Limit, SafetyController


def found_of(motion, **limits):
    bounds = dict.fromkeys(motion.names, JointLimits(**limits))
    return {each.kind: each for each in check_trajectory(None, motion, limits=bounds)}


def peaks(motion):
    found = found_of(motion, velocity=1e-9, acceleration=1e-9, jerk=1e-9)
    return {kind: (each.value, each.time) for kind, each in found.items()}


def wave(step=0.01, speed=2.0):
    times = np.arange(0, 4, step)
    return Trajectory(names=("j",), times=times, positions=np.sin(speed * times)[:, None])


def test_a_sine_has_the_peaks_of_its_derivatives():
    found = peaks(wave())
    assert found["velocity"][0] == pytest.approx(2.0, rel=1e-3)
    assert found["acceleration"][0] == pytest.approx(4.0, rel=1e-3)
    assert found["jerk"][0] == pytest.approx(8.0, rel=1e-3)
    assert abs(np.cos(2 * found["velocity"][1])) == pytest.approx(1.0, abs=1e-3)
    assert abs(np.sin(2 * found["acceleration"][1])) == pytest.approx(1.0, abs=1e-3)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(4, 60))
def test_samples_of_a_curve_never_say_more_than_the_curve(seed, count):
    """Divided differences are weighted means of derivatives, at any times."""
    rng = np.random.default_rng(seed)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(1e-3, 0.5, count - 1))])
    curve = np.polynomial.Chebyshev(rng.normal(0, 1, 8), domain=[0, times[-1]])
    fine = np.linspace(0, times[-1], 20_001)
    motion = Trajectory(names=("j",), times=times, positions=curve(times)[:, None])
    found = peaks(motion)
    for order, kind in enumerate(("velocity", "acceleration", "jerk"), start=1):
        assert found[kind][0] <= np.abs(curve.deriv(order)(fine)).max() * 1.001, kind


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.booleans())
def test_cubics_and_quintics_are_measured_between_their_points(seed, quintic):
    rng = np.random.default_rng(seed)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.1, 0.6, 4))])
    curve = np.polynomial.Polynomial(rng.normal(0, 1, 6 if quintic else 4))
    more = {"accelerations": curve.deriv(2)(times)[:, None]} if quintic else {}
    motion = Trajectory(
        names=("j",), times=times, positions=curve(times)[:, None],
        velocities=curve.deriv()(times)[:, None], interpolation="spline", **more,
    )  # fmt: skip
    fine = np.linspace(0, times[-1], 20_001)
    found = peaks(motion)
    assert found["velocity"][0] == pytest.approx(np.abs(curve.deriv()(fine)).max(), rel=2e-3)
    assert found["acceleration"][0] == pytest.approx(np.abs(curve.deriv(2)(fine)).max(), rel=0.1)
    highest = curve(fine).max()
    assert "position" not in found_of(motion, upper=highest + 1e-4)
    (beyond,) = found_of(motion, upper=highest - 0.01).values()
    assert beyond.value == pytest.approx(highest, abs=1e-4)
    assert curve(beyond.time) == pytest.approx(highest, abs=1e-4)


def test_the_worst_comes_first_with_its_second():
    motion = Trajectory(
        names=("a", "b"), times=[0, 1, 2], positions=[[0, 0], [0.5, 3.0], [1.5, 3.0]],
        efforts=[[1, 2], [30.0, -4], [1, 1]],
    )  # fmt: skip
    limits = {
        "a": JointLimits(velocity=0.8, effort=10.0),
        "b": JointLimits(upper=2.5, effort=5.0),
    }
    found = check_trajectory(None, motion, limits=limits)
    assert [(each.joint, each.kind) for each in found] == [
        ("a", "effort"), ("b", "position"), ("a", "velocity"),
    ]  # fmt: skip
    assert found[0] == Violation(
        joint="a", kind="effort", value=30.0, limit=10.0, time=1.0, excess=2.0
    )
    assert (found[2].value, found[2].time) == (1.0, 1.5)
    assert (found[1].value, found[1].limit, found[1].time) == (3.0, 2.5, 1.0)


def test_what_keeps_its_limits_exactly_is_within_them():
    motion = Trajectory(names=("a",), times=[0, 1], positions=[[0.0], [1.0]])
    limits = {"a": JointLimits(lower=0.0, upper=1.0, velocity=1.0)}
    assert check_trajectory(None, motion, limits=limits) == ()


def test_joints_apart_have_their_own_speeds():
    """Samples of others in between are no samples of this joint."""
    motion = Trajectory(names=("a", "b"), times=[0, 1, 2], positions=[[0, 0], [np.nan, 1], [1, 2]])
    assert found_of(replace(motion, names=("x", "y")), velocity=1.0) == {}
    assert found_of(motion, velocity=0.6)["velocity"].joint == "b"


def test_a_recorder_that_jumps_by_a_turn_is_not_fast(make_joint, make_robot):
    robot = make_robot(
        [make_joint("w", "base", "wheel", type="continuous", limit=Limit(velocity=2.0))]
    )
    motion = Trajectory(names=("w",), times=[0, 1, 2], positions=[[3.0], [-3.0], [-2.0]])
    assert check_trajectory(robot, motion) == ()


def test_safety_controllers_and_zero_velocities(make_joint, make_robot):
    safety = SafetyController(soft_lower_limit=-0.5, soft_upper_limit=0.5)
    zero = Limit(lower=-1.0, upper=1.0, effort=0.0, velocity=0.0)
    robot = make_robot([make_joint("a", "base", "one", limit=zero, safety_controller=safety)])
    motion = Trajectory(names=("a",), times=[0, 1], positions=[[0.0], [0.8]], efforts=[[1], [1]])
    diagnostics = Diagnostics()
    (found,) = check_trajectory(robot, motion, diagnostics=diagnostics)
    assert (found.kind, found.limit) == ("position", 0.5)
    assert [each.code for each in diagnostics] == ["velocity-not-stated"]
    diagnostics = Diagnostics()
    limits = {"a": JointLimits(velocity=0.5), "nose": JointLimits(velocity=1.0)}
    kinds = {
        each.kind
        for each in check_trajectory(robot, motion, limits=limits, diagnostics=diagnostics)
    }
    assert kinds == {"position", "velocity"}
    assert [each.code for each in diagnostics] == ["unknown-joint"]


def test_names_are_matched_and_strangers_refused():
    robot = read_robot(ROOT / "sample_urdfs" / "two_link_arm.urdf")
    speed = next(joint for joint in robot.joints if joint.name == "elbow").limit.velocity
    motion = Trajectory(names=("r1/elbow",), times=[0, 0.01], positions=[[0.0], [0.02 * speed]])
    (found,) = check_trajectory(robot, motion)
    assert (found.joint, found.kind, found.limit) == ("elbow", "velocity", speed)
    assert found.value == pytest.approx(2 * speed)
    with pytest.raises(KinematicsError, match="'nose'"):
        check_trajectory(robot, replace(motion, names=("nose",)))
    nothing = Trajectory(names=(), times=(), positions=np.empty((0, 0)))
    assert check_trajectory(robot, nothing) == ()


def test_limits_below_zero_are_refused():
    with pytest.raises(KinematicsError, match="above zero"):
        JointLimits(velocity=0.0)


@pytest.mark.parametrize(
    "attributes, acceleration, jerk, codes",
    [
        ((("acceleration", "1"), ("jerk", "2")), 1.0, 2.0, []),
        ((("acceleration", "3"), ("deceleration", "2")), 2.0, None, []),
        ((("acceleration", "1"), ("deceleration", "4")), 1.0, None, []),
        ((("deceleration", "-4"),), 4.0, None, []),
        ((("acceleration", "inf"), ("jerk", "nan")), None, None, []),
        ((("acceleration", "0"), ("deceleration", "4")), 4.0, None, ["velocity-not-stated"]),
        ((("acceleration", "fast"), ("jerk", "0")), None, None, ["velocity-not-stated"] * 2),
    ],
)
def test_accelerations_of_urdf_1_2_are_limits(chain, attributes, acceleration, jerk, codes):
    diagnostics = Diagnostics()
    robot = chain({"limit": Limit(lower=-1.0, upper=1.0, attributes=attributes)})
    found = find_limits(robot, diagnostics=diagnostics)["j1"]
    assert (found.acceleration, found.jerk) == (acceleration, jerk)
    assert [item.code for item in diagnostics] == codes


def test_a_file_of_limits_goes_before_accelerations_of_the_description():
    robot = read_robot(ROOT / "tests/data/limits_of_urdf_1_2.urdf")
    times = np.linspace(0.0, 0.5, 51)
    motion = Trajectory(names=("j",), times=times, positions=2.5 * times[:, None] ** 2)
    (found,) = check_trajectory(robot, motion)
    assert (found.kind, found.limit) == ("acceleration", 1.0)
    assert found.value == pytest.approx(5.0, rel=1e-6)
    assert check_trajectory(robot, motion, limits={"j": JointLimits(acceleration=6.0)}) == ()
    slower = retime_trajectory(motion, robot=robot)
    assert slower.duration > 1.5
    assert check_trajectory(robot, slower) == ()
