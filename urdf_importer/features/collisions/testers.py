# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two shapes touch, and how near they are: by the library coal, without it by triangles.

To coal boxes, balls, cylinders and capsules are solid. Meshes are surfaces of triangles, as MoveIt
and Pinocchio take them, but a part wholly inside one touches it.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.geometry.transforms import Matrix, invert
from ...core.model import Box, Capsule, Cylinder, Sphere
from .parts import TestedPart, is_inside
from .triangles import TriangleTree, nearest


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """A distance in metres, 0 where shapes touch, and the middle of the points (3,) there."""

    distance: float
    point: NDArray[np.float64]


def find_coal() -> Any | None:
    """Finds the library; None where it is not installed."""
    try:
        return import_module("coal")
    except ImportError:
        return None


class TriangleTester:
    """Asks trees of triangles, one for each part: where the library is missing. All shapes are
    surfaces of triangles here, round ones with 32 sides. As in all testers, `pose` (4, 4) is the
    second link's frame in the first one's."""

    def __init__(self) -> None:
        self._made: dict[TestedPart, TriangleTree] = {}

    def touches(
        self, first: TestedPart, second: TestedPart, pose: Matrix, margin: float = 0.0
    ) -> bool:
        """Whether two parts touch, or are as near as `margin`."""
        trees = self._tree_of(first), self._tree_of(second)
        if nearest(*trees, pose, margin, margin) is not None:
            return True
        return is_inside(second, first, pose) or is_inside(first, second, invert(pose))

    def measure(
        self, first: TestedPart, second: TestedPart, pose: Matrix, most: float = np.inf
    ) -> Nearest:
        """Returns the distance of two parts, and its place in the first link's frame; the distance
        `most` for parts that are further apart."""
        if is_inside(second, first, pose) or is_inside(first, second, invert(pose)):
            return Nearest(0.0, pose[:3, :3] @ second.center + pose[:3, 3])
        found = nearest(self._tree_of(first), self._tree_of(second), pose, most, 0.0)
        return Nearest(most, np.zeros(3)) if found is None else Nearest(*found)

    def _tree_of(self, part: TestedPart) -> TriangleTree:
        if part not in self._made:
            self._made[part] = TriangleTree(part.vertices[part.triangles])
        return self._made[part]


class CoalTester:
    """Asks coal. Each part is handed over once."""

    def __init__(self, coal: Any) -> None:
        self._coal = coal
        self._made: dict[TestedPart, tuple[Any, Any]] = {}
        self._request = coal.CollisionRequest()
        # Without it, solids whose axes meet a triangle's edges are missed.
        self._request.enable_contact = True

    def touches(
        self, first: TestedPart, second: TestedPart, pose: Matrix, margin: float = 0.0
    ) -> bool:
        """Tests two parts."""
        self._request.security_margin = margin
        return self._collide(first, second, pose) is not None or _holds(first, second, pose)

    def measure(
        self, first: TestedPart, second: TestedPart, pose: Matrix, most: float = np.inf
    ) -> Nearest:
        """Measures two parts."""
        self._request.security_margin = 0.0
        touching = self._collide(first, second, pose)
        if touching is not None:
            return Nearest(0.0, np.array(touching.getContact(0).pos))
        if _holds(first, second, pose):
            return Nearest(0.0, pose[:3, :3] @ second.center + pose[:3, 3])
        request, result = self._coal.DistanceRequest(True), self._coal.DistanceResult()
        # Its own tolerance leaves cylinders off by more than a micrometre.
        request.gjk_tolerance = 1e-9
        # Boxes that are further apart than this are not looked into.
        result.min_distance = min(most, result.min_distance)
        least = self._coal.distance(*self._place(first, second, pose), request, result)
        points = (result.getNearestPoint1() + result.getNearestPoint2()) / 2.0
        return Nearest(max(least, 0.0), points.ravel())

    def _collide(self, first: TestedPart, second: TestedPart, pose: Matrix) -> Any | None:
        result = self._coal.CollisionResult()
        self._coal.collide(*self._place(first, second, pose), self._request, result)
        return result if result.isCollision() else None

    def _place(
        self, first: TestedPart, second: TestedPart, pose: Matrix
    ) -> tuple[Any, Any, Any, Any]:
        one, there = self._hand_over(first)
        two, _ = self._hand_over(second)
        moved = pose @ second.origin if second.is_solid else pose
        return one, there, two, self._coal.Transform3s(moved[:3, :3], moved[:3, 3])

    def _hand_over(self, part: TestedPart) -> tuple[Any, Any]:
        if part not in self._made:
            origin = part.origin if part.is_solid else np.eye(4)
            place = self._coal.Transform3s(origin[:3, :3], origin[:3, 3])
            self._made[part] = (self._make(part), place)
        return self._made[part]

    def _make(self, part: TestedPart) -> Any:
        geometry = part.shape.geometry
        match geometry:
            case Box():
                return self._coal.Box(*geometry.size)
            case Sphere():
                return self._coal.Sphere(geometry.radius)
            case Cylinder():
                return self._coal.Cylinder(geometry.radius, geometry.length)
            case Capsule():
                return self._coal.Capsule(geometry.radius, geometry.length)
            case _:
                return self._make_mesh(part)

    def _make_mesh(self, part: TestedPart) -> Any:
        model = self._coal.BVHModelOBBRSS()
        model.beginModel(len(part.triangles), len(part.vertices))
        model.addVertices(np.ascontiguousarray(part.vertices))
        model.addTriangles(np.ascontiguousarray(part.triangles))
        model.endModel()
        return model


Tester = TriangleTester | CoalTester


def _holds(first: TestedPart, second: TestedPart, pose: Matrix) -> bool:
    """Whether a surface has the other part inside it; solids are asked as such."""
    rotation, place = pose[:3, :3], pose[:3, 3]
    if not first.is_solid and first.has_in_box(rotation @ second.start + place):
        return is_inside(second, first, pose)
    if not second.is_solid and second.has_in_box((first.start - place) @ rotation):
        return is_inside(first, second, invert(pose))
    return False
