# SPDX-License-Identifier: GPL-3.0-or-later
"""How a setting, under the name that Blender 2.7's Python has for it, is read from a structure.

A Field gives the value, or None where this version of Blender had no such setting; then the record
leaves it out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .dna import View

Setting = bool | int | float | str | list[float]
Settings = dict[str, Setting]


@dataclass(frozen=True, slots=True)
class Item:
    """A structure with its context: the file's version and the names of its data-blocks by
    address."""

    view: View
    version: tuple[int, int]
    names: Mapping[int, str]


Field = Callable[[Item], Setting | None]
Fields = Mapping[str, Field]


class Kind(NamedTuple):
    """A kind of logic brick, as Blender 2.7's Python calls it, with the settings in its data."""

    type: str
    fields: Fields


def read_fields(fields: Fields, item: Item) -> Settings:
    found = {name: field(item) for name, field in fields.items()}
    return {name: value for name, value in found.items() if value is not None}


def flag(path: str, bits: int = 1, *, inverted: bool = False) -> Field:
    """Makes a field that says whether a bit is set, or with `inverted` whether it is not."""

    def read(item: Item) -> bool | None:
        value = item.view.read_whole(path)
        return None if value is None else bool(value & bits) is not inverted

    return read


def whole(path: str) -> Field:
    return lambda item: item.view.read_whole(path)


def number(path: str, index: int = 0) -> Field:
    """Makes a field for a real, or for element `index` of an array of them."""

    def read(item: Item) -> float | None:
        values = item.view.read_numbers(path)
        return values[index] if index < len(values) else None

    return read


def vector(path: str) -> Field:
    return lambda item: item.view.read_numbers(path) or None


def text(path: str) -> Field:
    return lambda item: item.view.read_text(path)


def choice(path: str, names: Mapping[int, str] | Sequence[str], bits: int = -1) -> Field:
    """Makes a field for the name of a number, with only `bits` counting; None for a number without
    a name. Names in a sequence are numbered from 0."""
    named = names if isinstance(names, Mapping) else dict(enumerate(names))

    def read(item: Item) -> str | None:
        value = item.view.read_whole(path)
        return None if value is None else named.get(value & bits)

    return read


def data_block(path: str) -> Field:
    """Makes a field for the name of the object, action, text ... that is pointed to; None for
    none."""
    return lambda item: item.names.get(item.view.read_pointer(path))


def constant(value: Setting) -> Field:
    return lambda item: value


def by_version(version: tuple[int, int], before: Field, since: Field) -> Field:
    """Makes a field that is `since` from the version on in which Blender changed the stored value,
    and `before` in older files."""
    return lambda item: (since if item.version >= version else before)(item)


def scaled(field: Field, factor: float) -> Field:
    """Makes a field for a real, or for all of a vector, times `factor`."""

    def read(item: Item) -> Setting | None:
        value = field(item)
        if isinstance(value, list):
            return [factor * element for element in value]
        return None if value is None or isinstance(value, str) else factor * value

    return read
