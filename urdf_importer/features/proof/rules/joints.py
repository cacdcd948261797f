# SPDX-License-Identifier: GPL-3.0-or-later
"""Followers that contradict their leaders, grippers that do not close, sides that differ, limits
that no joint has."""

from collections.abc import Iterator

import numpy as np

from ....core.diagnostics import quote
from ....core.geometry.transforms import Vector, matrix_from_pose
from ....core.kinematics.motion import JointMotion
from ....core.model import Joint
from ..survey import JoinedBody, RobotSurvey
from .rule import ERROR, WARNING, Fault, Rule
from .sides import other_ends, other_side


def _ends(joint: Joint) -> tuple[float, float] | None:
    """Returns the range of a joint as written; None for one without."""
    limit = joint.limit
    if joint.type == "continuous" or limit is None or limit.lower is None or limit.upper is None:
        return None
    low, high = sorted((limit.lower, limit.upper))
    return (low, high) if -1e5 < low < high < 1e5 else None


def _followers(survey: RobotSurvey) -> Iterator[tuple[Joint, Joint, tuple[float, float]]]:
    """Yields each follower with a leader and where the ends of the leader's range take it."""
    joints = {joint.name: joint for joint in survey.robot.joints}
    for joint in survey.robot.joints:
        leader = None if joint.mimic is None else joints.get(joint.mimic.joint)
        if joint.mimic is not None and leader is not None and leader.mimic is None:
            ends = _ends(leader)
            if ends is not None:
                one, other = (joint.mimic.multiplier * end + joint.mimic.offset for end in ends)
                yield joint, leader, (one, other)


def _mimic_range(survey: RobotSurvey) -> Iterator[Fault]:
    for joint, leader, reached in _followers(survey):
        own, (low, high) = _ends(joint), sorted(reached)
        if own is None or high - low <= 1e-9:
            continue
        share = max(0.0, min(high, own[1]) - max(low, own[0])) / (high - low)
        if share < 0.5:
            assert joint.mimic is not None
            yield Fault(
                joint,
                f"joint {quote(joint.name)} follows {quote(leader.name)} from {low:.4g} to "
                f"{high:.4g}, and its own limits are {own[0]:.4g} to {own[1]:.4g}: {share:.0%} of "
                f"its travel is within (below half); the sign of the multiplier "
                f"{joint.mimic.multiplier:g}, or the offset {joint.mimic.offset:g}?",
            )


def _gripper(survey: RobotSurvey) -> Iterator[Fault]:
    bodies = {body.links[0].name: body for body in survey.bodies}
    for joint, leader, reached in _followers(survey):
        pair = (leader, joint)
        if any(each.type != "prismatic" or each.child not in bodies for each in pair):
            continue
        if leader.parent != joint.parent:
            continue
        ends = _ends(leader)
        assert ends is not None
        gaps = [
            _gap(pair, (bodies[leader.child], bodies[joint.child]), both)
            for both in zip(ends, reached, strict=True)
        ]
        least, widest = min(gaps), max(gaps)
        if least > 0.002 and least > 0.25 * widest:
            yield Fault(
                joint,
                f"fingers {quote(leader.child)} and {quote(joint.child)} are {least:.3g} m apart "
                f"at one end of their travel and {widest:.3g} m at the other (2 mm or a quarter is "
                "the bound): they never close; the sign of the multiplier or of an axis?",
            )


def _gap(
    joints: tuple[Joint, Joint],
    bodies: tuple[JoinedBody, JoinedBody],
    positions: tuple[float, float],
) -> float:
    """The distance of two fingers along the axis of the first; infinite negative without shapes."""
    spans, along = [], np.zeros(3)
    for joint, body, position in zip(joints, bodies, positions, strict=True):
        frame = matrix_from_pose(joint.origin)
        axis = frame[:3, :3] @ _unit(joint.axis)
        along = axis if not along.any() else along
        if not len(body.points) or abs(float(axis @ along)) < 0.9:
            return -np.inf
        places = body.points @ frame[:3, :3].T + frame[:3, 3] + position * axis
        spans.append((float((places @ along).min()), float((places @ along).max())))
    (low, high), (under, above) = spans
    return max(under - high, low - above)


