# SPDX-License-Identifier: GPL-3.0-or-later
"""Geoms as visuals and collisions, with the meshes and materials that they name.

A geom is a visual where its group is shown by MuJoCo's viewers (0 to 2), and collides where contype
or conaffinity is not zero; so a plain geom is both.
"""

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.transforms import Matrix, make_frame, pose_of, turn_z_onto
from ....core.meshes.heightmaps import is_heightmap
from ....core.model import (
    Box,
    Capsule,
    Collision,
    Color,
    Cylinder,
    Ellipsoid,
    Geometry,
    Material,
    Mesh,
    Polyhedron,
    Sphere,
    Visual,
)
from .document import Compiler, Defaults, MjcfElement
from .materials import Materials, read_color
from .meshes import (
    FITTED,
    MeshAsset,
    MeshMeasures,
    make_polyhedron,
    place_mesh,
    read_heights,
    read_written,
)

_SHOWN_GROUPS = (0, 1, 2)
_GEOM_COLOR: Color = (0.5, 0.5, 0.5, 1.0)
_THINNEST = 1e-9
_FLAT = 1.0 - 1e-6
"""The least height, as a share of the greatest, that MuJoCo takes as flat."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Geom:
    """A geom in its body: `frame` (4, 4) is its shape's frame (of a mesh: its points'), `kind` and
    `size` are MuJoCo's. `geometry` is None where the model has no such shape."""

    node: MjcfElement
    frame: Matrix
    kind: str
    size: tuple[float, ...]
    geometry: Geometry | None
    material: Material
    mesh: MeshAsset | None = None
    lift: float = 0.0
    """How far above the frame of a height field's image the field's own is."""

    @property
    def group(self) -> int:
        return int(self.node.number("group"))

    @property
    def is_seen(self) -> bool:
        return self.group in _SHOWN_GROUPS

    @property
    def is_opaque(self) -> bool:
        return self.material.color is None or self.material.color[3] >= 1.0

    @property
    def collides(self) -> bool:
        return bool(self.node.number("contype", 1.0) or self.node.number("conaffinity", 1.0))


