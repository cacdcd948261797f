# SPDX-License-Identifier: GPL-3.0-or-later
"""The text form of STL: solid, facet, outer loop, vertex x y z.

Only the lines with a vertex matter, and the word loop, which tells one facet from the next. Files
are read in pieces of whole facets, so memory stays within a few times the size of a piece.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError, Report, quote
from ..files.regular import HEAD_BYTES, read_mesh_file
from ..geometry.mesh_data import MeshData, weld_points
from .faces import LARGEST_COORDINATE, are_in_bounds, drop_unused_vertices, unreadable
from .numbers import parse_numbers

PIECE = 8 * 1024**2
_SOLID_NAME = re.compile(rb"solid[^\r\n]*", re.IGNORECASE)
_BLANK = np.uint8(ord(" "))


def read_text_facets(data: bytes, report: Report) -> NDArray[np.float32]:
    """Reads all facets of all solids, float32 (T, 3, 3); NaN where a number cannot be read.

    Reports `decimal-commas`, and `invalid-facets` for loops without exactly three vertices.
    """
    data = _replace_commas(data, report)
    pieces = [_read_piece(piece) for piece in _split(data)]
    lost = sum(other for _, other in pieces)
    if lost:
        message = f"{lost} facets do not have exactly three vertices; they were left out"
        report("invalid-facets", message)
    return np.concatenate([facets for facets, _ in pieces])


def _replace_commas(data: bytes, report: Report) -> bytes:
    """Commas are points where no number has a point and none ends in a comma; else blanks."""
    numbers = _SOLID_NAME.sub(b"", data) if b"," in data else b""
    if b"," not in numbers:
        return data
    if b"." in numbers or b", " in numbers:
        return data.replace(b",", b" ")
    report("decimal-commas", "the numbers have decimal commas; they were read as points")
    return data.replace(b",", b".")


def _split(data: bytes) -> Iterator[bytes]:
    """Pieces that end after a facet, in lower case, without the names of solids."""
    start = 0
    while start < len(data):
        piece = _cut_piece(data, start)
        yield _SOLID_NAME.sub(b"", piece)
        start += len(piece)


def _cut_piece(data: bytes, start: int) -> bytes:
    size = PIECE
    while start + size < len(data):
        piece = data[start : start + size].lower()
        end = piece.rfind(b"endfacet")
        if end >= 0:
            return piece[: end + len(b"endfacet")]
        size *= 2
    return data[start:].lower()


def _read_piece(text: bytes) -> tuple[NDArray[np.float32], int]:
    """The facets and how many were left out for not having three vertices."""
    characters = np.frombuffer(text, dtype=np.uint8)
    starts = _find_word(characters, b"vertex") + len(b"vertex")
    loops = _find_word(characters, b"loop")
    numbers = _read_numbers(characters, starts)
    facet = np.searchsorted(loops, starts)
    first = np.flatnonzero(np.diff(facet, prepend=-1))
    sizes = np.diff(np.append(first, len(facet)))
    is_triangle = sizes == 3
    if not is_triangle.all():
        numbers = numbers[np.repeat(is_triangle, sizes)]
    return numbers.reshape(-1, 3, 3), int(np.count_nonzero(~is_triangle))


def _find_word(characters: NDArray[np.uint8], word: bytes) -> NDArray[np.intp]:
    """Where the word begins."""
    most = max(len(characters) - len(word) + 1, 0)
    places = np.flatnonzero(characters[:most] == word[0])
    for offset, letter in enumerate(word[1:], start=1):
        places = places[characters[places + offset] == letter]
    return places


def _read_numbers(characters: NDArray[np.uint8], starts: NDArray[np.intp]) -> NDArray[np.float32]:
    """Three numbers from each start to the end of its line, float32 (N, 3)."""
    is_end = (characters == ord("\n")) | (characters == ord("\r"))
    line_ends = np.append(np.flatnonzero(is_end), len(characters))
    ends = line_ends[np.searchsorted(line_ends, starts)]
    change = np.zeros(len(characters) + 1, dtype=np.int8)
    change[starts] += 1
    change[ends] -= 1
    is_number = np.cumsum(change[:-1], dtype=np.int8) > 0
    text = np.where(is_number, characters, _BLANK)
    has_three = _has_three_words(text, starts, ends)
    numbers = parse_numbers(text.tobytes(), np.float32) if has_three else None
    if numbers is not None and len(numbers) == 3 * len(starts):
        return numbers.reshape(-1, 3)
    lines = (bytes(characters[start:end]) for start, end in zip(starts, ends, strict=True))
    with np.errstate(over="ignore"):  # infinite values are left out by name later
        return np.array([_read_line(line) for line in lines], dtype=np.float32).reshape(-1, 3)


def _has_three_words(
    text: NDArray[np.uint8], starts: NDArray[np.intp], ends: NDArray[np.intp]
) -> bool:
    """Whether there are three words from each start to its end and no others."""
    is_blank = text <= _BLANK
    words = np.flatnonzero(is_blank[:-1] & ~is_blank[1:]) + 1
    if len(words) != 3 * len(starts):
        return False
    return bool((words[0::3] >= starts).all() and (words[2::3] < ends).all())


def _read_line(line: bytes) -> tuple[float, float, float]:
    """Slow, and only for pieces that have something odd in them somewhere."""
    words = line.split()[:3]
    try:
        x, y, z = (float(word.replace(b"_", b"?")) for word in words)
    except ValueError:
        return (np.nan, np.nan, np.nan)
    return (x, y, z)


MOST_BYTES = 1024**3
MOST_TEXT_BYTES = 200 * 1024**2
_HEADER = 80
_START = 84
_FACET = 50
_OWN_FACET = np.dtype([("normals", "<f4", (3,)), ("vectors", "<f4", (3, 3)), ("attr", "<u2", (1,))])


def load_stl(path: Path, report: Report) -> MeshData:
    """Loads the facets of an STL file as triangles with shared vertices, flat shaded, in its own
    units.

    Reports `truncated-mesh` (the facets that are there were read), `empty-mesh`,
    `decimal-commas` and `invalid-facets` (left out: not three vertices, or numbers that are nan,
    not finite or beyond 1e9). Facets with two equal vertices have no surface and are left out.
    MeshError if there is nothing to read, with the codes of `read_mesh_file` and else
    `unreadable-mesh`.
    """
    data = read_mesh_file(path, MOST_BYTES)
    if _is_binary(data):
        points = _read_binary_facets(data, _declared_facets(data))
    elif is_text_stl(data):
        if len(data) > MOST_TEXT_BYTES:
            most = MOST_TEXT_BYTES // 1024**2
            message = f"{quote(path.name)} is text of over {most} MB, the most that is read"
            raise MeshError(message, code="mesh-too-large")
        points = read_text_facets(data, report)
    else:
        points = _read_cut_off_facets(data, path, report)
    del data  # A file's bytes and its arrays may be too large for memory together.
    return _build_mesh(points, path, report)


def is_binary_stl(head: bytes, size: int) -> bool:
    """Whether a file of `size` bytes that begins so can hardly be anything but a binary STL."""
    return len(head) >= _START and _START + _FACET * _declared_facets(head) == size


def is_text_stl(head: bytes) -> bool:
    """Whether a file that begins so reads like the text form.

    A binary file may begin with "solid" too, but has a NUL in its first facets.
    """
    sample = head[:HEAD_BYTES].lower()
    begins = sample.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"solid", b"facet"))
    return begins and b"\0" not in sample and (b"facet" in sample or b"endsolid" in sample)


def _is_binary(data: bytes) -> bool:
    """Whether the declared facets fit into the file. Bytes after the last one do no harm."""
    return len(data) >= _START and _START + _FACET * _declared_facets(data) <= len(data)


def _declared_facets(data: bytes) -> int:
    return int.from_bytes(data[_HEADER:_START], "little")


def _read_cut_off_facets(data: bytes, path: Path, report: Report) -> NDArray[np.float32]:
    if len(data) < _START + _FACET:
        what = "is empty" if not data else f"ends after {len(data)} bytes, before the first facet"
        raise unreadable(path, what)
    there = (len(data) - _START) // _FACET
    declared = f"{quote(path.name)} declares {_declared_facets(data)} facets"
    report("truncated-mesh", f"{declared} and ends after {there}; these were read")
    return _read_binary_facets(data, there)


def _read_binary_facets(data: bytes, count: int) -> NDArray[np.float32]:
    """Returns float32 (count, 3, 3), without the two bytes after each facet, some programs'
    colours."""
    facets = np.frombuffer(data, dtype=_find_facet_type(), count=count, offset=_START)
    with np.errstate(invalid="ignore"):  # of signalling NaNs; they are found later
        points: NDArray[np.float32] = facets["vectors"] + np.float32(0.0)  # without -0.0
    # numpy-stl's type says its byte order, by which Blender knows no floats: it takes them one by
    # one then, a hundred times slower.
    return points.view(np.float32)


def _find_facet_type() -> np.dtype[np.void]:
    """Returns numpy-stl's type of a facet, or its like where numpy-stl is not installed."""
    try:
        from stl.base import BaseMesh
    except ImportError:
        return _OWN_FACET
    found: np.dtype[np.void] = BaseMesh.dtype
    return found


def _drop_invalid(points: NDArray[np.float32], report: Report) -> NDArray[np.float32]:
    is_valid = (np.abs(points) <= LARGEST_COORDINATE).all(axis=(1, 2))
    lost = len(points) - np.count_nonzero(is_valid)
    what = f"{lost} of {len(points)} facets have coordinates that are not numbers or too large"
    report("invalid-facets", f"{what}; they were left out")
    return points[is_valid]


def _build_mesh(points: NDArray[np.float32], path: Path, report: Report) -> MeshData:
    vertices, corners = weld_points(points.reshape(-1, 3))
    if not are_in_bounds(vertices):  # A sixth of the points.
        points = _drop_invalid(points, report)
        vertices, corners = weld_points(points.reshape(-1, 3))
    a, b, c = corners.reshape(-1, 3).T
    has_surface = (a != b) & (b != c) & (c != a)
    if not has_surface.all():
        kept = corners.reshape(-1, 3)[has_surface].ravel()
        vertices, corners = drop_unused_vertices(vertices, kept)
    if not len(corners):
        report("empty-mesh", f"{quote(path.name)} has no facets")
    return MeshData(vertices=vertices, corners=corners, name=path.stem)
