# SPDX-License-Identifier: GPL-3.0-or-later
"""COLLADA, as RViz shows it: every transform of its nodes and its unit, but not its up axis.

Read the modules in this order: collada_xml (text to tree), collada_scene (which geometries, where),
collada_geometry with collada_faces (arrays of each), collada_material, collada_join (one mesh).
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError, Report, quote
from .collada_geometry import Geometry, Part, read_geometry
from .collada_join import Block, Dress, join_blocks
from .collada_library import ColladaLibrary
from .collada_material import DocumentMaterial, MaterialReader
from .collada_scene import Binding, PlacedGeometry, place_geometries
from .collada_xml import read_collada
from .mesh_data import MeshData, MeshMaterial
from .mesh_file import ResolveBeside, refuse_beside

MOST_PARTS = 20_000
MOST_CORNERS = 50_000_000
"""Points and corners of all instances together."""


def load_collada(path: Path, report: Report, resolve: ResolveBeside = refuse_beside) -> MeshData:
    """All geometries of a COLLADA document as one mesh, in metres.

    Textures are found by `resolve`. Faces keep their number of corners. The
    normals are the file's; where only some faces have any, the others are flat.

    Reports as `read_collada`, `place_geometries`, `read_geometry`, `MaterialReader.find` and
    `join_blocks` do, and `empty-mesh`. MeshError `mesh-too-large`, `missing-library` without
    pycollada, else as `read_mesh_file`, or `unreadable-mesh` where it is no whole document.
    """
    library = ColladaLibrary()
    root = read_collada(path, report)
    with np.errstate(all="ignore"):  # what overflows is left out by name
        placed = place_geometries(root, report)
        materials = MaterialReader(root, resolve, report)
        del root
        dresser = _Dresser(materials)
        mesh = join_blocks(_read_blocks(placed, library, dresser, report), report)
    if not len(mesh.corners):
        report("empty-mesh", f"{quote(path.name)} has no faces")
    slots = mesh.slots if len(dresser.materials) > 1 else None
    return replace(mesh, name=path.stem, materials=dresser.materials, slots=slots)


def _read_blocks(
    placed: list[PlacedGeometry], library: ColladaLibrary, dresser: "_Dresser", report: Report
) -> list[Block]:
    geometries: dict[Element, Geometry] = {}
    parts_left, corners_left = MOST_PARTS, MOST_CORNERS
    blocks = []
    for each in placed:
        if each.element not in geometries:
            geometries[each.element] = read_geometry(each.element, library, report)
        geometry = geometries[each.element]
        parts_left -= len(geometry.parts)
        corners_left -= len(geometry.points) + sum(len(part.corners) for part in geometry.parts)
        if parts_left < 0 or corners_left < 0:
            message = f"the scene has over {MOST_PARTS} primitives or {MOST_CORNERS} corners"
            raise MeshError(f"{message}, the most that is read", code="mesh-too-large")
        parts = [(part, dresser.dress(part, each.bindings)) for part in geometry.parts]
        blocks.append(Block(geometry.points, each.world_from_geometry, parts))
    return blocks


class _Dresser:
    """Says which material each part has; numbers the materials as they come up."""

    def __init__(self, reader: MaterialReader) -> None:
        self._reader = reader
        self._slots: dict[MeshMaterial | None, int] = {}

    @property
    def materials(self) -> tuple[MeshMaterial, ...]:
        """By slot; empty where no part has a material."""
        if set(self._slots) <= {None}:
            return ()
        return tuple(material or MeshMaterial() for material in self._slots)

    def dress(self, part: Part, bindings: Mapping[str, Binding]) -> Dress:
        binding = bindings.get(part.symbol)
        found: DocumentMaterial | None = None
        if binding is not None:
            found = self._reader.find(binding.material)
        elif self._reader.has(part.symbol):
            found = self._reader.find(part.symbol)
        slot = self._slots.setdefault(found.material if found else None, len(self._slots))
        wanted = binding.uv_sets.get(found.uv_name, "") if binding and found else ""
        return Dress(slot, _choose_uvs(part, wanted))


def _choose_uvs(part: Part, wanted: str) -> NDArray[np.float32] | None:
    """The set that the material wants, else the first."""
    return part.uvs.get(wanted, next(iter(part.uvs.values()), None))
