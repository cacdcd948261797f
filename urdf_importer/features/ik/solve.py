# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics: the frame that a link should have -> joint positions within limits."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from ...core.arguments import diagnostics_of, options_of, positions_of, robot_of
from ...core.diagnostics import Diagnostics, quote
from ...core.geometry.transforms import Vector
from ...core.kinematics.forward import Positions
from ...core.model import Robot
from .goals import Goals, measure_lengths, read_one
from .looped import LoopedProblem, LoopedSearch, pose_looped
from .options import IKOptions
from .problem import Problem, Question, Solved, pose_problem
from .search import SearchResult, find_postures, search

SECONDS, SECONDS_FOR_ALL = 0.25, 1.0
"""For one answer, and for several to one question, where the options state none."""

_MOST_TRIED = 24
"""Ways to a target that are tried where the nearest is refused."""


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
    start_positions: Positions | None = None,
    options: IKOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> IKResult:
    """Returns joint positions, within limits, that bring a link to a target.

    `target` is a frame (4, 4), or a point (3,), which frees the turn, in the frame of the root, or
    of the link named by the `options`, which also select the parts of a frame that count, the
    joints that may move, and the time. `start_positions` are as forward_kinematics takes them;
    other joints start in the middle of their limits, at zero where they have none. Planar, floating
    and ball joints stay at the start unless the options name them. Joints that mimic others follow,
    beyond their own limits too, as they do in the rig; so do joints that closed loops move.

    Targets that are out of reach, not finite or no rotations have answers without success. Raises
    KinematicsError for names that the robot does not have and arguments of wrong shapes.
    """
    asked = _ask(robot, link, target, start_positions, options)
    with np.errstate(all="ignore"):
        looped = pose_looped(asked)
        if looped is not None:
            return answer_looped(asked, looped, asked.options.seconds_or(SECONDS))
        return answer_one(asked, diagnostics_of(diagnostics, asked.robot.source))


def _ask(
    robot: Robot, link: str, target: ArrayLike, start: Positions | None, options: IKOptions | None
) -> Question:
    return Question(
        robot=robot_of(robot), link=link, targets=read_one(target, "target"),
        start=positions_of(start), options=options_of(options, IKOptions),
    )  # fmt: skip


def find_solutions(
    robot: Robot,
    link: str,
    target: ArrayLike,
    *,
    most: int = 8,
    start_positions: Positions | None = None,
    options: IKOptions | None = None,
) -> tuple[Solved, ...]:
    """Returns up to `most` answers to one question that differ by more than 0.3 rad in a joint,
    such as elbow up and elbow down, the nearest to the start first; none where there is none.
    Arguments and errors are as for inverse_kinematics; `restarts` of the options do not count."""
    asked = _ask(robot, link, target, start_positions, options)
    refuse = asked.options.refuse
    with np.errstate(all="ignore"):
        looped = pose_looped(asked)
        problem = looped or pose_problem(asked, Diagnostics(asked.robot.source))
        held = {**asked.start, **problem.held}
        found = _find_all(asked, problem, most if refuse is None else max(most, _MOST_TRIED))
    free = (each for each in found if refuse is None or not refuse(held | each))
    return tuple(islice(free, most))


def _find_all(asked: Question, problem: Problem | LoopedProblem, most: int) -> Iterator[Solved]:
    options = asked.options
    deadline = time.perf_counter() + options.seconds_or(SECONDS_FOR_ALL)
    if isinstance(problem, LoopedProblem):
        if not problem.obstacle and problem.way.joints:
            searching = LoopedSearch(problem.way, problem.goals, deadline)
            answers = searching.find_all(problem.start, most, options.seed)
            yield from map(problem.positions, answers)
    elif not problem.obstacles and problem.chain.variables:
        found = find_postures(
            problem.gauge(), problem.values[0], most=most, deadline=deadline, seed=options.seed
        )
        yield from map(problem.positions, found)


def answer_one(asked: Question, diagnostics: Diagnostics) -> IKResult:
    """Answers a question about one target of a robot without loops in the way."""
    began = time.perf_counter()
    problem = pose_problem(asked, diagnostics)
    found = search_problem(problem, asked.options, began + asked.options.seconds_or(SECONDS))
    closest = problem.positions(found.values[0])
    success = bool(found.solved[0])
    distance, angle = float(found.distances[0]), float(found.angles[0])
    answer = IKResult(
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
    return _heed(asked, problem, answer, problem.start())


def _heed(
    asked: Question, problem: Problem | LoopedProblem, answer: IKResult, start: Solved
) -> IKResult:
    """Returns the nearest answer to the start that is not refused."""
    refuse, held = asked.options.refuse, {**asked.start, **problem.held}
    why = refuse(held | answer.positions) if refuse is not None and answer.success else ""
    if refuse is None or not why:
        return answer
    began = time.perf_counter()
    others = _find_all(asked, problem, _MOST_TRIED) if asked.options.restarts else ()
    other = next((each for each in others if not refuse(held | each)), None)
    seconds = answer.seconds + time.perf_counter() - began
    if other is not None:
        return replace(answer, positions=other, closest=dict(other), seconds=seconds)
    message = f"the target can be reached, but {why}"
    return replace(answer, success=False, positions=start, seconds=seconds, message=message)


def search_problem(problem: Problem, options: IKOptions, deadline: float) -> SearchResult:
    """Returns the result of search, with the distances from the targets themselves where goals were
    brought nearer, which count as missed."""
    crowds = np.full(len(problem.values), max(options.restarts, 0))
    barred = np.array(list(problem.obstacles), dtype=np.intp)
    crowds[barred] = np.minimum(crowds[barred], 1)
    found = search(
        problem.gauge(), problem.values, restarts=crowds, deadline=deadline, seed=options.seed
    )
    if not len(barred):
        return found
    found.solved[barred] = False
    if problem.goals.position:
        ends = problem.chain.find_frames(found.values[barred])[-1] @ problem.chain.last
        found.distances[barred] = measure_lengths(problem.points[barred] - ends[:, :3, 3])
    return found


def explain(asked: Question, problem: Problem, found: SearchResult, number: int) -> str:
    """Says how it went with a target, in one sentence."""
    if found.solved[number]:
        return f"link {quote(asked.link)} is at the target"
    if number in problem.obstacles:
        return problem.obstacles[number]
    if not problem.chain.variables:
        return "no joint that may move moves the link, and it is not at the target"
    distance, angle = float(found.distances[number]), float(found.angles[number])
    return _say_missed(problem.goals, distance, angle, _at_limits(problem, found.values[number]))


def answer_looped(asked: Question, problem: LoopedProblem, seconds: float) -> IKResult:
    """Answers a question whose way passes joints on loops."""
    began = time.perf_counter()
    searching = LoopedSearch(problem.way, problem.goals, began + seconds)
    restarts = 0 if problem.obstacle else asked.options.restarts
    best, restarts = searching.search(problem.start, restarts, asked.options.seed)
    distance, angle = searching.measure(best)
    success = searching.is_there(best) and not problem.obstacle
    if success:
        message = f"link {quote(asked.link)} is at the target"
    else:
        missed = problem.goals, distance, angle
        message = problem.obstacle or _say_missed(*missed, problem.at_limits(best))
    closest, start = problem.positions(best), problem.positions(problem.start)
    answer = IKResult(
        success=success,
        positions=closest if success else start,
        closest=closest,
        position_error=distance,
        orientation_error=angle,
        iterations=searching.iterations,
        restarts=restarts,
        seconds=time.perf_counter() - began,
        message=message,
    )
    return _heed(asked, problem, answer, start)


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
