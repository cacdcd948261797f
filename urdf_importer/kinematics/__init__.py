# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot to motion: the tree of its joints and the frames of its links."""

from .drive import DriveOptions, DriveResult
from .inverse import (
    IKOptions,
    IKResult,
    IKResults,
    RigIKOptions,
    find_solutions,
    inverse_kinematics,
    inverse_kinematics_many,
)
from .loops import forward_kinematics

__all__ = [
    "DriveOptions",
    "DriveResult",
    "IKOptions",
    "IKResult",
    "IKResults",
    "RigIKOptions",
    "find_solutions",
    "forward_kinematics",
    "inverse_kinematics",
    "inverse_kinematics_many",
]
