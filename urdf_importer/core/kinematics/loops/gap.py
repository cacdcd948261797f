# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a joint that closes a loop is from closed, by the frames of its links alone."""

import numpy as np

from ...geometry.transforms import Matrix, Vector, invert, matrix_from_pose, unit
from ...model import BALL_TYPES, LoopJoint

_NO_LENGTH = 1e-9


def find_axis(loop: LoopJoint) -> Vector | None:
    """Finds the axis (3,) in the joint's frame, of unit length; URDF's own where none is written,
    None for an axis of length zero."""
    axis = np.array(loop.axis if loop.axis is not None else (1.0, 0.0, 0.0))
    return unit(axis) if float(np.abs(axis).max()) >= _NO_LENGTH else None


def frame_between(loop: LoopJoint, one: Matrix, other: Matrix) -> Matrix:
    """Returns the joint's frame (4, 4) on its second link, seen from its frame on the first; `one`
    and `other` are the frames of these links."""
    first = one @ matrix_from_pose(loop.origin1)
    return invert(first) @ (other @ matrix_from_pose(loop.origin2))


def measure_gap(loop: LoopJoint, between: Matrix) -> float:
    """Returns by how many metres, or radians where these are more, a revolute, continuous,
    prismatic, ball or fixed joint is open; infinity without an axis. `between` is the result of
    frame_between."""
    shift, turn = between[:3, 3], between[:3, :3]
    if loop.type in BALL_TYPES:
        return float(np.abs(shift).max())
    if loop.type == "fixed":
        return float(np.abs(between - np.eye(4)).max())
    axis = find_axis(loop)
    if axis is None:
        return np.inf
    if loop.type == "prismatic":
        across = shift - axis * (axis @ shift)
        return float(max(np.abs(across).max(), np.abs(turn - np.eye(3)).max()))
    return float(max(np.abs(shift).max(), np.abs(turn @ axis - axis).max()))
