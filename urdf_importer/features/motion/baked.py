# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of baking keyframes."""

from dataclasses import dataclass
from typing import Any

from ...core.kinematics.drive import DriveResult


@dataclass(frozen=True, slots=True, kw_only=True)
class BakeResult:
    """The keys that bake_ik, bake_path, bake_velocity and bake_drive set.

    first, last  the frames of the first and the last keys
    failed       frames in which the link cannot be where it is wanted: they hold the last pose
    positions    joint -> where it is in the last frame, in the units of get_joint_positions, of the
                 joints that were keyed
    ride         of bake_drive: the wheels, and where the robot came
    """

    first: int
    last: int
    failed: tuple[int, ...] = ()
    positions: dict[str, Any]
    ride: DriveResult | None = None
