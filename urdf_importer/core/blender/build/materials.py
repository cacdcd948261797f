# SPDX-License-Identifier: GPL-3.0-or-later
"""Image datablocks for textures, each file once.

A broken image would show as pink, so each is looked at before it is used: its size in its head,
since a few kilobytes can claim any number of pixels, then its structure. Only where that does not
tell, it is decoded; else Blender does so when it first shows it, at four bytes per pixel.
"""

import colorsys
import hashlib
import zlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import bpy

from ...diagnostics import MeshError, quote
from ...files.regular import read_mesh_file
from ...geometry.mesh_data import MeshMaterial
from ...images.check import is_whole_image
from ...images.colors import linear_from_srgb
from ...images.size import MOST_BYTES, check_image
from ...meshes import RobotFiles
from ...meshes.robot_files import report_lost_texture
from ...model import Color, Link, Material, Surface
from ..convert import unreadable
from ..extract.fingerprints import describe_material
from ..extract.materials import MAP_INPUTS, MATT
from ..ledger import Ledger
from ..nodes import add_node
from ..standing import properties

MOST_PACKED = 512 * 1024**2
"""Bytes of image files that one robot may bring into a .blend."""


class ImageBuilder:
    """Loads images of one robot; MeshError `unreadable-texture` (again) for broken ones.

    With `packs` files' images are packed into the .blend, up to MOST_PACKED; `left_out` are the
    names of images beyond.
    """

    def __init__(self, ledger: Ledger, *, packs: bool = False) -> None:
        self.left_out: list[str] = []
        self._ledger = ledger
        self._packable = MOST_PACKED if packs else 0
        self._packs = packs
        self._found: dict[Hashable, Any | MeshError] = {}

    def load(self, path: Path, *, is_data: bool = False) -> Any:
        """Loads the image in a file, which it refers to, as with any image in Blender, also where
        it is packed. `is_data`: its numbers are not colours."""
        image = self._find((path, is_data), path.name, partial(self._open, path))
        if is_data and image.colorspace_settings.name != "Non-Color":
            image.colorspace_settings.name = "Non-Color"
        return image

    def unpack(self, content: bytes, name: str) -> Any:
        """Packs an image of these bytes into the .blend."""
        key = hashlib.sha256(content).hexdigest()
        return self._find(key, name, partial(self._make, content, name))

    def _find(self, key: Hashable, name: str, get: Callable[[], tuple[Any, bytes]]) -> Any:
        if key not in self._found:
            self._found[key] = self._attempt(name, get)
        found = self._found[key]
        if isinstance(found, MeshError):
            raise found
        return found

    def _open(self, path: Path) -> tuple[Any, bytes]:
        content = read_mesh_file(path, MOST_BYTES)
        check_image(content, path.name)
        return self._ledger.note(bpy.data.images.load(str(path))), content

    def _make(self, content: bytes, name: str) -> tuple[Any, bytes]:
        check_image(content, name)
        image = self._ledger.note(bpy.data.images.new(name, 1, 1))
        image.pack(data=content, data_len=len(content))
        image.source = "FILE"
        return image, content

    def _attempt(self, name: str, get: Callable[[], tuple[Any, bytes]]) -> Any | MeshError:
        """Gets an image and checks it, by asking for its size where its bytes do not tell: that
        decodes it."""
        try:
            image, content = get()
        except MeshError as error:
            return MeshError(error.message, code="unreadable-texture")
        except RuntimeError:
            return unreadable(name)
        if not is_whole_image(content) and 0 in image.size[:]:
            self._ledger.remove(image)
            return unreadable(name, content)
        if image.colorspace_settings.name != "sRGB":
            image.colorspace_settings.name = "sRGB"
        if self._packs and image.packed_file is None:
            self._pack(image, content, name)
        return image

    def _pack(self, image: Any, content: bytes, name: str) -> None:
        if len(content) > self._packable:
            self.left_out.append(name)
            return
        self._packable -= len(content)
        pack_image(image, content)


def pack_image(image: Any, content: bytes) -> None:
    """Packs the content of its file into the .blend, and notes that content."""
    image.pack(data=content, data_len=len(content))
    image[properties.PACKED] = f"{zlib.crc32(content):08x}"


_WITHOUT_COLOR: Color = (0.8, 0.8, 0.8, 1.0)


