# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions at other times: the same path, within the limits, as fast as another library's."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.fastest import needs_toppra, toppra_duration
from urdf_importer import (
    FrameTrack,
    JointLimits,
    KinematicsError,
    RetimeOptions,
    Trajectory,
    check_trajectory,
    retime_trajectory,
)
from urdf_importer.core.kinematics.keys import evaluate
from urdf_importer.core.model import Limit, Mimic
from urdf_importer.features.motion.series import series_of, slopes_at


def waves(seed, step, joints=0, seconds=4.0):
    """Smooth curves of several joints, sampled."""
    rng = np.random.default_rng(seed)
    joints = joints or int(rng.integers(1, 7))
    times = np.arange(round(seconds / step) + 1) * step
    shape = (3, 1, joints)
    phases = 2 * np.pi * rng.uniform(0.2, 1.2, shape) * times[:, None] + rng.uniform(0, 6, shape)
    values = (rng.uniform(0.1, 0.5, shape) * np.sin(phases)).sum(axis=0)
    names = tuple(f"j{i}" for i in range(joints))
    return Trajectory(names=names, times=times, positions=values)


def random_limits(names, seed, **more):
    rng = np.random.default_rng(seed)
    return {
        name: JointLimits(
            velocity=rng.uniform(0.5, 3.0), acceleration=rng.uniform(1.0, 10.0), **more
        )
        for name in names
    }


@needs_toppra
@pytest.mark.parametrize(("seed", "step"), [(0, 0.01), (1, 1 / 24), (2, 0.02), (3, 1 / 60)])
def test_it_is_as_fast_as_toppra(seed, step):
    motion = waves(seed, step)
    limits = random_limits(motion.names, seed)
    retimed = retime_trajectory(motion, limits=limits, options=RetimeOptions(tolerance=0.1))
    assert check_trajectory_of(retimed, limits) == ()
    bounds = [[limits[n].velocity, limits[n].acceleration] for n in motion.names]
    judged = toppra_duration(motion.times, motion.positions, *np.transpose(bounds))
    assert retimed.duration == pytest.approx(judged, rel=0.01)


def check_trajectory_of(motion, limits):
    return check_trajectory(None, motion, limits=limits)


def rows_of(retimed, motion):
    """Finds each sample of a motion among those of another, in order."""
    rows, start = [], 0
    for wanted in motion.positions:
        off = np.abs(retimed.positions[start:] - wanted).max(axis=1)
        start += int(np.flatnonzero(off < 1e-9)[0])
        rows.append(start)
    return rows


@settings(max_examples=30)
@given(
    st.integers(0, 10**6),
    st.integers(2, 40),
    st.sampled_from(["linear", "spline", "quintic"]),
    st.sampled_from([0.0, 0.01, 10.0]),
    st.booleans(),
)
def test_limits_are_kept_and_all_samples_stay(seed, count, kind, tolerance, slower):
    rng = np.random.default_rng(seed)
    joints = int(rng.integers(1, 5))
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(1e-3, 0.6, count - 1))])
    fields = {}
    if kind != "linear":
        fields = {"velocities": rng.uniform(-1, 1, (count, joints)), "interpolation": "spline"}
    if kind == "quintic":
        fields["accelerations"] = rng.uniform(-3, 3, (count, joints))
    motion = Trajectory(
        names=[f"j{i}" for i in range(joints)],
        times=times,
        positions=np.cumsum(rng.normal(0, 0.2, (count, joints)), axis=0),
        **fields,
    )
    limits = random_limits(motion.names, seed)
    options = RetimeOptions(tolerance=tolerance, only_slower=slower)
    retimed = retime_trajectory(motion, limits=limits, options=options)
    assert check_trajectory_of(retimed, limits) == ()
    rows = rows_of(retimed, motion)
    assert (np.diff(retimed.times[rows]) > 0).all()
    assert not retimed.velocities[[0, -1]].any()
    if slower:
        assert (np.diff(retimed.times[rows]) >= np.diff(motion.times) * (1 - 1e-6)).all()
    # Whoever reads the positions alone sees limits kept too, to the half of a percent.
    plain = replace(retimed, velocities=None, interpolation="linear")
    wide = {
        name: JointLimits(velocity=1.005 * each.velocity, acceleration=1.005 * each.acceleration)
        for name, each in limits.items()
    }
    assert check_trajectory_of(plain, wide) == ()


