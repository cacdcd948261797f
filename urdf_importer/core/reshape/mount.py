# SPDX-License-Identifier: GPL-3.0-or-later
"""mount and unmount: rails and turntables below a robot, as axes of its own."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..arguments import choice_of, number_of, numbers_of, robot_of
from ..diagnostics import KinematicsError, quote, quote_value
from ..kinematics.tree import retrace_tree
from ..model import IDENTITY, Joint, Limit, Link, Pose, Robot

_WORLD = "world"
_TYPES = {"linear": "prismatic", "rotary": "revolute"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MountedAxis:
    """An axis below a robot.

    kind          "linear", a rail in metres, or "rotary", a turntable in radians
    axis          its direction in the frame of the joint
    lower, upper  how far it goes
    velocity      m/s or rad/s at most
    origin        of the joint in the frame of its base
    """

    kind: str = "linear"
    axis: Sequence[float] = (1.0, 0.0, 0.0)
    lower: float = 0.0
    upper: float = 1.0
    velocity: float = 1.0
    origin: Pose = IDENTITY

    def __post_init__(self) -> None:
        choice_of(self.kind, "kind", tuple(_TYPES))
        for key in ("lower", "upper", "velocity"):
            object.__setattr__(self, key, number_of(getattr(self, key), key))
        direction = numbers_of(self.axis, "axis", 3)
        if not math.hypot(*direction) > 1e-9:
            raise KinematicsError("an axis has three numbers that are not all zero")
        object.__setattr__(self, "axis", direction)
        if not isinstance(self.origin, Pose):
            raise KinematicsError(f"the origin must be a Pose, not {quote_value(self.origin)}")
        if not self.lower < self.upper:
            raise KinematicsError(
                f"the axis goes from {self.lower:g} to {self.upper:g}: the upper limit must be "
                "above the lower one"
            )
        if not self.velocity > 0.0:
            raise KinematicsError(f"the velocity must be above zero, not {self.velocity:g}")


def mount(robot: Robot, name: str, axis: MountedAxis) -> Robot:
    """Returns the robot on an external axis: the joint `name` on a new link, `name` with _base,
    below its root. A root called world stays the root, and the axis is between it and its
    children. Axes can be stacked: the last one mounted is the lowest.

    Raises KinematicsError for several roots, for names that the robot has already, and for
    anything but a name and an axis.
    """
    robot = robot_of(robot)
    root, base = _find_root(robot), f"{name}_base"
    if not isinstance(name, str) or not name:
        raise KinematicsError(f"an axis needs a name, not {quote_value(name)}")
    if not isinstance(axis, MountedAxis):
        raise KinematicsError(f"an axis must be a MountedAxis, not {quote_value(axis)}")
    taken = {"link": [each.name for each in robot.links], "joint": [e.name for e in robot.joints]}
    for kind, new in (("joint", name), ("link", base)):
        if new in taken[kind]:
            raise KinematicsError(f"the robot has a {kind} {quote(new)} already")
    x, y, z = axis.axis
    made = Joint(
        name=name, type=_TYPES[axis.kind], parent=base, child=root, origin=axis.origin,
        axis=(float(x), float(y), float(z)),
        limit=Limit(lower=axis.lower, upper=axis.upper, effort=0.0, velocity=axis.velocity),
    )  # fmt: skip
    if root != _WORLD:
        links, joints = (Link(name=base), *robot.links), (made, *robot.joints)
        return replace(robot, links=links, joints=joints)
    hung = tuple(
        replace(each, parent=base) if each.parent == _WORLD else each for each in robot.joints
    )
    made = replace(made, parent=_WORLD, child=base)
    place = next(at for at, each in enumerate(robot.links) if each.name == _WORLD) + 1
    links = (*robot.links[:place], Link(name=base), *robot.links[place:])
    return replace(robot, links=links, joints=(made, *hung))


def unmount(robot: Robot, name: str) -> Robot:
    """Returns the robot without an axis that mount put below it: equal to the robot before, and
    written with the same bytes. Of stacked axes the last one mounted goes first.

    Raises KinematicsError where there is no such axis, or where it is not the lowest.
    """
    robot = robot_of(robot)
    base = f"{name}_base"
    found = next((each for each in robot.joints if each.name == name), None)
    if found is None or not is_mounted(robot, found):
        raise KinematicsError(f"no axis {quote(name)} is mounted below the robot")
    root = _find_root(robot)
    if root not in (base, _WORLD) or found.parent != root:
        raise KinematicsError(
            f"axis {quote(name)} is not the lowest: take off the lower ones first"
        )
    below = _WORLD if found.child == base else ""
    joints = tuple(
        replace(each, parent=below) if below and each.parent == base else each
        for each in robot.joints
        if each is not found
    )
    links = tuple(each for each in robot.links if each.name != base)
    return replace(robot, links=links, joints=joints)


def is_mounted(robot: Robot, joint: Joint) -> bool:
    """Whether a joint is an axis as mount makes it: it slides or turns, and a link with its name
    and _base, which has no shapes and no mass, is at one of its ends."""
    base = f"{joint.name}_base"
    link = next((each for each in robot.links if each.name == base), None)
    if link is None or base not in (joint.parent, joint.child):
        return False
    is_bare = not link.visuals and not link.collisions and link.inertial is None
    return is_bare and joint.type in _TYPES.values()


def _find_root(robot: Robot) -> str:
    tree = retrace_tree(robot)
    roots = [each.name for each, parent in zip(tree.links, tree.parents, strict=True) if parent < 0]
    if len(roots) != 1:
        raise KinematicsError(
            f"the robot has {len(roots)} root links; it must have exactly one", source=robot.source
        )
    return roots[0]
