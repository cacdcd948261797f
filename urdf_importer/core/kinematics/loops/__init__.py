# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of joints: the free joints, and the positions of the others. numpy only.

The steps from a robot's loops to drivers, and the file of each step:

1. plan, linkage, limits: joints of a loop as numbers, and how far from closed it is (gap)
2. freedom: the free joints, and their followers
3. newton, follow, sliding, solve: the followers of one pose (close_loops, trace_loops, place)
4. blocks, layout, tracing: a linkage in parts, and each part's ways within the limits
5. closings chooses, cheapest part first: curves for one free joint; surfaces (products) for two;
   programs for more (boxes: how far; equations, formulas: the computation, line by line)
6. core/rig/loops.py and core/rig/formulas.py make drivers of these
"""

from .freedom import LoopFreedom, find_freedom
from .place import forward_kinematics, report_missed, start_closed
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
    "start_closed",
    "trace_loops",
]
