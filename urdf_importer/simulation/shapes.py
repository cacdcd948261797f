# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the scene as convex bodies, and the lowest point of a shape."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import Diagnostics, quote
from ..geometry.hulls import convex_hull, is_flat
from ..geometry.transforms import Matrix
from ..geometry.volumes import is_closed
from ..model import Box, Capsule, Cylinder, Ellipsoid, Geometry, Sphere
from ..motion.trajectory import Numbers
from .states import Collider

_CONVEX = 0.98
_MOST_TILES = 1000
"""Triangles of an open surface that become a body each."""
_DEPTH, _WALL = 0.05, 0.01
"""How thick an open surface, and one around a hollow body, is to a body that falls on it, as a
share of its extent. Thinner walls would let others reach in from behind."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solid:
    """A convex body: the hull of (m, 3) points."""

    vertices: Numbers


def solids_of(collider: Collider, diagnostics: Diagnostics) -> list[Solid]:
    """Returns convex bodies of an object: its hull where it is convex; a slab below a flat one, or
    below each triangle of an open one, such as a terrain; else its hull, which is reported."""
    points, triangles = collider.vertices, collider.triangles
    used = points[np.unique(triangles)]
    normal = _normal(points[triangles])
    if is_flat(used):
        return [_slab(used, normal)] if normal.any() else []
    hull = convex_hull(used)
    assert hull is not None
    closed = is_closed(triangles, len(points))
    corners = points[triangles] - used.mean(axis=0)
    volume = float(np.linalg.det(corners).sum() / 6.0)
    if closed and abs(volume) > _CONVEX * hull.volume:
        return [Solid(vertices=hull.vertices)]
    if len(triangles) <= _MOST_TILES:
        depth = (_WALL if closed else _DEPTH) * float(np.ptp(used, axis=0).max())
        return [
            _slab(corners, facing, depth)
            for corners in points[triangles]
            if (facing := _normal(corners[None])).any()
        ]
    diagnostics.warning(
        "collider-hull",
        f"object {quote(collider.name)} is hollow and has more than {_MOST_TILES} triangles; its "
        "convex hull collides in its place",
        subject=collider.name,
    )
    return [Solid(vertices=hull.vertices)]


def _slab(points: Numbers, normal: Numbers, depth: float = 0.0) -> Solid:
    depth = depth or _DEPTH * float(np.ptp(points, axis=0).max())
    return Solid(vertices=np.vstack([points, points - depth * normal]))


def _normal(corners: Numbers) -> Numbers:
    """Returns the mean unit normal of triangles (k, 3, 3); zero where they have no area."""
    summed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum(axis=0)
    length = float(np.linalg.norm(summed))
    extent = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    normal: Numbers = summed / length if length > 1e-12 * extent**2 else np.zeros(3)
    return normal


def find_lowest(geometry: Geometry, points: NDArray[np.floating], frame: Matrix) -> float:
    """Returns the height of the lowest point of a shape whose frame is `frame` (4, 4) in the world:
    exactly, not by the corners that stand for round shapes. `points` (m, 3) are a mesh's."""
    down, middle = frame[2, :3], float(frame[2, 3])
    match geometry:
        case Sphere(radius=radius):
            return middle - radius
        case Box(size=size):
            return middle - 0.5 * float(np.abs(down) @ np.array(size))
        case Ellipsoid(radii=radii):
            return middle - float(np.linalg.norm(down * np.array(radii)))
        case Capsule(radius=radius, length=length):
            return middle - radius - 0.5 * length * abs(float(down[2]))
        case Cylinder(radius=radius, length=length):
            aside = float(np.hypot(down[0], down[1]))
            return middle - radius * aside - 0.5 * length * abs(float(down[2]))
    return middle + float((points @ down).min())
