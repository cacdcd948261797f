# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of joints on the channels of their bones.

Limit Rotation takes the bone's rotation apart into Euler angles, and there are always two ways to
do that. It takes the one with the smaller angles, which is the wanted one while the absolute angles
sum to less than 270 degrees; near the middle angle's 90 degrees the parts lose their precision too.
Bones whose joints can leave that range get a hidden limit bone instead: drivers hold its channels
within the limits, number by number, and the bone copies its transform. Exact at every angle; the
price is that transform tools do not stop at the limit, only the bone does.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from .rig_plan import (
    BoneChannel,
    BonePlan,
    ConstraintPlan,
    CopyAllPlan,
    DriverPlan,
    JointPlan,
    LimitPlan,
    Property,
)


def free_channels(
    joints: Sequence[JointPlan], *, enforce_limits: bool
) -> tuple[tuple[Property, int], ...]:
    """Returns the channels that a user may move: no followers, nor channels that their limits hold
    in place."""
    return tuple(
        (channel.property, channel.index)
        for joint in joints
        if not joint.mimics and not (enforce_limits and is_locked(joint))
        for channel in joint.channels
    )


def is_locked(joint: JointPlan) -> bool:
    return joint.lower is not None and joint.lower == joint.upper


def bounds(joint: JointPlan) -> tuple[float | None, float | None]:
    """Returns lower and upper bound of the joint's channel (its sign applied)."""
    if joint.sign > 0:
        return joint.lower, joint.upper
    return (
        None if joint.upper is None else -joint.upper,
        None if joint.lower is None else -joint.lower,
    )


def clamp(joint: JointPlan, *, enforce_limits: bool) -> str:
    """Returns a driver expression for the channel q of this joint, held within its limits."""
    lower, upper = bounds(joint) if enforce_limits and not joint.mimics else (None, None)
    if lower is not None and upper is not None:
        return f"clamp(q, {lower!r}, {upper!r})"
    if lower is not None:
        return f"max(q, {lower!r})"
    return "q" if upper is None else f"min(q, {upper!r})"


_SAFE_SUM = math.radians(265)
_SAFE_MIDDLE = math.radians(85)
_MOST = 1000.0
"""Blender's own bound of a Limit Rotation's angles (radians)."""

Range = tuple[float | None, float | None]


def plan_limits(bone: BonePlan, joints: Sequence[JointPlan]) -> list[LimitPlan]:
    """Plans native limit constraints for the joints of one bone."""
    plans = []
    for prop in ("location", "rotation_euler"):
        ranges = _ranges(joints, prop)
        if prop == "rotation_euler":
            ranges = {index: found for index, found in ranges.items() if None not in found}
        if ranges:
            sides = [ranges.get(index, (None, None)) for index in range(3)]
            plans.append(
                LimitPlan(
                    bone=bone.name,
                    property=prop,
                    lower=(_bound(sides[0][0]), _bound(sides[1][0]), _bound(sides[2][0])),
                    upper=(_bound(sides[0][1]), _bound(sides[1][1]), _bound(sides[2][1])),
                )
            )
    return plans


def needs_limit_bone(joints: Sequence[JointPlan]) -> bool:
    """Whether native limits could go wrong on this bone."""
    turning = [joint for joint in joints if joint.kind == "revolute"]
    if len(turning) < 2 or not _ranges(turning, "rotation_euler"):
        return False
    widest = [_widest(joint) for joint in turning]
    return sum(widest) > _SAFE_SUM or (len(turning) == 3 and widest[1] > _SAFE_MIDDLE)


def plan_limit_bone(
    bone: BonePlan, joints: Sequence[JointPlan], name: str
) -> tuple[BonePlan, list[ConstraintPlan], list[DriverPlan]]:
    """Plans the hidden bone that holds the joints of `bone` within their limits.

    It has no parent: `bone` copies only its own transform, and under a parent that Blender's IK
    turns it would wait for the IK, which waits for it.
    """
    limit_bone = replace(hidden_twin(bone, name), parent="")
    drivers = drive_channels(name, joints, enforce_limits=True)
    return limit_bone, [CopyAllPlan(bone=bone.name, target=name)], drivers


def drive_channels(
    bone: str, joints: Sequence[JointPlan], *, enforce_limits: bool
) -> list[DriverPlan]:
    """Drivers that give a hidden bone the numbers of these joints, held within their limits."""
    return [
        DriverPlan(
            channel=BoneChannel(bone=bone, property=channel.property, index=channel.index),
            source=channel,
            evaluated=False,
            expression=clamp(joint, enforce_limits=enforce_limits),
        )
        for joint in joints
        for channel in joint.channels
    ]


def hidden_twin(bone: BonePlan, name: str) -> BonePlan:
    """Returns a mechanism bone with the same rest frame and parent, which is not moved by hand."""
    return BonePlan(
        name=name,
        parent=bone.parent,
        rest=bone.rest,
        length=bone.length,
        collection="Mechanism",
        rotation_mode=bone.rotation_mode,
        exact=bone.exact,
    )


def plan_ik_limits(
    joints: Sequence[JointPlan],
) -> tuple[tuple[float, float] | None, tuple[float, float] | None, tuple[float, float] | None]:
    """Plans bounds for Blender's IK, which must hold zero and lie within half a turn."""
    found: list[tuple[float, float] | None] = [None, None, None]
    for joint in joints:
        lower, upper = bounds(joint)
        if lower is None or upper is None or not keeps_ik_limit(joint.kind, lower, upper):
            continue
        found[joint.channels[0].index] = (
            max(min(lower, 0.0), -math.pi),
            min(max(upper, 0.0), math.pi),
        )
    return found[0], found[1], found[2]


def keeps_ik_limit(kind: str, lower: float | None, upper: float | None) -> bool:
    """Returns whether Blender's IK keeps a joint within its bounds (radians): only a turning joint,
    with less than one turn, and not locked in place."""
    if kind != "revolute" or lower is None or upper is None:
        return False
    return 0.0 < upper - lower < 2 * math.pi


def _ranges(joints: Sequence[JointPlan], prop: Property | str) -> dict[int, Range]:
    """Axis index -> bounds, of joints that have bounds and follow no other joint."""
    return {
        joint.channels[0].index: bounds(joint)
        for joint in joints
        if not joint.mimics
        and joint.channels[0].property == prop
        and (joint.lower is not None or joint.upper is not None)
    }


def _widest(joint: JointPlan) -> float:
    """The largest absolute angle that the joint can show, as a wrapped angle."""
    if joint.lower is None or joint.upper is None or joint.mimics:
        return math.pi
    return min(max(abs(joint.lower), abs(joint.upper)), math.pi)


def _bound(value: float | None) -> float | None:
    return None if value is None else min(max(value, -_MOST), _MOST)
