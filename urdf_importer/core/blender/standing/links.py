# SPDX-License-Identifier: GPL-3.0-or-later
"""The links of a rig: their empties, and the data kept on these."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...diagnostics import unknown_name
from . import properties
from .armatures import children_of, objects_of
from .joints import find_packed_joint, read_link_joint

SHOWN_TYPES = ("MESH", "CURVE", "SURFACE", "FONT", "META")
"""Types of objects that have faces; a shape whose file is missing is an empty."""


def links_of(armature: Any) -> Iterator[Any]:
    """Yields the links' empties. Takes time for every object of the file: not for draw()."""
    return (child for child in children_of(armature) if properties.LINK in child)


def visuals_of(armature: Any) -> Iterator[Any]:
    """Yields the objects that show the links. As slow as links_of."""
    return filter(shows_link, objects_of(armature))


def shows_link(item: Any) -> bool:
    """Whether an object is a visual, or is rendered in the place of one: a collision shape, or
    whatever a user put under a link."""
    part = item.get(properties.PART)
    if part is None:
        return is_users_shape(item) and _is_below_link(item)
    return part == properties.VISUALS or (part == properties.COLLISIONS and not item.hide_render)


def is_users_shape(item: Any) -> bool:
    """Whether an object under a link was put there by a user to be seen: it is not a mark that an
    import draws."""
    marks = (properties.PART, properties.LIMITS_OF, properties.WIDGET)
    is_mark = any(mark in item for mark in marks)
    return item.type in SHOWN_TYPES and not item.hide_render and not is_mark


def _is_below_link(item: Any) -> bool:
    while item is not None and properties.MOUNTED not in item:
        if properties.LINK in item:
            return True
        item = item.parent
    return False


def find_link(armature: Any, link: str) -> Any:
    """Finds the empty of a link by its property, whatever Blender named it. Raises KinematicsError
    for an unknown link."""
    for child in children_of(armature):
        described = properties.read_group(child, properties.LINK, "name")
        if described is not None and described["name"] == link:
            return child
    known = filter(None, map(name_link, links_of(armature)))
    raise unknown_name("the robot has no link", link, known)


def find_root(armature: Any) -> Any | None:
    """Finds the empty of the root link: Blender lists children by their names."""
    return next((item for item in links_of(armature) if find_packed_joint(item) is None), None)


def name_root(armature: Any) -> str:
    """Returns the name of the root link; empty where it is gone."""
    root = find_root(armature)
    return "" if root is None else name_link(root) or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRow:
    """A link; `mass` in kg, None where the link has no inertial. `joint` is the one above it, with
    its type; both empty at a root."""

    name: str
    mass: float | None
    center_of_mass: tuple[float, ...]
    joint: str
    joint_type: str
    visuals: int
    collisions: int


def name_link(item: Any) -> str | None:
    """Returns the name of the link that an object represents; None where there is none."""
    described = properties.read_group(item, properties.LINK, "name")
    return None if described is None else str(described["name"])


def find_link_name(item: Any) -> str | None:
    """Finds the name of the link that an object of a robot is or is attached to; None where there
    is none."""
    while item is not None and item.type != "ARMATURE":
        name = name_link(item)
        if name is not None:
            return name
        item = item.parent
    return None


def describe_link(empty: Any) -> LinkRow:
    """Describes a link from the properties of its empty."""
    link, joint = empty[properties.LINK], read_link_joint(empty)
    return LinkRow(
        name=link["name"],
        mass=empty.get(properties.MASS),
        center_of_mass=tuple(empty.get(properties.CENTER_OF_MASS, ())),
        joint=joint.name if joint else "",
        joint_type=joint.type if joint else "",
        visuals=len(link.get("visuals", ())),
        collisions=len(link.get("collisions", ())),
    )
