# SPDX-License-Identifier: GPL-3.0-or-later
"""Placed primitives -> one mesh with shared vertices and clean faces."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...diagnostics import Report
from ...geometry.mesh_data import MeshData, reverse_corners, weld_points
from .geometry import GeometryPart
from .scene import Matrix

LARGEST_COORDINATE = 1e9
_PIECE = 32 * 1024
"""Rows of three numbers that fit into a processor's cache."""
_SHORTEST_NORMAL, _LONGEST_NORMAL = 1e-15, 1e15
"""The squares of others leave single precision."""


@dataclass(frozen=True, slots=True, eq=False)
class BlockSurface:
    """The index of the material that the faces of a part have, and their texture coordinates,
    float32 (C, 2), or None."""

    slot: int
    uvs: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True, eq=False)
class GeometryBlock:
    """A geometry in its place."""

    points: NDArray[np.float32]
    world_from_points: Matrix
    parts: Sequence[tuple[GeometryPart, BlockSurface]]

    @property
    def is_mirrored(self) -> bool:
        return bool(np.linalg.det(self.world_from_points[:3, :3]) < 0)


@dataclass(slots=True, eq=False)
class _Faces:
    """Faces under construction: arrays as in MeshData, of all parts."""

    corners: NDArray[np.signedinteger]
    sizes: NDArray[np.int64] | None
    normals: NDArray[np.float32] | None
    uvs: NDArray[np.float32] | None
    slots: NDArray[np.int32]

    def keep(self, is_kept: NDArray[np.bool_]) -> None:
        """Leaves out the other faces."""
        if is_kept.all():
            return
        of_corner = np.repeat(is_kept, 3 if self.sizes is None else self.sizes)
        self.sizes = None if self.sizes is None else self.sizes[is_kept]
        self.slots = self.slots[is_kept]
        self._keep_corners(of_corner)

    def drop_repeated_corners(self) -> None:
        """Leaves out corners of a polygon at a vertex that it has already visited."""
        if self.sizes is None or not len(self.corners):
            return
        face = np.repeat(np.arange(len(self.sizes)), self.sizes)
        count = np.int64(self.corners.max()) + 1
        _, first = np.unique(face * count + self.corners, return_index=True)
        if len(first) == len(self.corners):
            return
        is_first = np.zeros(len(self.corners), dtype=bool)
        is_first[first] = True
        self.sizes = np.bincount(face[is_first], minlength=len(self.sizes))
        self._keep_corners(is_first)

    def _keep_corners(self, is_kept: NDArray[np.bool_]) -> None:
        self.corners = self.corners[is_kept]
        self.normals = None if self.normals is None else self.normals[is_kept]
        self.uvs = None if self.uvs is None else self.uvs[is_kept]

    def has_surface(self) -> NDArray[np.bool_]:
        """Which faces have at least three vertices, for triangles: three different ones."""
        if self.sizes is not None:
            enough: NDArray[np.bool_] = self.sizes >= 3
            return enough
        a, b, c = self.corners.reshape(-1, 3).T
        different: NDArray[np.bool_] = (a != b) & (b != c) & (c != a)
        return different

    def are_all(self, is_good: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which faces have only good corners."""
        if self.sizes is None:
            all_good: NDArray[np.bool_] = is_good.reshape(-1, 3).all(axis=1)
            return all_good
        face = np.repeat(np.arange(len(self.sizes)), self.sizes)
        no_bad: NDArray[np.bool_] = np.bincount(face[~is_good], minlength=len(self.sizes)) == 0
        return no_bad


def join_blocks(blocks: Sequence[GeometryBlock], report: Report) -> MeshData:
    """Makes one mesh of all blocks, with `slots`, without name and materials.

    Vertices are merged where all three coordinates are equal. Faces without surface are left out.
    Reports `invalid-facets` for faces with missing indices, or coordinates that are no numbers or
    beyond 1e9.
    """
    blocks = [block for block in blocks if block.parts]
    if not blocks:
        nothing = np.zeros((0, 3), dtype=np.float32)
        return MeshData(vertices=nothing, corners=np.zeros(0, dtype=np.int32))
    points = np.concatenate([_place_points(block) for block in blocks])
    faces = _collect_faces(blocks)
    is_good = faces.corners >= 0
    # Written this way round, a NaN is not good.
    if len(points) and not np.abs(points).max() <= LARGEST_COORDINATE:
        is_point = (np.abs(points) <= LARGEST_COORDINATE).all(axis=1)
        points[~is_point] = 0
        is_good &= is_point[faces.corners]
    if not is_good.all():
        are_good = faces.are_all(is_good)
        lost = np.count_nonzero(~are_good)
        report(
            "invalid-facets",
            f"{lost} of {len(are_good)} faces have wrong indices or coordinates; left out",
        )
        faces.keep(are_good)
    return _weld(points, faces)


def _weld(points: NDArray[np.float32], faces: _Faces) -> MeshData:
    vertices, index_of_point = weld_points(points)
    faces.corners = np.take(index_of_point, faces.corners)
    faces.drop_repeated_corners()
    faces.keep(faces.has_surface())
    if faces.sizes is not None and (faces.sizes == 3).all():
        faces.sizes = None
    is_used = np.zeros(len(vertices), dtype=bool)
    is_used[faces.corners] = True
    if not is_used.all():
        rank = np.cumsum(is_used, dtype=np.int32) - np.int32(1)
        vertices, faces.corners = vertices[is_used], rank[faces.corners]
    return MeshData(
        vertices=vertices,
        corners=faces.corners.astype(np.int32, copy=False),
        face_sizes=None if faces.sizes is None else faces.sizes.astype(np.int32),
        normals=_complete_normals(vertices, faces),
        uvs=faces.uvs,
        slots=faces.slots,
    )


def _place_points(block: GeometryBlock) -> NDArray[np.float32]:
    matrix = block.world_from_points
    placed = block.points @ matrix[:3, :3].T + matrix[:3, 3]
    return placed.astype(np.float32)


def _collect_faces(blocks: Sequence[GeometryBlock]) -> _Faces:
    """Corners count through the points of all blocks; -1 where there is no such point."""
    start = 0
    corners, sizes, normals, uvs, slots = [], [], [], [], []
    for block in blocks:
        count, is_mirrored = len(block.points), block.is_mirrored
        for part, surface in block.parts:
            order = _reverse(part) if is_mirrored else slice(None)
            index = part.corners[order]
            is_there = (index >= 0) & (index < count)
            corners.append(
                index + start if is_there.all() else np.where(is_there, index + start, -1)
            )
            sizes.append((part.face_count, part.sizes))
            normals.append(None if part.normals is None else _turn(part.normals[order], block))
            uvs.append(None if surface.uvs is None else surface.uvs[order])
            slots.append(np.full(part.face_count, surface.slot, dtype=np.int32))
        start += count
    lengths = [len(each) for each in corners]
    return _Faces(
        corners=np.concatenate(corners),
        sizes=_join_sizes(sizes),
        normals=_join_or_none(normals, lengths, 3),
        uvs=_finite(_join_or_none(uvs, lengths, 2)),
        slots=np.concatenate(slots),
    )


def _reverse(part: GeometryPart) -> NDArray[np.int64]:
    return reverse_corners(np.full(part.face_count, 3) if part.sizes is None else part.sizes)


def _turn(normals: NDArray[np.float32], block: GeometryBlock) -> NDArray[np.float32]:
    """Unit normals in the world; zeros for normals without direction.

    They turn by the inverse transpose, computed up to a factor from the cofactors, also for a
    matrix that has no inverse.
    """
    axes = block.world_from_points[:3, :3]
    largest = np.abs(axes).max()
    if not largest > 0:
        return np.zeros_like(normals)
    cofactors = _cofactors(axes / largest)
    if block.is_mirrored:
        cofactors = -cofactors
    if not np.array_equal(cofactors, np.eye(3)):
        normals = normals @ cofactors.T.astype(np.float32)
    turned = np.empty_like(normals)
    for start in range(0, len(normals), _PIECE):
        turned[start : start + _PIECE] = _unit(normals[start : start + _PIECE])
    return turned


def _cofactors(axes: Matrix) -> Matrix:
    """The columns are the cross products of the columns, as of numbers: for vectors of three, numpy
    takes fifty times as long."""
    (a, b, c), (d, e, f), (g, h, i) = axes.tolist()
    return np.array(
        [
            [e * i - f * h, f * g - d * i, d * h - e * g],
            [c * h - b * i, a * i - c * g, b * g - a * h],
            [b * f - c * e, c * d - a * f, a * e - b * d],
        ]
    )


def _unit(normals: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    is_usable = (lengths > _SHORTEST_NORMAL) & (lengths < _LONGEST_NORMAL)
    if not is_usable.all():
        normals = np.where(is_usable[:, None], normals, np.float32(0))
        lengths = np.where(is_usable, lengths, np.float32(1))
    # A third of the time of dividing rows of three by one number each.
    unit: NDArray[np.float32] = normals / np.repeat(lengths, 3).reshape(-1, 3)
    return unit


def _join_sizes(sizes: Sequence[tuple[int, NDArray[np.int64] | None]]) -> NDArray[np.int64] | None:
    if all(each is None for _, each in sizes):
        return None
    return np.concatenate([np.full(n, 3) if each is None else each for n, each in sizes])


def _join_or_none(
    arrays: Sequence[NDArray[np.float32] | None], lengths: Sequence[int], width: int
) -> NDArray[np.float32] | None:
    """Zeros where a part has none; None where no part has any."""
    if all(each is None for each in arrays):
        return None
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(
        [
            np.zeros((length, width), dtype=np.float32) if each is None else each
            for each, length in zip(arrays, lengths, strict=True)
        ]
    )


def _finite(uvs: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    if uvs is None or np.isfinite(uvs).all():
        return uvs
    return np.nan_to_num(uvs, nan=0, posinf=0, neginf=0)


def _complete_normals(vertices: NDArray[np.float32], faces: _Faces) -> NDArray[np.float32] | None:
    """Corners without a normal get their face's normal; None where none has one."""
    if faces.normals is None:
        return None
    x, y, z = faces.normals.T
    is_missing = (x == 0) & (y == 0) & (z == 0)
    if is_missing.all():
        return None
    if is_missing.any():
        sizes = faces.sizes if faces.sizes is not None else np.full(len(faces.slots), 3)
        face = np.repeat(np.arange(len(sizes)), sizes)
        faces.normals[is_missing] = _face_normals(vertices, faces.corners, sizes)[face[is_missing]]
    return faces.normals


def _face_normals(
    vertices: NDArray[np.float32], corners: NDArray[np.signedinteger], sizes: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Unit length, float32 (F, 3), weighted over all corners; +Z for faces without area."""
    ends = np.cumsum(sizes)
    starts = ends - sizes
    after = np.arange(1, len(corners) + 1)
    after[ends - 1] = starts
    points = vertices[corners].astype(np.float64)
    points -= np.repeat(points[starts], sizes, axis=0)
    areas = np.add.reduceat(np.cross(points, points[after]), starts, axis=0)
    lengths = np.linalg.norm(areas, axis=1, keepdims=True)
    units = np.where(lengths > 0, areas / np.where(lengths > 0, lengths, 1), [0.0, 0.0, 1.0])
    return units.astype(np.float32)
