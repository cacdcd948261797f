# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns -> Parquet files: plain, unpacked, a row group for each call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from ..varints import write_varint
from .reading import MAGIC
from .thrift import RawStruct, write_struct

_KINDS = {"int64": (2, None), "float32": (4, None), "float64": (5, None),
          "text": (6, 0), "bytes": (6, None)}  # fmt: skip
"""The types of Parquet, and its converted types."""
_DTYPES = {"int64": "<i8", "float32": "<f4", "float64": "<f8"}
_LIST, _REQUIRED, _OPTIONAL, _REPEATED = 3, 0, 1, 2
_ALL = tuple(range(1, 12))


@dataclass(frozen=True, slots=True)
class ParquetField:
    """A column: of "int64", "float32", "float64" or "text"; in lists `depth` deep, each
    inner list of one value; or with `members` a struct of these."""

    name: str
    kind: str = "float32"
    depth: int = 0
    members: tuple["ParquetField", ...] = ()


class ParquetWriter:
    """Writes groups of rows to a file; `close` ends it. `size` are the bytes so far."""

    def __init__(
        self, file: BinaryIO, fields: Sequence[ParquetField], texts: Mapping[str, str] | None = None
    ) -> None:
        self._file, self._fields = file, tuple(fields)
        self._texts = dict(texts or {})
        self._groups: list[RawStruct] = []
        self._rows = 0
        self.size = file.write(MAGIC)

    def add(self, columns: Mapping[str, Any]) -> None:
        """Writes a group: for each field an array (m,) or (m, n), a list of texts, of lists of
        texts, or of tuples of a struct's members."""
        chunks, start, rows = [], self.size, 0
        for field in self._fields:
            values = columns[field.name]
            rows = len(values)
            if not field.members:
                chunks.append(self._add_leaf(field, [field.name], values, 0))
            for at, member in enumerate(field.members):
                inner = [each[at] for each in values]
                chunks.append(self._add_leaf(member, [field.name, member.name], inner, 1))
        group = {1: chunks, 2: self.size - start, 3: rows}
        self._groups.append(RawStruct(write_struct(group)))
        self._rows += rows

    def _add_leaf(self, field: ParquetField, path: list[str], values: Any, above: int) -> RawStruct:
        lengths = [len(each) for each in values] if field.depth else []
        count = sum(lengths) if field.depth else len(values)
        levels = _one_level(above + 1 + 2 * field.depth, count)
        if field.depth:
            repetitions = np.ones(count, dtype=np.int64)
            repetitions[np.cumsum([0, *lengths[:-1]])] = 0
            levels = _packed_levels(repetitions, field.depth) + levels
        body = levels + _plain(field, values)
        head = {1: 0, 2: len(body), 3: len(body),
                5: RawStruct(write_struct({1: count, 2: 0, 3: 3, 4: 3}, _ALL))}  # fmt: skip
        page = write_struct(head, _ALL) + body
        start = self.size
        self._file.write(page)
        self.size += len(page)
        for _ in range(field.depth):
            path = [*path, "list", "element"]
        meta = {1: _KINDS[field.kind][0], 2: [0, 3], 3: path, 4: 0, 5: count, 6: len(page),
                7: len(page), 9: start}  # fmt: skip
        return RawStruct(write_struct({2: start, 3: RawStruct(write_struct(meta, (1, 4)))}))

    def close(self) -> None:
        """Writes the end of the file."""
        schema = [_element("schema", children=len(self._fields), repetition=None)]
        for field in self._fields:
            schema += _describe(field)
        texts = [{1: key, 2: value} for key, value in self._texts.items()]
        footer = {1: 2, 2: schema, 3: self._rows, 4: self._groups, 5: texts or None,
                  6: "urdf_importer"}  # fmt: skip
        data = write_struct(footer, (1,))
        self._file.write(data + len(data).to_bytes(4, "little") + MAGIC)


def _one_level(level: int, count: int) -> bytes:
    """Returns levels that are all the same: one run, with its length before it."""
    return _with_length(write_varint(count << 1) + bytes([level if count else 0]))


def _packed_levels(levels: Any, highest: int) -> bytes:
    """Returns levels as packed bits, with their length before them."""
    padded = np.zeros(-(-len(levels) // 8) * 8, dtype=np.uint8)
    padded[: len(levels)] = levels
    bits = padded[:, None] >> np.arange(highest.bit_length(), dtype=np.uint8) & 1
    packed = np.packbits(bits, bitorder="little").tobytes()
    return _with_length(write_varint(len(padded) // 8 << 1 | 1) + packed)


def _with_length(data: bytes) -> bytes:
    return len(data).to_bytes(4, "little") + data


def _plain(field: ParquetField, values: Any) -> bytes:
    if field.kind in _DTYPES:
        return np.asarray(values, dtype=_DTYPES[field.kind]).tobytes()
    flat = [text for each in values for text in each] if field.depth else values
    data = [text.encode() if isinstance(text, str) else text for text in flat]
    return b"".join(map(_with_length, data))


def _element(
    name: str,
    *,
    children: int | None = None,
    repetition: int | None = _OPTIONAL,
    kind: str = "",
    is_list: bool = False,
) -> RawStruct:
    number, converted = _KINDS[kind] if kind else (None, _LIST if is_list else None)
    logical: Any = {3: {}} if is_list else {1: {}} if converted == 0 else None
    fields = {1: number, 3: repetition, 4: name, 5: children, 6: converted, 10: logical}
    return RawStruct(write_struct(fields, (1, 3, 5, 6)))


def _describe(field: ParquetField) -> list[RawStruct]:
    if field.members:
        inner = [each for member in field.members for each in _describe(member)]
        return [_element(field.name, children=len(field.members)), *inner]
    found, name = [], field.name
    for _ in range(field.depth):
        found.append(_element(name, children=1, is_list=True))
        found.append(_element("list", children=1, repetition=_REPEATED))
        name = "element"
    return [*found, _element(name, kind=field.kind)]
