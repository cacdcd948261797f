# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays at the surfaces of a scene: at each shape in its own frame, by its tree of triangles; for
very many rays at all shapes as one."""

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....core.geometry.transforms import Matrix, Vector
from ....core.progress import Progress
from .trees import Obstacle, Shape, join_shapes

_MANY_RAYS, _MANY_SHAPES = 60_000, 100
"""From so many on one tree of all is faster than a tree for each shape."""
_FEW, _MANY = 12, 64
"""Up to so many triangles, with so many rays for each triangle, a tree is slower than one triangle
after another."""
_STEP = 4096
"""Rays."""
_BESIDE = 128
"""Rays beside each other that pass a sphere together, or do not."""
_WIDER = 1e-6
"""Radians that cones are wider than their rays."""
_EDGE = 1e-9
"""Parts of a triangle beyond its edges that belong to it, so that no ray passes between two."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Rays:
    """Rays from one origin (3,) in unit directions (n, 3), between distances `near` and `far`
    (n,), all in the world."""

    origin: Vector
    directions: Matrix
    near: Vector
    far: Vector

    def part(self, which: slice) -> "Rays":
        """Returns some of the rays."""
        directions, near, far = (a[which] for a in (self.directions, self.near, self.far))
        return Rays(origin=self.origin, directions=directions, near=near, far=far)

    @cached_property
    def cones(self) -> tuple[Matrix, Vector]:
        """The axes (m, 3) of cones about _BESIDE rays each, and the angles (m,) to their sides."""
        firsts = np.arange(0, len(self.directions), _BESIDE)
        axes = np.add.reduceat(self.directions, firsts)
        lengths = np.linalg.norm(axes, axis=1, keepdims=True)
        axes /= np.where(lengths > 0.0, lengths, 1.0)
        nearby = axes.repeat(_BESIDE, axis=0)[: len(self.far)]
        along = np.einsum("ij,ij->i", self.directions, nearby)
        return axes, np.arccos(np.clip(np.minimum.reduceat(along, firsts), -1.0, 1.0)) + _WIDER

    def near_sphere(self, center: Vector, radius: float) -> NDArray[np.intp]:
        """Returns the places of all rays that may pass a sphere, whose centre is seen from the
        origin, and of some others."""
        distance = float(np.linalg.norm(center))
        if distance <= radius:
            return np.arange(len(self.far))
        axes, angles = self.cones
        away = np.arccos(np.clip(axes @ (center / distance), -1.0, 1.0))
        passed = away <= angles + math.asin(radius / distance)
        return np.flatnonzero(passed.repeat(_BESIDE)[: len(self.far)])


@dataclass(slots=True, kw_only=True, eq=False)
class Hits:
    """The first hits of rays: `far` (n,) from the origin, inf where nothing is; `links` (n,) ids;
    `normals` (n, 3) in the world and towards the origin; `alone`: link -> the rays (n,) that would
    hit it if nothing else were there. The last two are kept where they are given."""

    far: Vector
    links: NDArray[np.int32]
    normals: NDArray[np.float32] | None = None
    alone: dict[int, NDArray[np.bool_]] | None = None


def start_hits(count: int) -> Hits:
    """Returns rays that have hit nothing yet."""
    return Hits(far=np.full(count, np.inf), links=np.zeros(count, dtype=np.int32))


def cast(obstacles: Sequence[Obstacle], rays: Rays, hits: Hits | None = None) -> Hits:
    """Casts rays at all obstacles; returns `hits`, where these are not given new ones."""
    count = len(rays.directions)
    hits = start_hits(count) if hits is None else hits
    if count > _MANY_RAYS and len(obstacles) > _MANY_SHAPES and hits.alone is None:
        obstacles = [Obstacle(shape=join_shapes(obstacles), frame=np.eye(4))]
    for obstacle in obstacles:
        _cast_at(obstacle, rays, hits)
    return hits


def cast_steps(obstacles: Sequence[Obstacle], rays: Rays) -> Generator[Progress, None, Hits]:
    """Runs cast in steps of few milliseconds."""
    count = len(rays.directions)
    hits = start_hits(count)
    for first in range(0, count, _STEP):
        part = slice(first, first + _STEP)
        some, found = rays.part(part), Hits(far=hits.far[part], links=hits.links[part])
        for obstacle in obstacles:
            _cast_at(obstacle, some, found)
            yield Progress(share=first / count, text="rays")
    return hits


def _cast_at(obstacle: Obstacle, rays: Rays, hits: Hits) -> None:
    places, far, faces = _cast_one(obstacle, rays, None if hits.alone is not None else hits.far)
    if hits.alone is not None and obstacle.link:
        mask = hits.alone.setdefault(obstacle.link, np.zeros(len(hits.far), bool))
        mask[places] = True
    nearer = far < hits.far[places]
    places, faces = places[nearer], faces[nearer]
    hits.far[places] = far[nearer]
    several = obstacle.shape.links
    hits.links[places] = obstacle.link if several is None else several[faces]
    if hits.normals is not None and len(places):
        hits.normals[places] = _turn_normals(obstacle, rays.origin)[faces]


