# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones of a standing rig become the bones of a new plan, in place: the user's additions to them
stay.

A bone continues under its name. Where joints are newly combined or separated, the bone that moves
the last of them continues under the new name, and Blender's own renaming takes along whatever
points at it. Bones of the user are left where they are.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...rig.exact_bones import EditBones
from ...rig.rig_plan import BonePlan, RigPlan
from ..build.armature import find_edit_bones, refine_bones, set_edit_bone
from ..modes import edit_bones_of
from ..standing import properties


def own_bones(armature: Any) -> list[str]:
    """Lists the names of the bones that the importer made."""
    return [bone.name for bone in armature.data.bones if properties.PART in bone]


def plan_renames(old: Mapping[str, list[str]], plan: RigPlan) -> dict[str, str]:
    """Plans old bone -> new name. `old` are the importer's bones with their joints, outermost
    first."""
    new: dict[str, list[str]] = {bone.name: [] for bone in plan.bones}
    for joint, bone in plan.bone_of_joint.items():
        new[bone].append(joint)
    gone = {name: joints for name, joints in old.items() if name not in new and joints}
    fresh = {name: joints for name, joints in new.items() if name not in old and joints}
    renames: dict[str, str] = {}
    for last_only in (True, False):
        for name, joints in fresh.items():
            if name in renames.values():
                continue
            for other, others in gone.items():
                alike = joints[-1] == others[-1] if last_only else set(joints) & set(others)
                if other not in renames and alike:
                    renames[other] = name
                    break
    return renames


def rename_bones(armature: Any, renames: Mapping[str, str], plan: RigPlan) -> dict[str, str]:
    """Renames bones, through unused names. A bone of the user that has a name of the
    plan gets another one; Blender corrects all that refers to it. Returns the user's bones that
    were renamed: old name -> new name."""
    bones = armature.data.bones
    own = set(own_bones(armature))
    users = {}
    for planned in plan.bones:
        if planned.name in bones and planned.name not in own and planned.name not in renames:
            bone = bones[planned.name]
            bone.name = f"{planned.name}.user"
            users[planned.name] = bone.name
    # Blender looks through all objects for each name, so a name is given once wherever it can be.
    moving = {old: bones[old] for old in renames}
    for number, (old, bone) in enumerate(moving.items()):
        bone.name = f"~ {number}" if renames[old] in bones else renames[old]
    for old, bone in moving.items():
        if bone.name != renames[old]:
            bone.name = renames[old]
    return users


def find_gone(armature: Any, plan: RigPlan) -> set[str]:
    """Finds the importer's bones that the plan does not have."""
    return set(own_bones(armature)) - {bone.name for bone in plan.bones}


def reshape_bones(armature: Any, staged: Any, plan: RigPlan) -> None:
    """Makes the importer's bones equal the plan's. `staged` is a fresh armature of this plan, to
    see the differences; where there are none, edit mode is not entered."""
    wanted = {bone.name: bone for bone in plan.bones}
    gone = find_gone(armature, plan)
    if not gone and all(_is_same(armature, staged, bone) for bone in plan.bones):
        return
    with edit_bones_of(armature) as edit_bones:
        for name in gone:
            _drop(edit_bones, name, wanted)
        for name in wanted:
            if name not in edit_bones:
                edit_bones.new(name)
        edit = _set_numbers(edit_bones, plan.bones) if plan.bones else None
    if edit is not None:
        refine_bones(armature, plan.bones, edit)


def _is_same(armature: Any, staged: Any, planned: BonePlan) -> bool:
    bone, twin = armature.data.bones.get(planned.name), staged.data.bones[planned.name]
    return (
        bone is not None
        and (bone.parent.name if bone.parent else "") == planned.parent
        and bone.length == twin.length
        and bone.matrix_local == twin.matrix_local
    )


def _drop(edit_bones: Any, name: str, wanted: Iterable[str]) -> None:
    """Removes a bone; the user's bones on it move to the nearest bone above that stays."""
    bone = edit_bones[name]
    above = bone.parent
    while above is not None and properties.PART in above and above.name not in wanted:
        above = above.parent
    for child in bone.children:
        child.use_connect = False
        child.parent = above
    edit_bones.remove(bone)


def _set_numbers(edit_bones: Any, planned: Sequence[BonePlan]) -> EditBones:
    """Sets the numbers of the bones, at least one, and returns them."""
    edit = find_edit_bones(planned)
    made = [edit_bones[bone.name] for bone in planned]
    for edit_bone in made:
        edit_bone.use_connect = False
        edit_bone.parent = None
    for edit_bone, bone in zip(made, planned, strict=True):
        if bone.parent:
            edit_bone.parent = edit_bones[bone.parent]
    for i, edit_bone in enumerate(made):
        set_edit_bone(edit_bone, edit, i)
    return edit
