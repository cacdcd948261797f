# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the marks of joint limits stand: beside the joint, in the link that it turns against."""

from collections.abc import Mapping, Sequence

from .rig_plan import JointPlan, LimitMarkPlan
from .transforms import Matrix, invert

BEYOND = 1.2
"""Radius as a multiple of that of the bone's own marks: outside them."""


def plan_limit_marks(
    joints: Sequence[JointPlan],
    rests: Mapping[str, Matrix],
    radii: Mapping[str, float],
    links: Mapping[str, Matrix],
) -> tuple[LimitMarkPlan, ...]:
    """One for each joint with a bound of its own; what follows another joint has none.

    `rests`: bone -> (4, 4), `links`: link -> (4, 4), both in armature space with all joints at
    zero; `radii`: bone -> radius in metres of its marks.
    """
    return tuple(
        LimitMarkPlan(
            joint=joint.joint.name,
            parent=joint.joint.parent,
            kind=joint.kind,
            place=invert(links[joint.joint.parent]) @ _joint_frame(joint, rests),
            radius=BEYOND * radii[joint.channels[0].bone],
            lower=joint.lower,
            upper=joint.upper,
        )
        for joint in joints
        if not joint.mimics and (joint.lower is not None or joint.upper is not None)
    )


def _joint_frame(joint: JointPlan, rests: Mapping[str, Matrix]) -> Matrix:
    """(4, 4) X along the joint's axis with its sign, Y where its pointer is."""
    rest = rests[joint.channels[0].bone]
    axis = joint.channels[0].index
    pointer = pointer_axis(axis)
    side = 3 - axis - pointer
    frame = rest.copy()
    frame[:3, 0] = joint.sign * rest[:3, axis]
    frame[:3, 1] = rest[:3, pointer]
    handed = 1 if (pointer - axis) % 3 == 1 else -1
    frame[:3, 2] = joint.sign * handed * rest[:3, side]
    return frame


def pointer_axis(axis: int) -> int:
    """Which of a bone's axes the pointer of a turning mark lies on: along the limb where it can."""
    return 2 if axis == 1 else 1
