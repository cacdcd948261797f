# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a surface reaches beyond the convex bodies around it."""

from collections.abc import Sequence

import numpy as np

from ..model import Box, Capsule, Cylinder, Sphere
from .fitting import Fit
from .hulls import Points
from .mesh_data import MeshData
from .triangles import Triangles, make_triangles

_SAMPLES = 2_000
_MOST_CORNERS = 50_000
_MOST_FACES = 200_000


def find_worst_miss(triangles: Triangles, bodies: Sequence[Fit | MeshData]) -> float:
    """Returns how far 2,000 points of triangles and their corners (of very many a sample) are
    outside of all bodies at most, in metres: 0 where all are inside. To faces it is exact, to edges
    and corners of meshes a little less than the distance."""
    used = np.unique(triangles.corners)
    corners = triangles.vertices[used[:: len(used) // _MOST_CORNERS + 1]].astype(np.float64)
    points = np.concatenate([corners, _draw(triangles)])
    misses = [_find_distances(points, body) for body in bodies]
    return max(float(np.min(misses, axis=0).max()), 0.0)


def _draw(triangles: Triangles) -> Points:
    """Points of the surface, more of larger triangles."""
    faces = triangles.faces[:: triangles.count // _MOST_FACES + 1]
    soup = triangles.vertices[faces].astype(np.float64)
    crossed = np.cross(soup[:, 1] - soup[:, 0], soup[:, 2] - soup[:, 0])
    sums = np.cumsum(np.linalg.norm(crossed, axis=1))
    random = np.random.default_rng(0)
    weights = random.dirichlet((1.0, 1.0, 1.0), _SAMPLES)
    chosen = np.searchsorted(sums, random.uniform(0.0, sums[-1], _SAMPLES))
    drawn: Points = np.einsum("ni,nij->nj", weights, soup[np.minimum(chosen, len(soup) - 1)])
    return drawn


def _find_distances(points: Points, body: Fit | MeshData) -> Points:
    if isinstance(body, MeshData):
        return _from_mesh(points, body)
    x, y, z = ((points - body.frame[:3, 3]) @ body.frame[:3, :3]).T
    match body.geometry:
        case Box(size=size):
            sides = [np.abs(p) - s / 2.0 for p, s in zip((x, y, z), size, strict=True)]
            return np.asarray(np.max(sides, axis=0))
        case Sphere(radius=radius):
            return np.asarray(np.sqrt(x * x + y * y + z * z) - radius)
        case Cylinder(radius=radius, length=length):
            ends = np.abs(z) - length / 2.0
            return np.asarray(np.maximum(np.hypot(x, y) - radius, ends))
        case Capsule(radius=radius, length=length):
            beyond = np.maximum(np.abs(z) - length / 2.0, 0.0)
            return np.asarray(np.sqrt(x * x + y * y + beyond**2) - radius)


def _from_mesh(points: Points, mesh: MeshData) -> Points:
    corners = mesh.vertices.astype(np.float64)
    a, b, c = np.moveaxis(corners[make_triangles(mesh)[0].faces], 1, 0)
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = (normals / np.where(lengths > 0.0, lengths, 1.0))[lengths[:, 0] > 0.0]
    reach = (corners @ normals.T).max(axis=0)
    distances = np.full(len(points), -np.inf)
    for start in range(0, len(normals), 64):
        part = slice(start, start + 64)
        beyond = (points @ normals[part].T - reach[part]).max(axis=1)
        distances = np.maximum(distances, beyond)
    return distances
