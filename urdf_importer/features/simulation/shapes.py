# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the scene as convex bodies, and the lowest point of a shape."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.diagnostics import Diagnostics, quote
from ...core.geometry.body_cache import decompose_kept
from ...core.geometry.decomposition import CONVEX
from ...core.geometry.fitting import fit_oriented_box
from ...core.geometry.hulls import Hull, convex_hull, is_flat
from ...core.geometry.transforms import Matrix
from ...core.geometry.volumes import is_closed
from ...core.model import Box, Capsule, Cylinder, Ellipsoid, Geometry, Sphere
from ..motion.trajectory import Numbers

_MOST_TILES = 1000
"""Triangles of an open surface that become a body each."""
_DEPTH = 0.05
"""How thick an open surface is to a body that falls on it, as a share of its extent."""
_PARTS, _SECONDS = 32, 30.0
_SAME = 1e-4
_PRISM = 6
"""Corners of a slab below a triangle."""


DEEP = 5e-4
"""Metres: bodies that are deeper in each other at the start do not touch at all."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solid:
    """A convex body: the hull of `vertices` (m, 3), or the box that they are the corners of, of
    half the sides `size` in `frame` (4, 4)."""

    vertices: Numbers
    size: Numbers | None = None
    frame: Matrix | None = None


def make_solids(
    name: str, points: Numbers, triangles: NDArray[np.int64], up: Numbers, diagnostics: Diagnostics
) -> list[Solid]:
    """Returns convex bodies of an object with vertices (m, 3) and triangles (k, 3): its hull where
    it is convex, parts of a hollow one, a slab below a flat one, whichever way it faces, or below
    each triangle of another open one, such as a terrain. `up` (3,) is up in the object's frame."""
    used = points[np.unique(triangles)]
    normal = _normal(points[triangles])
    if is_flat(used):
        falls = float(up @ normal) < -_SAME
        return [_slab(used, -normal if falls else normal)] if normal.any() else []
    hull = convex_hull(used)
    assert hull is not None
    closed = is_closed(triangles, len(points))
    corners = points[triangles] - used.mean(axis=0)
    volume = float(np.linalg.det(corners).sum() / 6.0)
    if closed and abs(volume) > CONVEX * hull.volume:
        return [_solid(hull.vertices, hull)]
    if not closed and len(triangles) <= _MOST_TILES:
        depth = _DEPTH * float(np.ptp(used, axis=0).max())
        return [
            _slab(corners, facing, depth)
            for corners in points[triangles]
            if (facing := _normal(corners[None])).any()
        ]
    if not closed:
        diagnostics.warning(
            "collider-coarse",
            f"object {quote(name)} is open and has more than {_MOST_TILES} triangles; at "
            f"most {_PARTS} convex parts collide in its place",
            subject=name,
        )
    parts = decompose_kept(points, triangles, most_parts=_PARTS, seconds=_SECONDS)
    return [Solid(vertices=part.vertices.astype(np.float64)) for part in parts]


def _slab(points: Numbers, normal: Numbers, depth: float = 0.0) -> Solid:
    depth = depth or _DEPTH * float(np.ptp(points, axis=0).max())
    return _solid(np.vstack([points, points - depth * normal]))


def _solid(points: Numbers, hull: Hull | None = None) -> Solid:
    """Returns a body; a box where it is one, which rests on others more evenly than a hull."""
    hull = hull or (convex_hull(points) if len(points) != _PRISM else None)
    if hull is None:
        return Solid(vertices=points)
    fit = fit_oriented_box(points, hull)
    if not isinstance(fit.geometry, Box) or hull.volume < (1.0 - _SAME) * fit.volume:
        return Solid(vertices=points)
    return Solid(vertices=points, size=0.5 * np.array(fit.geometry.size), frame=fit.frame)


def _normal(corners: Numbers) -> Numbers:
    """Returns the mean unit normal of triangles (k, 3, 3); zero where they have no area."""
    summed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum(axis=0)
    length = float(np.linalg.norm(summed))
    extent = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    normal: Numbers = summed / length if length > 1e-12 * extent**2 else np.zeros(3)
    return normal


def report_sunk(links: Collection[str], diagnostics: Diagnostics) -> None:
    """Reports the links of fixed robots that are in the floor at the start; nothing for none."""
    if links:
        first = min(links)
        diagnostics.warning(
            "starts-below-floor",
            f"links of a fixed robot ({len(links)}, such as {quote(first)}) are in the "
            "floor at the start; they pass through it",
            subject=first,
        )


def find_lowest(geometry: Geometry, points: Numbers, link: Matrix, origin: Matrix) -> float:
    """Returns the height of the lowest point of a shape: exactly, not by the corners in place of
    round shapes. Its link is at `link` (4, 4) in the world, the shape at `origin` (4, 4) there;
    `points` (m, 3) are a mesh's in the link."""
    down, middle = (link @ origin)[2, :3], float((link @ origin)[2, 3])
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
    return float((points @ link[2, :3]).min() + link[2, 3])
