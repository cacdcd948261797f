# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot to motion: the tree of its joints and the frames of its links."""

from .drive import DriveResult
from .inverse import (
    IKResult,
    IKResults,
    find_solutions,
    inverse_kinematics,
    inverse_kinematics_many,
)
from .loops import forward_kinematics

__all__ = [
    "DriveResult",
    "IKResult",
    "IKResults",
    "find_solutions",
    "forward_kinematics",
    "inverse_kinematics",
    "inverse_kinematics_many",
]
