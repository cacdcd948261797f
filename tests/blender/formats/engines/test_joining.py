# SPDX-License-Identifier: GPL-3.0-or-later
"""Joined meshes equal what Blender 5's own operator makes of them, and look so in older versions,
whose operator keeps materials twice and the types of the first mesh's attributes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

import bmesh  # isort: skip

from support.paths import ROOT
from urdf_importer import import_robot
from urdf_importer.core.blender.arrays import read_array
from urdf_importer.formats.engines.blender.joining import join_meshes

_WIDTHS = {
    "INT16_2D": ("value", 2, np.int16),
    "INT32_2D": ("value", 2, np.int32),
    "FLOAT2": ("vector", 2, np.float32),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32),
    "BYTE_COLOR": ("color", 4, np.float32),
    "BOOLEAN": ("value", 1, bool),
    "FLOAT": ("value", 1, np.float32),
    "INT": ("value", 1, np.int32),
    "INT8": ("value", 1, np.int8),
}


pytestmark = pytest.mark.usefixtures("scene")


def join_in_blender(meshes: list[Any]) -> Any:
    scene = bpy.data.scenes.new("reference")
    items = [bpy.data.objects.new("reference", mesh.copy()) for mesh in meshes]
    for item in items:
        scene.collection.objects.link(item)
    with bpy.context.temp_override(
        scene=scene,
        view_layer=scene.view_layers[0],
        active_object=items[0],
        object=items[0],
        selected_objects=items,
        selected_editable_objects=items,
    ):
        bpy.ops.object.join()
    return items[0].data


def contents(mesh: Any) -> dict[str, Any]:
    found = {}
    for each in mesh.attributes:
        name, width, kind = _WIDTHS[each.data_type]
        values = read_array(each.data, name, width, kind)
        found[each.name] = (each.data_type, each.domain, values.tolist())
    return found


def first(layers: Any, field: str) -> int:
    """The active layer, of which the operator has none where the first mesh has none."""
    return max(getattr(layers, field), 0) if len(layers) else -1


def check_looks(joined: Any, wanted: Any) -> None:
    """Holds joined meshes to the places, materials, normals and texture coordinates of others."""
    looks = []
    for mesh in (joined, wanted):
        held = list(mesh.materials) or [None]
        slots = [held[each.material_index] for each in mesh.polygons]
        starts = read_array(mesh.polygons, "loop_start", kind=np.int32).tolist()
        places = read_array(mesh.vertices, "co", 3).tolist()
        layers = {each.name: read_array(each.data, "uv", 2).tolist() for each in mesh.uv_layers}
        looks.append((slots, starts, places, layers))
    assert looks[0] == looks[1]
    normals = (read_array(mesh.corner_normals, "vector", 3) for mesh in (joined, wanted))
    np.testing.assert_allclose(*normals, atol=1e-3)
    assert not joined.validate()


def check(meshes: list[Any]) -> None:
    joined, wanted = join_meshes(meshes), join_in_blender(meshes)
    if bpy.app.version < (5, 0):
        check_looks(joined, wanted)
        return
    found, right = contents(joined), contents(wanted)
    assert found.keys() == right.keys()
    for name, values in right.items():
        assert found[name] == values, name
    assert list(joined.materials) == list(wanted.materials)
    for field, name in (("corner_normals", "vector"), ("polygon_normals", "vector")):
        one, other = (read_array(getattr(mesh, field), name, 3) for mesh in (joined, wanted))
        np.testing.assert_array_equal(one, other)
    starts = (read_array(m.polygons, "loop_start", kind=np.int32) for m in (joined, wanted))
    np.testing.assert_array_equal(*starts)
    assert [x.name for x in joined.uv_layers] == [x.name for x in wanted.uv_layers]
    assert joined.uv_layers.active_index == first(wanted.uv_layers, "active_index")
    if wanted.uv_layers.active_index >= 0:
        shown = [[x.active_render for x in mesh.uv_layers] for mesh in (joined, wanted)]
        assert shown[0] == shown[1]
    colors = joined.color_attributes, wanted.color_attributes
    assert [x.name for x in colors[0]] == [x.name for x in colors[1]]
    assert colors[0].active_color_index == first(colors[1], "active_color_index")
    assert colors[0].render_color_index == first(colors[1], "render_color_index")
    assert not joined.validate()


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted((ROOT / "sample_urdfs").iterdir())
        if path.suffix in (".urdf", ".sdf") or path.name == "hexapod.xml"
    ],
    ids=lambda path: path.name,
)
def test_robots(path: Path) -> None:
    result = import_robot(path)
    shapes = [shape for each in result.visuals.values() for shape in each]
    check([shape.data for shape in shapes if shape.type == "MESH"])


def ball(count: int) -> Any:
    mesh, edited = bpy.data.meshes.new("ball"), bmesh.new()
    bmesh.ops.create_uvsphere(edited, u_segments=count, v_segments=4, radius=0.5)
    edited.to_mesh(mesh)
    edited.free()
    return mesh


def fill(attribute: Any) -> None:
    name, width, kind = _WIDTHS[attribute.data_type]
    values = np.random.default_rng(7).random(len(attribute.data) * width)
    values = values > 0.5 if kind is bool else values * (1 if kind == np.float32 else 100)
    attribute.data.foreach_set(name, values.astype(kind))


def give_uvs(mesh: Any, *names: str) -> None:
    for name in names:
        fill(mesh.attributes[mesh.uv_layers.new(name=name).name])
    mesh.uv_layers.active_index = len(names) - 1
    mesh.uv_layers[-1].active_render = True


def give_color(mesh: Any, name: str, kind: str, domain: str) -> None:
    fill(mesh.color_attributes.new(name, kind, domain))


def give_normals(mesh: Any) -> None:
    normals = np.random.default_rng(3).random((len(mesh.loops), 3))
    mesh.normals_split_custom_set(normals.tolist())


def give_free_normals(mesh: Any) -> None:
    fill(mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "CORNER"))


def give_materials(mesh: Any, *names: str) -> None:
    for name in names:
        mesh.materials.append(bpy.data.materials.get(name) or bpy.data.materials.new(name))
    for face in mesh.polygons:
        face.material_index = face.index % len(names)


def give_attribute(mesh: Any, name: str, kind: str, domain: str) -> None:
    fill(mesh.attributes.new(name, kind, domain))


def many_uvs(first: Any, second: Any, third: Any) -> None:
    give_uvs(first, "UVMap", "Lit")
    give_uvs(second, "Other", "UVMap")


def uvs_behind_none(first: Any, second: Any, third: Any) -> None:
    give_uvs(second, "Other", "UVMap")
    give_uvs(third, "Third")


def colors(first: Any, second: Any, third: Any) -> None:
    give_color(first, "Col", "BYTE_COLOR", "CORNER")
    give_color(second, "Col", "FLOAT_COLOR", "POINT")
    give_color(second, "Two", "FLOAT_COLOR", "POINT")


def colors_behind_none(first: Any, second: Any, third: Any) -> None:
    give_color(second, "Col", "BYTE_COLOR", "CORNER")
    give_color(third, "Two", "FLOAT_COLOR", "POINT")


def numbers(first: Any, second: Any, third: Any) -> None:
    give_attribute(first, "share", "FLOAT", "POINT")
    give_attribute(second, "share", "FLOAT", "CORNER")
    give_attribute(second, "count", "INT", "FACE")
    give_attribute(third, "small", "INT8", "EDGE")


def normals(first: Any, second: Any, third: Any) -> None:
    give_normals(second)
    third.shade_flat()


def free_normals(first: Any, second: Any, third: Any) -> None:
    give_normals(first)
    give_free_normals(third)


def materials(first: Any, second: Any, third: Any) -> None:
    give_materials(first, "red", "red", "blue")
    give_materials(second, "green", "blue", "green")
    give_materials(third, "red")


def nothing(first: Any, second: Any, third: Any) -> None:
    first.clear_geometry()


@pytest.mark.parametrize(
    "dress",
    [
        *(many_uvs, uvs_behind_none, colors, colors_behind_none),
        *(numbers, normals, free_normals, materials, nothing),
    ],
    ids=lambda dress: dress.__name__,
)
def test_meshes_that_differ(dress: Callable[[Any, Any, Any], None]) -> None:
    meshes = [ball(count) for count in (5, 6, 8)]
    dress(*meshes)
    check(meshes)
