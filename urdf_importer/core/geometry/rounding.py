# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that come from single precision, as a person would have written them."""

import math
from dataclasses import replace

import numpy as np

from ..model import IDENTITY, Pose, Vector3
from .transforms import Matrix, matrix_from_pose, rpy_from_rotation

SAME = 2e-6
"""Metres or radians, for each metre of reach and one: places this near are one place in Blender's
single precision."""

_MOST_DIGITS = 9
_DEGREE = math.pi / 180.0


def shortest(number: float, tolerance: float) -> float:
    """Returns the number of fewest decimals within `tolerance` of one; no minus before zero."""
    for digits in range(_MOST_DIGITS):
        short = round(number, digits)
        if abs(short - number) <= tolerance:
            return short + 0.0
    return number


def tidy_angle(angle: float, tolerance: float = SAME / 2) -> float:
    """Returns a whole number of degrees where one is within `tolerance` (radians), else the angle
    of fewest decimals."""
    whole = round(angle / _DEGREE) * _DEGREE
    return whole + 0.0 if abs(whole - angle) <= tolerance else shortest(angle, tolerance)


def tidy_pose(frame: Matrix, like: Pose) -> Pose:
    """Returns a frame (4, 4) as a pose of the model. Numbers equal to the numbers of `like` to
    single precision become exactly these."""
    wanted = matrix_from_pose(like)
    tolerance = SAME * (1.0 + float(np.abs(frame[:3, 3]).max()))
    x, y, z = (
        old if abs(new - old) <= tolerance else shortest(new, tolerance / 2)
        for new, old in zip(frame[:3, 3].tolist(), like.xyz, strict=True)
    )
    if np.abs(frame[:3, :3] - wanted[:3, :3]).max() <= SAME:
        return like if (x, y, z) == like.xyz else replace(like, xyz=(x, y, z))
    roll, pitch, yaw = map(tidy_angle, rpy_from_rotation(frame[:3, :3]))
    pose = Pose(xyz=(x, y, z), rpy=(roll, pitch, yaw))
    return IDENTITY if pose == IDENTITY else pose


def tidy_vector(numbers: Vector3, like: Vector3) -> Vector3:
    """Returns three numbers; each one equal to its counterpart in `like` to single precision
    becomes exactly that."""
    x, y, z = (
        old if abs(new - old) <= SAME * (1.0 + abs(old)) else shortest(new, SAME / 2)
        for new, old in zip(numbers, like, strict=True)
    )
    return x, y, z


def is_identity(frame: Matrix, reach: float) -> bool:
    """Whether a frame (4, 4) moves nothing that Blender could see, `reach` metres from its
    origin."""
    tolerance = SAME * (1.0 + reach)
    return bool(np.abs(frame - np.eye(4)).max() <= tolerance)
