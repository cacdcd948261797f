# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads Blender's materials: the colour and the image of their Principled BSDF.

Robots have matt materials of one colour or one image; whatever else nodes do is left out.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

from ...diagnostics import Diagnostics, MeshError, quote, quote_path
from ...geometry.mesh_data import MeshMaterial
from ...images.colors import srgb_from_linear
from ...model import Surface
from ..convert import save_pixels

_DIGITS = 6
MATT = 0.5
"""The roughness of materials without one."""
MAP_INPUTS = {
    "normal_map": "Normal",
    "roughness_map": "Roughness",
    "metalness_map": "Metallic",
    "emission_map": "Emission Color",
}
"""The inputs of the shader that the maps of a surface go to."""
_WITHOUT_MATERIAL = MeshMaterial()


class MaterialReader:
    """Reads each material once. Images that are not in a file are written into `folder`, which must
    be there as long as the materials are used. An image that is gone is reported once; the colour
    takes its place."""

    def __init__(self, folder: Path, diagnostics: Diagnostics) -> None:
        self._folder = folder
        self._diagnostics = diagnostics
        self._known: dict[Any, MeshMaterial] = {}
        self._images: dict[Any, Path | None] = {}

    def read(self, material: Any | None) -> MeshMaterial:
        """Returns the look of a material; grey for an empty slot, as Blender shows it."""
        if material is None:
            return _WITHOUT_MATERIAL
        if material not in self._known:
            self._known[material] = self._read(material)
        return self._known[material]

    def _read(self, material: Any) -> MeshMaterial:
        shader = _find_shader(material)
        if shader is None:
            red, green, blue, alpha = material.diffuse_color
            return MeshMaterial(name=material.name, color=_srgb(red, green, blue, alpha))
        red, green, blue, _ = shader.inputs["Base Color"].default_value
        image = _find_image(shader.inputs["Base Color"])
        texture = None if image is None else self._find_file(image, material)
        alpha, image_alpha = _read_alpha(shader.inputs["Alpha"])
        return MeshMaterial(
            name=material.name,
            color=_srgb(red, green, blue, alpha),
            texture=texture,
            image_alpha=image_alpha and texture is not None,
            surface=self._read_surface(shader, material),
        )

    def _read_surface(self, shader: Any, material: Any) -> Surface | None:
        """Reads the surface values that differ from the importer's matt; None where all are
        equal."""
        inputs = shader.inputs
        metalness, roughness = (
            round(inputs[name].default_value, _DIGITS) for name in ("Metallic", "Roughness")
        )
        maps = {}
        for name, socket in MAP_INPUTS.items():
            image = _find_image(inputs[socket])
            file = None if image is None else self._find_file(image, material)
            if file is not None:
                maps[name] = str(file)
        glow = _srgb(*inputs["Emission Color"].default_value)[:3]
        emission = glow if inputs["Emission Strength"].default_value > 0.0 and any(glow) else None
        if not maps and emission is None and not metalness and roughness == MATT:
            return None
        return Surface(metalness=metalness, roughness=roughness, emission=emission, **maps)

    def _find_file(self, image: Any, material: Any) -> Path | None:
        if image not in self._images:
            try:
                self._images[image] = self._provide(image)
            except MeshError as error:
                self._images[image] = None
                self._diagnostics.warning(
                    error.code,
                    f"texture {quote(image.name)}: {error.message}; the colour is shown in its "
                    "place",
                    subject=material.name,
                )
        return self._images[image]

    def _provide(self, image: Any) -> Path:
        """Returns the file of an image; for a painted or packed image, a file made from it."""
        path = Path(bpy.path.abspath(image.filepath, library=image.library) or image.name)
        name = re.sub(r"[^\w.-]", "_", path.name) or "texture"
        made = self._folder / str(len(self._images)) / name
        if image.is_dirty or image.source == "GENERATED":
            made.parent.mkdir()
            made = made.with_suffix(".png")
            save_pixels(image, made, image.name)
            return made
        if image.packed_file is not None:
            made.parent.mkdir()
            made.write_bytes(image.packed_file.data)
            return made
        if not path.is_file():
            raise MeshError(f"there is no file {quote_path(path)}", code="missing-texture")
        return path


def _find_shader(material: Any) -> Any | None:
    """Finds the Principled BSDF that the surface is made of. Before Blender 5 nodes could be
    off."""
    if material.node_tree is None or (bpy.app.version < (5, 0) and not material.use_nodes):
        return None
    output = material.node_tree.get_output_node("ALL")
    if output is None:
        return None
    return next(_nodes_above(output.inputs["Surface"], "BSDF_PRINCIPLED"), None)


def _find_image(socket: Any) -> Any | None:
    nodes = _nodes_above(socket, "TEX_IMAGE")
    return next((node.image for node in nodes if node.image is not None), None)


def _read_alpha(socket: Any) -> tuple[float, bool]:
    """Reads (alpha, whether an image's alpha is multiplied with it)."""
    if not socket.is_linked:
        return socket.default_value, False
    factor = 1.0
    for node in _nodes_above(socket, "MATH"):
        if node.operation == "MULTIPLY":
            for each in node.inputs[:2]:
                factor *= 1.0 if each.is_linked else each.default_value
    return factor, _find_image(socket) is not None


def _nodes_above(socket: Any, kind: str) -> Iterator[Any]:
    """Yields the nodes of this kind that a socket gets its value from, the nearest first."""
    waiting, seen = [socket], set()
    while waiting:
        for link in waiting.pop(0).links:
            node = link.from_node
            if link.is_muted or node.name in seen:
                continue
            seen.add(node.name)
            if node.type == kind:
                yield node
            waiting.extend(node.inputs)


def _srgb(red: float, green: float, blue: float, alpha: float) -> tuple[float, float, float, float]:
    """Converts a colour of Blender, which is linear and of single precision."""
    parts = [round(srgb_from_linear(part), _DIGITS) for part in (red, green, blue)]
    return (parts[0], parts[1], parts[2], round(min(max(alpha, 0.0), 1.0), _DIGITS))
