# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot and waypoints made numbers: the planned joints with their limits, and the place of each
waypoint."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.diagnostics import Diagnostics, KinematicsError, quote, unknown_name
from ...core.geometry.transforms import Matrix, Vector
from ...core.kinematics.forward import AT_REST
from ...core.kinematics.loops import find_freedom, forward_kinematics
from ...core.kinematics.motion import JointMotion
from ...core.kinematics.tips import moving_joints
from ...core.kinematics.tree import KinematicTree
from ...core.model import Robot
from ..ik.options import IKOptions
from ..ik.problem import recall_robot
from ..ik.solve import find_solutions, inverse_kinematics
from ..motion.limits import JointLimits, RobotLimits, hold_followers
from ..motion.names import name_few
from .ends import Stop
from .machine import ALL_WAYS, NEAR, PlannedArm
from .model import PlanProblem, Waypoint
from .options import PlanOptions
from .swivel import open_arm, walk_to

_SAME = 1e-6
"""Metres and radians: a pose so near to the taught one is the taught one, as single precision
gives it back."""
_MOST = 8
_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cell:
    """A robot, the positions of all its joints at the start, its limits and its held joints."""

    robot: Robot
    tree: KinematicTree
    start: Mapping[str, float | tuple[float, ...]]
    limits: RobotLimits
    held: frozenset[str]


def open_cell(
    robot: Robot, start: Mapping[str, Any], limits: RobotLimits, held: Collection[str]
) -> Cell:
    """Returns the cell of a robot. Raises KinematicsError for unknown joints."""
    tree = recall_robot(robot).tree
    motions = {each.joint.name: each for each in tree.joint_motions if each.moves}
    for name in (*start, *held):
        if name not in motions:
            raise unknown_name("the robot has no moving joint", name, motions)
    full = {name: start.get(name, _rest(motion)) for name, motion in motions.items()}
    return Cell(robot=robot, tree=tree, start=full, limits=limits, held=frozenset(held))


def _rest(motion: JointMotion) -> float | tuple[float, ...]:
    if motion.kind in AT_REST:
        return AT_REST[motion.kind]
    return motion.nearest_valid(0.0)


def build_machine(
    cell: Cell, link: str, options: PlanOptions, diagnostics: Diagnostics
) -> PlannedArm:
    """Returns the joints that are planned for a tool. Raises KinematicsError for unknown names,
    where nothing moves the tool, and where a joint has no limit of velocity."""
    tree = cell.tree
    if link not in tree.index:
        raise unknown_name("the robot has no link", link, tree.index)
    base = tree.links[0].name
    moving = moving_joints(tree, base, link)
    for name in options.group:
        if name not in tree.motion_of:
            raise unknown_name("the robot has no joint", name, tree.motion_of)
    asked = options.group or tuple(moving)
    names = [
        name
        for name, motion in moving.items()
        if motion.is_scalar and name not in cell.held and name in asked
    ]
    led = find_freedom(tree).followers if cell.robot.loops else ()
    if any(name in led for name in names):
        raise KinematicsError(f"closed loops move link {quote(link)}: it cannot be led")
    if not names:
        held = [name for name in moving if name in cell.held]
        more = f"; held: {', '.join(map(quote, held))}" if held else ""
        raise KinematicsError(f"no joint that may move moves link {quote(link)}{more}")
    chain = recall_robot(cell.robot).chain(base, link, np.eye(4), names, dict(cell.start))
    ordered = [each.joint for each in chain.variables]
    bounds = _collect(cell, ordered, options, diagnostics)
    return PlannedArm(
        chain=chain, link=link, outer=_find_outer(moving, ordered), rest=cell.start, **bounds
    )


def _find_outer(moving: Mapping[str, JointMotion], names: Sequence[str]) -> Any:
    """Returns which joints are external axes: slides and mounted axes below an arm that can turn
    its tool as it likes without them."""
    outer = np.zeros(len(names), dtype=bool)
    for place, name in enumerate(names):
        motion = moving[name]
        is_outer = motion.kind == "prismatic" or motion.joint.child == f"{name}_base"
        if not is_outer or len(names) - place - 1 < ALL_WAYS:
            break
        outer[place] = True
    return outer