def test_commands_keep_their_curve_between_the_points():
    times = np.array([0.0, 0.4, 1.5, 2.0])
    rng = np.random.default_rng(5)
    motion = Trajectory(
        names=("a", "b"), times=times, positions=rng.uniform(-1, 1, (4, 2)),
        velocities=rng.uniform(-1, 1, (4, 2)), interpolation="spline",
    )  # fmt: skip
    limits = random_limits(motion.names, 5)
    retimed = retime_trajectory(motion, limits=limits)
    wanted = [series_of(motion, i, turns=False) for i in range(2)]
    shown = [series_of(retimed, i, turns=False) for i in range(2)]
    fine = np.linspace(0, 2.0, 20_001)
    path = np.stack([evaluate(keys, fine) for keys in wanted], axis=1)
    for time in np.linspace(0, retimed.duration, 60):
        point = np.array([evaluate(keys, np.array([time]))[0] for keys in shown])
        near = fine[np.abs(path - point).max(axis=1).argmin()]
        finer = np.linspace(near - 1e-4, near + 1e-4, 4001).clip(0, 2)
        close = np.stack([evaluate(keys, finer) for keys in wanted], axis=1)
        assert np.abs(close - point).max(axis=1).min() < 1e-6
        if time > 0:
            speed = np.array([slopes_at(keys, np.array([time]))[0] for keys in shown])
            assert (np.abs(speed) <= [limits["a"].velocity, limits["b"].velocity]).all()


def test_a_line_between_two_points_is_a_trapezoid():
    """A move of d with velocity v and acceleration a takes d / v + v / a."""
    motion = Trajectory(names=("j",), times=[0, 9], positions=[[0.0], [2.0]])
    retimed = retime_trajectory(motion, limits={"j": JointLimits(velocity=1.0, acceleration=4.0)})
    assert retimed.duration == pytest.approx(2.25, rel=1e-3)
    assert not retimed.velocities[[0, -1]].any()


def test_a_sharp_corner_is_a_stop_and_a_wide_tolerance_rounds_it():
    corner = Trajectory(names=("x", "y"), times=[0, 1, 2], positions=[[0, 0], [1, 0], [1, 1.0]])
    limits = random_limits(corner.names, 1)
    sharp = retime_trajectory(corner, limits=limits)
    at = int(np.flatnonzero((sharp.positions == [1, 0]).all(axis=1))[0])
    assert not sharp.velocities[at].any()
    # All the way on the lines.
    assert (np.minimum(sharp.positions[:, 1], 1 - sharp.positions[:, 0]) < 1e-9).all()
    rounded = retime_trajectory(corner, limits=limits, options=RetimeOptions(tolerance=1.0))
    at = int(np.flatnonzero((rounded.positions == [1, 0]).all(axis=1))[0])
    assert rounded.velocities[at].any()


def test_velocity_alone_gives_each_line_the_time_of_its_slowest_joint():
    motion = Trajectory(names=("a", "b"), times=[0, 1, 5], positions=[[0, 0], [1, 3], [2, 3.5]])
    limits = {"a": JointLimits(velocity=0.5), "b": JointLimits(velocity=1.0)}
    retimed = retime_trajectory(motion, limits=limits)
    assert np.allclose(retimed.times, [0, 3, 5], rtol=1e-8)
    assert np.array_equal(retimed.positions, motion.positions)
    assert retimed.interpolation == "linear" and check_trajectory_of(retimed, limits) == ()


def test_pauses_go_or_stay():
    motion = Trajectory(names=("j",), times=[0, 1, 3, 4], positions=[[0.0], [1.0], [1.0], [0.0]])
    limits = {"j": JointLimits(velocity=2.0)}
    assert retime_trajectory(motion, limits=limits).duration == pytest.approx(1.0)
    options = RetimeOptions(only_slower=True)
    slower = retime_trajectory(motion, limits={"j": JointLimits(velocity=0.5)}, options=options)
    assert np.allclose(slower.times, [0, 2, 4, 6])


def test_a_base_stays_beside_the_joints_and_is_not_hurried():
    times = np.linspace(0, 4, 41)
    moved = np.stack([times, 0 * times, 0 * times], axis=1)
    track = FrameTrack(
        parent="odom", child="base", times=times, translations=moved,
        quaternions=np.tile([0, 0, 0, 1.0], (41, 1)),
    )  # fmt: skip
    motion = replace(waves(3, 0.1, joints=1), frames=(track,))
    limits = {"j0": JointLimits(velocity=0.4, acceleration=2.0)}
    retimed = retime_trajectory(motion, limits=limits)
    (base,) = retimed.frames
    for row, time in enumerate(motion.times):
        at = np.flatnonzero(np.abs(retimed.positions[:, 0] - motion.positions[row, 0]) < 1e-12)
        xs = np.interp(retimed.times[at], base.times, base.translations[:, 0])
        assert np.abs(xs - time).min() < 1e-6
    speeds = np.diff(base.translations[:, 0]) / np.diff(base.times)
    assert speeds.max() <= 1.0 + 1e-4
    assert base.times[-1] == pytest.approx(retimed.duration)


