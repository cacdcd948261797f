# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones go to which new armature when a group of joints is split off, and whether they can.

Everything that can be wrong is found here, before anything changes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy

from urdf_importer.core.blender.standing import properties
from urdf_importer.core.blender.standing.armatures import (
    armatures_by_name,
    armatures_of,
    is_implied,
    name_armature,
)
from urdf_importer.core.blender.standing.joints import name_joints, posed_joints_of, read_joints
from urdf_importer.core.diagnostics import BuildError, KinematicsError, quote, unknown_name
from urdf_importer.core.names import Claims

Group = Mapping[str, str]
"""Bone -> its joint, of the joints that are split off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartPlan:
    """A new armature with these bones, parents first. It is parented to a bone of
    `carrier`, or to the object if the name is empty; a carrier of None is the group's own new
    armature."""

    name: str
    carrier: Any | None
    bone: str
    bones: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitPlan:
    """The parts of a split. `group` takes joints from the armature `old`; it is None if `old`
    itself becomes the group's, which is possible if no user named it and it holds nothing else.
    `beyond` are the armatures of the bones below the group."""

    name: str
    old: Any
    group: PartPlan | None
    beyond: tuple[PartPlan, ...]

    @property
    def parts(self) -> tuple[PartPlan, ...]:
        """All new armatures."""
        return self.beyond if self.group is None else (self.group, *self.beyond)


def plan_split(main: Any, name: str, joints: Sequence[str]) -> SplitPlan:
    """Plans the work of split_armature. Raises KinematicsError and BuildError as documented
    there."""
    taken = armatures_by_name(main)
    if not name:
        raise BuildError("the armature to be split off needs a name")
    if name in taken:
        raise BuildError(f"the robot already has an armature {quote(name)}")
    old, group = _find_group(main, joints)
    top = _find_top(old, group)
    _check_first(old, top, group)
    members, beyond = _divide(old, group, [*taken, name])
    for bones in (members, *(part.bones for part in beyond)):
        _check_bones(old, bones)
    _check_object(old)
    if is_implied(old) and len(members) + sum(len(p.bones) for p in beyond) == len(old.data.bones):
        return SplitPlan(name=name, old=old, group=None, beyond=beyond)
    carrier, bone = (old, top.parent.name) if top.parent else _find_carrier(main, old)
    part = PartPlan(name=name, carrier=carrier, bone=bone, bones=members)
    return SplitPlan(name=name, old=old, group=part, beyond=beyond)


def _find_group(main: Any, joints: Sequence[str]) -> tuple[Any, Group]:
    """Finds the armature that holds the joints, and their bones."""
    bones = {joint.name: pose_bone for pose_bone, joint in posed_joints_of(main)}
    known = set(main[properties.ROBOT]["joints"])
    for name in joints:
        if name not in known:
            raise unknown_name("the robot has no joint", name, known)
    moving = [name for name in joints if name in bones]
    if not moving:
        raise KinematicsError("the armature to be split off needs a joint that moves")
    old = bones[moving[0]].id_data
    for name in moving:
        other = bones[name].id_data
        if other != old:
            raise KinematicsError(
                f"joint {quote(name)} is in the armature {quote(other.name)}, joint "
                f"{quote(moving[0])} in {quote(old.name)}"
            )
    return old, {bones[name].name: name for name in moving}


def _find_top(old: Any, group: Group) -> Any:
    """Finds the bone above all others of the group."""
    bones = [bone for bone in old.data.bones if bone.name in group]
    tops = [bone for bone in bones if bone.parent is None or bone.parent.name not in group]
    if len(tops) > 1:
        raise KinematicsError(
            f"joint {quote(group[tops[1].name])} is not below the joints of the group that "
            f"begins with {quote(group[tops[0].name])}"
        )
    return tops[0]


def _check_first(old: Any, top: Any, group: Group) -> None:
    """Refuses to move an armature that a user asked for."""
    if top.parent is None and name_armature(old) and not is_implied(old):
        raise KinematicsError(
            f"joint {quote(group[top.name])} is the first one of the armature "
            f"{quote(name_armature(old))} and must stay in it"
        )


def _find_carrier(main: Any, old: Any) -> tuple[Any, str]:
    """Finds (armature, bone) for bones that begin where their armature does."""
    if old == main:
        return main, ""
    if old.parent not in armatures_by_name(main).values() or old.parent_type != "BONE":
        raise BuildError(f"{quote(old.name)} is not parented to the bone it was split off from")
    return old.parent, old.parent_bone


def _divide(old: Any, group: Group, taken: Iterable[str]) -> tuple[list[str], tuple[PartPlan, ...]]:
    """Divides the bones into the group's, and a part for the bones below each of these."""
    names = Claims()
    for name in taken:
        names.claim(name)
    members: list[str] = []
    beyond: dict[str, PartPlan] = {}
    homes: dict[str, PartPlan] = {}
    for bone in old.data.bones:
        above = bone.parent.name if bone.parent is not None else ""
        if bone.name in group:
            members.append(bone.name)
        elif above in group:
            if above not in beyond:
                name = names.claim(f"beyond_{group[above]}")
                beyond[above] = PartPlan(name=name, carrier=None, bone=above)
            homes[bone.name] = beyond[above]
        elif above in homes:
            homes[bone.name] = homes[above]
    for name, part in homes.items():
        part.bones.append(name)
    return members, tuple(beyond.values())


def _check_bones(old: Any, bones: Iterable[str]) -> None:
    for name in bones:
        joints = read_joints(old.data.bones[name])
        if len(joints) != 1 or [channel.index for channel in joints[0].channels] != [0]:
            raise BuildError(
                f"bone {quote(name)} does not hold exactly one joint that turns or slides; import "
                "the robot with the rig profile 'morse' to split it"
            )


def _check_object(old: Any) -> None:
    """Checks that nothing would get lost, and that other objects keep their data."""
    name = quote(old.name)
    for datablock in (old, old.data):
        if datablock.library is not None or datablock.override_library is not None:
            raise BuildError(f"{name} belongs to another file; open that one to split it")
    if old.data.users - old.data.use_fake_user > 1:
        raise BuildError(f"{name} shares its bones with another object; make them its own first")
    animated = old.animation_data
    if animated is not None and (animated.action is not None or len(animated.nla_tracks)):
        raise BuildError(f"{name} is animated; split it first, or remove its action")
    for item in bpy.data.objects:
        for modifier in item.modifiers:
            if modifier.type == "ARMATURE" and modifier.object == old:
                raise BuildError(f"{name} deforms {quote(item.name)}, which follows one armature")


def extract_groups(armature: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Returns (name, joints) of each armature that was split off a robot's main one; carriers of
    others come first."""
    return tuple(
        (name_armature(each), tuple(name for bone in each.data.bones for name in name_joints(bone)))
        for each in armatures_of(armature)
        if each != armature
    )
