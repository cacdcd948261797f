# SPDX-License-Identifier: GPL-3.0-or-later
"""The positions of the joints at each waypoint: taught, or chosen so that the motion is short
(dynamic programming over the list)."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.diagnostics import quote
from ...core.geometry.transforms import Matrix, Vector
from ..ik.search import turn_towards
from .courses import ToolCourse, plan_arc, plan_line
from .follow import Followed, Leg, follow
from .machine import PlannedArm
from .model import Move, PlanProblem, ProblemKind

_MOST_STATES = 8
_PENALTY = 1e6
"""Seconds: an impossible move is taken only where all are."""
_SLACK = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stop:
    """A waypoint in numbers.

    name    quoted
    number  in the list of the program
    frame   (4, 4) of the tool in the root
    via     (3,) in the root, of arcs
    taught  (n,) positions that bring the tool to the frame; None where they must be chosen
    find    returns positions (C, n) that do, the nearest to the given ones (n,) first, and how far
            the nearest misses in words, where none does
    """

    name: str
    number: int
    move: Move
    frame: Matrix
    via: Vector | None
    taught: Vector | None
    find: Callable[[Vector], tuple[Matrix, str]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArrivalState:
    """A way to have come to a waypoint: positions (n,), the seconds since the first at the velocity
    limits, the state before, and the move in between: its course and the joints along it, None for
    moves of joints."""

    values: Vector
    cost: float
    before: "ArrivalState | None" = None
    course: ToolCourse | None = None
    followed: Followed | None = None
    problem: PlanProblem | None = None


def choose_states(machine: PlannedArm, stops: Sequence[Stop], start: Vector) -> list[ArrivalState]:
    """Returns the cheapest way through all waypoints, a state at each one; `start` (n,) are
    positions near which the first is looked for."""
    known = _follow_taught(machine, stops)
    states = _begin(stops[0], start)
    for before, stop in itertools.pairwise(stops):
        if stop.move == "joint":
            states = _go(machine, states, stop)
        elif stop.number in known:
            states = [_take_known(machine, each, stop, known[stop.number]) for each in states]
            states = [min(states, key=lambda each: each.cost)]
        else:
            states = _lead(machine, states, before, stop)
        states = sorted(states, key=lambda each: each.cost)[:_MOST_STATES]
    way: list[ArrivalState] = []
    state: ArrivalState | None = states[0]
    while state is not None:
        way.append(state)
        state = state.before
    return way[::-1]


def _begin(stop: Stop, start: Vector) -> list[ArrivalState]:
    if stop.taught is not None:
        return [ArrivalState(values=stop.taught, cost=0.0)]
    found, missed = stop.find(start)
    problem = _explain(stop, "unreachable", missed) if missed else None
    penalty = _PENALTY if missed else 0.0
    return [ArrivalState(values=values, cost=penalty, problem=problem) for values in found]


def _follow_taught(
    machine: PlannedArm, stops: Sequence[Stop]
) -> dict[int, tuple[ToolCourse, Followed]]:
    """Follows all courses between taught waypoints at once."""
    legs: dict[int, Leg] = {}
    for before, stop in itertools.pairwise(stops):
        if stop.move == "joint" or before.taught is None or stop.taught is None:
            continue
        course = _plan_course(before.frame, stop)
        if course is not None:
            legs[stop.number] = Leg(course=course, start=before.taught, end=stop.taught)
    found = follow(machine, list(legs.values())) if legs else []
    return {
        number: (leg.course, each) for (number, leg), each in zip(legs.items(), found, strict=True)
    }


def _plan_course(start: Matrix, stop: Stop) -> ToolCourse | None:
    if stop.move == "linear":
        return plan_line(start, stop.frame)
    assert stop.via is not None
    return plan_arc(start, stop.via, stop.frame)


def _take_known(
    machine: PlannedArm, before: ArrivalState, stop: Stop, known: tuple[ToolCourse, Followed]
) -> ArrivalState:
    course, followed = known
    problem = _judge(machine, stop, followed)
    assert stop.taught is not None
    return ArrivalState(
        values=stop.taught, before=before, course=course, followed=followed, problem=problem,
        cost=before.cost + _spend(machine, before.values, stop.taught) + _PENALTY * bool(problem),
    )  # fmt: skip


def _spend(machine: PlannedArm, one: Vector, other: Vector) -> float:
    """Returns the seconds of a move of joints at their velocity limits."""
    return float((np.abs(other - one) / np.minimum(machine.velocities, 1e3)).max(initial=0.0))


def _go(machine: PlannedArm, states: Sequence[ArrivalState], stop: Stop) -> list[ArrivalState]:
    """Continues by joints."""
    if stop.taught is not None:
        found, missed = stop.taught[None], ""
    else:
        found, missed = stop.find(states[0].values)
    problem = _explain(stop, "unreachable", missed) if missed else None
    reached = []
    for goal in found:
        options = []
        for before in states:
            values = goal
            if stop.taught is None:
                values = turn_towards(machine.chain, goal[None], before.values[None])[0]
            cost = before.cost + _spend(machine, before.values, values) + _PENALTY * bool(problem)
            options.append(ArrivalState(values=values, cost=cost, before=before, problem=problem))
        reached.append(min(options, key=lambda each: each.cost))
    return reached


def _lead(
    machine: PlannedArm, states: Sequence[ArrivalState], before: Stop, stop: Stop
) -> list[ArrivalState]:
    """Continues along a line or an arc, from each of the states."""
    frames = machine.place(np.array([each.values for each in states]))
    if not machine.turns:
        frames[:, :3, :3] = before.frame[:3, :3]
    courses = [_plan_course(frame, stop) for frame in frames]
    if any(each is None for each in courses):
        said = "start, via point and end of the circle lie on a line"
        return [_stay(machine, each, stop, _explain(stop, "circle", said)) for each in states]
    legs = [
        Leg(course=course, start=state.values, end=stop.taught)
        for course, state in zip(courses, states, strict=True) if course is not None
    ]  # fmt: skip
    reached = []
    for leg, state, found in zip(legs, states, follow(machine, legs), strict=True):
        problem = _judge(machine, stop, found, before)
        if problem is not None:
            reached.append(_stay(machine, state, stop, problem))
            continue
        values = found.values[-1]
        cost = state.cost + _spend(machine, state.values, values)
        reached.append(
            ArrivalState(values=values, cost=cost, before=state, course=leg.course, followed=found)
        )
    return reached


def _stay(
    machine: PlannedArm, before: ArrivalState, stop: Stop, problem: PlanProblem
) -> ArrivalState:
    """Returns the state after an impossible move, from which later ones are looked at."""
    values = stop.find(before.values)[0][0] if stop.taught is None else stop.taught
    return ArrivalState(values=values, cost=before.cost + _PENALTY, before=before, problem=problem)


def _judge(
    machine: PlannedArm, stop: Stop, found: Followed, before: Stop | None = None
) -> PlanProblem | None:
    """Returns why a course cannot be gone; None where it can."""
    way = "the straight line" if stop.move == "linear" else "the arc"
    share = float(found.shares[-1])
    joint = machine.names[found.joint]
    if found.failure == "configuration":
        said = (
            f"{way} arrives in another configuration: joint {quote(joint)} would be "
            f"{abs(found.jump):.3g} {_unit(machine, found.joint)} from where it was taught; go "
            "there by joints"
        )
        return _explain(stop, "configuration", said, 1.0, joint)
    beyond = _find_beyond(machine, found)
    if beyond is not None:
        return _say_limit(machine, stop, way, beyond)
    if found.failure == "unreachable":
        said = f"{way} leaves the reach after {100 * share:.0f} %"
        return _explain(stop, "unreachable", said, share)
    if found.failure == "singular":
        said = (
            f"{way} meets a singularity after {100 * share:.0f} %: joint {quote(joint)} would turn "
            f"{found.jump:.3g} {_unit(machine, found.joint)} at once; go there by joints, or shift "
            "or turn the tool"
        )
        return _explain(stop, "singular", said, share, joint)
    return None


def _find_beyond(machine: PlannedArm, found: Followed) -> tuple[int, float, float] | None:
    """Returns the joint that leaves its limits first, the share of the way and the limit."""
    low = found.values < machine.lower - _SLACK
    high = found.values > machine.upper + _SLACK
    beyond = low | high
    if not beyond.any():
        return None
    row = int(beyond.any(axis=1).argmax())
    column = int(beyond[row].argmax())
    limit = machine.lower[column] if low[row, column] else machine.upper[column]
    return column, float(found.shares[max(row - 1, 0)]), float(limit)


def _say_limit(
    machine: PlannedArm, stop: Stop, way: str, beyond: tuple[int, float, float]
) -> PlanProblem:
    column, share, limit = beyond
    joint = machine.names[column]
    said = (
        f"joint {quote(joint)} passes its limit of {limit:.3g} {_unit(machine, column)} after "
        f"{100 * share:.0f} % of {way}"
    )
    return _explain(stop, "limit", said, share, joint)


def _explain(
    stop: Stop, kind: ProblemKind, said: str, share: float = 0.0, joint: str = ""
) -> PlanProblem:
    message = f"{stop.name}: {said}"
    return PlanProblem(waypoint=stop.number, kind=kind, message=message, share=share, joint=joint)


def _unit(machine: PlannedArm, column: int) -> str:
    return "rad" if machine.chain.variables[column].turns else "m"
