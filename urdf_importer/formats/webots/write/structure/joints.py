# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints as Webots has them: their motions, ranges and motors.

revolute, continuous   HingeJoint
prismatic              SliderJoint
planar                 SliderJoint, SliderJoint, HingeJoint: x, y and yaw, each with a motor
floating               three SliderJoints and a BallJoint, without motors
ball                   BallJoint, without motors

A joint starts at the valid position nearest to zero, or where the options say. Webots keeps the
pose of a joint's child AT that position; here every pose is the one at zero, and proto.py turns it.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from .....core.diagnostics import Diagnostics
from .....core.geometry.transforms import (
    Matrix,
    Vector,
    matrix_from_pose,
    plane_axes,
    rotation_from_quaternion,
)
from .....core.kinematics.motion import UNBOUNDED, JointMotion
from .....core.kinematics.tree import KinematicTree
from .....core.model import Dynamics, Joint, Limit
from ..names import report_on
from ..options import WebotsOptions
from .frames import vector_of
from .links import AxisPlan, JointKind, JointNodePlan, Range

LOCKED = 1e-6
"""Radians or metres that a locked joint may move: Webots takes equal limits for none."""
STOP_MARGIN = 1e-4
"""How far a hard stop is moved out from a joint that starts at it: there the simulation is
unstable."""
_ROUNDING = 1e-9
"""Radians: 3.14159265359 means pi."""

Placed = tuple[JointNodePlan, Matrix]
"""A joint, and its child's frame in the frame of the Solid above, at zero."""


