# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints of arms, and the plan that is made of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.arguments import number_of, positions_of
from ...core.diagnostics import KinematicsError, quote
from ..collisions.report import LinkContact
from ..motion.trajectory import Trajectory

Move = Literal["joint", "linear", "circular"]
MOVES: tuple[Move, ...] = get_args(Move)
ProblemKind = Literal["unreachable", "limit", "configuration", "singular", "circle", "held"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Waypoint:
    """A place of an arm's tool, and how it is reached.

    name        of the waypoint; empty for its number in the list
    pose        (4, 4) of the tool in `frame`; None where the positions alone say the place
    positions   joint -> rad or m: the taught configuration, of external axes too. With both, the
                pose is the place, and the positions are the configuration
    move        "joint", "linear", or "circular" over the point `via`, (3,) in `frame`
    blend       m: the corner here is cut within this radius; 0 stops here
    speed       share of the joints' velocity limits, above 0 to 1
    tool_speed  m/s of the tool at most on lines and arcs; 0 for no bound
    pause       seconds of rest here; nothing is blended then
    swivel      rad, of arms of seven joints: chooses the configuration where none is taught
    frame       a link that the planned joints do not move; empty for the root
    program     waypoints of one program are one arm's, in their order
    after       "PROGRAM:NAME" or "NAME": the move to here begins when that waypoint is reached
    link        the tool of the program; empty for the plan's

    Raises KinematicsError for wrong numbers, and for a waypoint without a place.
    """

    name: str = ""
    pose: ArrayLike | None = None
    positions: Mapping[str, float] | None = None
    move: Move = "joint"
    via: ArrayLike | None = None
    blend: float = 0.0
    speed: float = 1.0
    tool_speed: float = 0.0
    pause: float = 0.0
    swivel: float | None = None
    frame: str = ""
    program: str = ""
    after: str = ""
    link: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise KinematicsError(f"the name of a waypoint must be a text, not {self.name!r:.60}")
        called = quote(self.name) if self.name else "a waypoint"
        if self.pose is None and not self.positions:
            raise KinematicsError(f"{called} has neither a pose nor positions")
        if self.move not in MOVES:
            raise KinematicsError(f"the move of {called} must be one of {', '.join(MOVES)}")
        if self.move == "circular" and self.via is None:
            raise KinematicsError(f"{called} is reached on a circle and has no via point")
        for key, size in (("pose", (4, 4)), ("via", (3,))):
            given = getattr(self, key)
            if given is not None:
                object.__setattr__(self, key, _read_array(given, size, key, called))
        self._check_numbers(called)

    def _check_numbers(self, called: str) -> None:
        positions = {
            name: number_of(value, f"the position of joint {quote(name)}")
            for name, value in positions_of(self.positions).items()
        }
        object.__setattr__(self, "positions", positions or None)
        for key in ("blend", "speed", "tool_speed", "pause"):
            number = number_of(getattr(self, key), f"the {key.replace('_', ' ')} of {called}")
            object.__setattr__(self, key, number)
            if number < 0.0 or not np.isfinite(number):
                what = key.replace("_", " ")
                raise KinematicsError(f"the {what} of {called} must be 0 or more, not {number:g}")
        if not 0.0 < self.speed <= 1.0:
            raise KinematicsError(
                f"the speed of {called} must be above 0 and at most 1, not {self.speed:g}"
            )
        if self.swivel is not None:
            object.__setattr__(self, "swivel", number_of(self.swivel, f"the swivel of {called}"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Waypoint):
            return NotImplemented
        mine, its = (
            {name: getattr(each, name) for name in Waypoint.__dataclass_fields__}
            for each in (self, other)
        )
        return all(
            np.array_equal(mine.pop(key), its.pop(key))
            if mine[key] is not None and its[key] is not None
            else mine.pop(key) is its.pop(key)
            for key in ("pose", "via")
        ) and bool(mine == its)

    __hash__ = None  # type: ignore[assignment]


def _read_array(given: Any, size: tuple[int, ...], key: str, called: str) -> NDArray[np.float64]:
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise KinematicsError(f"the {key} of {called} is not made of numbers") from None
    if array.shape != size or not np.isfinite(array).all():
        raise KinematicsError(f"the {key} of {called} must have finite numbers of shape {size}")
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanProblem:
    """Why a motion is impossible.

    waypoint  the number of the waypoint, from 0 on, that cannot be reached as it is meant
    kind      unreachable, limit, configuration, singular, circle, held
    share     of the move to it after which it fails, 0 to 1
    joint     the joint that it is about; empty where it is about none
    """

    waypoint: int
    kind: ProblemKind
    message: str
    share: float = 0.0
    joint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMove:
    """A move of a plan.

    waypoint    the number of the waypoint that it leads to
    start, end  seconds
    length      m of the tool's way
    tool_speed  m/s, the greatest
    joint       the joint that is nearest to its velocity limit during the move
    blend       m: the radius at its end as it came out
    singular    whether the tool slows down at a singularity
    """

    waypoint: int
    move: Move
    start: float
    end: float
    length: float
    tool_speed: float
    joint: str
    blend: float
    singular: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """The answer of plan_waypoints.

    success     whether there is a trajectory
    trajectory  cubics between its samples (`interpolation="spline"`); None without success
    times       (n,) seconds at which each waypoint is reached, or passed nearest
    duration    the cycle time in seconds
    moves       of one program after the other
    problems    why there is no trajectory: all of them, in the order of the waypoints
    contacts    links that touch during the motion, as check_collisions has them
    message     the outcome, in one sentence
    """

    success: bool
    trajectory: Trajectory | None = None
    times: tuple[float, ...] = ()
    duration: float = 0.0
    moves: tuple[PlannedMove, ...] = ()
    problems: tuple[PlanProblem, ...] = ()
    contacts: tuple[LinkContact, ...] = field(default=())
    message: str = ""
