# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics of many targets at once, as arrays."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.arguments import diagnostics_of, options_of, positions_of, robot_of
from ...core.diagnostics import Diagnostics, KinematicsError, quote
from ...core.geometry.transforms import Matrix, Vector
from ...core.kinematics.forward import POSITION_SIZES, Position, Positions
from ...core.model import Robot
from .goals import read_numbers
from .looped import is_looped, pose_looped
from .options import IKOptions
from .problem import Problem, Question, pose_problem, recall_robot
from .solve import SECONDS, answer_looped, answer_one, explain, search_problem

_AT_ONCE = 256
"""More targets than this are answered part by part, so that arrays stay small."""

Arrays = dict[str, NDArray[np.float64]]

_NUMBERS = ("success", "position_error", "orientation_error", "restarts")
_JOINTS = ("positions", "closest")
"""Fields of IKResults that hold an array of all targets, and one for each joint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IKResults:
    """The results of inverse kinematics for n targets, in their order.

    success            (n,) whether `positions` bring the link to each target, within the tolerance
    positions          the joints of IKResult -> rad or m (n,), or (n, k) for joints of k numbers;
                       without success the positions at the start
    closest            the best that was found, within limits
    position_error     (n,) of `closest` in m, 0 where only the orientation counts
    orientation_error  (n,) of `closest` in rad, 0 where only the position counts
    restarts           (n,) how often other places than the start were tried
    seconds            of work, for all
    messages           the outcome of each target, in one sentence

    Errors are not a number where the target has none.
    """

    success: NDArray[np.bool_]
    positions: Arrays
    closest: Arrays
    position_error: Vector
    orientation_error: Vector
    restarts: NDArray[np.intp]
    seconds: float
    messages: tuple[str, ...]


def inverse_kinematics_many(
    robot: Robot,
    link: str,
    targets: ArrayLike,
    *,
    start_positions: Mapping[str, Position | ArrayLike] | None = None,
    options: IKOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> IKResults:
    """Returns joint positions, within limits, for each of n targets, in a fraction of the time that
    inverse_kinematics takes for one, since all are searched as arrays. Answers are as exact and
    found as surely, but where there are several ways to reach a target it may take another.

    `targets` are frames (n, 4, 4), or points (n, 3), which free the turn. `start_positions` are as
    forward_kinematics takes them, for all targets; or (n,), one for each target, of joints that
    turn or slide and may move. `seconds` of the options is the time for each target on the average.
    All other arguments, and the causes of KinematicsError, are as for inverse_kinematics.

    Each target is answered for itself, from its start: for a path, on which each begins where the
    one before ended, inverse_kinematics is called in a row. Where joints on closed loops are in
    the way, or positions may be refused, this function calls it target by target too, and takes as
    long.
    """
    began = time.perf_counter()
    robot, options = robot_of(robot), options_of(options, IKOptions)
    given = _read_targets(targets)
    shared, varied = _sort_starts(robot, positions_of(start_positions), len(given))
    asked = Question(
        robot=robot, link=link, targets=given, start=shared, options=options, varied=varied
    )
    seconds = options.seconds_or(SECONDS)
    kept = diagnostics_of(diagnostics, robot.source)
    parts: list[IKResults] = []
    with np.errstate(all="ignore"):
        alone = is_looped(asked) or (options.refuse is not None and len(given) > 0)
        most = 1 if alone else _AT_ONCE
        for first in range(0, max(len(given), 1), most):
            part = _cut(asked, slice(first, first + most))
            if alone:
                parts.append(_answer_alone(part, seconds))
                continue
            until = began + seconds * (first + len(part.targets))
            parts.append(_answer(part, pose_problem(part, kept), until))
            # Each message appears once.
            kept = Diagnostics(robot.source)
    return _join(parts, time.perf_counter() - began)


def _read_targets(targets: ArrayLike) -> Matrix:
    wanted = "the targets must be frames (n, 4, 4) or points (n, 3)"
    try:
        given = np.array(targets, dtype=np.float64)
    except (TypeError, ValueError):
        raise KinematicsError(f"{wanted}, and are not such an array of numbers") from None
    if given.shape == (0,):
        return given.reshape(0, 3)
    if given.shape[1:] not in ((4, 4), (3,)):
        more = ": inverse_kinematics takes one" if given.shape in ((4, 4), (3,)) else ""
        raise KinematicsError(f"{wanted}, not of shape {given.shape}{more}")
    return given


def _sort_starts(
    robot: Robot, start: Mapping[str, Position | ArrayLike], count: int
) -> tuple[Positions, dict[str, Vector]]:
    """Returns the positions that all targets start from, and each target's own."""
    tree = recall_robot(robot).tree
    shared: dict[str, Position] = {}
    varied: dict[str, Vector] = {}
    for name, position in start.items():
        if tree.motion_named(name).kind in POSITION_SIZES or np.shape(position) in ((), (1,)):
            # check_position() names the fault.
            shared[name] = position  # type: ignore[assignment]
            continue
        numbers = read_numbers(position, f"start of joint {quote(name)}")
        if numbers.shape != (count,) or not np.isfinite(numbers).all():
            raise KinematicsError(
                f"the start of joint {quote(name)} must be one finite number, or one for each of "
                f"the {count} targets"
            )
        varied[name] = numbers
    return shared, varied


