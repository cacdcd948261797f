# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes whose values are kept in a record, and checked as Blender's own are."""

from collections.abc import Mapping, Sequence
from typing import Any

import bpy

from .defaults import Default, Setting, Settings
from .records import read_game, write_game


class Kept:
    """Attributes of which nothing is stored here but where they are kept.

    A known one reads as its default until it is set. One that is not known can be set as well.
    """

    __slots__ = ()

    def _read(self) -> Mapping[str, Any]:
        raise NotImplementedError

    def _write(self, name: str, value: Any) -> None:
        raise NotImplementedError

    def _known(self) -> Settings:
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        # Python asks for many a name with underscores: whether a thing can be copied, drawn, ...
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        known = self._known().get(name)
        found = self._read().get(name, None if known is None else known.default)
        if found is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return _shown(found, known)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(getattr(type(self), name, None), property) or name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            self._write(name, _checked(value, self._known().get(name)))

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._known(), *self._read()})


class KeptSettings(Kept):
    """Settings of a data-block; a `prefix` keeps several sorts of them apart."""

    __slots__ = ("_item", "_prefix", "_table")

    def __init__(self, item: Any, table: Settings, prefix: str = "") -> None:
        self._item = item
        self._table = table
        self._prefix = prefix

    def _known(self) -> Settings:
        return self._table

    def _read(self) -> Mapping[str, Any]:
        settings: dict[str, Any] = read_game(self._item)["settings"]
        start = self._prefix
        return {
            name.removeprefix(start): value
            for name, value in settings.items()
            if name.startswith(start)
        }

    def _write(self, name: str, value: Any) -> None:
        game = read_game(self._item)
        game["settings"][self._prefix + name] = value
        write_game(self._item, game)


def check_choice(value: Any, choices: Sequence[str]) -> str:
    """`value` if it is one of them. Raises TypeError, in the words of Blender's Python."""
    if not isinstance(value, str):
        raise TypeError(f"bpy_struct: item.attr = val: expected a string enum, not {_kind(value)}")
    if value not in choices:
        named = ", ".join(repr(choice) for choice in choices)
        raise TypeError(f"bpy_struct: item.attr = val: enum {value!r} not found in ({named})")
    return value


def check_kind(value: Any, default: Default) -> Any:
    """`value` in the type of `default`. Raises TypeError where Blender's Python does: text is no
    number, and 2.5 no whole one. A sequence of the wrong length is a ValueError."""
    if isinstance(default, tuple):
        if len(value) != len(default):
            raise ValueError(
                "bpy_struct: item.attr = val: sequences of dimension 0 should contain "
                f"{len(default)} items, not {len(value)}"
            )
        return [check_kind(each, first) for each, first in zip(value, default, strict=True)]
    accepted, made = _ACCEPTED[type(default)]
    if not isinstance(value, accepted) or (made is bool and value not in (0, 1)):
        raise TypeError(
            f"bpy_struct: item.attr = val: expected {made.__name__}, not {_kind(value)}"
        )
    return made(value)


_ACCEPTED: Mapping[type, tuple[Any, Any]] = {
    bool: (int, bool),
    int: (int, int),
    float: (int | float, float),
    str: (str, str),
}


def _kind(value: Any) -> str:
    return type(value).__name__


def _checked(value: Any, known: Setting | None) -> Any:
    if isinstance(value, bpy.types.ID):
        return value.name
    if known is None:
        return list(value) if isinstance(value, list | tuple) else value
    if known.choices:
        return check_choice(value, known.choices)
    if known.collection and value is None:
        return ""
    return check_kind(value, known.default)


def _shown(value: Any, known: Setting | None) -> Any:
    """What is kept, as Blender gives it: a data-block for its name, a tuple for numbers."""
    if known is not None and known.collection:
        return getattr(bpy.data, known.collection).get(value)
    if isinstance(value, list | tuple):
        first = known.default[0] if known is not None and isinstance(known.default, tuple) else None
        return tuple(bool(each) if isinstance(first, bool) else each for each in value)
    return value
