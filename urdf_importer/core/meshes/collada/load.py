# SPDX-License-Identifier: GPL-3.0-or-later
"""COLLADA text -> a tree of elements without namespaces, with dangerous XML refused.

The tree is ElementTree's: expat builds it in C, resolves no external entity, and neither building
nor freeing it recurses. Nothing else of the folder is looked at.
"""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from ...diagnostics import MeshError, Report, one_line, quote
from ...files.regular import ResolveBeside, read_mesh_file, refuse_beside
from ...geometry.mesh_data import MeshData, MeshMaterial
from ..faces import missing_part
from .geometry import Geometry, GeometryPart, read_geometry
from .join import GeometryBlock, join_blocks
from .long_texts import LongNumbers, parse_around
from .material import DocumentMaterial, EffectReader
from .number_reader import NumberReader
from .scene import Binding, PlacedGeometry, place_geometries, read_up_axis

MOST_BYTES = 512 * 1024**2
MOST_TAGS = 4_000_000
"""An element takes some 300 bytes of memory, however short it is in the file."""

_END = b"</COLLADA>"
_BEFORE_XML = b"\xef\xbb\xbf \t\r\n"
"""Blanks, line ends and the mark of UTF-8, in any order; XML begins with none of these."""
_PIECE = 256 * 1024


class _RootFound(Exception):
    """The prolog is over; no entity can be declared any more."""


def read_collada(path: Path, report: Report) -> tuple[Element, LongNumbers]:
    """Reads the element COLLADA of a file, and the long texts of numbers that are not in its tree.
    No tag has a namespace.

    Reports `trailing-junk` where something follows the end, which is then not read. MeshError
    where the file cannot be read, is too large, declares entities or is not a whole document.
    """
    # Assimp, RViz's reader, takes blanks before the declaration, too.
    data = read_mesh_file(path, MOST_BYTES).lstrip(_BEFORE_XML)
    if _count_tags(data) > MOST_TAGS:
        message = f"{quote(path.name)} has more than {MOST_TAGS} tags, the most that is read"
        raise MeshError(message, code="mesh-too-large")
    _refuse_entities(data, path)
    root, numbers = _parse(data, path, report)
    if root.tag != "COLLADA":
        raise MeshError(f"{quote(path.name)} is <{root.tag[:40]}>, not a COLLADA document")
    return root, numbers


def _count_tags(data: bytes) -> int:
    """Piece by piece, since data in a processor's cache is counted in a fourth of the time."""
    characters = np.frombuffer(data, dtype=np.uint8)
    pieces = range(0, len(data), _PIECE)
    return sum(int(np.count_nonzero(characters[at : at + _PIECE] == ord("<"))) for at in pieces)


def _refuse_entities(data: bytes, path: Path) -> None:
    """Entities can be nested into gigabytes; no exporter writes any."""

    def refuse(*_: object) -> None:
        raise MeshError(f"{quote(path.name)} declares XML entities, which are not read")

    def stop(*_: object) -> None:
        raise _RootFound

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = stop
    try:
        for start in range(0, len(data), _PIECE):
            parser.Parse(data[start : start + _PIECE], False)
        parser.Parse(b"", True)  # new versions of expat hold back unfinished data
    except (_RootFound, expat.ExpatError, LookupError, ValueError):
        return  # the parser that reads the whole text reports its faults
    finally:
        # The handlers hold the path and the parser the handlers.
        parser.EntityDeclHandler = parser.StartElementHandler = None


def _parse(data: bytes, path: Path, report: Report) -> tuple[Element, LongNumbers]:
    with contextlib.suppress(ElementTree.ParseError, LookupError, ValueError):
        found = parse_around(data, _parse_text)
        if found is not None:
            return found
    return _parse_whole(data, path, report), {}


def _parse_whole(data: bytes, path: Path, report: Report) -> Element:
    try:
        return _parse_text([data])
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        first = error
    stripped = data.rstrip(b"\0 \t\r\n")
    end = stripped.find(_END) + len(_END)
    whole = stripped[:end] if end >= len(_END) else stripped
    for encoding in (None, "iso-8859-1"):
        try:
            root = _parse_text([whole], encoding)
        except (ElementTree.ParseError, LookupError, ValueError):
            continue
        if len(whole) < len(stripped):
            report(
                "trailing-junk",
                f"{quote(path.name)} has text after its end, which was not read",
            )
        if encoding is not None:
            message = f"{quote(path.name)} is not in its encoding; read as Latin-1"
            report("wrong-encoding", message)
        return root
    raise MeshError(f"{quote(path.name)} is not a whole COLLADA document: {one_line(first)}")