def turn(vectors: NDArray[Any], frame: NDArray[Any]) -> Matrix:
    """Returns vectors (n, 3), turned by the rotation of a frame. Products of matrices would be left
    to a library with threads, which wait for each other for longer than this takes."""
    turned: Matrix = np.einsum("ij,kj->ik", vectors, frame[:3, :3])
    return turned


def _along(vectors: Matrix, way: Vector) -> Vector:
    products: Vector = np.einsum("ij,j->i", vectors, way)
    return products


def _turn_normals(obstacle: Obstacle, origin: Vector) -> NDArray[np.float32]:
    """Returns the normals (m, 3) of triangles in the world, on the side of an origin (3,)."""
    shape = obstacle.shape
    inside = (origin - obstacle.frame[:3, 3]) @ obstacle.frame[:3, :3]
    ways = inside - shape.points[shape.triangles[:, 0]]
    behind = np.einsum("ij,ij->i", shape.normals, ways) < 0.0
    turned = turn(shape.normals, obstacle.frame)
    turned[behind] *= -1.0
    return turned.astype(np.float32)


def _cast_one(
    obstacle: Obstacle, rays: Rays, taken: Vector | None
) -> tuple[NDArray[np.intp], Vector, NDArray[np.intp]]:
    """Casts the rays that pass the sphere about an obstacle, up to their hits at `taken` (n,).
    Returns the places of the hits, their distances and the triangles."""
    center, radius = obstacle.shape.sphere
    rotation = obstacle.frame[:3, :3]
    away = rotation @ center + obstacle.frame[:3, 3] - rays.origin
    places = rays.near_sphere(away, radius)
    directions = rays.directions[places]
    along, outside = _along(directions, away), away @ away - radius**2 * 1.0001 - 1e-9
    least = np.sqrt(outside) if outside > 0.0 else -np.inf
    reach = rays.far[places] if taken is None else np.minimum(rays.far[places], taken[places])
    passed = (along >= least) & (along + radius >= rays.near[places]) & (along - radius <= reach)
    places, directions, reach = places[passed], directions[passed], reach[passed]
    origin = (rays.origin - obstacle.frame[:3, 3]) @ rotation
    ways, near = turn(directions, rotation.T), rays.near[places]
    triangles = len(obstacle.shape.triangles)
    if triangles <= _FEW and len(places) > _MANY * triangles:
        far, faces = _cross(obstacle.shape, origin, ways, near)
    else:
        far, faces = _cast_tree(obstacle.shape.tree, origin, ways, near)
    hit = far <= reach
    return places[hit], far[hit], faces[hit]


def _cast_tree(
    tree: Any, origin: Vector, ways: Matrix, near: Vector
) -> tuple[Vector, NDArray[np.intp]]:
    """Casts rays at a tree: their distances, NaN where nothing is, and the triangles."""
    start, cast_ray = tuple(origin.tolist()), tree.ray_cast
    found = [hit[2:] for hit in map(cast_ray, repeat(start), ways.tolist())]
    values = np.array(found, dtype=float).reshape(-1, 2)
    far, faces = values[:, 1], values[:, 0]
    # The first hit may be too near to be seen: those rays begin again there.
    for place in np.flatnonzero(far < near).tolist():
        first, way = float(near[place]), ways[place]
        again = cast_ray((origin + way * first).tolist(), way.tolist())
        values[place] = np.array(again[2:], dtype=float)
        far[place] += first
    return far, np.nan_to_num(faces).astype(np.intp)


def _cross(
    shape: Shape, origin: Vector, ways: Matrix, near: Vector
) -> tuple[Vector, NDArray[np.intp]]:
    """Does the work of _cast_tree for many rays at few triangles, one triangle after another
    (Moeller and Trumbore 1997)."""
    far, faces = np.full(len(ways), np.nan), np.zeros(len(ways), dtype=np.intp)
    a, b, c = (shape.points[shape.triangles[:, corner]] for corner in range(3))
    one, two, start = b - a, c - a, origin - a
    # Products of a ray's direction with vectors that all rays share.
    flat, first, second = np.cross(one, two), np.cross(start, two), np.cross(one, start)
    heights = -np.einsum("ij,ij->i", start, flat)
    for number, height in enumerate(heights.tolist()):
        with np.errstate(divide="ignore", invalid="ignore"):
            share = 1.0 / _along(ways, flat[number])
            u, v = (_along(ways, each[number]) * share for each in (first, second))
            t = height * share
            hit = (u >= -_EDGE) & (v >= -_EDGE) & (u + v <= 1.0 + _EDGE) & (t >= near)
            hit &= ~(t >= far)
        far[hit], faces[hit] = t[hit], number
    return far, faces
