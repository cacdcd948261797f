# SPDX-License-Identifier: GPL-3.0-or-later
"""Articulations of UsdPhysics, as Isaac Sim, Newton, converters for MuJoCo and this library write
them."""

from .format import USD

__all__ = ["USD"]
