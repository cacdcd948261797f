# SPDX-License-Identifier: GPL-3.0-or-later
"""Parquet files -> their columns: numbers, texts, and lists of these."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from ....core.diagnostics import ReadError, name_choices, quote
from ....core.files.regular import (
    HEAD_BYTES,
    naming_file,
    open_regular_file,
    refuse_pointer,
)
from ..gather import MOST_VALUES
from ..recordings.compression import Unpacker
from .pages import FIXED, INT96, MOST_PAGE, PLAIN, RLE, TEXT, read_runs, read_values, unpack_page
from .thrift import Struct, ThriftReader

MAGIC = b"PAR1"
_MOST_FOOTER, _MOST_GROUPS, _MOST_HEAD = 16 * 1024 * 1024, 20_000, 64 * 1024
_COST_OF_PAGE = 4096
"""Bytes that a page counts for beside its own, so that there are few."""
_COST_OF_VALUE, _COST_OF_LEVELS = 8, 16
"""Bytes in memory, which a page in a file can state in far fewer."""
_UNITS = {9: "ms", 10: "us"}
_REQUIRED, _REPEATED = 0, 2
_DATA, _INDEX, _DICTIONARY, _DATA2 = range(4)


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """The values of a column, in the order of rows: an array of numbers, NaN where a whole number
    or a float is missing, or a list of texts. `counts` (rows,) says how many each row has; None
    where each has one. `unit` is the unit of moments."""

    values: Any
    counts: Any = None
    unit: str = ""

    def matrix(self, name: str) -> Any:
        """Returns the numbers of rows (m, n). Raises ReadError for rows of several lengths."""
        if isinstance(self.values, list):
            raise ReadError(f"the column {quote(name)} has texts, not numbers")
        if self.counts is None:
            return self.values[:, None]
        lengths = np.unique(self.counts)
        if len(lengths) > 1:
            low, high = int(lengths[0]), int(lengths[-1])
            raise ReadError(f"the lists of {quote(name)} have {low} to {high} numbers")
        return self.values.reshape(len(self.counts), -1 if len(self.values) else 0)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A column of values: its place, type, width of fixed texts, and the levels of definition at
    its list, -1 for none, and of its values."""

    place: int
    kind: int
    width: int
    list_level: int
    level: int
    unit: str


@contextmanager
def open_parquet(path: str) -> Iterator["ParquetFile"]:
    """Gives an open file. Raises ReadError for every fault of it, also within the block."""
    with naming_file(path), open_regular_file(path) as (file, size), refuse_damage():
        yield ParquetFile(file, size)


@contextmanager
def refuse_damage() -> Iterator[None]:
    """Raises ReadError where the block meets parts that are missing, or of another kind."""
    try:
        yield
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, struct.error):
        raise ReadError("the file is damaged: parts of it are missing or of another kind") from None


