# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of joints as bone collections under a collection `Groups`, beside the rig's own.

A bone may be in many groups, and hold several joints; so the group in the SRDF counts, as long as
its collection has the bones that it was given. Once the user takes bones out or puts others in, the
joints of its present bones are the group.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...diagnostics import unknown_name
from ...kinematics.semantic_groups import describe_group, resolve_groups
from ...model import Group, Robot, Semantics
from ...rig.rig_plan import FIXED, JOINTS, MECHANISM, MODELS
from ..standing import properties
from ..standing.armatures import armatures_of
from ..standing.joints import joints_of, read_joints
from ..standing.selection import select_bones
from .control import find_control, name_virtual_joint

GROUPS = "Groups"
_OF_THE_RIG = (JOINTS, FIXED, MECHANISM, MODELS)


def build_groups(armature: Any, robot: Robot, semantics: Semantics) -> None:
    """Makes the collections of all groups that have joints on bones, in place of existing ones.
    Each armature of a robot gets the groups whose bones it has."""
    bones: dict[str, dict[str, list[str]]] = {}
    for name, members in find_members(armature, robot, semantics).items():
        for home, bone in members:
            bones.setdefault(home, {}).setdefault(name, []).append(bone)
    for home in _homes_of(armature):
        shown = _remove_groups(home.data)
        wanted = bones.get(home.name, {})
        if not wanted:
            continue
        above = _find_above(home.data) or home.data.collections.new(GROUPS)
        above[properties.PART] = GROUPS
        for name, own in wanted.items():
            made = home.data.collections.new(name, parent=above)
            made[properties.GROUP] = name
            made.is_visible = shown.get(name, True)
            for each in own:
                made.assign(home.data.bones[each])


def find_members(
    armature: Any, robot: Robot, semantics: Semantics
) -> dict[str, list[tuple[str, str]]]:
    """Returns group -> (object, bone) of all bones that hold its joints; groups without bones are
    left out."""
    places: dict[str, tuple[str, str]] = {}
    for home in _homes_of(armature):
        for bone in home.data.bones:
            places |= {name: (home.name, bone.name) for name, _ in _names_on(home, bone)}
    found = {}
    for name, joints in resolve_groups(robot, semantics).items():
        members = list(dict.fromkeys(places[joint] for joint in joints if joint in places))
        if members:
            found[name] = members
    return found


def find_collections(armature: Any) -> Iterator[tuple[Any, Any]]:
    """Yields (armature object, bone collection) of all groups; where there is no collection
    `Groups`, of all collections of the user."""
    for home in _homes_of(armature):
        above = _find_above(home.data)
        if above is not None:
            yield from ((home, each) for each in above.children)
            continue
        for each in home.data.collections:
            if each.get(properties.PART, each.name) not in _OF_THE_RIG:
                yield home, each


def name_group(collection: Any) -> str:
    """Returns the name of the group that a bone collection shows."""
    return str(collection.get(properties.GROUP, collection.name))


def select_group(armature: Any, name: str) -> None:
    """Selects the bones of a group, in pose mode. Raises KinematicsError for an unknown group."""
    homes = {home.name: home for home in _homes_of(armature)}
    bones: dict[Any, list[str]] = {}
    for home, bone in _members_of(armature, name):
        bones.setdefault(homes[home], []).append(bone)
    select_bones(bones)


def joints_of_group(armature: Any, name: str) -> tuple[str, ...]:
    """Returns the joints on the bones of a group, without followers. Raises KinematicsError for an
    unknown group."""
    return _joints_on(armature, _members_of(armature, name))


def _members_of(armature: Any, name: str) -> list[tuple[str, str]]:
    found = _find_shown(armature)
    if not found.get(name):
        raise unknown_name("the robot has no group", name, sorted(found), after=" with bones")
    return found[name]


def _find_shown(armature: Any) -> dict[str, list[tuple[str, str]]]:
    """Returns group -> (object, bone) of all bones in its collections."""
    found: dict[str, list[tuple[str, str]]] = {}
    for home, collection in find_collections(armature):
        bones = found.setdefault(name_group(collection), [])
        bones += [(home.name, bone.name) for bone in collection.bones]
    return found


def extract_groups(armature: Any, robot: Robot, semantics: Semantics) -> tuple[Group, ...]:
    """Returns the groups as the rig has them: the SRDF's, in their order, with the joints of
    changed collections, then the user's own."""
    members = _find_shown(armature)
    planned = find_members(armature, robot, semantics)
    kept = []
    for group in semantics.groups:
        if not members or group.name not in planned:
            kept.append(group)
        elif group.name in members:
            changed = set(members[group.name]) != set(planned[group.name])
            joints = _joints_on(armature, members[group.name])
            now = describe_group(robot, group.name, joints)
            now = replace(now, attributes=group.attributes, extras=group.extras, line=group.line)
            kept.append(now if changed else group)
    known = {group.name for group in semantics.groups}
    new = [name for name, bones in members.items() if name not in known and bones]
    return (*kept, *(describe_group(robot, n, _joints_on(armature, members[n])) for n in new))


def _joints_on(armature: Any, members: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Returns the joints of these bones, without followers."""
    by_name: Mapping[str, Any] = {home.name: home for home in _homes_of(armature)}
    names = {
        name
        for home, bone in set(members)
        for name, follows in _names_on(by_name[home], by_name[home].data.bones[bone])
        if not follows
    }
    control = find_control(armature)
    virtual = [] if control is None else [name_virtual_joint(control)]
    every = [*virtual, *(joint.name for joint in joints_of(armature))]
    return tuple(name for name in every if name in names)


def _homes_of(armature: Any) -> list[Any]:
    """Lists the armatures of a robot, and its root control's."""
    control = find_control(armature)
    return [*armatures_of(armature), *([] if control is None else [control])]


def _names_on(home: Any, bone: Any) -> list[tuple[str, bool]]:
    """Lists (joint, whether it follows another) of a bone."""
    if properties.VIRTUAL_JOINT in home:
        return [(name_virtual_joint(home), False)]
    return [(joint.name, bool(joint.mimics)) for joint in read_joints(bone)]


def _find_above(data: Any) -> Any | None:
    found = (each for each in data.collections if each.get(properties.PART, each.name) == GROUPS)
    return next(found, None)


def _remove_groups(data: Any) -> dict[str, bool]:
    """Removes the collections of groups; the user's own stay. Returns which were shown."""
    above = _find_above(data)
    if above is None:
        return {}
    shown = {}
    for each in list(above.children):
        name = each.get(properties.GROUP)
        if name is not None:
            shown[str(name)] = each.is_visible
            data.collections.remove(each)
    if not above.children and not len(above.bones):
        data.collections.remove(above)
    return shown
