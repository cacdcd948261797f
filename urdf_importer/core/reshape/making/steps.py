# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of steps: names, numbers and frames, checked before anything is made."""

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, TypedDict

from ...arguments import choice_of, number_of, numbers_of
from ...diagnostics import ArgumentError, KinematicsError, quote, quote_value
from ...model import (
    BALL_TYPES,
    JOINT_TYPES,
    Dynamics,
    Joint,
    Limit,
    Mimic,
    Pose,
    Robot,
    Vector3,
)

OPEN_LIMIT = Limit(effort=10.0, velocity=1.0)
"""The limit of a joint whose bounds are not known."""
DEFAULT_LIMITS = {
    "revolute": replace(OPEN_LIMIT, lower=-math.pi, upper=math.pi),
    "prismatic": replace(OPEN_LIMIT, lower=-1.0, upper=1.0),
}
"""The limits of made joints as long as nothing better is known."""
_UP = (0.0, 0.0, 1.0)


class GivenMotion(TypedDict, total=False):
    """How a new joint moves: a value of JOINT_TYPES, `axis` in the joint's frame."""

    type: str
    axis: Vector3 | Sequence[float] | None
    limit: Limit | None


class JointChanges(GivenMotion, total=False):
    """New properties of a joint, as the fields of a Joint have them."""

    origin: Pose | None
    parent: str | None
    dynamics: Dynamics | None
    mimic: Mimic | None


def check_motion(motion: GivenMotion) -> dict[str, Any]:
    """Returns the given properties, without None, in their own types. Raises ArgumentError."""
    found: dict[str, Any] = {name: value for name, value in motion.items() if value is not None}
    unknown = next((name for name in found if name not in JointChanges.__annotations__), None)
    if unknown is not None:
        raise ArgumentError(f"a joint has no {quote(unknown)} to set")
    if "type" in found:
        choice_of(found["type"], "type", (*JOINT_TYPES, *BALL_TYPES))
    if "axis" in found:
        found["axis"] = check_axis(found["axis"])
    if isinstance(found.get("limit"), Limit):
        _check_limit(found["limit"])
    elif "limit" in found:
        raise ArgumentError(f"limit is {quote_value(found['limit'])}; it must be a Limit")
    if "origin" in found:
        check_pose(found["origin"])
    return found


def check_axis(axis: Any) -> Vector3:
    """Returns three finite numbers that are not all zero. Raises ArgumentError."""
    x, y, z = numbers_of(axis, "axis", 3)
    if not 0.0 < math.hypot(x, y, z) < math.inf:
        raise ArgumentError("an axis needs a length above zero")
    return x, y, z


def check_pose(pose: Any) -> None:
    """Raises ArgumentError for anything but a Pose of finite numbers."""
    if not isinstance(pose, Pose):
        raise ArgumentError(f"origin is {quote_value(pose)}; it must be a Pose")
    if not all(map(math.isfinite, (*pose.xyz, *pose.rpy, *(pose.quat_xyzw or ())))):
        raise ArgumentError("an origin needs finite numbers")


def _check_limit(limit: Limit) -> None:
    for field in fields(limit):
        value = getattr(limit, field.name)
        if field.name not in ("attributes", "extras") and value is not None:
            number_of(value, field.name)
    if limit.lower is not None and limit.upper is not None and limit.lower > limit.upper:
        raise ArgumentError(f"lower is above upper: {limit.lower:g} and {limit.upper:g}")


def complete_joint(joint: Joint) -> Joint:
    """Returns a joint with the axis and the limit that its type needs, if it has none."""
    if joint.type not in ("fixed", "floating", *BALL_TYPES) and joint.axis is None:
        joint = replace(joint, axis=_UP)
    limit = joint.limit
    is_open = limit is None or (limit.lower is None and limit.upper is None)
    if joint.type in DEFAULT_LIMITS and is_open:
        wanted = DEFAULT_LIMITS[joint.type]
        if limit is not None:
            wanted = replace(limit, lower=wanted.lower, upper=wanted.upper)
        joint = replace(joint, limit=wanted)
    return joint


def joint_names(robot: Robot) -> list[str]:
    """Returns the names of the joints, then of the joints that close loops."""
    return [*(each.name for each in robot.joints), *(each.name for each in robot.loops)]


def refuse_taken(kind: str, names: Sequence[str], name: str, robot: Robot) -> None:
    """Raises KinematicsError for a name that another part of this kind has."""
    if name in names:
        raise KinematicsError(f"there is a {kind} {quote(name)} already", source=robot.source)
    if not name:
        raise KinematicsError(f"a {kind} needs a name", source=robot.source)
