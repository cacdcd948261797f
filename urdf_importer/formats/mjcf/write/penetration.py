# SPDX-License-Identifier: GPL-3.0-or-later
"""How deep two convex bodies are in one another.

Their difference holds the origin where they touch, and its nearest face is as far from it as the
bodies must move to part (the expanding polytope of van den Bergen 2001). The difference is known by
its farthest points alone: the hull of a few grows by the point beyond its nearest face.
"""

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ....core.geometry.hulls import convex_hull
from ....core.geometry.transforms import Matrix

Points = NDArray[np.float64]
Support = Callable[[Points], Points]
"""Directions (D, 3) -> the body's farthest points along them (D, 3)."""

_FIRST = np.vstack([np.eye(3), -np.eye(3), list(product((-1.0, 1.0), repeat=3))])
_STEPS = 60
_ENOUGH = 0.01
"""The share of a depth that more steps may not change."""


def support_of(kind: str, size: Points, points: Points | None = None) -> Support:
    """Returns the support of a body about its middle: a box, sphere, capsule, cylinder or ellipsoid
    with MuJoCo's half sizes, or the hull of `points` (N, 3)."""

    def find(ways: Points) -> Points:
        if points is not None:
            return np.asarray(points[(points @ ways.T).argmax(axis=0)])
        if kind == "box":
            return np.sign(ways) * size
        if kind in ("sphere", "ellipsoid"):
            stretched = ways * size
            return np.asarray(size * stretched / _lengths(stretched))
        ends = np.sign(ways[:, 2:]) * [0.0, 0.0, size[1]]
        around = ways * [1.0, 1.0, kind == "capsule"]
        return np.asarray(ends + size[0] * around / _lengths(around))

    return find


def move_support(support: Support, frame: Matrix) -> Support:
    """Returns the support of a body whose frame is `frame` (4, 4)."""
    return lambda ways: support(ways @ frame[:3, :3]) @ frame[:3, :3].T + frame[:3, 3]


def measure_depth(first: Support, second: Support) -> float:
    """Returns how far two bodies are in one another; 0.0 where they are apart."""
    ways = _FIRST / _lengths(_FIRST)
    points = first(ways) - second(-ways)
    hull = None if (np.einsum("ij,ij->i", points, ways) <= 0.0).any() else convex_hull(points)
    if hull is None:
        return 0.0
    faces, reach = hull.vertices[hull.triangles], 0.0
    for _ in range(_STEPS):
        normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
        normals /= _lengths(normals)
        offsets = np.einsum("ij,ij->i", normals, faces[:, 0])
        nearest = int(offsets.argmin())
        way, depth = normals[nearest : nearest + 1], float(offsets[nearest])
        point = (first(way) - second(-way))[0]
        reach = float(way[0] @ point)
        if reach <= 0.0 or reach - depth <= _ENOUGH * reach:
            break
        faces = _add_point(faces, normals @ point > offsets, point)
    return max(reach, 0.0)


def _add_point(faces: Points, seen: NDArray[np.bool_], point: Points) -> Points:
    """Returns the triangles (F, 3, 3) of a hull that has one more point, from which the faces
    `seen` (F,) can be seen."""
    edges = [
        (face[at].tobytes(), face[at - 2].tobytes()) for face in faces[seen] for at in range(3)
    ]
    rim = set(edges) - {edge[::-1] for edge in edges}
    ends = np.array([[np.frombuffer(end) for end in edge] for edge in sorted(rim)])
    fan = np.concatenate([ends, np.broadcast_to(point, (len(ends), 1, 3))], axis=1)
    return np.concatenate([faces[~seen], fan])


def _lengths(ways: Points) -> Points:
    return np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-300)
