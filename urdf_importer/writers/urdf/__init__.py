# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot -> URDF: what the readers read, written so that they read the same again."""

from .plain import write_robot_text

__all__ = ["write_robot_text"]
