# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of joints: which joints are free, and where the others stand. numpy only."""

from .freedom import LoopFreedom, find_freedom
from .solve import LoopResult, close_loops

__all__ = ["LoopFreedom", "LoopResult", "close_loops", "find_freedom"]
