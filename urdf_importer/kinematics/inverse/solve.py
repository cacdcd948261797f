# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics: a frame that a link is to have -> joint positions within limits."""

import time
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...arguments import diagnostics_of, positions_of, robot_of, texts_of
from ...diagnostics import Diagnostics, quote
from ...geometry.transforms import Vector
from ...model import Robot
from ..forward import Positions
from .goals import Goals, measure_lengths, read_one
from .looped import LoopedProblem, LoopedSearch, pose_looped
from .problem import Problem, Question, Solved, pose_problem
from .search import Found, find_postures, search

TOLERANCE = (1e-6, 1e-6)
MOST_SECONDS = 0.25
MOST_RESTARTS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class IKResult:
    """The result of inverse kinematics.

    success            whether `positions` bring the link to the target, within the tolerance
    positions          the independent joints that may move -> rad or m, or numbers as
                       forward_kinematics takes them, and their followers in closed loops; on
                       failure the positions at the start
    closest            the best that was found, within limits; the same as `positions` on success
    position_error     of `closest` in m, 0 where only the orientation counts
    orientation_error  of `closest` in rad, 0 where only the position counts
    iterations         in all
    restarts           how often other places than the start were tried
    seconds            of work
    message            the outcome, in one sentence

    Errors are not a number where the target has none.
    """

    success: bool
    positions: Solved
    closest: Solved
    position_error: float
    orientation_error: float
    iterations: int
    restarts: int
    seconds: float
    message: str


def inverse_kinematics(
    robot: Robot,
    link: str,
    target: ArrayLike,
    *,
    start: Positions | None = None,
    base: str | None = None,
    joints: Collection[str] | None = None,
    position: bool = True,
    orientation: bool = True,
    tip: ArrayLike | None = None,
    tolerance: tuple[float, float] = TOLERANCE,
    seconds: float = MOST_SECONDS,
    restarts: int = MOST_RESTARTS,
    seed: int = 0,
    diagnostics: Diagnostics | None = None,
) -> IKResult:
    """Returns joint positions, within limits, that bring a link to a target.

    `target` is a frame (4, 4), or a point (3,) for the position alone, in the frame of the link
    `base`, the root where none is named; `position` and `orientation` select the parts of a frame
    that count. `tip`, (4, 4) or (3,), is the frame or point of the link that is to be there.
    `start` are joint positions as forward_kinematics takes them; joints it does not name start in
    the middle of their limits, at zero where they have none. Only `joints` may move, if given.
    Planar, floating and ball joints stay at the start unless `joints` names them. Joints that mimic
    others follow, beyond their own limits too, as they do in the rig; so do joints that closed
    loops move.

    `tolerance` is in m and rad. `seconds` bounds the time, `restarts` the number of random crowds
    that are tried after the start: with 0 the answer is the nearest place where the error is least.
    The same question with the same `seed` has the same answer, unless time runs out.

    Targets that are out of reach, not finite or no rotations have answers without success. Raises
    KinematicsError for names that the robot does not have and arguments of wrong shapes.
    """
    began = time.perf_counter()
    robot, joints = robot_of(robot), None if joints is None else texts_of(joints, "joints")
    asked = Question(
        robot=robot, link=link, targets=read_one(target, "target"), start=positions_of(start),
        base=base, joints=joints, position=position, orientation=orientation, tip=tip,
        tolerance=tolerance,
    )  # fmt: skip
    with np.errstate(all="ignore"):
        looped = pose_looped(asked)
        if looped is not None:
            return answer_looped(asked, looped, seconds, restarts, seed)
        kept = diagnostics_of(diagnostics, robot.source)
        return _answer(asked, pose_problem(asked, kept), began, seconds, restarts, seed)


