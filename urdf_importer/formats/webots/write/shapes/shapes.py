# SPDX-License-Identifier: GPL-3.0-or-later
"""The visuals and collisions of links as nodes, and the files that these name.

A node that serves several shapes is one object, which `share_repeats` writes once. Visuals and
collisions share no nodes: Webots treats a node in a boundingObject differently.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from .....core.diagnostics import KinematicsError, quote, unknown_name
from .....core.geometry.collision_bodies import KINDS
from .....core.geometry.mesh_data import MeshData, MeshMaterial
from .....core.geometry.transforms import Matrix, matrix_from_pose
from .....core.geometry.triangles import Triangles, project_on_box, split_by_material
from .....core.geometry.volumes import MassProperties
from .....core.model import Collision, Color, Link, Mesh, Robot, Solid, Visual
from .....core.writers.file_folder import FileFolder
from .....core.writers.formats import OpenExport
from .....core.writers.looks import Looks
from .....core.writers.masses import measure_collisions
from .....core.writers.textures import Textures
from ..options import WebotsOptions
from ..structure.frames import place_nodes
from ..vrml import Node, Value
from .appearances import Appearances
from .bounding import BoundingBodies, make_primitive_node
from .face_sets import make_face_set
from .mesh_files import ProtoMeshes

_IDENTITY = np.eye(4)
_Part = tuple[MeshMaterial | None, Node]


class ShapeNodeWriter:
    """Made once for each export.

    Files go into `folder` (made when the first one comes); `prefix` begins their names in urls.
    Shapes that cannot be shown or collide are left out and reported, with the code of their
    MeshError. Raises KinematicsError where the options name a link that is not there or an unknown
    shape.
    """

    def __init__(self, found: OpenExport[WebotsOptions], folder: Path, prefix: str) -> None:
        options, diagnostics = found.options, found.diagnostics
        self._source = found.files
        self._options = options
        self._diagnostics = diagnostics
        self._looks = Looks(found.robot, found.files, diagnostics)
        self._kinds = _read_overrides(found.robot, options)
        files = FileFolder(folder, prefix)
        self._files = ProtoMeshes(files)
        self._appearances = Appearances(Textures(files, found.convert_image, diagnostics))
        self.bodies = BoundingBodies(self._files, options, diagnostics)
        self.shows_collisions = False
        self._parts: dict[tuple[MeshData, bool], list[_Part]] = {}

    def visual_nodes(self, link: Link) -> list[Node]:
        """Returns the link's visuals in its frame: a Shape for each material, in a Pose unless the
        visual is in the link's frame itself."""
        nodes: list[Node] = []
        find = self._appearances.find
        for visual in link.collisions if self.shows_collisions else link.visuals:
            shapes = [
                Node("Shape", {"appearance": find(look, link.name, visual.line), "geometry": node})
                for look, node in self._find_parts(visual, link)
            ]
            nodes += place_nodes(matrix_from_pose(visual.origin), shapes)
        return nodes

    def mesh_files(self, visual: Visual, link: Link) -> list[tuple[str, Color | None]]:
        """Returns the files that draw a visual, as the PROTO names them, and their colours: in
        metres, in the visual's frame. Empty for simple shapes, and for meshes inside the PROTO."""
        if not isinstance(visual.geometry, Mesh):
            return []
        files: list[tuple[str, Color | None]] = []
        for look, node in self._find_parts(visual, link):
            urls = node.fields.get("url")
            if isinstance(urls, list):
                files.append((str(urls[0]), look.color if look else None))
        return files

    def bounding_parts(self, link: Link, frame: Matrix = _IDENTITY) -> list[Node]:
        """Returns the link's collisions in the frame in which the link has the pose `frame` (4, 4):
        each a shape, or one in a Pose. The parts of several links make one body by
        `join_bounding`."""
        parts: list[Node] = []
        kind = self._kinds.get(link.name, self._options.collision)
        self.bodies.fits.pop(link.name, None)
        for collision in link.collisions:
            data = self._source.load_or_report(collision, link)
            if data is None:
                continue
            at = frame @ matrix_from_pose(collision.origin)
            file = self._source.file_of(collision)
            parts += self.bodies.make(collision, data, kind, at, file, link)
        return parts

    def bounding_object(self, link: Link) -> Node | None:
        """Returns the content of the link's boundingObject; None where nothing collides."""
        return join_bounding(self.bounding_parts(link))

    def collision_volume(self, link: Link) -> MassProperties | None:
        """Returns the MassProperties of the collisions as the robot has them, whatever they are
        exported as, in the link's frame; an open mesh counts as its hull. None where they have no
        volume."""
        return measure_collisions(link, self._source.load_or_report)

    def _find_parts(self, visual: Visual | Collision, link: Link) -> list[_Part]:
        """Returns the look and the geometry of each material, with the same nodes for the same
        mesh."""
        data = self._source.load_or_report(visual, link)
        if data is None:
            return []
        look = None
        if isinstance(visual, Visual) and not data.materials:
            look = self._looks.find(visual, link)
        key = (data, bool(look and look.texture))
        if key not in self._parts:
            self._parts[key] = self._make_parts(visual, *key)
        return [(own or look, node) for own, node in self._parts[key]]

    def _make_parts(
        self, visual: Visual | Collision, data: MeshData, is_textured: bool
    ) -> list[_Part]:
        assert not isinstance(visual.geometry, Solid)
        if not isinstance(visual.geometry, Mesh):
            return [(None, make_primitive_node(visual.geometry))]
        parts = list(split_by_material(data))
        made = []
        for look, triangles in parts:
            has_image = look is not None and bool(look.texture or look.image)
            if triangles.uvs is None and (is_textured or has_image):
                triangles = replace(triangles, uvs=project_on_box(triangles))
            path = self._source.file_of(visual) if len(parts) == 1 else None
            stem = _stem(visual.geometry, data, look if len(parts) > 1 else None)
            made.append((look, self._make_geometry(triangles, stem, path)))
        return made

    def _make_geometry(self, triangles: Triangles, stem: str, path: Path | None) -> Node:
        if self._options.geometry == "vrml":
            return make_face_set(triangles)
        url = None
        if path is not None and triangles.uvs is None and triangles.normals is None:
            url = self._files.copy(path, triangles)
        return Node("Mesh", {"url": [url or self._files.write(triangles, stem)]})


def join_bounding(parts: Iterable[Node]) -> Node | None:
    """Makes one boundingObject of shapes and of Poses with one shape each; returns None if there
    are none.

    Webots wants no Group in a Group, no Pose in a Pose and one child in a Pose.
    """
    children: list[Value] = list(parts)
    if len(children) > 1:
        return Node("Group", {"children": children})
    return children[0] if children and isinstance(children[0], Node) else None


def _read_overrides(robot: Robot, options: WebotsOptions) -> dict[str, str]:
    names = {link.name for link in robot.links}
    for link, kind in options.collision_overrides:
        if link not in names:
            after = " to choose a collision shape for"
            raise unknown_name("there is no link", link, names, after=after)
        if kind not in KINDS:
            known = ", ".join(KINDS)
            raise KinematicsError(f"{quote(kind)} is not a collision shape; choose from {known}")
    return dict(options.collision_overrides)


def _stem(geometry: Mesh, data: MeshData, look: MeshMaterial | None) -> str:
    stem = data.name or Path(geometry.filename).stem
    return f"{stem}_{look.name}" if look is not None and look.name else stem
