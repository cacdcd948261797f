# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed loops in the rig: the joints that a loop moves follow the free one, like those that mimic.

Where a loop has one free joint, each other joint's position is a curve over that joint's, and a
driver with that curve is exact, native and works backwards and forwards in time. Other loops stay
open in the rig.
"""

from collections.abc import Sequence
from dataclasses import replace

from ..diagnostics import Diagnostics
from ..kinematics.loops.curves import LoopCurve, find_loop_curves
from ..kinematics.loops.freedom import find_freedom
from ..kinematics.motion import JointMotion
from ..kinematics.tree import KinematicTree
from ..model import Mimic


def plan_loops(tree: KinematicTree, diagnostics: Diagnostics) -> tuple[LoopCurve, ...]:
    """Returns a curve for each joint that a loop moves; loops that stay open are reported."""
    return find_loop_curves(tree, find_freedom(tree), diagnostics)


def let_follow(tree: KinematicTree, curves: Sequence[LoopCurve]) -> KinematicTree:
    """Returns the tree in which joints follow others by these curves. What they are multiplied by
    is left to the curves; the others go only as far as their loops can."""
    if not curves:
        return tree
    by_follower = {curve.follower: curve for curve in curves}
    by_leader = {curve.leader: curve for curve in curves}

    def follow(motion: JointMotion | None) -> JointMotion | None:
        if motion is None:
            return None
        name = motion.joint.name
        if name in by_follower:
            return replace(motion, mimic=Mimic(joint=by_follower[name].leader))
        if name in by_leader and not by_leader[name].cyclic:
            return replace(motion, lower=by_leader[name].lower, upper=by_leader[name].upper)
        return motion

    return replace(tree, motions=tuple(map(follow, tree.motions)))
