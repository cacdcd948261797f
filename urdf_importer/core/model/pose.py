# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses: the <origin> element."""

from dataclasses import dataclass

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pose:
    """A frame relative to the frame that holds it.

    `xyz` is in metres. `rpy` holds roll, pitch and yaw in radians, turned about the fixed axes
    x, y, z in this order (R = Rz(yaw) Ry(pitch) Rx(roll)). `quat_xyzw` is URDF 1.1's other
    spelling of the rotation; where it is given it counts and `rpy` stays zero.
    """

    xyz: Vector3 = (0.0, 0.0, 0.0)
    rpy: Vector3 = (0.0, 0.0, 0.0)
    quat_xyzw: Quaternion | None = None


IDENTITY = Pose()
