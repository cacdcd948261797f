# SPDX-License-Identifier: GPL-3.0-or-later
"""The armatures that a script makes, and MORSE's differences from the description."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.geometry.transforms import Matrix
from urdf_importer.core.names import Claims
from urdf_importer.core.rig.followers import find_never_ready
from urdf_importer.core.rig.rig_plan import BonePlan, JointPlan, RigPlan

from ..profile.findings import BoneState, HeldJoint, judge_bones
from ..split.frames import JointLine, frame_armature, locate_joints, round_into
from .literals import make_identifier

_HALF_TURN = (-math.pi, math.pi)


def judge_armatures(
    plan: RigPlan, armatures: Sequence["ArmaturePlan"], diagnostics: Diagnostics
) -> None:
    """Reports joints that MORSE's Armature actuators drive differently, or not at all. An
    armature without bones gets no actuator."""
    held = {joint.channels[0].bone: joint for joint in plan.joints}
    for armature in armatures:
        if armature.bones:
            states = [_state_of(bone, held.get(bone.name)) for bone in armature.bones]
            judge_bones(states, plan.tree.masters, diagnostics)


def list_findings(diagnostics: Diagnostics, first: int) -> Iterator[str]:
    """Yields the messages of the findings about MORSE from the item `first` on. Findings about a
    sensor are beside it instead."""
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


MAIN = "armature"
Groups = Sequence[tuple[str, Sequence[str]]]
"""Names of armatures, and the joints in them."""

_MISREAD = ("morse-prismatic-misread", "morse-prismatic-runaway")
_Key = tuple[str, str]
"""The group's name (empty for the main armature) and the bone that carries it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArmaturePlan:
    """`frame` (4, 4) is in the robot's root frame, the rest of the bones in the armature's. It is
    parented to the bone `carrier`; if that is empty, to the main armature, which is the first."""

    name: str
    carrier: str
    frame: Matrix
    bones: tuple[BonePlan, ...]


def plan_armatures(plan: RigPlan, groups: Groups = ()) -> tuple[ArmaturePlan, ...]:
    """Plans the main armature, and the armatures of the groups and of sliding joints.

    Sliding joints get none if a joint would then carry the armature of the joint that it follows:
    Blender's drivers cannot do that.
    """
    given = {joint: name for name, joints in groups for joint in joints}
    lines = locate_joints(plan.tree)
    divided = _divide(plan, given, lines)
    misread = _find_misread(plan, divided)
    sliding = {joint: joint for joint in misread if joint not in given}
    if not sliding:
        return divided
    finer = _divide(plan, given | sliding, lines)
    return divided if _has_cycle(plan, finer) else finer


def home_of_bones(armatures: Sequence[ArmaturePlan]) -> dict[str, str]:
    """Returns the names of armatures by bone."""
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
    """Finds the sliding joints whose position MORSE would misread."""
    found = Diagnostics()
    judge_armatures(plan, armatures, found)
    return [item.subject for item in found if item.code in _MISREAD]


def _has_cycle(plan: RigPlan, armatures: Sequence[ArmaturePlan]) -> bool:
    """Tells whether a driver reads a joint in an armature whose place depends on that driver."""
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
