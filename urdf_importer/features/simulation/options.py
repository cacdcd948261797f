# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's options of simulations."""

import math
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, ClassVar, Literal

from ...core.arguments import check_option, number_of, numbers_of
from ...core.diagnostics import ArgumentError, quote_value
from ...core.options import Options, option

Engine = Literal["auto", "mujoco", "bullet"]
SimulatedBase = Literal["auto", "fixed", "free", "keyed"]
Motors = Literal["off", "hold", "follow"]
SelfCollision = Literal["auto", "none"]
_whole, _motor, _around, _solver = (
    partial(option, group=group) for group in ("Simulation", "Motors", "Surroundings", "Solver")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """A force of (x, y, z) newtons in the world at the centre of mass of a link, from `start`
    seconds after the beginning for so many `seconds`."""

    link: str
    force: tuple[float, float, float]
    start: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationOptions(Options):
    """How robots are simulated. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Simulation", "Motors", "Surroundings", "Solver")

    engine: Engine = _whole(
        "auto",
        "Engine",
        "The physics engine that computes the motion",
        choices={
            "auto": "MuJoCo where it is installed, else Bullet",
            "mujoco": "MuJoCo, once it is installed: for numbers",
            "bullet": "Bullet, which is part of Blender: for shots",
        },
    )
    base: SimulatedBase = _whole(
        "auto",
        "Base",
        "Whether the robot as a whole can fall",
        choices={
            "auto": "Free with a height, and where the SRDF has a floating virtual joint; else "
            "fixed",
            "fixed": "Fixed where it is",
            "free": "Free to move and to fall",
            "keyed": "Moved by its keys, whatever it hits",
        },
    )
    height: float | None = _whole(
        None,
        "Height",
        "Metres from the floor to the lowest point of the robot at the start; else it starts "
        "where it is",
        bounds=(0.0, 1e4),
        blank="where it is",
    )
    pushes: tuple[Push, ...] = _whole(
        (), "Pushes", "A force in N at a link's centre of mass, from START for so many SECONDS"
    )
    motors: Motors = _motor(
        "off",
        "Motors",
        "How the motors act, within the effort limits of the description",
        choices={
            "off": "Nothing: the joints are loose",
            "hold": "Hold the pose of the start",
            "follow": "Follow the motion that the rig shows",
        },
    )
    position_error: float = _motor(
        0.02,
        "Position Error",
        "How far in rad a joint is from its target when its motor gives all its effort; a tenth of "
        "it in m for sliding joints",
        bounds=(1e-6, 1e3),
    )
    rotor_inertia: float = _motor(
        0.0,
        "Rotor Inertia",
        "The inertia of each joint's rotor behind its gear, in kg m^2 (kg for sliding joints), "
        "where the description has none",
        bounds=(0.0, 1e6),
    )
    floor: bool = _around(True, "Floor", "Add a floor at height 0 of the scene")
    colliders: tuple[str, ...] = _around(
        (),
        "Colliders",
        "A mesh object of the scene that robots hit, by its name; 'visible' for all that belong to "
        "no robot",
    )
    gravity: tuple[float, float, float] = _around(
        (0.0, 0.0, -9.81), "Gravity", "In m/s^2", entries="X Y Z"
    )
    friction: float = _around(
        0.7,
        "Friction",
        "The coefficient of friction of all that touches, where the description has none",
        bounds=(0.0, 100.0),
    )
    restitution: float = _around(
        0.0,
        "Restitution",
        "The share of its speed that a body keeps when it bounces",
        bounds=(0.0, 1.0),
    )
    self_collision: SelfCollision = _around(
        "auto",
        "Self-Collision",
        "Whether links of a robot hit each other",
        choices={
            "auto": "All but neighbours, pairs that the SRDF disables, and pairs that touch at the "
            "start",
            "none": "Never",
        },
    )
    substeps: int = _solver(20, "Substeps", "Steps of the engine in a frame", bounds=(1, 1000))
    model: str = _solver(
        "",
        "Model",
        "A file (.xml) for the exact MJCF that MuJoCo ran, its meshes beside it",
        entries="FILE",
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            given = getattr(self, each.name)
            checked = _read_pushes(given) if each.name == "pushes" else check_option(each, given)
            object.__setattr__(self, each.name, checked)
        if self.base in ("fixed", "keyed") and self.height is not None:
            raise ArgumentError(f"height needs a free base, but base is '{self.base}'")


def _read_pushes(given: Any) -> tuple[Push, ...]:
    """Reads pushes: each a Push, the values of one, or LINK,FX,FY,FZ,START,SECONDS."""
    if isinstance(given, Push | str):
        given = (given,)
    if not isinstance(given, tuple | list):
        raise _refuse(given)
    return tuple(_read_push(each) for each in given)


def _read_push(given: Any) -> Push:
    try:
        parts = given
        if isinstance(given, Push):
            parts = (given.link, *given.force, given.start, given.seconds)
        elif isinstance(given, str):
            parts = given.rsplit(",", 5)
        if len(parts) == 4 and not isinstance(parts[1], str):
            parts = (parts[0], *parts[1], *parts[2:])
        link, *numbers = parts
        x, y, z, start, seconds = map(float, numbers)
    except (TypeError, ValueError, LookupError, OverflowError):
        raise _refuse(given) from None
    if not isinstance(link, str) or not link or math.inf in map(abs, (x, y, z, start, seconds)):
        raise _refuse(given)
    x, y, z = numbers_of((x, y, z), "the force of a push", 3)
    return Push(
        link=link,
        force=(x, y, z),
        start=number_of(start, "the start of a push", least=0.0),
        seconds=number_of(seconds, "the seconds of a push", least=0.0),
    )


def _refuse(given: Any) -> ArgumentError:
    return ArgumentError(
        f"pushes is {quote_value(given)}; it must be links with a force of 3 numbers in "
        "N, the second of its start and its seconds, such as ('base', (50, 0, 0), 0.5, 0.2)"
    )
