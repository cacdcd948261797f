# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: joints that a tree has no place for, since both of their links have parents already."""

from dataclasses import dataclass, field

from .extra import Extra
from .joint import BALL_TYPES, Dynamics, Joint, Limit
from .pose import IDENTITY, Pose, Vector3

CLOSING_TYPES = ("revolute", "continuous", "prismatic", "fixed", *BALL_TYPES)
"""Types of the joints that close loops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopJoint:
    """Connects `link1` and `link2`; neither is the other's parent.

    `type` is a type of joint. `origin1` and `origin2` are the joint's frame in the frame of either
    link; where the loop is closed and the joint at zero, both are one. `axis` is in the joint's
    frame, not normalised; a positive position moves `link2` about it as a child. None where the
    type needs none. `notation` is its spelling in URDF: "" for <loop_joint>, "gazebo" for SDF's
    joint in a <gazebo>, "drake" for Drake's ball constraint, "joint" for a <joint> whose child has
    a parent already; each program knows one spelling.
    """

    name: str
    type: str
    link1: str
    link2: str
    origin1: Pose = IDENTITY
    origin2: Pose = IDENTITY
    axis: Vector3 | None = None
    limit: Limit | None = None
    dynamics: Dynamics | None = None
    notation: str = ""
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


def close_with(joint: Joint, notation: str = "") -> LoopJoint | None:
    """Returns a joint, whose child has another parent, as the loop that it closes; None for types
    that close none. Properties that only joints of the tree have are left out."""
    if joint.type not in CLOSING_TYPES:
        return None
    return LoopJoint(
        name=joint.name,
        type=joint.type,
        link1=joint.parent,
        link2=joint.child,
        origin1=joint.origin,
        axis=joint.axis,
        limit=joint.limit,
        dynamics=joint.dynamics,
        notation=notation,
        extras=joint.extras,
        line=joint.line,
    )


def hang_on(loop: LoopJoint) -> Joint:
    """Returns the joint by which the second link of a loop would be attached to its first, but for
    `origin2`."""
    return Joint(
        name=loop.name,
        type=loop.type,
        parent=loop.link1,
        child=loop.link2,
        origin=loop.origin1,
        axis=loop.axis,
        limit=loop.limit,
        dynamics=loop.dynamics,
        extras=loop.extras,
        line=loop.line,
    )
