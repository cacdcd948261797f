# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes and materials of robots that the file already holds, for a robot that needs the same.

Only objects that are still exactly as an import would make them now are shared: edited ones stay
with the robots that have them. Each material records its source, so it is made again for a moment
and compared; a fingerprint of its nodes would not survive a new version of Blender. A mesh is built
again once, the first time that it could be shared; from then on a digest of all its arrays tells.
"""

import json
import os
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...diagnostics import MeshError
from ...files.regular import read_mesh_file
from ...images.size import MOST_BYTES
from ..arrays import read_array
from ..extract.fingerprints import read_material
from ..extract.materials import MAP_INPUTS
from ..ledger import Ledger
from ..standing import properties
from .materials import fill_material

_SETTINGS = (
    "diffuse_color",
    "metallic",
    "roughness",
    "specular_intensity",
    "surface_render_method",
    "displacement_method",
    "use_backface_culling",
    "use_backface_culling_shadow",
    "use_transparent_shadow",
    "use_transparency_overlap",
    "use_raytrace_refraction",
    "alpha_threshold",
    "pass_index",
)
_NODE_SETTINGS = (
    "operation",
    "use_clamp",
    "projection",
    "projection_blend",
    "interpolation",
    "extension",
    "distribution",
    "subsurface_method",
    "mute",
)
KINDS = {
    "BOOLEAN": ("value", "?", 1),
    "INT": ("value", "i4", 1),
    "INT16_2D": ("value", "i2", 2),
    "INT32_2D": ("value", "i4", 2),
    "FLOAT": ("value", "f4", 1),
    "FLOAT2": ("vector", "f4", 2),
    "FLOAT_VECTOR": ("vector", "f4", 3),
}
"""Types of attributes that an import makes: the property of an element, its numbers. Of others it
is enough to know that they are there."""


class Shelf:
    """The shareable content of the file as one import begins; empty where nothing is shared."""

    def __init__(self, ledger: Ledger, *, shares: bool) -> None:
        self._ledger = ledger
        self._materials = _by_text(bpy.data.materials, properties.LOOK, shares=shares)
        self._meshes = _by_text(bpy.data.meshes, properties.FINGERPRINT, shares=shares)
        self._untouched: dict[Any, bool] = {}

    def find_material(self, look: str) -> Any | None:
        """Finds a material that is as `look`, by describe_material, says."""
        return next((m for m in self._materials.get(look, ()) if self._is_untouched(m)), None)

    def find_mesh(
        self, fingerprint: str, materials: Sequence[Any], build: Callable[[], Any]
    ) -> Any | None:
        """Finds a mesh with this fingerprint and these materials in its slots that is as `build`
        makes it; None if there is none. Then `build` was not called."""
        candidates = [
            mesh
            for mesh in self._meshes.get(fingerprint, ())
            if _has_materials(mesh, materials) and mesh.shape_keys is None and not mesh.is_editmode
        ]
        for mesh in candidates:
            if mesh.get(properties.DIGEST) == digest_mesh(mesh):
                return mesh
        unknown = [mesh for mesh in candidates if properties.DIGEST not in mesh]
        return self._compare(unknown, build) if unknown else None

    def _compare(self, candidates: Iterable[Any], build: Callable[[], Any]) -> Any:
        made = build()
        digest = digest_mesh(made)
        for mesh in candidates:
            if digest_mesh(mesh) == digest:
                mesh[properties.DIGEST] = digest
                self._ledger.remove(made)
                return mesh
        return made

    def _is_untouched(self, material: Any) -> bool:
        if material not in self._untouched:
            self._untouched[material] = is_as_made(material) and _shows_the_file(material)
        return self._untouched[material]


def _by_text(datablocks: Iterable[Any], key: str, *, shares: bool) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for each in datablocks if shares else ():
        if key in each and each.library is None and each.override_library is None:
            found.setdefault(each[key], []).append(each)
    return found


def digest_mesh(mesh: Any) -> str:
    """Returns a text that differs between meshes with any other array: places, faces, edges,
    shading, texture coordinates, slots, and whatever a user added."""
    found = [len(mesh.vertices), len(mesh.edges), len(mesh.polygons), len(mesh.loops)]
    if len(mesh.loops) != 3 * len(mesh.polygons):  # Faces have three corners or more.
        found.append(zlib.crc32(read_array(mesh.polygons, "loop_start", kind=np.uint32)))
    if mesh.has_custom_normals and "custom_normal" not in mesh.attributes:
        found.append(zlib.crc32(read_array(mesh.corner_normals, "vector", 3)))
    parts = [f"{number:x}" for number in found]
    for attribute in sorted(mesh.attributes, key=lambda each: str(each.name)):
        if attribute.name == ".corner_vert" or not attribute.name.startswith("."):
            name, kind, size = KINDS.get(attribute.data_type, ("", "", 0))
            total = zlib.crc32(read_array(attribute.data, name, size, kind)) if name else 0
            parts.append(f"{attribute.name} {attribute.domain} {attribute.data_type} {total:x}")
    # Blender 5.2 ruins the kept normals of corners at the next evaluation, once all attributes that
    # they are made of were read. The price: they are made again.
    mesh.update()
    return "; ".join(parts)


def _has_materials(mesh: Any, wanted: Sequence[Any]) -> bool:
    """Whether the slots hold just these; an object's own material leaves an empty slot."""
    held = list(mesh.materials)
    while len(held) > len(wanted) and held[-1] is None:
        held.pop()
    return held == list(wanted)


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


