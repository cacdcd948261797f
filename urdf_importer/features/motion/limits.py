# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of a robot's joints: from its description, and from a table beside it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal

from ...core.diagnostics import Diagnostics, KinematicsError
from ...core.kinematics.motion import JointMotion
from ...core.kinematics.tree import retrace_tree
from ...core.model import Limit, Mimic, Robot
from .names import name_few

ViolationKind = Literal["position", "velocity", "acceleration", "jerk", "effort"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JointLimits:
    """How far, fast and strongly a joint may move, in radians or metres, seconds, and N m or N;
    None where unknown. All but `lower` and `upper` bound both directions."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    acceleration: float | None = None
    jerk: float | None = None
    effort: float | None = None

    def __post_init__(self) -> None:
        """Raises KinematicsError for bounds that are not above zero."""
        for kind in ("velocity", "acceleration", "jerk", "effort"):
            bound = getattr(self, kind)
            if bound is not None and not bound > 0.0:
                raise KinematicsError(f"a limit of {kind} must be above zero, not {bound:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A joint's worst violation of one of its limits.

    value, limit  in radians or metres and seconds, N m or N: the size of a velocity, an
                  acceleration, a jerk or an effort, the position itself
    time          seconds of the trajectory
    """

    joint: str
    kind: ViolationKind
    value: float
    limit: float
    time: float
    excess: float = 0.0
    """How far beyond, as a share of the limit; of a position, in radians or metres."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitTable:
    """Limits beside a description: joint -> its stated bounds, None for explicitly no bound. The
    scales are the shares of velocity and acceleration that a motion may use."""

    joints: Mapping[str, Mapping[str, float | None]]
    velocity_scale: float = 1.0
    acceleration_scale: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotLimits:
    """The limits of all joints of one number; `followers` and whom they follow; `turning`, the
    joints that turn without bound or by a full turn and more."""

    joints: Mapping[str, JointLimits]
    followers: Mapping[str, Mimic] = field(default_factory=dict)
    turning: frozenset[str] = frozenset()
    velocity_scale: float = 1.0
    acceleration_scale: float = 1.0


def limits_of(
    robot: Robot | None, table: LimitTable | None, diagnostics: Diagnostics
) -> RobotLimits:
    """Returns the limits of a robot's description, overridden by a table: without a robot the
    table's limits alone. A bound of zero means that none is stated, which is one warning for each
    kind but effort. Unknown names in the table are another warning."""
    table = table or LimitTable(joints={})
    if robot is None:
        found = {name: JointLimits(**said) for name, said in table.joints.items()}
        return RobotLimits(
            joints=found,
            velocity_scale=table.velocity_scale,
            acceleration_scale=table.acceleration_scale,
        )
    tree = retrace_tree(robot)
    motions = {each.joint.name: each for each in tree.joint_motions if each.is_scalar}
    described = {name: _describe(motion) for name, motion in motions.items()}
    _report_zero(motions, table, diagnostics)
    unknown = [name for name in table.joints if name not in described]
    if unknown:
        diagnostics.warning(
            "unknown-joint",
            f"the robot has no moving joint for {len(unknown)} of the limits: {name_few(unknown)}",
        )
    return RobotLimits(
        joints={
            name: replace(limits, **table.joints.get(name, {}))
            for name, limits in described.items()
        },
        followers={name: mimic for name, mimic in tree.masters.items() if name in described},
        turning=frozenset(
            name for name, each in motions.items() if is_endless(each.kind, each.lower, each.upper)
        ),
        velocity_scale=table.velocity_scale,
        acceleration_scale=table.acceleration_scale,
    )


def table_of(limits: Mapping[str, JointLimits]) -> LimitTable:
    """Returns limits that a program gives: None there leaves the described limit."""
    said = {
        name: {
            each.name: getattr(bounds, each.name)
            for each in fields(bounds)
            if getattr(bounds, each.name) is not None
        }
        for name, bounds in limits.items()
    }
    return LimitTable(joints=said)


def hold_followers(limits: RobotLimits) -> dict[str, JointLimits]:
    """Returns the limits with which no follower is faster than its own: q' = multiplier * leader's
    q'."""
    held = dict(limits.joints)
    for name, mimic in limits.followers.items():
        leader, own = held.get(mimic.joint), limits.joints[name]
        if leader is None or abs(mimic.multiplier) < 1e-12:
            continue
        for kind in ("velocity", "acceleration", "jerk"):
            bound, least = getattr(own, kind), getattr(leader, kind)
            if bound is not None:
                bound /= abs(mimic.multiplier)
                least = bound if least is None else min(least, bound)
            leader = replace(leader, **{kind: least})
        held[mimic.joint] = leader
    return held


def is_endless(kind: str, lower: float | None, upper: float | None) -> bool:
    """Whether a joint turns without bound or by a full turn and more."""
    return kind == "revolute" and (lower is None or upper is None or upper - lower >= 6.283184)


def _describe(motion: JointMotion) -> JointLimits:
    limit, safety = motion.joint.limit or Limit(), motion.joint.safety_controller
    lower, upper = motion.lower, motion.upper
    if safety is not None and motion.mimic is None:
        low, high = safety.soft_lower_limit or 0.0, safety.soft_upper_limit or 0.0
        if low < high:
            lower = low if lower is None else max(lower, low)
            upper = high if upper is None else min(upper, high)
    return JointLimits(
        lower=lower,
        upper=upper,
        velocity=_stated(limit.velocity),
        acceleration=_stated(*(_read(limit, name) for name in _ACCELERATIONS)),
        jerk=_stated(_read(limit, "jerk")),
        effort=_stated(limit.effort),
    )


_ACCELERATIONS = ("acceleration", "deceleration")


def _read(limit: Limit, name: str) -> float | None:
    """Returns a bound of URDF 1.2; zero for text that cannot be read."""
    text = dict(limit.attributes).get(name)
    try:
        return None if text is None else float(text)
    except ValueError:
        return 0.0


def _stated(*bounds: float | None) -> float | None:
    """Returns the smallest of the stated bounds."""
    return min((abs(each) for each in bounds if each and math.isfinite(each)), default=None)


def _report_zero(
    motions: Mapping[str, JointMotion], table: LimitTable, diagnostics: Diagnostics
) -> None:
    for kind, names in (("velocity", ()), ("acceleration", _ACCELERATIONS), ("jerk", ("jerk",))):
        zero = [
            name
            for name, motion in motions.items()
            if (limit := motion.joint.limit) is not None
            and 0.0 in ([_read(limit, each) for each in names] or [limit.velocity])
            and kind not in table.joints.get(name, {})
        ]
        if zero:
            which = "one joint" if len(zero) == 1 else f"{len(zero)} joints"
            diagnostics.warning(
                "velocity-not-stated",
                f"the {kind} of {which} is limited to 0, which is taken as not stated: "
                f"{name_few(zero)}",
            )
