# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyframes of joints, on the bones' own channels."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import bpy

from . import properties
from .armatures import pose_bones_of

KeyState = Literal["none", "animated", "keyed"]


def insert_key(pose_bone: Any, prop: str, index: int) -> None:
    """A keyframe at the current frame, in the bone's group as Blender's own tools do it."""
    pose_bone.keyframe_insert(prop, index=index, group=pose_bone.name)


def key_joints(armature: Any, names: Iterable[str] | None = None) -> int:
    """Keys the positions of joints (all that follow no other, or those named) at the current
    frame. Gives how many there were."""
    chosen = None if names is None else set(names)
    count = 0
    for pose_bone in pose_bones_of(armature):
        for joint in pose_bone.bone.get(properties.JOINTS, ()):
            if joint.get("mimics") or (chosen is not None and joint["name"] not in chosen):
                continue
            for prop, index in zip(joint["properties"], joint["indices"], strict=True):
                insert_key(pose_bone, prop, index)
            count += 1
    return count


def remove_key(pose_bone: Any, prop: str, index: int) -> None:
    """Takes away the keyframe at the current frame."""
    pose_bone.keyframe_delete(prop, index=index)


def key_state_of(pose_bone: Any, channels: Iterable[Any], curves: Any = None) -> KeyState:
    """The state of several channels of a bone as one: keyed where all are. `curves` are those of
    find_curves, where the caller has them."""
    curves = curves or find_curves(pose_bone.id_data)
    states = {
        find_key_state(curves, pose_bone, channel.prop, channel.index) for channel in channels
    }
    if states == {"keyed"}:
        return "keyed"
    return "none" if states <= {"none"} else "animated"


def find_curves(armature: Any) -> Any | None:
    """The curves of the action that moves an object; Blender 5 keeps them in slots."""
    data = armature.animation_data
    action = data.action if data is not None else None
    if action is None:
        return None
    slot = getattr(data, "action_slot", None)
    if slot is None:
        return getattr(action, "fcurves", None)
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag is not None:
                return bag.fcurves
    return None


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


_LABELS = {
    "planar": ("X", "Y", "Angle"),
    "floating": ("X", "Y", "Z", "Angle X", "Angle Y", "Angle Z"),
    "spherical": ("Angle X", "Angle Y", "Angle Z"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JointChannel:
    """pose_bone.<prop>[index] = sign * position, in radians (`rotation_euler`) or metres
    (`location`). `label` tells the numbers of one joint apart; `lower` and `upper` bound the
    position, None where there is no bound."""

    label: str
    prop: str
    index: int
    sign: int
    lower: float | None
    upper: float | None

    @property
    def turns(self) -> bool:
        return self.prop == "rotation_euler"

    def get(self, pose_bone: Any) -> float:
        """The position that is set; of a joint that follows another, the one it has."""
        return float(self.sign * getattr(pose_bone, self.prop)[self.index])

    def set(self, pose_bone: Any, position: float) -> None:
        """Sets the position, within the limits while the bone has them; with a keyframe while
        Blender's auto keying is on."""
        if holds_limits(pose_bone):
            position = self.clamp(position)
        getattr(pose_bone, self.prop)[self.index] = self.sign * position
        if bpy.context.scene.tool_settings.use_keyframe_insert_auto:
            insert_key(pose_bone, self.prop, self.index)

    def clamp(self, position: float) -> float:
        if self.lower is not None and position < self.lower:
            return self.lower
        if self.upper is not None and position > self.upper:
            return self.upper
        return position

    def is_valid(self, position: float) -> bool:
        """Within the limits, up to single precision."""
        return abs(self.clamp(position) - position) <= 1e-6 * max(1.0, abs(position))

    def find_valid(self, position: float) -> float:
        """The nearest position within the limits: of an angle, on the circle, since Blender's
        limits look at the angle and not at the turns."""
        if self.is_valid(position):
            return position
        candidates = [position]
        if self.turns:
            angle = math.remainder(position, math.tau)
            candidates += [angle + math.tau * turns for turns in range(-2, 3)]
        return self.clamp(min(candidates, key=lambda value: abs(value - self.clamp(value))))


def read_channels(joint: Any) -> tuple[JointChannel, ...]:
    """The numbers of one entry of a bone's `urdf_joints`."""
    labels = _LABELS.get(joint["kind"], ("",))
    return tuple(
        JointChannel(
            label=label,
            prop=prop,
            index=index,
            sign=joint["sign"],
            lower=joint.get("lower"),
            upper=joint.get("upper"),
        )
        for label, prop, index in zip(labels, joint["properties"], joint["indices"], strict=True)
    )


def holds_limits(pose_bone: Any) -> bool:
    """Whether limits of the rig hold this bone: they do unless somebody muted them."""
    return any(not limit.mute for limit in limits_of(pose_bone))


def limits_of(pose_bone: Any) -> Iterator[Any]:
    """The constraints by which an import limits a joint's bone: all of ours that it has."""
    bone = pose_bone.bone
    for name in bone.get(properties.CONSTRAINTS, ()) if properties.JOINTS in bone else ():
        limit = pose_bone.constraints.get(name)
        if limit is not None:
            yield limit
