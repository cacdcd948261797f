# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports that fit collision shapes on the way: read back from each format."""

from pathlib import Path

import numpy as np
import pytest

from support.surfaces import make_l, make_surface
from urdf_importer import (
    CollisionOptions,
    EngineOptions,
    ExportOptions,
    FileOptions,
    Robot,
    UrdfOptions,
    WebotsOptions,
    export_robot,
    fit_collisions,
    read_robot,
)
from urdf_importer.cli import main
from urdf_importer.core.geometry.triangles import Triangles
from urdf_importer.core.meshes.write import write_stl
from urdf_importer.core.model import Box, Mesh

URDF = """<robot name="parts"><link name="base"/>
<link name="angle"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
 iyz="0"/></inertial>
<visual><geometry><mesh filename="angle.stl"/></geometry></visual>
<collision><origin xyz="0 0 1"/><geometry><mesh filename="angle.stl"/></geometry></collision></link>
<link name="brick"><visual><geometry><mesh filename="brick.stl"/></geometry></visual></link>
<joint name="a" type="fixed"><parent link="base"/><child link="angle"/></joint>
<joint name="b" type="continuous"><axis xyz="0 0 1"/><parent link="angle"/><child link="brick"/>
</joint></robot>"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    brick = make_surface(Box(size=(0.3, 0.2, 0.1)))
    for name, (vertices, faces) in {"angle": make_l(), "brick": brick}.items():
        triangles = Triangles(vertices.astype(np.float32), faces.ravel().astype(np.int32))
        (folder / f"{name}.stl").write_bytes(write_stl(triangles))
    (folder / "parts.urdf").write_text(URDF)
    return folder / "parts.urdf"


def box_sizes(robot: Robot) -> list[float]:
    """The sides of the boxes around the collision shapes of a link."""
    (link,) = fit_collisions(robot, options=CollisionOptions(shape="box")).links.values()
    sizes = [each.geometry.size for each in link.collisions if isinstance(each.geometry, Box)]
    return sorted(side for size in sizes for side in size)


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".sdf"])
def test_descriptions_have_the_fitted_shapes(path: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"parts{suffix}"
    export_robot(read_robot(path), out, options=ExportOptions(fit_collisions="auto"))
    links = {link.name: link for link in read_robot(out).links}
    angle, brick = links["angle"].collisions, links["brick"].collisions
    assert [type(each.geometry) for each in angle] == [Mesh, Mesh]
    (box,) = brick
    assert isinstance(box.geometry, Box)
    assert sorted(box.geometry.size) == pytest.approx([0.1, 0.2, 0.3], abs=1e-4)
    wanted = fit_collisions(read_robot(path)).robot
    assert box_sizes(read_robot(out)) == pytest.approx(box_sizes(wanted), abs=1e-6)
    assert [each.origin.xyz for each in angle] == [(0.0, 0.0, 1.0)] * 2


@pytest.mark.parametrize(
    ("suffix", "options", "mark", "count"),
    [
        (".proto", WebotsOptions(fit_collisions="auto"), "boundingObject", 2),
        (".usda", EngineOptions(engine="isaac", fit_collisions="auto"), "PhysicsCollisionAPI", 3),
    ],
)
def test_formats_for_simulators_have_them(
    path: Path, tmp_path: Path, suffix: str, options: FileOptions, mark: str, count: int
) -> None:
    text = export_robot(
        read_robot(path), tmp_path / f"Parts{suffix}", options=options
    ).path.read_text()
    assert text.count(mark) == count
    assert text.count("IndexedFaceSet") in (0, 2) and ("Box {" in text or "Cube" in text)


def test_meshes_stay_without_the_option(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.urdf"
    export_robot(read_robot(path), out, options=UrdfOptions())
    assert [len(link.collisions) for link in read_robot(out).links] == [0, 1, 0]


def test_the_command_passes_it_on(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.xml"
    assert main(["export", str(path), "-o", str(out), "--fit-collisions", "box"]) == 0
    links = read_robot(out).links
    assert [type(each.geometry) for link in links for each in link.collisions] == [Box, Box]
