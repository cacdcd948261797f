# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot to robot with fitted collision shapes: around its meshes, each mesh once."""

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial

from ...core.diagnostics import Diagnostics, quote
from ...core.geometry.array_cache import digest
from ...core.geometry.body_cache import Body, KeptBodies, remember_bodies
from ...core.geometry.collision_bodies import fit_collision
from ...core.geometry.convex_bodies import FittedBodies, find_volume, fit_bodies
from ...core.geometry.decomposition import MOST_CUT, decompose
from ...core.geometry.fitting import Fit
from ...core.geometry.inertia import move_pose
from ...core.geometry.mesh_data import MeshData
from ...core.geometry.transforms import matrix_from_pose, pose_of
from ...core.geometry.triangles import Triangles, make_triangles
from ...core.meshes import RobotFiles
from ...core.model import Capsule, Collision, Link, Mesh, Polyhedron, Robot, Solid, Visual
from ...core.progress import Progress
from .fit_options import CollisionOptions

_CAPSULES_SINCE = "1.1"
_BOX_TRIANGLES = 12
"""Hulls that may have fewer triangles become boxes."""

_Shapes = list[tuple[Collision | Visual, FittedBodies | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedLink:
    """The collision shapes of a link.

    collisions    all of them, fitted ones and others
    triangles     of hulls and parts together
    volume_ratio  the volume of the fitted shapes by the volume of the hulls of their meshes; 0 for
                  flat ones
    miss          how far the surface of the meshes reaches beyond the shapes at most, in metres: of
                  2,000 points of each and its corners
    """

    collisions: tuple[Collision, ...]
    triangles: int
    volume_ratio: float
    miss: float


def fit_links(
    robot: Robot, files: RobotFiles, options: CollisionOptions, diagnostics: Diagnostics
) -> Generator[Progress, None, tuple[Robot, dict[str, FittedLink]]]:
    """Fits the collision shapes of a robot in steps; returns it with these, and the links that got
    new ones. Meshes that cannot be loaded are reported and keep their shapes."""
    fitter = _Fitter(files, options, diagnostics)
    found: dict[str, _Shapes] = {}
    for number, link in enumerate(robot.links):
        yield Progress(share=number / len(robot.links), text=f"shapes of {link.name}")
        if not options.links or link.name in options.links:
            found[link.name] = fitter.fit(link)
    found = _spare(found, options.budget)
    fitted: dict[str, FittedLink] = {}
    for link in robot.links:
        made = _join(found.get(link.name, []))
        if made is not None and made.collisions != link.collisions:
            fitted[link.name] = made
    return put_collisions(robot, fitted), fitted


def put_collisions(robot: Robot, fitted: dict[str, FittedLink]) -> Robot:
    """Returns the robot with the collision shapes of the fitted links."""
    if not fitted:
        return robot
    links = tuple(
        replace(link, collisions=fitted[link.name].collisions) if link.name in fitted else link
        for link in robot.links
    )
    return _allow_capsules(replace(robot, links=links))


def _allow_capsules(robot: Robot) -> Robot:
    """Without this version strict readers of URDF refuse the whole file."""
    has_capsules = any(
        isinstance(shape.geometry, Capsule) for link in robot.links for shape in link.collisions
    )
    if has_capsules and robot.version in ("", "1.0"):
        return replace(robot, version=_CAPSULES_SINCE)
    return robot


class _Fitter:
    """Finds the bodies of meshes; of meshes of the same content once."""

    def __init__(
        self, files: RobotFiles, options: CollisionOptions, diagnostics: Diagnostics
    ) -> None:
        self._files = files
        self._options = options
        self._diagnostics = diagnostics
        self._known: dict[str, FittedBodies] = {}

    def fit(self, link: Link) -> _Shapes:
        """Returns the shapes of a link with their bodies, None for simple shapes, which need none,
        and for lost meshes."""
        options = self._options
        if options.replace == "missing" and link.collisions:
            return []
        shapes: tuple[Collision | Visual, ...] = link.collisions
        if options.source == "visuals" or (options.source == "auto" and not shapes):
            shapes = link.visuals
        return [(shape, self._find_bodies(shape, link)) for shape in shapes]

    def _find_bodies(self, shape: Collision | Visual, link: Link) -> FittedBodies | None:
        if not isinstance(shape.geometry, Mesh | Solid):
            return None
        data = self._files.load_or_report(shape, link)
        if data is None:
            return None
        triangles, options = make_triangles(data)[0], self._options
        choices = (options.shape, options.parts, options.triangles, options.decomposer)
        name = digest(triangles.vertices, triangles.corners, *choices, options.tolerance)
        if name not in self._known:
            self._known[name] = self._make(name, triangles, link, shape.line)
        return self._known[name]

    def _make(self, name: str, triangles: Triangles, link: Link, line: int) -> FittedBodies:
        options = self._options

        def make() -> KeptBodies:
            end, known = time.monotonic() + options.seconds, len(self._diagnostics)
            split = partial(self._split, link=link, line=line)
            made = fit_bodies(triangles, options.shape, split, options.triangles)
            return KeptBodies(
                bodies=made.bodies,
                numbers=(made.volume, made.hull, made.miss),
                lasting=time.monotonic() < end and len(self._diagnostics) == known,
            )

        found = remember_bodies(name, make) if options.cache else make()
        volume, hull, miss = found.numbers
        if triangles.count > MOST_CUT and options.shape in ("auto", "decomposed"):
            self._diagnostics.warning(
                "mesh-not-decomposed",
                f"a mesh of link {quote(link.name)} has {triangles.count:,} triangles; it "
                "is not cut",
                subject=link.name,
                line=line,
            )
        return FittedBodies(bodies=found.bodies, volume=volume, hull=hull, miss=miss)

    def _split(self, triangles: Triangles, link: Link, line: int) -> tuple[MeshData, ...]:
        """The parts of a mesh, by our own cuts where CoACD has none."""
        options = self._options
        bounds = {"most_parts": options.parts, "most_triangles": options.triangles}
        if options.decomposer == "coacd":
            from ...core.geometry.coacd_parts import CoacdLimits, decompose_by_coacd

            limits = CoacdLimits(**bounds, seconds=options.seconds, tolerance=options.tolerance)
            found = decompose_by_coacd(triangles, limits)
            if found is not None:
                return found
            self._diagnostics.warning(
                "coacd-gave-up",
                f"CoACD has no parts for a mesh of link {quote(link.name)} within "
                f"{options.seconds:g} s; it is cut by planes",
                subject=link.name,
                line=line,
            )
        return decompose(triangles.vertices, triangles.faces, **bounds, seconds=options.seconds)


def _spare(found: dict[str, _Shapes], budget: int) -> dict[str, _Shapes]:
    """Makes the largest hulls coarser, all alike, until there are at most `budget` triangles; where
    that leaves less than a box has, they become boxes."""
    of_link = [bodies for shapes in found.values() for _, bodies in shapes if bodies is not None]
    counts = sorted(_count(body) for bodies in of_link for body in bodies.bodies)
    if not budget or sum(counts) <= budget:
        return found
    share, left = 0, budget
    for number, count in enumerate(counts):
        share = left // (len(counts) - number)
        if count > share:
            break
        left -= count
    spared: dict[int, FittedBodies] = {}

    def spare(bodies: FittedBodies) -> FittedBodies:
        if id(bodies) not in spared:
            coarser = tuple(_coarsen(body, share) for body in bodies.bodies)
            volume = sum(map(find_volume, coarser))
            spared[id(bodies)] = replace(bodies, bodies=coarser, volume=volume)
        return spared[id(bodies)]

    return {
        name: [(shape, None if each is None else spare(each)) for shape, each in shapes]
        for name, shapes in found.items()
    }


def _count(body: Body) -> int:
    return make_triangles(body)[0].count if isinstance(body, MeshData) else 0


def _coarsen(body: Body, most: int) -> Body:
    if not isinstance(body, MeshData) or _count(body) <= most:
        return body
    kind = "hull" if most >= _BOX_TRIANGLES else "oriented_box"
    made = fit_collision(make_triangles(body)[0], kind, most).body
    if isinstance(made, Fit):
        return made
    return MeshData(vertices=made.vertices, corners=made.corners)


def _join(shapes: _Shapes) -> FittedLink | None:
    """All shapes of a link; None where it has none, or gets no new ones."""
    if not shapes:
        return None
    collisions: list[Collision] = []
    for shape, bodies in shapes:
        collisions += _keep(shape) if bodies is None else _place(shape, bodies)
    found = [bodies for _, bodies in shapes if bodies is not None]
    hull = sum(each.hull for each in found)
    return FittedLink(
        collisions=tuple(collisions),
        triangles=sum(_count(body) for each in found for body in each.bodies),
        volume_ratio=sum(each.volume for each in found) / hull if hull else 0.0,
        miss=max((each.miss for each in found), default=0.0),
    )


def _keep(shape: Collision | Visual) -> list[Collision]:
    """A shape that is not fitted, as a collision."""
    if isinstance(shape, Collision):
        return [shape]
    return [Collision(geometry=shape.geometry, origin=shape.origin, line=shape.line)]


def _place(shape: Collision | Visual, found: FittedBodies) -> Iterator[Collision]:
    """The collisions in the place of a shape; of several each has a name of its own."""
    name = shape.name if isinstance(shape, Collision) else ""
    for number, body in enumerate(found.bodies, 1):
        own = f"{name}_{number}" if name and len(found.bodies) > 1 else name
        if isinstance(body, Fit):
            origin = move_pose(matrix_from_pose(shape.origin), pose_of(body.frame))
            yield Collision(geometry=body.geometry, origin=origin, name=own, line=shape.line)
        else:
            yield Collision(
                geometry=_polyhedron_of(body), origin=shape.origin, name=own, line=shape.line
            )


def _polyhedron_of(mesh: MeshData) -> Polyhedron:
    triangles = make_triangles(mesh)[0]
    return Polyhedron(
        points=tuple(map(float, mesh.vertices.ravel().tolist())),
        faces=tuple(map(int, triangles.corners.tolist())),
    )