def is_as_made(material: Any) -> bool:
    """Whether the user left one of the importer's materials unmodified; its description too."""
    look = material[properties.LOOK]
    try:
        return _is_as_made(material, look)
    except (LookupError, AttributeError, TypeError, ValueError):
        return False


def _is_as_made(material: Any, look: str) -> bool:
    image = find_image(material)
    if image is not None and not _is_image_of(look, image):
        return False
    maps, kept = _find_maps(material), json.loads(look).get("surface") or {}
    if not all(_is_file(each, str(kept.get(name))) for name, each in maps.items()):
        return False
    names = tuple((name, each.name) for name, each in maps.items())
    key = (look, None if image is None else image.name, names)
    if key not in _references:
        if len(_references) >= _MOST_REFERENCES:
            _references.clear()
        _references[key] = _describe_reference(look, image, maps)
    return bool(_describe(material) == _references[key])


_MOST_REFERENCES = 1000
_references: dict[tuple[Any, ...], Any] = {}
"""The looks of unmodified materials, by their sources."""


def _describe_reference(look: str, image: Any | None, maps: Mapping[str, Any]) -> Any:
    described, has_uvs = read_material(look)
    reference = bpy.data.materials.new("~ reference")
    try:
        fill_material(reference, described, image, maps, has_uvs=has_uvs)
        return _describe(reference)
    finally:
        bpy.data.materials.remove(reference)


def find_image(material: Any) -> Any | None:
    """Finds the image that the only image node of a material shows, apart from maps."""
    images = [node.image for node in _image_nodes(material) if node.label not in MAP_INPUTS]
    return images[0] if len(images) == 1 else None


def _find_maps(material: Any) -> dict[str, Any]:
    """Finds the images of a surface's maps."""
    nodes = _image_nodes(material)
    return {n.label: n.image for n in nodes if n.label in MAP_INPUTS and n.image is not None}


def _image_nodes(material: Any) -> list[Any]:
    nodes = () if material.node_tree is None else material.node_tree.nodes
    return [node for node in nodes if node.bl_idname == "ShaderNodeTexImage"]


def _is_file(image: Any, kept: str) -> bool:
    shown = bpy.path.abspath(image.filepath, library=image.library)
    return bool(os.path.realpath(shown) == os.path.realpath(kept))


def find_source(look: str) -> Any:
    """Finds the file of the image of a material in its description by describe_material, or the
    checksum of one that was packed."""
    with suppress(ValueError, TypeError, AttributeError):
        return json.loads(look).get("image")
    return None


def _is_image_of(look: str, image: Any) -> bool:
    kept = find_source(look)
    if isinstance(kept, str):
        return _is_file(image, kept)
    packed = image.packed_file
    return bool(packed is not None and zlib.crc32(packed.data) == kept)


def _shows_the_file(material: Any) -> bool:
    """Whether the image of a material was not painted on, and a packed one still equals its
    file."""
    kept = find_source(material[properties.LOOK])
    if any(each.is_dirty or each.source != "FILE" for each in _find_maps(material).values()):
        return False
    image = find_image(material)
    if image is None:
        return kept is None
    if image.is_dirty or image.source != "FILE":
        return False
    if not isinstance(kept, str) or image.packed_file is None:
        return True
    try:
        return bool(image.packed_file.data == read_mesh_file(Path(kept), MOST_BYTES))
    except MeshError:
        return False


def _describe(material: Any) -> Any:
    """Collects all that decides a material's look."""
    tree = material.node_tree
    nodes = [] if tree is None else [_describe_node(node) for node in tree.nodes]
    links = [] if tree is None else [_describe_link(link) for link in tree.links]
    settings = [_plain(getattr(material, name, None)) for name in _SETTINGS]
    moves = [each.animation_data is not None for each in (material, tree) if each is not None]
    return sorted(nodes, key=repr), sorted(links), settings, any(moves)


def _describe_node(node: Any) -> Any:
    inputs = [(s.identifier, _plain(getattr(s, "default_value", None))) for s in node.inputs]
    settings = [getattr(node, name, None) for name in _NODE_SETTINGS]
    image = getattr(node, "image", None)
    return node.bl_idname, inputs, settings, image.name if image is not None else None


def _describe_link(link: Any) -> tuple[str, str, str, str, bool]:
    return (
        link.from_node.bl_idname,
        link.from_socket.identifier,
        link.to_node.bl_idname,
        link.to_socket.identifier,
        link.is_muted,
    )


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
