# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that were moved, scaled, edited, recoloured, added or deleted in Blender.

A shape keeps its file as long as its mesh is the import's. A shape that was scaled along its axes
keeps it too, with another scale. All others get a mesh file of their own.
"""

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...diagnostics import Diagnostics
from ...geometry.mesh_data import MeshData, MeshMaterial
from ...geometry.rounding import SAME, shortest, tidy_pose, tidy_vector
from ...geometry.transforms import Matrix, matrix_from_pose
from ...meshes.write_files import WantedFormat, choose_format
from ...model import IDENTITY, Collision, Geometry, Link, Material, Mesh, Robot, Visual
from ...names import find_free
from ..build.sharing import find_users_slots, is_as_made
from ..standing import properties
from .fingerprints import fingerprint_content
from .robot import group_children
from .scene_source import find_missing
from .shapes import FoundShape, ShapeExtractor

PARTS: dict[str, type[Visual] | type[Collision]] = {"visuals": Visual, "collisions": Collision}


_Edit = tuple[Any, MeshMaterial | None]
"""A shape of a link in the form to be written, and its new material, None where it keeps its own.
"""


class ShapeEdits:
    """Reads the shapes of one robot from the scene; `meshes` and `images` then map its new names to
    files. `takes_decimated`: meshes that the import decimated become new files too."""

    def __init__(
        self,
        armature: Any,
        robot: Robot,
        folder: Path,
        diagnostics: Diagnostics,
        format: WantedFormat,
    ) -> None:
        self.meshes: dict[str, MeshData] = {}
        self.images: frozenset[str] = frozenset()
        self.takes_decimated = False
        self._robot = robot
        self._format = format
        self._missing = dict(zip(PARTS, find_missing(armature), strict=True))
        self._extractor = ShapeExtractor(folder, diagnostics)
        self._touched_meshes: dict[Any, bool] = {}
        self._touched: set[Any] | None = None
        self._names: dict[tuple[MeshData, str], str] = {}
        self._made: dict[tuple[MeshData, str], MeshData] = {}
        self._taken: set[str] = set()

    def apply(
        self,
        empties: Mapping[str, Any],
        moved: Mapping[str, Matrix],
        edited: Mapping[str, frozenset[str]],
    ) -> Robot:
        """Returns the robot with its shapes as the scene shows them, but for parts whose properties
        were edited. Shapes that were not imported stay as described, before the added ones."""
        self._find_touched(empties)
        links: list[Link] = []
        looks: dict[tuple[int, int], MeshMaterial] = {}
        for link in self._robot.links:
            if link.name not in empties:
                links.append(link)
                continue
            empty, place = empties[link.name], moved.get(link.name)
            found = self._extractor.find_shapes(link, empty, place)
            edits = [(each.described, self._edit(each, link)) for each in found]
            for part, kind in PARTS.items():
                if part in edited[link.name]:
                    continue
                kept = getattr(link, part) if self._missing[part] else ()
                own = [
                    edit
                    for described, edit in edits
                    if isinstance(edit[0], kind) and described not in kept
                ]
                for index, (_, look) in enumerate(own, len(kept)):
                    if look is not None:  # Of a visual.
                        looks[len(links), index] = look
                shapes: dict[str, Any] = {part: (*kept, *(shape for shape, _ in own))}
                link = replace(link, **shapes)
            links.append(link)
        robot = replace(self._robot, links=tuple(links))
        if looks:
            robot = _Recoloring(robot, looks).apply()
            self.images = frozenset(
                str(look.texture) for look in looks.values() if look.texture is not None
            )
        return robot

    def _find_touched(self, empties: Mapping[str, Any]) -> None:
        children = group_children()
        materials = {
            slot.material
            for empty in empties.values()
            for item in children.get(empty, ())
            for slot in item.material_slots
            if slot.material is not None and properties.LOOK in slot.material
        }
        self._touched = {each for each in materials if not is_as_made(each)}

    def _edit(self, found: FoundShape, link: Link) -> _Edit:
        described, shown = found.described, found.shown.shape
        if described is None:
            shape = replace(shown, origin=tidy_pose(matrix_from_pose(shown.origin), IDENTITY))
            return self._export(shape, found, link)
        if shown.origin != described.origin:
            place = matrix_from_pose(shown.origin)
            shown = replace(shown, origin=tidy_pose(place, described.origin))
        if found.shown.data is None:
            return shown, None
        look = self._find_look(found)
        of_file = bool(list(found.item.data.get(properties.LOOKS, ()))) if look else False
        geometry = self._find_geometry(found, of_file)
        if isinstance(shown, Visual):
            shown = replace(shown, material=described.material)
        if geometry is None:
            return self._export(shown, found, link, look or _look_of(found.shown.shape))
        return replace(shown, geometry=geometry), look

    def _find_look(self, found: FoundShape) -> MeshMaterial | None:
        """Finds the new look of a visual; None where it is unchanged."""
        item, shape = found.item, found.shown.shape
        if not isinstance(shape, Visual) or item.type != "MESH":
            return None
        own = find_users_slots(item, self._touched or set())
        added = {
            index
            for index, slot in enumerate(item.material_slots)
            if slot.material is not None and properties.LOOK not in slot.material
        }
        return _look_of(shape) if own or added else None

    def _find_geometry(self, found: FoundShape, of_file: bool) -> Geometry | None:
        """Finds the described geometry that still fits the shape; None where only a new file
        can."""
        geometry: Geometry = found.described.geometry  # type: ignore[union-attr]
        if not isinstance(geometry, Mesh):
            now = found.shown.shape.geometry
            return None if isinstance(now, Mesh) else _tidy_sizes(now, geometry)
        if of_file or self._is_touched(found.item):
            return None
        if found.linear is None:
            return geometry
        sizes = np.diag(found.linear)
        is_plain = np.abs(found.linear - np.diag(sizes)).max() <= SAME and bool((sizes > 0.0).all())
        if not is_plain:
            return None
        x, y, z = (np.array(geometry.scale) * sizes).tolist()
        return replace(geometry, scale=tidy_vector((x, y, z), geometry.scale))

    def _is_touched(self, item: Any) -> bool:
        """Whether a mesh differs from the import's, or modifiers change it."""
        if item.type != "MESH" or item.modifiers or item.data.shape_keys is not None:
            return True
        mesh = item.data
        if self.takes_decimated and properties.DECIMATED in mesh:
            return True
        if item.mode == "EDIT":
            item.update_from_editmode()
        if mesh not in self._touched_meshes:
            kept = mesh.get(properties.CONTENT)
            self._touched_meshes[mesh] = kept != fingerprint_content(mesh)
        return self._touched_meshes[mesh]

    def _export(
        self, shape: Any, found: FoundShape, link: Link, look: MeshMaterial | None = None
    ) -> _Edit:
        """Gives a shape a mesh file of its own; equal ones share it."""
        data = found.shown.data
        assert data is not None
        if isinstance(shape, Visual):
            look = look or _look_of(found.shown.shape)
            if look is not None and not data.materials:
                data = self._with_material(data, look)
        part = "visual" if isinstance(shape, Visual) else "collision"
        if (data, part) not in self._names:
            # A new mesh is called after its link: Blender numbers the names of objects.
            called = link.name if found.described is None else found.item.name or link.name
            suffix = choose_format(data, self._format)
            name = self._names[data, part] = self._name_file(called, part, suffix)
            self.meshes[name] = data
        # A <material> of a mesh says a colour alone: images are in the mesh's own file.
        own = None if look is None or look.texture is not None else look
        if isinstance(shape, Visual) and own is None:
            shape = replace(shape, material=None)
        return replace(shape, geometry=Mesh(filename=self._names[data, part])), own

    def _with_material(self, data: MeshData, look: MeshMaterial) -> MeshData:
        key = (data, repr(look))
        if key not in self._made:
            self._made[key] = replace(data, materials=(look,), slots=None)
        return self._made[key]

    def _name_file(self, called: str, part: str, suffix: str) -> str:
        stem = re.sub(r"[^\w.-]", "_", called).strip("._")[:80] or "mesh"
        name = f"meshes/{part}/{{}}.{suffix}".format
        found = name(find_free(stem, lambda each: name(each).lower() in self._taken))
        self._taken.add(found.lower())
        return found


