# SPDX-License-Identifier: GPL-3.0-or-later
"""Simple shapes around points: box, oriented box, cylinder, capsule, sphere.

Every shape contains every point. Its direction is searched among some tens of candidates (the
frame's own axes, the principal axes, the large faces of a hull of few triangles), and measured
with all points. So a shape may be a little larger than the smallest one there is; a direction of
the frame is kept where another one saves less than a thousandth of the volume.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...kinematics.transforms import Matrix, Vector, plane_axes, unit
from ...model import Box, Capsule, Cylinder, Sphere
from .enclosing import enclosing_ball, smallest_rectangle
from .hulls import Hull, Points, convex_hull

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
        return primitive_volume(self.geometry)


def primitive_volume(geometry: Primitive) -> float:
    match geometry:
        case Box(size=(x, y, z)):
            return x * y * z
        case Cylinder(radius=radius, length=length):
            return math.pi * radius**2 * length
        case Sphere(radius=radius):
            return 4.0 / 3.0 * math.pi * radius**3
        case Capsule(radius=radius, length=length):
            return math.pi * radius**2 * (length + 4.0 / 3.0 * radius)


def coarse_hull(points: Points) -> Hull | None:
    """What directions are searched on; None where the points are flat."""
    return convex_hull(points, _COARSE_TRIANGLES)


def fit_box(points: Points) -> Fit:
    """The smallest box along the axes of the frame around (N, 3) points, N > 0."""
    return _box_along(points, np.eye(3))


def fit_oriented_box(points: Points, hull: Hull | None) -> Fit:
    """A box of any direction: one side lies on a face of the hull, as O'Rourke's smallest box does
    in nearly every case, and the rectangle in that plane is the smallest."""
    corners = points if hull is None else hull.vertices
    rotations = [_box_rotation(corners, axis) for axis in _directions(points, hull)]
    volumes = [float(np.prod(np.ptp(corners @ rotation, axis=0))) for rotation in rotations]
    nearest = np.argsort(volumes, kind="stable")[:3]
    return _smallest([fit_box(points)] + [_box_along(points, rotations[i]) for i in nearest])


def fit_cylinder(points: Points, hull: Hull | None) -> Fit:
    """A cylinder of any direction with the smallest circle around the points."""
    return _smallest(_cylinder_along(points, axis) for axis in _round_axes(points, hull))


def fit_capsule(points: Points, hull: Hull | None) -> Fit:
    """A capsule of any direction about the smallest circle, as short as it can be."""
    return _smallest(_capsule_along(points, axis) for axis in _round_axes(points, hull))


def fit_sphere(points: Points) -> Fit:
    """The smallest sphere."""
    centre, radius = enclosing_ball(points)
    return Fit(Sphere(radius=max(radius, _THINNEST_LENGTH)), _frame(np.eye(3), centre))


def _smallest(fits: Iterable[Fit]) -> Fit:
    """The first of those that are as small as the smallest but for a thousandth."""
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
    size = _not_flat(high - low)
    sides = (float(size[0]), float(size[1]), float(size[2]))
    return Fit(Box(size=sides), _frame(rotation, rotation @ ((low + high) / 2.0)))


def _cylinder_along(points: Points, axis: Vector) -> Fit:
    turned, rotation, centre, radius = _around(points, axis)
    low, high = float(turned[:, 2].min()), float(turned[:, 2].max())
    largest = max(radius, high - low)
    radius, length = _thick(radius, largest), _thick(high - low, largest)
    middle = rotation @ np.array([*centre, (low + high) / 2.0])
    return Fit(Cylinder(radius=radius, length=length), _frame(rotation, middle))


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
        return Fit(Sphere(radius=radius), _frame(np.eye(3), middle))
    return Fit(Capsule(radius=radius, length=high - low), _frame(rotation, middle))


def _around(points: Points, axis: Vector) -> tuple[Points, Matrix, Points, float]:
    """The points in a frame with z along `axis`, that frame, and the circle around them in it."""
    rotation = np.column_stack([*plane_axes(axis), axis])
    turned = points @ rotation
    centre, radius = enclosing_ball(turned[:, :2])
    return turned, rotation, centre, radius


def _round_axes(points: Points, hull: Hull | None) -> list[Vector]:
    """Directions for round shapes: those of the frame, of the oriented box, and the most promising
    of the others, judged on the hull by the area of the rectangle across."""
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
    """Opposite ones are one, and so are those within about a tenth of a degree."""
    kept: list[Vector] = []
    for axis in axes:
        if np.isfinite(axis).all() and axis @ axis > 0.5 and not _holds(kept, axis):
            kept.append(axis)
    return kept


def _holds(axes: list[Vector], axis: Vector) -> bool:
    return bool(axes) and float(np.abs(np.array(axes) @ axis).max()) > 1.0 - 1e-6


def _not_flat(size: Vector) -> Vector:
    return np.maximum(size, max(_THINNEST * float(size.max()), _THINNEST_LENGTH))


def _thick(length: float, largest: float) -> float:
    return max(length, _THINNEST * largest, _THINNEST_LENGTH)


def _frame(rotation: Matrix, place: Vector) -> Matrix:
    frame = np.eye(4)
    frame[:3, :3] = rotation
    frame[:3, 3] = place
    return frame
