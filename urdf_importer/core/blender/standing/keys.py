# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyframes on the channels of bones, and the actions that hold them."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal

import bpy

from .armatures import keep_channels

KeyState = Literal["none", "animated", "keyed"]


def insert_key(pose_bone: Any, prop: str, index: int) -> None:
    """Inserts a keyframe at the current frame, in the bone's group as Blender's own tools do it."""
    pose_bone.keyframe_insert(prop, index=index, group=pose_bone.name)


def remove_key(pose_bone: Any, prop: str, index: int) -> None:
    """Removes the keyframe at the current frame."""
    pose_bone.keyframe_delete(prop, index=index)


def key_state_of(pose_bone: Any, channels: Iterable[Any], curves: Any = None) -> KeyState:
    """Returns the state of several channels of a bone as one: keyed where all are. `curves` are
    from find_curves, where the caller has them."""
    curves = curves or find_curves(pose_bone.id_data)
    states = {
        find_key_state(curves, pose_bone, channel.prop, channel.index) for channel in channels
    }
    if states == {"keyed"}:
        return "keyed"
    return "none" if states <= {"none"} else "animated"


def find_curves(armature: Any) -> Any | None:
    """Finds the curves of the action that moves an object; Blender 5 keeps them in slots."""
    data = armature.animation_data
    action = data.action if data is not None else None
    if action is None:
        return None
    slot = getattr(data, "action_slot", None)
    if slot is None:
        return getattr(action, "fcurves", None)
    bags = (bag for bag in bags_of(action) if bag.slot_handle == slot.handle)
    return next((bag.fcurves for bag in bags), None)


def curves_of(action: Any) -> list[Any]:
    """Lists the curves of an action, of all objects that it moves."""
    return [curve for bag in bags_of(action) for curve in bag.fcurves]


def bags_of(action: Any) -> list[Any]:
    """Lists the holders of an action's curves and groups: itself up to Blender 4.3, later a bag for
    each slot in each strip."""
    if not hasattr(action, "slots"):
        return [action]
    strips = [strip for layer in action.layers for strip in layer.strips]
    return [bag for strip in strips for bag in strip.channelbags]


def is_keyed_now(item: Any) -> bool:
    """Whether an object has a keyframe at the current frame, of any of its numbers."""
    frame = bpy.context.scene.frame_current_final
    return any(
        abs(point.co.x - frame) < 1e-3
        for curve in find_curves(item) or ()
        for point in curve.keyframe_points
    )


def find_key_state(curves: Any | None, pose_bone: Any, prop: str, index: int) -> KeyState:
    """Whether a number of a bone is animated, and has a keyframe at the current frame."""
    curve = curves.find(f"{pose_bone.path_from_id()}.{prop}", index=index) if curves else None
    if curve is None:
        return "none"
    frame = bpy.context.scene.frame_current_final
    points = curve.keyframe_points
    place = bisect_left(points, frame - 1e-3, key=lambda point: point.co.x)
    near = place < len(points) and abs(points[place].co.x - frame) < 1e-3
    return "keyed" if near else "animated"


@contextmanager
def playing(armature: Any, action: Any) -> Iterator[None]:
    """Lets an armature play an action. Afterwards all is as before, numbers without keyframes too,
    which Blender overwrites when it plays the assigned action again."""
    had = armature.animation_data is not None
    data = armature.animation_data or armature.animation_data_create()
    before = {
        name: getattr(data, name) for name in ("action", "action_slot") if hasattr(data, name)
    }
    muted, slot_name = data.use_nla, getattr(data, "last_slot_identifier", None)
    put_back = keep_channels(armature)
    try:
        data.use_nla = False
        data.action = action
        _choose_slot(data, action)
        yield
    finally:
        data.use_nla = muted
        for name, value in before.items():
            if name == "action" or value is not None:
                setattr(data, name, value)
        if slot_name is not None:
            with suppress(AttributeError):
                data.last_slot_identifier = slot_name
        if not had:
            armature.animation_data_clear()
        bpy.context.view_layer.update()
        put_back()


def _choose_slot(data: Any, action: Any) -> None:
    if getattr(data, "action_slot", False) is None:
        slots = [each for each in action.slots if each.target_id_type in ("OBJECT", "UNSPECIFIED")]
        if slots:
            data.action_slot = slots[0]