class MaterialBuilder:
    """Builds each distinct material of a robot once; `files` find the description's textures.

    With `merges`, equal-looking materials of mesh files become one material. Its name is the name
    in the files, or the name of its colour where the files have several names. `find_made` finds a
    material that the .blend already holds, by the text of describe_material.

    A texture that is not there or cannot be read is reported once; the colour takes its place.
    """

    def __init__(
        self,
        files: RobotFiles,
        ledger: Ledger,
        *,
        packs: bool = False,
        merges: bool = False,
        find_made: Callable[[str], Any | None] = lambda look: None,
    ) -> None:
        self._files = files
        self._ledger = ledger
        self._merges = merges
        self._find_made = find_made
        self._images = ImageBuilder(ledger, packs=packs)
        self._built: dict[tuple[MeshMaterial, bool], Any] = {}
        self._names: dict[Any, str] = {}
        self._described: dict[tuple[Any, ...], MeshMaterial] = {}

    def build(self, material: Material, link: Link, *, has_uvs: bool) -> Any | None:
        """Builds a description's material; None if it has neither colour nor texture.

        Without uvs the texture is projected onto the box around the object.
        """
        if material.is_reference:
            return None
        key = (material.name, material.color, material.texture, material.surface)
        if key not in self._described:
            self._described[key] = self._find_material(material, link)
        return self._build(self._described[key], link.name, material.line, has_uvs=has_uvs)

    def build_from(self, material: MeshMaterial, subject: str, line: int, *, has_uvs: bool) -> Any:
        """Builds a mesh file's material; `subject` and `line` are for diagnostics."""
        if not self._merges:
            return self._build(material, subject, line, has_uvs=has_uvs)
        has_image = bool(material.texture or material.image)
        described = self._built.get((material, has_uvs and has_image))
        if described is not None:
            return described
        look = replace(material, name="")
        made = self._build(look, subject, line, has_uvs=has_uvs, name=material.name)
        if made in self._names and self._names[made] != material.name:
            self._names[made] = made.name = _name_look(look)
        return made

    def _build(
        self, material: MeshMaterial, subject: str, line: int, *, has_uvs: bool, name: str = ""
    ) -> Any:
        has_image = bool(material.texture or material.image)
        key = (material, has_uvs and has_image)
        if key not in self._built:
            look = describe_material(material, has_uvs=has_uvs)
            made = self._find_made(look)
            if made is None:
                image = self._find_image(material, subject, line) if has_image else None
                called = material.name or name or _name_look(material)
                made = self._ledger.note(bpy.data.materials.new(called))
                maps = self._find_maps(material, subject, line)
                fill_material(made, material, image, maps, has_uvs=has_uvs)
                made[properties.LOOK] = look
                self._names[made] = name
            self._built[key] = made
        return self._built[key]

    def _find_material(self, material: Material, link: Link) -> MeshMaterial:
        color = material.color or _WITHOUT_COLOR
        texture = None
        if material.texture:
            try:
                texture = self._files.find_texture(material, link)
            except MeshError as error:
                self._report(error, material.texture, link.name, material.line)
        surface = self._files.find_surface(material, link)
        return MeshMaterial(name=material.name, color=color, texture=texture, surface=surface)

    def _find_image(self, material: MeshMaterial, subject: str, line: int) -> Any | None:
        try:
            if material.texture:
                return self._load(material.texture, subject, line)
            return self._images.unpack(material.image, material.name or "texture")
        except MeshError as error:
            name = material.texture.name if material.texture else material.name
            self._report(error, name, subject, line)
            return None

    def _find_maps(self, material: MeshMaterial, subject: str, line: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        maps = material.surface.maps if material.surface is not None else {}
        for name, file in maps.items():
            try:
                is_data = name != "emission_map"
                found[name] = self._load(Path(file), subject, line, is_data=is_data)
            except MeshError as error:
                self._report(error, Path(file).name, subject, line)
        return found

    def _load(self, path: Path, subject: str, line: int, *, is_data: bool = False) -> Any:
        before = len(self._images.left_out)
        image = self._images.load(path, is_data=is_data)
        if not before and self._images.left_out:
            self._files.diagnostics.warning(
                "textures-not-packed",
                f"the textures are larger than {MOST_PACKED // 1024**2} MB together; "
                f"{quote(path.name)} and further textures stay in their files",
                subject=subject,
                line=line,
            )
        return image

    def _report(self, error: MeshError, name: str, subject: str, line: int) -> None:
        report_lost_texture(error, name, subject, line, self._files.diagnostics)


def fill_material(
    made: Any,
    material: MeshMaterial,
    image: Any | None,
    maps: Mapping[str, Any],
    *,
    has_uvs: bool,
) -> None:
    """Fills a new, empty material datablock, with the image that takes the colour's place
    or None, and the images of the surface's maps."""
    color = material.color
    linear = (*(linear_from_srgb(part) for part in color[:3]), color[3])
    if made.node_tree is None:
        made.use_nodes = True
    shader = next(n for n in made.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*linear[:3], 1.0)
    if color[3] != 1.0:  # It is, and each number that is set has Blender look at all nodes.
        shader.inputs["Alpha"].default_value = color[3]
    shader.inputs["Roughness"].default_value = MATT
    made.diffuse_color = linear
    if material.surface is not None:
        _fill_surface(made, shader, material.surface, maps, has_uvs=has_uvs)
    if image is not None:
        _add_image(made, shader, image, has_uvs=has_uvs, has_alpha=material.image_alpha)


def _fill_surface(
    made: Any, shader: Any, surface: Surface, maps: Mapping[str, Any], *, has_uvs: bool
) -> None:
    inputs = shader.inputs
    if surface.metalness is not None:
        inputs["Metallic"].default_value = made.metallic = surface.metalness
    if surface.roughness is not None:
        inputs["Roughness"].default_value = made.roughness = surface.roughness
    if surface.emission is not None:
        color = (linear_from_srgb(part) for part in surface.emission)
        inputs["Emission Color"].default_value = (*color, 1.0)
    if surface.emission is not None or "emission_map" in maps:
        inputs["Emission Strength"].default_value = 1.0
    for row, (name, image) in enumerate(maps.items()):
        if name == "normal_map" and not has_uvs:
            continue  # It is written along the texture's own axes, which a projection has not.
        texture = _add_texture(made, image, (-400.0, -100.0 - 300.0 * row), has_uvs=has_uvs)
        texture.label = name
        target = inputs[MAP_INPUTS[name]]
        if name == "normal_map":
            bend = add_node(made.node_tree, "NormalMap", location=(-200.0, -100.0 - 300.0 * row))
            made.node_tree.links.new(bend.outputs["Normal"], target)
            target = bend.inputs["Color"]
        made.node_tree.links.new(texture.outputs["Color"], target)


def _add_texture(made: Any, image: Any, location: tuple[float, float], *, has_uvs: bool) -> Any:
    """Adds the node of an image, which without uvs is projected onto the box around the object."""
    texture = add_node(made.node_tree, "TexImage", image=image, location=location)
    if not has_uvs:
        aside = (location[0] - 200.0, location[1])
        place = add_node(made.node_tree, "TexCoord", location=aside)
        texture.projection = "BOX"
        made.node_tree.links.new(place.outputs["Generated"], texture.inputs["Vector"])
    return texture


def _add_image(made: Any, shader: Any, image: Any, *, has_uvs: bool, has_alpha: bool) -> None:
    """Puts the image in place of the colour; its alpha is multiplied by the material's."""
    links, alpha = made.node_tree.links, shader.inputs["Alpha"]
    texture = _add_texture(made, image, (-400.0, 200.0), has_uvs=has_uvs)
    links.new(texture.outputs["Color"], shader.inputs["Base Color"])
    if not has_alpha:
        return
    factors = {0: texture.outputs["Alpha"], 1: alpha.default_value}
    place = (-200.0, 0.0)
    factor = add_node(made.node_tree, "Math", factors, operation="MULTIPLY", location=place)
    links.new(factor.outputs["Value"], alpha)


def _name_look(material: MeshMaterial) -> str:
    """Names a material after its texture, else after its colour: by a word and the exact number."""
    if material.texture is not None:
        return material.texture.stem
    red, green, blue, alpha = (round(255 * min(max(part, 0.0), 1.0)) for part in material.color)
    number = f"#{red:02x}{green:02x}{blue:02x}" + (f"{alpha:02x}" if alpha < 255 else "")
    return f"{_word_color(red, green, blue)} {number}"


_HUES = ("Red", "Orange", "Yellow", "Green", "Green", "Cyan", "Blue", "Blue", "Purple", "Pink")


def _word_color(red: int, green: int, blue: int) -> str:
    """Returns the everyday word for a colour, of parts from 0 to 255."""
    hue, saturation, value = colorsys.rgb_to_hsv(red / 255, green / 255, blue / 255)
    if value < 0.08:
        return "Black"
    if saturation < 0.15:
        shades = ((0.96, "White"), (0.7, "Light Grey"), (0.35, "Grey"), (0.0, "Dark Grey"))
        return next(word for least, word in shades if value >= least)
    bounds = (0.035, 0.12, 0.19, 0.3, 0.45, 0.53, 0.6, 0.72, 0.82, 0.95)
    word = next((name for bound, name in zip(bounds, _HUES, strict=True) if hue < bound), "Red")
    return f"Dark {word}" if value < 0.45 else word
