# SPDX-License-Identifier: GPL-3.0-or-later
"""Object.game of Blender 2.7: game properties and logic bricks, in lists that work like Blender's
own in Python: by index, by name, and always current."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from .defaults import BRICKS, OBJECT, PROPERTY_TYPES, Settings, brick_name
from .storage import Brick as Kind
from .storage import (
    Kept,
    KeptSettings,
    add_brick,
    check_choice,
    check_kind,
    check_value,
    read_game,
    write_game,
)

Entry = TypeVar("Entry")


class LiveList(Generic[Entry]):
    """`read_names` gives the present names, `make` the object for a number.

    Replaces bpy_prop_collection of game properties and logic bricks. Annotations quote
    LiveList[...] and nothing is overloaded: typing keeps both past the end of Python, and with them
    the module bpy, which in Blender 4.2 then crashes.
    """

    __slots__ = ("_make", "_read_names")

    def __init__(self, read_names: Callable[[], list[str]], make: Callable[[int], Entry]) -> None:
        self._read_names = read_names
        self._make = make

    def __len__(self) -> int:
        return len(self._read_names())

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.values())

    def __getitem__(self, key: int | str | slice) -> Any:
        """Raises IndexError and KeyError, as Blender does."""
        if isinstance(key, slice):
            return self.values()[key]
        names = self._read_names()
        if isinstance(key, str):
            if key not in names:
                raise KeyError(f'bpy_prop_collection[key]: key "{key}" not found')
            return self._make(names.index(key))
        number = key + len(names) if key < 0 else key
        if not 0 <= number < len(names):
            raise IndexError(
                f"bpy_prop_collection[index]: index {key} out of range, size {len(names)}"
            )
        return self._make(number)

    def __contains__(self, name: object) -> bool:
        return name in self._read_names()

    def keys(self) -> list[str]:
        return self._read_names()

    def values(self) -> list[Entry]:
        return [self._make(number) for number in range(len(self))]

    def items(self) -> list[tuple[str, Entry]]:
        return list(zip(self.keys(), self.values(), strict=True))

    def get(self, name: str, default: Any = None) -> Any:
        number = self.find(name)
        return default if number < 0 else self._make(number)

    def find(self, name: str) -> int:
        """Returns the index of a name; -1 if it is not in the list."""
        names = self._read_names()
        return names.index(name) if name in names else -1

    def __repr__(self) -> str:
        return f"<LiveList of {self._read_names()}>"


class GameData(KeptSettings):
    """Object.game. Its own attributes are the engine's settings: physics_type, mass, ..."""

    __slots__ = ()

    def __init__(self, item: Any) -> None:
        super().__init__(item, OBJECT)

    @property
    def properties(self) -> "LiveList[GameProperty]":
        return _live(self._item, "properties", GameProperty)

    @property
    def sensors(self) -> "LiveList[GameSensor]":
        return _live(self._item, "sensors", GameSensor)

    @property
    def controllers(self) -> "LiveList[Controller]":
        return _live(self._item, "controllers", Controller)

    @property
    def actuators(self) -> "LiveList[GameActuator]":
        return _live(self._item, "actuators", GameActuator)


class _Entry:
    """An entry of one of the four lists, by its number."""

    __slots__ = ("_item", "_number")
    _item: Any
    _number: int
    _list: str

    def __init__(self, item: Any, number: int) -> None:
        object.__setattr__(self, "_item", item)
        object.__setattr__(self, "_number", number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Entry) and (self._list, self._item, self._number) == (
            other._list,
            other._item,
            other._number,
        )

    def __hash__(self) -> int:
        return hash((self._list, self._item, self._number))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._record()['name']!r} of {self._item.name!r}>"

    def _record(self) -> dict[str, Any]:
        record: dict[str, Any] = read_game(self._item)[self._list][self._number]
        return record

    def _change(self, **values: Any) -> None:
        game = read_game(self._item)
        game[self._list][self._number].update(values)
        write_game(self._item, game)


class GameProperty(_Entry):
    """A game property; its attributes are name, type, value and show_debug."""

    __slots__ = ()
    _list = "properties"

    @property
    def name(self) -> str:
        return str(self._record()["name"])

    @name.setter
    def name(self, name: str) -> None:
        """Renames the property. Another one with that name gets a new name, as in Blender."""
        game = read_game(self._item)
        records = game["properties"]
        for number, record in enumerate(records):
            if number != self._number and record["name"] == name:
                record["name"] = _numbered(name, {each["name"] for each in records} | {name})
        records[self._number]["name"] = name
        write_game(self._item, game)

    @property
    def type(self) -> str:
        return str(self._record()["type"])

    @type.setter
    def type(self, kind: str) -> None:
        """Changes the type, which clears the value. Raises TypeError for an unknown type."""
        check_choice(kind, tuple(PROPERTY_TYPES))
        if kind != self.type:
            self._change(type=kind, value=PROPERTY_TYPES[kind])

    @property
    def value(self) -> Any:
        return self._record()["value"]

    @value.setter
    def value(self, value: Any) -> None:
        self._change(value=check_value(check_kind(value, PROPERTY_TYPES[self.type])))

    @property
    def show_debug(self) -> bool:
        return bool(self._record().get("show_debug", False))

    @show_debug.setter
    def show_debug(self, show: bool) -> None:
        self._change(show_debug=bool(show))


