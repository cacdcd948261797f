# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot's structure in Webots, as plain data: Solids, joints, masses.

A Solid holds one link, or several that are fixed to one another. Its frame is the first link's.
A joint leads from the Solid above to the Solid that names it. All matrices are (4, 4) frames; all
vectors are in the frame of the Solid above.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from .....core.geometry.inertia import BodyMass
from .....core.geometry.transforms import Matrix
from .....core.kinematics.tree import KinematicTree
from .....core.model import Link, Robot, Vector3

JointKind = Literal["HingeJoint", "SliderJoint", "Hinge2Joint", "BallJoint"]
Range = tuple[float, float]


@dataclass(slots=True, kw_only=True)
class AxisPlan:
    """One degree of freedom.

    `joint` is the joint of the description. A position that Webots shows, plus `offset`, is the
    position that the description means. `limits` bound the motor and `stops` the mechanism; with
    None nothing does. Without a `motor` nothing drives it. A `leader` is the joint whose motor
    leads a group of coupled motors, its own included.
    """

    joint: str
    turns: bool
    axis: Vector3
    motor: str = ""
    sensor: str = ""
    position: float = 0.0
    offset: float = 0.0
    limits: Range | None = None
    stops: Range | None = None
    effort: float = 0.0
    velocity: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    multiplier: float = 1.0
    leader: str = ""


@dataclass(slots=True, kw_only=True)
class JointNodePlan:
    """`axes` turn or slide in their order about or along lines through `anchor`."""

    kind: JointKind
    name: str
    axes: list[AxisPlan]
    anchor: Vector3 = (0.0, 0.0, 0.0)
    def_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldLink:
    """A link, and its frame in the frame of the Solid that holds it."""

    link: Link
    pose: Matrix
    def_name: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class SolidPlan:
    """`zero` is its frame in the Solid `above` with all axes of its joint at zero.

    `masses` are its links' masses, each in the Solid's frame; `mass` is their sum. A `static` Solid
    has no Physics and is fixed in the world.
    """

    zero: Matrix
    above: "SolidPlan | None" = None
    joint: JointNodePlan | None = None
    links: list[HeldLink] = field(default_factory=list)
    masses: list[BodyMass] = field(default_factory=list)
    mass: BodyMass | None = None
    static: bool = False
    name: str = ""
    def_name: str = ""

    @property
    def is_bare(self) -> bool:
        """Whether it has nothing but frames: no mass, no shape, no sensor or other extension."""
        shown = any(
            held.link.visuals or held.link.collisions or held.link.extras for held in self.links
        )
        return not (shown or self.masses)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoopPlan:
    """A joint from the Solid `above` to the Solid `below`, which another joint carries too."""

    above: SolidPlan
    joint: JointNodePlan
    below: SolidPlan


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SolidTreePlan:
    """The whole robot; the first Solid is the Robot node, each other comes after the one above.
    `tree` is the description's tree.

    `base` is the frame of the Robot node in the frame of the description's root link, which differ
    only where the root link is not exported.
    """

    robot: Robot
    tree: KinematicTree
    solids: tuple[SolidPlan, ...]
    base: Matrix
    loops: tuple[LoopPlan, ...] = ()

    @property
    def root(self) -> SolidPlan:
        return self.solids[0]

    def axes(self) -> Iterator[AxisPlan]:
        for solid in self.solids:
            if solid.joint is not None:
                yield from solid.joint.axes

    def holders(self) -> dict[str, tuple[SolidPlan, HeldLink]]:
        """Returns link name -> the Solid that holds it, and how."""
        return {held.link.name: (solid, held) for solid in self.solids for held in solid.links}
