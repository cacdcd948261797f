# SPDX-License-Identifier: GPL-3.0-or-later
"""Content of a description beyond the URDF specification, kept word for word."""

from dataclasses import dataclass, field

Attributes = tuple[tuple[str, str], ...]
"""Names and values of attributes that URDF does not define, in the order of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """An element that URDF does not define (gazebo, ros2_control, vendor tags).

    `xml` is the exact text of the element in the file, for re-export.
    """

    tag: str
    xml: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """Content beyond URDF of an element that has no class of its own.

    The model holds <origin>, <axis>, <parent>, <child>, <mass>, <geometry> with its shape, <color>
    and <texture> as values of their parent element. Where one has further attributes or child
    elements, that holder keeps them in a Leaf of its `tag`.
    """

    tag: str
    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extended:
    """An element with content beyond the specification of its format."""

    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendedPart(Extended):
    """An element with its line in the file."""

    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder(ExtendedPart):
    """An element with the content beyond URDF of its values."""

    leaves: tuple[Leaf, ...] = ()
