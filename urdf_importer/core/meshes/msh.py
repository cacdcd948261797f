# SPDX-License-Identifier: GPL-3.0-or-later
"""MuJoCo's own binary meshes, which newer models have as OBJ or STL instead.

Four counts, of points, normals, image coordinates and triangles (int32, little endian), then these,
in single precision and as indices. Normals and image coordinates belong to the points. Nothing
follows, so the size of a file must fit its counts.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError, Report, quote
from ..files.regular import read_mesh_file
from ..geometry.hulls import convex_hull
from ..geometry.mesh_data import MeshData
from .faces import LARGEST_COORDINATE, Faces, make_mesh, spread_rows, unreadable
from .stl import MOST_BYTES

_COUNTS = 4
_HEADER = 4 * _COUNTS


def load_msh(path: Path, report: Report) -> MeshData:
    """Loads the triangles of a MuJoCo mesh, in its own units; the convex hull of the points where
    there are no triangles, as MuJoCo makes it.

    Reports `invalid-facets`. MeshError with the codes of `read_mesh_file`, `unreadable-mesh` where
    the counts and the size differ, `empty-mesh` where there is nothing to show.
    """
    data = read_mesh_file(path, MOST_BYTES)
    points, normals, coordinates, triangles = _read_counts(data, path)
    numbers = np.frombuffer(data, "<f4", 3 * points + 3 * normals + 2 * coordinates, _HEADER)
    vertices = numbers[: 3 * points].reshape(-1, 3)
    if not triangles:
        return _make_hull(vertices, path)
    start = 3 * points + 3 * normals
    corners = np.frombuffer(data, "<i4", 3 * triangles, _HEADER + 4 * len(numbers))
    faces = Faces(
        vertices=vertices,
        corners=corners,
        sizes=np.full(triangles, 3, dtype=np.int32),
        normals=spread_rows(numbers[3 * points : start].reshape(-1, 3), corners),
        uvs=spread_rows(_turn_over(numbers[start:].reshape(-1, 2)), corners),
    )
    return make_mesh(faces, path, report)


def _read_counts(data: bytes, path: Path) -> tuple[int, ...]:
    """Returns how many points, normals, image coordinates and triangles there are."""
    if len(data) < _HEADER:
        raise unreadable(path, f"ends after {len(data)} bytes, before its counts")
    counts = tuple(int(count) for count in np.frombuffer(data, "<i4", _COUNTS))
    points, normals, coordinates, triangles = counts
    needed = _HEADER + 4 * (3 * points + 3 * normals + 2 * coordinates + 3 * triangles)
    fits = min(counts) >= 0 and needed == len(data)
    if not fits or normals not in (0, points) or coordinates not in (0, points):
        raise unreadable(path, "is not a MuJoCo mesh: its counts do not fit its size")
    return counts


def _turn_over(uvs: NDArray[np.floating]) -> NDArray[np.float32]:
    """Returns image coordinates from the lower left; MuJoCo's are from the upper left."""
    turned = uvs.astype(np.float32)
    with np.errstate(invalid="ignore"):
        turned[:, 1] = np.float32(1.0) - turned[:, 1]
    return turned


def _make_hull(points: NDArray[np.floating], path: Path) -> MeshData:
    with np.errstate(invalid="ignore"):
        is_point = (np.abs(points) <= LARGEST_COORDINATE).all(axis=1)
    hull = convex_hull(points[is_point].astype(np.float64)) if is_point.any() else None
    if hull is None:
        raise MeshError(f"{quote(path.name)} has no faces", code="empty-mesh")
    return MeshData(
        vertices=hull.vertices.astype(np.float32),
        corners=hull.triangles.astype(np.int32).ravel(),
        name=path.stem,
    )