class Assets:
    """The content of <asset>, by name."""

    def __init__(
        self,
        root: MjcfElement,
        compiler: Compiler,
        defaults: Defaults,
        files: MeshMeasures,
        diagnostics: Diagnostics,
        *,
        prefix: str = "",
    ) -> None:
        self._compiler = compiler
        self._files = files
        self._diagnostics = diagnostics
        nodes = [defaults.resolve(node) for asset in root.all("asset") for node in asset.children]
        self._meshes = {_name_of(node): node for node in nodes if node.tag == "mesh"}
        self._fields = {_name_of(node): node for node in nodes if node.tag == "hfield"}
        self._read: dict[str, MeshAsset | None] = {}
        self.models = [node for node in nodes if node.tag == "model"]
        self.materials = Materials(nodes, compiler, diagnostics, prefix).by_name

    def find_mesh(self, node: MjcfElement) -> MeshAsset | None:
        """Finds the mesh that a geom names; None, reported, where no such mesh can be read."""
        name = node.text("mesh")
        if name not in self._meshes:
            self._drop(node, f"names the mesh {quote(name)}, which is not defined")
            return None
        if name not in self._read:
            self._read[name] = self._read_mesh(self._meshes[name])
        return self._read[name]

    def _find_look(self, node: MjcfElement) -> Material:
        """Returns the look of a geom: its own colour counts, else its material's."""
        material = self.materials.get(node.text("material"))
        own = read_color(node, _GEOM_COLOR)
        if own != _GEOM_COLOR or material is None:
            return Material(color=own, line=node.line)
        return material

    def _read_mesh(self, node: MjcfElement) -> MeshAsset | None:
        file, scale = node.text("file"), node.triple("scale", (1.0, 1.0, 1.0))
        if not (file or node.numbers("vertex")):
            self._drop(node, "has neither a file nor points")
            return None
        place, is_whole = place_mesh(node, scale)
        if not is_whole:
            self._drop(
                node, "is turned and scaled in different ways, and stays unturned", lost=False
            )
        name = self._compiler.place_file(file, self._compiler.meshdir)
        geometry: Mesh | Polyhedron | None = None
        if file:
            geometry = self._files.read_geometry(Mesh(filename=name, scale=scale, bare=True))
        elif (written := read_written(node, scale)) is not None:
            geometry = make_polyhedron(*written)
        return MeshAsset(
            geometry=geometry,
            frame=place,
            inertia=node.text("inertia", "legacy"),
            node=node,
            scale=scale,
        )

    def _drop(
        self,
        node: MjcfElement,
        finding: str,
        *,
        lost: bool = True,
        told: str = "; it is left out",
    ) -> None:
        name = node.text("name") or node.text("mesh")
        message = f"<{node.tag}>{name and ' ' + quote(name)} {finding}" + (told if lost else "")
        if lost:
            node.report("mjcf-shape-lost", message, name, self._diagnostics.error)
        else:
            node.report("mjcf-shape-changed", message, name, self._diagnostics.warning)

    def read_geom(self, node: MjcfElement, frame: Matrix) -> Geom | None:
        """Reads a geom, whose attributes are resolved, in a body in which `frame` (4, 4) holds it.
        Returns None, reported, for shapes that the model cannot hold."""
        kind = node.text("type", "sphere")
        if kind in ("mesh", "sdf"):
            return self._read_mesh_geom(node, frame)
        if kind == "hfield":
            return self._read_field(node, frame)
        if kind == "plane":
            name = node.text("name")
            finding = f"<geom> {quote(name)} is a plane without end; it is left out"
            node.report("mjcf-plane", finding, name, self._diagnostics.warning)
            return None
        if "mesh" in node.attributes:
            return self._fit_geom(node, frame, kind)
        place, size = place_geom(node, frame, kind, node.numbers("size"), self._compiler)
        return self._make_geom(node, place, kind, size)

    def _make_geom(
        self, node: MjcfElement, place: Matrix, kind: str, size: tuple[float, ...]
    ) -> Geom | None:
        geometry = _make_geometry(kind, size)
        if geometry is None:
            written = node.text("size")
            what = f"a {kind} of the size {quote(written)}" if written else f"a {kind}"
            self._drop(node, f"is {what}, which is not read")
            return None
        return Geom(
            node=node,
            frame=place,
            kind=kind,
            size=size,
            geometry=geometry,
            material=self._find_look(node),
        )

    def _fit_geom(self, node: MjcfElement, frame: Matrix, kind: str) -> Geom | None:
        """Reads a simple shape that is fitted to a mesh."""
        mesh = self.find_mesh(node)
        if mesh is None:
            return None
        found = None
        if kind in FITTED:
            factor, to_bounds = node.number("fitscale", 1.0), self._compiler.fits_bounds
            found = self._files.fit(mesh, kind, factor, to_bounds=to_bounds)
        if found is None:
            self._drop(node, f"is a {kind}, which cannot be fitted to its mesh")
            return None
        place, size = found
        return self._make_geom(node, frame @ self._compiler.frame(node) @ place, kind, size)

    def _read_field(self, node: MjcfElement, frame: Matrix) -> Geom | None:
        """Reads a height field. The base beneath it is not shown."""
        asset = node.text("hfield")
        field = self._fields.get(asset)
        if field is None:
            self._drop(node, f"names the height field {quote(asset)}, which is not defined")
            return None
        file, size = field.text("file"), field.vector("size", 4)
        if not file and size is not None and all(number > 0.0 for number in size):
            written = read_heights(field, size)
            if written is None:
                self._drop(node, "is a height field of too few or too many heights")
                return None
            return self._place_field(node, frame, size, written)
        return self._read_image(node, frame, file, size)

    def _read_image(
        self, node: MjcfElement, frame: Matrix, file: str, size: tuple[float, ...] | None
    ) -> Geom | None:
        """Reads heights that are an image: the darkest pixel is at zero, the brightest as high as
        the field says."""
        surface = Mesh(filename=self._compiler.place_file(file, self._compiler.meshdir))
        if size is None or not is_heightmap(surface):
            self._drop(node, "is a height field whose heights are not in an image")
            return None
        lowest = self._files.find_lowest(surface)
        if lowest is None or not all(number > 0.0 for number in size):
            self._drop(node, f"is a height field of the image {quote(file)}, which cannot be read")
            return None
        stretched = size[2] / (1.0 - lowest) if lowest < _FLAT else size[2]
        shown = replace(surface, scale=(2.0 * size[0], 2.0 * size[1], stretched))
        return self._place_field(node, frame, size, shown, stretched * lowest)

    def _place_field(
        self,
        node: MjcfElement,
        frame: Matrix,
        size: tuple[float, ...],
        surface: Geometry,
        lift: float = 0.0,
    ) -> Geom:
        place = np.eye(4)
        place[2, 3] = -lift
        return Geom(
            node=node,
            frame=frame @ self._compiler.frame(node) @ place,
            kind="hfield",
            size=size,
            geometry=surface,
            material=self._find_look(node),
            lift=lift,
        )

    def _read_mesh_geom(self, node: MjcfElement, frame: Matrix) -> Geom | None:
        mesh = self.find_mesh(node)
        if mesh is None:
            return None
        if mesh.geometry is None:
            self._drop(
                node, "has points that enclose nothing, or too many; it is not shown", told=""
            )
        return Geom(
            node=node,
            frame=frame @ self._compiler.frame(node) @ mesh.frame,
            kind="mesh",
            size=(),
            geometry=mesh.geometry,
            material=self._find_look(node),
            mesh=mesh,
        )


