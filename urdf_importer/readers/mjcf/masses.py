# SPDX-License-Identifier: GPL-3.0-or-later
"""What bodies weigh: as <inertial> says, else as their geoms do at their densities.

As in MuJoCo: geoms have 1000 kg/m^3 unless they say otherwise, overlaps count twice, meshes by the
way that their <mesh> names. The usual one, legacy, adds up pyramids between the triangles and
the middle of the surface, all with positive volumes: right for convex meshes alone.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...diagnostics import Diagnostics, quote
from ...geometry.hulls import convex_hull
from ...geometry.mesh_data import MeshData
from ...geometry.transforms import Matrix, Vector, pose_of
from ...geometry.triangles import Triangles, make_triangles
from ...geometry.volumes import (
    MassProperties,
    inertia_of,
    join_masses,
    mesh_mass,
    polyhedron_mass,
    primitive_mass,
)
from ...model import Inertial, Link, Mesh
from .document import Compiler, Node
from .geoms import Geom

LoadMesh = Callable[[Mesh], MeshData | None]
_DENSITY = 1000.0
_INERTIA = 6


class Scales:
    """Weighs the bodies of one model."""

    def __init__(self, compiler: Compiler, load: LoadMesh, diagnostics: Diagnostics) -> None:
        self._compiler = compiler
        self._load = load
        self._diagnostics = diagnostics
        node = compiler.node
        self._from_geoms = node.text("inertiafromgeom", "auto")
        low, high = node.vector("inertiagrouprange", 2) or (0.0, 5.0)
        self._groups = range(int(low), int(high) + 1)
        self._least = node.number("boundmass"), node.number("boundinertia")
        self._balances = node.flag("balanceinertia")
        self._meshes: dict[tuple[Mesh, str], MassProperties | None] = {}

    def weigh(
        self, inertial: tuple[Node, Matrix] | None, geoms: Sequence[Geom], line: int
    ) -> Inertial | None:
        """Returns the inertial of a body; None for one that weighs nothing. `inertial` is its
        element and the frame (4, 4) that holds it."""
        if inertial is not None and self._from_geoms != "true":
            return self._read_inertial(*inertial)
        weighed = geoms if self._from_geoms != "false" else ()
        total = join_masses(part for geom in weighed for part in self._weigh_geom(geom))
        if total is not None:
            return self._make(total.volume, total.centre, total.inertia, line)
        if inertial is not None:
            return self._read_inertial(*inertial)
        return self._make(0.0, np.zeros(3), np.zeros((3, 3)), line)

    def _read_inertial(self, node: Node, frame: Matrix) -> Inertial | None:
        place = frame @ self._compiler.frame(node)
        mass = node.number("mass")
        full = node.vector("fullinertia", _INERTIA)
        diagonal = node.vector("diaginertia", 3)
        if full is not None:
            xx, yy, zz, xy, xz, yz = full
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            tensor = np.diag(diagonal or (0.0, 0.0, 0.0))
        turn = place[:3, :3]
        return self._make(mass, place[:3, 3], turn @ tensor @ turn.T, node.line)

    def _make(self, mass: float, center: Vector, tensor: Matrix, line: int) -> Inertial | None:
        """Returns an inertial along the axes of its body, held to the compiler's bounds."""
        least_mass, least_moment = self._least
        if least_moment > 0.0 or self._balances:
            moments, axes = np.linalg.eigh(tensor)
            moments = np.maximum(moments, least_moment)
            if self._balances and moments[0] + moments[1] < moments[2]:
                moments = np.full(3, moments.mean())
            tensor = (axes * moments) @ axes.T
        mass = max(mass, least_mass)
        if not mass > 0.0:
            return None
        frame = np.eye(4)
        frame[:3, 3] = center
        return Inertial(
            origin=pose_of(frame),
            mass=float(mass),
            inertia=inertia_of(tensor),
            line=line,
        )

    def _weigh_geom(self, geom: Geom) -> list[MassProperties]:
        """Returns the mass of a geom as a volume, in its body; nothing for what weighs nothing."""
        if geom.group not in self._groups:
            return []
        node = geom.node
        shape = self._measure(geom)
        if shape is None or not shape.volume > 0.0:
            return []
        given = node.number("mass", -1.0)
        mass = given if given >= 0.0 else node.number("density", _DENSITY) * shape.volume
        if not mass > 0.0:
            return []
        factor = mass / shape.volume
        return [MassProperties(mass, shape.centre, shape.inertia * factor).moved(geom.frame)]

    def _measure(self, geom: Geom) -> MassProperties | None:
        if geom.mesh is not None:
            return self._measure_mesh(geom)
        if geom.node.flag("shellinertia"):
            self._warn(geom.node, "is weighed as a solid, not as a shell")
        if geom.kind == "ellipsoid":
            return _measure_ellipsoid(geom.size)
        assert geom.geometry is not None and not isinstance(geom.geometry, Mesh)
        return primitive_mass(geom.geometry)

    def _measure_mesh(self, geom: Geom) -> MassProperties | None:
        assert geom.mesh is not None
        mesh, way = geom.mesh.geometry, geom.mesh.inertia
        if (mesh, way) not in self._meshes:
            data = self._load(mesh)
            found = None if data is None else measure_mesh(make_triangles(data)[0], way)
            if found is None:
                self._warn(geom.node, "weighs nothing, since its mesh cannot be measured")
            self._meshes[mesh, way] = found
        return self._meshes[mesh, way]

    def _warn(self, node: Node, finding: str) -> None:
        name = node.text("name") or node.text("mesh")
        self._diagnostics.warning(
            "mjcf-mass-assumed",
            f"<geom> {quote(name)} {finding}",
            subject=name,
            line=node.line,
            source=node.source,
        )