def test_followers_hold_their_leader_back(make_joint, make_robot):
    limit = Limit(lower=-9.0, upper=9.0, velocity=2.0)
    slow = Limit(lower=-99.0, upper=99.0, velocity=1.0)
    mimic = Mimic(joint="a", multiplier=-4.0, offset=1.0)
    robot = make_robot(
        [
            make_joint("a", "base", "one", limit=limit),
            make_joint("b", "one", "two", limit=slow, mimic=mimic),
        ]
    )
    motion = Trajectory(names=("a",), times=[0, 1], positions=[[0.0], [1.0]])
    (found,) = check_trajectory(robot, motion)
    assert (found.joint, found.kind, found.value, found.limit) == ("b", "velocity", 4.0, 1.0)
    retimed = retime_trajectory(motion, robot=robot)
    assert retimed.duration == pytest.approx(4.0)
    assert check_trajectory(robot, retimed) == ()


def test_jerk_is_kept_too():
    motion = waves(4, 0.02)
    limits = random_limits(motion.names, 4, jerk=60.0)
    retimed = retime_trajectory(motion, limits=limits, options=RetimeOptions(tolerance=0.1))
    assert check_trajectory_of(retimed, limits) == ()
    assert {each.kind for each in check_trajectory_of(motion, limits)} >= {"velocity", "jerk"}
    line = Trajectory(names=("j",), times=[0, 1], positions=[[0.0], [2.0]])
    limits = {"j": JointLimits(velocity=1.0, acceleration=4.0, jerk=40.0)}
    eased = retime_trajectory(line, limits=limits)
    assert check_trajectory_of(eased, limits) == ()
    # The seven phases of a move with limited jerk: d / v + v / a + a / j.
    assert 2.35 - 1e-3 <= eased.duration < 2.35 * 1.15


def test_a_factor_changes_the_times_alone():
    motion = waves(0, 0.1)
    rich = replace(
        motion, velocities=np.gradient(motion.positions, 0.1, axis=0), efforts=motion.positions
    )
    fast = retime_trajectory(rich, speed=2.0)
    assert np.allclose(fast.times, rich.times / 2) and fast.efforts is None
    assert np.array_equal(fast.positions, rich.positions)
    assert np.allclose(fast.velocities, 2 * rich.velocities)
    assert retime_trajectory(rich, speed=1.0) == rich


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({}, "needs a speed"),
        ({"speed": 0.0}, "above zero"),
        ({"speed": float("nan")}, "above zero"),
        ({"speed": 2.0, "limits": {"j0": JointLimits(velocity=1.0)}}, "not by both"),
        ({"limits": {"j0": JointLimits(lower=0.0)}}, "no joint of the motion has a limit"),
    ],
)
def test_what_makes_no_sense_is_said(fields, match):
    with pytest.raises(KinematicsError, match=match):
        retime_trajectory(waves(0, 0.1), **fields)


def test_what_rests_cannot_be_retimed():
    still = Trajectory(names=("j",), times=[0, 1], positions=[[1.0], [1.0]])
    with pytest.raises(KinematicsError, match="nothing to retime"):
        retime_trajectory(still, limits={"j": JointLimits(velocity=1.0)})


def test_a_curve_through_samples_at_a_limit_stays_within_it(make_joint, make_robot):
    """Rounding would swing beyond the limit between two samples that are at it."""
    limit = Limit(lower=-1.0, upper=1.0, velocity=2.0)
    robot = make_robot([make_joint("a", "base", "one", limit=limit)])
    times = np.arange(0, 4, 0.1)
    motion = Trajectory(
        names=("a",), times=times, positions=np.clip(1.2 * np.sin(3 * times), -1, 1)[:, None]
    )
    limits = {"a": JointLimits(acceleration=8.0)}
    retimed = retime_trajectory(motion, robot=robot, limits=limits)
    assert check_trajectory(robot, retimed, limits=limits) == ()
    assert np.abs(retimed.positions).max() <= 1.0 + 1e-9


def test_joints_that_are_sampled_apart_go_together():
    positions = [[0.0, 0.0], [0.5, np.nan], [1.0, 1.0]]
    motion = Trajectory(names=("a", "b"), times=[0, 1, 2], positions=positions)
    limits = {"a": JointLimits(velocity=1.0), "b": JointLimits(velocity=0.5)}
    retimed = retime_trajectory(motion, limits=limits)
    assert np.allclose(retimed.positions, [[0, 0], [0.5, 0.5], [1, 1]])
    assert np.allclose(retimed.times, [0, 1, 2])


def test_commands_that_begin_and_end_apart_rest_outside():
    nan = np.nan
    motion = Trajectory(
        names=("a", "b"), times=[0, 1, 2, 3], interpolation="spline",
        positions=[[0, nan], [1, 0.5], [2, 1.0], [3, nan]],
        velocities=[[0, nan], [1, 1.0], [1, 2.0], [0, nan]],
    )  # fmt: skip
    limits = random_limits(motion.names, 2)
    retimed = retime_trajectory(motion, limits=limits)
    assert check_trajectory_of(retimed, limits) == ()
    low, high = retimed.positions[:, 1].min(), retimed.positions[:, 1].max()
    assert (low, high) == (0.5, 1.0)
