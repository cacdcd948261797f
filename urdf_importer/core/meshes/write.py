# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes triangles as the bytes of mesh files."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.mesh_data import weld_points
from ..geometry.triangles import Triangles, corner_normals, flat_normals

FACET = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 80


def write_stl(triangles: Triangles) -> bytes:
    """Writes binary STL. Normals of its own and texture coordinates have no place in it."""
    facets = np.zeros(triangles.count, dtype=FACET)
    facets["normal"] = flat_normals(triangles)
    facets["points"] = triangles.vertices[triangles.corners].reshape(-1, 3, 3)
    # No word that a reader could take for the text form.
    head = b"binary STL, metres".ljust(_HEADER, b"\0")
    return head + len(facets).to_bytes(4, "little") + facets.tobytes()


def write_obj(triangles: Triangles) -> bytes:
    """Writes Wavefront OBJ with normals and, where there are some, texture coordinates; no
    materials."""
    text, _ = format_obj(triangles, (0, 0, 0))
    return b"# metres\n" + text.encode("ascii")


Counts = tuple[int, int, int]
"""Of points, normals and texture coordinates."""


def format_obj(triangles: Triangles, above: Counts) -> tuple[str, Counts]:
    """Returns the lines of OBJ of some triangles, below others that have as many numbered lines,
    and how many there are then."""
    points, corners = weld_rows(triangles.vertices[triangles.corners])
    normals, normal_of = weld_rows(corner_normals(triangles))
    lines = [_rows("v", points), _rows("vn", normals)]
    columns, pattern = [corners + above[0], normal_of + above[1]], "%d//%d"
    uvs = np.empty((0, 2), dtype=np.float32)
    if triangles.uvs is not None:
        uvs, uv_of = weld_uvs(triangles.uvs)
        lines.append(_rows("vt", uvs))
        columns, pattern = [columns[0], uv_of + above[2], columns[1]], "%d/%d/%d"
    numbers = (np.stack(columns, axis=1) + 1).ravel().tolist()
    lines.append(f"f {pattern} {pattern} {pattern}\n" * triangles.count % tuple(numbers))
    grown = (above[0] + len(points), above[1] + len(normals), above[2] + len(uvs))
    return "".join(lines), grown


def weld_rows(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Returns each different row (k, 3) once, and for every given row its index."""
    return weld_points(np.ascontiguousarray(rows))


def weld_uvs(uvs: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Returns each different texture coordinate (k, 2) once, and for every given one its index."""
    padded = np.column_stack([uvs, np.zeros(len(uvs), dtype=np.float32)])
    found, index = weld_rows(padded)
    return found[:, :2], index


def _rows(word: str, rows: NDArray[np.float32]) -> str:
    line = word + " %.9g" * int(rows.shape[1]) + "\n"
    return line * len(rows) % plain_numbers(rows)


def plain_numbers(rows: NDArray[np.float32]) -> tuple[float, ...]:
    """Returns the numbers row by row, ready for nine digits, which write any number in single
    precision exactly. There is no minus before zero; NaN and infinity, which the formats cannot
    write, become zero."""
    kept = np.where(np.isfinite(rows), rows, 0.0) + 0.0
    return tuple(kept.ravel().tolist())
