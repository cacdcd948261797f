# SPDX-License-Identifier: GPL-3.0-or-later
"""The semantics of a robot's parts: SRDF, a file beside the description.

Names refer to the robot's links and joints, or to virtual joints. `attributes` and `extras` hold
content beyond SRDF; see extra.py.
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
    """A set of joints: listed by name, as the parent joints of listed links, and through chains and
    other groups. kinematics/semantic_groups.py resolves them."""

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
    """`group` holds the joints of the hand itself, which is attached to `parent_link`;
    `parent_group` is the arm's group, empty where the file names none."""

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
    """A link that is checked only in enabled pairs."""

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
    """Spheres that approximate a link in distance fields."""

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
    """An SRDF. `name` is the robot's name; `source` and `text` are the file it was read from."""

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
