# SPDX-License-Identifier: GPL-3.0-or-later
"""Where every visual of every real robot is in the world, how many faces it has
and which images lie on it.

The truth: forward kinematics, the visual's origin and scale, and the points of the mesh file as an
independent reader gives them (trimesh for STL; for COLLADA, whose unit trimesh ignores, and OBJ
straight from the file). Robots of example-robot-data and the descriptions of rtb-data.
"""

import re
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import bpy
import numpy as np
import pytest
import trimesh

from support.blender.rigs import new_scene
from support.collada_truth import expect
from support.real_robots import descriptions, name_of
from urdf_importer import ReadError, forward_kinematics, import_robot, plan_rig
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.model import Mesh

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


@dataclass(frozen=True)
class Truth:
    """Of one mesh file: (N, 3) points that faces use, in the file's frame, metres; how many faces
    have a surface; the images that lie on it."""

    points: np.ndarray
    faces: int
    images: frozenset[Path]


@cache
def read_truth(path: Path) -> Truth:
    if path.suffix.lower() == ".dae":
        expected = expect(path)
        images = frozenset((path.parent / name).resolve() for name in expected.images)
        return Truth(np.concatenate(expected.points), expected.faces, images)
    if path.suffix.lower() == ".obj":
        return read_obj_truth(path)
    mesh = trimesh.load(path, force="mesh", process=False, skip_materials=True)
    corners = np.asarray(mesh.vertices)[mesh.faces] + 0.0
    differ = [(corners[:, i] != corners[:, i - 1]).any(axis=1) for i in range(3)]
    points = np.asarray(mesh.vertices)[np.unique(mesh.faces)]
    return Truth(points, int(np.logical_and.reduce(differ).sum()), frozenset())


def read_obj_truth(path: Path) -> Truth:
    """trimesh wants an image library for these; places and faces are easily read."""
    lines = [line.split() for line in path.read_text("utf-8", "replace").splitlines()]
    places = np.array([words[1:4] for words in lines if words[:1] == ["v"]], float)
    faces = [words[1:] for words in lines if words[:1] == ["f"]]
    used = np.array([int(corner.split("/")[0]) for face in faces for corner in face])
    libraries = [path.parent / words[1] for words in lines if words[:1] == ["mtllib"]]
    materials = "".join(each.read_text("utf-8", "replace") for each in libraries if each.exists())
    images = {
        (path.parent / name).resolve() for name in re.findall(r"^map_Kd (.+?)\s*$", materials, re.M)
    }
    points = places[np.unique(np.where(used > 0, used - 1, used))]
    return Truth(points, len(faces), frozenset(each for each in images if each.exists()))


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
    images: set[Path] = set()
    for link in result.robot.links:
        built = result.visuals[link.name]
        for visual, shape in zip(link.visuals, built, strict=True):
            if isinstance(visual.geometry, Mesh) and shape.type == "MESH":
                file = resolver.resolve_file(visual.geometry.filename, lambda *_: None)
                frame = frames[link.name] @ matrix_from_pose(visual.origin)
                truth = read_truth(file)
                images |= truth.images
                assert_box(shape, truth.points * visual.geometry.scale, frame, file)
                assert len(shape.data.polygons) == truth.faces, file
                compared += 1
            elif isinstance(visual.geometry, Mesh):
                assert_lost(resolver, visual.geometry, result)
    has_meshes = any(
        isinstance(v.geometry, Mesh) for link in result.robot.links for v in link.visuals
    )
    assert {Path(each.filepath).resolve() for each in bpy.data.images} == images
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
