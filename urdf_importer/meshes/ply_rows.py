# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of an element of a PLY file, column by column."""

import struct
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_LETTERS = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d"}


@dataclass(frozen=True, slots=True)
class Property:
    """`kind` is the numpy type without byte order, `length` that of a list's length; empty where
    it is no list."""

    name: str
    kind: str
    length: str = ""

    @property
    def size(self) -> int:
        return int(self.kind[1])


@dataclass(slots=True)
class Element:
    name: str
    count: int
    properties: list[Property] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Column:
    """One property of all rows: how many values each row has, and all of them."""

    sizes: NDArray[np.int64]
    values: NDArray[np.generic]


Bytes = bytes | memoryview

# Where the values of each property of one row begin and how many there are.
_Places = list[tuple[int, int]]


def read_rows(
    data: Bytes, start: int, order: str, element: Element
) -> tuple[dict[str, Column], int, bool]:
    """The columns by name, where the rows end, and whether the data end before all rows are there.

    Rows that are all as long as the first are taken at once; else a loop finds where each begins,
    at the price of about a microsecond per row.
    """
    if not element.count or not element.properties:
        return {}, start, False
    first = _find_places(data, start, order, element.properties)
    if first is None:
        return {}, start, True
    alike = _take_alike(data, start, order, element, [count for _, count in first])
    return alike if alike is not None else _take_each(data, start, order, element)


def _find_places(data: Bytes, place: int, order: str, properties: list[Property]) -> _Places | None:
    """Of the row that begins here; None where the data end before it does."""
    places = []
    for each in properties:
        count = 1
        if each.length:
            values = place + int(each.length[1])
            if values > len(data):
                return None
            number = struct.unpack_from(order + _LETTERS[each.length], data, place)[0]
            # Written this way round, a NaN is none.
            if not 0 <= number <= len(data):
                return None
            count, place = int(number), values
        places.append((place, count))
        place += count * each.size
        if place > len(data):
            return None
    return places


def _take_alike(
    data: Bytes, start: int, order: str, element: Element, counts: list[int]
) -> tuple[dict[str, Column], int, bool] | None:
    """None where the rows differ in length."""
    fields: list[tuple[str, str, tuple[int, ...]]] = []
    for index, (each, count) in enumerate(zip(element.properties, counts, strict=True)):
        if each.length:
            fields.append((f"length{index}", order + each.length, ()))
        fields.append((f"values{index}", order + each.kind, (count,)))
    row = np.dtype(fields)
    there = min(element.count, (len(data) - start) // row.itemsize)
    rows = np.frombuffer(data, row, there, start)
    columns = {}
    for index, (each, count) in enumerate(zip(element.properties, counts, strict=True)):
        if each.length and (there < element.count or (rows[f"length{index}"] != count).any()):
            return None
        sizes = np.full(there, count, dtype=np.int64)
        columns[each.name] = Column(sizes, rows[f"values{index}"].reshape(-1))
    return columns, start + there * row.itemsize, there < element.count


def _take_each(
    data: Bytes, start: int, order: str, element: Element
) -> tuple[dict[str, Column], int, bool]:
    found: list[_Places] = []
    for _ in range(element.count):
        places = _find_places(data, start, order, element.properties)
        if places is None:
            break
        found.append(places)
        start = places[-1][0] + places[-1][1] * element.properties[-1].size
    shape = (len(found), len(element.properties), 2)
    table = np.array(found, dtype=np.int64).reshape(shape)
    columns = {
        each.name: _gather(data, order, each, table[:, index, 0], table[:, index, 1])
        for index, each in enumerate(element.properties)
    }
    return columns, start, len(found) < element.count


def _gather(
    data: Bytes,
    order: str,
    each: Property,
    places: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> Column:
    total = int(sizes.sum())
    within = np.arange(total) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    first = np.repeat(places, sizes) + within * each.size
    raw = np.frombuffer(data, dtype=np.uint8)[first[:, np.newaxis] + np.arange(each.size)]
    return Column(sizes, raw.reshape(-1).view(order + each.kind))
