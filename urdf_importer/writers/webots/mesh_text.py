# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles as the bytes of mesh files, and as nodes."""

import numpy as np
from numpy.typing import NDArray

from ...meshes.weld import weld_points
from ..triangles import Triangles, corner_normals, flat_normals
from .vrml import Node, Raw, Value

_FACET = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 80
_SMOOTH, _CREASE = 3.14159, 0.5
"""Radians: about what the importer shades smooth where a mesh has no normals."""


def write_stl(triangles: Triangles) -> bytes:
    """Binary STL. Normals of its own and texture coordinates have no place in it."""
    facets = np.zeros(triangles.count, dtype=_FACET)
    facets["normal"] = flat_normals(triangles)
    facets["points"] = triangles.vertices[triangles.corners].reshape(-1, 3, 3)
    # No word that a reader could take for the text form.
    head = b"binary STL, metres".ljust(_HEADER, b"\0")
    return head + len(facets).to_bytes(4, "little") + facets.tobytes()


def write_obj(triangles: Triangles) -> bytes:
    """Wavefront OBJ with normals and, where there are some, texture coordinates; no materials."""
    points, corners = _indexed(triangles.vertices[triangles.corners])
    normals, normal_of = _indexed(corner_normals(triangles))
    lines = ["# metres\n", _rows("v", points), _rows("vn", normals)]
    columns = [corners, normal_of]
    pattern = "%d//%d"
    if triangles.uvs is not None:
        uvs, uv_of = _indexed_uvs(triangles.uvs)
        lines.append(_rows("vt", uvs))
        columns, pattern = [corners, uv_of, normal_of], "%d/%d/%d"
    numbers = (np.stack(columns, axis=1) + 1).ravel().tolist()
    lines.append(f"f {pattern} {pattern} {pattern}\n" * triangles.count % tuple(numbers))
    return "".join(lines).encode("ascii")


def make_face_set(triangles: Triangles, *, collides: bool = False) -> Node:
    """An IndexedFaceSet. Without normals of its own it has a crease angle in their place; one that
    collides has neither, nor texture coordinates."""
    points, corners = _indexed(triangles.vertices[triangles.corners])
    fields: dict[str, Value] = {
        "coord": Node("Coordinate", {"point": _vectors(points)}),
        "coordIndex": _indices(corners),
    }
    if collides:
        return Node("IndexedFaceSet", fields)
    if triangles.normals is not None:
        normals, normal_of = _indexed(triangles.normals)
        fields["normal"] = Node("Normal", {"vector": _vectors(normals)})
        fields["normalIndex"] = _indices(normal_of)
    else:
        fields["creaseAngle"] = _SMOOTH if triangles.smooth else _CREASE
    if triangles.uvs is not None:
        uvs, uv_of = _indexed_uvs(triangles.uvs)
        fields["texCoord"] = Node("TextureCoordinate", {"point": _vectors(uvs)})
        fields["texCoordIndex"] = _indices(uv_of)
    return Node("IndexedFaceSet", fields)


def _indexed(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    return weld_points(np.ascontiguousarray(rows))


def _indexed_uvs(uvs: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    padded = np.column_stack([uvs, np.zeros(len(uvs), dtype=np.float32)])
    found, index = _indexed(padded)
    return found[:, :2], index


def _rows(word: str, rows: NDArray[np.float32]) -> str:
    line = word + " %.9g" * int(rows.shape[1]) + "\n"
    return line * len(rows) % _numbers(rows)


def _vectors(rows: NDArray[np.float32]) -> Raw:
    line = " ".join(["%.9g"] * rows.shape[1]) + "\n"
    return Raw("[\n" + line * len(rows) % _numbers(rows) + "]")


def _numbers(rows: NDArray[np.float32]) -> tuple[float, ...]:
    """For nine digits, which say any single precision number exactly: no minus before zero, and
    zero for what is no number, which neither format can say."""
    kept = np.where(np.isfinite(rows), rows, 0.0) + 0.0
    return tuple(kept.ravel().tolist())


def _indices(index: NDArray[np.int32]) -> Raw:
    return Raw("[\n" + "%d %d %d -1\n" * (len(index) // 3) % tuple(index.tolist()) + "]")
