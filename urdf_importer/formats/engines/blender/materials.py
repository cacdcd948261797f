# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials of a stage: copies of the scene's, which an exporter may change.

Engines keep a material as a file of its name, in one folder for all models: of two robots with a
material `shell` the second would change the first. So the copies are called after the robot.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import bpy

from ....core.blender.build.materials import fill_material
from ....core.geometry.mesh_data import MeshMaterial
from ....core.images.colors import srgb_from_linear
from ....core.names import Claims
from ..skeleton import clean_name

_GREY = MeshMaterial(name="grey", color=(0.6, 0.6, 0.6, 1.0))
"""RViz's colour of parts without a material. Left out, glTF makes them of polished metal."""

_NUMBER = re.compile(r"\.\d{3}$")


@contextmanager
def lending_names(items: Any, names: Sequence[str]) -> Iterator[None]:
    """Removes names from the user's datablocks among `items`, a collection of bpy.data, for as
    long as the block runs."""
    lent = [(item, item.name) for item in map(items.get, names) if item is not None]
    lent = [(item, name) for item, name in lent if item.library is None]
    for item, name in lent:
        item.name = f"~ {name}"
    try:
        yield
    finally:
        for item, name in lent:
            item.name = name


class Wardrobe:
    """Copies each material once. `lent` gives the user's materials their names back."""

    def __init__(self, robot: str, lent: ExitStack) -> None:
        self._robot = robot
        self._lent = lent
        self._claims = Claims()
        self._copies: dict[Any, Any] = {}

    def dress(self, mesh: Any) -> None:
        """Puts copies in the place of a mesh's materials, and grey where there is none."""
        if not mesh.materials:
            mesh.materials.append(None)
        for index, material in enumerate(mesh.materials):
            if material not in self._copies:
                self._copies[material] = self._copy(material)
            mesh.materials[index] = self._copies[material]

    def _copy(self, material: Any | None) -> Any:
        # Blender's number depends on the rest of the scene, not on this robot.
        known = _GREY.name if material is None else _NUMBER.sub("", material.name)
        name = self._claims.claim(clean_name(f"{self._robot}_{known}"))
        self._lent.enter_context(lending_names(bpy.data.materials, [name]))
        if material is not None:
            copy = material.copy()
            copy.name = name
            return copy
        made = bpy.data.materials.new(name)
        fill_material(made, _GREY, None, {}, has_uvs=False)
        return made


def encode_colors(meshes: tuple[Any, ...]) -> None:
    """Turns the colours of a stage's materials from linear ones into sRGB, for an exporter that
    writes the numbers unconverted."""
    for material in {each: None for mesh in meshes for each in mesh.data.materials}:
        material.diffuse_color = _encode(material.diffuse_color)
        for node in material.node_tree.nodes if material.node_tree else ():
            if node.type == "BSDF_PRINCIPLED":
                for name in ("Base Color", "Emission Color"):
                    color = node.inputs[name].default_value
                    node.inputs[name].default_value = _encode(color)


def _encode(color: Any) -> tuple[float, ...]:
    return (*(srgb_from_linear(part) for part in color[:3]), color[3])
