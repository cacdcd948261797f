# SPDX-License-Identifier: GPL-3.0-or-later
"""The rays of scanners and sonars, in the sensor's frame: x forward, z up."""

import math

import numpy as np

from ..diagnostics import ArgumentError
from ..geometry.transforms import Matrix, Vector
from ..model import Fan, Lidar, Sonar

MOST_RAYS = 16 * 1024 * 1024
_CONE_RINGS, _CONE_RAYS = 6, 24
_SHOWN_RAYS, _SHOWN_RINGS = 61, 5
"""How many rays of a fan are drawn at most."""


def angles_of(fan: Fan) -> Vector:
    """Returns the angles (n,) of the rays of a fan: both ends are among them. One ray alone is in
    the middle."""
    return np.array([fan.middle]) if fan.count == 1 else np.linspace(fan.low, fan.high, fan.count)


def rays_of(sensor: Lidar | Sonar) -> Matrix:
    """Returns the directions (rings, rays, 3) of a scanner, or of the cone of a sonar. Raises
    ArgumentError for more than MOST_RAYS."""
    if isinstance(sensor, Sonar):
        return _cone(sensor.aperture)
    count = sensor.across.count * sensor.up.count
    if count > MOST_RAYS:
        raise ArgumentError(f"{count} rays are too many; {MOST_RAYS} are the most")
    return _sweep(angles_of(sensor.across), angles_of(sensor.up))


def _sweep(across: Vector, up: Vector) -> Matrix:
    level = np.stack([np.cos(across), np.sin(across), np.zeros_like(across)], axis=-1)
    rays: Matrix = np.cos(up)[:, None, None] * level
    rays[..., 2] = np.sin(up)[:, None]
    return rays


def _cone(aperture: float) -> Matrix:
    """Rays (1, n, 3) in rings about x, the axis first."""
    rings = [np.array([[1.0, 0.0, 0.0]])]
    for ring in range(1, _CONE_RINGS + 1):
        angle = min(aperture, math.tau) / 2.0 * ring / _CONE_RINGS
        turns = np.arange(_CONE_RAYS) * math.tau / _CONE_RAYS
        aside = math.sin(angle) * np.stack([np.cos(turns), np.sin(turns)], axis=-1)
        rings.append(np.concatenate([np.full((_CONE_RAYS, 1), math.cos(angle)), aside], axis=1))
    return np.concatenate(rings)[None]


def draw_fan(sensor: Lidar | Sonar, reach: float) -> tuple[Matrix, list[tuple[int, int]]]:
    """Draws some of the rays from the origin, with arcs through their ends, `reach` metres long at
    most: points (n, 3) and edges."""
    if isinstance(sensor, Sonar):
        rays = _cone(sensor.aperture)[:, -_CONE_RAYS:]
    else:
        thin = (
            Fan(min(fan.count, most), fan.low, fan.high)
            for fan, most in ((sensor.across, _SHOWN_RAYS), (sensor.up, _SHOWN_RINGS))
        )
        rays = _sweep(*(angles_of(fan) for fan in thin))
    ends = rays * min(sensor.far, reach)
    rings, count = rays.shape[:2]
    spokes = sorted({round(each) for each in np.linspace(0, count - 1, min(count, 13))})
    edges = [(0, 1 + ring * count + spoke) for ring in range(rings) for spoke in spokes]
    for ring in range(rings):
        first = 1 + ring * count
        edges += [(first + i, first + i + 1) for i in range(count - 1)]
        if isinstance(sensor, Sonar):
            edges.append((first + count - 1, first))
    return np.concatenate([np.zeros((1, 3)), ends.reshape(-1, 3)]), edges
