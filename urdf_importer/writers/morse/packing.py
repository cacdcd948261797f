# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes inside a script: each distinct one once, as compressed text.

What is packed are the coordinates of the vertices (float32), the vertices of the triangles (int32)
and, where there are several materials, the slot of each triangle (uint16); all little endian, one
behind the other.
"""

import base64
import hashlib
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry.triangles import Triangles
from ..claims import Claims
from .literals import printable, text
from .smoothing import split_sharp

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
    """`meshes` are those packed so far, by their names in the script."""

    def __init__(self) -> None:
        self.meshes: dict[str, PackedMesh] = {}
        self._names = Claims()
        self._by_content: dict[bytes, str] = {}
        self._by_shape: dict[bytes, str] = {}

    def pack_visual(self, triangles: Triangles, slots: Slots | None, name: str) -> str:
        """The mesh's name in the script; `name` is what it should be. Cut at sharp edges."""
        vertices, faces = split_sharp(triangles)
        packed = self._pack(vertices, faces, slots, name)
        self._by_shape.setdefault(_digest(triangles), packed)
        return packed

    def pack_collision(self, triangles: Triangles, name: str) -> str:
        """The same for a mesh that nobody sees: that of a visual where they are alike."""
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
    """The assignment of the table MESHES."""
    lines = ["MESHES = {"]
    for name, mesh in meshes.items():
        facts = f"{mesh.vertices}, {mesh.triangles}, {mesh.has_slots}"
        lines.append(f"    {text(name)}: ({facts}, '''")
        lines += [mesh.encoded[at : at + _LINE] for at in range(0, len(mesh.encoded), _LINE)]
        lines.append("'''),")
    return "\n".join([*lines, "}", ""])


def make_mesh_name(name: str) -> str:
    """Short and readable; what it is called is of no importance."""
    return printable(name)[:40] or "mesh"


def _digest(triangles: Triangles) -> bytes:
    """Of what collides: the vertices and faces."""
    content = triangles.vertices.tobytes() + b"\0" + triangles.corners.astype("<i4").tobytes()
    return hashlib.sha256(content).digest()
