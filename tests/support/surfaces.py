# SPDX-License-Identifier: GPL-3.0-or-later
"""Small meshes that are convex or not, as arrays."""

import numpy as np
from numpy.typing import NDArray

from urdf_importer.core.geometry.fitting import Primitive
from urdf_importer.core.geometry.primitives import make_primitive
from urdf_importer.core.geometry.triangles import make_triangles

Points = NDArray[np.float64]
Faces = NDArray[np.int64]
Surface = tuple[Points, Faces]


def make_ring(count: int = 48, radius: float = 1.0, width: float = 0.1) -> Surface:
    corners = [(-width, -width), (width, -width), (width, width), (-width, width)]
    angles = np.arange(count) * 2.0 * np.pi / count
    points = [
        ((radius + x) * np.cos(angle), (radius + x) * np.sin(angle), z)
        for angle in angles
        for x, z in corners
    ]
    faces = []
    for i in range(count):
        for k in range(4):
            a, b = 4 * i + k, 4 * ((i + 1) % count) + k
            c, d = 4 * ((i + 1) % count) + (k + 1) % 4, 4 * i + (k + 1) % 4
            faces += [(a, b, c), (a, c, d)]
    return np.array(points), np.array(faces)


def make_l(long: float = 1.0, thick: float = 0.2, height: float = 0.3) -> Surface:
    outline = [(0, 0), (long, 0), (long, thick), (thick, thick), (thick, long), (0, long)]
    points = np.array([(x, y, z) for z in (0.0, height) for x, y in outline])
    flat = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)])
    sides = [
        face
        for i in range(6)
        for face in ((i, (i + 1) % 6, 6 + (i + 1) % 6), (i, 6 + (i + 1) % 6, 6 + i))
    ]
    return points, np.concatenate([flat[:, ::-1], flat + 6, sides])


def make_surface(shape: Primitive) -> Surface:
    mesh = make_primitive(shape)
    return mesh.vertices.astype(np.float64), make_triangles(mesh)[0].faces.astype(np.int64)