def _collect(
    cell: Cell, names: Sequence[str], options: PlanOptions, diagnostics: Diagnostics
) -> dict[str, Any]:
    held, limits = hold_followers(cell.limits), cell.limits
    own = [held.get(name, JointLimits()) for name in names]
    velocity = options.velocity_scale or limits.velocity_scale
    acceleration = options.acceleration_scale or limits.acceleration_scale
    bare = [name for name, each in zip(names, own, strict=True) if each.velocity is None]
    if bare:
        raise KinematicsError(
            f"joint {quote(bare[0])} has no limit of velocity, so that its motion has no time: "
            "give limits"
        )
    assumed = [name for name, each in zip(names, own, strict=True) if each.acceleration is None]
    if assumed:
        which = "a joint" if len(assumed) == 1 else f"{len(assumed)} joints"
        diagnostics.warning(
            "acceleration-assumed",
            f"no acceleration is stated for {which}: each comes to its velocity limit in "
            f"{options.ramp:g} s",
            subject=assumed[0],
        )

    def read(kind: str, missing: float) -> Vector:
        found = [getattr(each, kind) for each in own]
        return np.array([missing if each is None else each for each in found], dtype=np.float64)

    velocities = read("velocity", np.inf)
    accelerations = read("acceleration", np.inf)
    accelerations = np.where(np.isinf(accelerations), velocities / options.ramp, accelerations)
    return {
        "lower": read("lower", -np.inf), "upper": read("upper", np.inf),
        "velocities": velocities * velocity, "accelerations": accelerations * acceleration,
        "jerks": read("jerk", np.inf),
    }  # fmt: skip


def make_stops(
    cell: Cell, machine: PlannedArm, points: Sequence[Waypoint], options: PlanOptions
) -> tuple[list[Stop], list[PlanProblem]]:
    """Returns the waypoints of a program in numbers, and their own problems.
    Raises KinematicsError for unknown names."""
    stops, problems = [], []
    for number, point in enumerate(points):
        stop, problem = _make_stop(cell, machine, (number, point), options)
        stops.append(stop)
        problems += [] if problem is None else [problem]
    return stops, problems


def report_unused(
    cell: Cell, planned: Collection[str], points: Sequence[Waypoint], diagnostics: Diagnostics
) -> None:
    """Reports joints that are taught elsewhere than they are and that no program moves. Followers
    go where their leaders are, and a held joint is a problem of its waypoint."""
    unused = dict.fromkeys(
        name
        for point in points
        for name, value in (point.positions or {}).items()
        if name not in planned
        and cell.tree.motion_of[name].joint.mimic is None
        and not np.allclose(cell.start[name], value, rtol=0.0, atol=_SAME)
    )
    if unused:
        diagnostics.warning(
            "taught-unused",
            f"left where they are, though waypoints teach them: {name_few(unused)}; "
            "a plan moves the joints of its tools alone: key the others by themselves",
            subject=next(iter(unused)),
        )


def report_assumed(points: Sequence[Waypoint], link: str, diagnostics: Diagnostics) -> None:
    """Warns that poses of no named link are taken for the hand's."""
    if any(each.pose is not None and not each.link for each in points):
        diagnostics.warning(
            "tool-assumed",
            f"no link is named whose poses these are: link {quote(link)} is led to them",
            subject=link,
        )


def name_of(point: Waypoint, number: int) -> str:
    """Returns the name of a waypoint, or its number from 1 on."""
    return point.name or str(number + 1)


def _make_stop(
    cell: Cell, machine: PlannedArm, numbered: tuple[int, Waypoint], options: PlanOptions
) -> tuple[Stop, PlanProblem | None]:
    number, point = numbered
    called = quote(name_of(point, number))
    taught, problem = _read_taught(cell, machine, numbered)
    frame = _find_frame(cell, machine, point, called)
    goal = None if point.pose is None else frame @ np.asarray(point.pose)
    if goal is not None and options.configuration == "best":
        taught, problem = None, None

    def find(near: Vector) -> tuple[Matrix, str]:
        assert goal is not None
        return find_values(cell, machine, goal, near)

    if goal is None:
        assert taught is not None
        goal = machine.place(taught[None])[0]
    elif taught is not None:
        there = machine.place(taught[None])[0]
        if _is_same(machine, there, goal):
            goal = there
        else:
            taught = _correct(cell, machine, goal, taught)
    elif point.swivel is not None:
        taught, problem = _find_swivelled(cell, machine, goal, numbered)
    via = None if point.via is None else frame[:3, :3] @ np.asarray(point.via) + frame[:3, 3]
    stop = Stop(
        name=called, number=number, move=point.move, frame=goal, via=via, taught=taught, find=find
    )
    return stop, problem


def _is_same(machine: PlannedArm, one: Matrix, other: Matrix) -> bool:
    near: bool = np.abs(one[:3, 3] - other[:3, 3]).max() <= _SAME
    return near and (not machine.turns or np.abs(one[:3, :3] - other[:3, :3]).max() <= _SAME)


def _find_frame(cell: Cell, machine: PlannedArm, point: Waypoint, called: str) -> Matrix:
    if not point.frame:
        return np.eye(4)
    if point.frame not in cell.tree.index:
        raise unknown_name("the robot has no link", point.frame, cell.tree.index)
    moved = moving_joints(cell.tree, cell.tree.links[0].name, point.frame)
    if set(moved) & set(machine.names):
        raise KinematicsError(
            f"{called} is in the frame of link {quote(point.frame)}, which the arm itself moves"
        )
    frames = forward_kinematics(cell.robot, dict(cell.start))
    return frames[point.frame]


