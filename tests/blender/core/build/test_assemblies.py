# SPDX-License-Identifier: GPL-3.0-or-later
"""CAD assemblies as rigs: the sample exactly, re-opened too, with its loop, and updated from all
three of its files."""

import shutil
from pathlib import Path

import bpy
import numpy as np
import pytest

from support.assembly_text import CadBody, CadFrame, CadJoint, first_generation
from support.blender.rigs import new_scene, shown_frames
from support.gates import gate, gate_bodies, gate_joints
from support.paths import ROOT
from urdf_importer import (
    ImportOptions,
    close_loops,
    compare_with_source,
    export_robot,
    extract_robot,
    find_robots,
    forward_kinematics,
    import_robot,
    open_blend,
    read_robot,
    save_blend,
    set_joint_positions,
    update_robot,
)

SAMPLE = ROOT / "sample_urdfs" / "pumpjack"
OPTIONS = ImportOptions(
    parameters=f"{SAMPLE}.yaml", joint_parameters=f"{SAMPLE}.csv", collisions=False
)
POSITIONS = {"motor": 2.5, "hanger_1": 0.4, "hanger_2": -0.5}


@pytest.fixture(autouse=True)
def scene() -> None:
    new_scene()


def assert_links_stand(armature: object, robot: object, positions: dict[str, float]) -> None:
    set_joint_positions(armature, positions)
    bpy.context.view_layer.update()
    wanted = forward_kinematics(robot, positions)  # type: ignore[arg-type]
    links = {item["urdf_link"]["name"]: item for item in armature.children  # type: ignore[attr-defined]
             if "urdf_link" in item}  # fmt: skip
    shown = shown_frames(links)
    assert set(shown) == set(wanted)
    for name, frame in wanted.items():
        np.testing.assert_allclose(shown[name], frame, atol=3e-5)


def test_the_sample_is_exact_also_when_it_is_opened_again(tmp_path: Path) -> None:
    result = import_robot(f"{SAMPLE}.xml", options=OPTIONS)
    assert [item.code for item in result.diagnostics] == ["loop-joint"]
    assert extract_robot(result.armature) == result.robot
    assert result.bones["hanger_1"] == result.bones["hanger_2"] == "hanger_1>hanger_2"
    closed = dict(close_loops(result.robot, POSITIONS).positions)
    assert_links_stand(result.armature, result.robot, closed)
    save_blend(tmp_path / "pump.blend")
    open_blend(tmp_path / "pump.blend")
    (armature,) = find_robots().values()
    again = extract_robot(armature)
    assert again == result.robot
    assert [loop.name for loop in again.loops] == ["tail_pin"]
    assert_links_stand(armature, again, closed)


def test_loops_whose_links_are_deleted_go_with_them() -> None:
    result = import_robot(f"{SAMPLE}.xml", options=OPTIONS)
    bpy.data.objects.remove(result.links["pitman"])
    assert extract_robot(result.armature).loops == ()


@pytest.mark.parametrize(
    "primitives",
    [
        [("spherical",)],
        [("prismatic", (1, 0, 0)), ("prismatic", (0, 1, 0)), ("revolute", (0, 0, 1))],
        [("prismatic", (0, 0, 1)), ("revolute", (0, 0, 1))],
        [("revolute", (1, 0, 0)), ("revolute", (0, 1, 0)), ("revolute", (0, 0, 1))],
    ],
)
def test_joints_of_all_kinds_come_back(tmp_path: Path, primitives: list[tuple[object]]) -> None:
    joints = gate_joints()
    joints[0].primitives = primitives
    path = tmp_path / "gate.xml"
    path.write_bytes(first_generation(gate_bodies(), joints))
    result = import_robot(path, options=ImportOptions(visuals=False, collisions=False))
    assert extract_robot(result.armature) == result.robot


def test_an_update_reads_all_three_files_again(tmp_path: Path) -> None:
    for suffix in (".xml", ".yaml", ".csv"):
        shutil.copy(SAMPLE.with_suffix(suffix), tmp_path / f"p{suffix}")
    options = ImportOptions(
        parameters=str(tmp_path / "p.yaml"), joint_parameters=str(tmp_path / "p.csv"),
        visuals=False, collisions=False,
    )  # fmt: skip
    armature = import_robot(tmp_path / "p.xml", options=options).armature
    assert compare_with_source(armature) == ()
    table = tmp_path / "p.csv"
    table.write_text(table.read_text().replace("saddle,-25,25", "saddle,-10,10"))
    text = (tmp_path / "p.yaml").read_text()
    (tmp_path / "p.yaml").write_text(text.replace("[motor]", "[]") + "tree: stiff\n")
    changes = [str(change) for change in compare_with_source(armature)]
    assert any("saddle" in change and "limit" in change for change in changes)
    assert any("motor" in change and "axis" in change for change in changes)
    result = update_robot(armature)
    assert extract_robot(result.armature) == result.robot == read_robot(
        tmp_path / "p.xml", options=options
    )  # fmt: skip


def test_relative_parameter_files_are_remembered_absolutely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gate.xml").write_bytes(gate())
    (tmp_path / "gate.yaml").write_text("robotName: door\n")
    monkeypatch.chdir(tmp_path)
    armature = import_robot("gate.xml", options=ImportOptions(parameters="gate.yaml")).armature
    monkeypatch.chdir("/")
    assert compare_with_source(armature) == ()


def test_a_body_without_mesh_and_a_loop_reach_webots(tmp_path: Path) -> None:
    bodies = gate_bodies()
    for body in bodies:
        body.geometry = ""
    bodies[0].frames.append(CadFrame(name="CS9", ref=20))
    bodies[2].frames.append(CadFrame(name="CS9", ref=21))
    bodies.append(CadBody(name="LAMP", geometry=""))
    joints = [*gate_joints(), CadJoint(name="BACK", base=20, follower=21)]
    path = tmp_path / "gate.xml"
    path.write_bytes(first_generation(bodies, joints))
    written = export_robot(read_robot(path), tmp_path / "Gate.proto")
    assert "WING1" in Path(written.path).read_text()


@pytest.mark.parametrize(("name", "is_left_open"), [("P.proto", 0), ("p.py", 1), ("p.urdf", 0)])
def test_a_loop_of_a_rig_that_a_format_cannot_hold_is_said(
    tmp_path: Path, name: str, is_left_open: int
) -> None:
    armature = import_robot(f"{SAMPLE}.xml", options=OPTIONS).armature
    written = export_robot(armature, tmp_path / name)
    said = [item.subject for item in written.diagnostics if item.code == "loop-left-open"]
    assert said == ["tail_pin"] * is_left_open
