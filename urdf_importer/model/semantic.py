# SPDX-License-Identifier: GPL-3.0-or-later
"""What a robot's parts are for: SRDF, which stands beside the description.

Names are those of the robot's links and joints, or of virtual joints. `attributes` and `extras`
hold what the file says beyond SRDF; see extra.py.
"""

from dataclasses import dataclass, field

from .extra import Attributes, Extra
from .pose import Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The joints from `tip_link` up to `base_link`."""

    base_link: str
    tip_link: str
    attributes: Attributes = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A set of joints: those named, those that links hang on, those of chains and of other groups.
    Which they are says kinematics/semantic_groups.py."""

    name: str
    joints: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    chains: tuple[Chain, ...] = ()
    groups: tuple[str, ...] = ()
    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupState:
    """A named pose. `positions`: (joint, numbers) in rad and m; one number for most joints, x, y,
    yaw for planar and x, y, z, qx, qy, qz, qw for floating ones."""

    name: str
    group: str
    positions: tuple[tuple[str, tuple[float, ...]], ...] = ()
    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndEffector:
    """`group` holds the joints of the hand itself, which sits on `parent_link`; `parent_group` is
    that of the arm, empty where it is not said."""

    name: str
    group: str
    parent_link: str
    parent_group: str = ""
    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualJoint:
    """How the root moves in the world. `type` is "fixed", "planar", "floating" or another word,
    which counts as fixed."""

    name: str
    type: str
    parent_frame: str
    child_link: str
    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassiveJoint:
    """A joint that no motor drives."""

    name: str
    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollisionPair:
    """Two links that are not, or are, looked at for collisions, and why."""

    link1: str
    link2: str
    reason: str = ""
    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class UncheckedLink:
    """A link that is looked at with no other but those of enabled pairs."""

    link: str
    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSphere:
    """`center` in the link's frame and `radius`, in m."""

    center: Vector3
    radius: float
    attributes: Attributes = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSpheres:
    """Spheres that stand for a link in distance fields."""

    link: str
    spheres: tuple[LinkSphere, ...] = ()
    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointProperty:
    joint_name: str
    property_name: str
    value: str
    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Semantics:
    """An SRDF. `name` is that of the robot; `source` and `text` are the file it was read from."""

    name: str
    groups: tuple[Group, ...] = ()
    group_states: tuple[GroupState, ...] = ()
    end_effectors: tuple[EndEffector, ...] = ()
    virtual_joints: tuple[VirtualJoint, ...] = ()
    passive_joints: tuple[PassiveJoint, ...] = ()
    disabled_collisions: tuple[CollisionPair, ...] = ()
    enabled_collisions: tuple[CollisionPair, ...] = ()
    no_default_collisions: tuple[UncheckedLink, ...] = ()
    link_spheres: tuple[LinkSpheres, ...] = ()
    joint_properties: tuple[JointProperty, ...] = ()
    extras: tuple[Extra, ...] = ()
    attributes: Attributes = ()
    source: str = field(default="", compare=False)
    text: bytes = field(default=b"", compare=False, repr=False)
