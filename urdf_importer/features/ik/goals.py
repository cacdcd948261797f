# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets as callers write them made goals: frames that a chain can be measured against."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...core.diagnostics import KinematicsError
from ...core.geometry.transforms import Matrix, Vector
from .chain import IkChain
from .options import IKOptions

_ABSURD = 1e9
_SAME_ROTATION = 1e-3
_EXACT_ROTATION = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True)
class Goals:
    """The targets of the point of a chain, T times: `frames` (T, 4, 4), with position, rotation or
    both counting, to tolerances in m and rad."""

    frames: Matrix
    position: bool
    orientation: bool
    near: float
    turned: float


def read_frame(given: ArrayLike, what: str) -> Matrix:
    """Returns (4, 4), of a frame or a point. Raises KinematicsError for other shapes."""
    frame: Matrix = frames_of(read_one(given, what))[0]
    return frame


def read_one(given: ArrayLike, what: str) -> Matrix:
    """Returns a frame or a point as (1, 4, 4) or (1, 3). Raises KinematicsError for other
    shapes."""
    array = read_numbers(given, what)
    if array.shape not in ((4, 4), (3,)):
        several = what == "target" and array.shape[1:] in ((4, 4), (3,))
        raise KinematicsError(
            f"the {what} must be a frame (4, 4) or a point (3,), not of shape {array.shape}"
            f"{': inverse_kinematics_many takes several' if several else ''}"
        )
    return array[None]


def read_numbers(given: ArrayLike, what: str) -> Matrix:
    """Returns an array. Raises KinematicsError for values that are not numbers."""
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise KinematicsError(f"the {what} is not made of numbers") from None


def frames_of(array: Matrix) -> Matrix:
    """Returns (T, 4, 4), of frames (T, 4, 4) or points (T, 3)."""
    if array.ndim == 3:
        return array.copy()
    frames = np.tile(np.eye(4), (len(array), 1, 1))
    frames[:, :3, 3] = array
    return frames


def read_goals(chain: IkChain, targets: Matrix, options: IKOptions) -> tuple[Goals, dict[int, str]]:
    """Returns the goals of targets, frames (T, 4, 4) or points (T, 3); and the obstacle that makes
    one unreachable, by its number: nothing mostly. Raises KinematicsError where nothing is
    asked."""
    position, orientation = options.position, options.orientation and targets.ndim == 3
    if not position and not orientation:
        raise KinematicsError("neither a position nor an orientation is asked for")
    near, turned = options.tolerance
    frames = frames_of(targets)
    obstacles: dict[int, str] = {}
    if not np.isfinite(frames).all():
        for number in np.flatnonzero(~np.isfinite(frames).all(axis=(1, 2))).tolist():
            frames[number], obstacles[number] = np.eye(4), "the target is not finite"
    if orientation:
        turns = frames[:, :3, :3]
        skewed = np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
        flat = (skewed > _EXACT_ROTATION) | (np.linalg.det(turns) < 0.0)
        for number in np.flatnonzero(flat).tolist():
            rotation = _nearest_rotation(turns[number])
            if rotation is None:
                rotation, obstacles[number] = np.eye(3), "the target's three axes make no rotation"
            turns[number] = rotation
    if position:
        _bring_near(chain, frames, near, obstacles)
    goals = Goals(
        frames=frames, position=position, orientation=orientation, near=near, turned=turned
    )
    return goals, obstacles


def _nearest_rotation(matrix: Matrix) -> Matrix | None:
    """Returns the rotation that a matrix in single precision, say, means."""
    if np.abs(matrix).max() > 2.0:
        return None
    left, sizes, right = np.linalg.svd(matrix)
    if np.abs(sizes - 1.0).max() > _SAME_ROTATION or np.linalg.det(matrix) < 0.0:
        return None
    return left @ right


def _bring_near(chain: IkChain, frames: Matrix, near: float, obstacles: dict[int, str]) -> None:
    """Moves the frames that are further away than the chain is long to places in their direction,
    too far for the chain still."""
    if not chain.variables:
        return
    away = frames[:, :3, 3] - chain.shoulder
    most = min(chain.farthest, _ABSURD)
    distances = measure_lengths(away)
    for number in np.flatnonzero(distances > most * (1.0 + 1e-9) + near).tolist():
        if number in obstacles:
            continue
        distance = float(distances[number])
        enough = min(distance, 1.5 * most + chain.reach)
        frames[number, :3, 3] = chain.shoulder + away[number] / distance * enough
        obstacles[number] = f"the target is out of reach by {distance - most:.3g} m at least"


def measure_lengths(vectors: Matrix) -> Vector:
    """Returns the lengths (T,) of vectors (T, 3), whose squares may overflow."""
    return np.hypot(np.hypot(vectors[:, 0], vectors[:, 1]), vectors[:, 2])
