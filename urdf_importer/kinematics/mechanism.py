# SPDX-License-Identifier: GPL-3.0-or-later
"""Hidden bones for the links inside a zero-length chain.

The bone joint1>joint2 moves by both joints, the link between them by the first alone. It hangs on
the hidden bone MCH-joint1 with the same rest frame and parent. That bone's channel is driven by
the same number, and a Copy Rotation of this one axis lies on top: the driver alone would not follow
IK; Copy Rotation alone is wrong beyond 270 degrees, as Euler angles are not unique, but takes those
nearest to the driven ones. With three joints the bone of the first copies from that of the
first two: copied from the whole bone, the nearest angles could be the wrong ones. And while the
middle one of three is near 90 degrees nothing is copied, since the outer two can not be told apart
there; the driver alone then holds the bone, and IK is not followed within about a degree.
"""

from collections.abc import Sequence

from .channels import rotation_mode
from .limits import drive_channels, hidden_twin
from .rig_plan import BonePlan, CopyPlan, DriverPlan, JointPlan, Property


def plan_mechanism(
    bone: BonePlan, joints: Sequence[JointPlan], names: Sequence[str], *, enforce_limits: bool
) -> tuple[list[BonePlan], list[CopyPlan], list[DriverPlan]]:
    """Hidden bones, one per joint but the last, named `names`, outermost joint first."""
    bones = [hidden_twin(bone, name) for name in names]
    targets = [*names, bone.name][1:]
    copies: list[CopyPlan] = []
    drivers: list[DriverPlan] = []
    for count, (name, target) in enumerate(zip(names, targets, strict=True), start=1):
        drivers += drive_channels(name, joints[:count], enforce_limits=enforce_limits)
        copies += _plan_copies(name, target, joints[: count + 1])
    return bones, copies, drivers


def _plan_copies(name: str, target: str, shown: Sequence[JointPlan]) -> list[CopyPlan]:
    """`shown` are the joints that `target` shows, all of which but the last `name` follows."""
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
