# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of one mesh, between a file and Blender, and what is done to its corners everywhere."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..model import Color, Surface

_MINUS_ZERO = np.uint32(0x80000000)
_HASH_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshMaterial:
    """A material that a mesh file brings along.

    `color` is red, green, blue, alpha in 0..1, sRGB, as the file's viewers show it. `texture` is an
    image file that may be read; `image` the bytes of one that lies inside the mesh file. The image
    takes the place of red, green and blue; its alpha counts where `image_alpha` says so. The maps
    of `surface` are paths of files that may be read.
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
    materials   what the file brings along; empty where it has none of its own
    slots       int32 (F,), each face's index into materials; None: all are of the first
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
    """Returns the mesh turned so that what its file calls up is Z."""
    if mesh.up == "Z":
        return mesh
    turn = find_upright(mesh.up)
    normals = None if mesh.normals is None else np.ascontiguousarray(mesh.normals @ turn.T)
    return replace(
        mesh, vertices=np.ascontiguousarray(mesh.vertices @ turn.T), normals=normals, up="Z"
    )


def reverse_corners(sizes: NDArray[np.integer], *, keep_first: bool = False) -> NDArray[np.int64]:
    """Returns int64 (C,), which corner takes the place of each when all faces are turned over.

    `sizes` (F,) are the corners per face. The last corner of a face comes first then, unless
    `keep_first` lets each face begin where it began.
    """
    ends = np.cumsum(sizes, dtype=np.int64)
    count = int(ends[-1]) if len(ends) else 0
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
    order, starts = _group_by_hash(patterns)
    if starts is None:
        order, starts = _group_exactly(patterns)
    is_vertex = np.zeros(len(points), dtype=bool)
    is_vertex[order[starts]] = True
    rank = np.cumsum(is_vertex, dtype=np.int32) - np.int32(1)
    group_sizes = np.diff(np.append(np.flatnonzero(starts), len(order)))
    indices = np.empty(len(points), dtype=np.int32)
    indices[order] = np.repeat(rank[order[starts]], group_sizes)
    return points[is_vertex], indices


def _group_by_hash(
    patterns: NDArray[np.uint32],
) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """The order that brings equal points together, first ones first, and where each group starts.

    One sort of 64-bit numbers, the upper bits a hash and the lower ones the index: a quarter of
    the time of sorting by three keys. None in place of the starts if two different points have
    one hash, which every pair of neighbours is checked for.
    """
    index_bits = max(len(patterns) - 1, 1).bit_length()
    keys = _hash(patterns)
    keys >>= np.uint64(index_bits)
    keys <<= np.uint64(index_bits)
    keys |= np.arange(len(patterns), dtype=np.uint64)
    keys.sort()
    order = (keys & np.uint64((1 << index_bits) - 1)).view(np.int64)
    keys >>= np.uint64(index_bits)
    starts = np.ones(len(patterns), dtype=bool)
    starts[1:] = keys[1:] != keys[:-1]
    del keys
    return order, starts if _groups_are_equal(patterns, order, starts) else None


def _groups_are_equal(
    patterns: NDArray[np.uint32], order: NDArray[np.int64], starts: NDArray[np.bool_]
) -> bool:
    return not np.any(_differs_from_last(patterns, order) & ~starts[1:])


def _group_exactly(
    patterns: NDArray[np.uint32],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    order = np.lexsort(patterns.T)
    starts = np.ones(len(patterns), dtype=bool)
    starts[1:] = _differs_from_last(patterns, order)
    return order, starts


def _differs_from_last(patterns: NDArray[np.uint32], order: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the second, third ... row in `order` differs from the one before it."""
    differs = np.zeros(max(len(order) - 1, 0), dtype=bool)
    for column in patterns.T:
        ordered = np.take(column, order)
        differs |= ordered[1:] != ordered[:-1]
    return differs


def _hash(patterns: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """64 bits per row, the upper ones well mixed."""
    total = np.zeros(len(patterns), dtype=np.uint64)
    for axis, factor in enumerate(_HASH_FACTORS):
        total += patterns[:, axis].astype(np.uint64) * np.uint64(factor)
    return total
