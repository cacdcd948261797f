# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that an import decimated are written so by every format that writes mesh files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import urdf_importer
from urdf_importer import Diagnostics, ImportOptions, SdfOptions, UrdfOptions, export_robot
from urdf_importer.cli import main
from urdf_importer.core.geometry.primitives import make_sphere
from urdf_importer.core.geometry.triangles import Triangles, make_triangles
from urdf_importer.core.meshes.write import write_stl

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    data = make_triangles(make_sphere(0.1))[0]
    (tmp_path / "ball.stl").write_bytes(write_stl(Triangles(data.vertices, data.corners)))
    mesh = '<geometry><mesh filename="ball.stl"/></geometry>'
    shapes = f"<visual>{mesh}</visual><collision>{mesh}</collision>"
    path = tmp_path / "ball.urdf"
    path.write_text(f'<robot name="b"><link name="a">{MASS}</inertial>{shapes}</link></robot>')
    return path


def count(path: Path) -> int:
    """The most triangles of a mesh file below a folder."""
    counts = []
    for file in path.rglob("*"):
        if file.suffix == ".stl":
            counts.append(int(np.frombuffer(file.read_bytes()[80:84], "<u4")[0]))
        if file.suffix == ".obj":
            counts.append(sum(line.startswith("f ") for line in file.read_text().splitlines()))
    return max(counts)


WRITTEN: dict[str, Any] = {
    "b.sdf": SdfOptions(),
    "b.urdf": UrdfOptions(meshes="copy"),
    "c.urdf": UrdfOptions(meshes="export"),
    "d.urdf": UrdfOptions(ros_package="ball"),
    "b.xml": None,
}


@pytest.mark.parametrize("name", WRITTEN)
def test_files_have_as_few_triangles_as_the_scene(name: str, robot: Path, tmp_path: Path) -> None:
    urdf_importer.new_file()
    full = count(tmp_path)
    rig = urdf_importer.import_robot(robot, options=ImportOptions(most_triangles=100))
    found, target = Diagnostics(), tmp_path / "out"
    export_robot(rig.armature, target / name, options=WRITTEN[name], diagnostics=found)
    assert full > 500 and count(target) <= 110


def test_links_to_files_and_meshes_that_were_not_decimated_stay(
    robot: Path, tmp_path: Path
) -> None:
    urdf_importer.new_file()
    rig = urdf_importer.import_robot(robot, options=ImportOptions(most_triangles=100))
    export_robot(rig.armature, tmp_path / "linked.urdf")
    assert (tmp_path / "linked.urdf").read_text() == robot.read_text()
    urdf_importer.new_file()
    rig = urdf_importer.import_robot(robot, options=ImportOptions(most_triangles=100_000))
    target = tmp_path / "out"
    export_robot(rig.armature, target / "b.urdf", options=UrdfOptions(meshes="copy"))
    assert count(target) > 500


def test_convert_takes_them_too(robot: Path, tmp_path: Path) -> None:
    blend, target = tmp_path / "b.blend", tmp_path / "out" / "b.urdf"
    assert main(["import", str(robot), "-o", str(blend), "--most-triangles", "100"]) == 0
    target.parent.mkdir()
    assert main(["convert", str(blend), "-o", str(target), "--meshes", "copy"]) == 0
    assert count(target.parent) <= 110
