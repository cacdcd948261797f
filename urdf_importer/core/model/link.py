# SPDX-License-Identifier: GPL-3.0-or-later
"""Links: rigid parts with mass and shapes.

All sizes in metres, each shape centred on its own frame. `attributes`, `extras` and `leaves` hold
content beyond URDF; see extra.py.
"""

from dataclasses import dataclass

from .extra import Extended, ExtendedPart, Holder
from .material import Material
from .pose import IDENTITY, Pose, Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """`size` holds the full lengths along x, y and z."""

    size: Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cylinder:
    """Along z."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sphere:
    radius: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsule:
    """Along z; `length` covers the cylindrical part, without the two half spheres."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ellipsoid:
    """`radii` are along x, y and z."""

    radii: Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cone:
    """Along z, its tip up; the middle of its height is at zero."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A closed line in a plane: `points` are x and y of each in turn."""

    points: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extrusion:
    """The solid inside `outlines`, from z = 0 up to `height`. One within another is a hole."""

    outlines: tuple[Outline, ...]
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Polyhedron:
    """A surface of triangles written in the description itself: `points` are x, y and z of each in
    turn, `faces` the three corners of each triangle, counter-clockwise seen from outside."""

    points: tuple[float, ...]
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshPart:
    """One part of a mesh file, by its name there; with `centered` the middle of its box is at
    zero."""

    name: str
    centered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """`filename` is the path or URI as the description writes it. With `part` nothing else of the
    file is shown; with `bare` the file's own materials are not."""

    filename: str
    scale: Vector3 = (1.0, 1.0, 1.0)
    part: MeshPart | None = None
    bare: bool = False


Primitive = Box | Cylinder | Sphere | Capsule
"""Shapes of every format."""
Solid = Ellipsoid | Cone | Extrusion | Polyhedron
"""Shapes of few formats; in the others a mesh replaces them."""
Geometry = Primitive | Solid | Mesh


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Inertia(Extended):
    """The upper triangle of the symmetric inertia tensor, kg m^2, about the centre of mass."""

    ixx: float = 0.0
    ixy: float = 0.0
    ixz: float = 0.0
    iyy: float = 0.0
    iyz: float = 0.0
    izz: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Inertial(Holder):
    """`origin` is the inertial frame in the link frame: its point is the centre of mass, its
    rotation the frame in which `inertia` is written. `mass` in kg; None where not given."""

    origin: Pose = IDENTITY
    mass: float | None = None
    inertia: Inertia | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LinkShape(Holder):
    """`origin` is the shape's frame in the link frame."""

    geometry: Geometry
    origin: Pose = IDENTITY
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Visual(LinkShape):
    """A shape that is seen."""

    material: Material | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Collision(LinkShape):
    """A shape that touches others."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Link(ExtendedPart):
    name: str
    inertial: Inertial | None = None
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Collision, ...] = ()

    @property
    def shapes(self) -> "tuple[Visual | Collision, ...]":
        """Its visuals, then its collisions."""
        return (*self.visuals, *self.collisions)

    @property
    def has_mass(self) -> bool:
        return self.inertial is not None and (self.inertial.mass or 0.0) > 0.0

    @property
    def is_bare(self) -> bool:
        """Whether it has neither shapes nor an inertial."""
        return not (self.inertial or self.visuals or self.collisions)
