# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials of a glTF document and the images that they show."""

from dataclasses import replace
from typing import Any

from ...diagnostics import MeshError, Report, quote
from ...geometry.mesh_data import MeshMaterial
from ...images.colors import srgb_from_linear
from ...model import Color
from .document import GltfDocument, Node, as_dict, as_index, as_int, as_numbers, decode_data_uri

MOST_MATERIALS = 10_000
_OTHER_SOURCES = ("EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds", "KHR_texture_basisu")
"""Extensions that name an image, where a texture has no image that every viewer reads."""
MOST_IMAGE_BYTES = 64 * 1024**2


def load_materials(document: GltfDocument, report: Report) -> tuple[MeshMaterial, ...]:
    """Returns the default material, then the file's materials.

    Reports `unreadable-texture` for images within that cannot be taken and the code of `resolve`
    for files; the material keeps its colour.
    """
    written = document.items("materials")[:MOST_MATERIALS]
    default = MeshMaterial(color=(1.0, 1.0, 1.0, 1.0))
    return (default, *(_read_material(document, as_dict(each), report) for each in written))


def read_uv_set(document: GltfDocument, material: int | None) -> int:
    materials = document.items("materials")
    if material is None:
        return 0
    return max(as_int(_base_image(as_dict(materials[material])).get("texCoord", 0)), 0)


def _base_image(material: Node) -> Node:
    return as_dict(as_dict(material.get("pbrMetallicRoughness")).get("baseColorTexture"))


def _read_material(document: GltfDocument, material: Node, report: Report) -> MeshMaterial:
    surface = as_dict(material.get("pbrMetallicRoughness"))
    factor = as_numbers(surface.get("baseColorFactor"), 4) or (1.0, 1.0, 1.0, 1.0)
    red, green, blue, alpha = (min(max(part, 0.0), 1.0) for part in factor)
    is_opaque = material.get("alphaMode", "OPAQUE") not in ("BLEND", "MASK")
    red, green, blue = map(srgb_from_linear, (red, green, blue))
    color: Color = (red, green, blue, 1.0 if is_opaque else alpha)
    name = material.get("name")
    made = MeshMaterial(name=name if isinstance(name, str) else "", color=color)
    image = _base_image(material)
    if "index" not in image:
        return made
    try:
        return _add_image(document, made, image["index"], has_alpha=not is_opaque)
    except MeshError as error:
        code = error.code if error.code != "unreadable-mesh" else "unreadable-texture"
        message = f"the texture of material {quote(made.name)}: {error.message}; "
        report(code, f"{message}the material keeps its colour")
        return made


def _add_image(
    document: GltfDocument, material: MeshMaterial, texture: Any, *, has_alpha: bool
) -> MeshMaterial:
    source = document.item("textures", texture)
    index = as_index(source.get("source"), len(document.items("images")))
    if index is None:
        extensions = as_dict(source.get("extensions"))
        for name in _OTHER_SOURCES:
            other = as_dict(extensions.get(name)).get("source")
            index = as_index(other, len(document.items("images"))) if index is None else index
    image = document.item("images", index)
    uri = image.get("uri")
    content = b""
    path = None
    if not isinstance(uri, str):
        content = document.view(image.get("bufferView"))
    elif uri.startswith("data:"):
        content = decode_data_uri(uri) or b""
    else:
        path = document.resolve(uri, "texture")
    if path is None and not 0 < len(content) <= MOST_IMAGE_BYTES:
        document.fail("has an embedded image that is empty or too large")
    return replace(material, texture=path, image=content, image_alpha=has_alpha)
