# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armature objects a robot has in a script.

MORSE takes the height of a sliding bone in its armature for the position of its joint. So each
joint that it would misread gets an armature of its own that stands at the joint, Z along it; so
does each group of joints that somebody gave one. What hangs on these and belongs to no group can
not stay where it was, since bones hang on bones of the same armature only: it gets an armature
named beyond_<bone>. Each armature object hangs on a bone of one before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...diagnostics import Diagnostics
from ...geometry.transforms import Matrix
from ...rig.followers import find_never_ready
from ...rig.rig_plan import BonePlan, RigPlan
from ...rig.split_frames import (
    JointLine,
    frame_armature,
    locate_joints,
    round_into,
)
from ..claims import Claims
from .judging import judge_armature
from .names import make_identifier

MAIN = "armature"
Groups = Sequence[tuple[str, Sequence[str]]]
"""Names of armatures, and the joints in them."""

_MISREAD = ("morse-prismatic-misread", "morse-prismatic-runaway")
_Key = tuple[str, str]
"""The group's name (of the main armature none) and the bone that carries it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArmaturePlan:
    """`frame` (4, 4) is in the robot's root frame, the rest of the bones in that of the armature.
    It hangs on the bone `carrier`, for none on the main armature, which is the first."""

    name: str
    carrier: str
    frame: Matrix
    bones: tuple[BonePlan, ...]


def plan_armatures(plan: RigPlan, groups: Groups = ()) -> tuple[ArmaturePlan, ...]:
    """The main armature, and those of the groups and of sliding joints.

    No sliding joint gets one where a joint would then carry the armature of the joint that it
    follows, which Blender's drivers can not do.
    """
    given = {joint: name for name, joints in groups for joint in joints}
    lines = locate_joints(plan.robot)
    divided = _divide(plan, given, lines)
    misread = _find_misread(plan, divided)
    sliding = {joint: joint for joint in misread if joint not in given}
    if not sliding:
        return divided
    finer = _divide(plan, given | sliding, lines)
    return divided if _has_cycle(plan, finer) else finer


def home_of_bones(armatures: Sequence[ArmaturePlan]) -> dict[str, str]:
    """Bone -> the name of its armature."""
    return {bone.name: armature.name for armature in armatures for bone in armature.bones}


def _divide(
    plan: RigPlan, groups: Mapping[str, str], lines: Mapping[str, JointLine]
) -> tuple[ArmaturePlan, ...]:
    joints = {joint.channels[0].bone: joint.joint.name for joint in plan.joints}
    keys: dict[str, _Key] = {}
    members: dict[_Key, list[BonePlan]] = {("", ""): []}
    for bone in plan.bones:
        above = keys.get(bone.parent, ("", ""))
        group = groups.get(joints[bone.name], "")
        is_beyond = not group and bool(above[0]) and not above[0].startswith("beyond_")
        if group and group != above[0]:
            key = (group, bone.parent)
        elif is_beyond:
            key = (f"beyond_{bone.parent}", bone.parent)
        else:
            key = above
        keys[bone.name] = key
        members.setdefault(key, []).append(bone)
    names = Claims()
    return tuple(
        _make_armature(names.claim(make_identifier(key[0] or MAIN)), key[1], bones, joints, lines)
        for key, bones in members.items()
    )


def _make_armature(
    name: str,
    carrier: str,
    bones: Sequence[BonePlan],
    joints: Mapping[str, str],
    lines: Mapping[str, JointLine],
) -> ArmaturePlan:
    if name == MAIN:
        return ArmaturePlan(name=name, carrier="", frame=np.eye(4), bones=tuple(bones))
    own = {bone.name for bone in bones}
    frame = frame_armature(bones[0].rest, lines[joints[bones[0].name]])
    inside = [bone if bone.parent in own else replace(bone, parent="") for bone in bones]
    return ArmaturePlan(
        name=name, carrier=carrier, frame=frame, bones=tuple(round_into(frame, inside))
    )


def _find_misread(plan: RigPlan, armatures: Sequence[ArmaturePlan]) -> list[str]:
    """Sliding joints whose position MORSE would not find."""
    found = Diagnostics()
    for armature in armatures:
        judge_armature(plan, armature.bones, found)
    return [item.subject for item in found if item.code in _MISREAD]


def _has_cycle(plan: RigPlan, armatures: Sequence[ArmaturePlan]) -> bool:
    """Whether a driver reads a joint in an armature that stands only when the driver has run."""
    homes = home_of_bones(armatures)
    carriers = {armature.name: armature.carrier for armature in armatures}
    needs = {
        bone.name: {bone.parent or armature.carrier} - {""}
        for armature in armatures
        for bone in armature.bones
    }
    bones = {joint.joint.name: joint.channels[0].bone for joint in plan.joints}
    across = []
    for joint in plan.joints:
        follower, source = bones[joint.joint.name], bones.get(joint.mimics)
        if source is not None and homes[source] != homes[follower]:
            needs[follower] |= {carriers[homes[source]]} - {""}
            across.append(follower)
    cyclic = find_never_ready(needs)
    return any(follower in cyclic for follower in across)
