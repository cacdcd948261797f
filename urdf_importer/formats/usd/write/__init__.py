# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots as articulations of UsdPhysics, as text of our own: no library of USD is needed."""

from .robot import write_articulation

__all__ = ["write_articulation"]
