# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses and inertias from shapes: simple ones exactly, closed meshes by their volume, open ones by
their convex hulls."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...core.arguments import diagnostics_of, options_of, robot_or_rig_of
from ...core.diagnostics import ArgumentError, Diagnostic, Diagnostics, MeshError, quote
from ...core.geometry.hulls import convex_hull
from ...core.geometry.inertia import BodyMass, inertial_of
from ...core.geometry.mesh_data import MeshData, weld_points
from ...core.geometry.transforms import matrix_from_pose
from ...core.geometry.triangles import make_triangles
from ...core.geometry.volumes import (
    MassProperties,
    is_closed,
    join_masses,
    polyhedron_mass,
    primitive_mass,
)
from ...core.meshes import RobotFiles
from ...core.model import Collision, Link, Mesh, Robot, Visual
from ...core.pipeline.extracting import find_reshaped
from ...core.pipeline.opening import open_export, open_scene
from ...core.progress import Progress, finish
from ...core.reshape.references import need_links
from .options import InertiaOptions

BodyKind = Literal["closed", "hull", "simple"]
Body = tuple[float, tuple[float, float, float], BodyKind]
_Parts = list[tuple[MassProperties, BodyKind]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputedInertials:
    """The result of compute_inertials.

    bodies       link name -> its volume in m^3, its centre in its frame in m, and how it was
                 measured: "simple" shapes, "closed" meshes, or "hull" where one was open
    robot        the robot with the inertials
    diagnostics  open meshes, and meshes that were not found
    """

    bodies: dict[str, Body]
    robot: Robot
    diagnostics: tuple[Diagnostic, ...]


def compute_inertials(
    robot_or_armature: Robot | Any,
    *,
    options: InertiaOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> ComputedInertials:
    """Computes masses and inertias of links from their shapes, of an imported robot as the scene
    shows them, and changes nothing: `update_robot(armature, robot=computed.robot)` puts them in.

    Parts of a mesh within others count twice, as everywhere. Links without shapes get no mass.
    Raises KinematicsError for an unknown link, ArgumentError where a mass cannot be shared, since
    the shapes have no volume, BuildError for an object that is not an imported robot.
    """
    return finish(inertia_steps(robot_or_armature, options, diagnostics))


def inertia_steps(
    robot_or_armature: Any, options: InertiaOptions | None, diagnostics: Diagnostics | None = None
) -> Generator[Progress, None, ComputedInertials]:
    """Runs compute_inertials in steps, for progress bars."""
    given = robot_or_rig_of(robot_or_armature)
    options, diagnostics = options_of(options, InertiaOptions), diagnostics_of(diagnostics)
    robot = given if isinstance(given, Robot) else find_reshaped(given)
    diagnostics.source = diagnostics.source or robot.source
    need_links(robot, options.links)
    wanted = {
        link.name
        for link in robot.links
        if (not options.links or link.name in options.links)
        and (options.replace == "all" or not link.has_mass)
    }
    found: dict[str, tuple[MassProperties, BodyKind]] = {}
    with open_scene(open_export(given, options, diagnostics), keeps_seats=True) as shown:
        for number, link in enumerate(shown.robot.links):
            yield Progress(share=number / len(robot.links), text=f"mass of {link.name}")
            if link.name in wanted:
                body = _weigh_link(link, shown.files, options.source, diagnostics)
                if body is not None:
                    found[link.name] = body
    density = options.density
    if options.mass is not None:
        volume = sum(body.volume for body, _ in found.values())
        if not volume > 0.0:
            raise ArgumentError("the shapes have no volume")
        density = options.mass / volume
    links = tuple(
        _put_mass(link, found[link.name][0].times(density)) if link.name in found else link
        for link in robot.links
    )
    bodies: dict[str, Body] = {
        name: (body.volume, _tuple_of(body.centre), kind) for name, (body, kind) in found.items()
    }
    return ComputedInertials(
        bodies=bodies, robot=replace(robot, links=links), diagnostics=tuple(diagnostics)
    )


def _put_mass(link: Link, body: MassProperties) -> Link:
    made = BodyMass(mass=body.volume, center=body.centre, inertia=body.inertia)
    return replace(link, inertial=inertial_of(made))


def _tuple_of(vector: Any) -> tuple[float, float, float]:
    x, y, z = map(float, vector)
    return x, y, z


def _weigh_link(
    link: Link, files: RobotFiles, source: str, diagnostics: Diagnostics
) -> tuple[MassProperties, BodyKind] | None:
    shapes: tuple[Visual | Collision, ...] = link.visuals
    if source == "collisions" or (source == "auto" and not shapes):
        shapes = link.collisions
    parts: _Parts = []
    for shape in shapes:
        frame = matrix_from_pose(shape.origin)
        parts += [(body.moved(frame), kind) for body, kind in _weigh_shape(shape, link, files)]
    whole = join_masses(body for body, _ in parts)
    if whole is None:
        return None
    hulls = sum(body.volume for body, kind in parts if kind == "hull")
    if hulls:
        diagnostics.warning(
            "open-mesh",
            f"meshes of link {quote(link.name)} are open: {100.0 * hulls / whole.volume:.3g} % of "
            "its volume are convex hulls",
            subject=link.name,
            line=link.line,
        )
        return whole, "hull"
    return whole, "closed" if any(kind == "closed" for _, kind in parts) else "simple"


def _weigh_shape(shape: Visual | Collision, link: Link, files: RobotFiles) -> _Parts:
    geometry = shape.geometry
    if not isinstance(geometry, Mesh):
        try:
            return [(primitive_mass(geometry), "simple")]
        except MeshError as error:
            files.report_lost(error, shape, link)
            return []
    data = files.load_or_report(shape, link)
    return [] if data is None else list(weigh_mesh(data))


def weigh_mesh(data: MeshData) -> Iterator[tuple[MassProperties, BodyKind]]:
    """Yields the bodies of a mesh of density 1, one for each loose part with a volume."""
    triangles = make_triangles(data)[0]
    vertices, welded = weld_points(triangles.vertices)
    faces = _clean(welded[triangles.corners].reshape(-1, 3).astype(np.int64), len(vertices))
    points = vertices.astype(np.float64)
    if not len(faces):
        return
    labels = _label_parts(faces, len(points))[faces[:, 0]]
    order = np.argsort(labels, kind="stable")
    for part in np.split(faces[order], np.flatnonzero(np.diff(labels[order])) + 1):
        used, own = np.unique(part, return_inverse=True)
        own = own.reshape(-1, 3)
        if is_closed(own, len(used)):
            body = polyhedron_mass(points[used], own)
            if body is not None:
                yield body, "closed"
            continue
        hull = convex_hull(points[used])
        body = None if hull is None else polyhedron_mass(hull.vertices, hull.triangles)
        if body is not None:
            yield body, "hull"


def _clean(faces: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Returns the triangles (F, 3) without lines, repeated ones, and pairs that face each other."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    if not len(faces):
        return faces
    ranks = np.sort(faces, axis=1)
    turns = (faces == ranks[:, :1]).argmax(axis=1)
    rolled = np.take_along_axis(faces, (turns[:, None] + np.arange(3)) % 3, axis=1)
    signs = np.where(rolled[:, 1] == ranks[:, 1], 1, -1)
    _, first, group = np.unique(ranks, axis=0, return_index=True, return_inverse=True)
    total = np.bincount(group.ravel(), weights=signs).astype(np.int64)
    kept = first[total != 0]
    chosen: NDArray[np.int64] = faces[kept]
    wanted = np.sign(total[total != 0])
    flipped = signs[kept] != wanted
    chosen[flipped] = chosen[flipped][:, ::-1]
    return chosen


def _label_parts(faces: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Returns for each vertex (V,) the least vertex that edges connect it with."""
    labels = np.arange(count)
    ends = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    while True:
        least = np.minimum(labels[ends[:, 0]], labels[ends[:, 1]])
        before = labels.copy()
        for side in (0, 1):
            np.minimum.at(labels, labels[ends[:, side]], least)
            np.minimum.at(labels, ends[:, side], least)
        labels = labels[labels]
        if np.array_equal(labels, before):
            return labels
