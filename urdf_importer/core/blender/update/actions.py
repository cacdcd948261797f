# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves the user's keyframes and drivers along with joints that got other channels.

A channel moves by combining or separating joints: another bone, another axis, the other sign. That
is linear, so curves are rewritten. Where a joint now moves differently (turns, where it slid)
its numbers mean something else: the curve is muted, with a warning, and marked by a muted modifier.
Where the joint moves again as it did, the curve is freed.
"""

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import bpy

from ...rig.plan import BONE_NAME_BYTES
from ...rig.rig_plan import MECHANISM, RigPlan
from ..standing import properties
from ..standing.joints import read_joints
from ..standing.keys import bags_of

Channel = tuple[str, str, int]
"""Bone, property, index."""

_PATH = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(location|rotation_euler)$')
_ELEMENT = re.compile(r"^(.*)\[([0-2])\]$")
_ANIMATED = (
    "armatures", "cameras", "collections", "curves", "lights", "materials", "meshes", "objects",
    "scenes", "shape_keys", "worlds",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Where a joint's channel went; `sign` is -1 where the number changes its sign. `channel` is
    None where the joint moves differently now: `mark` then says how it moved."""

    joint: str
    channel: Channel | None
    sign: int = 1
    mark: str = ""


Freed = dict[str, Move]
"""The mark of a muted curve -> where the curve goes that moves its joint again."""


def plan_moves(armature: Any, plan: RigPlan, renames: Mapping[str, str]) -> dict[Channel, Move]:
    """Plans old channel -> where it goes, for joints whose channel changes. Old bones have the
    names that they get from `renames`. To be called before the bones change."""
    planned = {joint.joint.name: joint for joint in plan.joints}
    moves: dict[Channel, Move] = {}
    for joint in (joint for bone in armature.data.bones for joint in read_joints(bone)):
        new = planned.get(joint.name)
        if new is None:
            continue
        called = renames.get(joint.bone, joint.bone)
        for number, held in enumerate(joint.channels):
            old = (called, held.prop, held.index)
            if new.kind != joint.kind:
                mark = _mark(joint.kind, number, joint.sign, joint.name)
                moves[old] = Move(joint=joint.name, channel=None, mark=mark)
                continue
            channel = new.channels[number]
            to = (channel.bone, channel.property, channel.index)
            sign = new.sign * joint.sign
            if to != old or sign != 1:
                moves[old] = Move(joint=joint.name, channel=to, sign=sign)
    return moves


def plan_freed(plan: RigPlan) -> Freed:
    """Plans where curves go that were muted while their joints moved in another way."""
    return {
        _mark(joint.kind, number, sign, joint.joint.name): Move(
            joint=joint.joint.name,
            channel=(channel.bone, channel.property, channel.index),
            sign=sign * joint.sign,
        )
        for joint in plan.joints
        for number, channel in enumerate(joint.channels)
        for sign in (1, -1)
    }


def _mark(kind: str, number: int, sign: int, joint: str) -> str:
    """Returns the name of the modifier that marks a muted curve. Blender cuts names: the checksum
    tells joints apart whose names begin alike."""
    mark = f"urdf {kind} {number} {sign:+d} {zlib.crc32(joint.encode()):08x} {joint}"
    return mark.encode()[:BONE_NAME_BYTES].decode(errors="ignore")


def move_curves(
    armature: Any, moves: Mapping[Channel, Move], renames: Mapping[str, str], freed: Freed
) -> list[str]:
    """Rewrites the keyframes and drivers of the joints. Returns the joints whose curves were muted.

    To be called when the bones have their new names. Blender has then corrected names in the
    actions that the armature uses; names in unused actions are corrected here.
    """
    muted: dict[str, bool] = {}
    if not (moves or renames):
        return []
    for curves in _used_curves(armature):
        muted |= _move_all(curves, moves, freed)
    for curves in _unused_curves(set(renames) | {bone for bone, _, _ in moves}):
        _rename_paths(curves, renames)
        muted |= _move_all(curves, moves, freed)
    if armature.animation_data is not None:
        muted |= _move_all(armature.animation_data.drivers, moves, freed)
    _move_variables(armature, moves)
    return list(muted)


