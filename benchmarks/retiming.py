# SPDX-License-Identifier: GPL-3.0-or-later
"""How long it takes to check and to retime motions, in CPU time, beside toppra; and how the
durations of both compare. `python benchmarks/retiming.py`; needs toppra, of the test extra."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import toppra

from urdf_importer import (
    JointLimits,
    RetimeOptions,
    Trajectory,
    check_trajectory,
    retime_trajectory,
)


def make_motion(seed: int, samples: int, joints: int) -> Trajectory:
    rng = np.random.default_rng(seed)
    times = np.arange(samples) / 100
    shape = (3, 1, joints)
    phases = 2 * np.pi * rng.uniform(0.1, 0.6, shape) * times[:, None] + rng.uniform(0, 6, shape)
    values = (rng.uniform(0.1, 0.6, shape) * np.sin(phases)).sum(axis=0)
    return Trajectory(names=[f"joint{i}" for i in range(joints)], times=times, positions=values)


def judge(motion: Trajectory, limits: dict[str, JointLimits]) -> float:
    """Returns the seconds that toppra needs for the spline through the samples."""
    bounds = np.array([[each.velocity, each.acceleration] for each in limits.values()])
    constraints = [
        toppra.constraint.JointVelocityConstraint(np.outer(bounds[:, 0], [-1, 1])),
        toppra.constraint.JointAccelerationConstraint(np.outer(bounds[:, 1], [-1, 1])),
    ]
    path = toppra.SplineInterpolator(motion.times, motion.positions)
    grid = np.linspace(0, motion.duration, 4 * len(motion.times) + 1)
    planner = toppra.algorithm.TOPPRA(
        constraints, path, gridpoints=grid, parametrizer="ParametrizeConstAccel"
    )
    return float(planner.compute_trajectory(0, 0).duration)


def measure(act: Callable[[], Any]) -> tuple[float, Any]:
    """Returns the least CPU time of three, in seconds, and what was returned."""
    least, found = float("inf"), None
    for _ in range(3):
        before = time.process_time()
        found = act()
        least = min(least, time.process_time() - before)
    return least, found


def main() -> None:
    toppra.setup_logging("ERROR")
    print("joints samples   check  retime  toppra  CPU ratio  duration ratio  beyond")
    for joints, samples in ((7, 1_000), (7, 10_000), (30, 1_000)):
        motion = make_motion(joints, samples, joints)
        rng = np.random.default_rng(joints)
        limits = {
            name: JointLimits(velocity=rng.uniform(1, 3), acceleration=rng.uniform(2, 10))
            for name in motion.names
        }
        options = RetimeOptions(tolerance=0.1)
        checking, _ = measure(lambda m=motion, b=limits: check_trajectory(None, m, limits=b))
        retiming, retimed = measure(
            lambda m=motion, b=limits, o=options: retime_trajectory(m, limits=b, options=o)
        )
        judging, duration = measure(lambda m=motion, b=limits: judge(m, b))
        beyond = len(check_trajectory(None, retimed, limits=limits))
        print(
            f"{joints:6} {samples:7} {checking:7.3f} {retiming:7.3f} {judging:7.3f} "
            f"{retiming / judging:10.2f} {retimed.duration / duration:15.4f} {beyond:7}"
        )


if __name__ == "__main__":
    main()