def _cut(asked: Question, part: slice) -> Question:
    varied = {name: numbers[part] for name, numbers in asked.varied.items()}
    return replace(asked, targets=asked.targets[part], varied=varied)


def _answer(asked: Question, problem: Problem, deadline: float) -> IKResults:
    found = search_problem(problem, asked.options, deadline)
    closest = _gather(problem, found.values)
    starts = _gather(problem, problem.values)
    return IKResults(
        success=found.solved,
        positions={
            name: np.where(found.solved[(...,) + (None,) * (each.ndim - 1)], each, starts[name])
            for name, each in closest.items()
        },
        closest=closest,
        position_error=found.distances,
        orientation_error=found.angles,
        restarts=found.restarts,
        seconds=0.0,
        messages=tuple(
            explain(asked, problem, found, number) for number in range(len(found.solved))
        ),
    )


def _gather(problem: Problem, values: Matrix) -> Arrays:
    """Returns joint -> positions (T,) or (T, k), of (T, n) values."""
    columns: dict[str, list[int]] = {}
    for column, variable in enumerate(problem.chain.variables):
        columns.setdefault(variable.joint, []).append(column)
    if all(len(places) == 1 for places in columns.values()):
        return {name: values[:, places[0]].copy() for name, places in columns.items()}
    rows = [problem.positions(row) for row in values]
    sizes = {name: POSITION_SIZES.get(problem.motions[name].kind, 1) for name in columns}
    return {
        name: np.array([row[name] for row in rows], dtype=float).reshape(
            (len(rows), size) if size > 1 else len(rows)
        )
        for name, size in sizes.items()
    }


def _answer_alone(asked: Question, seconds: float) -> IKResults:
    """Answers one target, or says which joints would be asked where there is none."""
    count = len(asked.targets)
    own: dict[str, Position] = {
        name: float(each[0]) for name, each in asked.varied.items() if count
    }
    if not count:
        asked = replace(asked, targets=np.zeros((1, 3)))
    asked = replace(asked, start={**asked.start, **own}, varied={})
    problem = pose_looped(asked)
    if problem is None:
        found = answer_one(asked, Diagnostics(asked.robot.source))
    else:
        found = answer_looped(asked, problem, seconds if count else 0.0)
    numbers: dict[str, Any] = {name: np.array([getattr(found, name)])[:count] for name in _NUMBERS}
    for part in _JOINTS:
        positions = getattr(found, part).items()
        numbers[part] = {name: np.array([each])[:count] for name, each in positions}
    return IKResults(**numbers, seconds=found.seconds, messages=(found.message,)[:count])


def _join(parts: Sequence[IKResults], seconds: float) -> IKResults:
    if len(parts) == 1:
        return replace(parts[0], seconds=seconds)
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(each, name) for each in parts]) for name in _NUMBERS
    }
    for part in _JOINTS:
        arrays = [getattr(each, part) for each in parts]
        joined[part] = {name: np.concatenate([a[name] for a in arrays]) for name in arrays[0]}
    messages = tuple(message for each in parts for message in each.messages)
    return IKResults(**joined, seconds=seconds, messages=messages)
