# SPDX-License-Identifier: GPL-3.0-or-later
"""Serialized messages -> trees of arrays, many messages at once.

The first message of a length is walked field by field, which tells where its numbers are and which
of its bytes say how it is built: counts and texts. All other messages of that length with the same
bytes there are read through one strided view of each number. A message that differs is walked
itself. ROS 1 packs its numbers; CDR, ROS 2's encoding, aligns each to its size, counted from behind
the first four bytes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....core.diagnostics import ReadError
from ..trajectory import NANOSECONDS
from .definitions import PRIMITIVES, TIMES, Definition, Encoding
from .trees import Tree

MOST_ROUNDS = 64
"""Forms of messages of one length that are looked for among the rest; then each is walked alone."""
MOST_FIELDS = 400_000
"""Fields that are walked in a message, in all its items: about a third of a second."""
_FREE_FIELDS, _FIELDS_PER_BYTE = 2_000, 4
"""So many of them and no more for each byte, since types may be empty: a few bytes could expand to
hours of work."""
Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]


class BadMessage(Exception):
    """A message that does not fit its definition."""


_Form = tuple[Any, list[tuple[int, int]]]
"""How the messages of one form are built: a tree, whose nodes are a dict, a list, a tuple of texts,
a text, or (kind, offset, dtype, count) for numbers; and the bounds of the bytes that shape it."""


class Decoder:
    """Reads messages of one type."""

    def __init__(self, definition: Definition, encoding: Encoding) -> None:
        self.definition = definition
        self.encoding = encoding

    def decode(
        self, messages: Sequence[bytes | memoryview]
    ) -> list[tuple[NDArray[np.int64], Tree]]:
        """Returns the trees of messages, each with the places of its messages. Damaged messages are
        in none. Raises ReadError for a layout that is not read."""
        by_length: dict[int, list[int]] = {}
        for index, message in enumerate(messages):
            by_length.setdefault(len(message), []).append(index)
        found: list[tuple[Places, Tree]] = []
        for length, places in by_length.items():
            data = b"".join([messages[place] for place in places])
            rows = np.frombuffer(data, dtype=np.uint8).reshape(len(places), length)
            found += self._decode_group(rows, np.array(places))
        return found

    def _decode_group(
        self, rows: Bytes, places: NDArray[np.int64]
    ) -> list[tuple[NDArray[np.int64], Tree]]:
        found = []
        rounds = 0
        while len(places):
            form = self._trace(rows[0])
            rounds += 1
            if form is None or rounds > MOST_ROUNDS:
                own: Any = slice(0, 1)
                left: Any = slice(1, None)
            else:
                own = _find_same(rows, form[1])
                left = ~own
            if form is not None:
                found.append((places[own], _extract(form[0], rows[own])))
            rows, places = rows[left], places[left]
        return found

    def _trace(self, row: Bytes) -> _Form | None:
        data = row.tobytes()
        swapped, start = False, 0
        if self.encoding == "cdr":
            if len(data) < 4:
                return None
            if data[0] or data[1] > 3:
                raise ReadError("its messages are in XCDR2, which is not read")
            swapped, start = data[1] % 2 == 0, 4
        walk = _Walk(data, start, self.definition, self.encoding, swapped)
        try:
            tree = walk.read_type(self.definition.type)
        except BadMessage:
            return None
        return tree, [*walk.built, *([(0, 4)] if start else [])]


def _find_same(rows: Bytes, built: list[tuple[int, int]]) -> NDArray[np.bool_]:
    if not built:
        return np.ones(len(rows), dtype=bool)
    columns = np.concatenate([np.arange(start, end) for start, end in built])
    same: NDArray[np.bool_] = (rows[:, columns] == rows[0, columns]).all(axis=1)
    return same


class _Walk:
    """One message, from its first byte to its last."""

    def __init__(
        self, data: bytes, start: int, definition: Definition, encoding: Encoding, swapped: bool
    ) -> None:
        self.data = data
        self.start = self.at = start
        self.types = definition.types
        self.aligned = encoding == "cdr"
        self.order = ">" if swapped else "<"
        self.built: list[tuple[int, int]] = []
        self.left = min(_FREE_FIELDS + _FIELDS_PER_BYTE * len(data), MOST_FIELDS)

    def read_type(self, name: str) -> Any:
        if self.aligned and not self.types[name]:
            self._skip(1)  # CDR has no empty messages.
        return {each.name: self._field(each.type, each.count) for each in self.types[name]}

    def _field(self, name: str, count: int) -> Any:
        self._spend(1)
        if count < 0:
            return self._single(name)
        count = count or self._count()
        return self._numbers(name, count) if name in PRIMITIVES else self._items(name, count)

    def _single(self, name: str) -> Any:
        if name in PRIMITIVES:
            return (*self._numbers(name, 1)[:3], -1)
        if name in TIMES:
            self._align(4)
            kind = TIMES[name]
            return (f"{kind}{'2' if self.aligned else '1'}", self._skip(8), self.order, -1)
        if name in ("string", "wstring"):
            return self._text(name)
        return self.read_type(name)

    def _items(self, name: str, count: int) -> Any:
        self._spend(count)
        items = [self._single(name) for _ in range(count)]
        return tuple(items) if name in ("string", "wstring") else items

    def _numbers(self, name: str, count: int) -> tuple[str, int, str, int]:
        form = PRIMITIVES[name]
        size = int(form[1:])
        if count:
            self._align(size)
        return ("numbers", self._skip(size * count), self.order + form, count)

    def _text(self, name: str) -> str:
        length = self._count()
        if name == "wstring":
            self._skip(length * (4 if not self.aligned else 2))
            return ""
        offset = self._skip(length)
        self.built.append((offset, offset + length))
        raw = self.data[offset : offset + length]
        return raw.removesuffix(b"\0").decode("utf-8", "replace")

    def _count(self) -> int:
        self._align(4)
        offset = self._skip(4)
        self.built.append((offset, offset + 4))
        order: Any = "little" if self.order == "<" else "big"
        return int.from_bytes(self.data[offset : offset + 4], order)

    def _align(self, size: int) -> None:
        if self.aligned:
            self.at += -(self.at - self.start) % size

    def _skip(self, length: int) -> int:
        offset = self.at
        self.at += length
        if self.at > len(self.data):
            raise BadMessage
        return offset

    def _spend(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise BadMessage


def _extract(node: Any, rows: Bytes) -> Tree:
    if isinstance(node, dict):
        return {key: _extract(each, rows) for key, each in node.items()}
    if isinstance(node, list):
        return [_extract(each, rows) for each in node]
    if isinstance(node, tuple) and len(node) == 4 and isinstance(node[1], int):
        return _extract_numbers(*node, rows=rows)
    return node


def _extract_numbers(kind: str, offset: int, dtype: str, count: int, *, rows: Bytes) -> Tree:
    if kind == "numbers":
        size = int(dtype[2:])
        width = max(count, 1) if count else 0
        raw = np.ascontiguousarray(rows[:, offset : offset + size * width])
        values = raw.view(dtype) if width else np.empty((len(rows), 0))
        numbers = values.astype(np.float64)
        return numbers[:, 0] if count < 0 else numbers
    first = "u4" if kind == "time1" else "i4"
    rest = "i4" if kind == "duration1" else "u4"
    raw = np.ascontiguousarray(rows[:, offset : offset + 8])
    seconds = raw[:, :4].copy().view(dtype + first)[:, 0].astype(np.int64)
    parts = raw[:, 4:].copy().view(dtype + rest)[:, 0].astype(np.int64)
    times: NDArray[np.int64] = seconds * NANOSECONDS + parts
    return times
