# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two shapes touch, exactly: by the library coal, or hppfcl, its former name.

Boxes, balls, cylinders and capsules are solid. Meshes are surfaces of triangles, as MoveIt and
Pinocchio take them, but a part wholly inside one touches it.
"""

from importlib import import_module
from typing import Any, Protocol

import numpy as np

from ..geometry.transforms import Matrix, invert
from ..model import Box, Capsule, Cylinder, Sphere
from .parts import Part, is_inside


class Tester(Protocol):
    """Tells whether two parts touch."""

    def touches(self, first: Part, second: Part, pose: Matrix) -> bool:
        """Tests two parts; `pose` (4, 4) is the second link's frame in the first one's."""


def find_coal() -> Any | None:
    """Finds the library; None where it is not installed."""
    for name in ("coal", "hppfcl"):
        try:
            return import_module(name)
        except ImportError:
            continue
    return None


class CoalTester:
    """Asks coal. Each part is handed over once."""

    def __init__(self, coal: Any) -> None:
        self._coal = coal
        self._transform = getattr(coal, "Transform3s", None) or coal.Transform3f
        self._made: dict[Part, tuple[Any, Any]] = {}
        self._request = coal.CollisionRequest()
        self._request.enable_contact = False

    def touches(self, first: Part, second: Part, pose: Matrix) -> bool:
        one, there = self._hand_over(first)
        two, _ = self._hand_over(second)
        moved = pose @ second.origin if second.is_solid else pose
        result = self._coal.CollisionResult()
        place = self._transform(moved[:3, :3], moved[:3, 3])
        self._coal.collide(one, there, two, place, self._request, result)
        if result.isCollision():
            return True
        # Solids are asked as such.
        holds = not first.is_solid and is_inside(second, first, pose)
        return holds or (not second.is_solid and is_inside(first, second, invert(pose)))

    def _hand_over(self, part: Part) -> tuple[Any, Any]:
        if part not in self._made:
            origin = part.origin if part.is_solid else np.eye(4)
            place = self._transform(origin[:3, :3], origin[:3, 3])
            self._made[part] = (self._make(part), place)
        return self._made[part]

    def _make(self, part: Part) -> Any:
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

    def _make_mesh(self, part: Part) -> Any:
        model = self._coal.BVHModelOBBRSS()
        model.beginModel(len(part.triangles), len(part.vertices))
        model.addVertices(np.ascontiguousarray(part.vertices))
        model.addTriangles(np.ascontiguousarray(part.triangles))
        model.endModel()
        return model
