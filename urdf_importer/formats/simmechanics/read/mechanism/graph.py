# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a CAD assembly: bodies, frames and joints as a graph. Both generations of the XML
become one, and it knows nothing of robots, trees or URDF.

All frames are (4, 4), world from frame, in metres, in the assembled pose, which is position zero of
every joint.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

NO_AXIS = np.zeros(3)

# Bodies that represent an assembly itself, or the world, rather than a part.
BodyKind = Literal["part", "placement", "ground"]
PrimitiveKind = Literal["weld", "revolute", "prismatic", "spherical", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """`name` is its name in its body (CS2); `label` the name that a user gave it; `ref` the number
    by which joints know it."""

    matrix: Matrix
    name: str = ""
    label: str = ""
    ref: str = ""
    line: int = 0

    @property
    def point(self) -> Vector:
        point: Vector = self.matrix[:3, 3]
        return point


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyColors:
    """`color` is red, green, blue in 0..1, `alpha` 1 where nothing shines through; `shares` of the
    colour by the word of the file: ambient, diffuse, specular, emission."""

    color: tuple[float, float, float]
    alpha: float = 1.0
    shares: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """A part in its place in the assembly.

    `part` is the frame in which its mesh is written. `mass` in kg is None where it is unknown;
    `inertia` is (3, 3) in kg m^2 about `center`'s point, in `center`'s axes. `frames` are
    """

    name: str
    kind: BodyKind = "part"
    part: Matrix
    center: Matrix | None = None
    mass: float | None = None
    inertia: Matrix | None = None
    frames: tuple[Frame, ...] = ()
    geometry: str = ""
    look: BodyColors | None = None
    is_visible: bool = True
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Primitive:
    """One motion of a joint: `axis` is a unit vector in the world, without length for balls and
    welds. `word` is the file's own, for messages."""

    kind: PrimitiveKind
    axis: Vector = field(default_factory=NO_AXIS.copy)
    word: str = ""


WELD = (Primitive(kind="weld", word="weld"),)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edge:
    """A joint between the bodies of indices `base` and `follower`, at these frames on them.

    `primitives` go from base to follower; none where the file has none. `number` is the text by
    which a user may name it. `label` is the text between the two numbers in a graph. `offset` is
    the angle in radians by which the CAD system counts from another zero.
    """

    name: str
    number: str
    base: int
    follower: int
    base_frame: Frame
    follower_frame: Frame
    primitives: tuple[Primitive, ...] = ()
    offset: float | None = None
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mechanism:
    """`order` lists bodies and edges as names are given: (is a body, index).

    `unit` is the length of the file's own unit in metres. `root` is the body that the file itself
    names as the base; -1 where it names none.
    """

    name: str
    bodies: tuple[Body, ...]
    edges: tuple[Edge, ...]
    order: tuple[tuple[bool, int], ...]
    generation: Literal[1, 2]
    unit: float = 1.0
    root: int = -1
    source: str = field(default="", compare=False)
