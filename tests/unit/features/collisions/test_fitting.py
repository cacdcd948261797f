# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision shapes fitted around meshes, and written in each format."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.surfaces import make_l, make_ring, make_surface
from urdf_importer import (
    ArgumentError,
    CollisionOptions,
    Diagnostics,
    EngineOptions,
    FittedCollisions,
    KinematicsError,
    Robot,
    export_robot,
    fit_collisions,
    read_robot,
)
from urdf_importer.cli import main
from urdf_importer.core.geometry.triangles import Triangles
from urdf_importer.core.meshes.write import write_stl
from urdf_importer.core.model import Box, Capsule, Cylinder, Polyhedron, Sphere

SHAPES = {
    "ring": make_ring(radius=0.1, width=0.02),
    "angle": make_l(),
    "brick": make_surface(Box(size=(0.3, 0.2, 0.1))),
    "ball": make_surface(Sphere(radius=0.1)),
    "rod": make_surface(Capsule(radius=0.05, length=0.4)),
    "flat": (np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)]), np.array([(0, 1, 2)])),
}
URDF = """<robot name="parts">
<link name="base"><collision name="kept"><geometry><box size="1 1 1"/></geometry></collision></link>
{}
</robot>"""
LINK = """<link name="{0}"><visual><origin xyz="0 0 1" rpy="0.3 0 0"/>
<geometry><mesh filename="{0}.stl"/></geometry></visual></link>
<joint name="to_{0}" type="fixed"><origin xyz="{1} 0 0"/>
<parent link="base"/><child link="{0}"/></joint>"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    for name, (vertices, faces) in SHAPES.items():
        triangles = Triangles(vertices.astype(np.float32), faces.ravel().astype(np.int32))
        (folder / f"{name}.stl").write_bytes(write_stl(triangles))
    path = folder / "parts.urdf"
    path.write_text(
        URDF.format("\n".join(LINK.format(name, 3 * number) for number, name in enumerate(SHAPES)))
    )
    return path


@pytest.fixture(scope="module")
def robot(path: Path) -> Robot:
    return read_robot(path)


@pytest.fixture(scope="module")
def fitted(robot: Robot) -> FittedCollisions:
    return fit_collisions(robot)


def kinds_of(found: FittedCollisions, link: str) -> set[type]:
    return {type(each.geometry) for each in found.links[link].collisions}


def test_each_link_gets_shapes_that_fit(fitted: FittedCollisions) -> None:
    kinds = {"ring": Polyhedron, "angle": Polyhedron, "brick": Box, "ball": Sphere, "flat": Box}
    for link, kind in kinds.items():
        assert kinds_of(fitted, link) == {kind}, link
    assert kinds_of(fitted, "rod") == {Capsule}
    assert fitted.robot.version == "1.1"
    assert "base" not in fitted.links
    assert len(fitted.links["angle"].collisions) == 2
    assert 4 <= len(fitted.links["ring"].collisions) <= 16
    assert max(each.miss for each in fitted.links.values()) < 1e-6
    assert fitted.links["ring"].volume_ratio < 0.6
    assert fitted.links["brick"].volume_ratio == pytest.approx(1.0, abs=1e-4)
    # No more than 2 % larger than the bodies that the meshes were made of.
    ball, rod = (fitted.links[name].collisions[0].geometry for name in ("ball", "rod"))
    assert isinstance(ball, Sphere) and ball.radius**3 <= 1.02 * 0.1**3
    assert isinstance(rod, Capsule)
    volumes = [r**2 * (length + 4 / 3 * r) for r, length in ((rod.radius, rod.length), (0.05, 0.4))]
    assert volumes[0] <= 1.02 * volumes[1]


@pytest.mark.parametrize(
    ("shape", "kind"),
    [("box", Box), ("cylinder", Cylinder), ("sphere", Sphere), ("hull", Polyhedron)],
)
def test_a_wanted_shape_contains_its_mesh(robot: Robot, shape: str, kind: type) -> None:
    options = CollisionOptions(shape=shape, links=("angle", "rod"))  # type: ignore[arg-type]
    found = fit_collisions(robot, options=options)
    assert set(found.links) == {"angle", "rod"}
    assert kinds_of(found, "angle") == kinds_of(found, "rod") == {kind}
    assert all(each.miss < 1e-6 for each in found.links.values())


def test_only_links_without_shapes_are_fitted_where_these_are_wanted(
    fitted: FittedCollisions,
) -> None:
    options = CollisionOptions(replace="missing", shape="box")
    assert fit_collisions(fitted.robot, options=options).links == {}


def test_a_link_that_is_not_there_is_refused(robot: Robot) -> None:
    with pytest.raises(KinematicsError, match="elbow"):
        fit_collisions(robot, options=CollisionOptions(links=("elbow",)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"shape": "ball"}, {"parts": 0}, {"parts": 1.5}, {"parts": 10**9}, {"triangles": 3},
        {"seconds": -1.0}, {"seconds": float("nan")}, {"seconds": 1e4}, {"tolerance": float("inf")},
        {"source": "meshes"}, {"replace": "some"}, {"decomposer": "other"}, {"links": 3},
    ],
)  # fmt: skip
def test_wrong_options_are_one_sentence(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(ArgumentError, match=f"^{name} is .*; it must be [^\n]*$"):
        CollisionOptions(**wrong)


@pytest.mark.parametrize("wrong", [None, 3, "robot.urdf"])
def test_what_is_no_robot_is_refused(wrong: Any) -> None:
    with pytest.raises(ArgumentError, match="a robot in Blender is given by its armature"):
        fit_collisions(wrong)


def test_the_text_of_a_urdf_keeps_all_else(fitted: FittedCollisions, tmp_path: Path) -> None:
    export_robot(fitted.robot, tmp_path / "out.urdf")
    again = read_robot(tmp_path / "out.urdf")
    assert again.version == "1.1"
    assert [len(link.collisions) for link in again.links] == [
        len(link.collisions) for link in fitted.robot.links
    ]
    assert again.links[0] == fitted.robot.links[0]
    found = fit_collisions(again, options=CollisionOptions(shape="hull", links=("ring",)))
    assert found.links["ring"].volume_ratio == pytest.approx(1.0, abs=1e-3)
    assert found.links["ring"].miss < 1e-6


def test_a_ball_falls_through_the_parts_of_a_ring(
    fitted: FittedCollisions, robot: Robot, tmp_path: Path
) -> None:
    mujoco = pytest.importorskip("mujoco")
    heights = {}
    hull = fit_collisions(robot, options=CollisionOptions(shape="hull", links=("ring",)))
    for name, found in (("parts", fitted), ("hull", hull)):
        path = tmp_path / f"{name}.xml"
        export_robot(found.robot, path)
        spec = mujoco.MjSpec.from_file(str(path))
        ball = spec.worldbody.add_body(name="falling", pos=[0.0, 0.0, 1.4])
        ball.add_freejoint()
        ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.02, 0, 0])
        ball.mass, ball.inertia, ball.explicitinertial = 0.1, [1e-4] * 3, True
        model = spec.compile()
        data = mujoco.MjData(model)
        while data.time < 0.4:
            mujoco.mj_step(model, data)
        heights[name] = float(data.body("falling").xpos[2])
    assert heights["parts"] < 0.9 < heights["hull"]


COACD = """
import time
class Mesh:
    def __init__(self, vertices, faces):
        self.vertices, self.faces = vertices, faces
