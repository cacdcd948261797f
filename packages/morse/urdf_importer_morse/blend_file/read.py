# SPDX-License-Identifier: GPL-3.0-or-later
"""The game engine's data in .blend files of Blender 2.4 to 2.79.

Blender dropped its game engine with 2.80: it still opens such files, but without the engine's
properties, sensors, controllers, actuators and physics. Here they are read from the file itself.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from urdf_importer.core.diagnostics import ReadError

from .actuators import ACTUATOR_FIELDS, ACTUATORS
from .blocks import Block, Layout, open_blend
from .dna import Catalogue, View, decode_text, read_catalogue, unpack_pointers
from .fields import Fields, Item, Kind, read_fields
from .object_settings import read_object_settings
from .sensors import CONTROLLER_FIELDS, CONTROLLERS, SENSOR_FIELDS, SENSORS

# Longer than any list that a person made by hand.
MOST_LINKED = 100_000


@dataclass(frozen=True, slots=True)
class Contents:
    """`version` is (269, 4) for Blender 2.69 sub 4. `names` are the names of all data-blocks by
    their address, without the two letters of their kind."""

    catalogue: Catalogue
    version: tuple[int, int]
    objects: tuple["StoredObject", ...]
    names: dict[int, str]


@dataclass(frozen=True, slots=True)
class StoredObject:
    """`blocks` by address: addresses are unique within one data-block's blocks only."""

    name: str
    address: int
    view: View
    blocks: dict[int, Block]

    def take_data(self, address: int) -> bytes:
        """Takes data with one owner only, such as the text of a property; empty if it is not
        stored. It can be taken once, so that the work does not outgrow the file."""
        block = self.blocks.pop(address, None)
        return block.data if block else b""

    def take_view(self, address: int) -> View | None:
        """Takes the structure at an address, like take_data; None if it is not stored."""
        view = self._view_at(address)
        self.blocks.pop(address, None)
        return view

    def _view_at(self, address: int) -> View | None:
        block = self.blocks.get(address)
        return block and self.view.catalogue.view(block.structure, block.data)

    def iterate_list(self, path: str, structure: str) -> Iterator[tuple[int, View]]:
        """Yields the address and the view of each element of a linked list.

        Raises ReadError where the list leads elsewhere than to structures with that name, or never
        ends.
        """
        address = self.view.read_pointer(f"{path}.first")
        seen: set[int] = set()
        while address:
            view = self._view_at(address)
            if view is None or view.structure.name != structure:
                raise ReadError(f"the file is damaged: a list of {structure} is broken")
            if address in seen or len(seen) >= MOST_LINKED:
                raise ReadError(f"the file is damaged: a list of {structure} has no end")
            seen.add(address)
            yield address, view
            address = view.read_pointer("next")


@dataclass(slots=True)
class _Gathered:
    """The blocks that matter: of data-blocks only the head, of objects all that follows it."""

    heads: list[Block] = field(default_factory=list)
    objects: list[tuple[Block, dict[int, Block]]] = field(default_factory=list)
    general: Block | None = None
    catalogue: bytes = b""

    def take(self, block: Block, owner: bytes) -> None:
        if block.code == b"DNA1":
            self.catalogue = block.data
        elif block.code == b"GLOB":
            self.general = block
        elif block.code == b"DATA":
            if owner == b"OB" and block.data:
                self.objects[-1][1][block.address] = block
        elif len(block.code) == 2:
            self.heads.append(block)
            if block.code == b"OB":
                self.objects.append((block, {}))


def read_contents(path: Path) -> Contents | None:
    """Reads the objects of a .blend file; None for files of Blender 2.80 and later, which are not
    looked into. Raises ReadError."""
    with open_blend(path) as opened:
        if opened is None:
            return None
        layout, blocks = opened
        gathered = _Gathered()
        owner = b""
        for block in blocks:
            if block.code != b"DATA":
                owner = block.code
            gathered.take(block, owner)
    if not gathered.catalogue:
        raise ReadError("the file is damaged: it has no catalogue of its structures")
    return _resolve(gathered, layout)


def _resolve(gathered: _Gathered, layout: Layout) -> Contents:
    catalogue = read_catalogue(gathered.catalogue, layout)
    names = _read_names(gathered.heads, catalogue)
    objects = []
    for block, blocks in gathered.objects:
        view = catalogue.view(block.structure, block.data)
        if view is None or view.structure.name != "Object":
            raise ReadError("the file is damaged: a block of an object holds something else")
        objects.append(StoredObject(names.get(block.address, ""), block.address, view, blocks))
    version = (layout.version, _read_subversion(gathered.general, catalogue))
    return Contents(catalogue, version, tuple(objects), names)


def _read_names(heads: list[Block], catalogue: Catalogue) -> dict[int, str]:
    structure = catalogue.get("ID")
    if structure is None or "name" not in structure.members:
        raise ReadError("the file is damaged: its data-blocks have no names")
    names = {}
    for block in heads:
        head = View(catalogue, structure, block.data.ljust(structure.size, b"\0"))
        names[block.address] = (head.read_text("name") or "")[2:]
    return names


def _read_subversion(general: Block | None, catalogue: Catalogue) -> int:
    view = general and catalogue.view(general.structure, general.data)
    return (view.read_whole("subversion") if view else None) or 0


GameRecord = dict[str, Any]

_PROPERTY_TYPES = {0: "BOOL", 1: "INT", 2: "FLOAT", 3: "STRING", 5: "TIMER"}


