# SPDX-License-Identifier: GPL-3.0-or-later
"""Many meshes into one, as Blender's operator joins objects, which however walks through the whole
file for every object that it takes in."""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.blender.arrays import read_array
from ....core.blender.build.sharing import KINDS

_KINDS = {
    **KINDS,
    "INT8": ("value", "i1", 1),
    "QUATERNION": ("value", "f4", 4),
    "FLOAT4X4": ("value", "f4", 16),
    "BYTE_COLOR": ("color", "f4", 4),
    "FLOAT_COLOR": ("color", "f4", 4),
}
"""Types of attributes: the property of an element, its numbers. Texts are lost."""
_FIELDS = {"FACE": "polygons", "EDGE": "edges", "POINT": "vertices", "CORNER": "loops"}
"""The domains of attributes; where meshes differ in it, the last of these counts."""
_INDICES = {".edge_verts": "vertices", ".corner_vert": "vertices", ".corner_edge": "edges"}
"""Attributes that number elements."""
_NORMALS, _SLOTS = "custom_normal", "material_index"


def join_meshes(meshes: Sequence[Any]) -> Any:
    """Returns a new mesh of all elements of `meshes`, one behind the other, with their attributes,
    normals and materials, each material once; vertex groups are left to the caller. Where the first
    mesh has no layer of texture coordinates or colours, the first of all is the active one."""
    joined = bpy.data.meshes.new(meshes[0].name)
    for field in _FIELDS.values():
        getattr(joined, field).add(sum(len(getattr(mesh, field)) for mesh in meshes))
    sizes = np.concatenate([read_array(m.polygons, "loop_total", kind=np.int32) for m in meshes])
    joined.polygons.foreach_set("loop_start", np.cumsum(sizes, dtype=np.uint32) - sizes)
    slots = _join_slots(joined, meshes)
    is_free = any(mesh.has_custom_normals for mesh in meshes) and not _codes_normals(meshes)
    _join_attributes(joined, meshes, {_SLOTS, _NORMALS} if is_free else {_SLOTS})
    if slots.any():
        _write(joined.attributes.new(_SLOTS, "INT", "FACE"), slots)
    _activate_layers(joined, meshes[0])
    joined.update()
    if is_free:
        _set_normals(joined, meshes)
    return joined


def _activate_layers(joined: Any, first: Any) -> None:
    """Makes the layers of colours and texture coordinates active that are so in the first mesh."""
    for field in ("active_color_name", "default_color_name"):
        if getattr(first.attributes, field):
            setattr(joined.attributes, field, getattr(first.attributes, field))
    for layer in first.uv_layers:
        for field in ("active", "active_render"):
            if getattr(layer, field):
                setattr(joined.uv_layers[layer.name], field, True)


def _join_attributes(joined: Any, meshes: Sequence[Any], left_out: set[str]) -> None:
    attributes = _list_attributes(meshes)
    for name in {each.name for each in joined.attributes} - attributes.keys():
        if name.startswith(".select"):  # New elements are selected.
            joined.attributes.remove(joined.attributes[name])
    for name, (kind, domain) in attributes.items():
        if name not in left_out:
            made = joined.attributes.get(name) or joined.attributes.new(name, kind, domain)
            parts = [_read_as(mesh, name, made) for mesh in meshes]
            if name in _INDICES:
                counts = [len(getattr(mesh, _INDICES[name])) for mesh in meshes]
                starts = np.cumsum([0, *counts[:-1]])
                parts = [part + start for part, start in zip(parts, starts, strict=True)]
            _write(made, np.concatenate(parts))


def _join_slots(joined: Any, meshes: Sequence[Any]) -> NDArray[np.int32]:
    """Gives the mesh each material once; returns the slot of each face."""
    places: dict[Any, int] = {}
    found = []
    for mesh in meshes:
        held = [places.setdefault(each, len(places)) for each in mesh.materials] or [0]
        slots = np.zeros(len(mesh.polygons), dtype=np.int32)
        if _SLOTS in mesh.attributes:
            slots = _read(mesh.attributes[_SLOTS])
        found.append(np.array(held, dtype=np.int32)[np.clip(slots, 0, len(held) - 1)])
    for material in places:
        joined.materials.append(material)
    return np.concatenate(found)


def _list_attributes(meshes: Sequence[Any]) -> dict[str, tuple[str, str]]:
    """Lists the attributes of all meshes: name -> (type, domain)."""
    found: dict[str, tuple[str, str]] = {}
    kinds, domains = list(_KINDS), list(_FIELDS)
    for mesh in meshes:
        for each in mesh.attributes:
            if each.data_type in _KINDS:
                kind, domain = found.get(each.name, (each.data_type, each.domain))
                found[each.name] = (
                    max(kind, each.data_type, key=kinds.index),
                    max(domain, each.domain, key=domains.index),
                )
    return found


def _read(attribute: Any) -> Any:
    name, kind, width = _KINDS[attribute.data_type]
    return read_array(attribute.data, name, width, np.dtype(kind))


def _write(attribute: Any, values: Any) -> None:
    name, kind, _ = _KINDS[attribute.data_type]
    attribute.data.foreach_set(name, np.ascontiguousarray(values, dtype=kind).ravel())


def _read_as(mesh: Any, name: str, wanted: Any) -> Any:
    """Reads an attribute of a mesh as the joined mesh has it; zeros where it has none."""
    _, kind, width = _KINDS[wanted.data_type]
    found = np.zeros((len(getattr(mesh, _FIELDS[wanted.domain])), width), dtype=kind)
    attribute = mesh.attributes.get(name)
    if attribute is not None and attribute.data_type in _KINDS:
        values = _read(attribute).reshape(-1, _KINDS[attribute.data_type][2])
        if attribute.domain != wanted.domain:
            values = _spread(mesh, values, attribute.domain, wanted.domain)
        found[:] = values[:, :width] if values.shape[1] >= width else values[:, :1]
    return found if width > 1 else found[:, 0]


def _spread(mesh: Any, values: Any, domain: str, wanted: str) -> Any:
    """Gives values of another domain to corners; other domains get zeros."""
    if wanted != "CORNER" or domain == "EDGE":
        return np.zeros((len(getattr(mesh, _FIELDS[wanted])), values.shape[1]))
    if domain == "FACE":
        return np.repeat(values, read_array(mesh.polygons, "loop_total", kind=np.int32), axis=0)
    return values[_read(mesh.attributes[".corner_vert"])]


def _codes_normals(meshes: Sequence[Any]) -> bool:
    """Whether all normals are kept against Blender's own, and so stay right beside others."""
    found = [mesh.attributes.get(_NORMALS) for mesh in meshes if mesh.has_custom_normals]
    return all(each is not None and each.data_type == "INT16_2D" for each in found)


def _set_normals(joined: Any, meshes: Sequence[Any]) -> None:
    normals = np.concatenate([read_array(mesh.corner_normals, "vector", 3) for mesh in meshes])
    if bpy.app.version >= (4, 5):
        _write(joined.attributes.new(_NORMALS, "FLOAT_VECTOR", "CORNER"), normals)
    else:
        joined.normals_split_custom_set(normals)
