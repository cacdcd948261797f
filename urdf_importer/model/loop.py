# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: joints that a tree has no place for, since both of their links hang somewhere already."""

from dataclasses import dataclass, field

from .extra import Extra
from .joint import Dynamics, Limit
from .pose import IDENTITY, Pose, Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopJoint:
    """Connects `link1` and `link2`, neither of which hangs on it.

    `type` is a type of joint. `origin1` and `origin2` are the joint's frame in the frame of either
    link; where the loop is closed and the joint at zero, both are one. `axis` is in the joint's
    frame, not normalised; a positive position moves `link2` about it as a child. None where the
    type needs none. `notation` is how a URDF spells it: "" for <loop_joint>, "gazebo" for SDF's
    joint in a <gazebo>, "drake" for Drake's ball constraint, "joint" for a <joint> whose child
    has a parent already: programs know one of them.
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
