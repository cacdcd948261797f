# SPDX-License-Identifier: GPL-3.0-or-later
"""Content of descriptions beyond URDF, read from their extras: sensors, physics, controls."""

from .extras import interpret_extras, is_static

__all__ = ["interpret_extras", "is_static"]
