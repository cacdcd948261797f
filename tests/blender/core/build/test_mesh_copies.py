# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh that is copied for other signs of the scale is the one that would have been built."""

import itertools

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene
from urdf_importer import import_robot
from urdf_importer.core.blender.build import meshes
from urdf_importer.core.blender.build.mesh_copies import can_copy_mirrored, copy_mirrored
from urdf_importer.core.blender.build.meshes import build_mesh
from urdf_importer.core.blender.ledger import Ledger
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.meshes.loaders import scale_mesh

SIGNS = list(itertools.product((1.0, -1.0), repeat=3))


@pytest.fixture(autouse=True)
def scene():
    new_scene()


def blanket(seed: int, kind: str) -> MeshData:
    """A wavy sheet of faces of three, four or any number of corners, with all that a file has."""
    random = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(7.0), np.arange(6.0))
    points = np.stack([x.ravel(), y.ravel(), random.normal(size=x.size)], axis=1)
    faces: list[list[int]] = []
    for row, column in itertools.product(range(5), range(6)):
        a = row * 7 + column
        quad = [a, a + 1, a + 8, a + 7]
        is_quad = kind == "quads" or (kind == "mixed" and random.random() < 0.5)
        faces += [quad] if is_quad else [quad[:3], [quad[0], *quad[2:]]]
    corners = np.array([corner for face in faces for corner in face], dtype=np.int32)
    sizes = np.array([len(face) for face in faces], dtype=np.int32)
    normals = random.normal(size=(len(corners), 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    rich = seed % 2 == 1
    return MeshData(
        vertices=points.astype(np.float32),
        corners=corners,
        face_sizes=None if kind == "triangles" else sizes,
        normals=normals.astype(np.float32) if rich else None,
        uvs=random.random(size=(len(corners), 2)).astype(np.float32) if seed % 3 else None,
        slots=random.integers(3, size=len(sizes)).astype(np.int32) if seed % 3 == 1 else None,
    )


def array(mesh, name, width, kind):
    attribute = mesh.attributes.get(name)
    if attribute is None:
        return None
    found = np.empty(width * len(attribute.data), dtype=kind)
    attribute.data.foreach_get("vector" if width > 1 and kind == np.float32 else "value", found)
    return found


def edges_of(mesh):
    """Each edge as its two vertices, and whether it is sharp."""
    pairs = np.empty(2 * len(mesh.edges), dtype=np.int32)
    mesh.edges.foreach_get("vertices", pairs)
    sharp = np.empty(len(mesh.edges), dtype=bool)
    mesh.edges.foreach_get("use_edge_sharp", sharp)
    return np.sort(pairs.reshape(-1, 2), axis=1), sharp


def look(mesh):
    """Whatever a user sees of a mesh or can read from it, but for the numbers of its edges."""
    pairs, sharp = edges_of(mesh)
    behind = array(mesh, ".corner_edge", 1, np.int32)
    starts = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    normals = np.empty(3 * len(mesh.loops), dtype=np.float32)
    mesh.corner_normals.foreach_get("vector", normals)
    mesh.calc_loop_triangles()
    triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    exact = {
        "position": array(mesh, "position", 3, np.float32).tobytes(),
        "corners": array(mesh, ".corner_vert", 1, np.int32).tobytes(),
        "faces": starts.tobytes(),
        "slots": None if (s := array(mesh, "material_index", 1, np.int32)) is None else s.tobytes(),
        "behind": pairs[behind].tobytes(),
        "edges": sorted(zip(map(tuple, pairs.tolist()), sharp.tolist(), strict=True)),
        "triangles": triangles.tobytes(),
        "names": sorted(attribute.name for attribute in mesh.attributes),
    }
    for layer in mesh.uv_layers:
        exact[f"uv {layer.name}"] = array(mesh, layer.name, 2, np.float32).tobytes()
    return exact, normals


@pytest.mark.parametrize("kind", ["triangles", "quads", "mixed"])
def test_a_copy_is_what_would_have_been_built(kind):
    for seed, (first, second) in enumerate(itertools.product(SIGNS[:3] + SIGNS[-1:], SIGNS)):
        data = blanket(seed, kind)
        before = tuple(0.5 * sign for sign in first)
        after = tuple(0.5 * sign for sign in second)
        wanted = scale_mesh(data, after)
        if not can_copy_mirrored(wanted):
            assert bpy.app.version < (4, 5)
            continue
        ledger = Ledger()
        made = build_mesh(scale_mesh(data, before), "made", ledger)
        look(made)  # Blender keeps normals and triangles of it, which a copy must not have.
        bpy.data.objects.new("made", made).bound_box[0][:]
        signs = [a * b for a, b in zip(first, second, strict=True)]
        copied = copy_mirrored(made, signs, wanted, ledger)
        exact, normals = look(copied)
        built, built_normals = look(build_mesh(wanted, "built", ledger))
        assert exact == built
        assert np.abs(normals - built_normals).max() < 1e-5
        assert not copied.validate()
        box = np.array(bpy.data.objects.new("copied", copied).bound_box)
        assert np.array_equal(box.min(axis=0), wanted.vertices.min(axis=0))
        assert np.array_equal(box.max(axis=0), wanted.vertices.max(axis=0))


ROBOT = """<robot name="twins"><link name="base">
<visual><geometry><mesh filename="wedge.stl"/></geometry></visual>
<visual><geometry><mesh filename="wedge.stl" scale="1 -1 1"/></geometry></visual>
<visual><geometry><mesh filename="wedge.stl" scale="2 -2 2"/></geometry></visual>
<collision><geometry><mesh filename="wedge.stl" scale="-1 1 1"/></geometry></collision>
</link></robot>"""
WEDGE = """solid wedge
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 2 0.5
endloop
endfacet
endsolid wedge
"""


def test_a_mesh_is_built_once_for_all_signs_of_a_scale(tmp_path, monkeypatch):
    (tmp_path / "twins.urdf").write_text(ROBOT)
    (tmp_path / "wedge.stl").write_text(WEDGE)
    built = []

    def count(data, *rest, **more):
        built.append(data)
        return build_mesh(data, *rest, **more)

    monkeypatch.setattr(meshes, "build_mesh", count)
    result = import_robot(tmp_path / "twins.urdf")
    shapes = [each.data for each in (*result.visuals["base"], *result.collisions["base"])]
    highest = [max(vertex.co.y for vertex in mesh.vertices) for mesh in shapes]
    lowest = [min(vertex.co.y for vertex in mesh.vertices) for mesh in shapes]
    assert highest == [2.0, 0.0, 0.0, 2.0]
    assert lowest == [0.0, -2.0, -4.0, 0.0]
    assert [mesh.polygons[0].normal.z > 0.0 for mesh in shapes] == [True] * 4
    assert len(set(shapes)) == 4
    assert len(built) == 3, "the second visual is a copy; a collision is no copy of a visual"