class JointPlanner:
    """Plans joints one by one. `positions` are the positions of all moving joints, `offsets` the
    offsets of joints that mimic another, by joint; `passive` names joints without a motor."""

    def __init__(
        self,
        positions: Mapping[str, float | tuple[float, ...]],
        offsets: Mapping[str, float],
        options: WebotsOptions,
        diagnostics: Diagnostics,
        passive: frozenset[str] = frozenset(),
    ) -> None:
        self._positions = positions
        self._passive = passive
        self._offsets = offsets
        self._options = options
        self._diagnostics = diagnostics
        self._told: set[str] = set()

    def plan_joints(self, motion: JointMotion, place: Matrix) -> list[Placed]:
        """Plans the joints, one on top of the other, that together move like a joint of the
        description.

        `place` is the frame of the joint's parent link in the Solid that holds it.
        """
        frame = place @ matrix_from_pose(motion.joint.origin)
        if motion.is_scalar:
            return [self._plan_scalar(motion, frame)]
        if motion.kind == "planar":
            return self._plan_planar(motion, frame)
        return self._plan_free(motion, frame)

    def _plan_scalar(self, motion: JointMotion, frame: Matrix) -> Placed:
        joint = motion.joint
        offset = self._offsets.get(joint.name, 0.0)
        turns = motion.kind == "revolute"
        axis = np.array(motion.axis)
        position = self._positions[joint.name]
        assert isinstance(position, float)
        plan = self._axis(joint, joint.name, turns=turns, axis=frame[:3, :3] @ axis)
        plan.offset = offset
        plan.position = position - offset
        plan.limits = motor_limits(motion, offset)
        plan.stops = hard_stops(shift_range(motion, offset), plan)
        # The frame at zero as Webots counts: where the description says `offset`.
        zero = frame.copy()
        if turns:
            zero[:3, :3] = frame[:3, :3] @ _turn(axis, offset)
        else:
            zero[:3, 3] += frame[:3, :3] @ axis * offset
        kind: JointKind = "HingeJoint" if turns else "SliderJoint"
        anchor = vector_of(frame[:3, 3])
        return JointNodePlan(kind=kind, name=joint.name, axes=[plan], anchor=anchor), zero

    def _plan_planar(self, motion: JointMotion, frame: Matrix) -> list[Placed]:
        normal = np.array(motion.axis)
        u, v = plane_axes(normal)
        position = self._positions[motion.joint.name]
        assert isinstance(position, tuple)
        self._warn_of_bodies(motion.joint, 2)
        parts = zip(("x", "y", "yaw"), (u, v, normal), position, strict=True)
        return self._plan_chain(motion.joint, frame, parts, is_driven=True)

    def _plan_free(self, motion: JointMotion, frame: Matrix) -> list[Placed]:
        """Plans a floating joint or a ball: nothing drives these."""
        joint = motion.joint
        position = self._positions[joint.name]
        assert isinstance(position, tuple)
        placed: list[Placed] = []
        if motion.kind == "floating":
            self._warn_of_bodies(joint, 3)
            parts = zip("xyz", np.eye(3), position[:3], strict=True)
            placed = self._plan_chain(joint, frame, parts, is_driven=False)
        here = np.eye(4) if placed else frame
        angles = _ball_angles(rotation_from_quaternion(position[-4:]))
        axes = []
        for letter, axis, angle in zip(("roll", "pitch", "yaw"), np.eye(3), angles, strict=True):
            plan = AxisPlan(joint=joint.name, turns=True, axis=vector_of(here[:3, :3] @ axis))
            plan.sensor, plan.position = f"{joint.name}_{letter}", angle
            axes.append(plan)
        ball = JointNodePlan(
            kind="BallJoint", name=joint.name, axes=axes, anchor=vector_of(here[:3, 3])
        )
        return [*placed, (ball, here)]

    def _plan_chain(
        self,
        joint: Joint,
        frame: Matrix,
        parts: Iterable[tuple[str, Vector, float]],
        *,
        is_driven: bool,
    ) -> list[Placed]:
        """Plans one joint on top of the other at one place: letter, axis and position of each
        joint.
        """
        placed: list[Placed] = []
        for letter, axis, position in parts:
            here = np.eye(4) if placed else frame
            name, turns, direction = f"{joint.name}_{letter}", letter == "yaw", here[:3, :3] @ axis
            plan = AxisPlan(joint=joint.name, turns=turns, axis=vector_of(direction), sensor=name)
            if is_driven:
                plan = self._axis(joint, name, turns=turns, axis=direction)
            plan.position = position
            kind: JointKind = "HingeJoint" if turns else "SliderJoint"
            anchor = vector_of(here[:3, 3])
            placed.append((JointNodePlan(kind=kind, name=name, axes=[plan], anchor=anchor), here))
        return placed

    def _axis(self, joint: Joint, name: str, *, turns: bool, axis: Vector) -> AxisPlan:
        """Plans an axis with a motor, without limits so far."""
        options, dynamics = self._options, joint.dynamics or Dynamics()
        limit = joint.limit or Limit()
        effort, velocity = limit.effort, limit.velocity
        defaults = {"effort": options.default_effort, "velocity": options.default_velocity}
        given = {"effort": effort, "velocity": velocity}
        missing = {word: defaults[word] for word, value in given.items() if not value}
        is_passive = joint.name in self._passive
        if missing and not is_passive and joint.name not in self._told:
            self._told.add(joint.name)
            self._warn_of_missing(joint, missing)
        return AxisPlan(
            joint=joint.name,
            turns=turns,
            axis=vector_of(axis),
            motor="" if is_passive else name,
            sensor=name,
            effort=_scale(effort, options.effort_scale) if effort else options.default_effort,
            velocity=(
                _scale(velocity, options.velocity_scale) if velocity else options.default_velocity
            ),
            damping=_scale(dynamics.damping or 0.0, options.damping_scale),
            friction=_scale(dynamics.friction or 0.0, options.friction_scale),
        )

    def _warn_of_bodies(self, joint: Joint, number: int) -> None:
        finding = (
            f"is {joint.type}; each of the {number} bodies between its axes gets "
            f"{self._options.small_mass:g} kg"
        )
        report_on(joint, "webots-small-mass", finding, self._diagnostics)

    def _warn_of_missing(self, joint: Joint, missing: Mapping[str, float]) -> None:
        given = " and ".join(f"{default:g}" for default in missing.values())
        finding = f"has no {' and no '.join(missing)}; its motor gets {given}"
        report_on(joint, "webots-motor-default", finding, self._diagnostics)


def _scale(number: float, factor: float) -> float:
    """Returns the size of a number times a factor; VRML has no infinity, and files say it by the
    largest number."""
    return min(abs(number) * factor, sys.float_info.max)


def hard_stops(bounds: Range | None, axis: AxisPlan) -> Range | None:
    """Returns the stops of the mechanism, where Webots can have them; the joint starts away from
    them.

    Hinges take only stops of -pi to 0 and 0 to pi; the motor still keeps to wider ones.
    """
    if bounds is None:
        return None
    lower, upper = bounds
    if upper - lower < STOP_MARGIN or max(abs(lower), abs(upper)) >= UNBOUNDED:
        return None
    margin = STOP_MARGIN
    lower = min(lower, axis.position - margin) if axis.position - lower < margin else lower
    upper = max(upper, axis.position + margin) if upper - axis.position < margin else upper
    if axis.turns:
        if not -math.pi - _ROUNDING <= lower <= 0.0 <= upper <= math.pi + _ROUNDING:
            return None
        return max(lower, -math.pi), min(upper, math.pi)
    return lower, upper


