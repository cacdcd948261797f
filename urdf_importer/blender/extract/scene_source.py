# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as it stands in the scene, for writers: its shapes, its looks, its place.

What its links weigh and how its joints move comes from its properties alone, exactly.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...diagnostics import BuildError, Diagnostics, quote
from ...geometry.mesh_data import MeshData
from ...model import Collision, Link, Material, Robot, Visual, VisualMaterials
from ..standing import properties
from ..standing.record import find_record
from .robot import extract_robot, find_link_empties
from .shapes import SceneShape, ShapeExtractor

Shape = Visual | Collision


class ShapeFiles(Protocol):
    """The files of the description, for shapes that the scene does not have."""

    def load(self, shape: Shape, link: Link) -> MeshData: ...

    def file_of(self, shape: Shape, link: Link) -> Path | None: ...

    def find_texture(self, material: Material, link: Link) -> Path: ...


class SceneSource:
    """The shapes of a rig, as the objects of the scene show them.

    robot   the robot with these shapes
    folder  takes images that are in no file; it has to be there as long as this is used
    files   gives what was not imported, or could not be
    """

    def __init__(
        self, armature: Any, folder: Path, files: ShapeFiles, diagnostics: Diagnostics
    ) -> None:
        self._files = files
        self._found: dict[int, SceneShape] = {}
        self._images: set[str] = set()
        described = extract_robot(armature)
        missing = _find_missing(armature)
        materials = VisualMaterials(described)
        extractor = ShapeExtractor(folder, diagnostics)
        empties = find_link_empties(armature)
        links = []
        for link in described.links:
            shapes = extractor.extract_link(link, empties[link.name])
            for each in shapes:
                self._found[id(each.shape)] = each
                self._images |= _name_images(each.shape)
            links.append(_replace_shapes(link, shapes, missing, materials))
        # Materials of the scene say themselves what they are.
        self.robot: Robot = replace(described, links=tuple(links), materials=())

    def load(self, shape: Shape, link: Link) -> MeshData:
        """Metres, in the shape's frame. MeshError."""
        found = self._found.get(id(shape))
        if found is None or found.data is None:
            return self._files.load(shape, link)
        return found.data

    def file_of(self, shape: Shape, link: Link) -> Path | None:
        """The mesh file that holds exactly what `load` gives: of a shape in the scene none."""
        return None if id(shape) in self._found else self._files.file_of(shape, link)

    def find_texture(self, material: Material, link: Link) -> Path:
        """The image file of a material. MeshError."""
        if material.texture not in self._images:
            return self._files.find_texture(material, link)
        return Path(material.texture or "")


def find_place(
    armature: Any, diagnostics: Diagnostics
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """(translation in metres, roll, pitch and yaw) of the robot's root link in the scene.

    A robot has the size that its description says: a scale is reported and left out.
    """
    location, rotation, scale = armature.matrix_world.decompose()
    if max(abs(part - 1.0) for part in scale) > 1e-5:
        name = armature[properties.ROBOT].get("name", "")
        diagnostics.warning(
            "webots-scaled-rig",
            f"the armature of robot {quote(name)} is scaled; the export has the size that the "
            "description says",
            subject=name,
        )
    x, y, z = (shorten(part) for part in location)
    roll, pitch, yaw = (shorten(part) for part in rotation.to_euler("XYZ"))
    return (x, y, z), (roll, pitch, yaw)


def shorten(number: float) -> float:
    """The shortest number that is the same in Blender's single precision: 0.1 for what a user
    wrote as 0.1. What is nothing but rounding is zero."""
    return 0.0 if abs(number) < 1e-7 else float(str(np.float32(number)))


def _find_missing(armature: Any) -> tuple[bool, bool]:
    """Whether visuals and collisions were left out of the import."""
    try:
        options = find_record(armature).options
    except BuildError:
        return False, False
    return not options.visuals, not options.collisions


def _replace_shapes(
    link: Link, shapes: list[SceneShape], missing: tuple[bool, bool], materials: VisualMaterials
) -> Link:
    """The link with its shapes of the scene, and the described ones of what was left out."""
    seen = [each.shape for each in shapes]
    visuals = [shape for shape in seen if isinstance(shape, Visual)]
    collisions = [shape for shape in seen if isinstance(shape, Collision)]
    if missing[0]:
        visuals += _undefine(link, materials)
    if missing[1]:
        collisions += link.collisions
    return replace(link, visuals=tuple(visuals), collisions=tuple(collisions))


def _name_images(shape: Shape) -> set[str]:
    material = shape.material if isinstance(shape, Visual) else None
    return set() if material is None or material.texture is None else {material.texture}


def _undefine(link: Link, materials: VisualMaterials) -> Iterator[Visual]:
    """The described visuals with what their materials are, under no name: a material of the scene
    may have taken it."""
    for visual in link.visuals:
        material = materials.find(visual, link)
        yield replace(visual, material=material and replace(material, name=""))