def read_legacy_game(path: Path | str) -> dict[str, GameRecord]:
    """Returns the game data by object name; objects with nothing but defaults are left out.

    A record has the lists "properties", "sensors", "controllers", "actuators" and the mapping
    "settings", if not empty:

        properties    {"name", "type", "value"}; FLOAT and TIMER in single precision
        sensors       {"name", "type", "settings", "controllers"}
        controllers   {"name", "type", "settings", "actuators"}
        actuators     {"name", "type", "settings"}

    Types and settings have the names of Blender 2.7's Python. Vectors are lists of three numbers,
    data-blocks are given by name; SI units, angles in radians except a radar's, which is in
    degrees. "controllers" and "actuators" of a brick are the names of the bricks on the same object
    that it is linked to; links to bricks of other objects are listed in "elsewhere" as {"object",
    "name"}. Kinds of bricks that Blender 2.7 no longer has are left out.

    Files of Blender 2.80 and later have no game data: {}. Raises ReadError for a file that is
    missing, cut off, damaged or not a .blend.
    """
    try:
        contents = read_contents(Path(path))
        if contents is None:
            return {}
        found = [_Bricks.find(stored) for stored in contents.objects]
        places = {address: place for bricks in found for address, place in bricks.places()}
        records = {
            bricks.stored.name: _Reader(bricks, contents, places).read_object() for bricks in found
        }
    except ReadError as error:
        raise ReadError(error.message, source=str(path)) from None
    return {name: record for name, record in records.items() if record}


@dataclass(frozen=True, slots=True)
class _Bricks:
    """The logic bricks of an object by their addresses, in their order."""

    stored: StoredObject
    sensors: dict[int, View]
    controllers: dict[int, View]
    actuators: dict[int, View]

    @classmethod
    def find(cls, stored: StoredObject) -> "_Bricks":
        return cls(
            stored,
            _list_bricks(stored, "sensors", "bSensor", SENSORS),
            _list_bricks(stored, "controllers", "bController", CONTROLLERS),
            _list_bricks(stored, "actuators", "bActuator", ACTUATORS),
        )

    def places(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Address and place of the possible targets of links."""
        for address, view in [*self.controllers.items(), *self.actuators.items()]:
            yield address, {"object": self.stored.name, "name": _name(view)}


def _list_bricks(
    stored: StoredObject, member: str, structure: str, kinds: Mapping[int, Kind]
) -> dict[int, View]:
    return {
        address: view
        for address, view in stored.iterate_list(member, structure)
        if view.read_whole("type") in kinds
    }


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the record of one object. `places` are the places of the bricks of all objects."""

    bricks: _Bricks
    contents: Contents
    places: Mapping[int, dict[str, str]]

    def read_object(self) -> GameRecord:
        bricks = self.bricks
        record: GameRecord = {
            "properties": list(self._read_properties()),
            "sensors": [
                self._read_brick(view, SENSORS, SENSOR_FIELDS)
                | self._read_links(view, "controllers", bricks.controllers)
                for view in bricks.sensors.values()
            ],
            "controllers": [
                self._read_brick(view, CONTROLLERS, CONTROLLER_FIELDS)
                | self._read_links(view, "actuators", bricks.actuators)
                for view in bricks.controllers.values()
            ],
            "actuators": [
                self._read_brick(view, ACTUATORS, ACTUATOR_FIELDS)
                for view in bricks.actuators.values()
            ],
            "settings": read_object_settings(self._item(bricks.stored.view)),
        }
        return {name: value for name, value in record.items() if value}

    def _item(self, view: View) -> Item:
        return Item(view, self.contents.version, self.contents.names)

    def _read_properties(self) -> Iterator[GameRecord]:
        for _, view in self.bricks.stored.iterate_list("prop", "bProperty"):
            kind = _PROPERTY_TYPES.get(_whole(view, "type"))
            if kind is not None:
                yield {"name": _name(view), "type": kind, "value": self._read_value(view, kind)}

    def _read_value(self, view: View, kind: str) -> bool | int | float | str:
        if kind == "STRING":
            return decode_text(self.bricks.stored.take_data(view.read_pointer("poin")))
        stored = _whole(view, "data")
        if kind == "BOOL":
            return bool(stored & 1)
        return stored if kind == "INT" else _as_real(stored)

    def _read_brick(self, view: View, kinds: Mapping[int, Kind], common: Fields) -> GameRecord:
        kind = kinds[_whole(view, "type")]
        settings = read_fields(common, self._item(view))
        data = self.bricks.stored.take_view(view.read_pointer("data"))
        if data is not None:
            settings |= read_fields(kind.fields, self._item(data))
        return {"name": _name(view), "type": kind.type, "settings": settings}

    def _read_links(self, view: View, key: str, own: Mapping[int, View]) -> GameRecord:
        linked = self._read_linked(view)
        record: GameRecord = {key: [_name(own[address]) for address in linked if address in own]}
        elsewhere = [self.places[address] for address in linked if address not in own]
        return {**record, "elsewhere": elsewhere} if elsewhere else record

    def _read_linked(self, view: View) -> list[int]:
        """Returns the addresses of the bricks that one is linked to."""
        data = self.bricks.stored.take_data(view.read_pointer("links"))
        count = max(_whole(view, "totlinks"), 0)
        addresses = unpack_pointers(self.contents.catalogue.layout, data)[:count]
        return [address for address in addresses if address in self.places]


def _name(view: View) -> str:
    return view.read_text("name") or ""


def _whole(view: View, path: str) -> int:
    return view.read_whole(path) or 0


def _as_real(bits: int) -> float:
    """Returns the single-precision number that has these bits."""
    (value,) = struct.unpack("f", struct.pack("i", bits))
    return float(value)