class ParquetFile:
    """An open file: `names` of its columns, how many `rows` it has, and `texts` beside them."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size
        footer = self._read_footer()
        self.rows = _whole(footer, 3)
        self._groups = _list(footer, 4)
        if not 0 <= self.rows <= MOST_VALUES or len(self._groups) > _MOST_GROUPS:
            raise ReadError("it has more rows than are read; record a shorter motion")
        self._leaves: dict[str, list[_Leaf]] = {}
        self._read_schema(_list(footer, 2))
        self.names = tuple(self._leaves)
        self._unpacker = Unpacker()
        self._left = 4 * MOST_PAGE

    def _read_footer(self) -> Struct:
        self._file.seek(max(self._size - 8, 0))
        tail = self._file.read(8)
        if self._size < 12 or tail[4:] != MAGIC:
            self._file.seek(0)
            refuse_pointer(self._file.read(HEAD_BYTES))
            raise ReadError("this is not a whole Parquet file: its end is missing")
        length = int.from_bytes(tail[:4], "little")
        if length > min(_MOST_FOOTER, self._size - 12):
            raise ReadError("its description of columns is too long")
        self._file.seek(self._size - 8 - length)
        return ThriftReader(self._file.read(length)).read_struct()

    def _read_schema(self, elements: list[Any]) -> None:
        """Collects the leaves of each column; a column of several is a struct, which is not
        read."""
        place = 0
        open_nodes: list[list[Any]] = [[_whole(elements[0], 5), "", 0, -1, 0]]
        at = 1
        while at < len(elements) and open_nodes:
            parent = open_nodes[-1]
            if parent[0] <= 0:
                open_nodes.pop()
                continue
            parent[0] -= 1
            element = elements[at]
            at += 1
            repetition = _whole(element, 3, _REQUIRED)
            level = parent[2] + (repetition != _REQUIRED)
            is_list = repetition == _REPEATED
            # A list in a list has no leaf here.
            lists = parent[4] + is_list
            list_level = level if is_list else parent[3]
            name = parent[1] or _text(element, 4)
            children = _whole(element, 5, 0)
            if children:
                open_nodes.append([children, name, level, list_level, lists])
                continue
            leaf = _Leaf(place, _whole(element, 1) if lists < 2 else -1, _whole(element, 2, 0),
                         list_level, level, _unit_of(element))  # fmt: skip
            self._leaves.setdefault(name, []).append(leaf)
            place += 1

    def read(self, name: str) -> ColumnValues:
        """Returns a column. Raises ReadError for one that is not there, or is a struct."""
        leaves = self._leaves.get(name)
        if leaves is None:
            choices = name_choices([quote(each) for each in self.names[:8]])
            raise ReadError(f"there is no column {quote(name)}; there is {choices}")
        leaf = leaves[0]
        if len(leaves) > 1 or leaf.kind < 0 or leaf.kind == INT96:
            raise ReadError(f"the column {quote(name)} has no numbers, texts or lists of these")
        parts = [part for group in self._groups for part in self._read_chunk(group, leaf)]
        return _join(parts, leaf, self.rows)

    def holds_numbers(self, name: str) -> bool:
        """Whether a column has one number in each row."""
        leaf, *others = self._leaves[name]
        is_text = leaf.kind in (TEXT, FIXED)
        return not (others or is_text or leaf.kind in (-1, INT96) or leaf.list_level >= 0)

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise ReadError("its columns are too long to be read")

    def _read_chunk(self, group: Struct, leaf: _Leaf) -> Iterator[tuple[Any, Any, Any]]:
        """Yields the values, levels of definition and of repetition of the pages of a group."""
        meta = _list(group, 1)[leaf.place][3]
        count, codec = _whole(meta, 5), _whole(meta, 4)
        starts = [_whole(meta, field) for field in (9, 11) if meta.get(field)]
        start, length = min(starts), _whole(meta, 7)
        if not 0 <= start <= self._size or not 0 <= length <= self._size - start:
            raise ReadError("the file is damaged: a column is not in it")
        if not 0 <= count <= MOST_VALUES:
            raise ReadError(f"a column has more than {MOST_VALUES:,} numbers")
        self._file.seek(start)
        data = self._file.read(length)
        at, dictionary = 0, None
        while count > 0:
            reader = ThriftReader(data[at : at + _MOST_HEAD])
            head = reader.read_struct()
            at += reader.at
            kind, size, packed = (_whole(head, field) for field in (1, 2, 3))
            if not 0 <= size <= MOST_PAGE or not 0 <= packed <= len(data) - at:
                raise ReadError("the file is damaged: a page is too long")
            self._spend(size + _COST_OF_PAGE)
            body = data[at : at + packed]
            at += packed
            if kind == _DICTIONARY:
                content = unpack_page(body, codec, size, self._unpacker)
                number = _bounded(head[7], 1, MOST_VALUES)
                dictionary = read_values(content, (leaf.kind, leaf.width), PLAIN, number, None)
                if isinstance(dictionary, list):
                    dictionary = list(map(_decode, dictionary))
            elif kind in (_DATA, _DATA2):
                page = _Page(head, body, codec, self._unpacker, count)
                self._spend(page.count * (_COST_OF_VALUE if not leaf.level else _COST_OF_LEVELS))
                values, definitions, repetitions = page.split(leaf, dictionary)
                count -= page.count
                yield values, definitions, repetitions
            elif kind != _INDEX:
                raise ReadError("the file is damaged: a page has no known kind")


class _Page:
    def __init__(
        self, head: Struct, body: bytes, codec: int, unpacker: Unpacker, most: int
    ) -> None:
        self.is_second = _whole(head, 1) == _DATA2
        self.own = head[8 if self.is_second else 5]
        self.count = _bounded(self.own, 1, most)
        size = _whole(head, 2)
        if not self.is_second:
            self.body = unpack_page(body, codec, size, unpacker)
            return
        self.depths = _bounded(self.own, 6, len(body)), _bounded(self.own, 5, len(body))
        levels = sum(self.depths)
        rest = body[levels:]
        if self.own.get(7, True):
            rest = unpack_page(rest, codec, max(size - levels, 0), unpacker) if rest else b""
        self.body = body[:levels] + rest

    def split(self, leaf: _Leaf, dictionary: Any) -> tuple[Any, Any, Any]:
        """Returns values, levels of definition and of repetition; None for levels that are all the
        same."""
        at, levels = 0, []
        most = (1 if leaf.list_level >= 0 else 0, leaf.level)
        for index, highest in enumerate(most):
            if self.is_second:
                length = self.depths[index]
            elif highest:
                if _whole(self.own, 4 - index) != RLE:
                    raise ReadError("its levels are packed bits, which are not read")
                length = int.from_bytes(self.body[at : at + 4], "little")
                at += 4
            else:
                length = 0
            runs = self.body[at : at + length]
            at += length
            levels.append(read_runs(runs, highest.bit_length(), self.count) if highest else None)
        repetitions, definitions = levels
        there = self.count
        if definitions is not None:
            there = int((definitions == leaf.level).sum())
        encoding = _whole(self.own, 4 if self.is_second else 2)
        values = read_values(self.body[at:], (leaf.kind, leaf.width), encoding, there, dictionary)
        return values, definitions, repetitions


def _join(parts: list[tuple[Any, Any, Any]], leaf: _Leaf, rows: int) -> ColumnValues:
    if leaf.kind in (TEXT, FIXED):
        values: Any = [_decode(each) for part in parts for each in part[0]]
    else:
        values = np.concatenate([part[0] for part in parts]) if parts else np.empty(0)
    definitions, repetitions = (
        np.concatenate([part[at] for part in parts]) if parts and parts[0][at] is not None else None
        for at in (1, 2)
    )
    counts = None
    found = len(values) if definitions is None else len(definitions)
    if leaf.list_level >= 0 and repetitions is not None and definitions is not None:
        starts = np.cumsum(repetitions == 0) - 1
        if len(starts) and starts[0] < 0:
            raise ReadError("the file is damaged: its first row has no beginning")
        is_element = definitions >= leaf.list_level
        found = int(starts[-1]) + 1 if len(starts) else 0
        counts = np.bincount(starts[is_element], minlength=found)
        definitions = definitions[is_element]
    if found != rows:
        raise ReadError(f"the file is damaged: a column has {found} rows, not {rows}")
    if definitions is not None and len(definitions) != len(values):
        values = _spread(values, definitions == leaf.level)
    return ColumnValues(values, counts, leaf.unit)


def _decode(text: bytes | str) -> str:
    """Returns a text; a dictionary decodes its texts once for all their places."""
    return text if isinstance(text, str) else text.decode("utf-8", "replace")


def _spread(values: Any, is_there: Any) -> Any:
    """Puts values in their places, with NaN, or no text, between them."""
    if isinstance(values, list):
        each = iter(values)
        return [next(each) if there else "" for there in is_there.tolist()]
    full = np.full(len(is_there), np.nan)
    full[is_there] = values
    return full


def _unit_of(element: Struct) -> str:
    """Returns the unit of moments, of the older or the newer kind."""
    logical = element.get(10)
    if isinstance(logical, dict) and isinstance(logical.get(8), dict):
        unit = logical[8].get(2)
        return next((name for field, name in ((1, "ms"), (2, "us"), (3, "ns"))
                     if isinstance(unit, dict) and field in unit), "")  # fmt: skip
    return _UNITS.get(_whole(element, 6, -1), "")


def _whole(struct_: Struct, field: int, otherwise: int | None = None) -> int:
    value = struct_.get(field, otherwise)
    if not isinstance(value, int):
        raise ReadError("the file is damaged: a number is missing in it")
    return int(value)


def _bounded(struct_: Struct, field: int, most: int) -> int:
    value = _whole(struct_, field)
    if not 0 <= value <= most:
        raise ReadError("the file is damaged: a number in it is too large")
    return value


def _list(struct_: Struct, field: int) -> list[Any]:
    value = struct_.get(field)
    if not isinstance(value, list):
        raise ReadError("the file is damaged: a list is missing in it")
    return value


def _text(struct_: Struct, field: int) -> str:
    value = struct_.get(field)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
