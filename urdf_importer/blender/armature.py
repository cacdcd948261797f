# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones: rest frames, collections, locks, initial pose.

Rules and their price: one visit to edit mode sets all heads, tails and rolls at once. Blender works
a bone's axes out from these in single precision and relative to the parent, which goes wrong in the
fifth digit for bones that fold back on their parent. So the axes are checked afterwards, and bones
that came out worse than single precision must be go through edit mode again with a slightly other
length or turn about X, until they are right; few robots need it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..kinematics.rig_plan import FIXED, JOINTS, MECHANISM, BonePlan, JointPlan, RigPlan
from ..kinematics.rounding import rank_refinements, roll_bones
from ..kinematics.transforms import Matrix as Array
from . import properties
from .modes import edit_bones_of

_ROUNDS = 60
_ATTEMPTS = 20
_TOLERANCE = 7e-7
_COLLECTIONS = {JOINTS: True, FIXED: False, MECHANISM: False}
"""Bone collections and whether they are shown."""


def build_bones(armature: Any, bones: Sequence[BonePlan]) -> None:
    """Makes the bones of the plan in an armature object that has none yet."""
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
        edit_bones.foreach_set("head", heads.astype(np.float32).ravel())
        edit_bones.foreach_set("tail", (heads + axes[:, :, 1] * lengths[:, None]).ravel())
        edit_bones.foreach_set("roll", roll_bones(axes))
    _refine_bones(armature, bones)


@dataclass(slots=True)
class _Trial:
    """What was tried for one inexact bone. `errors[i]` came of `guesses[i]`."""

    guesses: list[tuple[Array, float]]
    errors: list[float] = field(default_factory=list)
    settled: bool = False

    def next_guess(self) -> tuple[Array, float]:
        """The next guess; the best one again when all are used up."""
        if len(self.errors) < _ATTEMPTS:
            return self.guesses[len(self.errors)]
        self.settled = True
        return self.guesses[int(np.argmin(self.errors))]


def _refine_bones(armature: Any, bones: Sequence[BonePlan]) -> None:
    """Gives inexact bones a slightly other tail until they are right, parents first: a child takes
    over its parent's error."""
    trials: dict[str, _Trial] = {}
    for _ in range(_ROUNDS):
        made = rest_matrices(armature)
        chosen = _choose_inexact(bones, made, trials)
        if not chosen:
            return
        with edit_bones_of(armature) as edit_bones:
            for bone in chosen:
                if bone.name not in trials:
                    trials[bone.name] = _Trial(guesses=_guess(bone, made))
                axes, length = trials[bone.name].next_guess()
                edit_bone = edit_bones[bone.name]
                edit_bone.tail = bone.rest[:3, 3] + axes[:, 1] * length
                edit_bone.roll = float(roll_bones(axes[None])[0])


def _choose_inexact(
    bones: Sequence[BonePlan], made: Mapping[str, Array], trials: Mapping[str, _Trial]
) -> list[BonePlan]:
    """Inexact bones to work on now; notes what came of the last guess."""
    wrong: set[str] = set()
    chosen = []
    for bone in bones:
        trial = trials.get(bone.name)
        if trial is not None and trial.settled:
            continue
        error = measure_error(bone, made[bone.name])
        if error <= _TOLERANCE:
            continue
        wrong.add(bone.name)
        if bone.parent not in wrong:
            chosen.append(bone)
            if trial is not None:
                trial.errors.append(error)
    return chosen


def measure_error(bone: BonePlan, made: Array) -> float:
    """How far the axes that must be exact are off, or all of them from being orthonormal."""
    axes = made[:3, :3]
    skewed = float(np.abs(axes.T @ axes - np.eye(3)).max()) / 2
    if not bone.exact:
        return skewed
    off = np.abs(axes - bone.rest[:3, :3])
    return max(skewed, float((off[:, 0] if bone.exact == "x" else off).max()))


def _guess(bone: BonePlan, made: Mapping[str, Array]) -> list[tuple[Array, float]]:
    parent = made[bone.parent][:3, :3] if bone.parent else np.eye(3)
    return rank_refinements(
        bone.rest[:3, 3],
        bone.rest[:3, :3],
        bone.length,
        free_turn=bone.exact != "xyz",
        parent=parent,
    )


def rest_matrices(armature: Any) -> dict[str, Array]:
    """Bone name -> (4, 4) rest matrix in armature space, as Blender made it."""
    bones = armature.data.bones
    numbers = np.empty(16 * len(bones), np.float32)
    bones.foreach_get("matrix_local", numbers)
    matrices = numbers.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
    return {bone.name: matrix for bone, matrix in zip(bones, matrices, strict=True)}


def build_bone_collections(armature: Any, bones: Sequence[BonePlan]) -> None:
    for name, shown in _COLLECTIONS.items():
        members = [bone for bone in bones if bone.collection == name]
        if members:
            collection = armature.data.collections.new(name)
            collection.is_visible = shown
            for bone in members:
                collection.assign(armature.data.bones[bone.name])


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
