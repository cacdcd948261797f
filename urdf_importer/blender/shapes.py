# SPDX-License-Identifier: GPL-3.0-or-later
"""Visuals and collisions: one object each under its link's empty, meshes shared."""

from collections.abc import Callable
from typing import Any

from ..diagnostics import Diagnostics, MeshError, quote
from ..kinematics.transforms import matrix_from_pose
from ..meshes.mesh_data import MeshData
from ..model import Collision, Geometry, Link, Material, Mesh, Robot, Visual, resolve_material
from . import properties
from .ledger import Ledger
from .links import place
from .materials import MaterialBuilder
from .meshes import build_mesh

LoadShape = Callable[[Geometry, Diagnostics, str, int], MeshData]
"""Arrays of a shape, for a subject (a link's name) and line; raises MeshError."""

_PLACEHOLDER_SHARE = 0.03


class ShapeBuilder:
    """Builds the shapes of one robot. Equal geometries share a mesh; visuals and collisions never
    do, since what a user does to one must not touch the other."""

    def __init__(
        self, robot: Robot, size: float, load: LoadShape, ledger: Ledger, diagnostics: Diagnostics
    ) -> None:
        self._definitions = robot.material_definitions()
        self._size = size
        self._load = load
        self._ledger = ledger
        self._diagnostics = diagnostics
        self._materials = MaterialBuilder(ledger)
        self._meshes: dict[tuple[type, Geometry], Any | None] = {}
        self._loaded: dict[Geometry, MeshData | MeshError] = {}

    def build_visual(self, visual: Visual, link: Link, empty: Any, collection: Any) -> Any:
        built = self._build(visual, link, empty, f"{empty.name}_visual", collection)
        material = resolve_material(visual.material, self._definitions)
        if built.type == "MESH" and material is not None:
            self._dress(built, material)
        return built

    def build_collision(self, collision: Collision, link: Link, empty: Any, collection: Any) -> Any:
        built = self._build(collision, link, empty, f"{empty.name}_collision", collection)
        built.display_type = "WIRE"
        built.hide_render = True
        return built

    def _build(
        self, shape: Visual | Collision, link: Link, empty: Any, name: str, collection: Any
    ) -> Any:
        mesh = self._find_mesh(shape, link)
        built = self._ledger.new_object(shape.name or name, mesh)
        if mesh is None:
            built.empty_display_type = "CUBE"
            built.empty_display_size = _PLACEHOLDER_SHARE * self._size
        built.parent = empty
        place(built, matrix_from_pose(shape.origin))
        built[properties.SHAPE] = properties.pack(shape)
        collection.objects.link(built)
        return built

    def _find_mesh(self, shape: Visual | Collision, link: Link) -> Any | None:
        key = (type(shape), shape.geometry)
        if key not in self._meshes:
            data = self._load_once(shape.geometry, link, shape.line)
            self._meshes[key] = (
                None
                if isinstance(data, MeshError)
                else build_mesh(data, data.name or type(shape.geometry).__name__, self._ledger)
            )
        return self._meshes[key]

    def _load_once(self, geometry: Geometry, link: Link, line: int) -> MeshData | MeshError:
        if geometry not in self._loaded:
            try:
                loaded: MeshData | MeshError = self._load(
                    geometry, self._diagnostics, link.name, line
                )
            except MeshError as error:
                self._report(error, geometry, link, line)
                loaded = error
            self._loaded[geometry] = loaded
        return self._loaded[geometry]

    def _report(self, error: MeshError, geometry: Geometry, link: Link, line: int) -> None:
        what = (
            f"mesh {quote(geometry.filename)}"
            if isinstance(geometry, Mesh)
            else f"a {type(geometry).__name__.lower()}"
        )
        self._diagnostics.warning(
            error.code,
            f"{what} of link {quote(link.name)}: {error.message}; an empty stands in its place",
            subject=link.name,
            line=line,
        )

    def _dress(self, built: Any, material: Material) -> None:
        """Objects of one mesh may have different colours: the material sits on the object."""
        made = self._materials.build(material)
        if made is None:
            return
        if not built.data.materials:
            built.data.materials.append(None)
        built.material_slots[0].link = "OBJECT"
        built.material_slots[0].material = made
