# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as rules judge it: its tree with all joints at zero, its rigid bodies, its shapes.

Rules judge rigid bodies, not links: frames of a camera or an IMU carry token masses, and per link
nearly all findings of healthy robots are about these.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...core.diagnostics import KinematicsError
from ...core.geometry.inertia import BodyMass, add_bodies, body_of
from ...core.geometry.mesh_data import MeshData, weld_points
from ...core.geometry.transforms import Matrix, Vector, invert, matrix_from_pose
from ...core.geometry.triangles import Corners, make_triangles
from ...core.geometry.volumes import is_closed
from ...core.kinematics.forward import zero_frames
from ...core.kinematics.tree import KinematicTree, retrace_tree
from ...core.meshes import RobotFiles
from ...core.model import Collision, Geometry, Link, Mesh, Robot, Visual
from .options import LintOptions

Shape = Visual | Collision
_DIRECTIONS = np.array(
    [v for v in np.ndindex(3, 3, 3) if v != (1, 1, 1)], dtype=np.float32
) - np.float32(1.0)
"""(26, 3): towards the faces, edges and corners of a box."""
_OPEN = 0.1
"""Share of its box that an open mesh fills."""
_MOST_LINKS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measure:
    """A shape in its own frame: `points` (26, 3) are its farthest in as many directions, `volume`
    has the sign of its faces' direction."""

    points: Matrix
    triangles: int
    volume: float

    @property
    def size(self) -> Vector:
        """(3,) the edges of its box, m."""
        return np.ptp(self.points, axis=0)

    @property
    def box(self) -> float:
        """The volume of its box."""
        return float(self.size.prod())

    @property
    def solid(self) -> float:
        """The volume that it fills; a tenth of the box of an open mesh."""
        return max(abs(self.volume), _OPEN * self.box)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JoinedBody:
    """Links that nothing moves against each other, in the frame of the first of them. `mass` is
    None where none has any, points are (N, 3). `heavy` brings most mass, `stiff` most inertia. It
    `is_whole` where no shape of it is lost."""

    links: tuple[Link, ...]
    mass: BodyMass | None
    heavy: Link
    stiff: Link
    visuals: Matrix
    collisions: Matrix
    solid: float
    is_whole: bool

    @property
    def points(self) -> Matrix:
        """(N, 3) of its visuals and collisions."""
        return np.concatenate([self.visuals, self.collisions])


