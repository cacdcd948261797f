# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that mimic another, as coupled motors.

Webots couples the motors of one robot whose names share what stands before `::`. A command to one
goes to all, each times its own `multiplier`; so the leader, with a multiplier of 1, is the one to
command: `leader::leader`. This couples commands, not mechanics: a follower that is held back does
not hold its leader.

Webots wants all position limits and all speeds of a group in the ratio of the multipliers, and
changes them where they are not. The limits are those of the leader, as in ROS; the speed is the
greatest that none of them exceeds. There is no offset: that is in the pose (see joints.py).
"""

from collections.abc import Mapping, Sequence

from ...diagnostics import Diagnostics, quote
from ...kinematics.tree import KinematicTree
from ...model import Joint, Mimic
from .joints import LOCKED, hard_stops
from .structure import AxisPlan, Range

_SAME = 1e-6


def couple_motors(
    axes: Mapping[str, AxisPlan],
    masters: Mapping[str, Mimic],
    tree: KinematicTree,
    diagnostics: Diagnostics,
) -> None:
    """Couples the axes, given by joint, of all joints that follow one of `masters`."""
    joints = {motion.joint.name: motion.joint for motion in tree.joint_motions}
    groups: dict[str, list[str]] = {}
    for follower, mimic in masters.items():
        if mimic.multiplier:
            groups.setdefault(mimic.joint, []).append(follower)
        else:
            _lock(axes[follower])
            _tell(diagnostics, joints[follower], "follows with a multiplier of 0; it is locked")
    for leader, followers in groups.items():
        for name in followers:
            _follow(axes[leader], axes[name], masters[name].multiplier, joints[name], diagnostics)
        _share_speed(axes[leader], [axes[name] for name in followers])
        axes[leader].leader = leader


def _follow(
    leader: AxisPlan, follower: AxisPlan, multiplier: float, joint: Joint, diagnostics: Diagnostics
) -> None:
    own = follower.limits
    follower.multiplier = multiplier
    follower.position = multiplier * leader.position
    follower.limits = _times(leader.limits, multiplier)
    follower.stops = hard_stops(_times(leader.stops, multiplier), follower)
    follower.leader = leader.joint
    if own is not None and (follower.limits is None or not _within(follower.limits, own)):
        _tell(
            diagnostics,
            joint,
            f"follows joint {quote(leader.joint)} beyond its own limits; those of its leader count",
        )


def _share_speed(leader: AxisPlan, followers: Sequence[AxisPlan]) -> None:
    slowest = min(axis.velocity / abs(axis.multiplier) for axis in (leader, *followers))
    leader.velocity = slowest
    for axis in followers:
        axis.velocity = slowest * abs(axis.multiplier)


def _lock(axis: AxisPlan) -> None:
    axis.position = 0.0
    axis.limits, axis.stops = (-LOCKED, LOCKED), None


def _times(bounds: Range | None, multiplier: float) -> Range | None:
    if bounds is None:
        return None
    one, other = bounds[0] * multiplier, bounds[1] * multiplier
    return (one, other) if one <= other else (other, one)


def _within(inner: Range, outer: Range) -> bool:
    slack = _SAME * max(1.0, abs(outer[0]), abs(outer[1]))
    return inner[0] >= outer[0] - slack and inner[1] <= outer[1] + slack


def _tell(diagnostics: Diagnostics, joint: Joint, finding: str) -> None:
    diagnostics.warning(
        "webots-mimic",
        f"joint {quote(joint.name)} {finding}",
        subject=joint.name,
        line=joint.line,
    )
