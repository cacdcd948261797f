# SPDX-License-Identifier: GPL-3.0-or-later
"""Thrift's compact protocol: structs as dicts of the numbers of their fields."""

from collections.abc import Iterable
from struct import pack, unpack_from
from typing import Any

from ....core.diagnostics import ReadError
from ..varints import read_varint, unfold, write_varint

MOST_PARTS, _MOST_DEPTH = 200_000, 16
TRUE, FALSE, I32, I64, DOUBLE, BINARY, LIST, STRUCT = 1, 2, 5, 6, 7, 8, 9, 12
_NUMBERS, _LISTS, _MAP = (4, I32, I64), (LIST, 10), 11
Struct = dict[int, Any]


class ThriftReader:
    """Reads structs from bytes. Raises ReadError for too many parts, IndexError and struct.error at
    the end of the bytes, ValueError for a number that is too long."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self._data = data
        self.at = at
        self._left = MOST_PARTS

    def read_struct(self, depth: int = 0) -> Struct:
        found: Struct = {}
        field = 0
        while True:
            head = self._byte()
            if not head:
                return found
            kind, step = head & 15, head >> 4
            field = field + step if step else self._signed()
            if kind in (TRUE, FALSE):
                self._spend(depth)
                found[field] = kind == TRUE
            else:
                found[field] = self._value(kind, depth + 1)

    def _value(self, kind: int, depth: int) -> Any:
        self._spend(depth)
        if kind in _NUMBERS:
            return self._signed()
        if kind == BINARY:
            return self._bytes()
        if kind == STRUCT:
            return self.read_struct(depth)
        if kind in _LISTS:
            return self._list(depth)
        if kind in (TRUE, FALSE, 3):
            return self._byte()
        if kind == DOUBLE:
            self.at += 8
            return unpack_from("<d", self._data, self.at - 8)[0]
        if kind == _MAP:
            return self._map(depth)
        raise ReadError("the file is damaged: its parts have no known kind")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4
        if count == 15:
            count = self._whole()
        return [self._value(head & 15, depth + 1) for _ in range(count)]

    def _map(self, depth: int) -> None:
        count = self._whole()
        kinds = self._byte() if count else 0
        for _ in range(count):
            self._value(kinds >> 4, depth + 1)
            self._value(kinds & 15, depth + 1)

    def _spend(self, depth: int) -> None:
        self._left -= 1
        if self._left < 0 or depth > _MOST_DEPTH:
            raise ReadError("its description of columns has too many parts")

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _whole(self) -> int:
        found, self.at = read_varint(self._data, self.at)
        return found

    def _signed(self) -> int:
        return unfold(self._whole())

    def _bytes(self) -> bytes:
        length = self._whole()
        start, self.at = self.at, self.at + length
        if self.at > len(self._data):
            raise ReadError("the file is damaged: a text is too long")
        return self._data[start : self.at]


def _write_signed(number: int) -> bytes:
    return write_varint(number << 1 if number >= 0 else (-number << 1) - 1)


def _kind_of(value: Any) -> int:
    if isinstance(value, bool):
        return TRUE if value else FALSE
    if isinstance(value, float):
        return DOUBLE
    kinds = ((int, I64), (bytes, BINARY), (str, BINARY), (dict, STRUCT), (list, LIST))
    return next(kind for python, kind in kinds if isinstance(value, python))


def write_struct(fields: Struct, narrow: Iterable[int] = ()) -> bytes:
    """Returns the bytes of a struct; its numbers have 64 bits, but 32 in fields that `narrow`
    lists, and in lists."""
    out, last = bytearray(), 0
    for field, value in sorted(fields.items()):
        if value is None:
            continue
        kind = _kind_of(value)
        kind = I32 if kind == I64 and field in narrow else kind
        step = field - last
        last = field
        out.append(step << 4 | kind)
        if not isinstance(value, bool):
            out += _write_value(value)
    out.append(0)
    return bytes(out)


def _write_value(value: Any) -> bytes:
    if isinstance(value, RawStruct):
        return value.data
    if isinstance(value, float):
        return pack("<d", value)
    if isinstance(value, int):
        return _write_signed(value)
    if isinstance(value, str | bytes):
        data = value.encode() if isinstance(value, str) else value
        return write_varint(len(data)) + data
    if isinstance(value, dict):
        return write_struct(value)
    kind = _kind_of(value[0]) if value else BINARY
    kind = I32 if kind == I64 else kind
    count = len(value)
    head = bytes([count << 4 | kind]) if count < 15 else bytes([0xF0 | kind]) + write_varint(count)
    return head + b"".join(map(_write_value, value))


class RawStruct(dict[int, Any]):
    """A struct that is bytes already."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data
