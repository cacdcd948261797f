# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of shapes that are defined by their sizes.

All but extrusions and polyhedra are centred on their frame. They are upright along z and have their
extents exactly: the points on the axes are vertices. Round shapes have 32 sides, so in between they
lie up to half a percent of the radius inside the true surface.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError
from ..model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Extrusion,
    Polyhedron,
    Primitive,
    Solid,
    Sphere,
    Vector3,
)
from .mesh_data import MeshData
from .triangles import unpack_surface

SEGMENTS = 32
"""Around z; a multiple of four, so that there are vertices on the x and y axes."""

RINGS = 16
"""From pole to pole; even, so that there is an equator."""

_THIS = np.arange(SEGMENTS)
_FOLLOWING = np.roll(_THIS, -1)
_AROUND = np.column_stack([_THIS, _FOLLOWING, _FOLLOWING, _THIS])
"""(SEGMENTS, 4), the corners of the faces between two rings, as indices around each."""

_BOX_FACES = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))


def make_primitive(geometry: Primitive | Solid) -> MeshData:
    """Makes the mesh of a shape of the model. Raises MeshError `invalid-size` as from the functions
    below."""
    match geometry:
        case Box(size=size):
            return make_box(size)
        case Cylinder(radius=radius, length=length):
            return make_cylinder(radius, length)
        case Sphere(radius=radius):
            return make_sphere(radius)
        case Capsule(radius=radius, length=length):
            return make_capsule(radius, length)
        case Ellipsoid(radii=radii):
            return make_ellipsoid(radii)
        case Cone(radius=radius, length=length):
            return make_cone(radius, length)
        case Extrusion() | Polyhedron():
            points, faces = unpack_surface(geometry)
            corners = faces.ravel().astype(np.int32)
            return MeshData(vertices=points.astype(np.float32), corners=corners)


def make_box(size: tuple[float, float, float]) -> MeshData:
    """Makes six quads, flat. `size` is the full lengths; MeshError `invalid-size` unless all are >
    0."""
    _check("box", "size", *size)
    signs = np.array([[(i >> axis & 1) - 0.5 for axis in range(3)] for i in range(8)])
    return MeshData(
        vertices=(signs * size).astype(np.float32),
        corners=np.array(_BOX_FACES, dtype=np.int32).ravel(),
        face_sizes=np.full(6, 4, dtype=np.int32),
    )


def make_cylinder(radius: float, length: float) -> MeshData:
    """Quads around and two flat caps; the corner normals keep the rims sharp.

    MeshError `invalid-size` unless both are > 0.
    """
    _check("cylinder", "radius", radius)
    _check("cylinder", "length", length)
    circle = _circle()
    rim = circle * radius
    heights = np.repeat([-length / 2, length / 2], SEGMENTS)
    around = _quads_between(0, SEGMENTS)
    bottom = _THIS[::-1]
    top = SEGMENTS + _THIS
    outward = np.column_stack([np.tile(circle, (2, 1)), np.zeros(2 * SEGMENTS)])
    normals = [
        outward[around.ravel()],
        np.tile([0.0, 0.0, -1.0], (SEGMENTS, 1)),
        np.tile([0.0, 0.0, 1.0], (SEGMENTS, 1)),
    ]
    return MeshData(
        vertices=np.column_stack([np.tile(rim, (2, 1)), heights]).astype(np.float32),
        corners=np.concatenate([around.ravel(), bottom, top]).astype(np.int32),
        face_sizes=np.array([4] * SEGMENTS + [SEGMENTS, SEGMENTS], dtype=np.int32),
        normals=np.concatenate(normals).astype(np.float32),
        smooth=True,
    )


def make_sphere(radius: float) -> MeshData:
    """Quads and, at the poles, triangles; smooth. MeshError `invalid-size` unless radius > 0."""
    _check("sphere", "radius", radius)
    up, out = _quarter_turns(RINGS * 2)[: RINGS + 1].T
    return _make_turned(-up * radius, out * radius)


def make_ellipsoid(radii: Vector3) -> MeshData:
    """Makes a sphere that is scaled; smooth. MeshError `invalid-size` unless all radii are > 0."""
    _check("ellipsoid", "radii", *radii)
    ball = make_sphere(1.0)
    return replace(ball, vertices=(ball.vertices * np.array(radii)).astype(np.float32))


