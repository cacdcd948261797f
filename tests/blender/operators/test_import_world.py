# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import > Robot, and the command, for whole worlds."""

import json
from importlib import import_module
from pathlib import Path

import bpy
import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer.cli import main

pytestmark = pytest.mark.usefixtures("scene", "extension")
EXTENSION = "bl_ext.user_default.urdf_importer"

BOX = "<geometry><box><size>1 1 1</size></box></geometry>"
LAB = f"""<sdf version="1.9"><world name="lab">
<light name="sun" type="directional"><pose>0 0 9 0 0 0</pose></light>
<model name="door"><pose>3 0 1 0 0 0</pose><link name="a"/><link name="b"/>
<joint name="hinge" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>
</joint></model>
<model name="crate"><static>1</static><pose>0 2 0.5 0 0 0</pose><link name="l">
<visual name="v">{BOX}</visual></link></model></world></sdf>"""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    path = tmp_path / "lab.world"
    path.write_text(LAB)
    return path


def test_a_whole_world_stays_at_its_places(lab: Path) -> None:
    assert bpy.ops.import_scene.sdf(filepath=str(lab), whole_world=True) == {"FINISHED"}
    door, crate = bpy.data.objects["door"], bpy.data.objects["crate"]
    assert tuple(door.location) == (3.0, 0.0, 1.0) and tuple(crate.location) == (0.0, 2.0, 0.5)
    assert bpy.data.objects["sun"].data.type == "SUN"
    assert door.select_get()


def test_without_it_one_model_is_chosen(lab: Path) -> None:
    with pytest.raises(RuntimeError, match="or import the whole world"):
        bpy.ops.import_scene.sdf(filepath=str(lab))
    assert bpy.ops.import_scene.sdf(filepath=str(lab), model="door") == {"FINISHED"}
    assert "crate" not in bpy.data.objects


def test_a_robot_of_urdf_is_no_world() -> None:
    path = ROOT / "sample_urdfs" / "two_link_arm.urdf"
    with pytest.raises(RuntimeError, match="describes one robot; worlds are SDF or MuJoCo"):
        bpy.ops.import_scene.urdf(filepath=str(path), whole_world=True)


def test_the_command_takes_worlds_in_and_out(
    lab: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(lab.parent)
    assert main(["import", "lab.world", "-o", "lab.blend", "--world", "--json", "lab.json"]) == 0
    assert "lab: 1 robot, 1 object, 1 light; wrote lab.blend" in capsys.readouterr().err
    facts = json.loads(Path("lab.json").read_text())
    assert (facts["robots"], facts["objects"], facts["links"]) == (["door"], ["crate"], 2)
    for name in ("out.sdf", "out.world", "out.xml", "out.wbt"):
        assert main(["export", "lab.blend", "-o", name, "--world", "--quiet"]) == 0
        assert Path(name).is_file()
    crate = bpy.data.objects["crate"]
    assert np.allclose(crate.matrix_world.translation, (0.0, 2.0, 0.5))


def test_the_command_takes_several_models_for_a_world(
    lab: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blend = str(lab.with_suffix(".blend"))
    assert main(["import", str(lab), "-o", blend]) == 0
    assert "lab: 1 robot, 1 object, 1 light" in capsys.readouterr().err
    assert main(["import", str(lab), "-o", blend, "--model", "crate"]) == 0
    assert "crate: 1 link" in capsys.readouterr().err
    assert main(["import", str(lab), "-o", blend, "--preview", str(lab.with_suffix(".png"))]) == 1
    assert "or import the whole world" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["hall.wbt", "Arm.proto"])
def test_files_of_webots_name_what_converts_them(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("#VRML_SIM R2023b utf8\nWorldInfo {}\n")
    with pytest.raises(RuntimeError, match=r"webots convert FILE\.proto FILE\.urdf"):
        bpy.ops.import_scene.urdf(filepath=str(path))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["import", "lab.world", "-o", "a.blend", "--world", "--model", "door"], "about one robot"),
        (["import", "lab.world", "-o", "a.blend", "--world", "--preview", "a.png"], "about one"),
        (["export", "lab.world", "-o", "a.sdf", "--world"], "takes one .blend"),
        (["export", "lab.blend", "-o", "a.urdf", "--world"], "must end in .wbt, .sdf"),
        (["export", "lab.blend", "-o", "a.sdf", "--world", "--robot", "door"], "about one robot"),
    ],
)
def test_the_command_refuses_senseless_worlds(
    lab: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert says in capsys.readouterr().err.replace("\n", " ")


STREET = """<sdf version="1.9"><world name="street"><light name="sun" type="directional"/>
<include><uri>model://kerb</uri></include><include><uri>model://post</uri></include>
</world></sdf>"""


@pytest.fixture
def street(tmp_path: Path) -> Path:
    path = tmp_path / "street" / "street.world"
    path.parent.mkdir()
    path.write_text(STREET)
    return path


def test_a_world_without_robots_has_a_report(street: Path) -> None:
    """Two models were not found: one sentence for both, which can be copied, until the world is
    taken away."""
    assert bpy.ops.import_scene.sdf(filepath=str(street), whole_world=True) == {"FINISHED"}
    reports = import_module(f"{EXTENSION}.operators.reports")
    report = reports.recall_world_report()
    (group,) = report.groups
    assert group.title == f"{report.diagnostics[0].message} (1 more like it)"
    assert "'kerb'" in group.title and "Sdf include" not in group.title
    panel = bpy.types.VIEW3D_PT_urdf_world_report
    assert panel.poll(bpy.context) and bpy.ops.urdf.copy_report.poll()
    assert bpy.ops.urdf.copy_report() == {"FINISHED"}
    bpy.data.collections.remove(bpy.data.collections["street"])
    assert reports.recall_world_report() is None
    assert not panel.poll(bpy.context) and not bpy.ops.urdf.copy_report.poll()


def test_robots_show_the_report_of_the_world_that_they_came_with(lab: Path) -> None:
    lab.write_text(LAB.replace("</world>", "<include><uri>model://kerb</uri></include></world>"))
    assert bpy.ops.import_scene.sdf(filepath=str(lab), whole_world=True) == {"FINISHED"}
    reports = import_module(f"{EXTENSION}.operators.reports")
    (message,) = reports.recall_world_report(bpy.data.objects["door"]).diagnostics
    assert message.code == "sdf-include"
    path = ROOT / "sample_urdfs" / "two_link_arm.urdf"
    assert bpy.ops.import_scene.urdf(filepath=str(path)) == {"FINISHED"}
    assert reports.recall_world_report(bpy.data.objects["two_link_arm"]) is None
    assert not bpy.types.VIEW3D_PT_urdf_world_report.poll(bpy.context)
