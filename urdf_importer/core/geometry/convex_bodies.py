# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex bodies around a mesh: a simple shape, its hull, or parts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from .collision_bodies import fit_collision
from .coverage import find_worst_miss
from .decomposition import MOST_CUT, decompose
from .fitting import Fit
from .hulls import convex_hull
from .mesh_data import MeshData
from .triangles import Triangles, make_triangles
from .volumes import mesh_mass

_KINDS = {"box": "oriented_box"}
"""Shape -> kind of fit_collision, where they have different names."""

_WORTH = 0.85
"""Parts of more volume than this share of the hull are not worth their number."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedBodies:
    """Bodies around a mesh, in its frame.

    bodies  simple shapes with their frames, or convex meshes; together they contain the surface
    volume  of all bodies, m^3
    hull    the volume of the hull of the mesh; 0 for a flat one
    miss    how far the surface reaches beyond the bodies at most, metres
    """

    bodies: tuple[Fit | MeshData, ...]
    volume: float
    hull: float
    miss: float


def fit_bodies(
    triangles: Triangles,
    shape: str,
    split: Callable[[Triangles], tuple[MeshData, ...]],
    most_triangles: int = 256,
) -> FittedBodies:
    """Fits bodies around a mesh of at least one triangle, whose vertices are finite. `shape` is
    "hull", "decomposed", "box", "cylinder", "capsule", "sphere" or "auto": parts where these are
    much smaller than the hull, else a simple shape where it is hardly larger, else the hull. The
    parts come from `split`; a mesh of more than MOST_CUT triangles has none but its hull."""
    bodies: tuple[Fit | MeshData, ...]
    if triangles.count > MOST_CUT:
        bodies = decompose(triangles.vertices, triangles.faces, most_triangles=most_triangles)
        hull = sum(map(find_volume, bodies))
        whole = [make_triangles(each)[0] for each in bodies if isinstance(each, MeshData)]
        bodies = tuple(_choose(whole[0], bodies, shape, hull, most_triangles))
    else:
        points = triangles.vertices[np.unique(triangles.corners)].astype(np.float64)
        wrapped = convex_hull(points, most_triangles)
        hull = 0.0 if wrapped is None else wrapped.volume
        parts: tuple[Fit | MeshData, ...] = ()
        if shape in ("auto", "decomposed"):
            parts = split(triangles)
        bodies = tuple(_choose(triangles, parts, shape, hull, most_triangles))
    return FittedBodies(
        bodies=bodies,
        volume=sum(map(find_volume, bodies)),
        hull=hull,
        miss=find_worst_miss(triangles, bodies),
    )


def _choose(
    triangles: Triangles,
    parts: tuple[Fit | MeshData, ...],
    shape: str,
    hull: float,
    most_triangles: int,
) -> Iterator[Fit | MeshData]:
    is_worth = len(parts) > 1 and sum(map(find_volume, parts)) < _WORTH * hull
    if shape == "decomposed" or is_worth:
        yield from parts
        return
    body = fit_collision(triangles, _KINDS.get(shape, shape), most_triangles).body
    if isinstance(body, Fit):
        yield body
    else:
        yield MeshData(vertices=body.vertices, corners=body.corners)


def find_volume(body: Fit | MeshData) -> float:
    """Returns the volume of a body, m^3; 0 for an open mesh."""
    if isinstance(body, Fit):
        return body.volume
    mass = mesh_mass(make_triangles(body)[0])
    return mass.volume if mass else 0.0
