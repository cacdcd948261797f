# SPDX-License-Identifier: GPL-3.0-or-later
"""File -> Robot: what the description says, with the line of everything that is odd about it."""

from .robot import read_robot, read_robot_text

__all__ = ["read_robot", "read_robot_text"]
