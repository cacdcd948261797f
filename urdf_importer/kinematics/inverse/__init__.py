# SPDX-License-Identifier: GPL-3.0-or-later
"""From where a link is to be to where the joints are to be. numpy only."""

from .problem import Target
from .solve import IKResult, find_solutions, inverse_kinematics

__all__ = ["IKResult", "Target", "find_solutions", "inverse_kinematics"]
