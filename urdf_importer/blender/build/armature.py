# SPDX-License-Identifier: GPL-3.0-or-later
"""Second thoughts about bones that came out of edit mode inexact.

Blender works a bone's axes out in single precision and relative to its parent, which goes wrong in
the fifth digit for some bones along -Y. Which ones is chance, so the axes are checked afterwards,
and inexact bones get a slightly other tail until they are right; few robots need it. The price of a
round is one more visit to edit mode, in proportion to the number of bones, so big robots get few.
A child takes over its parent's error, and every generation adds some of its own: parents come
first, and what a parent could not mend is forgiven its children.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import Matrix, Vector
from ...rig.rig_plan import (
    FIXED,
    JOINTS,
    MECHANISM,
    BonePlan,
    JointPlan,
    RigPlan,
)
from ...rig.rounding import edit_numbers, rank_refinements
from ..modes import edit_bones_of
from ..standing import properties
from ..standing.joints import write_joints

TOLERANCE = 7e-7
_GENERATION = 3e-7
_NOISE = 3e-7
"""The error of a place in single precision, as a share of its distance."""

_PATIENCE = 3
"""Attempts of a parent for which its children wait."""

_MUCH_MORE = 4.0
"""A bone this much worse than its parent is wrong for reasons of its own and does not wait."""

_WORK = 1500
_MOST_ROUNDS, _LEAST_ROUNDS = 19, 1
"""Bones times rounds may be _WORK in all, within these bounds."""

_GENERATIONS = 3
"""Rounds kept for bones below those that were mended first."""


@dataclass(slots=True)
class _Trial:
    """What was tried for one inexact bone. `errors[i]` came of `guesses[i]`."""

    guesses: list[tuple[Matrix, float]]
    errors: list[float] = field(default_factory=list)
    settled: bool = False

    def next_guess(self, attempts: int) -> tuple[Matrix, float]:
        """Returns the next guess; the best one again when all are used up."""
        if len(self.errors) < attempts:
            return self.guesses[len(self.errors)]
        self.settled = True
        return self.guesses[int(np.argmin(self.errors))]


def refine_bones(armature: Any, bones: Sequence[BonePlan]) -> None:
    """Gives inexact bones other tails and rolls; to be called in object mode."""
    if not bones:
        return
    trials: dict[int, _Trial] = {}
    rounds = min(max(_WORK // len(bones), _LEAST_ROUNDS), _MOST_ROUNDS)
    attempts = max(rounds - _GENERATIONS, 1)
    index = {bone.name: i for i, bone in enumerate(bones)}
    parents = np.array([index.get(bone.parent, -1) for bone in bones])
    wanted = np.array([bone.rest for bone in bones])
    lengths = np.array([bone.length for bone in bones])
    for _ in range(rounds):
        rests = _stack_rests(armature, bones)
        made = rests[:, :3, :3]
        errors = measure_errors(bones, made, wanted)
        errors = np.maximum(errors, _measure_aims(rests, wanted, lengths, parents))
        chosen = _choose_inexact(errors, parents, trials)
        if not chosen:
            return
        with edit_bones_of(armature) as edit_bones:
            for i in chosen:
                if i not in trials:
                    above = made[parents[i]] if parents[i] >= 0 else np.eye(3)
                    trials[i] = _Trial(guesses=_guess(bones[i], above))
                _apply(edit_bones[bones[i].name], bones[i], *trials[i].next_guess(attempts))


def measure_errors(bones: Sequence[BonePlan], made: Matrix, wanted: Matrix) -> Vector:
    """Returns (N,) how far the axes that must be exact are off, or all of them from being
    orthonormal."""
    gram = made.transpose(0, 2, 1) @ made
    skewed = np.abs(gram - np.eye(3)).max(axis=(1, 2)) / 2
    off = np.abs(made - wanted[:, :3, :3])
    only_x = np.where([bone.exact == "x" for bone in bones], off[:, :, 0].max(axis=1), 0.0)
    all_axes = np.where([bone.exact == "xyz" for bone in bones], off.max(axis=(1, 2)), 0.0)
    errors: Vector = np.maximum(skewed, np.maximum(only_x, all_axes))
    return errors


def rest_matrices(armature: Any) -> dict[str, Matrix]:
    """Returns the rest matrices (4, 4) by bone name in armature space, as Blender made them."""
    bones = armature.data.bones
    numbers = np.empty(16 * len(bones), np.float32)
    bones.foreach_get("matrix_local", numbers)
    matrices = numbers.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
    return {bone.name: matrix for bone, matrix in zip(bones, matrices, strict=True)}


def _stack_rests(armature: Any, bones: Sequence[BonePlan]) -> Matrix:
    made = rest_matrices(armature)
    return np.array([made[bone.name] for bone in bones])


def _measure_aims(
    rests: Matrix, wanted: Matrix, lengths: Vector, parents: NDArray[np.intp]
) -> Vector:
    """Returns (N,) by how many radians a bone misses its own tail, as its children show.

    Blender places a child from its parent's tail along the parent's axes: a bone that points
    slightly off carries its children away.
    """
    heads = wanted[:, :3, 3]
    shifts = rests[:, :3, 3] - heads
    child = np.flatnonzero(parents >= 0)
    parent = parents[child]
    moved = np.linalg.norm(shifts[child] - shifts[parent], axis=1)
    noise = _NOISE * (np.linalg.norm(heads[child], axis=1) + lengths[parent])
    aims = np.zeros(len(lengths))
    np.maximum.at(aims, parent, np.maximum(moved - noise, 0.0) / lengths[parent])
    return aims


def _choose_inexact(
    errors: Vector, parents: NDArray[np.intp], trials: dict[int, _Trial]
) -> list[int]:
    """Chooses the bones to work on now; notes what came of their last guess."""
    above = np.where(parents >= 0, errors[parents], 0.0)
    allowed = np.where(above > TOLERANCE, above + _GENERATION, TOLERANCE)
    settled = np.zeros(len(errors), bool)
    settled[[i for i, trial in trials.items() if trial.settled]] = True
    wrong = (errors > allowed) & ~settled
    hopeless = np.zeros(len(errors), bool)
    hopeless[[i for i, trial in trials.items() if len(trial.errors) >= _PATIENCE]] = True
    waits = (parents >= 0) & (wrong & ~hopeless)[parents] & (errors < _MUCH_MORE * above)
    chosen = np.flatnonzero(wrong & ~waits).tolist()
    for i in chosen:
        if i in trials:
            trials[i].errors.append(float(errors[i]))
    return chosen


def _guess(bone: BonePlan, parent: Matrix) -> list[tuple[Matrix, float]]:
    return rank_refinements(
        bone.rest[:3, 3],
        bone.rest[:3, :3],
        bone.length,
        free_turn=bone.exact != "xyz",
        parent=parent,
    )


def _apply(edit_bone: Any, bone: BonePlan, axes: Matrix, length: float) -> None:
    tails, rolls = edit_numbers(bone.rest[None, :3, 3], axes[None], np.array([length]))
    edit_bone.tail = tails[0]
    edit_bone.roll = float(rolls[0])


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
    """Sets rotation modes, locks, IK settings, and the position in which the robot starts."""
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
    by_bone: dict[str, list[JointPlan]] = {}
    for joint in joints:
        by_bone.setdefault(joint.channels[0].bone, []).append(joint)
    for name, held in by_bone.items():
        write_joints(armature.data.bones[name], held)
