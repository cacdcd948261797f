# SPDX-License-Identifier: GPL-3.0-or-later
"""The looks of visuals, from the description: colours and textures, missing ones reported once."""

from pathlib import Path

from ..diagnostics import Diagnostics, MeshError
from ..geometry.mesh_data import MeshMaterial
from ..meshes import RobotFiles
from ..meshes.robot_files import report_lost_texture
from ..model import Link, Material, Robot, Visual, VisualMaterials

_WITHOUT_COLOR = (0.8, 0.8, 0.8, 1.0)


class Looks:
    """Finds the materials of a robot's visuals."""

    def __init__(self, robot: Robot, source: RobotFiles, diagnostics: Diagnostics) -> None:
        self._source, self._diagnostics = source, diagnostics
        self._materials = VisualMaterials(robot)
        self._lost: set[tuple[str, str, int]] = set()

    def find(self, visual: Visual, link: Link) -> MeshMaterial | None:
        """Returns the material of a visual; None where the description has none for it."""
        material = self._materials.find(visual, link)
        if material is None or material.is_reference:
            return None
        texture = self._find_texture(material, link) if material.texture else None
        color = material.color or _WITHOUT_COLOR
        surface = self._source.find_surface(material, link)
        return MeshMaterial(name=material.name, color=color, texture=texture, surface=surface)

    def _find_texture(self, material: Material, link: Link) -> Path | None:
        try:
            return self._source.find_texture(material, link)
        except MeshError as error:
            name = material.texture or ""
            key = (name, link.name, material.line)
            if key not in self._lost:
                self._lost.add(key)
                report_lost_texture(error, *key, self._diagnostics)
            return None
