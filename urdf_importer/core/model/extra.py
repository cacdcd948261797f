# SPDX-License-Identifier: GPL-3.0-or-later
"""Content of a description beyond the URDF specification, kept word for word."""

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Extended:
    """An element with content beyond the specification of its format."""

    attributes: Attributes = ()
    extras: tuple[Extra, ...] = ()

    def __repr__(self) -> str:
        """Returns all fields, content beyond the specification last and only where there is any."""
        known = list_fields(type(self))  # type: ignore[arg-type]  # Classes have a hash.
        names = [name for name in known if name not in _BEYOND or getattr(self, name)]
        names += [field.name for field in fields(self) if not field.compare]
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({said})"


_BEYOND = ("attributes", "leaves", "extras")


@cache
def list_fields(kind: Any) -> tuple[str, ...]:
    """Lists the fields of a class that count for equality, all but lines and sources; content
    beyond a specification comes last. Digests of parts in .blends hold this order."""
    names = [field.name for field in fields(kind) if field.compare]
    if issubclass(kind, Extended):
        names.sort(key=lambda name: _BEYOND.index(name) if name in _BEYOND else -1)
    return tuple(names)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ExtendedPart(Extended):
    """An element with its line in the file."""

    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Holder(ExtendedPart):
    """An element with the content beyond URDF of its values."""

    leaves: tuple[Leaf, ...] = ()
