# SPDX-License-Identifier: GPL-3.0-or-later
"""Hidden bones for the links inside a zero-length chain.

The bone joint1>joint2 moves by both joints, the link between them by the first alone. Its parent is
the hidden bone MCH-joint1 with the same rest frame and parent. That bone's channel is driven by the
same number, and a Copy Rotation of this one axis lies on top: the driver alone would not follow IK;
Copy Rotation alone is wrong beyond 270 degrees, as Euler angles are not unique, but takes the
nearest ones to the driven angles. With three joints the bone of the first copies from the bone of
the first two: copied from the whole bone, the nearest angles could be the wrong ones. And while the
middle of three is near 90 degrees nothing is copied, since the outer two cannot be distinguished
there; the driver alone then holds the bone, and IK is not followed within about a degree.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..kinematics.semantic_groups import list_ready
from .bones import rotation_mode
from .limits import clamp, drive_channels, hidden_twin
from .rig_plan import BonePlan, CopyPlan, DriverPlan, JointPlan, Property


def plan_mechanism(
    bone: BonePlan, joints: Sequence[JointPlan], names: Sequence[str], *, enforce_limits: bool
) -> tuple[list[BonePlan], list[CopyPlan], list[DriverPlan]]:
    """Plans hidden bones, one per joint but the last, named `names`, outermost joint first."""
    bones = [hidden_twin(bone, name) for name in names]
    targets = [*names, bone.name][1:]
    copies: list[CopyPlan] = []
    drivers: list[DriverPlan] = []
    for count, (name, target) in enumerate(zip(names, targets, strict=True), start=1):
        drivers += drive_channels(name, joints[:count], enforce_limits=enforce_limits)
        copies += _plan_copies(name, target, joints[: count + 1])
    return bones, copies, drivers


def _plan_copies(name: str, target: str, shown: Sequence[JointPlan]) -> list[CopyPlan]:
    """`shown` are the joints that `target` shows; `name` follows all but the last."""
    turning = [joint.channels[0] for joint in shown if joint.kind == "revolute"]
    middle = turning[1] if len(turning) == 3 else None
    copies = []
    properties: tuple[Property, ...] = ("location", "rotation_euler")
    for prop in properties:
        followed = [j.channels[0] for j in shown[:-1] if j.channels[0].property == prop]
        if followed:
            copies.append(
                CopyPlan(
                    bone=name,
                    target=target,
                    property=prop,
                    axes=tuple(sorted(channel.index for channel in followed)),
                    rotation_mode=rotation_mode(shown),
                    middle=middle if prop == "rotation_euler" else None,
                )
            )
    return copies


_Node = TypeVar("_Node", bound=Hashable)

_EVALUATED = "(q if abs(q - r) < 0.0001 else r)"
"""An angle read back from matrices has lost its last digits, which add up where many followers
depend on each other: where nothing interfered, the number set is taken.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowerReading:
    """How a driver of a follower reads the joint that it follows: `expression` of q and, where
    `evaluated`, of r, as in a DriverPlan."""

    source: JointPlan
    evaluated: bool
    expression: str


def plan_readings(
    joints: Sequence[JointPlan],
    bones: Sequence[BonePlan],
    leaders: Mapping[str, Sequence[str]],
    *,
    enforce_limits: bool,
) -> dict[tuple[str, str], FollowerReading]:
    """Returns (follower, leader) -> how that is read; chains are read from joint to joint."""
    by_name = {joint.joint.name: joint for joint in joints}
    pairs = [(by_name[name], by_name[each]) for name, own in leaders.items() for each in own]
    entangled = _find_entangled(pairs, bones)
    turning: dict[str, int] = {}
    for joint in joints:
        if joint.kind == "revolute":
            bone = joint.channels[0].bone
            turning[bone] = turning.get(bone, 0) + 1
    readings = {}
    for follower, source in pairs:
        alone = source.kind == "prismatic" or turning[source.channels[0].bone] == 1
        evaluated = follower.channels[0].bone not in entangled and alone
        number = _EVALUATED if evaluated else clamp(source, enforce_limits=enforce_limits)
        readings[follower.joint.name, source.joint.name] = FollowerReading(
            source=source, evaluated=evaluated, expression=number
        )
    return readings


def plan_mimic_drivers(
    joints: Sequence[JointPlan],
    readings: Mapping[tuple[str, str], FollowerReading],
    moved: Collection[str],
) -> list[DriverPlan]:
    """Plans one driver for each joint that mimics another, except joints that loops have moved."""
    return [
        _plan_driver(joint, readings[joint.joint.name, joint.mimics])
        for joint in joints
        if joint.mimics and joint.joint.name not in moved
    ]


def _plan_driver(follower: JointPlan, reading: FollowerReading) -> DriverPlan:
    mimic = follower.joint.mimic
    assert mimic is not None
    factor = follower.sign * reading.source.sign * mimic.multiplier
    offset = follower.sign * mimic.offset
    return DriverPlan(
        channel=follower.channels[0],
        source=reading.source.channels[0],
        evaluated=reading.evaluated,
        expression=f"{factor!r} * {reading.expression} + {offset!r}",
    )


def _find_entangled(
    pairs: Sequence[tuple[JointPlan, JointPlan]], bones: Sequence[BonePlan]
) -> set[str]:
    """Follower bones for which reading the evaluated source could close a cycle.

    A bone needs its parent and, if it follows, its source's bone. A bone that is never ready when
    bones are taken in the order of their needs is on a cycle or behind one.
    """
    needs: dict[str, set[str]] = {bone.name: {bone.parent} - {""} for bone in bones}
    own: set[str] = set()
    for follower, source in pairs:
        bone = follower.channels[0].bone
        if source.channels[0].bone == bone:
            own.add(bone)
        else:
            needs[bone].add(source.channels[0].bone)
    return own | find_never_ready(needs)


def find_never_ready(needs: Mapping[_Node, set[_Node]]) -> set[_Node]:
    """Returns the nodes that need themselves, directly or through others: `needs` maps each node to
    its prerequisites, which are all in it."""
    ready = set(list_ready(needs))
    return set(needs) - ready
