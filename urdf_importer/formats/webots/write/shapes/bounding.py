# SPDX-License-Identifier: GPL-3.0-or-later
"""Simple shapes as nodes. URDF and Webots agree on them: centred, along z, a capsule's length
without its half spheres."""

from pathlib import Path

from .....core.diagnostics import Diagnostics
from .....core.geometry.collision_bodies import CollisionBody, fit_collision
from .....core.geometry.fitting import Fit
from .....core.geometry.mesh_data import MeshData
from .....core.geometry.transforms import Matrix
from .....core.geometry.triangles import Triangles, make_triangles
from .....core.model import Box, Capsule, Collision, Cylinder, Link, Mesh, Primitive, Solid, Sphere
from .....core.writers.masses import report_flat
from ..options import WebotsOptions
from ..structure.frames import place_nodes
from ..vrml import Node
from .face_sets import make_face_set
from .mesh_files import ProtoMeshes

_ROUND = 3
"""Subdivisions of a sphere that is looked at; Webots' own 1 shows its 80 triangles."""


def make_primitive_node(geometry: Primitive, *, collides: bool = False) -> Node:
    match geometry:
        case Box(size=(x, y, z)):
            return Node("Box", {"size": (x, y, z)})
        case Cylinder(radius=radius, length=length):
            return Node("Cylinder", {"height": length, "radius": radius})
        case Capsule(radius=radius, length=length) if length > 0.0:
            return Node("Capsule", {"height": length, "radius": radius})
        case Sphere(radius=radius) | Capsule(radius=radius):
            fields = {"radius": radius} if collides else {"radius": radius, "subdivision": _ROUND}
            return Node("Sphere", dict(fields))


class BoundingBodies:
    """Fits, writes and measures collision bodies. Simple shapes of the robot stay unchanged.

    `fits` holds the result for each mesh: link name -> bodies, in the order of the collisions.
    """

    def __init__(
        self, files: ProtoMeshes, options: WebotsOptions, diagnostics: Diagnostics
    ) -> None:
        self._files = files
        self._options = options
        self._diagnostics = diagnostics
        self.fits: dict[str, list[CollisionBody]] = {}
        self._triangles: dict[MeshData, Triangles] = {}
        self._bodies: dict[tuple[MeshData, str], CollisionBody] = {}
        self._nodes: dict[tuple[MeshData, str], Node] = {}

    def make(
        self,
        collision: Collision,
        data: MeshData,
        kind: str,
        at: Matrix,
        file: Path | None,
        link: Link,
    ) -> list[Node]:
        """Makes the nodes of a collision, in a Pose where its frame `at` (4, 4) differs from the
        one in which it is used.

        `file` holds exactly these data. Reports `flat-collision` where a hull has no volume.
        """
        geometry = collision.geometry
        assert not isinstance(geometry, Solid)
        if not isinstance(geometry, Mesh):
            return place_nodes(at, [make_primitive_node(geometry, collides=True)])
        body = self._find_body(data, kind)
        self.fits.setdefault(link.name, []).append(body)
        if kind == "hull" and body.kind != kind:
            report_flat(collision, link, self._diagnostics)
        if isinstance(body.body, Fit):
            node = make_primitive_node(body.body.geometry, collides=True)
            return place_nodes(at @ body.body.frame, [node])
        key = (data, kind)
        if key not in self._nodes:
            stem = data.name or Path(geometry.filename).stem
            self._nodes[key] = self._make_node(body.body, body.kind, data, stem, file)
        return place_nodes(at, [self._nodes[key]])

    def _find_triangles(self, data: MeshData) -> Triangles:
        if data not in self._triangles:
            self._triangles[data], _ = make_triangles(data)
        return self._triangles[data]

    def _find_body(self, data: MeshData, kind: str) -> CollisionBody:
        triangles = self._find_triangles(data)
        key = (data, kind)
        if key not in self._bodies:
            self._bodies[key] = fit_collision(triangles, kind, self._options.collision_triangles)
        return self._bodies[key]

    def _make_node(
        self, triangles: Triangles, kind: str, data: MeshData, stem: str, file: Path | None
    ) -> Node:
        if self._options.geometry == "vrml":
            return make_face_set(triangles, collides=True)
        is_whole = triangles is self._find_triangles(data)
        url = self._files.copy(file, triangles) if file is not None and is_whole else None
        if url is None:
            name = stem if is_whole else f"{stem}_{kind}"
            url = self._files.write_body(triangles, name)
        return Node("Mesh", {"url": [url]})
