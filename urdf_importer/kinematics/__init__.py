# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot to motion: the tree of its joints and where its links stand. numpy only."""

from .forward import forward_kinematics
from .inverse import IKResult, find_solutions, inverse_kinematics

__all__ = ["IKResult", "find_solutions", "forward_kinematics", "inverse_kinematics"]
