# SPDX-License-Identifier: GPL-3.0-or-later
"""MJCF -> Robot: the models of the simulator MuJoCo, where they are a tree of bodies."""

from .format import MJCF

__all__ = ["MJCF"]
