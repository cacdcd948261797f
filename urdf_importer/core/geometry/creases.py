# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges at which a surface is not smooth, by the normals of its corners."""

import numpy as np
from numpy.typing import NDArray

from .mesh_data import MeshData

_PIECE = 32 * 1024
"""Corners whose normals fit into a processor's cache."""
_SAME = np.float32(1e-3**2)
"""The square of how far two normals may lie apart and still count as one: 0.06 degrees."""


def find_creases(
    data: MeshData, normals: NDArray[np.float32], edges: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Returns the edges (N,) whose faces have different normals at either end; an edge may appear
    more than once.

    `normals` (C, 3) belong to the corners; `edges` (C,) names the edge from each corner to the next
    corner of its face.
    """
    is_mixed = _find_mixed(data.corners, normals, len(data.vertices))
    if not is_mixed.any():
        return np.empty(0, dtype=np.int32)
    after = _next_corners(data)
    ours, theirs = _pair_corners(edges)
    mixed_corner = is_mixed[data.corners]
    is_near = mixed_corner[ours] | mixed_corner[after[ours]]
    ours, theirs = ours[is_near], theirs[is_near]
    runs_alike = data.corners[ours] == data.corners[theirs]
    differs = _differ(normals, ours, np.where(runs_alike, theirs, after[theirs]))
    left = np.flatnonzero(~differs)
    ours_left, theirs_left = ours[left], theirs[left]
    other_ends = np.where(runs_alike[left], after[theirs_left], theirs_left)
    differs[left] = _differ(normals, after[ours_left], other_ends)
    return edges[ours[differs]]


def _pair_corners(edges: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """The corners (N,) whose edges also belong to other corners, and for each the first such
    corner: the same one for all corners of an edge."""
    count = np.arange(len(edges), dtype=np.int32)
    chosen = np.empty(int(edges.max()) + 1, dtype=np.int32)
    chosen[edges] = count
    chosen = chosen[edges]
    ours = np.flatnonzero(chosen != count)
    return ours, chosen[ours]


def _find_mixed(
    corners: NDArray[np.int32], normals: NDArray[np.float32], count: int
) -> NDArray[np.bool_]:
    """Which of `count` vertices have corners with different normals."""
    chosen = np.empty(count, dtype=np.int32)
    for start in range(0, len(corners), _PIECE):
        piece = corners[start : start + _PIECE]
        chosen[piece] = np.arange(start, start + len(piece), dtype=np.int32)
    is_mixed = np.zeros(count, dtype=bool)
    for start in range(0, len(corners), _PIECE):
        piece = corners[start : start + _PIECE]
        gap = normals.take(chosen.take(piece), axis=0)
        gap -= normals[start : start + _PIECE]
        is_mixed[piece[np.einsum("ij,ij->i", gap, gap) > _SAME]] = True
    return is_mixed


def _differ(
    normals: NDArray[np.float32], ours: NDArray[np.integer], theirs: NDArray[np.integer]
) -> NDArray[np.bool_]:
    different = np.empty(len(ours), dtype=bool)
    for start in range(0, len(ours), _PIECE):
        piece = slice(start, start + _PIECE)
        gap = normals.take(ours[piece], axis=0)
        gap -= normals.take(theirs[piece], axis=0)
        different[piece] = np.einsum("ij,ij->i", gap, gap) > _SAME
    return different


def _next_corners(data: MeshData) -> NDArray[np.int32]:
    """The corner (C,) after each one in its face."""
    after = np.arange(1, len(data.corners) + 1, dtype=np.int32)
    if data.face_sizes is None:
        after[2::3] -= 3
    else:
        after[np.cumsum(data.face_sizes) - 1] -= data.face_sizes
    return after
