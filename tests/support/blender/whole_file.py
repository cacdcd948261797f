# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that stands in Blender's data, number by number, to be compared."""

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

_SKIPPED = {"rna_type", "original", "is_evaluated", "users", "preview", "depsgraph", "is_updated",
            "is_updated_data", "session_uid", "library_weak_reference",
            "use_nodes", "children", "children_recursive", "parent_recursive", "matrix_channel",
            "storage_type", "uv_sculpt"}  # fmt: skip
_ARRAYS = {"vertices": "co", "loops": "vertex_index", "polygons": "loop_start"}
_DERIVED = {"edges", "vertex_normals", "polygon_normals", "corner_normals", "loop_triangles",
            "loop_triangle_polygons"}  # fmt: skip
_NO_DATA = {"all_ids", "screens", "window_managers", "workspaces"}
_NAMED = ("Bone", "PoseBone", "BoneCollection")
_DEEPEST = 6


def describe_file() -> dict[str, Any]:
    """Path -> number, text, tuple or name: of all datablocks, and of what is selected and active in
    the scene that is open."""
    bpy.context.view_layer.update()
    found: dict[str, Any] = {}
    for prop in bpy.data.bl_rna.properties:
        if prop.type == "COLLECTION" and prop.identifier not in _NO_DATA:
            for item in getattr(bpy.data, prop.identifier):
                found[f"{prop.identifier}/{item.name_full}"] = item.session_uid
                found.update(_describe(item, f"{prop.identifier}/{item.name_full}", _DEEPEST))
    layer = bpy.context.view_layer
    found["window"] = (bpy.context.scene.name, layer.name)
    found["active"] = layer.objects.active and layer.objects.active.name
    for item in layer.objects:
        found[f"layer/{item.name}"] = (item.select_get(), item.hide_get(), item.mode)
    return found


def _describe(item: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    for prop in item.bl_rna.properties:
        name = prop.identifier
        if name in _SKIPPED or depth == 0 or getattr(prop, "is_deprecated", False):
            continue
        try:
            value = getattr(item, name)
        except (AttributeError, RuntimeError, ReferenceError):
            continue
        place = f"{path}.{name}"
        if prop.type == "COLLECTION":
            yield from _describe_all(value, name, place, depth)
        elif prop.type == "POINTER":
            yield from _describe_pointer(value, place, depth)
        else:
            yield place, _plain(value)
    if isinstance(item, bpy.types.ID | bpy.types.Bone | bpy.types.PoseBone):
        yield f"{path}[]", {key: _plain(item[key]) for key in list(item.keys())}


def _describe_all(value: Any, name: str, place: str, depth: int) -> Iterator[tuple[str, Any]]:
    yield f"{place}#", len(value)
    if name == "attributes":
        yield place, [_describe_attribute(each) for each in value]
        return
    if depth < _DEEPEST and len(value) and type(value[0]).__name__ in _NAMED:
        yield place, [each.name for each in value]
        return
    if name in _ARRAYS or name in _DERIVED:
        prop = _ARRAYS.get(name)
        if prop is not None and len(value):
            sample = np.array(getattr(value[0], prop))
            kind = np.float32 if sample.dtype.kind == "f" else np.int32
            numbers = np.empty(len(value) * sample.size, kind)
            value.foreach_get(prop, numbers)
            yield place, numbers.tobytes()
        return
    for index, each in enumerate(value if len(value) <= 2000 else ()):
        yield from _describe_pointer(each, f"{place}[{index}]", depth)


def _describe_attribute(attribute: Any) -> tuple[Any, ...]:
    kind = (attribute.name, attribute.domain, attribute.data_type, len(attribute.data))
    prop = {"FLOAT_VECTOR": "vector", "FLOAT2": "vector", "FLOAT": "value"}
    sizes = {"FLOAT_VECTOR": 3, "FLOAT2": 2, "FLOAT": 1}
    if attribute.data_type not in prop:
        return kind
    numbers = np.empty(len(attribute.data) * sizes[attribute.data_type], np.float32)
    attribute.data.foreach_get(prop[attribute.data_type], numbers)
    return (*kind, numbers.tobytes())


def _describe_pointer(value: Any, place: str, depth: int) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bpy.types.ID):
        yield place, value.name_full
    elif type(value).__name__ in _NAMED and depth < _DEEPEST - 1:
        yield place, value.name
    elif value is None:
        yield place, None
    elif isinstance(value, bpy.types.bpy_struct):
        yield from _describe(value, place, depth - 1)


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return {key: _plain(each) for key, each in value.to_dict().items()}
    if isinstance(value, bpy.types.ID):
        return value.name_full
    if isinstance(value, str | bytes | int | float | set):
        return value
    try:
        return tuple(_plain(each) for each in value)
    except TypeError:
        return repr(value)
