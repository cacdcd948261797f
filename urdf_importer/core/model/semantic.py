# SPDX-License-Identifier: GPL-3.0-or-later
"""The semantics of a robot's parts: SRDF, a file beside the description.

Names refer to the robot's links and joints, or to virtual joints. `attributes` and `extras` hold
content beyond SRDF; see extra.py.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .extra import Attributes, ExtendedPart, Extra
from .pose import Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The joints from `tip_link` up to `base_link`."""

    base_link: str
    tip_link: str
    attributes: Attributes = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Group(ExtendedPart):
    """A set of joints: listed by name, as the parent joints of listed links, and through chains and
    other groups. core/kinematics/semantic_groups.py resolves them."""

    name: str
    joints: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    chains: tuple[Chain, ...] = ()
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GroupState(ExtendedPart):
    """A named pose. `positions`: (joint, numbers) in rad and m; one number for most joints, x, y,
    yaw for planar and x, y, z, qx, qy, qz, qw for floating ones."""

    name: str
    group: str
    positions: tuple[tuple[str, tuple[float, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EndEffector(ExtendedPart):
    """`group` holds the joints of the hand itself, which is attached to `parent_link`;
    `parent_group` is the arm's group, empty where the file names none."""

    name: str
    group: str
    parent_link: str
    parent_group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class VirtualJoint(ExtendedPart):
    """How the root moves in the world. `type` is "fixed", "planar", "floating" or another word,
    which counts as fixed."""

    name: str
    type: str
    parent_frame: str
    child_link: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PassiveJoint(ExtendedPart):
    """A joint that no motor drives."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CollisionPair(ExtendedPart):
    """Two links that are not, or are, looked at for collisions, and why."""

    link1: str
    link2: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UncheckedLink(ExtendedPart):
    """A link that is checked only in enabled pairs."""

    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSphere:
    """`center` in the link's frame and `radius`, in m."""

    center: Vector3
    radius: float
    attributes: Attributes = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LinkSpheres(ExtendedPart):
    """Spheres that approximate a link in distance fields."""

    link: str
    spheres: tuple[LinkSphere, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JointProperty(ExtendedPart):
    joint_name: str
    property_name: str
    value: str


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


class SrdfElement(NamedTuple):
    """An element of SRDF: its tag, its field of Semantics, its class, the names of its attributes
    in the order of a file, and the optional ones."""

    tag: str
    field: str
    kind: type[Any]
    names: tuple[str, ...]
    optional: tuple[str, ...] = ()


_HAND = ("name", "group", "parent_link", "parent_group")
_VIRTUAL = ("name", "type", "parent_frame", "child_link")
_PROPERTY = ("joint_name", "property_name", "value")
_PAIR = ("link1", "link2", "reason")
ELEMENTS = (
    SrdfElement("virtual_joint", "virtual_joints", VirtualJoint, _VIRTUAL, ("parent_frame",)),
    SrdfElement("group", "groups", Group, ("name",)),
    SrdfElement("group_state", "group_states", GroupState, ("name", "group")),
    SrdfElement("end_effector", "end_effectors", EndEffector, _HAND, ("parent_group",)),
    SrdfElement("passive_joint", "passive_joints", PassiveJoint, ("name",)),
    SrdfElement("joint_property", "joint_properties", JointProperty, _PROPERTY),
    SrdfElement("link_sphere_approximation", "link_spheres", LinkSpheres, ("link",)),
    SrdfElement("disable_default_collisions", "no_default_collisions", UncheckedLink, ("link",)),
    SrdfElement("enable_collisions", "enabled_collisions", CollisionPair, _PAIR, ("reason",)),
    SrdfElement("disable_collisions", "disabled_collisions", CollisionPair, _PAIR, ("reason",)),
)
"""In the order in which they are written."""
