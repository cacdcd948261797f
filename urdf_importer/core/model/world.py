# SPDX-License-Identifier: GPL-3.0-or-later
"""A world around robots: objects, lights, a camera. All places are in the frame of the world."""

import math
from dataclasses import dataclass
from typing import Literal

from .link import Link
from .material import Material
from .pose import IDENTITY, Pose, Vector3
from .robot import Robot

LightKind = Literal["point", "sun", "spot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """An object beside the robots: one link. Without an inertial it never moves. `friction` is the
    coefficient of its surface; None where nothing says it."""

    link: Link
    place: Pose = IDENTITY
    friction: float | None = None

    @property
    def is_static(self) -> bool:
        return self.link.inertial is None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldLight:
    """A light that shines along its -z axis, if not to all sides. `color` is red, green and blue;
    `strength` is its share of the strongest light of its kind; `angle` is the whole cone of a spot
    in radians."""

    name: str
    kind: LightKind
    place: Pose = IDENTITY
    color: Vector3 = (1.0, 1.0, 1.0)
    strength: float = 1.0
    angle: float = 0.785
    shadows: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldView:
    """A camera that looks along its -z axis, with y up. `angle` is the height of its view in
    radians, `aspect` its width over its height."""

    name: str
    place: Pose = IDENTITY
    angle: float = 0.785
    aspect: float = 16 / 9

    @property
    def widest(self) -> float:
        """The larger angle of its width and its height."""
        return 2.0 * math.atan(math.tan(0.5 * self.angle) * max(1.0, self.aspect))


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The parts of a world beside its robots. `background` is red, green and blue; `gravity` is in
    m/s^2; `text` is all else that SDF says of a world, word for word."""

    things: tuple[Thing, ...] = ()
    lights: tuple[WorldLight, ...] = ()
    view: WorldView | None = None
    background: Vector3 | None = None
    gravity: Vector3 = (0.0, 0.0, -9.81)
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedRobot:
    """A model of a world; `place` is the place of its root link."""

    robot: Robot
    place: Pose = IDENTITY
    is_static: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """A model that moves with a link of another model, since a joint holds it there. Without
    `link` it moves with the first link."""

    model: str
    parent: str
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedWorld:
    """A world as its file says it: its models, and all around them. `ties` make no rings, and hold
    each model once. `materials` are the world's own, which models that become objects use."""

    name: str
    models: tuple[PlacedRobot, ...]
    ties: tuple[Tie, ...] = ()
    around: Surroundings = Surroundings()
    materials: tuple[Material, ...] = ()
