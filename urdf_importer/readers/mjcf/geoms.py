# SPDX-License-Identifier: GPL-3.0-or-later
"""Geoms as visuals and collisions, with the meshes and materials that they name.

A geom is seen where its group is one that MuJoCo's viewers show (0 to 2), and collides where
contype or conaffinity is not zero; so a plain geom is both.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from ...diagnostics import Diagnostics, quote
from ...geometry.transforms import Matrix, pose_of, rotation_from_quaternion
from ...model import (
    Box,
    Capsule,
    Collision,
    Color,
    Cylinder,
    Geometry,
    Material,
    Mesh,
    Sphere,
    Vector3,
    Visual,
)
from .document import Compiler, Defaults, Node, turn_z_to

_SHOWN_GROUPS = (0, 1, 2)
_GEOM_COLOR: Color = (0.5, 0.5, 0.5, 1.0)
_MATERIAL_COLOR: Color = (1.0, 1.0, 1.0, 1.0)
_THINNEST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshAsset:
    """A mesh file; `frame` (4, 4) is where its points stand in a geom, once they are scaled."""

    geometry: Mesh
    frame: Matrix
    inertia: str
    node: Node


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Geom:
    """A geom in its body: `frame` (4, 4) is where its shape stands, `kind` and `size` are MuJoCo's.
    `geometry` is None where the model has no such shape."""

    node: Node
    frame: Matrix
    kind: str
    size: tuple[float, ...]
    geometry: Geometry | None
    mesh: MeshAsset | None = None

    @property
    def group(self) -> int:
        return int(self.node.number("group"))

    @property
    def is_seen(self) -> bool:
        return self.group in _SHOWN_GROUPS

    @property
    def collides(self) -> bool:
        return bool(self.node.number("contype", 1.0) or self.node.number("conaffinity", 1.0))


class Assets:
    """What <asset> holds, by name."""

    def __init__(
        self, root: Node, compiler: Compiler, defaults: Defaults, diagnostics: Diagnostics
    ) -> None:
        self._compiler = compiler
        self._diagnostics = diagnostics
        nodes = [defaults.resolve(node) for asset in root.all("asset") for node in asset.children]
        self._textures = {
            name: compiler.place_file(file, compiler.texturedir)
            for node in nodes
            if node.tag == "texture" and (file := node.text("file"))
            if (name := node.text("name") or PurePosixPath(file).stem)
            if node.text("type", "cube") == "2d"
        }
        self._meshes = {_name_of(node): node for node in nodes if node.tag == "mesh"}
        self._read: dict[str, MeshAsset | None] = {}
        self.materials = {
            name: self._read_material(node)
            for node in nodes
            if node.tag == "material" and (name := node.text("name"))
        }
        self.has_models = any(node.tag == "model" for node in nodes)

    def find_mesh(self, node: Node) -> MeshAsset | None:
        """Finds the mesh that a geom names; None, reported, where there is none that can be
        read."""
        name = node.text("mesh")
        if name not in self._meshes:
            self._drop(node, f"names the mesh {quote(name)}, which is not defined")
            return None
        if name not in self._read:
            self._read[name] = self._read_mesh(self._meshes[name])
        return self._read[name]

    def find_look(self, node: Node) -> Material | None:
        """Returns what a geom looks like: its own colour counts, else that of its material."""
        material = self.materials.get(node.text("material"))
        own = _read_color(node, _GEOM_COLOR)
        if own != _GEOM_COLOR or material is None:
            return Material(color=own, line=node.line)
        return material

    def _read_material(self, node: Node) -> Material:
        texture = self._textures.get(node.text("texture"))
        color = _read_color(node, _MATERIAL_COLOR)
        return Material(name=node.text("name"), color=color, texture=texture, line=node.line)

    def _read_mesh(self, node: Node) -> MeshAsset | None:
        file = node.text("file")
        if not file:
            self._drop(node, "has no file: points in the text are not read")
            return None
        scale = _vector(node.vector("scale", 3), (1.0, 1.0, 1.0))
        back = np.eye(4)
        quat = node.vector("refquat", 4)
        if quat is not None:
            w, x, y, z = quat
            back[:3, :3] = rotation_from_quaternion((x, y, z, w)).T
        turned = not np.allclose(back, np.eye(4), atol=1e-12)
        if turned and len({abs(part) for part in scale}) > 1:
            self._drop(
                node, "is turned and scaled in different ways, and stays unturned", lost=False
            )
            back = np.eye(4)
        at = np.array(_vector(node.vector("refpos", 3), (0.0, 0.0, 0.0)))
        if turned:
            factor = np.array(scale)
            # v' = S R^T (v - p), with one factor in all directions but for signs.
            back[:3, :3] = np.diag(factor) @ back[:3, :3] @ np.diag(1.0 / factor)
            back[:3, 3] = -(back[:3, :3] @ (factor * at))
        else:
            back[:3, 3] = -np.array(scale) * at
        return MeshAsset(
            geometry=Mesh(
                filename=self._compiler.place_file(file, self._compiler.meshdir), scale=scale
            ),
            frame=back,
            inertia=node.text("inertia", "legacy"),
            node=node,
        )

    def _drop(self, node: Node, finding: str, *, lost: bool = True) -> None:
        name = node.text("name") or node.text("mesh")
        report: Callable[..., None] = self._diagnostics.error if lost else self._diagnostics.warning
        report(
            "mjcf-shape-lost" if lost else "mjcf-shape-changed",
            f"<{node.tag}> {quote(name)} {finding}" + ("; it is left out" if lost else ""),
            subject=name,
            line=node.line,
            source=node.source,
        )

    def read_geom(self, node: Node, frame: Matrix) -> Geom | None:
        """Reads a geom, whose attributes are resolved, in a body in which `frame` (4, 4) holds it.
        Returns None, reported, for what the model cannot hold."""
        kind = node.text("type", "sphere")
        if "mesh" in node.attributes and kind not in ("mesh", "sdf"):
            self._drop(node, f"is a {kind} fitted to a mesh; the mesh takes its place", lost=False)
            kind = "mesh"
        if kind == "mesh":
            return self._read_mesh_geom(node, frame)
        size = node.numbers("size")
        place, size = _place_geom(node, frame, kind, size, self._compiler)
        geometry = _make_geometry(kind, size)
        if geometry is None:
            self._drop(
                node, f"is a {kind} of the size {quote(node.text('size'))}, which is not read"
            )
            return None
        if kind == "ellipsoid":
            self._drop(node, "is an ellipsoid; a sphere of its volume takes its place", lost=False)
        return Geom(node=node, frame=place, kind=kind, size=size, geometry=geometry)

    def _read_mesh_geom(self, node: Node, frame: Matrix) -> Geom | None:
        mesh = self.find_mesh(node)
        if mesh is None:
            return None
        place = frame @ self._compiler.frame(node) @ mesh.frame
        return Geom(node=node, frame=place, kind="mesh", size=(), geometry=mesh.geometry, mesh=mesh)


def _place_geom(
    node: Node, frame: Matrix, kind: str, size: tuple[float, ...], compiler: Compiler
) -> tuple[Matrix, tuple[float, ...]]:
    """Returns where a simple shape stands and its sizes, in either spelling."""
    ends = node.vector("fromto", 6)
    if ends is None or kind not in ("capsule", "cylinder", "box", "ellipsoid"):
        return frame @ compiler.frame(node), size
    start, end = np.array(ends[:3]), np.array(ends[3:])
    along = start - end
    length = float(np.sqrt(along @ along))
    if not length > _THINNEST:
        raise node.refuse("fromto of <geom> has no length")
    place = np.eye(4)
    place[:3, :3] = turn_z_to(along / length)
    place[:3, 3] = 0.5 * (start + end)
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
    return Sphere(radius=float(np.cbrt(size[0] * size[1] * size[2])))


def make_visual(geom: Geom, assets: Assets) -> Visual:
    """Returns what is seen of a geom."""
    assert geom.geometry is not None
    return Visual(
        geometry=geom.geometry,
        origin=pose_of(geom.frame),
        name=geom.node.text("name"),
        material=assets.find_look(geom.node),
        line=geom.node.line,
    )


def make_collision(geom: Geom) -> Collision:
    """Returns what a geom collides with."""
    assert geom.geometry is not None
    return Collision(
        geometry=geom.geometry,
        origin=pose_of(geom.frame),
        name=geom.node.text("name"),
        line=geom.node.line,
    )


def _name_of(node: Node) -> str:
    return node.text("name") or PurePosixPath(node.text("file").replace("\\", "/")).stem


def _read_color(node: Node, default: Color) -> Color:
    red, green, blue, alpha = (
        min(max(part, 0.0), 1.0) for part in node.vector("rgba", 4) or default
    )
    return (red, green, blue, alpha)


def _vector(numbers: tuple[float, ...] | None, default: Vector3) -> Vector3:
    if numbers is None:
        return default
    x, y, z = numbers
    return (x, y, z)