def _move_all(curves: Any, moves: Mapping[Channel, Move], freed: Freed) -> dict[str, bool]:
    """Moves the curves of a collection, each from where it was before, so that channels may change
    places. A curve that stays where another one moves to belongs to a locked channel that was keyed
    along with the others: it is removed, since Blender would play only one of the two."""
    muted: dict[str, bool] = {}
    found = [(curve, _free(curve, freed) or moves.get(_place_of(curve))) for curve in curves]
    superfluous = []
    taken = {move.channel for _, move in found if move is not None}
    for curve, move in found:
        if move is None:
            channel = _channel_of(curve)
            if channel is not None and channel in taken:
                superfluous.append(curve)
            continue
        if move.channel is None:
            _mute(curve, move.mark)
            muted[move.joint] = True
            continue
        bone, prop, index = move.channel
        curve.data_path = f"{_path(bone)}.{prop}"
        curve.array_index = index
        if move.sign < 0:
            _negate(curve)
    for curve in superfluous:
        curves.remove(curve)
    return muted


def _mute(curve: Any, mark: str) -> None:
    """Mutes a curve, and marks it unless the user had muted it."""
    if not curve.mute:
        modifier = curve.modifiers.new("LIMITS")
        modifier.mute, modifier.name = True, mark
    curve.mute = True


def _free(curve: Any, freed: Freed) -> Move | None:
    """Frees a marked curve whose joint moves again as it did; returns where it goes."""
    for modifier in curve.modifiers if curve.mute else ():
        move = freed.get(modifier.name)
        if move is not None:
            curve.modifiers.remove(modifier)
            curve.mute = False
            return move
    return None


def _negate(curve: Any) -> None:
    if curve.driver is not None:
        driver = curve.driver
        if driver.type != "SCRIPTED":
            names = [variable.name for variable in driver.variables]
            joined = ", ".join(names) or "0.0"
            driver.expression = {
                "AVERAGE": f"({' + '.join(names) or '0.0'}) / {max(len(names), 1)}",
                "SUM": " + ".join(names) or "0.0",
                "MIN": f"min({joined})",
                "MAX": f"max({joined})",
            }[driver.type]
            driver.type = "SCRIPTED"
        driver.expression = f"-({driver.expression})"
        return
    for point in curve.keyframe_points:
        point.co[1] *= -1
        point.handle_left[1] *= -1
        point.handle_right[1] *= -1
    curve.update()


def _channel_of(curve: Any) -> Channel | None:
    found = _PATH.match(curve.data_path)
    if found is None:
        return None
    return (bpy.utils.unescape_identifier(found[1]), found[2], curve.array_index)


def _place_of(curve: Any) -> Channel:
    return _channel_of(curve) or ("", "", 0)


def _path(bone: str) -> str:
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"]'


def find_lost(armature: Any, plan: RigPlan, names: Any | None) -> tuple[str, ...]:
    """Finds the joints that will not move in a new plan, after a renaming (NewNames), but have
    keyframes: in actions that the armature plays, or that nothing plays."""
    renamed = {} if names is None else names.joints
    moving = {joint.joint.name for joint in plan.joints}
    bones = {bone.name for bone in armature.data.bones}
    keyed = {
        _channel_of(curve)
        for curves in (*_used_curves(armature), *_unused_curves(bones))
        for curve in curves
        if curve.keyframe_points
    }
    return tuple(
        joint.name
        for bone in armature.data.bones
        for joint in read_joints(bone)
        if renamed.get(joint.name, joint.name) not in moving
        and any((joint.bone, each.prop, each.index) in keyed for each in joint.channels)
    )


# Which curves


def _used_curves(armature: Any) -> Iterator[Any]:
    """Yields the collections of curves of each action that the armature plays, now or in its NLA
    tracks."""
    animated = armature.animation_data
    if animated is None:
        return
    seen = set()
    users = [(animated.action, getattr(animated, "action_slot", None))]
    for track in animated.nla_tracks:
        users += [(strip.action, getattr(strip, "action_slot", None)) for strip in track.strips]
    for action, slot in users:
        key = (action, slot.handle if slot else None)
        if action is not None and key not in seen:
            seen.add(key)
            yield from _curves_of(action, slot)


