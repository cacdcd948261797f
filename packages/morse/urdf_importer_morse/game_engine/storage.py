# SPDX-License-Identifier: GPL-3.0-or-later
"""The game engine's data of an object, in one custom property of it, so that it is saved with it;
and attributes whose values are kept there and checked as Blender's own are.

    morse_game = {
        "properties": [{"name": "Robot_Tag", "type": "BOOL", "value": True}, ...],
        "sensors": [{"name": "MORSE_LOGIC", "type": "ALWAYS", "settings": {...},
                     "controllers": ["And"]}, ...],
        "controllers": [{"name", "type", "settings", "actuators": [...]}, ...],
        "actuators": [{"name", "type", "settings"}, ...],
        "settings": {"physics_type": "STATIC", "mass": 1.0, ...},
    }

Empty values are left out, and the property is missing if all is empty. Schema and meaning are
documented in docs/project/morse_files.md. Reading gives plain copies; only the functions here
change anything.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import bpy

from urdf_importer.core.blender.standing.properties import MOUNTED

from .defaults import Default, GameSetting, Settings

KEY = "morse_game"
COMPONENT_TAG = "Component_Tag"

Brick = Literal["sensors", "controllers", "actuators"]
Value = bool | int | float | str
GameRecord = dict[str, Any]

_LISTS = ("properties", "sensors", "controllers", "actuators")
_TYPES = {bool: "BOOL", int: "INT", float: "FLOAT", str: "STRING"}
_LARGEST_INT = 2**31 - 1


def read_game(item: Any) -> GameRecord:
    """Reads all of an object's game data: four lists of records, and "settings"."""
    kept = item.get(KEY)
    found: GameRecord = kept.to_dict() if kept is not None else {}
    return {
        **{name: [_complete(record) for record in found.get(name, ())] for name in _LISTS},
        "settings": dict(found.get("settings", {})),
    }


def write_game(item: Any, game: GameRecord) -> None:
    """Replaces all of an object's game data."""
    kept = {name: value for name, value in game.items() if value}
    for name in set(_LISTS) & kept.keys():
        kept[name] = [
            {k: v for k, v in record.items() if v not in ({}, [])} for record in kept[name]
        ]
    if kept:
        item[KEY] = kept
    elif KEY in item:
        del item[KEY]
    _mark_component(item, kept.get("properties", ()))


def _mark_component(item: Any, game_properties: Iterable[GameRecord]) -> None:
    """Marks an object that a builder script mounted on a link, so that readers of the robot leave
    it out."""
    if any(each["name"] == COMPONENT_TAG and each.get("value") for each in game_properties):
        item[MOUNTED] = True
    elif MOUNTED in item:
        del item[MOUNTED]


def set_property(item: Any, name: str, value: Value, kind: str = "") -> None:
    """Sets a game property: changes the existing one, or adds one as the last.

    `kind` is BOOL, INT, FLOAT, STRING or TIMER; if empty, the value's type decides. Raises
    TypeError for a value that no game property can hold.
    """
    game = read_game(item)
    record = {"name": name, "type": kind or type_of(value), "value": check_value(value)}
    for index, found in enumerate(game["properties"]):
        if found["name"] == name:
            game["properties"][index] = record
            break
    else:
        game["properties"].append(record)
    write_game(item, game)


def get_property(item: Any, name: str) -> Value | None:
    """Returns the value of a game property; None if there is none with that name."""
    for record in read_game(item)["properties"]:
        if record["name"] == name:
            value: Value = record["value"]
            return value
    return None


def get_properties(item: Any) -> dict[str, Value]:
    """Returns the values of all game properties by name, in their order."""
    return {record["name"]: record["value"] for record in read_game(item)["properties"]}


def set_setting(item: Any, name: str, value: Value) -> None:
    """Sets one of the engine's own settings of the object: physics_type, mass, use_actor, ..."""
    game = read_game(item)
    game["settings"][name] = check_value(value)
    write_game(item, game)


def get_setting(item: Any, name: str) -> Value | None:
    value: Value | None = read_game(item)["settings"].get(name)
    return value


def add_brick(item: Any, kind: Brick, brick_type: str, name: str = "", **settings: Value) -> str:
    """Adds a logic brick as the last; returns its name, which is unique among bricks of its
    kind."""
    game = read_game(item)
    taken = {record["name"] for record in game[kind]}
    wanted = name or brick_type.replace("_", " ").title()
    free, count = wanted, 1
    while free in taken:
        free, count = f"{wanted}{count}", count + 1
    game[kind].append({"name": free, "type": brick_type, "settings": dict(settings)})
    write_game(item, game)
    return free


def type_of(value: Any) -> str:
    """Returns the kind of game property that holds a value. Subclasses of float (MORSE's timer) are
    TIMERs."""
    for kind, name in _TYPES.items():
        if type(value) is kind:
            return name
    if isinstance(value, float):
        return "TIMER"
    raise TypeError(f"a game property cannot hold {value!r}")


def check_value(value: Any) -> Value:
    """Returns a value as custom properties can hold it. Raises TypeError."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST_INT else float(value)
    if isinstance(value, float):
        return float(value)
    raise TypeError(f"a game property cannot hold {value!r}")


def _bare(record: GameRecord) -> GameRecord:
    """Drops empty lists, which custom properties do not know."""
    return {key: value for key, value in record.items() if value not in ({}, [])}


def _complete(record: Any) -> GameRecord:
    return dict(record)


class Kept:
    """Attributes that store nothing themselves but their values' place.

    A known one reads as its default until it is set. An unknown one can be set as well.
    """

    __slots__ = ()

    def _read(self) -> Mapping[str, Any]:
        raise NotImplementedError

    def _write(self, name: str, value: Any) -> None:
        raise NotImplementedError

    def _known(self) -> Settings:
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        # Python asks for many names with underscores: whether a thing can be copied, drawn, ...
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
    """Settings of a data-block; a `prefix` keeps several kinds of them apart."""

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
    """Returns `value` if it is one of the choices. Raises TypeError, in the words of Blender's
    Python."""
    if not isinstance(value, str):
        raise TypeError(f"bpy_struct: item.attr = val: expected a string enum, not {_kind(value)}")
    if value not in choices:
        named = ", ".join(repr(choice) for choice in choices)
        raise TypeError(f"bpy_struct: item.attr = val: enum {value!r} not found in ({named})")
    return value


def check_kind(value: Any, default: Default) -> Any:
    """Returns `value` in the type of `default`. Raises TypeError where Blender's Python does: for
    text in place of a number, and for 2.5 in place of a whole one. Raises ValueError for a sequence
    of the wrong length."""
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


def _checked(value: Any, known: GameSetting | None) -> Any:
    if isinstance(value, bpy.types.ID):
        return value.name
    if known is None:
        return list(value) if isinstance(value, list | tuple) else value
    if known.choices:
        return check_choice(value, known.choices)
    if known.collection and value is None:
        return ""
    return check_kind(value, known.default)


def _shown(value: Any, known: GameSetting | None) -> Any:
    """Returns a stored value as Blender gives it: a data-block for its name, a tuple for
    numbers."""
    if known is not None and known.collection:
        return getattr(bpy.data, known.collection).get(value)
    if isinstance(value, list | tuple):
        first = known.default[0] if known is not None and isinstance(known.default, tuple) else None
        return tuple(bool(each) if isinstance(first, bool) else each for each in value)
    return value
