# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones: made in edit mode from numbers that give exact axes, and the parts on them.

The numbers for edit mode are found before (core/rig/exact_bones.py); the result is read back, and
on machines with other arithmetic some bones may get other tails when edit mode is entered once
more.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import bpy
import numpy as np
from mathutils import Vector as BlenderVector

from ...geometry.transforms import Matrix
from ...rig.bone_arithmetic import AngleFunctions, Axes, Triple
from ...rig.exact_bones import EditBones, fit_bones, gather_bones, mend_bones
from ...rig.rig_plan import (
    FIXED,
    JOINTS,
    MECHANISM,
    MODELS,
    SEPARATOR,
    BonePlan,
    JointPlan,
    LinkPlan,
    RigPlan,
    find_models,
)
from ..arrays import read_array
from ..modes import edit_bones_of
from ..standing import properties
from ..standing.joints import write_joints


def find_edit_bones(bones: Sequence[BonePlan]) -> EditBones:
    """Finds the numbers for edit mode that give these bones, at least one, on this machine."""
    return fit_bones(gather_bones(bones), MACHINE)


def build_bones(armature: Any, bones: Sequence[BonePlan]) -> None:
    """Makes the bones of the plan in an armature object that has none yet."""
    if not bones:
        return
    edit = find_edit_bones(bones)
    with edit_bones_of(armature) as edit_bones:
        made = {bone.name: edit_bones.new(bone.name) for bone in bones}
        for bone in bones:
            if bone.parent:
                made[bone.name].parent = made[bone.parent]
        edit_bones.foreach_set("head", edit.heads.ravel())
        edit_bones.foreach_set("tail", edit.tails.ravel())
        edit_bones.foreach_set("roll", edit.rolls)
    refine_bones(armature, bones, edit)


def refine_bones(armature: Any, bones: Sequence[BonePlan], edit: EditBones) -> None:
    """Gives other tails and rolls to bones that came out inexact from the numbers `edit`; to be
    called in object mode."""
    rests = rest_matrices(armature)
    made = np.array([rests[bone.name] for bone in bones])
    changed, mended = mend_bones(gather_bones(bones), edit, made, MACHINE)
    if len(changed):
        with edit_bones_of(armature) as edit_bones:
            for i in changed.tolist():
                set_edit_bone(edit_bones[bones[i].name], mended, i)


def set_edit_bone(edit_bone: Any, edit: EditBones, index: int) -> None:
    """Sets the numbers of an edit bone."""
    edit_bone.head = edit.heads[index].tolist()
    edit_bone.tail = edit.tails[index].tolist()
    edit_bone.roll = float(edit.rolls[index])


def rest_matrices(armature: Any) -> dict[str, Matrix]:
    """Returns the rest matrices (4, 4) by bone name in armature space, as Blender made them."""
    bones = armature.data.bones
    numbers = read_array(bones, "matrix_local", 16)
    matrices = numbers.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
    return {bone.name: matrix for bone, matrix in zip(bones, matrices, strict=True)}


_RIGHT = BlenderVector((1.0, 0.0))


def _roll_frame(vector: Triple, roll: Any, frame: Axes | None = None) -> Axes:
    x, y, z = bpy.types.Bone.MatrixFromAxisRoll(vector, roll).col
    a, b, c, d, e, f, g, h, i = np.array((*x, *y, *z), np.float32)
    return (a, b, c), (d, e, f), (g, h, i)


def _arctangent(opposite: Any, adjacent: Any) -> Any:
    angle = _RIGHT.angle_signed(BlenderVector((adjacent, -opposite)))
    return np.float32(angle)


MACHINE = AngleFunctions(
    frame_of=partial(_roll_frame, roll=0.0), roll_frame=_roll_frame, arctangent=_arctangent
)
"""The functions of the C library that this Blender runs with, taken from Blender where it exposes
them."""


_ORDER = (JOINTS, FIXED, MECHANISM)
"""Bone collections; only the first is shown at first."""


def sort_bones(armature: Any, bones: Sequence[BonePlan]) -> None:
    """Sorts the bones of a plan into the importer's bone collections; bones that the user added
    stay."""
    collections = armature.data.collections
    # Asked once: Blender counts bones by going through them.
    full = {each.name for each in collections if len(each.bones)}
    for bone in bones:
        real = armature.data.bones[bone.name]
        before = real.get(properties.PART)
        if before == bone.collection:
            continue
        if before is not None and before in collections:
            collections[before].unassign(real)
        real[properties.PART] = bone.collection
        target = collections.get(bone.collection) or collections.new(bone.collection)
        if bone.collection not in full:
            full.add(bone.collection)
            target.is_visible = bone.collection == JOINTS
        target.assign(real)
    place = 0
    for found in filter(None, map(collections.get, _ORDER)):
        if not len(found.bones):
            collections.remove(found)
            continue
        index = collections.find(found.name)
        if index != place:
            collections.move(index, place)
        place += 1


def sort_models(armature: Any, links: Sequence[LinkPlan]) -> None:
    """Puts bones into collections of the nested models that they belong to, under a collection
    `Models`, and takes the importer's bones out of others there. Collections that users added
    stay."""
    data = armature.data
    wanted = find_models(links)
    above = next((each for each in data.collections if each.get(properties.PART) == MODELS), None)
    if above is None and not wanted:
        return
    if above is None:
        above = data.collections.new(MODELS)
        above[properties.PART] = MODELS
    made = _list_models(above)
    for name in wanted:
        _provide_model(data, above, made, name)
    for name, collection in made.items():
        _assign_bones(data, collection, wanted.get(name, []))
    for collection in [*reversed(made.values()), above]:
        if not len(collection.bones) and not len(collection.children):
            data.collections.remove(collection)


def _list_models(above: Any) -> dict[str, Any]:
    """Returns model -> its collection, outer ones first."""
    found: dict[str, Any] = {}
    waiting = list(above.children)
    while waiting:
        each = waiting.pop(0)
        if each.get(properties.PART) is not None:
            found[str(each[properties.PART])] = each
        waiting += list(each.children)
    return found


def _provide_model(data: Any, above: Any, made: dict[str, Any], name: str) -> None:
    """Adds the collection of a model to the other collections, and the collections of the models
    about it.
    """
    parts = name.split(SEPARATOR)
    for count in range(1, len(parts) + 1):
        model = SEPARATOR.join(parts[:count])
        if model not in made:
            outer = made.get(SEPARATOR.join(parts[: count - 1]), above)
            made[model] = data.collections.new(parts[count - 1], parent=outer)
            made[model][properties.PART] = model


def _assign_bones(data: Any, collection: Any, wanted: Sequence[str]) -> None:
    for bone in list(collection.bones):
        if bone.name not in wanted and properties.PART in bone:
            collection.unassign(bone)
    for name in wanted:
        collection.assign(data.bones[name])


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
        numbers = (limits is not None, *(limits or (-math.pi, math.pi)))
        for name, number in zip(("use_ik_limit", "ik_min", "ik_max"), numbers, strict=True):
            # Reading is faster than setting, and most bones have no limits.
            if getattr(pose_bone, f"{name}_{axis}") != np.float32(number):
                setattr(pose_bone, f"{name}_{axis}", number)


def describe_joints(armature: Any, joints: Sequence[JointPlan]) -> None:
    """Puts on each bone which of its channels hold which joint's position."""
    by_bone: dict[str, list[JointPlan]] = {}
    for joint in joints:
        by_bone.setdefault(joint.channels[0].bone, []).append(joint)
    for name, held in by_bone.items():
        write_joints(armature.data.bones[name], held)
