# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast toppra goes along a path within limits: an independent library as judge of times."""

import sys
from typing import Any

import numpy as np
import pytest

needs_toppra = pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info[:2] != (3, 13),
    reason="toppra is in the test extra where it has wheels",
)


def toppra_duration(grid: Any, values: Any, velocities: Any, accelerations: Any) -> float:
    """Seconds from rest to rest on the spline through values (m, n) at a parameter (m,), with
    limits (n,)."""
    import toppra

    toppra.setup_logging("ERROR")
    constraints = [
        toppra.constraint.JointVelocityConstraint(np.outer(velocities, [-1, 1])),
        toppra.constraint.JointAccelerationConstraint(np.outer(accelerations, [-1, 1])),
    ]
    judge = toppra.algorithm.TOPPRA(
        constraints,
        toppra.SplineInterpolator(grid, values),
        gridpoints=np.linspace(grid[0], grid[-1], 4 * len(grid) + 1),
        parametrizer="ParametrizeConstAccel",
    )
    return float(judge.compute_trajectory(0, 0).duration)
