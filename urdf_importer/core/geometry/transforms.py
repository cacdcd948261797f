# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations and frames as arrays. Matrices act on column vectors; all angles in radians."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..model import IDENTITY, Pose

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


_UNMOVED = np.eye(4)
FROM_CAMERA: Matrix = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
"""The frame of a camera of Gazebo or Webots, which looks along x with z up, in the frame of one of
MuJoCo or Blender, which looks along -z with y up."""


def rotations_from_rpy(rpy: Matrix) -> Matrix:
    """Converts (N, 3) roll, pitch, yaw -> (N, 3, 3): R = Rz(yaw) Ry(pitch) Rx(roll), URDF's fixed
    axes."""
    sines, cosines = (np.moveaxis(part, -1, 0) for part in (np.sin(rpy), np.cos(rpy)))
    rows = _make_rows(sines, cosines)
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rotation_from_rpy(rpy: Sequence[float]) -> Matrix:
    """Converts one roll, pitch, yaw -> (3, 3), a tenth of the time of rotations_from_rpy."""
    return np.array(_make_rows(map(math.sin, rpy), map(math.cos, rpy)))


def _make_rows(sines: Iterable[Any], cosines: Iterable[Any]) -> tuple[tuple[Any, ...], ...]:
    """Returns the rows of Rz(yaw) Ry(pitch) Rx(roll), given sines and cosines."""
    (sr, sp, sy), (cr, cp, cy) = sines, cosines
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def rotation_from_quaternion(quat_xyzw: Sequence[float]) -> Matrix:
    """Converts a quaternion of any length but zero -> (3, 3). A zero quaternion means no
    rotation."""
    x, y, z, w = quat_xyzw
    norm = x * x + y * y + z * z + w * w
    if norm == 0.0:
        return np.eye(3)
    s = 2.0 / norm
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
        ]
    )


def quaternion_from_rotation(rotation: Matrix) -> tuple[float, float, float, float]:
    """Converts (3, 3) -> unit x, y, z, w with w >= 0 (Shepperd's method: divides by the largest
    part)."""
    m = rotation.tolist()
    candidates = (m[0][0], m[1][1], m[2][2], m[0][0] + m[1][1] + m[2][2])
    largest = candidates.index(max(candidates))
    if largest == 3:
        q = (m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1.0 + candidates[3])
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        parts = [0.0] * 4
        parts[i] = 1.0 + m[i][i] - m[j][j] - m[k][k]
        parts[j] = m[j][i] + m[i][j]
        parts[k] = m[k][i] + m[i][k]
        parts[3] = m[k][j] - m[j][k]
        q = (parts[0], parts[1], parts[2], parts[3])
    length = math.hypot(*q)
    x, y, z, w = (part / length for part in q)
    return (-x, -y, -z, -w) if w < 0.0 else (x, y, z, w)


def rpy_from_rotation(rotation: Matrix) -> tuple[float, float, float]:
    """Returns roll, pitch and yaw of a rotation (3, 3): R = Rz(yaw) Ry(pitch) Rx(roll).

    Where the pitch is a quarter turn only the sum of roll and yaw is in the rotation: roll is 0.
    Yaw is taken after the roll is turned back, so that both fit each other near there too.
    """
    r = rotation
    cosine = math.hypot(r[2, 1], r[2, 2])
    pitch = math.atan2(-r[2, 0], cosine)
    roll = 0.0 if cosine < 1e-13 else math.atan2(r[2, 1], r[2, 2])
    s, c = math.sin(roll), math.cos(roll)
    yaw = math.atan2(s * r[0, 2] - c * r[0, 1], c * r[1, 1] - s * r[1, 2])
    return roll, pitch, yaw


def rotations_about(axes: Matrix, angles: Vector) -> Matrix:
    """Converts unit axes (N, 3), angles (N,) -> (N, 3, 3) by Rodrigues' formula."""
    x, y, z = np.moveaxis(axes, -1, 0)
    zero = np.zeros_like(x)
    cross = np.stack(
        [np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], -2
    )
    sine = np.sin(angles)[..., None, None]
    versine = (1.0 - np.cos(angles))[..., None, None]
    result: Matrix = np.eye(3) + sine * cross + versine * (cross @ cross)
    return result


_UNTURNED, _HOME = np.eye(3), np.zeros(3)


def make_frame(rotation: Matrix = _UNTURNED, point: ArrayLike = _HOME) -> Matrix:
    """Returns the frame (4, 4) with these axes (3, 3) and this origin (3,)."""
    frame = np.eye(4)
    frame[:3, :3] = rotation
    frame[:3, 3] = point
    return frame


