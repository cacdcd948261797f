# SPDX-License-Identifier: GPL-3.0-or-later
"""Smallest circles and balls around points, and smallest rectangles."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..model import Box, Capsule, Cylinder, Sphere
from .hulls import Hull, Points, convex_hull
from .transforms import Matrix, Vector, make_frame, plane_axes, unit
from .volumes import primitive_mass

_MOST_STEPS = 200
_SLACK = 1e-10


def enclosing_ball(points: Points) -> tuple[Points, float]:
    """Returns centre (D,) and radius of the smallest ball around (N, D) points, D = 2 or 3.

    The ball of a few points grows by the farthest point that it lacks until none is outside; each
    step makes it larger, so the search ends. The radius is measured at last, over all points: the
    ball contains them whatever rounding did.
    """
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    if size == 0.0:
        return points[0].copy(), 0.0
    origin = points.mean(axis=0)
    scaled = (points - origin) / size
    support = [int(np.einsum("ij,ij->i", scaled, scaled).argmax())]
    centre = scaled[support[0]]
    for _ in range(_MOST_STEPS):
        chosen, centre, radius = _smallest_ball(scaled[support])
        distances = np.linalg.norm(scaled - centre, axis=1)
        farthest = int(distances.argmax())
        if distances[farthest] <= radius + _SLACK:
            break
        support = [support[index] for index in chosen] + [farthest]
    reach = float(np.linalg.norm(scaled - centre, axis=1).max())
    return centre * size + origin, reach * size


def _smallest_ball(points: Points) -> tuple[tuple[int, ...], Points, float]:
    """Of at most D + 2 points, by trying all of their subsets: which ones hold it, and it."""
    count, dimensions = points.shape
    best: tuple[tuple[int, ...], Points, float] | None = None
    for size in range(1, min(count, dimensions + 1) + 1):
        for subset in combinations(range(count), size):
            centre = _circumcentre(points[list(subset)])
            reach = float(np.sqrt(((points - centre) ** 2).sum(axis=1).max()))
            if best is None or reach < best[2] - _SLACK / 100:
                best = subset, centre, reach
    assert best is not None
    return best


def _circumcentre(points: Points) -> Points:
    """The point of equal distance to all of these, in the flat that they span."""
    first = points[0]
    edges = points[1:] - first
    if not len(edges):
        return points.mean(axis=0)
    gram = edges @ edges.T
    halves = gram.diagonal() / 2.0
    try:
        weights = np.linalg.solve(gram, halves)
    except np.linalg.LinAlgError:
        return points.mean(axis=0)
    if not np.isfinite(weights).all() or np.abs(weights).max() > 1e6:
        return points.mean(axis=0)
    centre: Points = first + weights @ edges
    return centre


def smallest_rectangle(points: Points) -> float:
    """Returns the angle by which to turn the plane's axes so that (N, 2) points span the least
    area.

    One side of the smallest rectangle lies on an edge of the convex hull (Freeman and Shapira
    1975), so the hull's edge angles are tried.
    """
    outline = _outline(points)
    edges = np.roll(outline, -1, axis=0) - outline
    angles = np.unique(np.concatenate([[0.0], np.arctan2(edges[:, 1], edges[:, 0]) % (np.pi / 2)]))
    cosines, sines = np.cos(angles), np.sin(angles)
    along = np.outer(cosines, outline[:, 0]) + np.outer(sines, outline[:, 1])
    across = np.outer(cosines, outline[:, 1]) - np.outer(sines, outline[:, 0])
    return float(angles[(np.ptp(along, axis=1) * np.ptp(across, axis=1)).argmin()])


def _outline(points: Points) -> Points:
    """The convex hull of points in the plane (Andrew's monotone chain)."""
    rows = sorted(set(map(tuple, points.tolist())))
    if len(rows) < 3:
        return np.array(rows)
    return np.array(_half_outline(rows) + _half_outline(rows[::-1]))


def _half_outline(rows: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    kept: list[tuple[float, ...]] = []
    for x, y in rows:
        while len(kept) > 1:
            (ax, ay), (bx, by) = kept[-2], kept[-1]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                break
            kept.pop()
        kept.append((x, y))
    return kept[:-1]


Primitive = Box | Cylinder | Capsule | Sphere

_COARSE_TRIANGLES = 200
_MOST_DIRECTIONS = 24
_SAVING = 0.999
_THINNEST = 1e-4
"""Of the largest side: nothing in a physics engine may be flat."""
_THINNEST_LENGTH = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A shape of the model and its frame (4, 4) in the frame of the points."""

    geometry: Primitive
    frame: Matrix

    @property
    def volume(self) -> float:
        return primitive_mass(self.geometry).volume


def coarse_hull(points: Points) -> Hull | None:
    """Returns the points on which directions are searched; None where the points are flat."""
    return convex_hull(points, _COARSE_TRIANGLES)


def fit_box(points: Points) -> Fit:
    """Returns the smallest box along the axes of the frame around (N, 3) points, N > 0."""
    return _box_along(points, np.eye(3))


def fit_oriented_box(points: Points, hull: Hull | None) -> Fit:
    """Returns a box of any direction: one side lies on a face of the hull, as O'Rourke's smallest
    box does in nearly every case, and the rectangle in that plane is the smallest."""
    corners = points if hull is None else hull.vertices
    rotations = [_box_rotation(corners, axis) for axis in _directions(points, hull)]
    volumes = [float(np.prod(np.ptp(corners @ rotation, axis=0))) for rotation in rotations]
    nearest = np.argsort(volumes, kind="stable")[:3]
    return _smallest([fit_box(points)] + [_box_along(points, rotations[i]) for i in nearest])


def fit_cylinder(points: Points, hull: Hull | None) -> Fit:
    """Returns a cylinder of any direction with the smallest circle around the points."""
    return _smallest(_cylinder_along(points, axis) for axis in _round_axes(points, hull))


def fit_capsule(points: Points, hull: Hull | None) -> Fit:
    """Returns a capsule of any direction about the smallest circle, as short as it can be."""
    return _smallest(_capsule_along(points, axis) for axis in _round_axes(points, hull))


def fit_sphere(points: Points) -> Fit:
    """Returns the smallest sphere."""
    centre, radius = enclosing_ball(points)
    return Fit(Sphere(radius=max(radius, _THINNEST_LENGTH)), make_frame(np.eye(3), centre))


def _smallest(fits: Iterable[Fit]) -> Fit:
    """The first fit within a thousandth of the smallest."""
    fits = list(fits)
    least = min(fit.volume for fit in fits)
    return next(fit for fit in fits if fit.volume * _SAVING <= least)


def _box_rotation(corners: Points, axis: Vector) -> Matrix:
    """(3, 3), its columns the sides of the smallest box with a side across `axis`."""
    u, v = plane_axes(axis)
    angle = smallest_rectangle(corners @ np.column_stack([u, v]))
    along = math.cos(angle) * u + math.sin(angle) * v
    return np.column_stack([along, np.cross(axis, along), axis])


def _box_along(points: Points, rotation: Matrix) -> Fit:
    turned = points @ rotation
    low, high = turned.min(axis=0), turned.max(axis=0)
    size = (high - low).tolist()
    x, y, z = (_thick(side, max(size)) for side in size)
    return Fit(Box(size=(x, y, z)), make_frame(rotation, rotation @ ((low + high) / 2.0)))


def _cylinder_along(points: Points, axis: Vector) -> Fit:
    turned, rotation, centre, radius = _around(points, axis)
    low, high = float(turned[:, 2].min()), float(turned[:, 2].max())
    largest = max(radius, high - low)
    radius, length = _thick(radius, largest), _thick(high - low, largest)
    middle = rotation @ np.array([*centre, (low + high) / 2.0])
    return Fit(Cylinder(radius=radius, length=length), make_frame(rotation, middle))


def _capsule_along(points: Points, axis: Vector) -> Fit:
    """A point at the distance d from the axis is inside while it is within sqrt(r^2 - d^2) of the
    cylinder's ends. Where that needs no cylinder it is a sphere."""
    turned, rotation, centre, radius = _around(points, axis)
    radius = _thick(radius, max(radius, float(np.ptp(turned[:, 2]))))
    squares = ((turned[:, :2] - centre) ** 2).sum(axis=1)
    reach = np.sqrt(np.maximum(radius**2 - squares, 0.0))
    low, high = float((turned[:, 2] + reach).min()), float((turned[:, 2] - reach).max())
    middle = rotation @ np.array([*centre, (low + high) / 2.0])
    if high - low <= _THINNEST_LENGTH:
        return Fit(Sphere(radius=radius), make_frame(np.eye(3), middle))
    return Fit(Capsule(radius=radius, length=high - low), make_frame(rotation, middle))


def _around(points: Points, axis: Vector) -> tuple[Points, Matrix, Points, float]:
    """The points in a frame with z along `axis`, that frame, and the circle around them in it."""
    rotation = np.column_stack([*plane_axes(axis), axis])
    turned = points @ rotation
    centre, radius = enclosing_ball(turned[:, :2])
    return turned, rotation, centre, radius


def _round_axes(points: Points, hull: Hull | None) -> list[Vector]:
    """Directions for round shapes: the axes of the frame and of the oriented box, and the most
    promising of the others, judged on the hull by the area of the rectangle across."""
    corners = points if hull is None else hull.vertices
    box = fit_oriented_box(points, hull).frame[:3, :3]
    own = [*np.eye(3), *box.T]
    others = _directions(points, hull)
    areas = [_area_across(corners, axis) for axis in others]
    best = [others[index] for index in np.argsort(areas, kind="stable")[:4]]
    return _distinct([*own, *best])


def _area_across(corners: Points, axis: Vector) -> float:
    """Of a cylinder's volume the part that the direction decides: breadth^2 times length."""
    turned = corners @ np.column_stack([*plane_axes(axis), axis])
    breadth = float(np.ptp(turned[:, :2], axis=0).max())
    return breadth**2 * float(np.ptp(turned[:, 2]))


def _directions(points: Points, hull: Hull | None) -> list[Vector]:
    """The frame's axes, the principal axes, and the normals of the hull's largest faces."""
    found = [*np.eye(3), *_principal_axes(points if hull is None else hull.vertices)]
    if hull is not None:
        a, b, c = (hull.vertices[hull.triangles[:, i]] for i in range(3))
        crossed = np.cross(b - a, c - a)
        largest = np.argsort(-np.linalg.norm(crossed, axis=1), kind="stable")
        found += [hull.normals[index] for index in largest[: 2 * _MOST_DIRECTIONS]]
    return _distinct(found)[: _MOST_DIRECTIONS + 6]


def _principal_axes(points: Points) -> list[Vector]:
    centred = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    return [unit(axis) for axis in axes.T]


def _distinct(axes: list[Vector]) -> list[Vector]:
    """Opposite ones are one, and so are directions within about a tenth of a degree."""
    kept: list[Vector] = []
    for axis in axes:
        if np.isfinite(axis).all() and axis @ axis > 0.5 and not _holds(kept, axis):
            kept.append(axis)
    return kept


def _holds(axes: list[Vector], axis: Vector) -> bool:
    return bool(axes) and float(np.abs(np.array(axes) @ axis).max()) > 1.0 - 1e-6


def _thick(length: float, largest: float) -> float:
    return max(length, _THINNEST * largest, _THINNEST_LENGTH)
