# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of links as collision bodies."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.geometry.hulls import convex_hull
from ...core.geometry.mesh_data import MeshData
from ...core.geometry.primitives import SEGMENTS
from ...core.geometry.transforms import Matrix, matrix_from_pose
from ...core.geometry.triangles import make_triangles
from ...core.meshes import RobotFiles
from ...core.model import Box, Collision, Geometry, Link, Mesh, Primitive, Solid, Visual

Points = NDArray[np.float64]
Triangles = NDArray[np.int64]

_MOST_TRIANGLES = 120
"""Of a hull that shapes are kept apart by: it has no fewer points inside than the shape has."""

_SLACK = 0.2
"""Hulls of few triangles reach this share of a radius beyond the shape at most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TestedPart:
    """One shape of a link.

    origin     (4, 4), the shape's frame in the link's
    vertices   (V, 3) and `triangles` (T, 3): its surface, in the link's frame
    hull       (H, 3), points whose hull has all of it, in the link's frame
    center     of a ball of `radius` that has all of it, in the link's frame
    margin     how far a round shape may reach beyond its hull
    lower      (3,) and `upper` (3,): its box along the link's axes
    start      (3,), a point of its surface
    is_solid   whether it is a shape of URDF; all others are surfaces
    """

    link: str
    shape: Collision | Visual
    origin: Matrix
    vertices: Points
    triangles: Triangles
    hull: Points
    center: Points
    radius: float
    margin: float
    lower: Points
    upper: Points
    start: Points
    is_solid: bool

    def has_in_box(self, point: Points) -> bool:
        """Whether a point (3,) in the link's frame is in its box."""
        pairs = zip(self.lower.tolist(), point.tolist(), self.upper.tolist(), strict=True)
        return all(low <= value <= high for low, value, high in pairs)


def load_parts(links: Iterable[Link], files: RobotFiles) -> dict[str, tuple[TestedPart, ...]]:
    """Returns link -> its parts, of links that have some: collision shapes or, where none is
    described, visuals. Meshes that cannot be loaded are reported and left out."""
    found: dict[str, tuple[TestedPart, ...]] = {}
    for link in links:
        shapes: tuple[Collision | Visual, ...] = link.collisions or link.visuals
        loaded = ((shape, files.load_or_report(shape, link)) for shape in shapes)
        parts = tuple(
            make_part(link.name, shape, data) for shape, data in loaded if data is not None
        )
        if parts:
            found[link.name] = parts
    return found


def make_part(link: str, shape: Collision | Visual, data: MeshData) -> TestedPart:
    """Makes the part of a shape, whose mesh has at least one face."""
    origin = matrix_from_pose(shape.origin)
    triangles = make_triangles(data)[0].faces.astype(np.int64)
    vertices = data.vertices.astype(np.float64) @ origin[:3, :3].T + origin[:3, 3]
    used = vertices[np.unique(triangles)]
    lower, upper = used.min(axis=0), used.max(axis=0)
    center = (lower + upper) / 2.0
    margin = _bulge(shape.geometry)
    hull = convex_hull(used, _MOST_TRIANGLES) if len(used) > _MOST_TRIANGLES // 2 else None
    return TestedPart(
        link=link,
        shape=shape,
        origin=origin,
        vertices=vertices,
        triangles=triangles,
        hull=used if hull is None else hull.vertices,
        center=center,
        radius=float(np.linalg.norm(used - center, axis=1).max()) + margin,
        margin=margin,
        lower=lower - margin,
        upper=upper + margin,
        start=vertices[triangles[0, 0]],
        is_solid=isinstance(shape.geometry, Primitive),
    )


def _bulge(geometry: Geometry) -> float:
    """How far a round shape reaches beyond its polygons at most; balls bulge along and across."""
    if isinstance(geometry, Mesh | Solid | Box):
        return 0.0
    return geometry.radius * (1.0 - math.cos(math.pi / SEGMENTS) ** 2)


def is_inside(inner: TestedPart, outer: TestedPart, pose: Matrix) -> bool:
    """Whether a part lies inside the surface of another which it does not touch. `pose` (4, 4) is
    its link's frame in the other's link's.

    All of it must lie in the other's box, and one point inside the surface, by its winding number
    (van Oosterom and Strackee 1983), which small holes do not change much.
    """
    slack = _SLACK * inner.radius
    point = pose[:3, :3] @ inner.start + pose[:3, 3]
    if not outer.has_in_box(point):
        return False
    moved = inner.hull @ pose[:3, :3].T + pose[:3, 3]
    if (moved.min(axis=0) < outer.lower - slack).any():
        return False
    if (moved.max(axis=0) > outer.upper + slack).any():
        return False
    a, b, c = (outer.vertices[outer.triangles[:, i]] - point for i in range(3))
    la, lb, lc = (np.linalg.norm(each, axis=1) for each in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", *pair) for pair in ((a, b), (b, c), (c, a)))
    angles = 2.0 * np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
    return bool(abs(angles.sum()) > 2.0 * math.pi)
