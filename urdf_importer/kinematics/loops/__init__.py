# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of joints: the free joints, and the positions of the others."""

from .freedom import LoopFreedom, find_freedom
from .place import forward_kinematics, report_missed
from .solve import LoopCloser, LoopResult, close_loops, recall_closer, trace_loops

__all__ = [
    "LoopCloser",
    "LoopFreedom",
    "LoopResult",
    "close_loops",
    "find_freedom",
    "forward_kinematics",
    "recall_closer",
    "report_missed",
    "trace_loops",
]
