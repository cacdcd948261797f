# SPDX-License-Identifier: GPL-3.0-or-later
"""Links: rigid parts with mass and shapes."""

from dataclasses import dataclass, field

from .extra import Extra
from .geometry import Geometry
from .material import Material
from .pose import IDENTITY, Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class Inertia:
    """The upper triangle of the symmetric inertia tensor, kg m^2, about the centre of mass."""

    ixx: float = 0.0
    ixy: float = 0.0
    ixz: float = 0.0
    iyy: float = 0.0
    iyz: float = 0.0
    izz: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Inertial:
    """`origin` is the inertial frame in the link frame: its point is the centre of mass, its
    rotation the frame in which `inertia` is written. `mass` in kg; None where not given."""

    origin: Pose = IDENTITY
    mass: float | None = None
    inertia: Inertia | None = None
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visual:
    """`origin` is the shape's frame in the link frame."""

    geometry: Geometry
    origin: Pose = IDENTITY
    name: str = ""
    material: Material | None = None
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collision:
    """`origin` is the shape's frame in the link frame."""

    geometry: Geometry
    origin: Pose = IDENTITY
    name: str = ""
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    name: str
    inertial: Inertial | None = None
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Collision, ...] = ()
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)
