# SPDX-License-Identifier: GPL-3.0-or-later
"""Where every visual of every real robot is in the world, and how many triangles it has.

The truth: forward kinematics, the visual's origin and scale, and the points of the mesh file as an
independent reader gives them (trimesh for STL; for COLLADA, whose unit trimesh ignores, and OBJ
straight from the file). Robots of example-robot-data and the descriptions of rtb-data.
"""

import sysconfig
from functools import cache
from pathlib import Path

import bpy
import numpy as np
import pytest
import trimesh

from collada_truth import expect
from real_robots import descriptions, name_of
from rigs import new_scene
from urdf_importer import ReadError, forward_kinematics, import_robot, plan_rig
from urdf_importer.diagnostics import MeshError
from urdf_importer.kinematics.transforms import matrix_from_pose
from urdf_importer.model import Mesh
from urdf_importer.packages import PackageResolver

USUAL = {"panda", "talos_full_v2", "a1", "laikago"}
RTB = Path(sysconfig.get_paths()["purelib"], "rtbdata", "xacro")


def all_descriptions():
    found = sorted(RTB.glob("**/*.urdf"))
    assert found, f"rtb-data is not installed in {RTB}"
    return [*descriptions(), *found]


cases = [
    pytest.param(path, id=name_of(path), marks=[] if path.stem in USUAL else pytest.mark.slow)
    for path in all_descriptions()
]


@cache
def read_points(path: Path) -> np.ndarray:
    """(N, 3) points that faces use, in the file's frame, metres."""
    if path.suffix.lower() == ".dae":
        return np.concatenate(expect(path).points)
    if path.suffix.lower() == ".obj":
        return read_obj_points(path)
    mesh = trimesh.load(path, force="mesh", process=False, skip_materials=True)
    return np.asarray(mesh.vertices)[np.unique(mesh.faces)]


def read_obj_points(path: Path) -> np.ndarray:
    """trimesh wants an image library for these; places and faces are easily read."""
    lines = [line.split() for line in path.read_text("utf-8", "replace").splitlines()]
    places = np.array([words[1:4] for words in lines if words[:1] == ["v"]], float)
    corners = [corner for words in lines if words[:1] == ["f"] for corner in words[1:]]
    used = np.array([int(corner.split("/")[0]) for corner in corners])
    return places[np.unique(np.where(used > 0, used - 1, used))]


@pytest.mark.parametrize("path", cases)
def test_every_visual_is_where_it_must_be(path):
    new_scene()
    try:
        result = import_robot(path)
    except ReadError as error:
        assert "no links" in str(error)
        return
    bpy.context.view_layer.update()
    initial = {j.joint.name: j.initial for j in plan_rig(result.robot).joints if j.initial}
    frames = forward_kinematics(result.robot, initial)
    resolver = PackageResolver(path)
    compared = 0
    for link in result.robot.links:
        built = result.visuals[link.name]
        for visual, shape in zip(link.visuals, built, strict=True):
            if isinstance(visual.geometry, Mesh) and shape.type == "MESH":
                file = resolver.resolve_file(visual.geometry.filename, lambda *_: None)
                frame = frames[link.name] @ matrix_from_pose(visual.origin)
                assert_box(shape, read_points(file) * visual.geometry.scale, frame, file)
                compared += 1
            elif isinstance(visual.geometry, Mesh):
                assert_lost(resolver, visual.geometry, result)
    has_meshes = any(
        isinstance(v.geometry, Mesh) for link in result.robot.links for v in link.visuals
    )
    assert compared or not has_meshes or "romeo_laas_small" in path.stem


def assert_box(shape, points, frame, file):
    wanted = points @ frame[:3, :3].T + frame[:3, 3]
    numbers = np.empty(3 * len(shape.data.vertices), np.float32)
    shape.data.vertices.foreach_get("co", numbers)
    matrix = np.array(shape.matrix_world)
    shown = numbers.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    assert shown.min(axis=0) == pytest.approx(wanted.min(axis=0), abs=1e-4), file
    assert shown.max(axis=0) == pytest.approx(wanted.max(axis=0), abs=1e-4), file


def assert_lost(resolver, mesh, result):
    """A mesh that is an empty is not there, or not to be read from where it is said to be."""
    with pytest.raises(MeshError):
        resolver.resolve_file(mesh.filename, lambda *_: None)
    assert result.diagnostics
