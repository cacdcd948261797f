# SPDX-License-Identifier: GPL-3.0-or-later
"""STL, binary and text.

The library numpy-stl says how a binary file is laid out. Its own readers are not used: they take a
binary file whose header begins with "solid" for text, fail on decimal commas and cut-off facets,
and loop over the lines of a text in Python.

A file is binary when its size fits the number of facets it declares, whatever its header says;
no text can declare so few. The files' own normals are not read: they are often zero or wrong, and
the order of the vertices says the same.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError, Report, quote
from .mesh_data import MeshData
from .mesh_file import HEAD_BYTES, read_mesh_file
from .stl_text import read_text_facets
from .weld import weld_points

MOST_BYTES = 1024**3
MOST_TEXT_BYTES = 200 * 1024**2
LARGEST_COORDINATE = 1e9
_HEADER = 80
_START = 84
_FACET = 50


def load_stl(path: Path, report: Report) -> MeshData:
    """The facets of an STL file as triangles with shared vertices, flat shaded, in its own units.

    Reports `truncated-mesh` (the facets that are there were read), `empty-mesh`,
    `decimal-commas` and `invalid-facets` (left out: not three vertices, or numbers that are none,
    not finite or beyond 1e9). Facets with two equal vertices have no surface and are left out.
    MeshError if there is nothing to read, with the codes of `read_mesh_file`,
    `missing-library` without numpy-stl and else `unreadable-mesh`.
    """
    data = read_mesh_file(path, MOST_BYTES)
    if _is_binary(data):
        points = _read_binary_facets(data, _declared_facets(data), report)
    elif is_text_stl(data):
        if len(data) > MOST_TEXT_BYTES:
            most = MOST_TEXT_BYTES // 1024**2
            message = f"{quote(path.name)} is text of over {most} MB, the most that is read"
            raise MeshError(message, code="mesh-too-large")
        points = read_text_facets(data, report)
    else:
        points = _read_cut_off_facets(data, path, report)
    del data  # A file's bytes and its arrays need not fit into memory together.
    return _build_mesh(_drop_invalid(points, report), path, report)


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
        raise MeshError(f"{quote(path.name)} {what}", code="unreadable-mesh")
    there = (len(data) - _START) // _FACET
    report(
        "truncated-mesh",
        f"{quote(path.name)} declares {_declared_facets(data)} facets and ends after {there}; "
        "these were read",
    )
    return _read_binary_facets(data, there, report)


def _read_binary_facets(data: bytes, count: int, report: Report) -> NDArray[np.float32]:
    """float32 (count, 3, 3). The two bytes after each facet, some programs' colours, are left."""
    try:
        from stl.base import BaseMesh
    except ImportError:
        raise MeshError(
            "binary STL files need the Python library numpy-stl; install it with "
            "'pip install numpy-stl'",
            code="missing-library",
        ) from None
    facets = np.frombuffer(data, dtype=BaseMesh.dtype, count=count, offset=_START)
    with np.errstate(invalid="ignore"):  # of signalling NaNs; they are found later
        points: NDArray[np.float32] = facets["vectors"] + np.float32(0.0)  # without -0.0
    return points


def _drop_invalid(points: NDArray[np.float32], report: Report) -> NDArray[np.float32]:
    """Not finite, or so large that areas overflow single precision."""
    # Written this way round, a NaN is not within.
    if not len(points) or -LARGEST_COORDINATE <= points.min() <= points.max() <= LARGEST_COORDINATE:
        return points
    is_valid = (np.abs(points) <= LARGEST_COORDINATE).all(axis=(1, 2))
    lost = len(points) - np.count_nonzero(is_valid)
    report(
        "invalid-facets",
        f"{lost} of {len(points)} facets have coordinates that are no numbers or too large; "
        "they were left out",
    )
    return points[is_valid]


def _build_mesh(points: NDArray[np.float32], path: Path, report: Report) -> MeshData:
    vertices, corners = weld_points(points.reshape(-1, 3))
    a, b, c = corners.reshape(-1, 3).T
    has_surface = (a != b) & (b != c) & (c != a)
    if not has_surface.all():
        vertices, corners = _drop_unused(vertices, corners.reshape(-1, 3)[has_surface].ravel())
    if not len(corners):
        report("empty-mesh", f"{quote(path.name)} has no facets")
    return MeshData(vertices=vertices, corners=corners, name=path.stem)


def _drop_unused(
    vertices: NDArray[np.float32], corners: NDArray[np.int32]
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    is_used = np.zeros(len(vertices), dtype=bool)
    is_used[corners] = True
    rank = np.cumsum(is_used, dtype=np.int32) - np.int32(1)
    return vertices[is_used], rank[corners]
