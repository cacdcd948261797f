# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision shapes that fit: load meshes -> simple shapes, hulls or convex parts -> robot."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import Any, ClassVar, Literal

from ..arguments import diagnostics_of, options_of, robot_or_rig_of
from ..diagnostics import ArgumentError, Diagnostic, Diagnostics, quote, unknown_name
from ..geometry.decomposition import MOST_CUT, decompose
from ..geometry.fitted_bodies import FittedBodies, fit_bodies
from ..geometry.fitting import Fit
from ..geometry.inertia import move_pose
from ..geometry.mesh_data import MeshData
from ..geometry.transforms import matrix_from_pose, pose_of
from ..geometry.triangles import Triangles, make_triangles
from ..meshes import RobotFiles
from ..model import Capsule, Collision, Link, Mesh, Polyhedron, Robot, Solid, Visual
from ..options import FileOptions, option
from ..progress import Progress, finish
from .exporting import open_export

Shape = Literal["auto", "box", "cylinder", "capsule", "sphere", "hull", "decomposed"]
_CAPSULES_SINCE = "1.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollisionOptions(FileOptions):
    """How collision shapes are fitted. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Collisions", "Files")

    shape: Shape = option(
        "auto",
        "Shape",
        "The collision shapes that are fitted around meshes",
        group="Collisions",
        choices={
            "auto": "A simple shape where it is hardly larger than the mesh, else its hull, else "
            "convex parts",
            "box": "The smallest box, in any direction",
            "cylinder": "The smallest cylinder, in any direction",
            "capsule": "The smallest capsule, in any direction",
            "sphere": "The smallest sphere",
            "hull": "The convex hull",
            "decomposed": "Convex parts",
        },
    )
    parts: int = option(
        16, "Parts", "The most convex parts of a mesh", group="Collisions", bounds=(1, 128)
    )
    triangles: int = option(
        256,
        "Triangles",
        "The most triangles of a hull or part",
        group="Collisions",
        bounds=(4, 100_000),
    )
    source: Literal["auto", "collisions", "visuals"] = option(
        "auto",
        "Source",
        "The shapes that are fitted",
        group="Collisions",
        choices={
            "auto": "The collision shapes of a link; of a link without any, its visuals",
            "collisions": "The collision shapes",
            "visuals": "The visuals",
        },
    )
    replace: Literal["all", "missing"] = option(
        "all",
        "Replace",
        "The links that get new collision shapes",
        group="Collisions",
        choices={
            "all": "All links with meshes",
            "missing": "Links without collision shapes",
        },
    )
    seconds: float = option(
        60.0,
        "Seconds",
        "How long cuts are sought for a mesh",
        group="Collisions",
        bounds=(0.0, 3600.0),
    )
    decomposer: Literal["own", "coacd"] = option(
        "own",
        "Decomposer",
        "Which tool finds convex parts",
        group="Collisions",
        choices={
            "own": "Cuts by planes, which need nothing else",
            "coacd": "The library CoACD, in a process of its own",
        },
    )
    links: tuple[str, ...] = option(
        (), "Link", "A link that gets new collision shapes; without any, all", group="Collisions"
    )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedCollisions:
    """The result of fit_collisions.

    links        link name -> its shapes, of links that got new ones
    robot        the robot with these
    diagnostics  everything that could not be fitted
    """

    links: dict[str, FittedLink]
    robot: Robot
    diagnostics: tuple[Diagnostic, ...]


def fit_collisions(
    robot_or_armature: Robot | Any,
    *,
    options: CollisionOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> FittedCollisions:
    """Fits collision shapes around the meshes of a robot, or of an imported robot as described, and
    changes nothing: `export_robot` writes the robot of the result in any format, and
    `update_robot(armature, robot=fitted.robot)` puts its shapes into the scene.

    Each shape or group of parts contains the mesh. Simple shapes stay; hulls and parts are
    Polyhedron, which are mesh files where a format needs these. Meshes that cannot be loaded are
    reported and keep their shapes. Raises KinematicsError for a link that is not there,
    ArgumentError for a decomposer that is not installed, BuildError for an object that is not an
    imported robot.
    """
    return finish(fit_steps(robot_or_armature, options=options, diagnostics=diagnostics))


def fit_steps(
    robot_or_armature: Robot | Any,
    *,
    options: CollisionOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Generator[Progress, None, FittedCollisions]:
    """Runs fit_collisions in steps, for progress bars."""
    given = robot_or_rig_of(robot_or_armature)
    options, diagnostics = options_of(options, CollisionOptions), diagnostics_of(diagnostics)
    if not isinstance(given, Robot):
        from .updating import find_reshaped

        given = find_reshaped(given)
    if options.decomposer == "coacd" and not _has_coacd():
        raise ArgumentError(
            "CoACD is not installed: pip install urdf-importer[decomposition], or take "
            "decomposer='own'"
        )
    found = open_export(given, options, diagnostics)
    names = [link.name for link in given.links]
    for name in options.links:
        if name not in names:
            raise unknown_name("the robot has no link", name, names)
    fitter = _Fitter(found.files, options, diagnostics)
    fitted: dict[str, FittedLink] = {}
    for number, link in enumerate(given.links):
        yield Progress(share=number / len(names), text=f"shapes of {link.name}")
        if not options.links or link.name in options.links:
            made = fitter.fit(link)
            if made is not None:
                fitted[link.name] = made
    links = tuple(
        replace(link, collisions=fitted[link.name].collisions) if link.name in fitted else link
        for link in given.links
    )
    return FittedCollisions(
        links=fitted,
        robot=_allow_capsules(replace(given, links=links)),
        diagnostics=tuple(diagnostics),
    )


def _allow_capsules(robot: Robot) -> Robot:
    """Without this version strict readers of URDF refuse the whole file."""
    has_capsules = any(
        isinstance(shape.geometry, Capsule) for link in robot.links for shape in link.collisions
    )
    if has_capsules and robot.version in ("", "1.0"):
        return replace(robot, version=_CAPSULES_SINCE)
    return robot


class _Fitter:
    """Fits the shapes of links; equal meshes once."""

    def __init__(
        self, files: RobotFiles, options: CollisionOptions, diagnostics: Diagnostics
    ) -> None:
        self._files = files
        self._options = options
        self._diagnostics = diagnostics
        self._known: dict[MeshData, FittedBodies] = {}

    def fit(self, link: Link) -> FittedLink | None:
        """Fits the shapes of a link; None where nothing is to be fitted."""
        options = self._options
        if options.replace == "missing" and link.collisions:
            return None
        shapes: tuple[Collision | Visual, ...] = link.collisions
        if options.source == "visuals" or (options.source == "auto" and not shapes):
            shapes = link.visuals
        collisions: list[Collision] = []
        found: list[FittedBodies] = []
        for shape in shapes:
            bodies = self._find_bodies(shape, link)
            collisions += _keep(shape) if bodies is None else _place(shape, bodies)
            found += [bodies] if bodies is not None else []
        if not found and tuple(collisions) == link.collisions:
            return None
        hull = sum(each.hull for each in found)
        meshes = [body for each in found for body in each.bodies if isinstance(body, MeshData)]
        return FittedLink(
            collisions=tuple(collisions),
            triangles=sum(len(make_triangles(mesh)[0].faces) for mesh in meshes),
            volume_ratio=sum(each.volume for each in found) / hull if hull else 0.0,
            miss=max((each.miss for each in found), default=0.0),
        )

    def _find_bodies(self, shape: Collision | Visual, link: Link) -> FittedBodies | None:
        """The bodies of a mesh; None for simple shapes, which need none, and for lost meshes."""
        if not isinstance(shape.geometry, Mesh | Solid):
            return None
        data = self._files.load_or_report(shape, link)
        if data is None:
            return None
        if data not in self._known:
            triangles = make_triangles(data)[0]
            split = partial(self._split, link=link, line=shape.line)
            options = self._options
            self._known[data] = fit_bodies(triangles, options.shape, split, options.triangles)
            if triangles.count > MOST_CUT and self._options.shape != "hull":
                self._diagnostics.warning(
                    "mesh-not-decomposed",
                    f"a mesh of link {quote(link.name)} has {triangles.count:,} triangles; it "
                    "collides as one hull",
                    subject=link.name,
                    line=shape.line,
                )
        return self._known[data]

    def _split(self, triangles: Triangles, link: Link, line: int) -> tuple[MeshData, ...]:
        """The parts of a mesh, by our own cuts where CoACD has none."""
        options = self._options
        bounds = {"most_parts": options.parts, "most_triangles": options.triangles}
        if options.decomposer == "coacd":
            from ..geometry.coacd_parts import decompose_by_coacd

            found = decompose_by_coacd(triangles, **bounds, seconds=options.seconds)
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


def _has_coacd() -> bool:
    """Whether the library is installed, and this is the Python package: the extension starts no
    child processes."""
    return all(find_spec(name, __package__) for name in ("coacd", "..geometry.coacd_parts"))


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