class _Recoloring:
    """Puts new looks on visuals. Where all visuals of a material have the same new look, it is the
    material that changes; else each gets a material of its own, under a name that is free."""

    def __init__(self, robot: Robot, looks: Mapping[tuple[int, int], MeshMaterial]) -> None:
        self._robot = robot
        self._looks = looks
        self._definitions = robot.material_definitions()
        self._changed = self._find_changed()
        self._new: dict[Material, Material] = {}

    def apply(self) -> Robot:
        links = []
        for place, link in enumerate(self._robot.links):
            visuals = tuple(
                self._dress(visual, self._looks.get((place, index)))
                for index, visual in enumerate(link.visuals)
            )
            links.append(link if visuals == link.visuals else replace(link, visuals=visuals))
        materials = tuple(self._recolor(material) for material in self._robot.materials)
        return replace(self._robot, links=tuple(links), materials=materials)

    def _find_changed(self) -> dict[str, MeshMaterial]:
        """Finds the named materials that look otherwise now wherever they are."""
        looks: dict[str, set[MeshMaterial | None]] = {}
        for place, link in enumerate(self._robot.links):
            for index, visual in enumerate(link.visuals):
                if visual.material is not None and visual.material.name in self._definitions:
                    look = self._looks.get((place, index))
                    looks.setdefault(visual.material.name, set()).add(look)
        return {
            name: look
            for name, found in looks.items()
            if len(found) == 1 and (look := next(iter(found))) is not None
        }

    def _dress(self, visual: Visual, look: MeshMaterial | None) -> Visual:
        material = visual.material
        if material is not None and material.name in self._changed:
            return replace(visual, material=self._recolor(material))
        if look is None:
            return visual
        if not look.name and look == MeshMaterial():
            return replace(visual, material=None)
        return replace(visual, material=self._name(_material_of(look, material)))

    def _recolor(self, material: Material) -> Material:
        look = self._changed.get(material.name)
        if look is None or material.is_reference:
            return material
        return _material_of(look, material, name=material.name)

    def _name(self, material: Material) -> Material:
        if material not in self._new:
            taken = self._definitions.keys() - {""}
            name = find_free(material.name, taken.__contains__)
            self._new[material] = replace(material, name=name)
            if name:
                self._definitions[name] = self._new[material]
        return self._new[material]


