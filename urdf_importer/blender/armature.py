# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones: rest frames, collections, locks, initial pose.

Rules and their price: one visit to edit mode makes all bones and sets all heads, tails and rolls at
once; refine.py may visit it again for the few that single precision spoils.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..rig.rig_plan import (
    FIXED,
    JOINTS,
    MECHANISM,
    BonePlan,
    JointPlan,
    RigPlan,
)
from ..rig.rounding import edit_numbers
from . import properties
from .modes import edit_bones_of

_COLLECTIONS = {JOINTS: True, FIXED: False, MECHANISM: False}
"""Bone collections and whether they are shown."""


def build_bones(armature: Any, bones: Sequence[BonePlan]) -> None:
    """Makes the bones of the plan in an armature object that has none yet; refine_bones comes
    next."""
    if not bones:
        return
    heads = np.array([bone.rest[:3, 3] for bone in bones])
    axes = np.array([bone.rest[:3, :3] for bone in bones])
    lengths = np.array([bone.length for bone in bones])
    with edit_bones_of(armature) as edit_bones:
        made = {bone.name: edit_bones.new(bone.name) for bone in bones}
        for bone in bones:
            if bone.parent:
                made[bone.name].parent = made[bone.parent]
        tails, rolls = edit_numbers(heads, axes, lengths)
        edit_bones.foreach_set("head", heads.ravel())
        edit_bones.foreach_set("tail", tails.ravel())
        edit_bones.foreach_set("roll", rolls)


def build_bone_collections(armature: Any, bones: Sequence[BonePlan]) -> None:
    for name, shown in _COLLECTIONS.items():
        members = [bone for bone in bones if bone.collection == name]
        if members:
            collection = armature.data.collections.new(name)
            collection.is_visible = shown
            for plan in members:
                bone = armature.data.bones[plan.name]
                bone[properties.PART] = name
                collection.assign(bone)


def build_pose(armature: Any, plan: RigPlan) -> None:
    """Rotation modes, locks, IK settings, and the position in which the robot starts."""
    if not plan.bones:
        return
    pose_bones = armature.pose.bones
    for bone in plan.bones:
        _lock(pose_bones[bone.name], bone)
    for joint in plan.joints:
        if joint.initial:
            channel = joint.channels[0]
            getattr(pose_bones[channel.bone], channel.property)[channel.index] = (
                joint.sign * joint.initial
            )


def _lock(pose_bone: Any, bone: BonePlan) -> None:
    free = set(bone.free)
    pose_bone.rotation_mode = bone.rotation_mode
    pose_bone.lock_location = [("location", i) not in free for i in range(3)]
    pose_bone.lock_rotation = [("rotation_euler", i) not in free for i in range(3)]
    pose_bone.lock_scale = (True, True, True)
    pose_bone.ik_stretch = bone.ik_stretch
    for index, axis in enumerate("xyz"):
        setattr(pose_bone, f"lock_ik_{axis}", index not in bone.turns)
        limits = bone.ik_limits[index]
        if limits is not None:
            setattr(pose_bone, f"use_ik_limit_{axis}", True)
            setattr(pose_bone, f"ik_min_{axis}", limits[0])
            setattr(pose_bone, f"ik_max_{axis}", limits[1])


def describe_joints(armature: Any, joints: Sequence[JointPlan]) -> None:
    """Puts on each bone which of its channels hold which joint's position."""
    by_bone: dict[str, list[Mapping[str, Any]]] = {}
    for joint in joints:
        by_bone.setdefault(joint.channels[0].bone, []).append(_describe(joint))
    for name, described in by_bone.items():
        armature.data.bones[name][properties.JOINTS] = described


def _describe(joint: JointPlan) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": joint.joint.name,
        "type": joint.joint.type,
        "kind": joint.kind,
        "properties": [channel.property for channel in joint.channels],
        "indices": [channel.index for channel in joint.channels],
        "sign": joint.sign,
        "initial": joint.initial,
    }
    optional = {"lower": joint.lower, "upper": joint.upper, "mimics": joint.mimics or None}
    return described | {key: value for key, value in optional.items() if value is not None}