def set_log_level(level): pass
def run_coacd(mesh, max_convex_hull, seed):
    time.sleep({seconds})
    return [(mesh.vertices, mesh.faces)]
"""
"""The interface of the library: one part, after a time."""


@pytest.mark.parametrize(("seconds", "parts"), [(0, 1), (600, 2)])
def test_a_decomposer_that_takes_too_long_is_stopped(
    robot: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int, parts: int
) -> None:
    (tmp_path / "coacd.py").write_text(COACD.format(seconds=seconds))
    monkeypatch.syspath_prepend(str(tmp_path))
    options = CollisionOptions(
        decomposer="coacd", shape="decomposed", seconds=3.0, links=("angle",), cache=False
    )
    found = fit_collisions(robot, options=options)
    assert len(found.links["angle"].collisions) == parts
    assert found.links["angle"].miss < 1e-6
    assert [each.code for each in found.diagnostics] == ["coacd-gave-up"] * (seconds > 0)


def test_a_decomposer_that_is_not_there_is_refused(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(ArgumentError, match=r"urdf-importer\[decomposition\]"):
        fit_collisions(robot, options=CollisionOptions(decomposer="coacd"))


@pytest.mark.parametrize("suffix", [".usda", ".proto", ".xml"])
def test_other_formats_take_the_shapes(
    fitted: FittedCollisions, tmp_path: Path, suffix: str
) -> None:
    diagnostics = Diagnostics()
    options = EngineOptions(engine="isaac") if suffix == ".usda" else None
    written = export_robot(
        fitted.robot, tmp_path / f"Parts{suffix}", options=options, diagnostics=diagnostics
    )
    text = written.path.read_text()
    count = sum(len(each.collisions) for each in fitted.links.values())
    marks = {".usda": '"PhysicsCollisionAPI"', ".xml": 'class="collision"'}
    if suffix in marks:
        assert text.count(marks[suffix]) >= count


def test_the_command_writes_a_table_and_the_robot(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.urdf"
    arguments = ["collisions", str(path), "-o", str(out), "--shape", "hull", "--link", "ring"]
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["link", "shapes", "triangles"]
    assert lines[1].split()[:2] == ["ring", "1"]
    assert len(read_robot(out).links[1].collisions) == 1
    assert len(list((tmp_path / "meshes").rglob("*.stl"))) == 1


def test_a_format_that_is_not_written_is_refused_before_any_fitting(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["collisions", str(path), "-o", str(tmp_path / "out.txt")])
    said = capsys.readouterr()
    assert stopped.value.code == 2
    assert not said.out and "must end in" in said.err


def test_a_budget_makes_the_largest_hulls_coarser(fitted: FittedCollisions, robot: Robot) -> None:
    before = {name: link.triangles for name, link in fitted.links.items()}
    budget = sum(before.values()) // 2
    spared = fit_collisions(robot, options=CollisionOptions(budget=budget))
    after = {name: link.triangles for name, link in spared.links.items()}
    assert budget // 2 < sum(after.values()) <= budget
    assert after["angle"] == before["angle"]
    assert max(each.miss for each in spared.links.values()) < 1e-6
    ring, other = spared.links["ring"], fitted.links["ring"]
    assert len(ring.collisions) == len(other.collisions)
    assert ring.volume_ratio > other.volume_ratio
    boxes = fit_collisions(robot, options=CollisionOptions(budget=20))
    assert sum(link.triangles for link in boxes.links.values()) <= 20
    assert kinds_of(boxes, "ring") == {Box}


def test_kept_shapes_are_the_same_shapes(
    robot: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(
        "urdf_importer.core.geometry.array_cache.find_folder", lambda: tmp_path / "kept"
    )
    without = fit_collisions(robot, options=CollisionOptions(cache=False))
    assert not (tmp_path / "kept").exists()
    first = fit_collisions(robot)
    assert len(list((tmp_path / "kept").iterdir())) == len(SHAPES)
    monkeypatch.setattr("urdf_importer.features.collisions.fitted_robot.fit_bodies", None)
    assert fit_collisions(robot).links == first.links == without.links


def test_only_parts_that_miss_more_than_the_tolerance_are_pushed_out(
    robot: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = COACD.format(seconds=0).replace("(mesh.vertices, ", "(mesh.vertices * 0.995, ")
    (tmp_path / "coacd.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    wanted = {"decomposer": "coacd", "shape": "decomposed", "links": ("angle",), "cache": False}
    found = [
        fit_collisions(robot, options=CollisionOptions(tolerance=each, **wanted)).links["angle"]
        for each in (0.1, 0.0)
    ]
    assert 1e-4 < found[0].miss < 0.1
    assert found[1].miss < 1e-6
