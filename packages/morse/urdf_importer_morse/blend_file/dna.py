# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue of structures that every .blend file carries, and reading by its names.

Each version of Blender laid its structures out anew; since all offsets come from the file's own
catalogue, one reader does for all of them. Fields that a version did not have yet read as None.
"""

import math
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from urdf_importer.core.diagnostics import ReadError

from .blocks import Layout

# The plain types and their letters in Python's struct. Types that were unsigned in Blender's source
# are written as if they were signed.
_LETTERS = {
    "char": "b",
    "uchar": "B",
    "short": "h",
    "ushort": "H",
    "int": "i",
    "long": "i",
    "ulong": "I",
    "float": "f",
    "double": "d",
    "int64_t": "q",
    "uint64_t": "Q",
}
_REALS = frozenset("fd")
_MEMBER = re.compile(r"(\**)(\w+)((?:\[\d+\])*)|\(\**(\w+)\).*")
_DIMENSION = re.compile(r"\[(\d+)\]")
_MOST_LETTERS_OF_A_NAME = 256


class StructMember(NamedTuple):
    """`letter` is P for a pointer and empty for a structure within; `length` of an array is the
    product of its dimensions."""

    offset: int
    type_name: str
    letter: str
    length: int


class Structure(NamedTuple):
    name: str
    size: int
    members: dict[str, StructMember]


class _Entry(NamedTuple):
    name: str
    size: int
    members: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Catalogue:
    """Structures by their number and by name, laid out when they are first asked for."""

    layout: Layout
    numbers: list[str]
    entries: dict[str, _Entry]
    sizes: dict[str, int]
    _laid_out: dict[str, Structure] = field(default_factory=dict)
    _found: dict[tuple[str, str], StructMember | None] = field(default_factory=dict)

    def get_by_number(self, number: int) -> Structure | None:
        return self.get(self.numbers[number]) if 0 <= number < len(self.numbers) else None

    def get(self, name: str) -> Structure | None:
        """Raises ReadError where the catalogue contradicts itself."""
        if name not in self._laid_out:
            if name not in self.entries:
                return None
            self._laid_out[name] = self._lay_out(self.entries[name])
        return self._laid_out[name]

    def _lay_out(self, entry: _Entry) -> Structure:
        members: dict[str, StructMember] = {}
        offset = 0
        for type_name, written in entry.members:
            name, is_pointer, length = _parse_member(written)
            size = self.layout.pointer_size if is_pointer else self.sizes.get(type_name, 0)
            letter = "P" if is_pointer else _letter_of(type_name, size)
            members[name] = StructMember(offset, type_name, letter, length)
            offset += size * length
        if offset != entry.size:
            raise ReadError("the file is damaged: its catalogue of structures contradicts itself")
        return Structure(entry.name, entry.size, members)

    def view(self, number: int, data: bytes) -> "View | None":
        """Returns the structure with this number in the bytes of its block; None if they are too
        short for it."""
        structure = self.get_by_number(number)
        if structure is None or len(data) < structure.size:
            return None
        return View(self, structure, data)

    def find(self, structure: Structure, path: str) -> StructMember | None:
        """Returns the member at a path such as "sound3D.max_gain"; its offset counts from
        `structure`."""
        key = (structure.name, path)
        if key not in self._found:
            self._found[key] = self._find(structure, path)
        return self._found[key]

    def _find(self, structure: Structure, path: str) -> StructMember | None:
        offset = 0
        *outer, last = path.split(".")
        for name in outer:
            member = structure.members.get(name)
            inner = self.get(member.type_name) if member and not member.letter else None
            if member is None or inner is None:
                return None
            offset, structure = offset + member.offset, inner
        found = structure.members.get(last)
        return found and found._replace(offset=offset + found.offset)


@dataclass(frozen=True, slots=True)
class View:
    """One structure in the bytes of a block. Paths are names of members with dots between."""

    catalogue: Catalogue
    structure: Structure
    data: bytes

    def read_whole(self, path: str) -> int | None:
        member = self._find(path)
        if member is None or not member.letter or member.letter in _REALS or member.letter == "P":
            return None
        return int(self._unpack(member, 1)[0])

    def read_numbers(self, path: str) -> list[float]:
        """Reads all elements of an array of reals, or one for a plain real; none where the member
        is missing."""
        member = self._find(path)
        if member is None or member.letter not in _REALS:
            return []
        return [float(value) for value in self._unpack(member, member.length)]

    def read_text(self, path: str) -> str | None:
        member = self._find(path)
        if member is None or member.type_name != "char" or member.letter != "b":
            return None
        return decode_text(self.data[member.offset : member.offset + member.length])

    def read_pointer(self, path: str) -> int:
        """Reads an address; 0 means none."""
        member = self._find(path)
        if member is None or member.letter != "P":
            return 0
        return int(self._unpack(member, 1)[0])

    def _find(self, path: str) -> StructMember | None:
        return self.catalogue.find(self.structure, path)

    def _unpack(self, member: StructMember, count: int) -> tuple[float, ...]:
        layout = self.catalogue.layout
        letter = member.letter if member.letter != "P" else _pointer_letter(layout)
        try:
            return struct.unpack_from(f"{layout.order}{count}{letter}", self.data, member.offset)
        except struct.error:
            raise _damaged() from None


def unpack_pointers(layout: Layout, data: bytes) -> tuple[int, ...]:
    """Unpacks a whole block that is an array of pointers."""
    count = len(data) // layout.pointer_size
    return struct.unpack_from(f"{layout.order}{count}{_pointer_letter(layout)}", data)


def decode_text(data: bytes) -> str:
    """Decodes text up to the first NUL. Blender drops bytes that are not UTF-8 from the names in
    old files."""
    return data.partition(b"\0")[0].decode("utf-8", "ignore")


def _pointer_letter(layout: Layout) -> str:
    return "I" if layout.pointer_size == 4 else "Q"


def _letter_of(type_name: str, size: int) -> str:
    letter = _LETTERS.get(type_name, "")
    return letter if letter and struct.calcsize(f"={letter}") == size else ""


def _parse_member(written: str) -> tuple[str, bool, int]:
    """Parses a member's declaration: *next -> ("next", True, 1), mat[4][4] -> ("mat", False, 16);
    (*call)() is a pointer too."""
    match = _MEMBER.fullmatch(written)
    if match is None or len(written) > _MOST_LETTERS_OF_A_NAME:
        raise _damaged()
    length = math.prod(int(size) for size in _DIMENSION.findall(match[3] or ""))
    return match[2] or match[4], bool(match[1] or match[4]), length


def read_catalogue(data: bytes, layout: Layout) -> Catalogue:
    """Reads the contents of the block DNA1. Raises ReadError."""
    try:
        return _read_catalogue(_Parts(data, layout.order), layout)
    except (IndexError, ValueError, struct.error):
        raise _damaged() from None


def _read_catalogue(parts: "_Parts", layout: Layout) -> Catalogue:
    parts.take_tag(b"SDNA")
    names = parts.take_names(b"NAME")
    types = parts.take_names(b"TYPE")
    parts.take_tag(b"TLEN")
    lengths = parts.take_numbers("H", len(types))
    parts.take_tag(b"STRC")
    entries: list[_Entry] = []
    for _ in range(parts.take_count()):
        type_number, count = parts.take_numbers("H", 2)
        pairs = iter(parts.take_numbers("H", 2 * count))
        members = tuple((types[kind], names[name]) for kind, name in zip(pairs, pairs, strict=True))
        entries.append(_Entry(types[type_number], lengths[type_number], members))
    return Catalogue(
        layout,
        [entry.name for entry in entries],
        {entry.name: entry for entry in entries},
        dict(zip(types, lengths, strict=True)),
    )


class _Parts:
    """Takes the parts of the catalogue one after the other. A count is never believed: each element
    takes bytes, which run out first."""

    def __init__(self, data: bytes, order: str) -> None:
        self._data = data
        self._order = order
        self._offset = 0

    def take_tag(self, tag: bytes) -> None:
        self._offset = -(-self._offset // 4) * 4
        if self._data[self._offset : self._offset + 4] != tag:
            raise _damaged()
        self._offset += 4

    def take_count(self) -> int:
        (count,) = struct.unpack_from(f"{self._order}i", self._data, self._offset)
        self._offset += 4
        return int(count)

    def take_numbers(self, letter: str, count: int) -> tuple[int, ...]:
        form = struct.Struct(f"{self._order}{count}{letter}")
        numbers = form.unpack_from(self._data, self._offset)
        self._offset += form.size
        return numbers

    def take_names(self, tag: bytes) -> list[str]:
        self.take_tag(tag)
        return list(self._iterate_names(self.take_count()))

    def _iterate_names(self, count: int) -> Iterator[str]:
        for _ in range(count):
            end = self._data.index(b"\0", self._offset)
            yield self._data[self._offset : end].decode("ascii")
            self._offset = end + 1


def _damaged() -> ReadError:
    return ReadError("the file is damaged: its catalogue of structures cannot be read")
