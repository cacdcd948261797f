# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers and lists of indices of a COLLADA geometry -> points and faces.

Strips and fans become triangles. The `count` of a primitive is ignored: the indices present count.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from ...diagnostics import Report, quote
from ..faces import look_up
from .number_reader import NumberReader, spell_out_odd_numbers

_SEPARATOR = -(2**40)
"""Separates the numbers of several <p>, which are read at one go. No index is negative."""


PrimitiveFaces = tuple[NDArray[np.int64], NDArray[np.int64]]
"""int64 (C, inputs), for each corner, face after face, one index per offset; and (F,) corners per
face."""


def read_faces(
    primitive: Element, width: int, reader: NumberReader, report: Report
) -> PrimitiveFaces | None:
    """Reads the faces of a primitive with `width` indices per corner; None for lines and points.

    Reports `polygon-holes` (they were filled) and `invalid-facets` for faces that lack corners.
    """
    tag = primitive.tag
    if tag not in ("triangles", "polylist", "polygons", "tristrips", "trifans"):
        return None
    rows, lengths, rest = _read_runs(_find_lists(primitive, report), width, reader)
    if rest:
        report("invalid-facets", f"a <{tag}> ends within a corner; the corner was left out")
    if tag == "polygons":
        return _large_enough(rows, lengths, report)
    if tag == "polylist":
        return _read_polylist(primitive, rows, reader, report)
    if tag == "triangles":
        whole = len(rows) // 3 * 3
        if whole < len(rows):
            text = "a <triangles> ends within a triangle; the triangle was left out"
            report("invalid-facets", text)
        return rows[:whole], np.full(whole // 3, 3)
    rows = rows[_corners_of_runs(lengths, is_fan=tag == "trifans")]
    return rows, np.full(len(rows) // 3, 3)


def _find_lists(primitive: Element, report: Report) -> list[Element]:
    lists = primitive.findall("p")
    holed = primitive.findall("ph")
    if holed:
        report("polygon-holes", f"{len(holed)} polygons have holes; the holes were filled")
        found = [each.find("p") for each in holed]
        lists += [Element("p") if each is None else each for each in found]
    return lists


def _read_runs(
    lists: list[Element], width: int, reader: NumberReader
) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """The rows of all lists one after the other, how many each has, whether any has a rest."""
    numbers = reader.read_integers(lists, _SEPARATOR)
    ends = np.append(np.flatnonzero(numbers == _SEPARATOR), len(numbers))
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = (ends - starts) // width
    if len(lengths) == 1:
        used = lengths[0] * width
        return numbers[:used].reshape(-1, width), lengths, bool(used < len(numbers))
    first = np.repeat(starts, lengths) + _count_up(lengths) * width
    rows = numbers[first[:, None] + np.arange(width)]
    return rows, lengths, bool((lengths * width < ends - starts).any())


def _count_up(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, 2 ... for each of the lengths."""
    starts = np.cumsum(lengths) - lengths
    counted: NDArray[np.int64] = np.arange(lengths.sum()) - np.repeat(starts, lengths)
    return counted


def _read_polylist(
    primitive: Element, rows: NDArray[np.int64], reader: NumberReader, report: Report
) -> PrimitiveFaces:
    sizes = np.clip(reader.read_integers(primitive.findall("vcount")), 0, len(rows) + 1)
    ends = np.cumsum(sizes)
    there = int(np.searchsorted(ends, len(rows), side="right"))
    sizes = sizes[:there]
    used = int(sizes.sum())
    if there < len(ends) or used < len(rows):
        report(
            "invalid-facets",
            "a <polylist> has fewer or more corners than it states; whole faces were read",
        )
    return _large_enough(rows[:used], sizes, report)


def _large_enough(
    rows: NDArray[np.int64], sizes: NDArray[np.int64], report: Report
) -> PrimitiveFaces:
    is_face = sizes >= 3
    if not is_face.all():
        lost = int(np.count_nonzero(~is_face))
        message = f"{lost} polygons have fewer than three corners; they were left out"
        report("invalid-facets", message)
        rows, sizes = rows[np.repeat(is_face, sizes)], sizes[is_face]
    return rows, sizes


def _corners_of_runs(lengths: NDArray[np.int64], *, is_fan: bool) -> NDArray[np.int64]:
    """Which row is each corner of the triangles of strips or fans."""
    counts = np.maximum(lengths - 2, 0)
    starts = np.repeat(np.cumsum(lengths) - lengths, counts)
    step = _count_up(counts)
    if is_fan:
        corners = np.column_stack([starts, starts + step + 1, starts + step + 2])
    else:
        # Every second triangle of a strip runs the other way around.
        odd = step & 1
        corners = (starts + step)[:, None] + np.column_stack([0 * odd, 1 + odd, 2 - odd])
    return corners.ravel()


MOST_INPUTS = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GeometryPart:
    """One primitive of a geometry.

    symbol   the geometry's name for its material
    corners  int64 (C,), each the index of a point of the geometry; not checked
    sizes    int64 (F,), corners per face
    normals  float32 (C, 3), of any length, zeros where there is none; None: nowhere
    uvs      the sets by number, each float32 (C, 2)
    """

    symbol: str
    corners: NDArray[np.int64]
    sizes: NDArray[np.int64]
    normals: NDArray[np.float32] | None
    uvs: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """`points` are float32 (P, 3), in the units of the document, not checked."""

    points: NDArray[np.float32]
    parts: tuple[GeometryPart, ...]


class _Input(NamedTuple):
    """`values` are float32 (N, components)."""

    offset: int
    semantic: str
    values: NDArray[np.float32]
    uv_set: str


def read_geometry(element: Element, reader: NumberReader, report: Report) -> Geometry:
    """Reads the points and primitives of a geometry; lines and points are dropped.

    Reports `invalid-geometry` for primitives without readable points, and as `read_faces`.
    """
    name = element.get("name") or element.get("id") or ""
    mesh = element.find("mesh")
    if mesh is None:
        mesh = element.find("convex_mesh")
    if mesh is None:
        report("invalid-geometry", f"geometry {quote(name)} is not a mesh; it was left out")
        return _EMPTY
    sources = _Sources(mesh, reader)
    points = sources.points
    parts = []
    for primitive in mesh:
        inputs, width = sources.inputs_of(primitive)
        faces = read_faces(primitive, width, reader, report)
        if faces is None:
            continue
        place = next((each for each in inputs if each.semantic == "POSITION"), None)
        if points is None or place is None or place.values is not points:
            message = f"a <{primitive.tag}> of geometry {quote(name)} has no points that can be "
            report("invalid-geometry", f"{message}read; it was left out")
            continue
        parts.append(_read_part(primitive, inputs, faces, place.offset))
    return _EMPTY if points is None else Geometry(points, tuple(parts))


def _read_part(
    primitive: Element, inputs: list[_Input], faces: PrimitiveFaces, offset: int
) -> GeometryPart:
    rows, sizes = faces
    normals = None
    uvs: dict[str, NDArray[np.float32]] = {}
    for each in inputs:
        if each.semantic == "NORMAL" and each.values.shape[1] == 3 and normals is None:
            normals = look_up(each.values, rows[:, each.offset])
        elif each.semantic == "TEXCOORD" and each.values.shape[1] >= 2:
            uvs.setdefault(each.uv_set, look_up(each.values[:, :2], rows[:, each.offset]))
    symbol, corners = primitive.get("material", ""), rows[:, offset]
    return GeometryPart(symbol=symbol, corners=corners, sizes=sizes, normals=normals, uvs=uvs)


class _Sources:
    """The sources of one mesh, read when they are first asked for; `points` are its positions."""

    def __init__(self, mesh: Element, reader: NumberReader) -> None:
        self._reader = reader
        self._elements = {each.get("id", ""): each for each in mesh.findall("source")}
        self._values: dict[str, NDArray[np.float32] | None] = {}
        vertices = mesh.find("vertices")
        of_vertices = [] if vertices is None else vertices.findall("input")[:MOST_INPUTS]
        self._of_vertices = [
            (each.get("semantic", ""), each.get("source", "")[1:], each.get("set", "0"))
            for each in of_vertices
        ]
        places = [name for semantic, name, _ in self._of_vertices if semantic == "POSITION"]
        points = self._find(places[0]) if places else None
        self.points = points if points is not None and points.shape[1] == 3 else None

    def inputs_of(self, primitive: Element) -> tuple[list[_Input], int]:
        """The inputs that can be read, and how many indices each corner has."""
        inputs: list[_Input] = []
        width = 1
        for element in primitive.findall("input")[:MOST_INPUTS]:
            text = element.get("offset", "").strip()
            if not (text.isascii() and text.isdigit() and len(text) < 4):
                continue
            offset, semantic = int(text), element.get("semantic", "")
            if offset >= MOST_INPUTS:
                continue
            width = max(width, offset + 1)
            named = [(semantic, element.get("source", "")[1:], element.get("set", "0"))]
            for each, name, uv_set in self._of_vertices if semantic == "VERTEX" else named:
                values = self._find(name)
                if values is not None:
                    inputs.append(_Input(offset, each, values, uv_set))
        return inputs, width

    def _find(self, name: str) -> NDArray[np.float32] | None:
        if name not in self._values:
            element = self._elements.get(name)
            self._values[name] = None if element is None else self._read(element)
        return self._values[name]

    def _read(self, element: Element) -> NDArray[np.float32] | None:
        numbers = element.find("float_array")
        if numbers is None:
            return None
        named = _name_all_numbers(element)
        rows = self._reader.read_finite(element)
        if rows is None:
            rows = self._read_odd(element, numbers)
        return None if rows is None else rows[:, :named]

    def _read_odd(self, element: Element, numbers: Element) -> NDArray[np.float32] | None:
        text = numbers.text or ""
        # pycollada takes NaN for zero, which draws spikes. No number has the letter.
        is_odd = "n" in text or "N" in text
        rows = None if is_odd else self._reader.read(element)
        if rows is None:
            numbers.text = spell_out_odd_numbers(text)
            rows = self._reader.read(element)
            numbers.text = text
        return rows


def _name_all_numbers(source: Element) -> int:
    """How many numbers of each row have a name. Nameless ones get a name: pycollada makes rows of
    as many numbers as there are names, but `stride` decides."""
    accessor = source.find("technique_common/accessor")
    if accessor is None:
        return 0
    named = len(accessor.findall("param"))
    stride = accessor.get("stride", "")
    if stride.isascii() and stride.isdigit() and len(stride) < 4:
        for _ in range(named, min(int(stride), MOST_INPUTS)):
            SubElement(accessor, "param")
    return named


_EMPTY = Geometry(np.zeros((0, 3), dtype=np.float32), ())
