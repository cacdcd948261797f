# SPDX-License-Identifier: GPL-3.0-or-later
"""Single numbers of a pose as joint positions: what a slider reads and writes."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy

from . import properties
from .keying import insert_key

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
