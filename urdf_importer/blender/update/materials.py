# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells the materials that are still as they were made from those that are the user's now.

Each material keeps a description of what it was made from. Making it again and comparing shows
whether the user changed anything: a fingerprint of its nodes would not survive a new version of
Blender.
"""

import json
import os
import zlib
from collections.abc import Iterable
from typing import Any

import bpy

from ..build.materials import fill_material
from ..extract.fingerprints import read_material
from ..standing import properties

_VIEWPORT = ("diffuse_color", "metallic", "roughness", "specular_intensity")


def find_touched(materials: Iterable[Any]) -> set[Any]:
    """Finds those of the importer's materials that the user changed."""
    return {material for material in materials if not _is_as_made(material)}


def is_users(material: Any | None, look: str | None, touched: set[Any]) -> bool:
    """Whether the user put a material into a slot that was given `look` (None: nothing), or changed
    it. `look` is a description by describe_material."""
    if material is None:
        return look is not None
    return material.get(properties.LOOK) != look or material in touched


def find_users_slots(item: Any, touched: set[Any]) -> dict[int, tuple[str, Any]]:
    """Finds the slots of an object whose material is the user's: slot -> (whether the object or its
    mesh holds it, material)."""
    on_object = list(item.get(properties.LOOKS, ()))
    on_mesh = list(item.data.get(properties.LOOKS, ()))
    found = {}
    for index, slot in enumerate(item.material_slots):
        looks = on_object or on_mesh
        given = looks[index] if index < len(looks) else None
        if slot.link == "OBJECT" and not on_object and on_mesh:
            given = None
        if is_users(slot.material, given, touched):
            found[index] = (slot.link, slot.material)
    return found


def _is_as_made(material: Any) -> bool:
    described, has_uvs = read_material(material[properties.LOOK])
    image = _find_image(material)
    if image is not None and not _is_image_of(material[properties.LOOK], image):
        return False
    reference = bpy.data.materials.new("~ reference")
    try:
        fill_material(reference, described, image, has_uvs=has_uvs)
        return bool(_describe(material) == _describe(reference))
    finally:
        bpy.data.materials.remove(reference)


def _find_image(material: Any) -> Any | None:
    """Finds the image that the only image node of a material shows."""
    if material.node_tree is None:
        return None
    images = [n.image for n in material.node_tree.nodes if n.bl_idname == "ShaderNodeTexImage"]
    return images[0] if len(images) == 1 else None


def _is_image_of(look: str, image: Any) -> bool:
    kept = json.loads(look).get("image")
    if isinstance(kept, str):
        shown = bpy.path.abspath(image.filepath, library=image.library)
        return bool(os.path.realpath(shown) == os.path.realpath(kept))
    packed = image.packed_file
    return bool(packed is not None and zlib.crc32(packed.data) == kept)


def _describe(material: Any) -> Any:
    """Collects all that decides what a material looks like."""
    tree = material.node_tree
    nodes = [] if tree is None else [_describe_node(node) for node in tree.nodes]
    links = [] if tree is None else [_describe_link(link) for link in tree.links]
    viewport = [_plain(getattr(material, name)) for name in _VIEWPORT]
    return sorted(nodes, key=repr), sorted(links), viewport


def _describe_node(node: Any) -> Any:
    inputs = [(s.identifier, _plain(getattr(s, "default_value", None))) for s in node.inputs]
    settings = [getattr(node, name, None) for name in ("operation", "projection", "mute")]
    image = getattr(node, "image", None)
    return node.bl_idname, inputs, settings, image.name if image is not None else None


def _describe_link(link: Any) -> tuple[str, str, str, str]:
    return (
        link.from_node.bl_idname,
        link.from_socket.identifier,
        link.to_node.bl_idname,
        link.to_socket.identifier,
    )


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
