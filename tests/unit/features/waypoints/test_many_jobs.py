# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of many jobs of five arms, as Pinocchio sees them."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from support.arm_chains import Arm
from support.cell_jobs import (
    BY_NAME,
    FINE_HZ,
    HZ,
    NAMES,
    Curve,
    draw_job,
    find_jobs,
    frames_of,
    measure_off,
    plan_job,
)
from support.fastest import needs_toppra, toppra_duration
from urdf_importer import Plan, Trajectory, Waypoint, check_trajectory, find_limits

RAMP = 0.25


def check_job(arm: Arm, points: Sequence[Waypoint], plan: Plan) -> None:
    motion = plan.trajectory
    assert motion is not None and plan.duration == motion.times[-1]
    assert check_trajectory(arm.robot, motion) == ()
    check_limits(arm, points, plan)
    check_lines(arm, points, plan)
    check_corners(arm, points, plan)


def check_limits(arm: Arm, points: Sequence[Waypoint], plan: Plan) -> None:
    """No position, no velocity and no acceleration is beyond its limit, and no share of speed."""
    motion, limits = plan.trajectory, find_limits(arm.robot)
    assert motion is not None
    times = np.arange(0.0, plan.duration, 1.0 / FINE_HZ)
    values, rates, bends = Curve(motion).at(times)
    most = np.array([limits[name].velocity for name in motion.names], dtype=float)
    for column, name in enumerate(motion.names):
        lower, upper = limits[name].lower, limits[name].upper
        assert lower is None or values[:, column].min() >= lower - 1e-6
        assert upper is None or values[:, column].max() <= upper + 1e-6
    assert (np.abs(rates) <= most * (1.0 + 1e-6)).all()
    assert (np.abs(bends) <= most / RAMP * 1.001).all()
    for move in plan.moves:
        own = (times >= move.start) & (times <= move.end)
        share = max(
            points[k].speed
            for k in (move.waypoint - 1, move.waypoint, move.waypoint + 1)
            if k == move.waypoint or 0 < k < len(points)
        )
        assert (np.abs(rates[own]) <= share * most * 1.002).all()


def check_lines(arm: Arm, points: Sequence[Waypoint], plan: Plan) -> None:
    """Outside of the spheres the tool is on its line or arc, and no faster than it should be."""
    assert plan.trajectory is not None
    begin = arm.place(points[0].positions or {})
    starts = [begin, *(np.asarray(point.pose) for point in points[1:])]
    for move in plan.moves:
        k, point = move.waypoint, points[move.waypoint]
        times = np.arange(move.start, move.end, 1.0 / HZ)
        if point.move == "joint" or not len(times):
            continue
        frames = frames_of(arm, plan.trajectory, times)
        before = 0.0 if k == 1 else plan.moves[k - 2].blend
        clear = np.linalg.norm(frames[:, :3, 3] - starts[k - 1][:3, 3], axis=1) > before
        clear &= np.linalg.norm(frames[:, :3, 3] - starts[k][:3, 3], axis=1) > move.blend
        off = measure_off(points, k, starts[k - 1], frames[clear])
        assert off[:, 0].max(initial=0.0) < 1e-5, "0.01 mm"
        assert off[:, 1].max(initial=0.0) < np.radians(0.01)
        if point.tool_speed:
            speeds = np.linalg.norm(np.diff(frames[:, :3, 3], axis=0), axis=1) * HZ
            both = clear[1:] & clear[:-1]
            assert speeds[both].max(initial=0.0) <= point.tool_speed * 1.002


def check_corners(arm: Arm, points: Sequence[Waypoint], plan: Plan) -> None:
    """A corner without a blend is met at rest, others are passed within their sphere in motion."""
    motion = plan.trajectory
    assert motion is not None
    _, rates, _ = Curve(motion).at(np.array(plan.times))
    frames = frames_of(arm, motion, np.array(plan.times))
    for k, point in enumerate(points[1:], start=1):
        away = float(np.linalg.norm(frames[k][:3, 3] - np.asarray(point.pose)[:3, 3]))
        blend = plan.moves[k - 1].blend
        if blend:
            assert away <= blend * (1.0 + 1e-6)
            assert np.abs(rates[k]).max() > 1e-3
        else:
            assert away < 1e-6
            assert np.abs(rates[k]).max() < 1e-9


def fastest_on(motion: Trajectory, most: Any) -> float:
    """Seconds that toppra needs on the same path, from one rest to the next."""
    rests = np.flatnonzero(np.abs(motion.velocities).max(axis=1) < 1e-9)
    spent = 0.0
    for start, end in pairwise(motion.times[rests]):
        values, _, _ = Curve(motion).at(np.linspace(start, end, 20_001))
        steps = np.linalg.norm(np.diff(values, axis=0), axis=1)
        way = np.concatenate([[0.0], np.cumsum(steps)])
        grid = np.linspace(0.0, way[-1], 1001)
        even = np.column_stack([np.interp(grid, way, column) for column in values.T])
        spent += toppra_duration(grid, even, most, most / RAMP)
    return spent


@needs_toppra
@pytest.mark.parametrize("name", NAMES)
def test_plans_are_as_fast_as_toppra(name: str) -> None:
    arm, found = BY_NAME[name], []
    limits = find_limits(arm.robot)
    for seed in range(40):
        points = [
            replace(each, speed=1.0, tool_speed=0.0, pause=0.0) for each in draw_job(arm, seed)
        ]
        plan = plan_job(arm, points)
        if plan.trajectory is not None:
            most = np.array([limits[each].velocity for each in plan.trajectory.names], dtype=float)
            found.append(plan.duration / fastest_on(plan.trajectory, most))
        if len(found) == 3:
            break
    assert found == pytest.approx([1.0] * 3, rel=0.02)


@pytest.mark.parametrize("name", NAMES)
def test_some_jobs(name: str) -> None:
    arm = BY_NAME[name]
    for points, plan in find_jobs(arm, 3):
        check_job(arm, points, plan)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_twenty_jobs(name: str) -> None:
    arm: Any = BY_NAME[name]
    for points, plan in find_jobs(arm, 20):
        check_job(arm, points, plan)