def _parse_text(pieces: Iterable[bytes | memoryview], encoding: str | None = None) -> Element:
    # Entities are refused before; the rule is about them.
    parser = ElementTree.XMLParser(encoding=encoding)  # noqa: S314
    for piece in pieces:
        for start in range(0, len(piece), _PIECE):  # in less time than all at once
            parser.feed(piece[start : start + _PIECE])
    root: Element = parser.close()
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


MOST_PARTS = 20_000
MOST_CORNERS = 50_000_000
"""Points and corners of all instances together."""


def load_collada(
    path: Path, report: Report, resolve: ResolveBeside = refuse_beside, part: str = ""
) -> MeshData:
    """Loads all geometries of a COLLADA document as one mesh, in metres; where `part` is given,
    only geometries with this name, or with nodes of this name. `<up_axis>` is only noted.

    Textures are found by `resolve`. Faces keep their number of corners. The
    normals are the file's; where only some faces have any, the others are flat.

    Reports as `read_collada`, `place_geometries`, `read_geometry`, `EffectReader.find` and
    `join_blocks` do, and `empty-mesh`. Raises MeshError `mesh-too-large`, else as `read_mesh_file`,
    or `unreadable-mesh` where it is not a whole document.
    """
    root, numbers = read_collada(path, report)
    with np.errstate(all="ignore"):  # overflowing values are left out by name
        placed = place_geometries(root, report)
        if part:
            names = [name for each in placed for name in each.names]
            placed = [each for each in placed if part in each.names]
            if not placed:
                raise missing_part(path, part, names)
        materials = EffectReader(root, resolve, report)
        up = read_up_axis(root)
        del root
        table = _MaterialSlots(materials)
        reader = NumberReader(numbers)
        mesh = join_blocks(_read_blocks(placed, table, reader, report), report)
    if not len(mesh.corners):
        report("empty-mesh", f"{quote(path.name)} has no faces")
    slots = mesh.slots if len(table.materials) > 1 else None
    return replace(mesh, name=path.stem, materials=table.materials, slots=slots, up=up)


def _read_blocks(
    placed: list[PlacedGeometry], table: "_MaterialSlots", reader: NumberReader, report: Report
) -> list[GeometryBlock]:
    geometries: dict[Element, Geometry] = {}
    parts_left, corners_left = MOST_PARTS, MOST_CORNERS
    blocks = []
    for each in placed:
        if each.element not in geometries:
            geometries[each.element] = read_geometry(each.element, reader, report)
        geometry = geometries[each.element]
        parts_left -= len(geometry.parts)
        corners_left -= len(geometry.points) + sum(len(part.corners) for part in geometry.parts)
        if parts_left < 0 or corners_left < 0:
            message = f"the scene has over {MOST_PARTS} primitives or {MOST_CORNERS} corners"
            raise MeshError(f"{message}, the most that is read", code="mesh-too-large")
        parts = [(part, *table.find(part, each.bindings)) for part in geometry.parts]
        blocks.append(GeometryBlock(geometry.points, each.world_from_geometry, parts))
    return blocks


class _MaterialSlots:
    """Finds the material of each part, and numbers the materials as they come up."""

    def __init__(self, reader: EffectReader) -> None:
        self._reader = reader
        self._slots: dict[MeshMaterial | None, int] = {}

    @property
    def materials(self) -> tuple[MeshMaterial, ...]:
        """By slot; empty where no part has a material."""
        if set(self._slots) <= {None}:
            return ()
        return tuple(material or MeshMaterial() for material in self._slots)

    def find(
        self, part: GeometryPart, bindings: Mapping[str, Binding]
    ) -> tuple[int, NDArray[np.float32] | None]:
        """Returns the slot and the texture coordinates: the set that the material wants, else the
        first."""
        binding = bindings.get(part.symbol)
        found: DocumentMaterial | None = None
        if binding is not None:
            found = self._reader.find(binding.material)
        elif self._reader.has(part.symbol):
            found = self._reader.find(part.symbol)
        slot = self._slots.setdefault(found.material if found else None, len(self._slots))
        wanted = binding.uv_sets.get(found.uv_name, "") if binding and found else ""
        return slot, part.uvs.get(wanted, next(iter(part.uvs.values()), None))
