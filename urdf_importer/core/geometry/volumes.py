# SPDX-License-Identifier: GPL-3.0-or-later
"""Volume, centre and inertia of shapes of density 1.

Of a closed mesh by the divergence theorem: a sum over the tetrahedra between a point and each
triangle, with a sign. The second moments of one tetrahedron follow Tonon, "Explicit exact formulas
for the 3-D tetrahedron inertia tensor" (2004), in the covariance form of Blow and Binstock (2004).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

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
    Inertia,
    Polyhedron,
    Primitive,
    Solid,
    Sphere,
)
from .mesh_data import weld_points
from .transforms import Matrix, Vector
from .triangles import Triangles, unpack_surface


@dataclass(frozen=True, slots=True, eq=False)
class MassProperties:
    """Of a body of density 1 kg/m^3.

    volume   m^3
    centre   (3,) centre of mass, metres
    inertia  (3, 3) about the centre of mass along the frame's axes, kg m^2
    """

    volume: float
    centre: Vector
    inertia: Matrix

    def moved(self, frame: Matrix) -> "MassProperties":
        """Returns the same body, seen from the frame in which its own frame is `frame` (4, 4)."""
        rotation = frame[:3, :3]
        centre = rotation @ self.centre + frame[:3, 3]
        return MassProperties(self.volume, centre, rotation @ self.inertia @ rotation.T)

    def times(self, density: float) -> "MassProperties":
        """Returns the same body with another density: its mass is the `volume`."""
        return MassProperties(self.volume * density, self.centre, self.inertia * density)


def tensor_of(inertia: Inertia | None) -> Matrix:
    """Returns the tensor (3, 3); zero where there is none."""
    i = inertia or Inertia()
    return np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]])


def inertia_of(tensor: Matrix, like: Inertia | None = None) -> Inertia:
    """Returns a tensor (3, 3) as the model has it; the data of `like` beyond URDF comes along."""
    return replace(
        like or Inertia(),
        ixx=float(tensor[0, 0]),
        ixy=float(tensor[0, 1]),
        ixz=float(tensor[0, 2]),
        iyy=float(tensor[1, 1]),
        iyz=float(tensor[1, 2]),
        izz=float(tensor[2, 2]),
    )


def join_masses(found: Iterable[MassProperties | None]) -> MassProperties | None:
    """Bodies of one frame as one (where they overlap both count); None, as in their place for a
    body without volume, for no volume at all."""
    bodies = [body for body in found if body is not None]
    volume = sum(body.volume for body in bodies)
    if volume <= 0.0:
        return None
    centre = sum((body.volume * body.centre for body in bodies), np.zeros(3)) / volume
    inertia = np.zeros((3, 3))
    for body in bodies:
        arm = body.centre - centre
        inertia += body.inertia + body.volume * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return MassProperties(volume, centre, inertia)


def mesh_mass(triangles: Triangles) -> MassProperties | None:
    """Returns the mass of a mesh that encloses a volume; None where it is open, flat or turned
    about partly."""
    vertices, welded = weld_points(triangles.vertices)
    faces = welded[triangles.corners].reshape(-1, 3)
    if not is_closed(faces, len(vertices)):
        return None
    return polyhedron_mass(vertices.astype(np.float64), faces)


def is_closed(faces: NDArray[np.integer], vertex_count: int) -> bool:
    """Whether every edge is run through as often in one direction as in the other."""
    start = faces.astype(np.int64).ravel()
    end = np.roll(faces.astype(np.int64), -1, axis=1).ravel()
    one, other = start * vertex_count + end, end * vertex_count + start
    return len(faces) > 3 and bool(np.array_equal(np.sort(one), np.sort(other)))


def polyhedron_mass(
    vertices: NDArray[np.float64], faces: NDArray[np.integer]
) -> MassProperties | None:
    """Returns the mass of closed triangles; inside out counts as well. None where there is no
    volume."""
    origin = vertices.mean(axis=0)
    a, b, c = ((vertices - origin)[faces[:, i]] for i in range(3))
    sixfold = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(sixfold.sum()) / 6.0
    if abs(volume) < 1e-12 * float(np.ptp(vertices, axis=0).max()) ** 3 or volume == 0.0:
        return None
    total = a + b + c
    centre = (sixfold @ total) / 24.0 / volume
    moments = sum((sixfold[:, None] * p).T @ p for p in (a, b, c, total)) / 120.0
    sign = math.copysign(1.0, volume)
    moments = sign * (moments - volume * np.outer(centre, centre))
    inertia = np.trace(moments) * np.eye(3) - moments
    return MassProperties(abs(volume), origin + centre, inertia)


def primitive_mass(geometry: Primitive | Solid) -> MassProperties:
    """Returns the exact mass in the frame of the shape. Raises MeshError `invalid-size` for an
    extrusion or a polyhedron that encloses nothing."""
    centre = np.zeros(3)
    match geometry:
        case Box(size=(x, y, z)):
            volume = x * y * z
            parts = (y * y + z * z, x * x + z * z, x * x + y * y)
            diagonal = [volume * part / 12.0 for part in parts]
        case Cylinder(radius=r, length=h):
            volume = math.pi * r * r * h
            side = volume * (3.0 * r * r + h * h) / 12.0
            diagonal = [side, side, volume * r * r / 2.0]
        case Sphere(radius=r):
            volume = 4.0 / 3.0 * math.pi * r**3
            diagonal = [0.4 * volume * r * r] * 3
        case Capsule(radius=r, length=h):
            volume, diagonal = _capsule_moments(r, h)
        case Ellipsoid(radii=(a, b, c)):
            volume = 4.0 / 3.0 * math.pi * a * b * c
            diagonal = [
                0.2 * volume * sum_of for sum_of in (b * b + c * c, a * a + c * c, a * a + b * b)
            ]
        case Cone(radius=r, length=h):
            volume = math.pi * r * r * h / 3.0
            # The centre of mass is a quarter of the height above the base, which is at -h/2.
            centre = np.array([0.0, 0.0, -0.25 * h])
            side = volume * (0.15 * r * r + 0.0375 * h * h)
            diagonal = [side, side, 0.3 * volume * r * r]
        case Extrusion() | Polyhedron():
            return _measure_surface(geometry)
    return MassProperties(volume, centre, np.diag(diagonal))


def _measure_surface(geometry: Extrusion | Polyhedron) -> MassProperties:
    points, faces = unpack_surface(geometry)
    is_sound = isinstance(geometry, Extrusion) or is_closed(faces, len(points))
    body = polyhedron_mass(points, faces) if is_sound else None
    if body is None:
        kind = type(geometry).__name__.lower()
        raise MeshError(f"an open or flat {kind} has no volume", code="invalid-size")
    return body


def _capsule_moments(r: float, h: float) -> tuple[float, list[float]]:
    """A cylinder and two half spheres, whose centres are 3/8 r from their flat sides."""
    tube, ball = math.pi * r * r * h, 4.0 / 3.0 * math.pi * r**3
    arm = h * h / 4.0 + 3.0 / 8.0 * h * r
    side = tube * (3.0 * r * r + h * h) / 12.0 + ball * (0.4 * r * r + arm)
    return tube + ball, [side, side, tube * r * r / 2.0 + ball * 0.4 * r * r]
