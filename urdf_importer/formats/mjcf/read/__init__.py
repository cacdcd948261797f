# SPDX-License-Identifier: GPL-3.0-or-later
"""MJCF -> Robot: the models of the simulator MuJoCo, where they are a tree of bodies."""

from .format import MJCF
from .semantics import find_semantics

__all__ = ["MJCF", "find_semantics"]
