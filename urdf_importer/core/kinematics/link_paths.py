# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of links: rows of times, places and, where they are given, quaternions.

A row is (time, x, y, z) or (time, x, y, z, qx, qy, qz, qw): seconds, metres, a quaternion.
Conventions say how others write the same rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..diagnostics import KinematicsError
from ..geometry.transforms import Matrix, Vector, quaternion_from_rotation, rotation_from_quaternion
from .conventions import Convention

Rows = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkPath:
    """`times` (N,) in s, growing; `places` (N, 3) in m; `turns` (N, 4) quaternions x, y, z, w, None
    where the path does not say how the link is turned."""

    times: Vector
    places: Matrix
    turns: Matrix | None

    def at(self, time: float) -> Matrix:
        """Returns the frame (4, 4) at a time: on the straight line between two places, turned
        evenly (slerp, Shoemake 1985) the shorter way; before the first as there, after the last as
        there. Without turns the rotation is the identity."""
        above = int(np.clip(np.searchsorted(self.times, time), 1, max(len(self.times) - 1, 1)))
        below = above - 1
        above = min(above, len(self.times) - 1)
        span = float(self.times[above] - self.times[below])
        share = float(np.clip((time - self.times[below]) / span, 0.0, 1.0)) if span else 0.0
        frame = np.eye(4)
        frame[:3, 3] = (1.0 - share) * self.places[below] + share * self.places[above]
        if self.turns is not None:
            turn = _slerp(self.turns[below], self.turns[above], share)
            frame[:3, :3] = rotation_from_quaternion(turn.tolist())
        return frame


def plan_path(rows: Rows, convention: Convention | None = None) -> LinkPath:
    """Returns a path in the robot's axes and metres from rows in a convention. Raises
    KinematicsError where these are not rows."""
    try:
        table = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or table.shape[1] not in (4, 8) or not len(table):
        raise KinematicsError("a path has rows of 4 or of 8 numbers: time, place and a quaternion")
    if not np.isfinite(table).all() or (np.diff(table[:, 0]) <= 0.0).any():
        raise KinematicsError("the numbers of a path must be finite, and its times must grow")
    written = convention or Convention()
    turns = None
    if table.shape[1] == 8:
        lengths = np.linalg.norm(table[:, 4:], axis=1, keepdims=True)
        if (lengths < 1e-6).any():
            raise KinematicsError("a quaternion of the path has no direction")
        turns = written.turn_to_robot(table[:, 4:]) / lengths
    return LinkPath(times=table[:, 0], places=written.to_robot(table[:, 1:4]), turns=turns)


def row_of(time: float, frame: Matrix, convention: Convention | None = None) -> tuple[float, ...]:
    """Returns the row of 8 numbers for a frame (4, 4) at a time, as a convention writes it."""
    written = convention or Convention()
    turn = np.array(quaternion_from_rotation(frame[:3, :3]))
    place = written.from_robot(frame[:3, 3])
    return (float(time), *place.tolist(), *written.turn_from_robot(turn).tolist())


def _slerp(one: Vector, other: Vector, share: float) -> Vector:
    cosine = float(one @ other)
    if cosine < 0.0:
        one, cosine = -one, -cosine
    angle = float(np.arccos(min(cosine, 1.0)))
    if angle < 1e-6:
        mixed: Vector = (1.0 - share) * one + share * other
        return mixed
    near, far = np.sin((1.0 - share) * angle), np.sin(share * angle)
    turned: Vector = (near * one + far * other) / np.sin(angle)
    return turned
