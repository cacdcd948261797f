# SPDX-License-Identifier: GPL-3.0-or-later
"""From where a link is to be to where the joints are to be. numpy only."""

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