@dataclass(frozen=True, eq=False)
class RobotSurvey:
    """A robot with its measures, each taken when a rule asks first."""

    robot: Robot
    files: RobotFiles
    options: LintOptions

    @cached_property
    def tree(self) -> KinematicTree | None:
        """None where the robot has none."""
        with suppress(KinematicsError):
            if len(self.robot.links) < _MOST_LINKS:
                return retrace_tree(self.robot)
        return None

    @cached_property
    def frames(self) -> Matrix:
        """(N, 4, 4) of the links in tree order, joints at zero."""
        return np.zeros((0, 4, 4)) if self.tree is None else zero_frames(self.tree)

    @cached_property
    def reach(self) -> float:
        """The greatest extent of the frames of the links, m."""
        places = self.frames[:, :3, 3]
        return float(np.ptp(places, axis=0).max()) if len(places) else 0.0

    def shapes(self) -> Iterator[tuple[Link, Shape]]:
        """Yields each shape with its link."""
        for link in self.robot.links:
            for shape in link.shapes:
                yield link, shape

    @cached_property
    def measures(self) -> dict[Geometry, Measure]:
        """Geometry -> its measure; lost ones and ones without faces are not in it."""
        found: dict[Geometry, Measure] = {}
        for link, shape in self.shapes():
            if shape.geometry not in found:
                data = self.files.load_or_report(shape, link)
                if data is not None and (measure := _measure(data)) is not None:
                    found[shape.geometry] = measure
        return found

    def measure(self, shape: Shape) -> Measure | None:
        """Returns the measure of a shape; None for a lost one."""
        return self.measures.get(shape.geometry)

    def meshes(self) -> Iterator[tuple[Link, Shape, Measure]]:
        """Yields each mesh file of a link once, with its first shape there."""
        seen = set[tuple[str, str]]()
        for link, shape in self.shapes():
            found = self.measure(shape)
            if found is None or not isinstance(shape.geometry, Mesh):
                continue
            key = (link.name, shape.geometry.filename)
            if key not in seen:
                seen.add(key)
                yield link, shape, found

    def weld(self, shape: Shape, link: Link) -> tuple[Corners, bool]:
        """Returns the faces (F, 3) of a shape after equal corners became one, and whether they are
        closed."""
        data = self.files.load(shape, link)
        triangles, _ = make_triangles(data)
        vertices, welded = weld_points(triangles.vertices)
        faces = welded[triangles.corners].reshape(-1, 3)
        return faces, is_closed(faces, len(vertices))

    @cached_property
    def bodies(self) -> tuple[JoinedBody, ...]:
        """The rigid bodies, parents first."""
        if self.tree is None or not np.isfinite(self.frames).all():
            return ()
        groups: dict[int, list[int]] = {}
        for place, body in enumerate(self.tree.bodies):
            groups.setdefault(body, []).append(place)
        return tuple(self._make_body(body, places) for body, places in groups.items())

    def _make_body(self, first: int, places: list[int]) -> JoinedBody:
        assert self.tree is not None
        back = invert(self.frames[first])
        links = [self.tree.links[place] for place in places]
        frames = [back @ self.frames[place] for place in places]
        masses = [
            (link, body_of(link.inertial, frame))
            for link, frame in zip(links, frames, strict=True)
            if link.inertial is not None and link.has_mass
        ]
        points: dict[type[Shape], list[Matrix]] = {Visual: [], Collision: []}
        solids = {Visual: 0.0, Collision: 0.0}
        for link, frame in zip(links, frames, strict=True):
            for shape in link.shapes:
                if (measure := self.measure(shape)) is not None:
                    place = frame @ matrix_from_pose(shape.origin)
                    points[type(shape)].append(measure.points @ place[:3, :3].T + place[:3, 3])
                    solids[type(shape)] += measure.solid
        shown, solid = (np.concatenate([np.zeros((0, 3)), *each]) for each in points.values())
        return JoinedBody(
            links=tuple(links),
            mass=add_bodies([body for _, body in masses]) if masses else None,
            heavy=max(masses, key=lambda each: each[1].mass, default=(links[0],))[0],
            stiff=max(masses, key=lambda each: np.trace(each[1].inertia), default=(links[0],))[0],
            visuals=shown,
            collisions=solid,
            solid=solids[Visual] or solids[Collision],
            is_whole=all(self.measure(shape) for link in links for shape in link.shapes),
        )

    @cached_property
    def heavy_bodies(self) -> tuple[tuple[JoinedBody, BodyMass], ...]:
        """The bodies that have shapes, none of them lost, and more than 0.5 % of the robot's mass,
        with their mass."""
        total = self.robot.total_mass()
        return tuple(
            (body, body.mass)
            for body in self.bodies
            if body.mass is not None
            and body.is_whole
            and len(body.points)
            and body.mass.mass > 0.005 * total
            and np.isfinite(body.mass.center).all()
            and np.isfinite(body.mass.inertia).all()
        )


def find_extremes(points: Any) -> Matrix:
    """Returns (26, 3), the farthest of points (N, 3) in as many directions, the axes among them."""
    found: Matrix = points[(points @ _DIRECTIONS.T).argmax(axis=0)].astype(np.float64)
    return found


def _measure(data: MeshData) -> Measure | None:
    """Measures raw triangles: to weld them takes many times as long."""
    triangles, _ = make_triangles(data)
    vertices = triangles.vertices
    if triangles.count < len(vertices) // 3:
        vertices = vertices[np.unique(triangles.corners)]
    if not len(vertices) or not np.isfinite(vertices).all():
        return None
    points = find_extremes(vertices)
    a, b, c = (
        triangles.vertices[triangles.corners[i::3]].astype(np.float64) - points[0] for i in range(3)
    )
    volume = float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0
    return Measure(points=points, triangles=triangles.count, volume=volume)
