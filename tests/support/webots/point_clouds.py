# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets of points that are hard on geometry: coplanar, equal, thin, far away."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def turn(seed: int) -> Points:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]


def grid(count: int) -> Points:
    axes = np.meshgrid(*[np.linspace(-1.0, 1.0, count)] * 3)
    return np.stack(axes, -1).reshape(-1, 3)


def ring(count: int) -> Points:
    angles = np.arange(count) * (2 * np.pi / count)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    return np.concatenate([np.column_stack([circle, np.full(count, z)]) for z in (0.0, 1.0)])


def ball(count: int) -> Points:
    points = np.random.default_rng(2).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def single(points: Points) -> Points:
    """As mesh files hold them."""
    return points.astype(np.float32).astype(np.float64)


CASES: dict[str, Callable[[], Points]] = {
    "grid of coplanar points": lambda: grid(9),
    "turned grid": lambda: single(grid(9) @ turn(1)) * 0.3 + 7.0,
    "cylinder": lambda: ring(64),
    "turned cylinder": lambda: single(ring(64) @ turn(2)),
    "ball": lambda: ball(1500),
    "cloud": lambda: np.random.default_rng(4).normal(size=(4000, 3)),
    "duplicates": lambda: np.repeat(grid(3), 50, axis=0),
    "needle": lambda: single(grid(5) * [1e3, 1.0, 1e-1]),
    "plate": lambda: single(grid(6) * [1.0, 1.0, 1e-4]),
    "millimetres": lambda: single(ball(300) * 1e-3),
    "far away": lambda: single(grid(4) + 1000.0),
    "tetrahedron": lambda: np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
}