def _material_of(look: MeshMaterial, like: Material | None, name: str | None = None) -> Material:
    texture = None if look.texture is None else str(look.texture)
    if name is None:
        name = look.name or (like.name if like is not None else "")
    color = look.color
    if like is not None and like.color is not None:
        r, g, b, a = (
            old if abs(new - old) <= 1e-5 else new
            for new, old in zip(look.color, like.color, strict=True)
        )
        color = (r, g, b, a)
    return Material(name=name, color=color, texture=texture)


def _look_of(shape: Any) -> MeshMaterial | None:
    """Returns the one material of a visual as the scene shows it; None where its mesh has
    several."""
    material = shape.material if isinstance(shape, Visual) else None
    if material is None:
        return None
    texture = None if material.texture is None else Path(material.texture)
    color = material.color or MeshMaterial().color
    return MeshMaterial(name=material.name, color=color, texture=texture)


def _tidy_sizes(now: Geometry, was: Geometry) -> Geometry:
    """Returns a simple shape with the described numbers, where the scene shows these."""
    if now == was or type(now) is not type(was):
        return now
    tidied: dict[str, Any] = {}
    for name in (each.name for each in fields(now)):
        new, old = getattr(now, name), getattr(was, name)
        tidied[name] = tidy_vector(new, old) if isinstance(new, tuple) else _tidy(new, old)
    return replace(now, **tidied)


def _tidy(number: float, like: float) -> float:
    return like if abs(number - like) <= SAME else shortest(number, SAME / 2)
