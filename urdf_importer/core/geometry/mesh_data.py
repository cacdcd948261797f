# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of one mesh, between a file and Blender, and the operations on its corners that are needed
everywhere."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..model import Color, Surface

_Value = TypeVar("_Value", bound=np.generic)

_MINUS_ZERO = np.uint32(0x80000000)
_HASH_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
_MOST_LOOKS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshMaterial:
    """A material that a mesh file brings along.

    `color` is red, green, blue, alpha in 0..1, sRGB, as the file's viewers show it. `texture` is an
    image file that may be read; `image` holds the bytes of an image embedded in the mesh file. The
    image replaces red, green and blue; its alpha counts if `image_alpha` is set. The maps of
    `surface` are paths of files that may be read.
    """

    name: str = ""
    color: Color = (0.8, 0.8, 0.8, 1.0)
    texture: Path | None = None
    image: bytes = field(default=b"", repr=False)
    image_alpha: bool = False
    surface: Surface | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshData:
    """A polygon mesh. Faces run counter-clockwise seen from outside.

    vertices    float32 (V, 3), metres, in the frame of the shape
    corners     int32 (C,), the vertex of each face corner, face after face
    face_sizes  int32 (F,), corners per face; None: all triangles (C = 3 F)
    normals     float32 (C, 3), per corner, unit length; None where the file has none
    smooth      all faces are shaded smooth (else flat)
    uvs         float32 (C, 2), per corner, origin at the image's lower left; None where there are
                none
    materials   the file's materials; empty where it has none of its own
    slots       int32 (F,), each face's index into materials; None: all faces use the first
    up          the axis that points up, where the file names one other than Z and the arrays do not
                heed it: "X" or "Y"
    """

    vertices: NDArray[np.float32]
    corners: NDArray[np.int32]
    face_sizes: NDArray[np.int32] | None = None
    normals: NDArray[np.float32] | None = None
    smooth: bool = False
    name: str = ""
    uvs: NDArray[np.float32] | None = None
    materials: tuple[MeshMaterial, ...] = ()
    slots: NDArray[np.int32] | None = None
    up: str = "Z"

    @property
    def face_count(self) -> int:
        return len(self.corners) // 3 if self.face_sizes is None else len(self.face_sizes)


_UPRIGHT = {
    "X": np.array([[0, -1, 0], [0, 0, -1], [1, 0, 0]], dtype=np.float32),
    "Y": np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], dtype=np.float32),
    "Z": np.eye(3, dtype=np.float32),
}


def find_upright(up: str) -> NDArray[np.float32]:
    """Returns the rotation (3, 3) after which Z points up, of arrays in which "X", "Y" or "Z" does,
    by COLLADA 1.4's table of `up_axis`: which axes point right, up and towards the viewer."""
    return _UPRIGHT[up]


def turn_upright(mesh: MeshData) -> MeshData:
    """Returns the mesh turned so that the file's up axis becomes Z."""
    if mesh.up == "Z":
        return mesh
    turn = find_upright(mesh.up)
    normals = None if mesh.normals is None else np.ascontiguousarray(mesh.normals @ turn.T)
    return replace(
        mesh, vertices=np.ascontiguousarray(mesh.vertices @ turn.T), normals=normals, up="Z"
    )


def turn_over(values: NDArray[_Value], data: MeshData) -> NDArray[_Value]:
    """Returns values of the corners of a mesh, (C, ...), in their order after all of its faces are
    turned over."""
    if data.face_sizes is not None:
        return values[reverse_corners(data.face_sizes)]
    faces = values.reshape(-1, 3, *values.shape[1:])
    return np.ascontiguousarray(faces[:, ::-1]).reshape(values.shape)


def reverse_corners(sizes: NDArray[np.integer], *, keep_first: bool = False) -> NDArray[np.int64]:
    """Returns int64 (C,), which corner takes the place of each when all faces are turned over.

    `sizes` (F,) are the corners per face. The last corner of a face comes first then, unless
    `keep_first` lets each face begin where it began.
    """
    if (sizes == 3).all():
        backwards = (0, 2, 1) if keep_first else (2, 1, 0)
        return np.arange(3 * len(sizes), dtype=np.int64).reshape(-1, 3)[:, backwards].ravel()
    ends = np.cumsum(sizes, dtype=np.int64)
    count = int(ends[-1])
    order: NDArray[np.int64] = np.repeat(2 * ends - sizes - 1, sizes) - np.arange(count)
    if keep_first:
        starts = np.repeat(ends - sizes, sizes)
        order = starts + (order - starts + 1) % np.repeat(sizes, sizes)
    return order


def weld_points(points: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Merges equal points: float32 (N, 3) -> vertices float32 (V, 3), indices int32 (N,).

    Points are equal when their three numbers are (0.0 equals -0.0; nothing is merged that is only
    near). The vertices come in the order in which they first appear, so neighbours stay together
    in memory. The points must be finite.
    """
    if (points.view(np.uint32) == _MINUS_ZERO).any():
        points = points + np.float32(0.0)
    patterns = points.view(np.uint32)
    first = _find_first_equals(patterns, _hash(patterns))
    numbers = np.arange(len(points), dtype=np.int32)
    vertices = np.flatnonzero(first == numbers)
    rank = np.empty(len(points), dtype=np.int32)
    rank[vertices] = numbers[: len(vertices)]
    return points.take(vertices, axis=0), rank.take(first)


def _find_first_equals(
    patterns: NDArray[np.uint32], hashes: NDArray[np.uint64], looks: int = _MOST_LOOKS
) -> NDArray[np.int32]:
    """The index of the first row equal to each row, int32 (N,).

    Each row looks up which one came first of all with its hash: faster than sorting. Rows that find
    a different row there look again with other hashes, and the rows left in the end are sorted.
    """
    if not looks:
        return _find_by_sorting(patterns)
    first = _find_first_of_hash(hashes)
    # If one of several equal rows finds another row, all of them do.
    wrong = np.flatnonzero((patterns.take(first, axis=0) != patterns).ravel()) // 3
    if len(wrong):
        left = wrong[np.diff(wrong, prepend=-1) > 0]
        others = hashes[left] * np.uint64(_HASH_FACTORS[0])
        first[left] = left[_find_first_equals(patterns[left], others, looks - 1)]
    return first


def _find_first_of_hash(hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
    """The first index with the upper bits of each hash, int32 (N,)."""
    bits = (2 * len(hashes)).bit_length()
    slots = (hashes >> np.uint64(64 - bits)).view(np.int64)
    numbers = np.arange(len(hashes), dtype=np.int32)
    table = np.empty(1 << bits, dtype=np.int32)
    table[slots[::-1]] = numbers[::-1]  # Of several for one slot, the last stays.
    return table.take(slots)


def _find_by_sorting(patterns: NDArray[np.uint32]) -> NDArray[np.int32]:
    order = np.lexsort(patterns.T)
    ordered = patterns[order]
    starts = np.ones(len(order), dtype=bool)
    starts[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = np.empty(len(order), dtype=np.int32)
    first[order] = order[np.flatnonzero(starts)][np.cumsum(starts) - 1]
    return first


def _hash(patterns: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """64 bits per row, the upper ones well mixed."""
    total = np.zeros(len(patterns), dtype=np.uint64)
    for axis, factor in enumerate(_HASH_FACTORS):
        column = patterns[:, axis].astype(np.uint64)
        column *= np.uint64(factor)
        total += column
    return total