def matrices_from_poses(poses: Sequence[Pose]) -> Matrix:
    """Returns (N, 4, 4), each the frame of a pose in the frame that holds it."""
    count = len(poses)
    result = np.zeros((count, 4, 4))
    result[:, 3, 3] = 1.0
    if not count:
        return result
    result[:, :3, 3] = np.array([pose.xyz for pose in poses])
    result[:, :3, :3] = rotations_from_rpy(np.array([pose.rpy for pose in poses]))
    for index, pose in enumerate(poses):
        if pose.quat_xyzw is not None:
            result[index, :3, :3] = rotation_from_quaternion(pose.quat_xyzw)
    return result


def matrix_from_pose(pose: Pose) -> Matrix:
    """Returns (4, 4), the frame of a pose in the frame that holds it."""
    matrix = _UNMOVED.copy()  # A fifth of the time of making one.
    matrix[:3, 3] = pose.xyz
    if pose.quat_xyzw is not None:
        matrix[:3, :3] = rotation_from_quaternion(pose.quat_xyzw)
    elif any(pose.rpy):
        matrix[:3, :3] = rotation_from_rpy(pose.rpy)
    return matrix


def pose_of(matrix: Matrix, *, rounding: float = 0.0) -> Pose:
    """Returns a frame (4, 4) as the model says it, its rotation in roll, pitch and yaw.

    A rotation, or all of a frame, that differs from zero by no more than `rounding` is zero.
    """
    turn = matrix[:3, :3]
    is_turned = float(np.abs(turn - np.eye(3)).max()) > rounding
    if not is_turned and float(np.abs(matrix[:3, 3]).max()) <= rounding:
        return IDENTITY
    return pose_of_numbers(
        matrix[:3, 3].tolist(), rpy_from_rotation(turn) if is_turned else IDENTITY.rpy
    )


def pose_of_numbers(xyz: Sequence[float], rpy: Sequence[float] = IDENTITY.rpy) -> Pose:
    """Returns a pose without a minus before zero; the identity is the model's own object."""
    x, y, z, roll, pitch, yaw = (number + 0.0 for number in (*xyz, *rpy))
    pose = Pose(xyz=(x, y, z), rpy=(roll, pitch, yaw))
    return IDENTITY if pose == IDENTITY else pose


def nearest_rotation(matrix: Matrix) -> Matrix:
    """Returns (..., 3, 3) the nearest matrices without scale or shear; of a mirrored one a mirrored
    one."""
    left, _, right = np.linalg.svd(matrix)
    return left @ right


def nearest_turn(matrix: Matrix) -> Matrix:
    """Returns nearest_rotation of (3, 3), and of a mirrored one its opposite."""
    nearest = nearest_rotation(matrix)
    return -nearest if np.linalg.det(nearest) < 0.0 else nearest


def invert(matrix: Matrix) -> Matrix:
    """Returns the inverse of a frame (rotation and translation only)."""
    result = _UNMOVED.copy()
    result[:3, :3] = matrix[:3, :3].T
    result[:3, 3] = -matrix[:3, :3].T @ matrix[:3, 3]
    return result


def length_of(vector: Vector) -> float:
    """Returns the length of one vector, a third of the time of numpy's own."""
    return math.sqrt(vector @ vector)


def unit(vector: Vector) -> Vector:
    """Returns the direction of a vector that is not zero."""
    return vector / np.sqrt(vector @ vector)


def cross(a: Vector, b: Vector) -> Vector:
    """Returns a x b of two vectors: numpy's own takes ten times as long for one pair."""
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return np.array((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0))


def turn_z_onto(axis: Vector) -> Matrix:
    """Returns the least rotation (3, 3) that takes Z to a unit vector; half a turn about X onto
    -Z."""
    x, y, z = axis
    flat = x * x + y * y
    if z < 0 and flat < 1e-24:
        return np.diag([1.0, -1.0, -1.0])
    above = 1.0 + z if z > 0 else flat / (1.0 - z)
    return np.array(
        [
            [1 - x * x / above, -x * y / above, x],
            [-x * y / above, 1 - y * y / above, y],
            [-x, -y, z],
        ]
    )


def plane_axes(normal: Vector) -> tuple[Vector, Vector]:
    """Returns two unit vectors u, v with u x v = normal, in which a planar joint's x and y are
    measured.

    u is the joint frame's x axis laid on the plane, or its y axis where the normal is within 26
    degrees of x. With the normal along z, the common case, u and v are the frame's x and y.
    """
    start = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    u = unit(start - (start @ normal) * normal)
    return u, cross(normal, u)
