# SPDX-License-Identifier: GPL-3.0-or-later
"""Protocol Buffers as trees, by the descriptors that a recording carries (protobuf.dev, Encoding).

A number of proto3 that is not there is 0, unless it is optional.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from struct import Struct
from struct import error as StructError
from typing import Any

import numpy as np

from ....core.diagnostics import ReadError
from ..recordings.trees import MOST_LEVELS, Tree
from ..trajectory import NANOSECONDS
from ..varints import read_varint, unfold

_MOST_FIELDS, _MOST_TYPES = 400_000, 10_000
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED = {1: "<d", 2: "<f", 6: "<Q", 7: "<I", 15: "<i", 16: "<q"}
_WHOLE, _ZIGZAG, _TEXT, _MESSAGE, _RAW = (3, 4, 5, 8, 13, 14), (17, 18), 9, 11, 12
_REPEATED = 3
_MASK = (1 << 64) - 1
_TIMES = ("google.protobuf.Timestamp", "google.protobuf.Duration")
_STRUCTS = {form: Struct(form) for form in _FIXED.values()}


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    kind: int
    type: str
    is_repeated: bool
    is_optional: bool


Types = Mapping[str, Mapping[int, _Field]]


class _Left:
    """How many fields may still be looked at."""

    def __init__(self) -> None:
        self.fields = _MOST_FIELDS


def _walk(data: bytes, left: _Left) -> Iterator[tuple[int, int, Any]]:
    """Yields the number, the wire type and the content of each field. Raises ValueError for other
    bytes."""
    at, end = 0, len(data)
    while at < end:
        left.fields -= 1
        if left.fields < 0:
            raise ValueError
        key, at = read_varint(data, at)
        wire = key & 7
        if wire == _VARINT:
            value: Any
            value, at = read_varint(data, at)
        elif wire in (_FIXED64, _FIXED32):
            size = 8 if wire == _FIXED64 else 4
            value, at = data[at : at + size], at + size
        elif wire == _BYTES:
            length, at = read_varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            raise ValueError
        if at > end:
            raise ValueError
        yield key >> 3, wire, value


def _fields_of(data: bytes, left: _Left) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for number, _, value in _walk(data, left):
        found.setdefault(number, []).append(value)
    return found


def read_types(schema: bytes) -> Types:
    """Returns the fields of each type of a FileDescriptorSet. Raises ReadError for anything
    else."""
    types: dict[str, dict[int, _Field]] = {}
    left = _Left()
    try:
        for raw in _fields_of(schema, left).get(1, []):
            file = _fields_of(raw, left)
            package = _text(file, 2)
            is_third = _text(file, 12) in ("proto3", "editions")
            for message in file.get(4, []):
                _add_type(types, message, package, is_third, left)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ReadError("the description of its messages is damaged") from None
    return types


def _add_type(
    types: dict[str, dict[int, _Field]], raw: bytes, above: str, is_third: bool, left: _Left
) -> None:
    message = _fields_of(raw, left)
    name = f"{above}.{_text(message, 1)}".lstrip(".")
    if len(types) >= _MOST_TYPES or name.count(".") > MOST_LEVELS:
        raise ValueError
    types[name] = {}
    for each in message.get(2, []):
        field = _fields_of(each, left)
        number = int(field[3][0])
        types[name][number] = _Field(
            name=_text(field, 1),
            kind=int(field[5][0]),
            type=_text(field, 6).lstrip("."),
            is_repeated=field.get(4, [1])[0] == _REPEATED,
            is_optional=not is_third or bool(field.get(17, [0])[0]),
        )
    for each in message.get(3, []):
        _add_type(types, each, name, is_third, left)


def _text(fields: Mapping[int, list[Any]], number: int) -> str:
    found = fields.get(number, [b""])[-1]
    return str(found.decode("utf-8", "replace"))


def find_motion(types: Types, root: str) -> str:
    """Returns "joints" or "frames" where messages of a type hold these."""
    seen, waiting, found = set[str](), [root], ""
    while waiting:
        name = waiting.pop()
        if name in seen or name not in types:
            continue
        seen.add(name)
        names = {field.name for field in types[name].values()}
        if {"name", "position"} <= names or {"joint_names", "points"} <= names:
            return "joints"
        if {"translation", "rotation"} <= names:
            found = "frames"
        waiting += [field.type for field in types[name].values()]
    return found


class ProtobufReader:
    """Reads messages of one type."""

    def __init__(self, types: Types, root: str) -> None:
        self._types, self._root = types, root

    def decode(self, message: bytes | memoryview) -> Tree | None:
        """Returns the tree of a message; None for a damaged one."""
        try:
            return self._message(bytes(message), self._root, _Left(), 0)
        except (ValueError, LookupError, TypeError, AttributeError, StructError, OverflowError):
            return None

    def _message(self, data: bytes, name: str, left: _Left, depth: int) -> Tree:
        fields = self._types.get(name)
        if fields is None or depth > MOST_LEVELS:
            raise ValueError
        found: dict[int, list[Any]] = {}
        for number, wire, value in _walk(data, left):
            field = fields.get(number)
            if field is None or field.kind == _RAW:
                continue
            values = found.setdefault(number, [])
            if field.kind == _MESSAGE:
                values.append(self._message(value, field.type, left, depth + 1))
            elif field.kind == _TEXT:
                values.append(value.decode("utf-8", "replace"))
            else:
                values += _numbers(field.kind, wire, value, left)
        if name in _TIMES:
            parts = [int(found.get(number, [0])[-1]) for number in (1, 2)]
            return np.array([(parts[0] * NANOSECONDS + parts[1])], dtype=np.int64)
        return {
            field.name: _to_tree(field, found.get(number))
            for number, field in fields.items()
            if number in found or not (field.is_optional or field.kind in (_MESSAGE, _RAW))
            or (field.is_repeated and field.kind != _RAW)
        }  # fmt: skip


def _to_tree(field: _Field, values: list[Any] | None) -> Tree:
    if field.kind == _TEXT:
        return tuple(values or ()) if field.is_repeated else (values or [""])[-1]
    if field.kind == _MESSAGE:
        return list(values or ()) if field.is_repeated else (values or [{}])[-1]
    if field.is_repeated:
        return np.array([values or []], dtype=np.float64)
    return np.array([(values or [0])[-1]], dtype=np.float64)


def _numbers(kind: int, wire: int, value: Any, left: _Left) -> list[Any]:
    """Returns the numbers of a field: one, or many that are packed."""
    if kind in _FIXED:
        form = _STRUCTS[_FIXED[kind]]
        if wire == _BYTES:
            left.fields -= len(value) // form.size
            return [each[0] for each in form.iter_unpack(value)]
        return [form.unpack(value)[0]]
    if wire != _BYTES:
        return [_signed(kind, value)]
    found, at = [], 0
    while at < len(value):
        left.fields -= 1
        number, at = read_varint(value, at)
        found.append(_signed(kind, number))
    if left.fields < 0:
        raise ValueError
    return found


def _signed(kind: int, value: int) -> int:
    value &= _MASK
    if kind in _ZIGZAG:
        return unfold(value)
    if kind not in _WHOLE:
        raise ValueError
    return value - (1 << 64) if kind in (3, 5, 14) and value >> 63 else value
