# SPDX-License-Identifier: GPL-3.0-or-later
"""The game engine's data of an object, in one custom property of it, so that it is saved with it.

    morse_game = {
        "properties": [{"name": "Robot_Tag", "type": "BOOL", "value": True}, ...],
        "sensors": [{"name": "MORSE_LOGIC", "type": "ALWAYS", "settings": {...},
                     "controllers": ["And"]}, ...],
        "controllers": [{"name", "type", "settings", "actuators": [...]}, ...],
        "actuators": [{"name", "type", "settings"}, ...],
        "settings": {"physics_type": "STATIC", "mass": 1.0, ...},
    }

What is empty is left out, and the property is not there where all is empty. Schema and meaning are
documented in docs/morse.md. Reading gives plain copies; nothing is changed but by the
functions here.
"""

from collections.abc import Iterable
from typing import Any, Literal

from ...blender.standing.properties import MOUNTED

KEY = "morse_game"
COMPONENT_TAG = "Component_Tag"

Brick = Literal["sensors", "controllers", "actuators"]
Value = bool | int | float | str
Record = dict[str, Any]

_LISTS = ("properties", "sensors", "controllers", "actuators")
_TYPES = {bool: "BOOL", int: "INT", float: "FLOAT", str: "STRING"}
_LARGEST_INT = 2**31 - 1


def read_game(item: Any) -> Record:
    """All of it: four lists of records, and "settings"."""
    kept = item.get(KEY)
    found: Record = kept.to_dict() if kept is not None else {}
    return {
        **{name: [_complete(record) for record in found.get(name, ())] for name in _LISTS},
        "settings": dict(found.get("settings", {})),
    }


def write_game(item: Any, game: Record) -> None:
    """Replaces all of it."""
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


def _mark_component(item: Any, game_properties: Iterable[Record]) -> None:
    """Lets those who read the robot back leave out what a builder script mounted on a link."""
    if any(each["name"] == COMPONENT_TAG and each.get("value") for each in game_properties):
        item[MOUNTED] = True
    elif MOUNTED in item:
        del item[MOUNTED]


def set_property(item: Any, name: str, value: Value, kind: str = "") -> None:
    """A game property: changed where there is one of the name, else added as the last.

    `kind` is BOOL, INT, FLOAT, STRING or TIMER; as the value's type says where it is empty. Raises
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
    """Its value; None where there is no game property of the name."""
    for record in read_game(item)["properties"]:
        if record["name"] == name:
            value: Value = record["value"]
            return value
    return None


def get_properties(item: Any) -> dict[str, Value]:
    """Name -> value of all game properties, in their order."""
    return {record["name"]: record["value"] for record in read_game(item)["properties"]}


def set_setting(item: Any, name: str, value: Value) -> None:
    """One of the engine's own settings of the object: physics_type, mass, use_actor, ..."""
    game = read_game(item)
    game["settings"][name] = check_value(value)
    write_game(item, game)


def get_setting(item: Any, name: str) -> Value | None:
    value: Value | None = read_game(item)["settings"].get(name)
    return value


def add_brick(item: Any, kind: Brick, brick_type: str, name: str = "", **settings: Value) -> str:
    """A logic brick, added as the last; returns its name, which no other brick of the kind has."""
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
    """The kind of game property that holds a value. Subclasses of float (MORSE's timer) are
    TIMERs."""
    for kind, name in _TYPES.items():
        if type(value) is kind:
            return name
    if isinstance(value, float):
        return "TIMER"
    raise TypeError(f"a game property can not hold {value!r}")


def check_value(value: Any) -> Value:
    """The value as custom properties can hold it. Raises TypeError."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST_INT else float(value)
    if isinstance(value, float):
        return float(value)
    raise TypeError(f"a game property can not hold {value!r}")


def _bare(record: Record) -> Record:
    """Custom properties know no empty lists."""
    return {key: value for key, value in record.items() if value not in ({}, [])}


def _complete(record: Any) -> Record:
    return dict(record)
