# SPDX-License-Identifier: GPL-3.0-or-later
"""How large a robot is as it starts, for the camera and the floor."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ...diagnostics import MeshError
from ...geometry.mesh_data import MeshData
from ...geometry.transforms import Matrix, Vector, matrix_from_pose
from ...model import Link
from ..geometry_source import Shape
from .proto import moved_zero
from .structure import StructurePlan

LoadShape = Callable[[Shape, Link], MeshData]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bounds:
    """The corners (3,) of a box along the axes, in metres."""

    lower: Vector
    upper: Vector

    @property
    def center(self) -> Vector:
        return 0.5 * (self.lower + self.upper)

    @property
    def radius(self) -> float:
        """Of the ball around the box."""
        return float(0.5 * np.linalg.norm(self.upper - self.lower))


def measure_bounds(plan: StructurePlan, load: LoadShape, place: Matrix) -> Bounds:
    """Of all shapes and link origins, with the robot's root standing at `place` (4, 4). Shapes that
    cannot be loaded do not count; they are reported where they are written."""
    lower, upper = np.full(3, np.inf), np.full(3, -np.inf)
    for points in _point_sets(plan, load, place):
        lower = np.minimum(lower, points.min(axis=0))
        upper = np.maximum(upper, points.max(axis=0))
    return Bounds(lower=lower, upper=upper)


def start_frames(plan: StructurePlan, place: Matrix) -> dict[str, Matrix]:
    """Link name -> its frame (4, 4) in the world as the robot starts."""
    frames: dict[int, Matrix] = {}
    found: dict[str, Matrix] = {}
    for solid in plan.solids:
        if solid.above is None:
            frames[id(solid)] = place
        else:
            frames[id(solid)] = frames[id(solid.above)] @ moved_zero(solid)
        for held in solid.links:
            found[held.link.name] = frames[id(solid)] @ held.pose
    return found


def _point_sets(plan: StructurePlan, load: LoadShape, place: Matrix) -> Iterator[Matrix]:
    frames = start_frames(plan, place)
    for name, (_, held) in plan.holders().items():
        frame = frames[name]
        yield frame[None, :3, 3]
        link = held.link
        shapes: list[Shape] = [*link.visuals, *link.collisions]
        for shape in shapes:
            try:
                vertices = load(shape, link).vertices
            except MeshError:
                continue
            if len(vertices):
                here: Matrix = frame @ matrix_from_pose(shape.origin)
                points: Matrix = vertices @ here[:3, :3].T + here[:3, 3]
                yield points
