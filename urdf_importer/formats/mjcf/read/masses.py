# SPDX-License-Identifier: GPL-3.0-or-later
"""The masses of bodies: from <inertial>, else from their geoms at their densities.

As in MuJoCo: geoms have 1000 kg/m^3 unless they say otherwise, overlaps count twice, meshes by the
way that their <mesh> names.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.transforms import Matrix, Vector, make_frame, pose_of
from ....core.geometry.volumes import MassProperties, inertia_of, join_masses, primitive_mass
from ....core.model import Box, Inertial, Link, Mesh
from .document import Compiler, MjcfElement
from .geoms import Geom
from .meshes import MeshAsset, MeshMeasures, measure_primitive_shell

_DENSITY = 1000.0
_INERTIA = 6


class Scales:
    """Weighs the bodies of one model."""

    def __init__(self, compiler: Compiler, files: MeshMeasures, diagnostics: Diagnostics) -> None:
        self._files = files
        self._diagnostics = diagnostics
        node = compiler.node
        self._from_geoms = node.text("inertiafromgeom", "auto")
        low, high = node.vector("inertiagrouprange", 2) or (0.0, 5.0)
        self._groups = range(int(low), int(high) + 1)
        self._least = node.number("boundmass"), node.number("boundinertia")
        self._balances = node.flag("balanceinertia")
        self._warned: set[int] = set()

    def weigh(
        self, inertial: tuple[MjcfElement, Matrix] | None, geoms: Sequence[Geom], body: MjcfElement
    ) -> Inertial | None:
        """Returns the inertial of a body; None for a massless one. `inertial` is its element and
        its frame (4, 4) in the body. MuJoCo puts the least mass of a body that has none as far from
        the body's frame as that is from the one above."""
        if inertial is not None and self._from_geoms != "true":
            return self._read_inertial(*inertial)
        weighed = geoms if self._from_geoms != "false" else ()
        total = join_masses(map(self._weigh_geom, weighed))
        if total is not None:
            return self._make(total.volume, total.centre, total.inertia, body.line)
        if inertial is not None:
            return self._read_inertial(*inertial)
        center = np.array(body.triple("pos"))
        return self._make(0.0, center, np.zeros((3, 3)), body.line)

    def _read_inertial(self, node: MjcfElement, place: Matrix) -> Inertial | None:
        mass = node.number("mass")
        full = node.vector("fullinertia", _INERTIA)
        diagonal = node.triple("diaginertia")
        if full is not None:
            xx, yy, zz, xy, xz, yz = full
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            tensor = np.diag(diagonal)
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
        origin = pose_of(make_frame(point=center))
        return Inertial(origin=origin, mass=float(mass), inertia=inertia_of(tensor), line=line)

    def _weigh_geom(self, geom: Geom) -> MassProperties | None:
        """Returns the mass of a geom as a volume, in its body; None for a massless geom."""
        node = geom.node
        shape = self._measure(geom) if geom.group in self._groups else None
        if shape is None or not shape.volume > 0.0:
            return None
        given = node.number("mass", -1.0)
        mass = given if given >= 0.0 else node.number("density", _DENSITY) * shape.volume
        if not mass > 0.0:
            return None
        inertia = shape.inertia * (mass / shape.volume)
        return MassProperties(mass, shape.centre, inertia).moved(geom.frame)

    def _measure(self, geom: Geom) -> MassProperties | None:
        if geom.kind == "hfield":
            return _measure_field(geom)
        if geom.mesh is not None:
            return self._measure_mesh(geom.node, geom.mesh)
        if geom.node.flag("shellinertia"):
            return measure_primitive_shell(geom.kind, geom.size)
        assert geom.geometry is not None and not isinstance(geom.geometry, Mesh)
        return primitive_mass(geom.geometry)

    def _measure_mesh(self, node: MjcfElement, mesh: MeshAsset) -> MassProperties | None:
        """Returns the mass of a mesh as its points have it; says once of each that it has none."""
        found = self._files.measure(mesh)
        if found is None and id(mesh) not in self._warned:
            self._warned.add(id(mesh))
            name = node.text("name") or node.text("mesh")
            finding = "weighs nothing, since its mesh cannot be measured"
            message = f"<geom>{name and ' ' + quote(name)} {finding}"
            node.report("mjcf-mass-assumed", message, name, self._diagnostics.warning)
        return found


def _measure_field(geom: Geom) -> MassProperties:
    """Measures a height field as MuJoCo does: as a box about its origin, half as high as the field
    and its base."""
    across, along, high, base = geom.size
    box = Box(size=(2.0 * across, 2.0 * along, 0.5 * high + base))
    frame = np.eye(4)
    frame[2, 3] = geom.lift
    return primitive_mass(box).moved(frame)


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
