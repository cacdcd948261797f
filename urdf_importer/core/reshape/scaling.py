# SPDX-License-Identifier: GPL-3.0-or-later
"""Links, shapes and masses made larger or smaller, along each axis of their link."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np

from ..diagnostics import Diagnostics, quote
from ..geometry.transforms import Matrix, matrix_from_pose
from ..geometry.volumes import inertia_of, tensor_of
from ..model import (
    Box,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Extrusion,
    Geometry,
    Inertial,
    Joint,
    Link,
    Mesh,
    Polyhedron,
    Pose,
    Sphere,
    Vector3,
    Visual,
)

Masses = Literal["density", "keep", "mass"]
_ALIGNED = 1e-6
_Shape = TypeVar("_Shape", Visual, Collision)


def scale_vector(vector: Vector3, factors: Vector3) -> Vector3:
    x, y, z = (number * factor for number, factor in zip(vector, factors, strict=True))
    return x, y, z


def scale_origin(pose: Pose, factors: Vector3) -> Pose:
    """Returns the pose moved; its rotation stays."""
    return replace(pose, xyz=scale_vector(pose.xyz, factors))


def map_positions(joint: Joint, change: Callable[[float], float]) -> Joint:
    """Returns the joint with another number in place of each position that its limits, its spring,
    its safety controller and its calibration name."""

    def changed(part: Any, *names: str) -> Any:
        numbers = {name: getattr(part, name, None) for name in names}
        named = {name: change(number) for name, number in numbers.items() if number is not None}
        return replace(part, **named) if named else part

    soft = ("soft_lower_limit", "soft_upper_limit")
    edges = ("rising", "falling", "reference_position")
    return replace(
        joint,
        limit=changed(joint.limit, "lower", "upper"),
        dynamics=changed(joint.dynamics, "reference"),
        safety_controller=changed(joint.safety_controller, *soft),
        calibration=changed(joint.calibration, *edges),
    )


def _scale_inertial(inertial: Inertial, factors: Vector3, masses: Masses) -> Inertial:
    """The mass goes with the volume; the inertia with the second moments of mass."""
    origin = scale_origin(inertial.origin, factors)
    if masses == "keep":
        return replace(inertial, origin=origin)
    x, y, z = factors
    more = x * y * z if masses == "density" else 1.0
    mass = None if inertial.mass is None else inertial.mass * more
    inertia = inertial.inertia
    if inertia is None:
        return replace(inertial, origin=origin, mass=mass)
    tensor = tensor_of(inertia)
    if x == y == z:
        grown = inertia_of(tensor * (more * x * x), inertia)
        return replace(inertial, origin=origin, mass=mass, inertia=grown)
    turn = matrix_from_pose(inertial.origin)[:3, :3]
    tensor = turn @ tensor @ turn.T
    second = np.trace(tensor) / 2.0 * np.eye(3) - tensor
    second = np.outer(factors, factors) * second * more
    grown = inertia_of(np.trace(second) * np.eye(3) - second, inertia)
    return replace(inertial, origin=Pose(xyz=origin.xyz), mass=mass, inertia=grown)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkScaler:
    """Scales links: `masses` and `meshes` as resize takes them."""

    masses: Masses
    meshes: bool
    diagnostics: Diagnostics

    def scale(self, link: Link, factors: Vector3) -> Link:
        """Returns a link with its shapes and its mass, scaled along its axes. Boxes and meshes that
        lie along these are exact, as are all shapes under one factor; others come as near as they
        can."""
        if factors == (1.0, 1.0, 1.0):
            return link
        inertial = link.inertial
        return replace(
            link,
            inertial=None if inertial is None else _scale_inertial(inertial, factors, self.masses),
            visuals=tuple(self._scale_shape(each, link, factors) for each in link.visuals),
            collisions=tuple(self._scale_shape(each, link, factors) for each in link.collisions),
        )

    def _scale_shape(self, shape: _Shape, link: Link, factors: Vector3) -> _Shape:
        origin = scale_origin(shape.origin, factors)
        if isinstance(shape.geometry, Mesh) and not self.meshes:
            return replace(shape, origin=origin)
        geometry, is_exact = scale_geometry(shape.geometry, _own_factors(shape, factors))
        if not is_exact:
            self.diagnostics.warning(
                "shape-not-scaled",
                f"a {type(shape.geometry).__name__.lower()} of link {quote(link.name)} "
                "cannot be scaled by three factors; it keeps its form and takes their volume",
                subject=link.name,
                line=shape.line,
            )
        return replace(shape, origin=origin, geometry=geometry)


def _own_factors(shape: Visual | Collision, factors: Vector3) -> Vector3 | None:
    """The factors along the shape's axes; None where these lie across the link's."""
    x, y, z = factors
    if x == y == z:
        return factors
    turn = np.abs(matrix_from_pose(shape.origin)[:3, :3])
    whole: Matrix = np.round(turn)
    if np.abs(turn - whole).max() > _ALIGNED:
        return None
    a, b, c = (float(number) for number in whole.T @ np.array(factors))
    return a, b, c


def _scale_extrusion(geometry: Extrusion, factors: Vector3) -> Extrusion:
    across = factors[:2]
    outlines = tuple(
        replace(each, points=tuple(n * across[i % 2] for i, n in enumerate(each.points)))
        for each in geometry.outlines
    )
    return Extrusion(outlines=outlines, height=geometry.height * factors[2])


def scale_geometry(geometry: Geometry, factors: Vector3 | None) -> tuple[Geometry, bool]:
    """Returns a shape scaled along its axes, and whether it is exact; unscaled without factors."""
    if factors is None:
        return geometry, False
    x, y, z = factors
    mean = x if x == y == z else (x * y * z) ** (1.0 / 3.0)
    if isinstance(geometry, Box):
        return replace(geometry, size=scale_vector(geometry.size, factors)), True
    if isinstance(geometry, Mesh):
        return replace(geometry, scale=scale_vector(geometry.scale, factors)), True
    if isinstance(geometry, Sphere):
        return replace(geometry, radius=geometry.radius * mean), x == y == z
    if isinstance(geometry, Ellipsoid):
        return replace(geometry, radii=scale_vector(geometry.radii, factors)), True
    if isinstance(geometry, Extrusion):
        return _scale_extrusion(geometry, factors), True
    if isinstance(geometry, Polyhedron):
        points = tuple(n * factors[i % 3] for i, n in enumerate(geometry.points))
        return replace(geometry, points=points), True
    across = x if x == y else (x * y) ** 0.5
    radius, length = geometry.radius * across, geometry.length * z
    is_exact = x == y and (isinstance(geometry, Cylinder | Cone) or y == z)
    return replace(geometry, radius=radius, length=length), is_exact
