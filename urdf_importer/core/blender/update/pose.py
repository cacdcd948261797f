# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose side of a standing rig: settings, constraints, drivers and joint positions.

Parts that the description did not change stay as the user has them: a bone that is the same in the
plans of the old and the new description is left alone.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...rig.rig_plan import BonePlan, ConstraintPlan, JointPlan, RigPlan
from ..build.armature import build_pose, describe_joints
from ..build.constraints import build_constraints
from ..standing import properties
from ..standing.joints import forget_joints, read_joints
from .bones import find_gone

_LOOK = (
    "custom_shape",
    "use_custom_shape_bone_size",
    "custom_shape_scale_xyz",
    "custom_shape_wire_width",
)
_LOOP_NUMBER = re.compile(properties.LOOP_NUMBER.format(r"\d+$"))
_CHANNELS = tuple((prop, i) for prop in ("location", "rotation_euler") for i in range(3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A joint's set numbers, `sign` taken out; `untouched` where it and all that it follows were
    where an import puts them."""

    kind: str
    values: tuple[float, ...]
    untouched: bool


def note_positions(armature: Any) -> dict[str, Position]:
    """Notes joint name -> position. To be called before anything is changed."""
    found: dict[str, Position] = {}
    follows: dict[str, str] = {}
    for pose_bone in armature.pose.bones if armature.pose else ():
        for joint in read_joints(pose_bone.bone):
            values = [channel.get(pose_bone) for channel in joint.channels]
            started = [joint.initial] + [0.0] * (len(values) - 1)
            found[joint.name] = Position(
                kind=joint.kind,
                values=tuple(values),
                untouched=values == np.array(started, np.float32).tolist(),
            )
            if joint.mimics:
                follows[joint.name] = joint.mimics
    for name in follows:
        found[name] = replace(found[name], untouched=_is_untouched(name, follows, found))
    return found


def _is_untouched(name: str, follows: Mapping[str, str], found: Mapping[str, Position]) -> bool:
    seen = {name}
    while name in follows and follows[name] not in seen:
        name = follows[name]
        seen.add(name)
    return name in follows or name not in found or found[name].untouched


def update_pose(
    armature: Any,
    staged: Any,
    plan: RigPlan,
    base: RigPlan | None,
    positions: Mapping[str, Position],
) -> None:
    """Updates locks, limits, bone shapes and positions; `base` is the plan of the old description,
    `staged` a fresh armature of the new one."""
    before = {bone.name: bone for bone in base.bones} if base else {}
    for bone in plan.bones:
        forget_joints(armature.data.bones[bone.name])
    describe_joints(armature, plan.joints)
    others = [bone for bone in plan.bones if not _is_set_alike(bone, before.get(bone.name))]
    build_pose(armature, replace(plan, bones=tuple(others), joints=()))
    _set_positions(armature, plan, positions)
    _update_looks(armature, staged, plan, before)


def _is_set_alike(bone: BonePlan, before: BonePlan | None) -> bool:
    names = ("rotation_mode", "free", "turns", "ik_limits", "ik_stretch")
    return before is not None and all(getattr(bone, n) == getattr(before, n) for n in names)


def _set_positions(armature: Any, plan: RigPlan, positions: Mapping[str, Position]) -> None:
    """Sets the positions: joints that stay keep their numbers; the others start where an import
    puts them. All other channels of the importer's bones are zero."""
    wanted: dict[tuple[str, str, int], float] = {}
    for joint in plan.joints:
        for channel, value in zip(joint.channels, _values(joint, positions), strict=True):
            wanted[channel.bone, channel.property, channel.index] = joint.sign * value
    for bone in plan.bones:
        pose_bone = armature.pose.bones[bone.name]
        for prop, index in _CHANNELS:
            getattr(pose_bone, prop)[index] = wanted.get((bone.name, prop, index), 0.0)


def _values(joint: JointPlan, positions: Mapping[str, Position]) -> tuple[float, ...]:
    kept = positions.get(joint.joint.name)
    if kept is None or kept.untouched or kept.kind != joint.kind:
        return (joint.initial,) + (0.0,) * (len(joint.channels) - 1)
    return kept.values


def _update_looks(
    armature: Any, staged: Any, plan: RigPlan, before: Mapping[str, BonePlan]
) -> None:
    """Updates the shapes and colours of bones; a shape that the user put in stays."""
    for bone in plan.bones:
        pose_bone, old = armature.pose.bones[bone.name], before.get(bone.name)
        shape = pose_bone.custom_shape
        is_users = shape is not None and properties.WIDGET not in shape
        if not is_users and (old is None or old.look != bone.look):
            _copy_look(pose_bone, staged.pose.bones[bone.name])


def _copy_look(pose_bone: Any, twin: Any) -> None:
    for name in _LOOK:
        setattr(pose_bone, name, getattr(twin, name))
    color, wanted = pose_bone.bone.color, twin.bone.color
    color.palette = "CUSTOM"
    for shade in ("normal", "select", "active"):
        setattr(color.custom, shade, getattr(wanted.custom, shade))
    color.palette = wanted.palette


# Constraints and drivers


Kept = dict[str, dict[str, tuple[bool, float]]]
"""Bone -> type -> the user's possible settings of the importer's constraints: mute and influence.
"""


def remove_constraints(
    armature: Any, plan: RigPlan, base: RigPlan | None, renamed: Iterable[str]
) -> Kept:
    """Removes the importer's constraints on bones that differ between the two plans; `renamed`
    are bones whose name is new. Returns all bones that need new ones. To be called before the bones
    change, since constraints point at them."""
    # Blender before 5 leaves the driver of a constraint whose bone goes.
    for name in find_gone(armature, plan):
        _remove_constraints(armature, name)
    renamed = set(renamed)
    after, before = _by_bone(plan), _by_bone(base) if base else {}
    return {
        bone.name: _remove_constraints(armature, bone.name)
        for bone in plan.bones
        if base is None or bone.name in renamed or after.get(bone.name) != before.get(bone.name)
    }


def add_constraints(armature: Any, plan: RigPlan, kept: Kept) -> None:
    """Adds the new constraints, before the user's."""
    after = _by_bone(plan)
    build_constraints(armature, [c for name in kept for c in after.get(name, ())])
    for name, settings in kept.items():
        _arrange(armature.pose.bones[name], settings)


def _by_bone(plan: RigPlan) -> dict[str, list[ConstraintPlan]]:
    found: dict[str, list[ConstraintPlan]] = {}
    for constraint in plan.constraints:
        found.setdefault(constraint.bone, []).append(constraint)
    return found


def _remove_constraints(armature: Any, name: str) -> dict[str, tuple[bool, float]]:
    pose_bone = armature.pose.bones.get(name)
    if pose_bone is None:
        return {}
    kept: dict[str, tuple[bool, float]] = {}
    for own in pose_bone.bone.pop(properties.CONSTRAINTS, ()):
        constraint = pose_bone.constraints.get(own)
        if constraint is not None:
            kept[constraint.type] = (constraint.mute, constraint.influence)
            constraint.driver_remove("influence")
            pose_bone.constraints.remove(constraint)
    return kept


def _arrange(pose_bone: Any, kept: Mapping[str, tuple[bool, float]]) -> None:
    own = list(pose_bone.bone.get(properties.CONSTRAINTS, ()))
    for place, name in enumerate(own):
        constraint = pose_bone.constraints[name]
        if constraint.type.startswith("LIMIT") and constraint.type in kept:
            constraint.mute, constraint.influence = kept[constraint.type]
        index = pose_bone.constraints.find(name)
        if index != place:
            pose_bone.constraints.move(index, place)


def remove_drivers(armature: Any) -> None:
    """Removes the importer's drivers: of joints that mimic, and of hidden bones. To be called
    while the bones still have their old names and properties."""
    for pose_bone in armature.pose.bones if armature.pose else ():
        bone = pose_bone.bone
        if properties.PART not in bone:
            continue
        joints = read_joints(bone)
        channels = [
            (channel.prop, channel.index)
            for joint in joints
            if joint.mimics
            for channel in joint.channels
        ]
        for prop, index in _CHANNELS if not joints else channels:
            pose_bone.driver_remove(prop, index)
        for key in filter(_LOOP_NUMBER.match, dict(pose_bone.items())):
            pose_bone.driver_remove(f'["{key}"]')
            del pose_bone[key]
