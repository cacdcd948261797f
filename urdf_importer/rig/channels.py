# SPDX-License-Identifier: GPL-3.0-or-later
"""Which numbers of a pose bone hold which joint's position."""

from collections.abc import Sequence

from ..diagnostics import Diagnostics, quote
from ..kinematics.motion import JointMotion
from .bones import BoneShape
from .rig_plan import Channel, JointPlan, Property
from .skeleton import JointGroup

_ALL_OF = {
    "planar": (("location", 1), ("location", 2), ("rotation_euler", 0)),
    "floating": (*(("location", i) for i in range(3)), *(("rotation_euler", i) for i in range(3))),
    "spherical": tuple(("rotation_euler", i) for i in range(3)),
}


def plan_joints(
    group: JointGroup, shape: BoneShape, bone: str, diagnostics: Diagnostics
) -> list[JointPlan]:
    """The joints of one bone, outermost first."""
    if not group.motions[0].is_scalar:
        return [_plan_free(group.motions[0], bone)]
    return [
        _plan_scalar(motion, bone, slot, diagnostics)
        for motion, slot in zip(group.motions, shape.slots, strict=True)
    ]


def rotation_mode(joints: Sequence[JointPlan]) -> str:
    """Blender's Euler order for the joints of a bone.

    The outermost joint is last in Blender's name. Two turning joints leave the middle place to the
    axis that nobody turns about: with nothing in the middle there is no gimbal lock.
    """
    turning = [j.channels[0].index for j in joints if j.kind == "revolute"]
    if len(turning) < 2:
        return "XYZ"
    spare = [index for index in range(3) if index not in turning]
    order = [turning[0], *spare, turning[1]] if spare else turning
    return "".join("XYZ"[index] for index in reversed(order))


def free_channels(
    joints: Sequence[JointPlan], *, enforce_limits: bool
) -> tuple[tuple[Property, int], ...]:
    """What a user may move: not what follows another joint, nor what its limits hold in place."""
    return tuple(
        (channel.property, channel.index)
        for joint in joints
        if not joint.mimics and not (enforce_limits and is_locked(joint))
        for channel in joint.channels
    )


def is_locked(joint: JointPlan) -> bool:
    return joint.lower is not None and joint.lower == joint.upper


def bounds(joint: JointPlan) -> tuple[float | None, float | None]:
    """Lower and upper bound of the joint's channel (its sign applied)."""
    if joint.sign > 0:
        return joint.lower, joint.upper
    return (
        None if joint.upper is None else -joint.upper,
        None if joint.lower is None else -joint.lower,
    )


def clamp(joint: JointPlan, *, enforce_limits: bool) -> str:
    """A driver expression for the channel q of this joint, held within its limits."""
    lower, upper = bounds(joint) if enforce_limits and not joint.mimics else (None, None)
    if lower is not None and upper is not None:
        return f"clamp(q, {lower!r}, {upper!r})"
    if lower is not None:
        return f"max(q, {lower!r})"
    return "q" if upper is None else f"min(q, {upper!r})"


def _plan_scalar(
    motion: JointMotion, bone: str, slot: tuple[int, int], diagnostics: Diagnostics
) -> JointPlan:
    prop: Property = "rotation_euler" if motion.kind == "revolute" else "location"
    initial = 0.0 if motion.mimic else motion.nearest_valid(0.0)
    if initial != 0.0:
        diagnostics.warning(
            "zero-outside-limits",
            f"joint {quote(motion.joint.name)} can not be at zero "
            f"({motion.lower:g} to {motion.upper:g}); it starts at {initial:g}"
            if motion.lower is not None and motion.upper is not None
            else f"joint {quote(motion.joint.name)} can not be at zero; it starts at {initial:g}",
            subject=motion.joint.name,
            line=motion.joint.line,
        )
    return JointPlan(
        joint=motion.joint,
        kind=motion.kind,
        channels=(Channel(bone=bone, property=prop, index=slot[0]),),
        sign=slot[1],
        lower=motion.lower,
        upper=motion.upper,
        initial=initial,
        mimics=motion.mimic.joint if motion.mimic else "",
    )


def _plan_free(motion: JointMotion, bone: str) -> JointPlan:
    channels = tuple(
        Channel(bone=bone, property=prop, index=index)  # type: ignore[arg-type]
        for prop, index in _ALL_OF[motion.kind]
    )
    return JointPlan(joint=motion.joint, kind=motion.kind, channels=channels)
