# SPDX-License-Identifier: GPL-3.0-or-later
"""Content beyond URDF in elements that URDF defines: further attributes, and children of leaves.

The model keeps all of it in its place: as `attributes` and `extras` of elements with a class, and
in the `leaves` of the parent for elements without one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ....core.markup.xml import Element
from ....core.model import (
    Attributes,
    Calibration,
    Dynamics,
    Extra,
    Inertia,
    Leaf,
    Limit,
    Mimic,
    SafetyController,
)
from .document import Document

Numbers = TypeVar("Numbers", Calibration, Dynamics, Inertia, Limit, Mimic, SafetyController)

_END = frozenset({"link", "xyz", "rpy", "quat_xyzw"})
_JOINT = frozenset({"name", "type"})
_LINK = frozenset({"link"})
_NAME = frozenset({"name"})
_NOTHING: frozenset[str] = frozenset()
_ROUND = frozenset({"radius", "length"})
DEFINED = {
    "axis": frozenset({"xyz"}),
    "box": frozenset({"size"}),
    "calibration": frozenset({"rising", "falling", "reference_position"}),
    "capsule": _ROUND,
    "child": _LINK,
    "collision": _NAME,
    "color": frozenset({"rgba"}),
    "cylinder": _ROUND,
    "drake:capsule": _ROUND,
    "drake:ellipsoid": frozenset("abc"),
    "drake:joint": _JOINT,
    "drake:screw_thread_pitch": frozenset({"value"}),
    "dynamics": frozenset({"damping", "friction"}),
    "geometry": _NOTHING,
    "inertia": frozenset({"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}),
    "inertial": _NOTHING,
    "joint": _JOINT,
    "limit": frozenset({"lower", "upper", "effort", "velocity"}),
    "link": _NAME,
    "link1": _END,
    "link2": _END,
    "loop_joint": _JOINT,
    "mass": frozenset({"value"}),
    "material": _NAME,
    "mesh": frozenset({"filename", "scale"}),
    "mimic": frozenset({"joint", "multiplier", "offset"}),
    "origin": frozenset({"xyz", "rpy", "quat_xyzw"}),
    "parent": _LINK,
    "robot": frozenset({"name", "version"}),
    "safety_controller": frozenset(
        {"soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"}
    ),
    "sphere": frozenset({"radius"}),
    "texture": frozenset({"filename"}),
    "visual": _NAME,
}
"""Tag -> the attributes that URDF gives the element."""


def add_beyond(numbers: Numbers, element: Element, document: Document) -> Numbers:
    """Returns the numbers read from an element, with its further content."""
    if _is_plain(element):
        return numbers
    attributes, extras = read_attributes(element), read_extras(element, document)
    return replace(numbers, attributes=attributes, extras=extras)


def _is_plain(element: Element) -> bool:
    """Whether an element that URDF gives no children says nothing beyond it, as nearly all do."""
    return not element and DEFINED[element.tag].issuperset(element.attributes)


def read_attributes(element: Element) -> Attributes:
    """Returns the attributes that URDF does not define for the element."""
    known = DEFINED[element.tag]
    if known.issuperset(element.attributes):
        return ()
    return tuple([item for item in element.attributes.items() if item[0] not in known])


def read_extras(element: Element, document: Document) -> tuple[Extra, ...]:
    """Returns all children of an element that URDF gives none."""
    return tuple([document.extra(child) for child in element]) if element else ()


def read_leaves(
    first: Mapping[str, Element],
    tags: Sequence[str],
    extras: tuple[Extra, ...],
    document: Document,
) -> tuple[Leaf, ...]:
    """Returns the content beyond URDF of the children `first` that have these tags.

    A child followed by a second one among the `extras` has a leaf in any case: were it left out in
    writing, the second would become the first.
    """
    if not extras:
        for tag in tags:
            if tag in first:
                element = first[tag]
                if element or not DEFINED[tag].issuperset(element.attributes):
                    break
        else:
            return ()
    doubled = {extra.tag for extra in extras}
    return tuple(
        [
            read_leaf(first[tag], document)
            for tag in tags
            if tag in first and (tag in doubled or not _is_plain(first[tag]))
        ]
    )


def read_leaf(element: Element, document: Document) -> Leaf:
    return Leaf(
        tag=element.tag,
        attributes=read_attributes(element),
        extras=read_extras(element, document),
    )


def read_mimic_leaf(element: Element, document: Document) -> Leaf:
    """Returns a <mimic> that names no joint whole, since the model has nothing else of it."""
    attributes = tuple(element.attributes.items())
    return Leaf(tag="mimic", attributes=attributes, extras=read_extras(element, document))


def read_geometry_leaves(element: Element, shape: Element, document: Document) -> tuple[Leaf, ...]:
    """Returns the content beyond URDF of a <geometry> and its valid `shape`."""
    is_drakes = shape.tag.startswith("drake:")
    if len(element) == 1 and not element.attributes and _is_plain(shape) and not is_drakes:
        return ()
    leaves = []
    attributes = read_attributes(element)
    if attributes or len(element) > 1:
        others = tuple([document.extra(child) for child in element if child is not shape])
        leaves.append(Leaf(tag="geometry", attributes=attributes, extras=others))
    if is_drakes or not _is_plain(shape):
        leaves.append(read_leaf(shape, document))
    return tuple(leaves)
