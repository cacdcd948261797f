# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of fewer triangles for collisions, by vertex clustering (Rossignac and Borrel 1993).

All vertices in one cell of a grid become one, at their mean. So no vertex moves by more than the
diagonal of a cell; gaps narrower than a cell close, and the result may be smaller than the mesh
as well as larger. Where it must contain the mesh, take a hull instead.
"""

import numpy as np
from numpy.typing import NDArray

from .triangles import Triangles

_FINEST = 1024


def simplify(triangles: Triangles, most_triangles: int) -> Triangles | None:
    """Returns at most this many triangles, on the finest grid that gives so few; the mesh itself
    where it has no more. None where no grid leaves a surface."""
    if triangles.count <= most_triangles:
        return triangles
    coarse, fine = 1, _FINEST + 1
    best = None
    while fine - coarse > 1:
        cells = (coarse + fine) // 2
        made = _cluster(triangles, cells)
        if made.count <= most_triangles:
            coarse = cells
            best = made if made.count else best
        else:
            fine = cells
    return best


def _cluster(triangles: Triangles, cells: int) -> Triangles:
    points = triangles.vertices.astype(np.float64)
    low = points.min(axis=0)
    width = max(float(np.ptp(points, axis=0).max()), 1e-30) / cells
    grid = np.minimum((points - low) / width, cells - 1).astype(np.int64)
    keys = (grid[:, 0] * cells + grid[:, 1]) * cells + grid[:, 2]
    _, group = np.unique(keys, return_inverse=True)
    group = group.ravel()
    sums = np.zeros((int(group.max()) + 1, 3))
    np.add.at(sums, group, points)
    means = sums / np.bincount(group)[:, None]
    return _without_repeats(means.astype(np.float32), group[triangles.faces])


def _without_repeats(vertices: NDArray[np.float32], faces: NDArray[np.int64]) -> Triangles:
    """Triangles of three vertices, each once; two that face each other cancel out."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    turned = np.argmin(faces, axis=1)[:, None] if len(faces) else np.zeros((0, 1), dtype=np.int64)
    faces = np.take_along_axis(faces, (turned + np.arange(3)) % 3, axis=1)
    faces = np.unique(faces, axis=0)
    kept = Triangles(vertices, faces.ravel().astype(np.int32))
    return kept.keep(np.ones(kept.count, dtype=bool))
