# SPDX-License-Identifier: GPL-3.0-or-later
"""The elbow of arms of seven joints: the angle about the line from shoulder to wrist, as a seventh
equation beside the pose."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core.arguments import number_of, positions_of, robot_of
from ...core.diagnostics import KinematicsError, quote, unknown_name
from ...core.geometry.transforms import Matrix, Vector
from ...core.kinematics.tips import moving_joints
from ...core.model import Robot
from ..ik.descent import jacobians, look_at
from ..ik.problem import recall_robot
from .machine import PlannedArm, suggest_tool

_STEP = math.radians(2.0)
_NEAR = 1e-11
_LEAST = 1e-4
"""Of the way: smaller steps are not tried."""
_FLAT = 1e-9
_AT_LIMIT = 1e-3
_TINY = 1e-6
_ASIDE = _TINY * np.concatenate([np.zeros((1, 7)), np.eye(7), -np.eye(7)])
_NO_ANGLE = (
    "the line from shoulder to wrist lies along the first joint's axis, or the arm is stretched"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Swivel:
    """The elbow of an arm, with the tool where it is.

    angle         rad, in (-pi, pi]: of the elbow about the line from shoulder to wrist, from the
                  plane of that line and the first joint's axis, right-handed
    lower, upper  the angles between which the arm can swivel from here; less or more than `angle`
    bound_below, bound_above  the joints whose limits end the range; empty where it is a whole turn,
                  and where the arm cannot go on: stretched, or with two axes in line
    joints        the seven, in their order
    """

    angle: float
    lower: float
    upper: float
    bound_below: str
    bound_above: str
    joints: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Arm:
    """A machine of seven joints, and the parts of the chain at whose ends shoulder, elbow and wrist
    are: origins of the child frames of its second, fourth and sixth joint."""

    machine: PlannedArm
    marks: tuple[int, int, int] = field(default=(1, 3, 5))

    def measure(self, values: Matrix) -> Vector:
        """Returns the angles (B,); not a number where there is none."""
        frames = self.machine.chain.find_frames(values)
        shoulder, elbow, wrist = (frames[mark][:, :3, 3] for mark in self.marks)
        line = wrist - shoulder
        line = line / np.linalg.norm(line, axis=1, keepdims=True)
        axis = frames[0][:, :3, 2]
        zero = axis - (axis * line).sum(1, keepdims=True) * line
        away = elbow - shoulder
        away = away - (away * line).sum(1, keepdims=True) * line
        flat = (np.linalg.norm(zero, axis=1) < _FLAT) | (np.linalg.norm(away, axis=1) < _FLAT)
        sine = (_cross(zero, away) * line).sum(1)
        found = np.arctan2(sine, (zero * away).sum(1))
        return np.where(flat, np.nan, found)

    def look(self, values: Vector) -> tuple[float, Vector]:
        """Returns the angle, and its derivative by the joints (7,), as measured at once."""
        angles = self.measure(values + _ASIDE)
        change = np.angle(np.exp(1j * (angles[1:8] - angles[8:])))
        return float(angles[0]), change / (2.0 * _TINY)

    def solve(self, goal: Matrix, values: Vector, angle: float) -> Vector | None:
        """Returns the positions near the given ones with the tool at the goal (4, 4) and the elbow
        at an angle; None where there are none."""
        gauge = self.machine.gauge(goal[None])
        own = values.copy()
        for _ in range(12):
            shown = look_at(gauge, own[None], np.zeros(1, dtype=np.intp))
            now, slope = self.look(own)
            missing = np.append(shown.signs[0, :6], _wrap(angle - now))
            if not np.isfinite(missing).all():
                return None
            if np.abs(missing).max() < _NEAR:
                return own
            rows = np.vstack([jacobians(gauge, shown)[0].T, slope])
            try:
                step = np.linalg.solve(rows, missing)
            except np.linalg.LinAlgError:
                return None
            own = own + step * min(1.0, 0.3 / max(float(np.abs(step).max()), 1e-300))
        return None


def find_swivel(robot: Robot, positions: Mapping[str, float], *, link: str = "") -> Swivel:
    """Returns the angle of the elbow of an arm of seven joints that turn, and how far it can go
    with the link where it is; `link` is the tool, the robot's hand if it is empty. Other joints are
    at zero where `positions` do not say.

    Raises KinematicsError for unknown names, for an arm of other joints, and where the line from
    shoulder to wrist lies along the first joint's axis.
    """
    robot = robot_of(robot)
    arm, start, goal = _open(robot, dict(positions_of(positions)), link)
    angle = float(arm.measure(start[None])[0])
    above, bound_above = _sweep(arm, goal, start, _STEP)
    below, bound_below = _sweep(arm, goal, start, -_STEP)
    return Swivel(
        angle=angle, lower=angle + below, upper=angle + above, bound_below=bound_below,
        bound_above=bound_above, joints=arm.machine.names,
    )  # fmt: skip


def measure_elbow(robot: Robot, positions: Mapping[str, float], *, link: str) -> float:
    """Returns the angle of the elbow alone, in rad; arguments and errors are as in find_swivel."""
    arm, start, _ = _open(robot, dict(positions), link)
    return float(arm.measure(start[None])[0])


def turn_elbow(
    robot: Robot, positions: Mapping[str, float], angle: float, *, link: str = ""
) -> dict[str, float]:
    """Returns the positions of the seven joints of an arm with the link where it is and the elbow
    at an angle in rad, reached from the present one by small steps; arguments and errors are as in
    find_swivel. Raises KinematicsError too where a limit is on the way."""
    robot, angle = robot_of(robot), number_of(angle, "angle")
    arm, start, goal = _open(robot, dict(positions_of(positions)), link)
    values = walk_to(arm, goal, start, angle)
    if isinstance(values, str):
        raise KinematicsError(f"the elbow does not come to {angle:.3g} rad: {values}")
    return dict(zip(arm.machine.names, values.tolist(), strict=True))


def walk_to(arm: _Arm, goal: Matrix, start: Vector, angle: float) -> Vector | str:
    """Returns the positions with the elbow at an angle, gone to by small steps the shorter way,
    else the longer one; or why they cannot be reached."""
    now = float(arm.measure(start[None])[0])
    if not math.isfinite(now):
        return _NO_ANGLE
    short = _wrap(angle - now)
    why = ""
    for way in (short, short - math.copysign(math.tau, short)):
        values, share, step = start, 0.0, _STEP / max(abs(way), _STEP)
        while share < 1.0 and step > _LEAST:
            goal_share = min(share + step, 1.0)
            tried = arm.solve(goal, values, now + way * goal_share)
            if tried is not None and _find_beyond(arm.machine, tried) is None:
                values, share = tried, goal_share
            else:
                step *= 0.5
        if share == 1.0:
            return values
        column = None if tried is None else _find_beyond(arm.machine, tried)
        name = None if column is None else arm.machine.names[column]
        why = why or ("the arm cannot" if name is None else f"joint {quote(name)} is at its limit")
    return why


def open_arm(machine: PlannedArm) -> _Arm:
    """Returns the arm of seven planned joints that turn, beside external axes. Raises
    KinematicsError for others."""
    if len(machine.names) != 7 or not machine.chain.turns.all() or len(machine.chain.turns) != 7:
        raise KinematicsError(
            f"link {quote(machine.link)} is moved by {len(machine.names)} joints: only arms of "
            "seven joints that turn have a swivel"
        )
    return _Arm(machine=machine)


def _open(robot: Robot, positions: Mapping[str, float], link: str) -> tuple[_Arm, Vector, Matrix]:
    tree = recall_robot(robot).tree
    link = link or suggest_tool(tree)
    if link not in tree.index:
        raise unknown_name("the robot has no link", link, tree.index)
    base = tree.links[0].name
    motions = moving_joints(tree, base, link)
    names = [name for name, each in motions.items() if each.kind == "revolute"]
    for name in positions:
        tree.motion_named(name)
    held = {name: positions.get(name, each.nearest_valid(0.0) if each.is_scalar else ())
            for name, each in motions.items()}  # fmt: skip
    chain = recall_robot(robot).chain(base, link, np.eye(4), names, held)
    own = [motions[each.joint] for each in chain.variables]
    lower = np.array([-np.inf if each.lower is None else each.lower for each in own])
    upper = np.array([np.inf if each.upper is None else each.upper for each in own])
    free = np.full(len(own), np.inf)
    machine = PlannedArm(
        chain=chain, link=link, outer=np.zeros(len(own), dtype=bool), lower=lower, upper=upper,
        velocities=free, accelerations=free, jerks=free, rest=held,
    )  # fmt: skip
    arm = open_arm(machine)
    known: dict[str, Any] = held
    start = np.array([float(known[name]) for name in machine.names])
    if not np.isfinite(arm.measure(start[None])[0]):
        raise KinematicsError(f"the elbow has no angle here: {_NO_ANGLE}")
    return arm, start, machine.place(start[None])[0]


def _sweep(arm: _Arm, goal: Matrix, start: Vector, step: float) -> tuple[float, str]:
    """Returns how far the elbow goes one way, and the joint that ends it."""
    now, values = float(arm.measure(start[None])[0]), start
    done = 0.0
    while abs(done) < math.tau:
        tried = arm.solve(goal, values, now + done + step)
        column = None if tried is None else _find_beyond(arm.machine, tried)
        if tried is None or column is not None:
            return _close_in(arm, goal, (values, now + done), step, done)
        values, done = tried, done + step
    return math.copysign(math.tau, step), ""


def _close_in(
    arm: _Arm, goal: Matrix, last: tuple[Vector, float], step: float, done: float
) -> tuple[float, str]:
    """Halves the last step down to where a limit is met."""
    values, angle = last
    low, high, name = 0.0, 1.0, ""
    for _ in range(30):
        middle = 0.5 * (low + high)
        tried = arm.solve(goal, values, angle + middle * step)
        column = None if tried is None else _find_beyond(arm.machine, tried)
        if tried is None or column is not None:
            high = middle
            name = name if column is None else arm.machine.names[column]
        else:
            low = middle
    if not name:
        end = arm.solve(goal, values, angle + low * step)
        gaps = np.minimum(*(np.abs((values if end is None else end) - each)
                            for each in (arm.machine.lower, arm.machine.upper)))  # fmt: skip
        name = arm.machine.names[int(gaps.argmin())] if gaps.min() < _AT_LIMIT else ""
    return done + low * step, name


def _find_beyond(machine: PlannedArm, values: Vector) -> int | None:
    beyond = (values < machine.lower - 1e-9) | (values > machine.upper + 1e-9)
    return int(beyond.argmax()) if beyond.any() else None


def _cross(one: Matrix, other: Matrix) -> Matrix:
    """Returns the cross products of rows (B, 3), in a fifth of the time of numpy.cross."""
    turned, back = [1, 2, 0], [2, 0, 1]
    return one[:, turned] * other[:, back] - one[:, back] * other[:, turned]


def _wrap(angle: float) -> float:
    return math.remainder(angle, math.tau)
