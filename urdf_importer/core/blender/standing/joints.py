# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a rig as typed records: the bone and the numbers that hold a joint's position.

An import writes them on the bones and on the links' empties. Only this module knows the keys of
these properties, which docs/reference/rig_properties.md documents for users.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from ...kinematics.motion import clamp
from ...rig.rig_plan import JointPlan, Property
from . import properties
from .armatures import armatures_of, keep_numbers, name_armature
from .keys import insert_key

_LABELS = {
    "planar": ("X", "Y", "Angle"),
    "floating": ("X", "Y", "Z", "Angle X", "Angle Y", "Angle Z"),
    "spherical": ("Angle X", "Angle Y", "Angle Z"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JointChannel:
    """pose_bone.<prop>[index] = sign * position, in radians (`rotation_euler`) or metres
    (`location`). `label` distinguishes the numbers of one joint; `lower` and `upper` bound the
    position, None where there is no bound."""

    label: str
    prop: Property
    index: int
    sign: int
    lower: float | None
    upper: float | None

    @property
    def turns(self) -> bool:
        return self.prop == "rotation_euler"

    def get(self, pose_bone: Any) -> float:
        """Returns the set position; of a joint that follows another joint, its present position."""
        return float(self.sign * getattr(pose_bone, self.prop)[self.index])

    def put(self, pose_bone: Any, position: float) -> None:
        """Sets the position without limits."""
        getattr(pose_bone, self.prop)[self.index] = self.sign * position

    def set(self, pose_bone: Any, position: float) -> None:
        """Sets the position, within the limits while the bone has them; with a keyframe while
        Blender's auto keying is on."""
        self.put(pose_bone, self.hold(pose_bone, position))
        if bpy.context.scene.tool_settings.use_keyframe_insert_auto:
            insert_key(pose_bone, self.prop, self.index)

    def clamp(self, position: float) -> float:
        """Returns the nearest position within the limits."""
        return clamp(position, self.lower, self.upper)

    def hold(self, pose_bone: Any, position: float) -> float:
        """Returns the nearest position that the bone can show: within the limits while it has
        them."""
        return self.clamp(position) if holds_limits(pose_bone) else position

    def shown(self, pose_bone: Any) -> float:
        """Returns the position that is set, within the limits while the bone has them."""
        return self.hold(pose_bone, self.get(pose_bone))

    def is_valid(self, position: float) -> bool:
        """Whether a position is within the limits, up to single precision."""
        return abs(self.clamp(position) - position) <= 1e-6 * max(1.0, abs(position))

    def find_valid(self, position: float) -> float:
        """Returns the nearest position within the limits: of an angle, on the circle, since
        Blender's limits look at the angle and not at the turns."""
        if self.is_valid(position):
            return position
        candidates = [position]
        if self.turns:
            angle = math.remainder(position, math.tau)
            candidates += [angle + math.tau * turns for turns in range(-2, 3)]
        return self.clamp(min(candidates, key=lambda value: abs(value - self.clamp(value))))


@dataclass(frozen=True, slots=True, kw_only=True)
class RigJoint:
    """A moving joint on its bone.

    kind      revolute (also continuous joints), prismatic, planar, floating or spherical
    armature  the armature that has the bone, named as name_armature does
    channels  the numbers that hold its position: one for a revolute or prismatic joint
    initial   the position at which an import starts the joint
    mimics    the joint that it follows; empty if it moves on its own
    """

    name: str
    kind: str
    armature: str
    bone: str
    channels: tuple[JointChannel, ...]
    initial: float
    mimics: str

    @property
    def sign(self) -> int:
        return self.channels[0].sign

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """Lower and upper bound of its position; None where there is no bound."""
        return self.channels[0].lower, self.channels[0].upper


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkJoint:
    """The joint above a link, of any type: its name, its type as described, its parent link."""

    name: str
    type: str
    parent: str


def write_joints(bone: Any, joints: Sequence[JointPlan]) -> None:
    """Puts on a bone which of its channels hold which joint's position."""
    bone[properties.JOINTS] = [_pack(joint) for joint in joints]


def forget_joints(bone: Any) -> None:
    """Removes the properties that write_joints put there."""
    bone.pop(properties.JOINTS, None)


def keep_joints(armature: Any, names: Collection[str]) -> Callable[[], None]:
    """Keeps the numbers of joints, to the last bit; returns the way back."""
    return keep_numbers(
        (bone, channel.prop)
        for bone, joint in posed_joints_of(armature)
        if joint.name in names
        for channel in joint.channels
    )


def rename_joints(bone: Any, names: Mapping[str, str]) -> None:
    """Gives the joints of a bone, and their leaders, other names: old -> new."""
    for joint in bone.get(properties.JOINTS, ()):
        for key in ("name", "mimics"):
            if joint.get(key) in names:
                joint[key] = names[joint[key]]


def has_joints(bone: Any) -> bool:
    """Whether a bone, not a pose bone, holds joints."""
    return properties.JOINTS in bone


def read_joints(bone: Any, armature: str = "") -> tuple[RigJoint, ...]:
    """Returns the joints of a bone, not of a pose bone, outermost first; none of other bones.
    `armature` is the name of the armature that it is in."""
    try:
        return tuple(
            RigJoint(
                name=joint["name"],
                kind=joint["kind"],
                armature=armature,
                bone=bone.name,
                channels=_read_channels(joint),
                initial=joint["initial"],
                mimics=joint.get("mimics", ""),
            )
            for joint in bone.get(properties.JOINTS, ())
        )
    except (LookupError, AttributeError, TypeError, ValueError):
        raise properties.edited_by_hand(bone, properties.JOINTS) from None


def name_joints(bone: Any) -> tuple[str, ...]:
    """Returns the names alone of the joints of a bone."""
    return tuple(joint["name"] for joint in bone.get(properties.JOINTS, ()))


def joints_of(armature: Any) -> Iterator[RigJoint]:
    """Yields the moving joints of a robot, in the order of armatures and bones."""
    for home in armatures_of(armature):
        name = name_armature(home)
        for bone in home.data.bones:
            yield from read_joints(bone, name)


def posed_joints_of(armature: Any) -> Iterator[tuple[Any, RigJoint]]:
    """Yields the moving joints of a robot, each after its pose bone."""
    for home in armatures_of(armature):
        name = name_armature(home)
        for pose_bone in home.pose.bones if home.pose else ():
            for joint in read_joints(pose_bone.bone, name):
                yield pose_bone, joint


def is_locked(pose_bone: Any, channel: JointChannel) -> bool:
    """Whether the lock of a bone keeps a channel from being moved."""
    locks = pose_bone.lock_rotation if channel.turns else pose_bone.lock_location
    return bool(locks[channel.index])


def list_held(armature: Any) -> frozenset[str]:
    """Lists the joints that are held now, in the displayed frame where locks have keys: all their
    channels are locked. Every solver leaves these where they are; explicit positions move them."""
    return frozenset(
        joint.name
        for bone, joint in posed_joints_of(armature)
        if joint.channels and all(is_locked(bone, each) for each in joint.channels)
    )


def follow_leaders(joints: Mapping[str, RigJoint], name: str) -> Iterator[RigJoint]:
    """Yields a joint and then its leaders, up to the first joint without one."""
    for _ in joints:
        joint = joints.get(name)
        if joint is None:
            return
        yield joint
        name = joint.mimics


def holds_limits(pose_bone: Any) -> bool:
    """Whether limits of the rig hold this bone: they do unless a user muted them."""
    return any(not limit.mute for limit in limits_of(pose_bone))


def limits_of(pose_bone: Any) -> Iterator[Any]:
    """Yields the constraints by which an import limits a joint's bone."""
    for name in name_limits(pose_bone.bone):
        limit = pose_bone.constraints.get(name)
        if limit is not None:
            yield limit


def name_limits(bone: Any) -> tuple[str, ...]:
    """Returns the names of these constraints: an import puts no others on a joint's bone."""
    return tuple(bone.get(properties.CONSTRAINTS, ())) if has_joints(bone) else ()


LINK_JOINT = properties.JOINT
"""The property of a link's empty for the joint above it."""


def write_link_joint(empty: Any, joint: Mapping[str, Any]) -> None:
    """Puts on a link's empty the joint above the link, as properties.pack made it."""
    empty[properties.JOINT] = joint


def find_packed_joint(empty: Any) -> Mapping[str, Any] | None:
    """Returns the joint above a link, as properties.pack made it; None at a root."""
    described = properties.read_group(empty, properties.JOINT, "name", "parent")
    packed: Mapping[str, Any] | None = None if described is None else described.to_dict()
    return packed


def read_link_joint(empty: Any) -> LinkJoint | None:
    """Returns the joint above a link, from the link's empty; None at a root."""
    joint = properties.read_group(empty, properties.JOINT, "name", "parent")
    if joint is None:
        return None
    return LinkJoint(name=joint["name"], type=joint.get("type", ""), parent=joint["parent"])


def _pack(joint: JointPlan) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": joint.joint.name,
        "type": joint.joint.type,
        "kind": joint.kind,
        "properties": [channel.property for channel in joint.channels],
        "indices": [channel.index for channel in joint.channels],
        "sign": joint.sign,
        "initial": joint.initial,
    }
    optional = {"lower": joint.lower, "upper": joint.upper, "mimics": joint.mimics or None}
    return described | {key: value for key, value in optional.items() if value is not None}


def _read_channels(joint: Any) -> tuple[JointChannel, ...]:
    labels = _LABELS.get(joint["kind"], ("",))
    sign, lower, upper = joint["sign"], joint.get("lower"), joint.get("upper")
    return tuple(
        JointChannel(label=label, prop=prop, index=index, sign=sign, lower=lower, upper=upper)
        for label, prop, index in zip(labels, joint["properties"], joint["indices"], strict=True)
    )
