# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes triangles as nodes of a PROTO."""

import numpy as np
from numpy.typing import NDArray

from .....core.geometry.triangles import Triangles
from .....core.meshes.write import plain_numbers, weld_rows, weld_uvs
from ..vrml import Node, Raw, Value

_SMOOTH, _CREASE = 3.14159, 0.5
"""Radians: about the angle below which the importer shades smooth where a mesh has no normals."""


def make_face_set(triangles: Triangles, *, collides: bool = False) -> Node:
    """Makes an IndexedFaceSet. Without normals of its own it gets a crease angle instead; a
    collision shape has neither, nor texture coordinates."""
    points, corners = weld_rows(triangles.vertices[triangles.corners])
    fields: dict[str, Value] = {
        "coord": Node("Coordinate", {"point": _vectors(points)}),
        "coordIndex": _indices(corners),
    }
    if collides:
        return Node("IndexedFaceSet", fields)
    if triangles.normals is not None:
        normals, normal_of = weld_rows(triangles.normals)
        fields["normal"] = Node("Normal", {"vector": _vectors(normals)})
        fields["normalIndex"] = _indices(normal_of)
    else:
        fields["creaseAngle"] = _SMOOTH if triangles.smooth else _CREASE
    if triangles.uvs is not None:
        uvs, uv_of = weld_uvs(triangles.uvs)
        fields["texCoord"] = Node("TextureCoordinate", {"point": _vectors(uvs)})
        fields["texCoordIndex"] = _indices(uv_of)
    return Node("IndexedFaceSet", fields)


def _vectors(rows: NDArray[np.float32]) -> Raw:
    line = " ".join(["%.9g"] * rows.shape[1]) + "\n"
    return Raw("[\n" + line * len(rows) % plain_numbers(rows) + "]")


def _indices(index: NDArray[np.int32]) -> Raw:
    return Raw("[\n" + "%d %d %d -1\n" * (len(index) // 3) % tuple(index.tolist()) + "]")
