# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the bodies of a stage are not at zero: the values of joints that put them there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....core.geometry.transforms import Matrix, invert, quaternion_from_rotation
from .joints import FREEDOMS, JointAxis, move_along

_STEPS = 30
_NEAR = 1e-4
"""How far, per reach, bodies may be from where the values put them, to count as put there."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChainJoint:
    """A joint of a chain: its frame (4, 4) in the frame before it, and the axes of it."""

    frame: Matrix
    freedoms: tuple[JointAxis, ...]


def find_values(
    steps: Sequence[ChainJoint], end: Matrix, reach: float
) -> list[tuple[float, ...]] | None:
    """Returns the positions of a chain of joints with one axis each, or of one ball joint, that put
    the frame after it at `end` (4, 4); None where none within their limits do. Newton's method on
    the six numbers of the gap, from zero; a chain with more joints than a body has freedoms is not
    searched."""
    if len(steps) == 1 and not steps[0].freedoms:
        gap = invert(steps[0].frame) @ end
        is_ball = float(np.abs(gap[:3, 3]).max()) < _NEAR * reach
        return [quaternion_from_rotation(gap[:3, :3])] if is_ball else None
    if len(steps) > FREEDOMS or not all(step.freedoms for step in steps):
        return None
    values = np.zeros(len(steps))
    for _ in range(_STEPS):
        frames = _walk(steps, values)
        gap = _measure(frames[-1], end)
        if float(np.abs(gap).max()) < 1e-12 * reach:
            break
        columns = [
            _moved(step.freedoms[0], frame, frames[-1])
            for step, frame in zip(steps, frames, strict=False)
        ]
        values = values + np.linalg.lstsq(np.array(columns).T, gap, rcond=1e-9)[0]
    left = float(np.abs(_walk(steps, values)[-1] - end).max())
    axes = [step.freedoms[0] for step in steps]
    found = [_reduce(axis, float(value)) for axis, value in zip(axes, values, strict=True)]
    is_allowed = all(_is_allowed(axis, value) for axis, value in zip(axes, found, strict=True))
    return [(value,) for value in found] if left < _NEAR * reach and is_allowed else None


def _reduce(freedom: JointAxis, value: float) -> float:
    """Returns the smallest of the angles that are the same turn; a shift as it is."""
    return math.remainder(value, math.tau) if freedom.turns else value


def _is_allowed(freedom: JointAxis, value: float) -> bool:
    lower = -math.inf if freedom.lower is None else freedom.lower
    upper = math.inf if freedom.upper is None else freedom.upper
    return lower - _NEAR <= value <= upper + _NEAR


def _walk(steps: Sequence[ChainJoint], values: Matrix) -> list[Matrix]:
    """Returns the frame of each joint before it moves, and the frame after all."""
    frame, found = np.eye(4), []
    for step, value in zip(steps, values, strict=True):
        frame = frame @ step.frame
        found.append(frame)
        freedom = step.freedoms[0]
        frame = frame @ move_along(freedom.axis, float(value), freedom.turns)
    return [*found, frame]


def _measure(frame: Matrix, end: Matrix) -> Matrix:
    """Returns the shift and the turn, six numbers, from a frame to another."""
    turn = end[:3, :3] @ frame[:3, :3].T
    x, y, z, w = quaternion_from_rotation(turn)
    size = float(np.hypot(np.hypot(x, y), z))
    angle = 2.0 * float(np.arctan2(size, w))
    about = np.array([x, y, z]) * (angle / size if size > 0.0 else 0.0)
    return np.concatenate([end[:3, 3] - frame[:3, 3], about])


def _moved(freedom: JointAxis, frame: Matrix, last: Matrix) -> Matrix:
    axis = frame[:3, :3] @ np.array(freedom.axis)
    if not freedom.turns:
        return np.concatenate([axis, np.zeros(3)])
    return np.concatenate([np.cross(axis, last[:3, 3] - frame[:3, 3]), axis])
