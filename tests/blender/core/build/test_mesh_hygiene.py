# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh datablocks: uvs, slots, normals, shading by angle, decimation."""

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene
from urdf_importer import ImportOptions, import_robot
from urdf_importer.core.blender.build.meshes import build_mesh, decimate
from urdf_importer.core.blender.ledger import Ledger
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.geometry.primitives import make_sphere


@pytest.fixture(autouse=True)
def scene():
    new_scene()


def roof(degrees, **more):
    """Two squares that meet at this angle."""
    turn = np.radians(degrees)
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    points += [(1 + np.cos(turn), y, np.sin(turn)) for y in (0, 1)]
    return MeshData(
        vertices=np.array(points, dtype=np.float32),
        corners=np.array([0, 1, 2, 3, 1, 4, 5, 2], dtype=np.int32),
        face_sizes=np.array([4, 4], dtype=np.int32),
        name="roof",
        **more,
    )


def normals_of(mesh):
    found = np.empty(3 * len(mesh.loops), dtype=np.float32)
    mesh.corner_normals.foreach_get("vector", found)
    return found.reshape(-1, 3)


@pytest.mark.parametrize(("degrees", "limit"), [(29, 30), (31, 30), (50, 60), (70, 60), (5, 0)])
def test_edges_are_smooth_up_to_the_angle(degrees, limit):
    mesh = build_mesh(roof(degrees), "roof", Ledger(), smooth_angle=limit)
    normals = normals_of(mesh)
    assert np.allclose(normals[1], normals[4], atol=1e-5) == (degrees < limit)


def test_normals_of_the_file_are_kept():
    normals = np.random.default_rng(1).normal(size=(8, 3))
    normals[:, 2] = np.abs(normals[:, 2]) + 1.0
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    mesh = build_mesh(roof(10, normals=normals.astype(np.float32)), "roof", Ledger())
    assert mesh.has_custom_normals
    # Before Blender 4.5 they are kept in 16 bits.
    within = 1e-6 if bpy.app.version >= (4, 5) else 1e-2
    assert np.abs(normals_of(mesh) - normals).max() < within


def test_faces_part_at_creases_of_the_file():
    """Before Blender 5.0, Cycles has a normal for each vertex, after it has parted faces at sharp
    edges."""
    flat, tilted = np.array([0, 0, 1]), np.array([0.6, 0, 0.8])
    smooth = np.array([flat, flat, flat, flat, flat, tilted, tilted, flat])
    for normals, creases in ((smooth, set()), (np.repeat([flat, tilted], 4, axis=0), {(1, 2)})):
        mesh = build_mesh(roof(10, normals=normals.astype(np.float32)), "roof", Ledger())
        sharp = {tuple(sorted(edge.vertices)) for edge in mesh.edges if edge.use_edge_sharp}
        assert sharp == (creases if bpy.app.version < (5, 0) else set())


def test_uvs_and_slots_come_in_as_they_are():
    uvs = np.random.default_rng(2).uniform(size=(8, 2)).astype(np.float32)
    data = roof(10, uvs=uvs, slots=np.array([1, 0], dtype=np.int32))
    mesh = build_mesh(data, "roof", Ledger())
    assert np.array_equal([item.uv for item in mesh.uv_layers.active.data], uvs)
    assert [polygon.material_index for polygon in mesh.polygons] == [1, 0]
    assert not mesh.validate()


def scene_state():
    kinds = ("objects", "meshes", "materials", "images", "collections", "actions")
    return {kind: len(getattr(bpy.data, kind)) for kind in kinds}


def test_decimating_keeps_the_shape_and_leaves_nothing_behind():
    ledger = Ledger()
    mesh = build_mesh(make_sphere(1.0), "ball", ledger)
    before = scene_state()
    active, selected = bpy.context.view_layer.objects.active, list(bpy.context.selected_objects)
    reduced = decimate(mesh, 200, 30.0, ledger)
    assert scene_state() == before
    assert bpy.context.view_layer.objects.active == active
    assert list(bpy.context.selected_objects) == selected
    reduced.calc_loop_triangles()
    assert 150 <= len(reduced.loop_triangles) <= 210
    assert reduced.name == "ball" and not reduced.has_custom_normals
    points = np.array([vertex.co for vertex in reduced.vertices])
    assert np.abs(np.linalg.norm(points, axis=1) - 1.0).max() < 0.05
    ledger.remove_all()
    assert not bpy.data.meshes and not bpy.data.objects


def test_few_triangles_stay_as_they_are():
    ledger = Ledger()
    mesh = build_mesh(make_sphere(1.0), "ball", ledger)
    assert decimate(mesh, 10_000, 30.0, ledger) is mesh


def write_robot(folder):
    lines = ["v {} {} {}".format(*point) for point in make_sphere(1.0).vertices.tolist()]
    corners = (make_sphere(1.0).corners + 1).tolist()
    faces, sizes = [], make_sphere(1.0).face_sizes
    for size in sizes.tolist():
        faces.append("f " + " ".join(map(str, corners[:size])))
        corners = corners[size:]
    lines += ["v 3 0 0", "v 3 1 0", "v 3 0 1"]
    count = len(make_sphere(1.0).vertices)
    faces.append(f"f {count + 1} {count + 2} {count + 3}")
    (folder / "ball.obj").write_text("\n".join([*lines, *faces, ""]))
    shape = '<geometry><mesh filename="ball.obj"/></geometry>'
    (folder / "r.urdf").write_text(
        f'<robot name="r"><link name="l"><visual>{shape}</visual>'
        f"<collision>{shape}</collision></link></robot>"
    )
    return folder / "r.urdf"


def test_options_concern_the_meshes_they_say(tmp_path):
    path = write_robot(tmp_path)
    plain = import_robot(path)
    faces = len(plain.visuals["l"][0].data.polygons)
    new_scene()
    options = ImportOptions(fit_collisions="hull", most_triangles=300)
    result = import_robot(path, options=options)
    (visual,), (collision,) = result.visuals["l"], result.collisions["l"]
    visual.data.calc_loop_triangles()
    assert len(visual.data.loop_triangles) <= 310 < faces
    assert visual.data != collision.data
    reach = max(vertex.co.x for vertex in collision.data.vertices)
    assert 3.0 <= reach < 3.2  # of 256 triangles, around all points
    assert result.armature == bpy.context.view_layer.objects.active
    assert bpy.context.selected_objects == [result.armature]
    assert not result.diagnostics
