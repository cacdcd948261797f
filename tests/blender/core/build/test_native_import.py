# SPDX-License-Identifier: GPL-3.0-or-later
"""What the loaders read, held against Blender's own importers told to turn nothing."""

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene
from support.mesh_files import Gltf
from support.real_robots import ROOT
from urdf_importer.core.blender.build.meshes import build_mesh
from urdf_importer.core.blender.ledger import Ledger
from urdf_importer.core.meshes import load_mesh

ONE = (1.0, 1.0, 1.0)
OBJ_FILES = [
    "laikago_description/meshes/calf.obj",
    "laikago_description/meshes/trunk.obj",
    "alexander_description/meshes/Pelvis.obj",
    "alex_description/meshes/sake_finger_tip.obj",
]


@pytest.fixture(autouse=True)
def scene():
    new_scene()
    yield
    new_scene()


def ours(path):
    notes = []
    data = load_mesh(path, ONE, lambda code, message: notes.append(code))
    return build_mesh(data, "ours", Ledger())


def theirs(importer, path, **options):
    importer(filepath=str(path), **options)
    return [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]


def box_of(points):
    return np.array([points.min(axis=0), points.max(axis=0)])


def points_of(mesh):
    return np.array([vertex.co for vertex in mesh.vertices])


def area_of(mesh):
    return sum(polygon.area for polygon in mesh.polygons)


def check_equal(mesh, things):
    points = [
        points_of(t.data) @ np.array(t.matrix_world)[:3, :3].T + np.array(t.matrix_world)[:3, 3]
        for t in things
    ]
    assert np.allclose(box_of(points_of(mesh)), box_of(np.concatenate(points)), atol=1e-5)
    assert area_of(mesh) == pytest.approx(sum(area_of(t.data) for t in things), rel=1e-3)


@pytest.mark.parametrize("name", OBJ_FILES)
def test_obj(name):
    mesh = ours(ROOT / name)
    things = theirs(bpy.ops.wm.obj_import, ROOT / name, forward_axis="Y", up_axis="Z")
    # Blender's importer drops faces that are there twice; we keep what the file says.
    mesh.validate()
    check_equal(mesh, things)


@pytest.fixture
def exported():
    """A ball on a cone, in the scene, with normals and uvs."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=6, location=(1, 2, 3))
    bpy.ops.object.shade_smooth()
    bpy.ops.mesh.primitive_cone_add(vertices=7, rotation=(0.3, 0.2, 0.1), scale=(1, 2, 3))
    bpy.context.view_layer.update()
    return list(bpy.context.scene.objects)


@pytest.mark.parametrize("text", [False, True])
def test_ply(exported, tmp_path, text):
    path = tmp_path / "a.ply"
    bpy.ops.wm.ply_export(
        filepath=str(path), forward_axis="Y", up_axis="Z", ascii_format=text, export_normals=True
    )
    check_equal(ours(path), exported)


@pytest.mark.parametrize("form", ["GLB", "GLTF_SEPARATE"])
def test_gltf(exported, tmp_path, form):
    path = tmp_path / ("a.glb" if form == "GLB" else "a.gltf")
    bpy.ops.export_scene.gltf(filepath=str(path), export_format=form, export_yup=False)
    notes = []
    data = load_mesh(
        path, ONE, lambda code, message: notes.append(code), lambda uri, kind: tmp_path / uri
    )
    mesh = build_mesh(data, "ours", Ledger())
    assert notes == []
    check_equal(mesh, exported)
    assert mesh.uv_layers and mesh.has_custom_normals
    assert len(mesh.vertices) == sum(len(thing.data.vertices) for thing in exported)
    assert not mesh.validate()


def test_blender_turns_what_we_leave(tmp_path):
    gltf = Gltf()
    gltf.primitive()
    path = tmp_path / "a.glb"
    path.write_bytes(gltf.glb())
    mesh = ours(path)
    (thing,) = theirs(bpy.ops.import_scene.gltf, path)
    assert box_of(points_of(mesh)).tolist() == [[0, 0, 0], [1, 2, 3]]
    assert np.allclose(box_of(points_of(thing.data)), [[0, -3, 0], [1, 0, 2]])
