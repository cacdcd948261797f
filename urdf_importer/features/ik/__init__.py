# SPDX-License-Identifier: GPL-3.0-or-later
"""From the place of a link to the positions of joints. numpy only."""

from .many import IKResults, inverse_kinematics_many
from .options import IKOptions, RigIKOptions
from .problem import Target
from .solve import IKResult, find_solutions, inverse_kinematics

__all__ = [
    "IKOptions",
    "IKResult",
    "IKResults",
    "RigIKOptions",
    "Target",
    "find_solutions",
    "inverse_kinematics",
    "inverse_kinematics_many",
]
