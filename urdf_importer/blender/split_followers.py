# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that follow others across armatures.

Blender works out where an armature object stands before it reads any number of its bones. So a
joint can follow one in another armature, but not one that it carries itself, as when a knuckle
follows the fingertip: within one armature this works, across two it is a dependency cycle.
"""

from collections.abc import Mapping
from typing import Any

from ..diagnostics import BuildError, quote
from ..kinematics.mimic_drivers import find_never_ready
from . import properties
from .armatures import armatures_of, bones_of, name_armature
from .rehang import bone_of, drivers_of, find_bone, reads_of
from .split_plan import SplitPlan


def check_followers(main: Any, plan: SplitPlan) -> None:
    """Raises BuildError where a joint would carry the armature of the joint that it follows."""
    armatures = set(armatures_of(main))
    reads = [
        (find_bone(curve.data_path), bone, is_place)
        for each in armatures
        for curve in drivers_of(each)
        for target, bone, is_place in reads_of(curve)
        if target.id in armatures
    ]
    if not reads:
        return
    homes, carriers = _foresee_homes(main, plan)
    needs = {bone.name: {_find_above(bone, homes, carriers)} for bone in bones_of(main)}
    across = []
    for bone, source, is_place in reads:
        if bone not in homes or source not in homes:
            continue
        if is_place:
            needs[bone].add(source)
        elif homes[source] != homes[bone]:
            needs[bone].add(carriers[homes[source]])
            across.append((bone, source))
    cyclic = find_never_ready({bone: needed & homes.keys() for bone, needed in needs.items()})
    for bone, source in across:
        if bone in cyclic and carriers[homes[source]] in cyclic:
            _refuse(main, bone, source)


def _foresee_homes(main: Any, plan: SplitPlan) -> tuple[dict[str, str], dict[str, str]]:
    """(bone -> the name of its armature, name of an armature -> the bone on which it hangs), when
    all is done."""
    homes, carriers = {}, {}
    for each in armatures_of(main):
        carriers[name_armature(each)] = bone_of(each)
        homes.update(dict.fromkeys(each.data.bones.keys(), name_armature(each)))
    for part in plan.parts:
        carriers[part.name] = part.bone
        homes.update(dict.fromkeys(part.bones, part.name))
    return homes, carriers


def _find_above(bone: Any, homes: Mapping[str, str], carriers: Mapping[str, str]) -> str:
    home = homes[bone.name]
    if bone.parent is not None and homes[bone.parent.name] == home:
        return str(bone.parent.name)
    return carriers[home]


def _refuse(main: Any, *bones: str) -> None:
    names = {
        bone.name: joint["name"]
        for bone in bones_of(main)
        for joint in bone.get(properties.JOINTS, ())
    }
    follower, source = (quote(names.get(bone, bone)) for bone in bones)
    raise BuildError(
        f"joint {follower} follows joint {source} and would carry its armature; leave both in one"
    )