def _unit(axis: tuple[float, float, float] | None) -> Vector:
    given = np.array(axis or (1.0, 0.0, 0.0))
    length = float(np.linalg.norm(given))
    return given / length if length > 0.0 else given


def _unlike_side(survey: RobotSurvey) -> Iterator[Fault]:
    if survey.tree is None or not survey.bodies:
        return
    motions = survey.tree.motion_of
    sides = _Sides(survey)
    for name, motion in motions.items():
        other = other_side(name)
        if other == name or other not in motions or name > other:
            continue
        text = sides.differ(motion, motions[other])
        if text:
            odd = max((name, other), key=lambda each: sides.count_unlike(each))
            yield Fault(
                motions[odd].joint, f"joints {quote(name)} and {quote(other)} {text}; swapped?"
            )


class _Sides:
    def __init__(self, survey: RobotSurvey) -> None:
        assert survey.tree is not None
        self.tree, self.frames = survey.tree, survey.frames
        self.mass = {
            link.name: 0.0 if body.mass is None else body.mass.mass
            for body in survey.bodies
            for link in body.links
        }
        self.least = 0.005 * survey.robot.total_mass()

    def axis(self, motion: JointMotion) -> Vector:
        """Of a joint at zero, in the root's frame."""
        parent = self.frames[self.tree.index[motion.joint.parent]]
        axis: Vector = (parent @ matrix_from_pose(motion.joint.origin))[:3, :3] @ motion.axis
        return axis

    def differ(self, one: JointMotion, other: JointMotion) -> str:
        """Returns how two joints differ more than sides do; empty for no way."""
        if one.moves != other.moves:
            kinds = f"{one.joint.type} and {other.joint.type}"
            return f"are on both sides of the robot, one fixed and one moving ({kinds})"
        if one.is_scalar and other.is_scalar:
            a, b = self.axis(one), self.axis(other)
            mirrors = [np.ones(3), *(1.0 - 2.0 * np.eye(3))]
            apart = min(
                float(np.linalg.norm(sign * mirror * a - b))
                for mirror in mirrors
                for sign in (1.0, -1.0)
            )
            if apart > 0.3:
                shown = " and ".join(
                    "(" + " ".join(f"{x:.2g}" for x in axis + 0.0) + ")" for axis in (a, b)
                )
                return f"turn about {shown} on both sides, {apart:.2f} from a mirror (above 0.3)"
        masses = [self.mass.get(each.joint.child, 0.0) for each in (one, other)]
        if max(masses) > 3.0 * min(masses) and max(masses) > self.least and one.moves:
            shown = " and ".join(f"{mass:.4g} kg" for mass in masses)
            return f"carry bodies of {shown} on both sides, above 3 times"
        return ""

    def count_unlike(self, name: str) -> int:
        """Counts the counterparts at the other end that a joint differs from."""
        motions = self.tree.motion_of
        ends = [motions[each] for each in other_ends(name) if each in motions]
        return sum(bool(self.differ(motions[name], each)) for each in ends)


def _absurd(survey: RobotSurvey) -> Iterator[Fault]:
    for joint in survey.robot.joints:
        limits = {name: getattr(joint.limit, name, None) or 0.0 for name in ("effort", "velocity")}
        below = [f"{name} of {value:g}" for name, value in limits.items() if value < 0.0]
        if below:
            text = f"joint {quote(joint.name)} has a limit of {' and '.join(below)}, below 0"
            yield Fault(joint, f"{text}; a wrong sign, or none meant?")


def _no_velocity(survey: RobotSurvey) -> Iterator[Fault]:
    for joint in survey.robot.joints:
        value = getattr(joint.limit, "velocity", None)
        if joint.type in ("revolute", "continuous", "prismatic") and not value:
            shown = "no limit of velocity" if value is None else "a limit of velocity of 0"
            text = f"joint {quote(joint.name)} has {shown}: MoveIt cannot time its motions"
            yield Fault(joint, text)


JOINTS = (
    Rule("mimic-out-of-range", WARNING, _mimic_range),
    Rule("gripper-stays-open", WARNING, _gripper),
    Rule("unlike-its-side", WARNING, _unlike_side),
    Rule("limit-absurd", WARNING, _absurd),
    Rule("target-velocity", ERROR, _no_velocity, ("moveit",)),
)
