# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of an element of a PLY file, column by column."""

import re
import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError, Report, quote
from ..files.regular import read_mesh_file
from ..geometry.mesh_data import MeshData
from .faces import Faces, make_mesh, spread_rows, unreadable
from .numbers import parse_numbers

_LETTERS = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d"}


@dataclass(frozen=True, slots=True)
class Property:
    """`kind` is the numpy type without byte order, `length` the type of a list's length; empty
    where it is not a list."""

    name: str
    kind: str
    length: str = ""

    @property
    def size(self) -> int:
        return int(self.kind[1])


@dataclass(slots=True)
class PlyElement:
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
    data: Bytes, start: int, order: str, element: PlyElement
) -> tuple[dict[str, Column], int, bool]:
    """Reads the columns by name, where the rows end, and whether the data end before all rows are
    there.

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
            # Written this way round, a NaN is left out.
            if not 0 <= number <= len(data):
                return None
            count, place = int(number), values
        places.append((place, count))
        place += count * each.size
        if place > len(data):
            return None
    return places


def _take_alike(
    data: Bytes, start: int, order: str, element: PlyElement, counts: list[int]
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
        sizes = np.broadcast_to(np.int64(count), there)
        columns[each.name] = Column(sizes, rows[f"values{index}"].reshape(-1))
    return columns, start + there * row.itemsize, there < element.count


def _take_each(
    data: Bytes, start: int, order: str, element: PlyElement
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
    data: Bytes, order: str, each: Property, places: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Column:
    total = int(sizes.sum())
    within = np.arange(total) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    first = np.repeat(places, sizes) + within * each.size
    raw = np.frombuffer(data, dtype=np.uint8)[first[:, np.newaxis] + np.arange(each.size)]
    return Column(sizes, raw.reshape(-1).view(order + each.kind))


MOST_BYTES = 1024**3
MOST_HEADER = 64 * 1024
MOST_PROPERTIES = 1000
_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2",
    "ushort": "u2", "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_FACE_LISTS = ("vertex_indices", "vertex_index")
_UV_NAMES = (("u", "v"), ("s", "t"), ("texture_u", "texture_v"))
_END = re.compile(rb"(?:^|\n|\r)end_header[ \t]*(?:\r\n|\n|\r)")

Columns = dict[str, NDArray[np.generic]]


def load_ply(path: Path, report: Report) -> MeshData:
    """Loads the faces of a PLY file. Reports `truncated-mesh` (the present part was read) and
    `invalid-facets`. Raises MeshError `empty-mesh` without faces, such as a cloud of points,
    `unreadable-mesh`, and the errors of `read_mesh_file`."""
    return make_mesh(_read_faces(path, report), path, report)


def _read_faces(path: Path, report: Report) -> Faces:
    content = read_mesh_file(path, MOST_BYTES)
    order, elements, start = _read_header(content, path)
    data: Bytes = content
    if order == "":
        data = _numbers_of_text(content[start:], path)
        del content
        start, order = 0, "<"
        elements = [_as_text(element) for element in elements]
    vertices: Columns = {}
    faces: dict[str, Column] = {}
    for element in elements:
        columns, start, is_cut = read_rows(data, start, order, element)
        if is_cut:
            there = f"{quote(path.name)} ends within its {quote(element.name)} elements"
            report("truncated-mesh", f"{there}; the present part was read")
        if element.name == "vertex":
            vertices = {name: found.values for name, found in columns.items()}
        elif element.name == "face":
            faces = columns
        if vertices and faces:
            break
    return _gather_faces(vertices, faces, path)


def _gather_faces(vertices: Columns, faces: dict[str, Column], path: Path) -> Faces:
    polygons = next((faces[name] for name in _FACE_LISTS if name in faces), None)
    points = _take(vertices, ("x", "y", "z"))
    if polygons is None or points is None:
        raise MeshError(f"{quote(path.name)} has no faces", code="empty-mesh")
    corners = _as_indices(polygons.values)
    normals = _take(vertices, ("nx", "ny", "nz"))
    found = (uv for uv in (_take(vertices, names) for names in _UV_NAMES) if uv is not None)
    uvs = next(found, None)
    normals, uvs = spread_rows(normals, corners), spread_rows(uvs, corners)
    sizes = polygons.sizes
    made = Faces(vertices=points, corners=corners, sizes=sizes, normals=normals, uvs=uvs)
    return made.keep(sizes > 0)


def _as_indices(values: NDArray[np.generic]) -> NDArray[np.integer]:
    """Whole numbers in 32 bits: values that do not fit become negative, which no index is."""
    if values.dtype.kind in "iu":
        return values.astype(np.int32)
    with np.errstate(invalid="ignore"):
        return values.astype(np.int64)


def _take(vertices: Columns, names: tuple[str, ...]) -> NDArray[np.floating] | None:
    """In single precision where the file is."""
    if not all(name in vertices for name in names):
        return None
    is_single = all(vertices[name].dtype.str[1:] == "f4" for name in names)
    kind = np.float32 if is_single else np.float64
    rows = np.empty((len(vertices[names[0]]), len(names)), dtype=kind)
    with np.errstate(invalid="ignore", over="ignore"):
        for place, name in enumerate(names):
            rows[:, place] = vertices[name]
    return rows


def _read_header(data: bytes, path: Path) -> tuple[str, list[PlyElement], int]:
    """The byte order ("" for text), the elements in order and where they begin."""
    end = _END.search(data[:MOST_HEADER])
    if not data.startswith(b"ply") or end is None:
        raise unreadable(path, "has no PLY header")
    order: str | None = None
    elements: list[PlyElement] = []
    for line in data[: end.start()].decode("latin-1").splitlines()[1:]:
        match line.split():
            case ["format", name, *_]:
                order = _ORDERS.get(name)
            case ["element", name, count] if count.isascii() and count.isdigit():
                elements.append(PlyElement(name, int(count[:12])))
            case ["property", "list", length, kind, name] if {length, kind} <= _TYPES.keys():
                _append_property(elements, Property(name, _TYPES[kind], _TYPES[length]), path)
            case ["property", kind, name] if kind in _TYPES:
                _append_property(elements, Property(name, _TYPES[kind]), path)
            case [] | ["comment" | "obj_info", *_]:
                pass
            case _:
                raise unreadable(path, f"has a header line that means nothing: {quote(line)}")
    if order is None:
        raise unreadable(path, "has an unknown PLY format")
    return order, elements, end.end()


def _append_property(elements: list[PlyElement], found: Property, path: Path) -> None:
    if not elements:
        raise unreadable(path, "has a property before the first element")
    properties = elements[-1].properties
    if len(properties) == MOST_PROPERTIES or any(each.name == found.name for each in properties):
        raise unreadable(path, f"has the property {quote(found.name)} twice, or too many")
    properties.append(found)


def _numbers_of_text(text: bytes, path: Path) -> Bytes:
    """All numbers as doubles."""
    numbers = parse_numbers(text, np.float64)
    if numbers is None:
        raise unreadable(path, "has something other than numbers among its numbers")
    return memoryview(numbers.astype("<f8", copy=False)).cast("B")


def _as_text(element: PlyElement) -> PlyElement:
    doubles = [Property(each.name, "f8", each.length and "f8") for each in element.properties]
    return PlyElement(element.name, element.count, doubles)
