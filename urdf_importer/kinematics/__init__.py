# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot to motion: the tree of its joints and where its links stand. numpy only."""

from .forward import forward_kinematics

__all__ = ["forward_kinematics"]
