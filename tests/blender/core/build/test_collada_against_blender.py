# SPDX-License-Identifier: GPL-3.0-or-later
"""COLLADA files held against Blender's own importer, which Blender has up to 4.5."""

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene
from support.real_robots import ROOT
from urdf_importer.core.meshes.collada.load import load_collada

SMALL, MOST = 300_000, 40
FILES = [
    path
    for path in sorted(ROOT.glob("**/*.dae"))
    if path.stat().st_size < SMALL and b"<up_axis>Z_UP" in path.read_bytes()
][:MOST]


@pytest.mark.skipif(
    "collada_import" not in dir(bpy.ops.wm), reason="Blender 5 has no COLLADA importer"
)
def test_boxes_are_those_of_blenders_importer():
    """Files with Z up only: Blender turns the others, RViz does not."""
    for path in FILES:
        assert_same_box(path)


def assert_same_box(path):
    new_scene()
    bpy.ops.wm.collada_import(filepath=str(path))
    bpy.context.view_layer.update()
    points = [
        np.array(shape.matrix_world) @ (*vertex.co, 1.0)
        for shape in bpy.data.objects
        if shape.type == "MESH"
        for vertex in shape.data.vertices
    ]
    assert points, f"Blender reads nothing from {path.name}"
    theirs = np.array(points)[:, :3]
    mesh = load_collada(path, lambda code, message: None)
    assert mesh.vertices.min(axis=0) == pytest.approx(theirs.min(axis=0), abs=1e-4), path
    assert mesh.vertices.max(axis=0) == pytest.approx(theirs.max(axis=0), abs=1e-4), path


def test_there_are_files_to_compare():
    assert len(FILES) >= 20
