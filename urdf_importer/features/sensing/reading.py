# SPDX-License-Identifier: GPL-3.0-or-later
"""The measurement of a sensor."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.geometry.transforms import Matrix, Vector, quaternion_from_rotation

GRAVITY = 9.81
"""m/s2: a sensor at rest feels it upwards (REP 145)."""
_LEAST_TURN = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """A measurement; None where its sensor does not measure that.

    frame_id      the name of the sensor's frame
    ranges        (rings, rays) metres along the rays; inf where nothing is within range
    points        (n, 3) in the sensor's frame, which is optical for cameras
    rgb           (height, width, 3) uint8
    depth         (height, width) float32, metres along the axis; 0 where nothing is
    links         (height, width) int32: 1 for the first link of the description, 0 for all that is
                  not this robot
    K, D          of the picture: the matrix (3, 3), k1 k2 p1 p2 k3 (5,)
    acceleration, angular_velocity    (3,) in the sensor's frame: m/s2 with gravity, rad/s
    orientation   x, y, z, w of the sensor in the world
    """

    frame_id: str
    ranges: Matrix | None = None
    points: Matrix | None = None
    rgb: NDArray[np.uint8] | None = None
    depth: NDArray[np.float32] | None = None
    links: NDArray[np.int32] | None = None
    K: Matrix | None = None
    D: Matrix | None = None
    acceleration: Vector | None = None
    angular_velocity: Vector | None = None
    orientation: tuple[float, float, float, float] | None = None


def feel_motion(poses: Matrix, steps: tuple[float, float]) -> dict[str, Any]:
    """Returns the fields of a Reading that an IMU measures, from its frames (3, 4, 4) in the world
    at three times, `steps` seconds apart: of the middle one, by central differences."""
    (first, second), both = steps, sum(steps)
    before, now, after = poses[:, :3, 3]
    turned = poses[1, :3, :3]
    turn = turn_of(poses[2, :3, :3] @ poses[0, :3, :3].T)
    faster = (after - now) / second - (now - before) / first
    felt = 2.0 * faster / both + (0.0, 0.0, GRAVITY)
    return {
        "acceleration": turned.T @ felt,
        "angular_velocity": turned.T @ turn / both,
        "orientation": quaternion_from_rotation(turned),
    }


def turn_of(rotation: Matrix) -> Vector:
    """Returns the axis of a rotation (3, 3) times its angle."""
    x, y, z, w = quaternion_from_rotation(rotation)
    axis = np.array([x, y, z])
    length = float(np.linalg.norm(axis))
    if length < _LEAST_TURN:
        return np.zeros(3)
    turn: Vector = axis / length * 2.0 * np.arctan2(length, w)
    return turn