def shift_range(limits: JointMotion | Limit, offset: float) -> Range | None:
    """Returns limits less `offset`, as Webots counts, a side without a limit far away; None where
    nothing bounds the motion."""
    if limits.lower is None and limits.upper is None:
        return None
    lower = -UNBOUNDED if limits.lower is None else limits.lower - offset
    upper = UNBOUNDED if limits.upper is None else limits.upper - offset
    return lower, upper


def motor_limits(motion: JointMotion, offset: float = 0.0) -> Range | None:
    """Returns the soft limits where there are sensible ones, else the limits; both less `offset`,
    as Webots counts. None where nothing bounds the motion."""
    bounds = shift_range(motion, offset)
    if bounds is None:
        return None
    lower, upper = bounds
    safety = motion.joint.safety_controller
    if safety is not None:
        soft_lower, soft_upper = safety.soft_lower_limit, safety.soft_upper_limit
        inner = (
            lower if soft_lower is None else max(lower, soft_lower - offset),
            upper if soft_upper is None else min(upper, soft_upper - offset),
        )
        if inner[0] < inner[1]:
            lower, upper = inner
    if upper - lower < 2.0 * LOCKED:
        return lower - LOCKED, upper + LOCKED
    return lower, upper


def _ball_angles(rotation: Matrix) -> tuple[float, float, float]:
    """Returns the angles about x, y and z of R = Rx Ry Rz, as a BallJoint turns."""
    pitch = math.asin(max(-1.0, min(1.0, float(rotation[0, 2]))))
    if abs(rotation[0, 2]) > 1.0 - 1e-12:
        return math.atan2(float(rotation[2, 1]), float(rotation[1, 1])), pitch, 0.0
    roll = math.atan2(-float(rotation[1, 2]), float(rotation[2, 2]))
    return roll, pitch, math.atan2(-float(rotation[0, 1]), float(rotation[0, 0]))


def _turn(axis: Vector, angle: float) -> Matrix:
    half = 0.5 * angle
    x, y, z = (math.sin(half) * axis).tolist()
    return rotation_from_quaternion((x, y, z, math.cos(half)))


def couple_motors(
    axes: Mapping[str, AxisPlan], tree: KinematicTree, diagnostics: Diagnostics
) -> None:
    """Couples the axes, given by joint, of all joints that follow another."""
    masters = tree.masters
    joints = {motion.joint.name: motion.joint for motion in tree.joint_motions}
    groups: dict[str, list[str]] = {}
    for follower, mimic in masters.items():
        if mimic.multiplier:
            groups.setdefault(mimic.joint, []).append(follower)
        else:
            axes[follower].position = 0.0
            axes[follower].limits, axes[follower].stops = (-LOCKED, LOCKED), None
            finding = "follows with a multiplier of 0; it is locked"
            report_on(joints[follower], "webots-mimic", finding, diagnostics)
    for leader, followers in groups.items():
        for name in followers:
            _follow(axes[leader], axes[name], masters[name].multiplier)
        _share_speed(axes[leader], [axes[name] for name in followers])
        axes[leader].leader = leader


def _follow(leader: AxisPlan, follower: AxisPlan, multiplier: float) -> None:
    follower.multiplier = multiplier
    follower.position = multiplier * leader.position
    follower.limits = _times(leader.limits, multiplier)
    follower.stops = hard_stops(_times(leader.stops, multiplier), follower)
    follower.leader = leader.joint


def _share_speed(leader: AxisPlan, followers: Sequence[AxisPlan]) -> None:
    slowest = min(axis.velocity / abs(axis.multiplier) for axis in (leader, *followers))
    leader.velocity = slowest
    for axis in followers:
        axis.velocity = slowest * abs(axis.multiplier)


def _times(bounds: Range | None, multiplier: float) -> Range | None:
    if bounds is None:
        return None
    one, other = bounds[0] * multiplier, bounds[1] * multiplier
    return (one, other) if one <= other else (other, one)
