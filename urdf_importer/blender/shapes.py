# SPDX-License-Identifier: GPL-3.0-or-later
"""Visuals and collisions: one object each under its link's empty, meshes shared."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..diagnostics import Diagnostics, MeshError, quote
from ..geometry.mesh_data import MeshData
from ..geometry.transforms import matrix_from_pose
from ..model import Collision, Geometry, Link, Material, Mesh, Robot, Visual, VisualMaterials
from ..options import ImportOptions
from . import properties
from .fingerprints import fingerprint_shape, note_looks
from .ledger import Ledger
from .links import place
from .materials import MaterialBuilder, ResolveTexture
from .meshes import build_hull, build_mesh, copy_bare, decimate

LoadShape = Callable[[Geometry, Diagnostics, str, int], MeshData]
"""Arrays of a shape, for a subject (a link's name) and line; raises MeshError."""

_PLACEHOLDER_SHARE = 0.03


class ShapeBuilder:
    """Builds the shapes of one robot. Equal geometries share a mesh; visuals and collisions never
    do, since what a user does to one must not touch the other."""

    def __init__(
        self,
        robot: Robot,
        size: float,
        options: ImportOptions,
        load: LoadShape,
        resolve_texture: ResolveTexture,
        ledger: Ledger,
        diagnostics: Diagnostics,
    ) -> None:
        self._looks = VisualMaterials(robot)
        self._size = size
        self._options = options
        self._load = load
        self._ledger = ledger
        self._diagnostics = diagnostics
        self._materials = MaterialBuilder(resolve_texture, ledger, diagnostics)
        self._meshes: dict[tuple[type, Geometry], Any | None] = {}
        self._loaded: dict[Geometry, MeshData | MeshError] = {}

    def build_visual(self, visual: Visual, link: Link, empty: Any, collection: Any) -> Any:
        built = self._build(visual, link, empty, f"{empty.name}_visual", collection)
        data = self._loaded[visual.geometry]
        # As RViz does it: a mesh that brings materials along keeps them.
        if built.type == "MESH" and not isinstance(data, MeshError) and not data.materials:
            material = self._looks.find(visual, link)
            if material is not None:
                self._dress(built, material, link, has_uvs=data.uvs is not None)
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
        is_visual = isinstance(shape, Visual)
        built[properties.PART] = properties.VISUALS if is_visual else properties.COLLISIONS
        built[properties.SHAPE] = properties.pack(shape)
        collection.objects.link(built)
        return built

    def _find_mesh(self, shape: Visual | Collision, link: Link) -> Any | None:
        key = (type(shape), shape.geometry)
        if key not in self._meshes:
            data = self._load_once(shape.geometry, link, shape.line)
            made = None if isinstance(data, MeshError) else self._make_mesh(data, shape, link)
            if made is not None and not isinstance(data, MeshError):
                made[properties.FINGERPRINT] = fingerprint_shape(data, shape, self._options)
            self._meshes[key] = made
        return self._meshes[key]

    def _make_mesh(self, data: MeshData, shape: Visual | Collision, link: Link) -> Any:
        """A collision that looks like a visual gets a copy of its mesh: Blender shares the arrays
        of copies until one of them is changed."""
        is_hull = self._options.convex_collisions and isinstance(shape.geometry, Mesh)
        alike = self._meshes.get((Visual, shape.geometry))
        if isinstance(shape, Visual) or is_hull or alike is None:
            return self._build_mesh(data, shape, link)
        return copy_bare(alike, self._ledger)

    def _build_mesh(self, data: MeshData, shape: Visual | Collision, link: Link) -> Any:
        """Options about meshes concern mesh files only; collision shapes need no materials."""
        options = self._options
        name = data.name or type(shape.geometry).__name__
        is_file, is_visual = isinstance(shape.geometry, Mesh), isinstance(shape, Visual)
        if is_file and not is_visual and options.convex_collisions:
            return build_hull(data, name, self._ledger, smooth_angle=options.smooth_angle)
        if not is_visual:
            data = replace(data, materials=(), slots=None)
        mesh = build_mesh(data, name, self._ledger, smooth_angle=options.smooth_angle)
        if is_file and options.most_triangles:
            mesh = decimate(mesh, options.most_triangles, options.smooth_angle, self._ledger)
        for look in data.materials:
            has_uvs = data.uvs is not None
            made = self._materials.build_look(look, link.name, shape.line, has_uvs=has_uvs)
            mesh.materials.append(made)
        note_looks(mesh, mesh.materials)
        return mesh

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

    def _dress(self, built: Any, material: Material, link: Link, *, has_uvs: bool) -> None:
        """Objects of one mesh may have different colours: the material sits on the object."""
        made = self._materials.build(material, link.name, has_uvs=has_uvs)
        if made is None:
            return
        if not built.data.materials:
            built.data.materials.append(None)
        built.material_slots[0].link = "OBJECT"
        built.material_slots[0].material = made
        note_looks(built, [made])
