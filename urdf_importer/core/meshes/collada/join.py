# SPDX-License-Identifier: GPL-3.0-or-later
"""Placed primitives -> one mesh with shared vertices and clean faces."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...diagnostics import Report
from ...geometry.mesh_data import MeshData, reverse_corners, weld_points
from ..faces import (
    LARGEST_COORDINATE,
    PIECE,
    Faces,
    are_in_bounds,
    cofactors_of,
    drop_unused_vertices,
)
from .geometry import GeometryPart
from .scene import Matrix

_SHORTEST_NORMAL, _LONGEST_NORMAL = 1e-15, 1e15
"""The squares of others leave single precision."""


@dataclass(frozen=True, slots=True, eq=False)
class GeometryBlock:
    """A geometry in its place. With each part come the index of the material that its faces have,
    and their texture coordinates, float32 (C, 2), or None."""

    points: NDArray[np.float32]
    world_from_points: Matrix
    parts: Sequence[tuple[GeometryPart, int, NDArray[np.float32] | None]]

    @property
    def is_mirrored(self) -> bool:
        return bool(np.linalg.det(self.world_from_points[:3, :3]) < 0)


def join_blocks(blocks: Sequence[GeometryBlock], report: Report) -> MeshData:
    """Makes one mesh of all blocks, with `slots`, without name and materials.

    Vertices are merged where all three coordinates are equal. Faces without surface are left out.
    Reports `invalid-facets` for faces with missing indices, or coordinates that are not numbers or
    beyond 1e9.
    """
    blocks = [block for block in blocks if block.parts]
    if not blocks:
        nothing = np.zeros((0, 3), dtype=np.float32)
        return MeshData(vertices=nothing, corners=np.zeros(0, dtype=np.int32))
    faces = _collect_faces(blocks)
    points, is_good = faces.vertices, faces.corners >= 0
    if not are_in_bounds(points):
        is_point = (np.abs(points) <= LARGEST_COORDINATE).all(axis=1)
        points[~is_point] = 0
        is_good &= is_point[faces.corners]
    if not is_good.all():
        face = np.repeat(np.arange(len(faces.sizes)), faces.sizes)
        are_good = np.bincount(face[~is_good], minlength=len(faces.sizes)) == 0
        lost = np.count_nonzero(~are_good)
        message = f"{lost} of {len(are_good)} faces have wrong indices or coordinates; left out"
        report("invalid-facets", message)
        faces = faces.keep(are_good)
    return _weld(faces)


def _weld(faces: Faces) -> MeshData:
    vertices, index_of_point = weld_points(faces.vertices)
    corners = np.take(index_of_point, faces.corners)
    faces = _without_repeats(replace(faces, vertices=vertices, corners=corners))
    vertices, corners = drop_unused_vertices(faces.vertices, faces.corners)
    return MeshData(
        vertices=vertices,
        corners=corners,
        face_sizes=None if (faces.sizes == 3).all() else faces.sizes.astype(np.int32),
        normals=_complete_normals(vertices, corners, faces),
        uvs=faces.uvs,
        slots=None if faces.slots is None else faces.slots.astype(np.int32, copy=False),
    )


def _without_repeats(faces: Faces) -> Faces:
    """Leaves out corners of a polygon at a vertex that it has already visited, then faces without
    surface."""
    if (faces.sizes == 3).all():
        return faces.without_repeats()
    face = np.repeat(np.arange(len(faces.sizes)), faces.sizes)
    count = np.int64(faces.corners.max()) + 1
    _, first = np.unique(face * count + faces.corners, return_index=True)
    if len(first) < len(faces.corners):
        is_first = np.zeros(len(faces.corners), dtype=bool)
        is_first[first] = True
        faces = faces.keep_corners(is_first)
        faces.sizes = np.bincount(face[is_first], minlength=len(faces.sizes))
    return faces.keep(faces.sizes >= 3)


def _place_points(block: GeometryBlock) -> NDArray[np.float32]:
    matrix = block.world_from_points
    placed = block.points @ matrix[:3, :3].T + matrix[:3, 3]
    return placed.astype(np.float32)


def _collect_faces(blocks: Sequence[GeometryBlock]) -> Faces:
    """Corners count through the points of all blocks; -1 where there is no such point."""
    start = 0
    corners, sizes, normals, uvs, slots = [], [], [], [], []
    for block in blocks:
        count, is_mirrored = len(block.points), block.is_mirrored
        for part, slot, own_uvs in block.parts:
            sizes.append(part.sizes)
            order = reverse_corners(part.sizes) if is_mirrored else slice(None)
            index = part.corners[order]
            is_there = (index >= 0) & (index < count)
            index = index + start
            corners.append(index if is_there.all() else np.where(is_there, index, -1))
            normals.append(None if part.normals is None else _turn(part.normals[order], block))
            uvs.append(None if own_uvs is None else own_uvs[order])
            slots.append(np.full(len(part.sizes), slot, dtype=np.int32))
        start += count
    lengths = [len(each) for each in corners]
    return Faces(
        vertices=np.concatenate([_place_points(block) for block in blocks]),
        corners=np.concatenate(corners),
        sizes=np.concatenate(sizes),
        normals=_join_or_none(normals, lengths, 3),
        uvs=_finite(_join_or_none(uvs, lengths, 2)),
        slots=np.concatenate(slots),
    )


def _turn(normals: NDArray[np.float32], block: GeometryBlock) -> NDArray[np.float32]:
    """Unit normals in the world; zeros for normals without direction.

    They turn by the inverse transpose, computed up to a factor from the cofactors, also for a
    matrix that has no inverse.
    """
    axes = block.world_from_points[:3, :3]
    largest = np.abs(axes).max()
    if not largest > 0:
        return np.zeros_like(normals)
    cofactors = cofactors_of(axes / largest)
    if block.is_mirrored:
        cofactors = -cofactors
    if not np.array_equal(cofactors, np.eye(3)):
        normals = normals @ cofactors.T.astype(np.float32)
    turned = np.empty_like(normals)
    for start in range(0, len(normals), PIECE):
        turned[start : start + PIECE] = _unit(normals[start : start + PIECE])
    return turned


def _unit(normals: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    is_usable = (lengths > _SHORTEST_NORMAL) & (lengths < _LONGEST_NORMAL)
    if not is_usable.all():
        normals = np.where(is_usable[:, None], normals, np.float32(0))
        lengths = np.where(is_usable, lengths, np.float32(1))
    # A third of the time of dividing rows of three by one number each.
    unit: NDArray[np.float32] = normals / np.repeat(lengths, 3).reshape(-1, 3)
    return unit


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


def _complete_normals(
    vertices: NDArray[np.float32], corners: NDArray[np.int32], faces: Faces
) -> NDArray[np.floating] | None:
    """Corners without a normal get their face's normal; None where none has one."""
    normals, sizes = faces.normals, faces.sizes
    is_missing = (normals == 0).all(axis=1) if normals is not None else np.ones(1, dtype=bool)
    if normals is None or is_missing.all():
        return None
    if is_missing.any():
        face = np.repeat(np.arange(len(sizes)), sizes)
        normals[is_missing] = _face_normals(vertices, corners, sizes)[face[is_missing]]
    return normals


def _face_normals(
    vertices: NDArray[np.float32], corners: NDArray[np.signedinteger], sizes: NDArray[np.integer]
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