class LogicBrick(_Entry, Kept):
    """A sensor, a controller or an actuator; its settings are its type's."""

    __slots__ = ()
    _list: Kind

    def _known(self) -> Settings:
        return BRICKS[self._list].get(self.type, {})

    def _read(self) -> Mapping[str, Any]:
        settings: dict[str, Any] = self._record().get("settings", {})
        return settings

    def _write(self, name: str, value: Any) -> None:
        self._change(settings={**self._read(), name: value})

    @property
    def name(self) -> str:
        return str(self._record()["name"])

    @name.setter
    def name(self, name: str) -> None:
        """Renames the brick, uniquely on its object, as Blender does; its links stay."""
        game = read_game(self._item)
        records = game[self._list]
        own = records[self._number]
        free = _dotted(name, {record["name"] for record in records if record is not own})
        for records in (game["sensors"], game["controllers"]):
            for record in records:
                if links := record.get(self._list):
                    record[self._list] = [free if link == own["name"] else link for link in links]
        own["name"] = free
        write_game(self._item, game)

    @property
    def type(self) -> str:
        return str(self._record()["type"])

    @type.setter
    def type(self, kind: str) -> None:
        """Changes the type, which clears the settings. Raises TypeError for an unknown type."""
        check_choice(kind, tuple(BRICKS[self._list]))
        if kind != self.type:
            self._change(type=kind, settings={})

    def _link(self, target: "LogicBrick", linked: bool = True) -> None:
        if target._item != self._item:
            raise TypeError("logic bricks of two objects cannot be linked")
        names = [name for name in self._record().get(target._list, []) if name != target.name]
        self._change(**{target._list: [*names, target.name] if linked else names})

    def _linked(self, kind: Kind, make: Any) -> Any:
        """Returns the live list of the bricks that this one is linked to."""
        item = self._item

        def read_names() -> list[str]:
            return list(self._record().get(kind, []))

        def pick(number: int) -> Any:
            names = [record["name"] for record in read_game(item)[kind]]
            return make(item, names.index(read_names()[number]))

        return LiveList(read_names, pick)


class GameSensor(LogicBrick):
    __slots__ = ()
    _list: Kind = "sensors"

    @property
    def controllers(self) -> "LiveList[Controller]":
        found: LiveList[Controller] = self._linked("controllers", Controller)
        return found

    def link(self, controller: "Controller") -> None:
        self._link(controller)

    def unlink(self, controller: "Controller") -> None:
        self._link(controller, linked=False)


class Controller(LogicBrick):
    __slots__ = ()
    _list: Kind = "controllers"

    @property
    def actuators(self) -> "LiveList[GameActuator]":
        found: LiveList[GameActuator] = self._linked("actuators", GameActuator)
        return found

    def link(
        self, sensor: GameSensor | None = None, actuator: "GameActuator | None" = None
    ) -> None:
        if sensor is not None:
            sensor._link(self)
        if actuator is not None:
            self._link(actuator)

    def unlink(
        self, sensor: GameSensor | None = None, actuator: "GameActuator | None" = None
    ) -> None:
        if sensor is not None:
            sensor._link(self, linked=False)
        if actuator is not None:
            self._link(actuator, linked=False)


class GameActuator(LogicBrick):
    __slots__ = ()
    _list: Kind = "actuators"

    def link(self, controller: Controller) -> None:
        controller._link(self)

    def unlink(self, controller: Controller) -> None:
        controller._link(self, linked=False)


def add_property(item: Any, name: str = "", kind: str = "FLOAT") -> None:
    """Adds a new, empty property as the last, as object.game_property_new of Blender 2.7 did."""
    game = read_game(item)
    check_choice(kind, tuple(PROPERTY_TYPES))
    taken = {record["name"] for record in game["properties"]}
    free = name or "prop"
    game["properties"].append(
        {
            "name": _numbered(free, taken) if free in taken else free,
            "type": kind,
            "value": PROPERTY_TYPES[kind],
        }
    )
    write_game(item, game)


def add_logic_brick(item: Any, kind: Kind, brick_type: str, name: str = "") -> None:
    """Adds a new brick as the last, as logic.sensor_add and its like of Blender 2.7 did."""
    check_choice(brick_type, tuple(BRICKS[kind]))
    add_brick(item, kind, brick_type, name or brick_name(brick_type))


def _live(item: Any, key: str, make: Callable[[Any, int], Entry]) -> "LiveList[Entry]":
    def read_names() -> list[str]:
        return [record["name"] for record in read_game(item)[key]]

    return LiveList(read_names, lambda number: make(item, number))


def _numbered(name: str, taken: set[str]) -> str:
    """Makes a name of a property unique as Blender does: with the first free number in place of its
    own."""
    plain = name.rstrip("0123456789")
    count = 0
    while f"{plain}{count}" in taken:
        count += 1
    return f"{plain}{count}"


def _dotted(name: str, taken: set[str]) -> str:
    """Makes a name of a logic brick unique as Blender does."""
    free, count = name, 1
    while free in taken:
        free, count = f"{name}.{count:03d}", count + 1
    return free
