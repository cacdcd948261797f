# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that follow others across armatures.

Blender works out where an armature object stands before it reads any number of its bones. So a
joint can follow one in another armature, but not where that armature's place depends on it, as when
a knuckle follows the fingertip: within one armature this works, across two it is a cycle.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..diagnostics import BuildError, quote
from ..rig.followers import find_never_ready
from .rehang import bone_of, drivers_of, find_bone, reads_of
from .split_plan import SplitPlan
from .standing import properties
from .standing.armatures import armatures_of, bones_of, name_armature

_Read = tuple[str, str, bool]
"""A driver: bone, the bone that it reads, whether where that is or only a number of it."""

_Node = tuple[str, str]
_NUMBER, _PLACE = "number", "place"


def check_followers(main: Any, plan: SplitPlan) -> None:
    """Raises BuildError where a joint would follow one in an armature whose place depends on it."""
    armatures = armatures_of(main)
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
    reads = [read for read in reads if read[0] in homes and read[1] in homes]
    cyclic = find_never_ready(_find_needs(main, reads, homes, carriers))
    for bone, source, _ in reads:
        across = homes[bone] != homes[source]
        if across and {(bone, _NUMBER), (carriers[homes[source]], _PLACE)} <= cyclic:
            _refuse(main, bone, source)


def _find_needs(
    main: Any, reads: Sequence[_Read], homes: Mapping[str, str], carriers: Mapping[str, str]
) -> dict[_Node, set[_Node]]:
    """What has to be worked out before the numbers and the place of each bone."""
    needs: dict[_Node, set[_Node]] = {}
    for bone in bones_of(main):
        home = homes[bone.name]
        carrier = carriers[home]
        above = bone.parent.name if bone.parent is not None else ""
        needs[bone.name, _NUMBER] = {(carrier, _PLACE)} if carrier in homes else set()
        needs[bone.name, _PLACE] = {(bone.name, _NUMBER)}
        if above and homes[above] == home:
            needs[bone.name, _PLACE].add((above, _PLACE))
    for name, source, is_place in reads:
        needs[name, _NUMBER].add((source, _PLACE if is_place else _NUMBER))
    return needs


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


def _refuse(main: Any, *bones: str) -> None:
    names = {
        bone.name: joint["name"]
        for bone in bones_of(main)
        for joint in bone.get(properties.JOINTS, ())
    }
    follower, source = (quote(names.get(bone, bone)) for bone in bones)
    raise BuildError(
        f"joint {follower} follows joint {source}, whose armature could not be placed before it; "
        "leave both in one armature"
    )
