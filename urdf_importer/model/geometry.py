# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of visuals and collisions. All sizes in metres, each shape centred on its own frame."""

from dataclasses import dataclass

from .pose import Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """`size` holds the full lengths along x, y and z."""

    size: Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cylinder:
    """Stands along z."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sphere:
    radius: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsule:
    """Stands along z; `length` is that of the cylindrical part, without the two half spheres."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """`filename` is the path or URI as the description writes it."""

    filename: str
    scale: Vector3 = (1.0, 1.0, 1.0)


Geometry = Box | Cylinder | Sphere | Capsule | Mesh