def scale_to(links: Sequence[Link], total: float) -> tuple[Link, ...]:
    """Returns the links with all masses scaled to a total in kg, where that is positive."""
    before = math.fsum(each.inertial.mass or 0.0 for each in links if each.inertial is not None)
    if not (total > 0.0 and before > 0.0):
        return tuple(links)
    factor = total / before
    return tuple(replace(each, inertial=_scale(each.inertial, factor)) for each in links)


def _scale(inertial: Inertial | None, factor: float) -> Inertial | None:
    if inertial is None or inertial.inertia is None:
        return inertial
    i = inertial.inertia
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    scaled = replace(i, **{name: getattr(i, name) * factor for name in names})
    return replace(inertial, mass=(inertial.mass or 0.0) * factor, inertia=scaled)


def _measure_ellipsoid(size: Sequence[float]) -> MassProperties:
    a, b, c = size[:3]
    volume = 4.0 / 3.0 * math.pi * a * b * c
    moments = np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    return MassProperties(volume, np.zeros(3), np.diag(0.2 * volume * moments))


def measure_mesh(triangles: Triangles, way: str) -> MassProperties | None:
    """Measures a mesh by the way that <mesh inertia> names; None where it has no volume."""
    if not triangles.count:
        return None
    if way == "exact":
        return mesh_mass(triangles)
    if way == "convex":
        hull = convex_hull(triangles.vertices[triangles.corners].astype(np.float64))
        return None if hull is None else polyhedron_mass(hull.vertices, hull.triangles)
    corners = triangles.vertices[triangles.corners].astype(np.float64).reshape(-1, 3, 3)
    return _measure_shell(corners) if way == "shell" else _measure_pyramids(corners)


def _measure_pyramids(corners: Matrix) -> MassProperties | None:
    """Adds up the pyramids over triangles (T, 3, 3): from the middle of the surface for the
    centre of mass, from that for volume and moments."""
    crossed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.sqrt(np.einsum("ij,ij->i", crossed, crossed))
    if not areas.sum() > 0.0:
        return None
    middles = corners.mean(axis=1)
    middle = areas @ middles / areas.sum()
    volumes = np.abs(np.einsum("ij,ij->i", middles - middle, crossed)) / 6.0
    volume = float(volumes.sum())
    if not volume > 0.0:
        return None
    center = volumes @ (0.75 * middles + 0.25 * middle) / volume
    points = corners - center
    parts = np.abs(np.einsum("ij,ij->i", points.mean(axis=1), crossed)) / 6.0
    sums = points.sum(axis=1)
    moments = np.einsum("t,tki,tkj->ij", parts, points, points)
    moments = (moments + np.einsum("t,ti,tj->ij", parts, sums, sums)) / 20.0
    return MassProperties(float(parts.sum()), center, np.trace(moments) * np.eye(3) - moments)


def _measure_shell(corners: Matrix) -> MassProperties | None:
    """Measures the surface of triangles (T, 3, 3); its area takes the place of a volume."""
    crossed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = 0.5 * np.sqrt(np.einsum("ij,ij->i", crossed, crossed))
    area = float(areas.sum())
    if not area > 0.0:
        return None
    center = areas @ corners.mean(axis=1) / area
    points = corners - center
    sums = points.sum(axis=1)
    moments = np.einsum("t,tki,tkj->ij", areas, points, points)
    moments = (moments + np.einsum("t,ti,tj->ij", areas, sums, sums)) / 12.0
    return MassProperties(area, center, np.trace(moments) * np.eye(3) - moments)