def place_geom(
    node: MjcfElement, frame: Matrix, kind: str, size: tuple[float, ...], compiler: Compiler
) -> tuple[Matrix, tuple[float, ...]]:
    """Returns the frame of a simple shape and its sizes, in either spelling."""
    ends = node.vector("fromto", 6)
    if ends is None or kind not in ("capsule", "cylinder", "box", "ellipsoid"):
        return frame @ compiler.frame(node), size
    start, end = np.array(ends[:3]), np.array(ends[3:])
    along = start - end
    length = float(np.sqrt(along @ along))
    if not length > _THINNEST:
        raise node.refuse("fromto of <geom> has no length")
    place = make_frame(turn_z_onto(along / length), 0.5 * (start + end))
    radius = size[0] if size else 0.0
    if kind in ("capsule", "cylinder"):
        return frame @ place, (radius, 0.5 * length)
    across = size[1] if len(size) > 1 else radius
    return frame @ place, (radius, across, 0.5 * length)


def _make_geometry(kind: str, size: tuple[float, ...]) -> Geometry | None:
    """Returns the shape of the model; MuJoCo counts sizes from the middle."""
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}.get(kind)
    if needed is None or len(size) < needed or not all(each > 0.0 for each in size[:needed]):
        return None
    if kind == "sphere":
        return Sphere(radius=size[0])
    if kind == "capsule":
        return Capsule(radius=size[0], length=2.0 * size[1])
    if kind == "cylinder":
        return Cylinder(radius=size[0], length=2.0 * size[1])
    if kind == "box":
        return Box(size=(2.0 * size[0], 2.0 * size[1], 2.0 * size[2]))
    return Ellipsoid(radii=(size[0], size[1], size[2]))


def make_visual(geom: Geom) -> Visual:
    """Returns the visual of a geom."""
    return Visual(**_describe(geom), material=geom.material)


def make_collision(geom: Geom) -> Collision:
    """Returns the collision of a geom."""
    return Collision(**_describe(geom))


def _describe(geom: Geom) -> dict[str, Any]:
    """The fields that visuals and collisions share."""
    name, line = geom.node.text("name"), geom.node.line
    place = pose_of(geom.frame)
    return {"geometry": geom.geometry, "origin": place, "name": name, "line": line}


def _name_of(node: MjcfElement) -> str:
    return node.text("name") or PurePosixPath(node.text("file").replace("\\", "/")).stem
