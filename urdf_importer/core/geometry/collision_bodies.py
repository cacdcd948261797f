# SPDX-License-Identifier: GPL-3.0-or-later
"""The collision body of a mesh: itself, its hull, or a simple shape around it.

exact           the mesh
hull            its convex hull
box             the smallest box along the axes of the shape's frame
oriented_box, cylinder, capsule   in any direction
sphere          the smallest one
auto            the simple shape of least volume, where that is at most 15 % more than the hull's;
                else the hull, of at most 256 triangles unless a budget says otherwise

All but `exact` contain the mesh. A budget of triangles coarsens `exact` by vertex clustering, which
does not contain it any more (see simplify), and makes a hull larger that still does.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .fitting import (
    Fit,
    coarse_hull,
    fit_box,
    fit_capsule,
    fit_cylinder,
    fit_oriented_box,
    fit_sphere,
)
from .hulls import Hull, Points, convex_hull, mesh_of_hull
from .simplify import simplify
from .triangles import Triangles, make_triangles
from .volumes import mesh_mass

AUTO_TOLERANCE = 0.15
AUTO_HULL_TRIANGLES = 256

_FITS: dict[str, Callable[[Points, Hull | None], Fit]] = {
    "box": lambda points, _hull: fit_box(points),
    "oriented_box": fit_oriented_box,
    "cylinder": fit_cylinder,
    "capsule": fit_capsule,
    "sphere": lambda points, _hull: fit_sphere(points),
}
KINDS = ("exact", "hull", *_FITS, "auto")
_CHEAPEST_FIRST = ("sphere", "capsule", "box", "oriented_box", "cylinder")
_SAVING = 0.999


@dataclass(frozen=True, slots=True, eq=False)
class CollisionBody:
    """The collision body in place of a mesh.

    `body` is a simple shape with its frame, or triangles, in the frame of the mesh. `kind` is the
    kind made, which differs from the requested one with `auto`, and for a hull of points in one
    plane: a thin box. `volume` is the body's, `reference` the volume of the mesh (closed) or of its
    hull (open), both in m^3; 0 where it is not known.
    """

    body: Fit | Triangles
    kind: str
    volume: float
    reference: float


def fit_collision(triangles: Triangles, kind: str, most_triangles: int = 0) -> CollisionBody:
    """Returns the body of this kind (in KINDS) for a mesh that has triangles. With `most_triangles`
    at 0 their number is not limited."""
    if kind == "exact":
        return _keep(triangles, most_triangles)
    points = np.unique(triangles.vertices[triangles.corners].astype(np.float64), axis=0)
    if kind == "hull":
        return _wrap(points, triangles, most_triangles)
    hull = coarse_hull(points)
    if kind in _FITS:
        fit = _FITS[kind](points, hull)
        return CollisionBody(fit, kind, fit.volume, _reference(triangles, hull))
    return _choose(points, triangles, most_triangles)


def _keep(triangles: Triangles, most_triangles: int) -> CollisionBody:
    mass = mesh_mass(triangles)
    reference = mass.volume if mass else 0.0
    if not most_triangles or triangles.count <= most_triangles:
        return CollisionBody(triangles, "exact", reference, reference)
    fewer = simplify(triangles, most_triangles)
    if fewer is None:
        points = triangles.vertices.astype(np.float64)
        return _wrap(points, triangles, most_triangles)
    mass = mesh_mass(fewer)
    return CollisionBody(fewer, "exact", mass.volume if mass else 0.0, reference)


def _wrap(points: Points, triangles: Triangles, most_triangles: int) -> CollisionBody:
    hull = convex_hull(points, most_triangles)
    if hull is None:
        fit = fit_oriented_box(points, None)
        return CollisionBody(fit, "oriented_box", fit.volume, 0.0)
    return CollisionBody(_outside(hull), "hull", hull.volume, _reference(triangles, hull))


def _choose(points: Points, triangles: Triangles, most_triangles: int) -> CollisionBody:
    """Returns, of volumes within a thousandth, the shape that is cheapest to collide."""
    budget = most_triangles or AUTO_HULL_TRIANGLES
    coarse = coarse_hull(points)
    fits = {name: _FITS[name](points, coarse) for name in _CHEAPEST_FIRST}
    least = min(fit.volume for fit in fits.values())
    best = next(name for name, fit in fits.items() if fit.volume * _SAVING <= least)
    hull = convex_hull(points, budget)
    if hull is None or fits[best].volume <= (1.0 + AUTO_TOLERANCE) * hull.volume:
        reference = _reference(triangles, hull)
        return CollisionBody(fits[best], best, fits[best].volume, reference)
    return CollisionBody(_outside(hull), "hull", hull.volume, _reference(triangles, hull))


def _outside(hull: Hull) -> Triangles:
    return make_triangles(mesh_of_hull(hull, hull.offsets))[0]


def _reference(triangles: Triangles, hull: Hull | None) -> float:
    mass = mesh_mass(triangles)
    return mass.volume if mass else hull.volume if hull else 0.0
