# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the exporter gets shapes from, so that a description and a scene serve alike."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from ..diagnostics import Diagnostics, MeshError
from ..geometry.mesh_data import MeshData
from ..model import Collision, Geometry, Link, Material, Mesh, Visual

Shape = Visual | Collision


class GeometrySource(Protocol):
    """The meshes and images of one robot."""

    def load(self, shape: Shape, link: Link) -> MeshData:
        """Metres, in the shape's frame: scale, unit and node transforms are baked. MeshError."""

    def file_of(self, shape: Shape, link: Link) -> Path | None:
        """The mesh file that holds exactly what `load` gives, unscaled; None where there is none.
        It may still be of any format."""

    def find_texture(self, material: Material, link: Link) -> Path:
        """The image file of a material that names one. MeshError."""


class DescriptionSource:
    """The shapes of a description, each geometry loaded once.

    load_shape       arrays of a geometry, for a subject (a link's name) and line; MeshError
    resolve_mesh     the file that a mesh names; MeshError
    resolve_texture  the file of an image that a material names, as load_shape
    """

    def __init__(
        self,
        load_shape: Callable[[Geometry, Diagnostics, str, int], MeshData],
        resolve_mesh: Callable[[str], Path],
        resolve_texture: Callable[[str, Diagnostics, str, int], Path],
        diagnostics: Diagnostics,
    ) -> None:
        self._load_shape = load_shape
        self._resolve_mesh = resolve_mesh
        self._resolve_texture = resolve_texture
        self._diagnostics = diagnostics
        self._loaded: dict[Geometry, MeshData | MeshError] = {}

    def load(self, shape: Shape, link: Link) -> MeshData:
        geometry = shape.geometry
        if geometry not in self._loaded:
            self._loaded[geometry] = self._attempt(geometry, link, shape.line)
        found = self._loaded[geometry]
        if isinstance(found, MeshError):
            raise found
        return found

    def _attempt(self, geometry: Geometry, link: Link, line: int) -> MeshData | MeshError:
        try:
            return self._load_shape(geometry, self._diagnostics, link.name, line)
        except MeshError as error:
            return error

    def file_of(self, shape: Shape, link: Link) -> Path | None:
        geometry = shape.geometry
        if not isinstance(geometry, Mesh) or geometry.scale != (1.0, 1.0, 1.0):
            return None
        try:
            return self._resolve_mesh(geometry.filename)
        except MeshError:
            return None

    def find_texture(self, material: Material, link: Link) -> Path:
        name = material.texture or ""
        return self._resolve_texture(name, self._diagnostics, link.name, material.line)