def make_cone(radius: float, length: float) -> MeshData:
    """Triangles around and a flat base; the corner normals keep the rim sharp.

    MeshError `invalid-size` unless both are > 0.
    """
    _check("cone", "radius", radius)
    _check("cone", "length", length)
    circle = _circle()
    around = np.column_stack([_THIS, _FOLLOWING, np.full(SEGMENTS, SEGMENTS)])
    slope = math.hypot(radius, length)
    outward = np.column_stack([circle * (length / slope), np.full(SEGMENTS, radius / slope)])
    ahead = np.roll(outward, -1, axis=0)
    middle = outward + ahead
    middle /= np.linalg.norm(middle, axis=1, keepdims=True)
    walls = np.stack([outward, ahead, middle], axis=1).reshape(-1, 3)
    rim = np.column_stack([circle * radius, np.full(SEGMENTS, -length / 2)])
    return MeshData(
        vertices=np.vstack([rim, [[0.0, 0.0, length / 2]]]).astype(np.float32),
        corners=np.concatenate([around.ravel(), _THIS[::-1]]).astype(np.int32),
        face_sizes=np.array([3] * SEGMENTS + [SEGMENTS], dtype=np.int32),
        normals=np.vstack([walls, np.tile([0.0, 0.0, -1.0], (SEGMENTS, 1))]).astype(np.float32),
        smooth=True,
    )


def make_capsule(radius: float, length: float) -> MeshData:
    """Makes a cylinder of `length` between two half spheres; smooth. Without length it is a sphere.

    MeshError `invalid-size` unless radius > 0 and length >= 0.
    """
    if length == 0.0:
        return make_sphere(radius)
    _check("capsule", "radius", radius)
    _check("capsule", "length", length)
    up, out = _quarter_turns(RINGS * 2)[: RINGS + 1].T
    half = RINGS // 2
    lower, upper = -up[: half + 1] * radius, -up[half:] * radius
    heights = np.concatenate([lower - length / 2, upper + length / 2])
    return _make_turned(heights, np.concatenate([out[: half + 1], out[half:]]) * radius)


def _make_turned(heights: NDArray[np.float64], radii: NDArray[np.float64]) -> MeshData:
    """The surface of a profile turned about z, bottom to top; its ends lie on z."""
    circle = _circle()
    rings = len(heights) - 2
    wall = np.column_stack(
        [(circle * radii[1:-1, None, None]).reshape(-1, 2), np.repeat(heights[1:-1], SEGMENTS)]
    )
    poles = [[0.0, 0.0, heights[0]], [0.0, 0.0, heights[-1]]]
    quads = [_quads_between(i * SEGMENTS, (i + 1) * SEGMENTS) for i in range(rings - 1)]
    south = np.full(SEGMENTS, rings * SEGMENTS)
    last = (rings - 1) * SEGMENTS
    fans = [
        np.column_stack([_FOLLOWING, _THIS, south]),
        np.column_stack([last + _THIS, last + _FOLLOWING, south + 1]),
    ]
    return MeshData(
        vertices=np.concatenate([wall, poles]).astype(np.float32),
        corners=np.concatenate([part.ravel() for part in (*quads, *fans)]).astype(np.int32),
        face_sizes=np.repeat([4, 3], [SEGMENTS * (rings - 1), 2 * SEGMENTS]).astype(np.int32),
        smooth=True,
    )


def _quads_between(lower: int, upper: int) -> NDArray[np.int64]:
    """(SEGMENTS, 4): the faces between two rings of vertices that begin at these indices."""
    quads: NDArray[np.int64] = _AROUND + np.array([lower, lower, upper, upper])
    return quads


def _circle() -> NDArray[np.float64]:
    return _quarter_turns(SEGMENTS)


@cache
def _quarter_turns(count: int) -> NDArray[np.float64]:
    """(count, 2): cos and sin of equal steps of a full turn, exactly 0 and 1 on the axes."""
    angles = np.arange(count) * (2 * math.pi / count)
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    quarters = points[:: count // 4]
    quarters[:] = np.round(quarters)
    points.flags.writeable = False
    return points


def _check(shape: str, what: str, *lengths: float) -> None:
    if not all(0.0 < length <= 1e9 for length in lengths):
        numbers = " ".join(f"{length:g}" for length in lengths)
        raise MeshError(f"a {shape} of {what} {numbers} has no volume", code="invalid-size")