def _read_taught(
    cell: Cell, machine: PlannedArm, numbered: tuple[int, Waypoint]
) -> tuple[Vector | None, PlanProblem | None]:
    """Returns the taught positions of the planned joints, and their problem."""
    number, point = numbered
    if not point.positions:
        return None, None
    called, problem = quote(name_of(point, number)), None
    for name, value in point.positions.items():
        if name not in cell.start:
            raise unknown_name("the robot has no moving joint", name, cell.start)
        at = cell.start[name]
        if name in cell.held and isinstance(at, float) and abs(at - value) > _SAME:
            said = f"{called}: joint {quote(name)} is held at {at:.3g} and taught at {value:.3g}"
            problem = PlanProblem(waypoint=number, kind="held", message=said, joint=name)
    values = np.array(
        [point.positions.get(name, cell.start[name]) for name in machine.names], dtype=np.float64
    )
    inside = np.clip(values, machine.lower, machine.upper)
    away = np.abs(values - inside)
    if away.max() > _SAME and problem is None:
        column = int(away.argmax())
        name = machine.names[column]
        said = (
            f"{called}: joint {quote(name)} is taught at {values[column]:.4g}, beyond its limit of "
            f"{inside[column]:.4g}"
        )
        problem = PlanProblem(waypoint=number, kind="limit", message=said, joint=name)
    return inside, problem


def _correct(cell: Cell, machine: PlannedArm, goal: Matrix, taught: Vector) -> Vector | None:
    """Returns the positions at a pose in the configuration of the taught ones; None where there are
    none nearby."""
    values, missed = machine.solve(goal[None], taught[None], most=60)
    inside = (values[0] >= machine.lower - NEAR) & (values[0] <= machine.upper + NEAR)
    if missed[0] <= NEAR and inside.all() and np.abs(values[0] - taught).max() < np.pi:
        near: Vector = np.clip(values[0], machine.lower, machine.upper)
        return near
    found, missing = find_values(cell, machine, goal, taught)
    first: Vector = found[0]
    return None if missing else first


def find_values(cell: Cell, machine: PlannedArm, goal: Matrix, near: Vector) -> tuple[Matrix, str]:
    """Returns positions (C, n) that bring the tool to a frame (4, 4), the nearest first: with
    external axes where they are, if that is possible. Without any, the best, and why."""
    names = [name for name, outer in zip(machine.names, machine.outer, strict=True) if not outer]
    start = dict(cell.start) | dict(zip(machine.names, near.tolist(), strict=True))
    message = ""
    for joints in dict.fromkeys((tuple(names), machine.names)):
        options = IKOptions(joints=joints, orientation=machine.turns)
        how: Any = {"start_positions": start, "options": options}
        answer = inverse_kinematics(cell.robot, machine.link, goal, **how)
        message = "" if answer.success else answer.message
        found = [answer.closest]
        if answer.success and not machine.redundant:
            quick = IKOptions(joints=joints, orientation=machine.turns, seconds=_SECONDS)
            how["options"] = quick
            found += find_solutions(cell.robot, machine.link, goal, most=_MOST, **how)
        if answer.success:
            break
    rows = np.array([[float({**start, **each}[name]) for name in machine.names] for each in found])
    if message:
        return rows, message
    exact, missed = machine.solve(np.tile(goal, (len(rows), 1, 1)), rows)
    inside = ((exact >= machine.lower) & (exact <= machine.upper)).all(axis=1) & (missed <= NEAR)
    rows = np.where(inside[:, None], exact, rows)
    apart = [0]
    for place in range(1, len(rows)):
        if all(np.abs(rows[place] - rows[other]).max() > 1e-3 for other in apart):
            apart.append(place)
    return rows[apart], ""


def _find_swivelled(
    cell: Cell, machine: PlannedArm, goal: Matrix, numbered: tuple[int, Waypoint]
) -> tuple[Vector | None, PlanProblem | None]:
    """Returns positions with the elbow at the waypoint's angle, or why there are none."""
    number, point = numbered
    assert point.swivel is not None
    near = np.array([float(cell.start[name]) for name in machine.names])  # type: ignore[arg-type]
    found, missing = find_values(cell, machine, goal, near)
    if missing:
        return None, None
    values = walk_to(open_arm(machine), goal, found[0], point.swivel)
    if not isinstance(values, str):
        return values, None
    called = quote(name_of(point, number))
    said = f"{called}: the elbow does not come to {point.swivel:.3g} rad: {values}"
    return found[0], PlanProblem(waypoint=number, kind="unreachable", message=said)
