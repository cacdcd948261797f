# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that look right with smooth shading everywhere.

The game engine knows only the normals that it computes from a vertex and its faces, and no angle
beyond which an edge is sharp. So if the normal jumps, the vertex is stored several times. The
price: edges are cut open there.
"""

import base64
import hashlib
import math
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urdf_importer.core.geometry.triangles import Triangles, flat_normals
from urdf_importer.core.names import Claims

from .literals import printable, text

SHARP = math.radians(30.0)
"""Edges of meshes without normals of their own are sharp beyond this angle between their faces."""

_STEPS = 127.0
"""Normals are distinguished in steps of about half a degree."""

Labels = NDArray[np.int64]


def split_sharp(triangles: Triangles) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Returns (vertices (V, 3), faces (T, 3)) of the same triangles in the same order, with copies
    of the vertices where edges are sharp. Copies of a vertex are neighbours."""
    corners = triangles.corners.astype(np.int64)
    if triangles.normals is not None:
        labels = _label_normals(triangles.normals)
    elif triangles.smooth:
        labels = np.zeros(len(corners), dtype=np.int64)
    else:
        labels = _label_fans(triangles)
    order = np.lexsort((labels, corners))
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (np.diff(corners[order]) != 0) | (np.diff(labels[order]) != 0)
    faces = np.empty(len(order), dtype=np.int32)
    faces[order] = np.cumsum(is_first) - 1
    return triangles.vertices[corners[order[is_first]]], faces.reshape(-1, 3)


def _label_normals(normals: NDArray[np.float32]) -> Labels:
    """Numbers each direction."""
    steps = np.round(normals.astype(np.float64) * _STEPS).astype(np.int64) + int(_STEPS)
    labels: Labels = steps @ np.array([1 << 16, 1 << 8, 1])
    return labels


def _label_fans(triangles: Triangles) -> Labels:
    """Numbers each run of faces around a vertex without a sharp edge between them."""
    one, other = _find_smooth_edges(triangles)
    count = len(triangles.corners)
    ahead, beyond = _next_corner(one), _next_corner(other)
    return _find_components(count, np.concatenate([one, ahead]), np.concatenate([beyond, other]))


def _find_smooth_edges(triangles: Triangles) -> tuple[Labels, Labels]:
    """Finds the edges that two faces share, in opposite directions, within the angle: returns the
    corners at which they begin, in the one face and in the other."""
    corners = triangles.corners.astype(np.int64)
    starts = np.arange(len(corners))
    ends = corners[_next_corner(starts)]
    low, high = np.minimum(corners, ends), np.maximum(corners, ends)
    keys = low * len(triangles.vertices) + high
    order = np.argsort(keys, kind="stable")
    is_first = np.ones(len(order) + 1, dtype=bool)
    is_first[1:-1] = np.diff(keys[order]) != 0
    places = np.flatnonzero(is_first)
    pairs = places[:-1][np.diff(places) == 2]
    one, other = order[pairs], order[pairs + 1]
    normals = flat_normals(triangles).astype(np.float64)
    cosines = np.einsum("ij,ij->i", normals[one // 3], normals[other // 3])
    is_smooth = (cosines >= math.cos(SHARP)) & (corners[one] != corners[other])
    return one[is_smooth], other[is_smooth]


def _next_corner(corners: Labels) -> Labels:
    return corners - corners % 3 + (corners + 1) % 3


def _find_components(count: int, one: Labels, other: Labels) -> Labels:
    """Labels each of `count` things, joined in pairs, with the least member of its component."""
    labels = np.arange(count)
    while True:
        least = np.minimum(labels[one], labels[other])
        joined = labels.copy()
        np.minimum.at(joined, one, least)
        np.minimum.at(joined, other, least)
        joined = joined[joined]
        if np.array_equal(joined, labels):
            return labels
        labels = joined


_LINE = 120
_LEVEL = 9

Slots = NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedMesh:
    """`encoded` is base64 of zlib's bytes, without line ends."""

    vertices: int
    triangles: int
    has_slots: bool
    encoded: str


class MeshPacker:
    """`meshes` are the packed ones so far, by their names in the script."""

    def __init__(self) -> None:
        self.meshes: dict[str, PackedMesh] = {}
        self._names = Claims()
        self._by_content: dict[bytes, str] = {}
        self._by_shape: dict[bytes, str] = {}

    def pack_visual(self, triangles: Triangles, slots: Slots | None, name: str) -> str:
        """Packs a mesh, cut at sharp edges, and returns its name in the script; `name` is the
        wanted one."""
        vertices, faces = split_sharp(triangles)
        packed = self._pack(vertices, faces, slots, name)
        self._by_shape.setdefault(_digest(triangles), packed)
        return packed

    def pack_collision(self, triangles: Triangles, name: str) -> str:
        """Packs an invisible mesh and returns its name: a visual's if they are alike."""
        shape = _digest(triangles)
        if shape not in self._by_shape:
            used, corners = np.unique(triangles.corners, return_inverse=True)
            faces = corners.reshape(-1, 3).astype(np.int32)
            self._by_shape[shape] = self._pack(triangles.vertices[used], faces, None, name)
        return self._by_shape[shape]

    def _pack(
        self,
        vertices: NDArray[np.float32],
        faces: NDArray[np.int32],
        slots: Slots | None,
        name: str,
    ) -> str:
        parts = [vertices.astype("<f4").tobytes(), faces.astype("<i4").tobytes()]
        if slots is not None:
            parts.append(slots.astype("<u2").tobytes())
        content = b"".join(parts)
        key = hashlib.sha256(b"%d %d\n" % (len(vertices), len(faces)) + content).digest()
        if key not in self._by_content:
            self._by_content[key] = self._names.claim(name)
            self.meshes[self._by_content[key]] = PackedMesh(
                vertices=len(vertices),
                triangles=len(faces),
                has_slots=slots is not None,
                encoded=base64.b64encode(zlib.compress(content, _LEVEL)).decode("ascii"),
            )
        return self._by_content[key]


def write_meshes(meshes: dict[str, PackedMesh]) -> str:
    """Writes the assignment of the table MESHES."""
    lines = ["MESHES = {"]
    for name, mesh in meshes.items():
        facts = f"{mesh.vertices}, {mesh.triangles}, {mesh.has_slots}"
        lines.append(f"    {text(name)}: ({facts}, '''")
        lines += [mesh.encoded[at : at + _LINE] for at in range(0, len(mesh.encoded), _LINE)]
        lines.append("'''),")
    return "\n".join([*lines, "}", ""])


def make_mesh_name(name: str) -> str:
    """Makes a short, readable name; nothing depends on it."""
    return printable(name)[:40] or "mesh"


def _digest(triangles: Triangles) -> bytes:
    """Hashes the colliding part: the vertices and faces."""
    content = triangles.vertices.tobytes() + b"\0" + triangles.corners.astype("<i4").tobytes()
    return hashlib.sha256(content).digest()
