# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses and inertias from shapes; trimesh is the judge of closed meshes."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from support.real_robots import ROOT
from urdf_importer import ArgumentError, InertiaOptions, RobotError, compute_inertials, read_robot
from urdf_importer.cli import main
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.geometry.triangles import Triangles
from urdf_importer.core.geometry.volumes import tensor_of
from urdf_importer.core.meshes.write import write_stl
from urdf_importer.core.model import (
    Box,
    Collision,
    Cylinder,
    Inertial,
    Link,
    Mesh,
    Pose,
    Robot,
    Sphere,
    Visual,
)
from urdf_importer.features.build.inertials import weigh_mesh

TURNED = Pose(xyz=(0.1, 0.2, 0.3), rpy=(0.4, 0.5, 0.6))


def make(*shapes: Any, **more: Any) -> Robot:
    visuals = tuple(Visual(geometry=each, origin=TURNED) for each in shapes)
    return Robot(name="r", links=(Link(name="a", visuals=visuals, **more),))


def write_mesh(path: Path, mesh: Any) -> None:
    corners = np.arange(3 * len(mesh.faces)).astype(np.int32)
    triangles = Triangles(mesh.triangles.reshape(-1, 3).astype(np.float32), corners)
    path.write_bytes(write_stl(triangles))


def data_of(mesh: Any) -> MeshData:
    vertices = mesh.vertices.astype(np.float32)
    return MeshData(vertices=vertices, corners=mesh.faces.ravel().astype(np.int32))


def test_simple_shapes_are_exact() -> None:
    found = compute_inertials(make(Box(size=(1.0, 2.0, 3.0))), options=InertiaOptions(density=2.0))
    volume, center, kind = found.bodies["a"]
    assert volume == pytest.approx(6.0) and kind == "simple"
    np.testing.assert_allclose(center, TURNED.xyz)
    inertial = found.robot.links[0].inertial
    assert inertial is not None and inertial.mass == pytest.approx(12.0)
    assert inertial.origin.rpy == (0.0, 0.0, 0.0)
    moments = np.linalg.eigvalsh(tensor_of(inertial.inertia))
    np.testing.assert_allclose(moments, [5.0, 10.0, 13.0])


@pytest.mark.parametrize("seed", range(6))
def test_closed_meshes_are_as_trimesh_has_them(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    parts = [trimesh.creation.box(extents=rng.uniform(0.1, 1.0, 3)),
             trimesh.creation.icosphere(subdivisions=2, radius=0.3),
             trimesh.creation.annulus(0.2, 0.5, 0.3)]  # fmt: skip
    for part in parts:
        part.apply_transform(trimesh.transformations.random_rotation_matrix(rng.random(3)))
        part.apply_translation(rng.uniform(-3.0, 3.0, 3))
    mesh = trimesh.util.concatenate(parts)
    write_mesh(tmp_path / "m.stl", mesh)
    robot = replace(
        make(Mesh(filename="m.stl", scale=(1.0, -2.0, 0.5))), source=str(tmp_path / "r")
    )
    found = compute_inertials(robot, options=InertiaOptions(density=1.0))
    truth = trimesh.load(tmp_path / "m.stl")
    truth.apply_transform(np.diag([1.0, -2.0, 0.5, 1.0]))
    rotation = trimesh.transformations.euler_matrix(*TURNED.rpy)
    truth.apply_transform(rotation)
    truth.apply_translation(TURNED.xyz)
    assert truth.is_volume and found.bodies["a"][2] == "closed"
    inertial = found.robot.links[0].inertial
    assert inertial is not None and not found.diagnostics
    assert inertial.mass == pytest.approx(truth.volume, rel=1e-6)
    np.testing.assert_allclose(inertial.origin.xyz, truth.center_mass, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        tensor_of(inertial.inertia), truth.moment_inertia, rtol=1e-6, atol=1e-6
    )


def test_open_parts_are_weighed_as_hulls() -> None:
    box = trimesh.creation.box(extents=(1.0, 1.0, 1.0))
    half = trimesh.Trimesh(box.vertices, box.faces[:-1], process=False)
    both = trimesh.util.concatenate([half, box.copy().apply_translation((3.0, 0.0, 0.0))])
    kinds = [(round(body.volume, 6), kind) for body, kind in weigh_mesh(data_of(both))]
    assert sorted(kinds) == [(1.0, "closed"), (1.0, "hull")]


def test_repeated_and_flat_triangles_do_not_open_a_mesh() -> None:
    box = trimesh.creation.box(extents=(1.0, 1.0, 1.0))
    odd = [box.faces[0], box.faces[1], (0, 0, 1), (0, 1, 2), (2, 1, 0)]
    faces = np.concatenate([box.faces, np.array(odd)])
    found = list(weigh_mesh(data_of(trimesh.Trimesh(box.vertices, faces, process=False))))
    assert [(round(body.volume, 6), kind) for body, kind in found] == [(1.0, "closed")]


def test_options() -> None:
    robot = make(Sphere(radius=1.0), inertial=Inertial(mass=5.0))
    other = Link(name="b", collisions=(Collision(geometry=Cylinder(radius=1.0, length=2.0)),))
    bare = Link(name="c")
    robot = replace(robot, links=(*robot.links, other, bare))
    assert set(compute_inertials(robot).bodies) == {"b"}
    every = InertiaOptions(replace="all", mass=10.0)
    found = compute_inertials(robot, options=every)
    masses = [each.inertial.mass for each in found.robot.links if each.inertial]
    assert sum(m or 0.0 for m in masses) == pytest.approx(10.0)
    assert masses[0] / masses[1] == pytest.approx((4.0 / 3.0 * math.pi) / (2.0 * math.pi))  # type: ignore[operator]
    visuals = InertiaOptions(replace="all", source="visuals", links=("b",))
    assert compute_inertials(robot, options=visuals).bodies == {}
    with pytest.raises(RobotError, match="no link 'hnad'"):
        compute_inertials(robot, options=InertiaOptions(links=("hnad",)))
    with pytest.raises(ArgumentError, match="the shapes have no volume"):
        compute_inertials(robot, options=InertiaOptions(mass=1.0, links=("c",)))
    for wrong in (0.0, -1.0, math.nan, 1e7):
        with pytest.raises(ArgumentError, match="density"):
            InertiaOptions(density=wrong)


def test_open_meshes_of_robots_are_reported() -> None:
    robot = read_robot(ROOT / "panda_description" / "urdf" / "panda.urdf")
    diagnostics = Diagnostics()
    found = compute_inertials(robot, options=InertiaOptions(replace="all"), diagnostics=diagnostics)
    assert {each.code for each in diagnostics} == {"open-mesh"}
    hulls = {each.subject for each in diagnostics}
    assert {name for name, body in found.bodies.items() if body[2] == "hull"} == hulls


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "a.urdf", tmp_path / "b.urdf"
    source.write_text(
        '<robot name="r"><link name="a"><visual><geometry><box size="1 1 1"/></geometry></visual>'
        "</link></robot>"
    )
    assert main(["inertials", str(source), "-o", str(out), "--density", "2", "--json", "-"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert '"mass": 2.0' in json.dumps(report)
    inertial = read_robot(out).links[0].inertial
    assert inertial is not None and inertial.mass == 2.0
    assert main(["check", "--complete", str(source)]) == 1
    assert "missing-collision" in capsys.readouterr().out
