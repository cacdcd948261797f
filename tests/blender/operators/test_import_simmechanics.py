# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import > SimMechanics: both files beside it are offered; scripts must ask for them."""

import shutil
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from support.gates import gate
from support.paths import ROOT

SAMPLE = ROOT / "sample_urdfs" / "pumpjack"

pytestmark = pytest.mark.usefixtures("extension", "scene")


def the_robot() -> Any:
    (armature,) = (item for item in bpy.data.objects if item.type == "ARMATURE")
    return armature


def test_parameters_are_taken_when_they_are_asked_for() -> None:
    assert bpy.ops.import_scene.simmechanics(filepath=f"{SAMPLE}.xml") == {"FINISHED"}
    assert the_robot()["urdf_robot"]["name"] == "PUMPJACK"


def test_parameters_are_taken_by_their_paths() -> None:
    bpy.ops.import_scene.simmechanics(
        filepath=f"{SAMPLE}.xml", parameters=f"{SAMPLE}.yaml", joint_parameters=f"{SAMPLE}.csv"
    )
    assert the_robot()["urdf_robot"]["name"] == "pumpjack"
    assert "motor" in the_robot().data.bones


@pytest.mark.parametrize("operator", ["simmechanics", "urdf"])
def test_files_beside_it_are_taken_by_a_click(operator: str) -> None:
    run = getattr(bpy.ops.import_scene, operator)
    run(filepath=f"{SAMPLE}.xml", use_parameters=True, use_joint_parameters=True)
    robot = the_robot()["urdf_robot"]
    assert robot["name"] == "pumpjack" and len(robot["loops"]) == 1


def test_parameters_are_offered_for_their_own_format_only(
    tmp_path: Path, extension: ModuleType
) -> None:
    """Others refuse them."""
    choices = extension.operators.importing.import_choices
    for name in ("pumpjack", "hexapod"):
        for suffix in (".xml", ".yaml", ".csv"):
            source = SAMPLE if suffix != ".xml" else SAMPLE.with_name(name)
            shutil.copy(f"{source}{suffix}", tmp_path / f"{name}{suffix}")
        chosen = SimpleNamespace(filepath=str(tmp_path / f"{name}.xml"), directory="", files=())
        offered = set(choices.find_offers(chosen))
        assert offered == ({"parameters", "joint_parameters"} if name == "pumpjack" else set())


def test_an_offer_without_a_file_is_nothing(tmp_path: Path) -> None:
    path = tmp_path / "gate.xml"
    path.write_bytes(gate())
    bpy.ops.import_scene.simmechanics(filepath=str(path), use_parameters=True)
    assert the_robot()["urdf_robot"]["name"] == "GATE"


def test_a_bad_parameter_file_is_said_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "gate.xml"
    path.write_bytes(gate())
    (tmp_path / "gate.yaml").write_text("root: NOBODY\n")
    with pytest.raises(RuntimeError, match=r"gate.yaml:1: root: there is no link 'NOBODY'"):
        bpy.ops.import_scene.simmechanics(filepath=str(path), use_parameters=True)
    assert not [item for item in bpy.data.objects if item.type == "ARMATURE"]


def test_update_from_source_reads_them_again(tmp_path: Path) -> None:
    path = tmp_path / "gate.xml"
    path.write_bytes(gate())
    (tmp_path / "gate.yaml").write_text("robotName: door\n")
    bpy.ops.import_scene.simmechanics(filepath=str(path), use_parameters=True)
    (tmp_path / "gate.yaml").write_text("robotName: hatch\n")
    bpy.context.view_layer.objects.active = the_robot()
    assert bpy.ops.urdf.update() == {"FINISHED"}
    assert the_robot()["urdf_robot"]["name"] == "hatch"


def test_the_report_in_the_sidebar_lists_the_loops(extension: ModuleType) -> None:
    """And shows their links: a joint that closes a loop has no bone."""
    bpy.ops.import_scene.simmechanics(filepath=f"{SAMPLE}.xml")
    robot = the_robot()
    bpy.context.view_layer.objects.active = robot
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
    loops = {loop["name"]: {loop["link1"], loop["link2"]} for loop in robot["urdf_robot"]["loops"]}
    told = [item for item in table.diagnostics if item.code == "loop-joint"]
    assert [item.subject for item in told] == list(loops) == ["PITMAN--BEAM1"]
    place = table.diagnostics.index(told[0])
    assert bpy.ops.urdf.select_subject(index=place) == {"FINISHED"}
    assert {item["urdf_link"]["name"] for item in bpy.context.selected_objects} == {
        "PITMAN1",
        "BEAM1",
    }


def test_a_loop_whose_links_are_deleted_says_so() -> None:
    bpy.ops.import_scene.simmechanics(filepath=f"{SAMPLE}.xml")
    robot = the_robot()
    for name in ("PITMAN1", "BEAM1"):
        bpy.data.objects.remove(bpy.data.objects[name])
    bpy.context.view_layer.objects.active = robot
    messages = [item["code"] for item in robot["urdf_import"]["diagnostics"]]
    place = messages.index("loop-joint")
    assert bpy.ops.urdf.select_subject(index=place) == {"CANCELLED"}