def _unused_curves(bones: set[str]) -> Iterator[Any]:
    """Yields the collections of curves of actions that no object plays but that name these bones:
    users keep them for later. They are taken to be of this rig."""
    played, heads = set(_played_actions()), tuple(map(_path, bones))
    for action in bpy.data.actions:
        if action in played:
            continue
        for slot in getattr(action, "slots", (None,)):
            for curves in _curves_of(action, slot):
                if any(curve.data_path.startswith(heads) for curve in curves):
                    yield curves


def _played_actions() -> Iterator[Any]:
    for item in bpy.data.objects:
        animated = item.animation_data
        if animated is not None:
            yield animated.action
            for track in animated.nla_tracks:
                yield from (strip.action for strip in track.strips)


def _curves_of(action: Any, slot: Any | None) -> list[Any]:
    """Returns the collections of curves of a slot of an action; before 4.4 it has neither slots nor
    handles, and one collection."""
    handle = slot.handle if slot else None
    bags = bags_of(action)
    return [bag.fcurves for bag in bags if getattr(bag, "slot_handle", None) == handle]


def _rename_paths(curves: Iterable[Any], renames: Mapping[str, str]) -> None:
    for curve in curves:
        for old, new in renames.items():
            if curve.data_path.startswith(_path(old)):
                curve.data_path = _path(new) + curve.data_path.removeprefix(_path(old))
                break


# Drivers of other objects that read a joint


def _move_variables(armature: Any, moves: Mapping[Channel, Move]) -> None:
    """Keeps the user's drivers that read a joint's channel reading the joint."""
    own = [
        f"{_path(bone.name)}.constraints["
        for bone in armature.data.bones
        if bone.get(properties.PART) == MECHANISM
    ]
    for owner, curve in _all_drivers():
        if owner == armature and curve.data_path.startswith(tuple(own)):
            continue
        for variable in curve.driver.variables:
            for target in variable.targets:
                if variable.type == "SINGLE_PROP" and target.id == armature:
                    _move_target(curve.driver, variable.name, target, moves)


def note_variables(armature: Any, bones: Iterable[str]) -> list[tuple[Any, str, str]]:
    """Notes the drivers that read these bones by their paths: (target, bone, rest of the path). To
    be called before the bones are renamed: some of Blender's versions correct such paths, others do
    not."""
    heads = {_path(bone): bone for bone in bones}
    return [
        (target, bone, target.data_path[len(head) :])
        for _, curve in _all_drivers()
        for variable in curve.driver.variables
        for target in variable.targets
        if variable.type == "SINGLE_PROP" and target.id == armature
        for head, bone in heads.items()
        if target.data_path.startswith(head)
    ]


def rename_variables(noted: Iterable[tuple[Any, str, str]], renames: Mapping[str, str]) -> None:
    """Lets the drivers noted by note_variables read the bones under their new names."""
    for target, bone, tail in noted:
        wanted = _path(renames[bone]) + tail
        if target.data_path != wanted:
            target.data_path = wanted


def _move_target(driver: Any, name: str, target: Any, moves: Mapping[Channel, Move]) -> None:
    element = _ELEMENT.match(target.data_path)
    found = _PATH.match(element[1]) if element else None
    if element is None or found is None:
        return
    old = (bpy.utils.unescape_identifier(found[1]), found[2], int(element[2]))
    move = moves.get(old)
    if move is None or move.channel is None:
        return
    bone, prop, index = move.channel
    target.data_path = f"{_path(bone)}.{prop}[{index}]"
    if move.sign < 0 and driver.type == "SCRIPTED":
        driver.expression = re.sub(rf"\b{re.escape(name)}\b", f"(-{name})", driver.expression)


def _all_drivers() -> Iterator[tuple[Any, Any]]:
    """Yields (owner, driver) of the whole file."""
    for kind in _ANIMATED:
        for owner in getattr(bpy.data, kind):
            animated = getattr(owner, "animation_data", None)
            if animated is not None:
                yield from ((owner, curve) for curve in animated.drivers)
