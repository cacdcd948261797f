# SPDX-License-Identifier: GPL-3.0-or-later
"""Hidden bones for the links inside a zero-length chain.

The bone joint1>joint2 moves by both joints, the link between them by the first alone. It hangs on
the hidden bone MCH-joint1 with the same rest frame and parent. That bone's channel is driven by
the same number, and a Copy Rotation of this one axis lies on top: the driver alone would not follow
IK; Copy Rotation alone is wrong beyond 270 degrees, as Euler angles are not unique, but takes those
nearest to the driven ones. With three joints the bone of the first copies from that of the first
two: copied from the whole bone, the nearest angles could be the wrong ones.
"""

from collections.abc import Sequence

from .channels import clamp
from .limits import hidden_twin
from .rig_plan import BonePlan, Channel, CopyPlan, DriverPlan, JointPlan, Property


def plan_mechanism(
    bone: BonePlan, joints: Sequence[JointPlan], names: Sequence[str], *, enforce_limits: bool
) -> tuple[list[BonePlan], list[CopyPlan], list[DriverPlan]]:
    """Hidden bones, one per joint but the last, named `names`, outermost joint first."""
    bones = [hidden_twin(bone, name) for name in names]
    targets = [*names, bone.name][1:]
    copies: list[CopyPlan] = []
    drivers: list[DriverPlan] = []
    for count, (name, target) in enumerate(zip(names, targets, strict=True), start=1):
        followed = joints[:count]
        drivers += [
            DriverPlan(
                channel=Channel(bone=name, property=channel.property, index=channel.index),
                source=channel,
                evaluated=False,
                expression=clamp(joint, enforce_limits=enforce_limits),
            )
            for joint in followed
            for channel in joint.channels
        ]
        copies += _plan_copies(name, target, followed, bone.rotation_mode)
    return bones, copies, drivers


def _plan_copies(
    name: str, target: str, followed: Sequence[JointPlan], mode: str
) -> list[CopyPlan]:
    copies = []
    properties: tuple[Property, ...] = ("location", "rotation_euler")
    for prop in properties:
        axes = tuple(
            sorted(j.channels[0].index for j in followed if j.channels[0].property == prop)
        )
        if axes:
            copies.append(
                CopyPlan(bone=name, target=target, property=prop, axes=axes, rotation_mode=mode)
            )
    return copies
