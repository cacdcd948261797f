# SPDX-License-Identifier: GPL-3.0-or-later
"""Visuals and collisions of a robot, as tables of a script."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.geometry.mesh_data import MeshData, MeshMaterial
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.geometry.triangles import make_triangles
from urdf_importer.core.images.colors import linear_from_srgb
from urdf_importer.core.meshes import RobotFiles
from urdf_importer.core.meshes.robot_files import Shape
from urdf_importer.core.model import (
    Box,
    Capsule,
    Color,
    Cylinder,
    Link,
    Mesh,
    Robot,
    Sphere,
    Visual,
    VisualMaterials,
)
from urdf_importer.core.names import Claims

from .literals import printable, single, table, text, texts
from .packing import MeshPacker, Slots, make_mesh_name, write_meshes
from .tables import place

_BOUNDS = {Box: "BOX", Cylinder: "CYLINDER", Sphere: "SPHERE", Capsule: "CAPSULE"}
_HULL = "CONVEX_HULL"
_DEFAULT_MATERIAL = MeshMaterial()
_DIGITS = 6


class ShapeTables:
    """Tables of shapes, filled link by link. Shapes that cannot be shown or collide are left out
    and reported, with the code of their MeshError; images are left out and reported once."""

    def __init__(self, robot: Robot, files: RobotFiles, diagnostics: Diagnostics) -> None:
        self._files = files
        self._diagnostics = diagnostics
        self._described = VisualMaterials(robot)
        self._packer = MeshPacker()
        self._visuals: list[str] = []
        self._collisions: list[str] = []
        self._material_names: dict[tuple[str, Color], str] = {}
        self._names = Claims()
        self._packed: dict[tuple[MeshData, bool], tuple[str, tuple[int, ...]]] = {}
        self._textured = 0

    def add_visuals(self, link: Link) -> None:
        for visual in link.visuals:
            data = self._files.load_or_report(visual, link)
            if data is not None:
                mesh, slots = self._pack(visual, data)
                materials = self._find_materials(visual, link, data, slots)
                self._visuals.append(
                    f"{text(link.name)}, {text(visual.name or f'{link.name}_visual')}, "
                    f"{text(mesh)}, {texts(materials)}, {place(matrix_from_pose(visual.origin))}"
                )

    def add_collisions(self, link: Link, mass: float) -> None:
        """Adds the collisions of a link; its `mass` (kg) is shared among them."""
        loaded = [(shape, self._files.load_or_report(shape, link)) for shape in link.collisions]
        found = [(shape, data) for shape, data in loaded if data is not None]
        for collision, data in found:
            mesh, _ = self._pack(collision, data)
            bounds = _BOUNDS.get(type(collision.geometry), _HULL)
            self._collisions.append(
                f"{text(link.name)}, {text(collision.name or f'{link.name}_collision')}, "
                f"{text(mesh)}, {text(bounds)}, {single(mass / len(found))}, "
                f"{place(matrix_from_pose(collision.origin))}"
            )

    def write_tables(self) -> str:
        """Writes the tables MATERIALS, VISUALS and COLLISIONS."""
        rows = [
            ", ".join([text(name), *(single(part) for part in _linear(color))])
            for (_, color), name in self._material_names.items()
        ]
        where = "location and rotation in the link"
        return "\n".join(
            (
                table("MATERIALS", "name, red, green, blue (linear), alpha", rows),
                table("VISUALS", f"link, name, mesh, its materials, {where}", self._visuals),
                table(
                    "COLLISIONS",
                    f"link, name, mesh, bounds for the game engine, kilograms, {where}",
                    self._collisions,
                ),
            )
        )

    def write_meshes(self) -> str:
        """Writes the table MESHES."""
        return write_meshes(self._packer.meshes)

    def report_images(self) -> None:
        """Reports images that were left out. Call it when all links are added."""
        if self._textured:
            self._diagnostics.warning(
                "morse-no-images",
                f"{self._textured} materials have images, which a builder script does not hold; "
                "their colours are shown",
            )

    def _pack(self, shape: Shape, data: MeshData) -> tuple[str, tuple[int, ...]]:
        """Returns the mesh's name, and the materials of the mesh file that it shows, by slot."""
        is_visual = isinstance(shape, Visual)
        key = (data, is_visual)
        if key not in self._packed:
            triangles, slots = make_triangles(data)
            name = _name_mesh(shape, data)
            if is_visual:
                used, compact = _compact_slots(data, slots)
                packed = self._packer.pack_visual(triangles, compact, name)
            else:
                used, packed = (), self._packer.pack_collision(triangles, name)
            self._packed[key] = packed, used
        return self._packed[key]

    def _find_materials(
        self, visual: Visual, link: Link, data: MeshData, slots: tuple[int, ...]
    ) -> list[str]:
        """Finds materials as RViz does: a mesh that brings materials along keeps them."""
        if data.materials:
            return [self._claim_material(data.materials[slot]) for slot in slots]
        described = self._described.find(visual, link)
        if described is None:
            return [self._claim_material(_DEFAULT_MATERIAL)]
        material = MeshMaterial(
            name=described.name,
            color=described.color or _DEFAULT_MATERIAL.color,
            texture=Path(described.texture) if described.texture else None,
        )
        return [self._claim_material(material)]

    def _claim_material(self, material: MeshMaterial) -> str:
        red, green, blue, alpha = (
            round(min(max(part, 0.0), 1.0), _DIGITS) for part in material.color
        )
        color: Color = (red, green, blue, alpha)
        key = (material.name, color)
        if key not in self._material_names:
            self._textured += bool(material.texture or material.image)
            wanted = printable(material.name) or _name_color(color)
            self._material_names[key] = self._names.claim(wanted)
        return self._material_names[key]


def _compact_slots(data: MeshData, slots: Slots | None) -> tuple[tuple[int, ...], Slots | None]:
    """Returns the materials that faces show, and for each triangle its index among these; None if
    there is only one."""
    if not data.materials or slots is None:
        return (0,), None
    clipped = np.clip(slots, 0, len(data.materials) - 1)
    used, compact = np.unique(clipped, return_inverse=True)
    return tuple(used.tolist()), compact.astype(np.int32) if len(used) > 1 else None


def _name_mesh(shape: Shape, data: MeshData) -> str:
    geometry = shape.geometry
    stem = type(geometry).__name__
    if isinstance(geometry, Mesh):
        stem = data.name or Path(geometry.filename).stem
    return make_mesh_name(stem)


def _linear(color: Color) -> Sequence[float]:
    """Converts from sRGB, as descriptions write it and RViz shows it, to Blender's linear
    colours."""
    return (*(linear_from_srgb(part) for part in color[:3]), color[3])


def _name_color(color: Color) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in color[:3])
