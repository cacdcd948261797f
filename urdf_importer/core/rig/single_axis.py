# SPDX-License-Identifier: GPL-3.0-or-later
"""The rig profile `morse`: bones that the Armature actuator of the MORSE simulator can drive.

The actuator takes every bone for a joint of one axis: the axis that is free in Blender's IK. It
reads the limits of a joint that turns from the IK limits of this axis, switched on or not; takes a
bone whose IK stretch is not zero for a sliding one, and slides it from zero to that many metres. A
bone without a free axis ends it with an exception. So there is one bone for each joint that turns
or slides, and none else. The price:
 * A joint that moves in several ways at once is held at zero.
 * Blender's own IK may move joints that follow others or are locked, whose axis must be free.
 * IK constraints that stretch (their default) stretch bones that slide.
"""

import math
from dataclasses import replace

from ..diagnostics import Diagnostics, quote
from ..kinematics.motion import JointMotion
from ..kinematics.tree import KinematicTree
from ..options import ImportOptions
from .rig_plan import BonePlan, JointPlan

MOST_TURN = math.pi
MOST_SLIDE = 1.0
"""Blender's own bounds of IK limits (radians) and of the IK stretch."""

LEAST_SLIDE = 1e-6
"""The IK stretch of joints that cannot slide upwards from zero: a stretch of 0 means a joint that
turns."""


def fit_options(options: ImportOptions) -> ImportOptions:
    """Returns the options with the choices that the profile decides: MORSE drives only bones of
    exactly one joint."""
    if options.profile != "morse":
        return options
    return replace(options, combine_joints="never", fixed_joints="fold")


def hold_joints(tree: KinematicTree, diagnostics: Diagnostics) -> KinematicTree:
    """Returns the tree with planar, floating and ball joints fixed at zero, each with a warning."""
    held = find_joints_to_hold(tree)
    for motion, is_base in held.values():
        report_held(motion, diagnostics, is_base=is_base)
    motions = [
        replace(motion, kind="fixed") if index in held and motion is not None else motion
        for index, motion in enumerate(tree.motions)
    ]
    return replace(tree, motions=tuple(motions))


def find_joints_to_hold(tree: KinematicTree) -> dict[int, tuple[JointMotion, bool]]:
    """Maps the tree index of a child link -> a joint of several degrees of freedom, and whether
    nothing that turns or slides is above it: such a one moves the robot as a whole."""
    held: dict[int, tuple[JointMotion, bool]] = {}
    stands: list[bool] = []
    for index, (parent, motion) in enumerate(zip(tree.parents, tree.motions, strict=True)):
        above_stands = parent < 0 or stands[parent]
        stands.append(above_stands and not (motion is not None and motion.is_scalar))
        if motion is not None and motion.moves and not motion.is_scalar:
            held[index] = (motion, above_stands)
    return held


def report_held(motion: JointMotion, diagnostics: Diagnostics, *, is_base: bool) -> None:
    """Warns of a joint that stays at zero; `is_base`: it represents the robot's own motion."""
    kind = "ball" if motion.kind == "spherical" else motion.kind
    moved = is_base and kind != "ball"
    hint = "; MORSE moves the robot as a whole by its motion actuators" if moved else ""
    diagnostics.warning(
        "morse-joint-held",
        f"joint {quote(motion.joint.name)} is a {kind} joint, which MORSE's Armature actuator "
        f"cannot drive; it is held at zero{hint}",
        subject=motion.joint.name,
        line=motion.joint.line,
    )


def free_one_axis(bone: BonePlan, joint: JointPlan) -> BonePlan:
    """Returns the bone of this one joint with the IK settings from which MORSE reads it."""
    index = joint.channels[0].index
    slides = joint.kind == "prismatic"
    # A sliding bone must not turn: MORSE does not look at these limits, Blender's IK does.
    limits = (0.0, 0.0) if slides else _limit_turn(joint)
    return replace(
        bone,
        turns=(index,),
        ik_limits=tuple(limits if axis == index else None for axis in range(3)),
        ik_stretch=_limit_slide(joint) if slides else 0.0,
    )


def _limit_turn(joint: JointPlan) -> tuple[float, float] | None:
    """None is Blender's own: half a turn either way, switched off."""
    lower = -MOST_TURN if joint.lower is None else min(max(joint.lower, -MOST_TURN), 0.0)
    upper = MOST_TURN if joint.upper is None else max(min(joint.upper, MOST_TURN), 0.0)
    return None if upper - lower >= 2 * MOST_TURN else (lower, upper)


def _limit_slide(joint: JointPlan) -> float:
    upper = MOST_SLIDE if joint.upper is None else joint.upper
    return min(max(upper, LEAST_SLIDE), MOST_SLIDE)
