# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces on the same vertices, which files of robots have where a sheet is seen from both sides.

glTF's exporter lets Blender validate the mesh, which removes all of them but one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def part_twins(mesh: Any) -> int:
    """Gives every face that shares another's vertices its own vertices, and keeps corner normals.
    Returns how many such faces there were."""
    count = len(mesh.polygons)
    corners = np.empty(len(mesh.loops), np.int32)
    starts, sizes = np.empty(count, np.int32), np.empty(count, np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    mesh.polygons.foreach_get("loop_start", starts)
    mesh.polygons.foreach_get("loop_total", sizes)
    twins = _find_twins(corners, starts)
    if not len(twins):
        return 0
    normals = _read_normals(mesh)
    moved = np.concatenate([starts[twin] + np.arange(sizes[twin]) for twin in twins])
    places = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", places)
    added = places.reshape(-1, 3)[corners[moved]]
    first = len(mesh.vertices)
    mesh.vertices.add(len(added))
    mesh.vertices.foreach_set("co", np.concatenate([places, added.ravel()]))
    corners[moved] = np.arange(first, first + len(added))
    mesh.loops.foreach_set("vertex_index", corners)
    mesh.update(calc_edges=True)
    if normals is not None:
        mesh.normals_split_custom_set(normals.reshape(-1, 3))
    return len(twins)


def _find_twins(corners: NDArray[np.int32], starts: NDArray[np.int32]) -> NDArray[np.intp]:
    """The faces whose set of vertices an earlier face has, by a sum of hashes."""
    if not len(starts):
        return np.empty(0, np.intp)
    mixed = corners.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    _, first = np.unique(np.add.reduceat(mixed, starts), return_index=True)
    later = np.ones(len(starts), bool)
    later[first] = False
    return np.flatnonzero(later)


def _read_normals(mesh: Any) -> NDArray[np.float32] | None:
    """The corner normals (3 C,) where the mesh has some of its own."""
    if not mesh.has_custom_normals:
        return None
    normals = np.empty(3 * len(mesh.loops), np.float32)
    mesh.corner_normals.foreach_get("vector", normals)
    return normals
