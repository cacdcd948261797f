# SPDX-License-Identifier: GPL-3.0-or-later
"""What MORSE makes of a robot otherwise than its description says."""

import math
from collections.abc import Iterator, Sequence

from ...diagnostics import Diagnostics
from ...kinematics.mimic import follow_to_masters
from ...kinematics.tree import plan_tree
from ...rig.morse_findings import BoneState, HeldJoint, judge_bones
from ...rig.rig_plan import BonePlan, JointPlan, RigPlan

_HALF_TURN = (-math.pi, math.pi)


def judge_armature(plan: RigPlan, bones: Sequence[BonePlan], diagnostics: Diagnostics) -> None:
    """Reports what MORSE's Armature actuator drives in another way, or not at all, of these bones
    of one armature, whose rest is in its frame. One without bones gets no actuator."""
    if not bones:
        return
    held = {joint.channels[0].bone: joint for joint in plan.joints}
    states = [_state_of(bone, held.get(bone.name)) for bone in bones]
    tree = plan_tree(plan.robot, Diagnostics())
    judge_bones(states, follow_to_masters(tree.joint_motions), diagnostics)


def tell_findings(diagnostics: Diagnostics, first: int) -> Iterator[str]:
    """The sentences of the findings about MORSE from the item `first` on. What is different about a
    sensor stands beside it."""
    for item in list(diagnostics)[first:]:
        if item.code.startswith("morse-") and item.code != "morse-sensor-changed":
            yield item.message


def _state_of(bone: BonePlan, joint: JointPlan | None) -> BoneState:
    return BoneState(
        name=bone.name,
        parent=bone.parent,
        rest=bone.rest,
        free=bone.turns,
        ik_limits=tuple(limits or _HALF_TURN for limits in bone.ik_limits),
        ik_stretch=bone.ik_stretch,
        is_driven=joint is not None and bool(joint.mimics),
        joints=() if joint is None else (_held_by(joint),),
    )


def _held_by(joint: JointPlan) -> HeldJoint:
    return HeldJoint(
        name=joint.joint.name,
        channels=tuple((channel.property, channel.index) for channel in joint.channels),
        lower=joint.lower,
        upper=joint.upper,
        mimics=joint.mimics,
    )
