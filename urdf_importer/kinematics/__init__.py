# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot to motion: the tree of its joints and where its links stand. numpy only."""

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
