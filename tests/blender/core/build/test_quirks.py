# SPDX-License-Identifier: GPL-3.0-or-later
"""Every quirk file in Blender: it comes in, with warnings or not, or is refused in a sentence."""

import json

import bpy
import pytest

from support.blender.rigs import new_scene
from support.paths import TESTS
from urdf_importer import ImportOptions, RobotError, extract_robot, import_robot

ROOT = TESTS / "data" / "quirks"
EXPECTED = json.loads((ROOT / "expectation.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def scene():
    new_scene()


@pytest.mark.parametrize("quirk", sorted(EXPECTED))
def test_quirk(quirk):
    row = EXPECTED[quirk]
    expected = row["expect"].split("|")
    path = ROOT / row["file"]
    try:
        result = import_robot(path)
    except RobotError as error:
        assert "error" in expected, error
        assert path.name in str(error) and "\n" not in str(error)
        assert len(bpy.data.objects) == 0 and len(bpy.data.collections) == 0
        return
    assert "import" in expected or ("warn" in expected and result.diagnostics)
    assert all(item.message for item in result.diagnostics)
    assert set(result.links) >= {link.name for link in result.robot.links}
    if "joints" in row:
        assert len(result.robot.joints) == row["joints"]
    if "visuals" in row:
        assert len(result.visuals[row["link"]]) == row["visuals"]
    if "z" in row:
        bpy.context.view_layer.update()
        assert result.links[row["link"]].matrix_world.translation.z == pytest.approx(row["z"])


BOXES = [name for name, row in EXPECTED.items() if "box" in row]


@pytest.mark.parametrize("quirk", BOXES)
def test_mesh_has_the_size_that_rviz_shows(quirk):
    result = import_robot(ROOT / EXPECTED[quirk]["file"])
    shapes = [shape for shapes in result.visuals.values() for shape in shapes]
    bpy.context.view_layer.update()
    sizes = [tuple(shape.dimensions) for shape in shapes if shape.type == "MESH"]
    assert any(size == pytest.approx(EXPECTED[quirk]["box"], rel=1e-5) for size in sizes), sizes


@pytest.mark.parametrize("mesh", ["zero.stl", "lines.dae", "empty.obj"])
def test_a_mesh_without_faces_is_an_empty_mesh(mesh, tmp_path):
    (tmp_path / "empty.obj").write_text("# nothing\n")
    path = tmp_path / mesh
    if not path.exists():
        path.write_bytes((ROOT / "q_pkg/meshes" / mesh).read_bytes())
    shape = f'<geometry><mesh filename="{mesh}"/></geometry>'
    shapes = f"<visual>{shape}</visual><collision>{shape}</collision>"
    urdf = tmp_path / "r.urdf"
    urdf.write_text(f'<robot name="r"><link name="a">{shapes}</link></robot>')
    for options in (ImportOptions(), ImportOptions(fit_collisions="hull", most_triangles=10)):
        result = import_robot(urdf, options=options)
        assert result.links["a"]
        assert extract_robot(result.armature).links == result.robot.links