def find_solutions(
    robot: Robot,
    link: str,
    target: ArrayLike,
    *,
    most: int = 8,
    start: Positions | None = None,
    base: str | None = None,
    joints: Collection[str] | None = None,
    position: bool = True,
    orientation: bool = True,
    tip: ArrayLike | None = None,
    seconds: float = 1.0,
    seed: int = 0,
) -> tuple[Solved, ...]:
    """Returns up to `most` answers to one question that differ by more than 0.3 rad in a joint,
    such as elbow up and elbow down, the nearest to the start first; none where there is none.
    Arguments and errors are as for inverse_kinematics."""
    deadline = time.perf_counter() + seconds
    robot, joints = robot_of(robot), None if joints is None else texts_of(joints, "joints")
    asked = Question(
        robot=robot, link=link, targets=read_one(target, "target"), start=positions_of(start),
        base=base, joints=joints, position=position, orientation=orientation, tip=tip,
        tolerance=TOLERANCE,
    )  # fmt: skip
    with np.errstate(all="ignore"):
        looped = pose_looped(asked)
        if looped is not None:
            if looped.obstacle or not looped.way.joints:
                return ()
            searching = LoopedSearch(looped.way, looped.goals, deadline)
            answers = searching.find_all(looped.start, most, seed)
            return tuple(looped.positions(each) for each in answers)
        problem = pose_problem(asked, Diagnostics(robot.source))
        if problem.obstacles or not problem.chain.variables:
            return ()
        found = find_postures(
            problem.chain, problem.goals, problem.values[0], most=most, deadline=deadline, seed=seed
        )
    return tuple(problem.positions(values) for values in found)


def _answer(
    asked: Question, problem: Problem, began: float, seconds: float, restarts: int, seed: int
) -> IKResult:
    found = search_problem(problem, restarts, began + seconds, seed)
    closest = problem.positions(found.values[0])
    success = bool(found.solved[0])
    distance, angle = float(found.distances[0]), float(found.angles[0])
    return IKResult(
        success=success,
        positions=dict(closest) if success else problem.start(),
        closest=closest,
        position_error=distance,
        orientation_error=angle,
        iterations=found.iterations,
        restarts=int(found.restarts[0]),
        seconds=time.perf_counter() - began,
        message=explain(asked, problem, found, 0),
    )


def search_problem(problem: Problem, restarts: int, deadline: float, seed: int) -> Found:
    """Returns the result of search, with the distances from the targets themselves where goals were
    brought nearer, which count as missed."""
    crowds = np.full(len(problem.values), max(restarts, 0))
    barred = np.array(list(problem.obstacles), dtype=np.intp)
    crowds[barred] = np.minimum(crowds[barred], 1)
    found = search(
        problem.chain, problem.goals, problem.values, restarts=crowds, deadline=deadline, seed=seed
    )
    if not len(barred):
        return found
    found.solved[barred] = False
    if problem.goals.position:
        ends = problem.chain.place(found.values[barred])[-1] @ problem.chain.last
        found.distances[barred] = measure_lengths(problem.points[barred] - ends[:, :3, 3])
    return found


def explain(asked: Question, problem: Problem, found: Found, number: int) -> str:
    """Says how it went with a target, in one sentence."""
    if found.solved[number]:
        return f"link {quote(asked.link)} is at the target"
    if number in problem.obstacles:
        return problem.obstacles[number]
    if not problem.chain.variables:
        return "no joint that may move moves the link, and it is not at the target"
    distance, angle = float(found.distances[number]), float(found.angles[number])
    return _say_missed(problem.goals, distance, angle, _at_limits(problem, found.values[number]))


def answer_looped(
    asked: Question, problem: LoopedProblem, seconds: float, restarts: int, seed: int
) -> IKResult:
    """Answers a question whose way passes joints on loops."""
    began = time.perf_counter()
    searching = LoopedSearch(problem.way, problem.goals, began + seconds)
    found = searching.search(problem.start, 0 if problem.obstacle else restarts, seed)
    success = found.solved and not problem.obstacle
    if success:
        message = f"link {quote(asked.link)} is at the target"
    else:
        missed = problem.goals, found.distance, found.angle
        message = problem.obstacle or _say_missed(*missed, problem.at_limits(found.positions))
    closest = problem.positions(found.positions)
    return IKResult(
        success=success,
        positions=closest if success else problem.positions(problem.start),
        closest=closest,
        position_error=found.distance,
        orientation_error=found.angle,
        iterations=found.iterations,
        restarts=found.restarts,
        seconds=time.perf_counter() - began,
        message=message,
    )


def _say_missed(goals: Goals, distance: float, angle: float, names: list[str]) -> str:
    parts = [f"{distance:.3g} m"] * (distance > goals.near)
    parts += [f"{angle:.3g} rad"] * (angle > goals.turned)
    missed = f"the target is out of reach by {' and '.join(parts)}"
    if not names:
        return missed
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    limits = "the limit" if len(names) == 1 else "the limits"
    return f"{missed}; the closest pose is at {limits} of {', '.join(map(quote, names[:3]))}{more}"


def _at_limits(problem: Problem, values: Vector) -> list[str]:
    chain = problem.chain
    at = (values <= chain.lower) | (values >= chain.upper)
    return [each.joint for each, limited in zip(chain.variables, at, strict=True) if limited]
