# SPDX-License-Identifier: GPL-3.0-or-later
"""File -> Robot: what the description says, with the line of everything that is odd about it."""

from .urdf.robot import list_xacro_arguments, read_robot, read_robot_text
from .xacro.expand import XacroArgument

__all__ = ["XacroArgument", "list_xacro_arguments", "read_robot", "read_robot_text"]
