# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer convert: assemblies as URDF, and how any description hangs together."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.assembly_text import first_generation
from support.gates import gate, gate_bodies, gate_joints
from support.paths import ROOT
from support.pinocchio_truth import Truth
from urdf_importer import (
    ImportOptions,
    Reshaping,
    convert_description,
    forward_kinematics,
    read_robot,
    reshape_robot,
)
from urdf_importer.cli import main
from urdf_importer.core.pipeline.converting import CONVERT_MODES

SAMPLE = ROOT / "sample_urdfs" / "pumpjack"
FILES = ("--parameters", f"{SAMPLE}.yaml", "--joint-parameters", f"{SAMPLE}.csv")


def test_an_assembly_becomes_the_same_robot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "pump.urdf"
    keep = ("--meshes", "keep", "--no-complete")
    assert main(["convert", f"{SAMPLE}.xml", "-o", str(target), *FILES, *keep]) == 0
    options = ImportOptions(parameters=f"{SAMPLE}.yaml", joint_parameters=f"{SAMPLE}.csv")
    wanted = read_robot(f"{SAMPLE}.xml", options=options)
    assert read_robot(target) == wanted and len(wanted.loops) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "[loop-joint]" in captured.err
    assert main(["convert", f"{SAMPLE}.xml", *FILES, "--quiet"]) == 0
    assert capsys.readouterr().out == target.read_text()


@pytest.mark.parametrize("mode", CONVERT_MODES)
def test_all_modes_of_an_assembly(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", f"{SAMPLE}.xml", "--mode", mode, *FILES]) == 0
    out = capsys.readouterr().out
    start = {
        "xml": "<?xml", "graph": 'digraph "pumpjack" {', "groups": "BASE:\n\tstand\n",
        "picture": "<svg", "parameters": "# Parameters of pumpjack", "none": "",
    }[mode]  # fmt: skip
    assert out.startswith(start) and (mode == "none") == (out == "")
    assert out == convert_description(
        f"{SAMPLE}.xml",
        mode=mode,  # type: ignore[arg-type]
        options=ImportOptions(parameters=f"{SAMPLE}.yaml", joint_parameters=f"{SAMPLE}.csv"),
    )


@pytest.mark.parametrize("name", ["two_link_arm", "gripper", "drone"])
def test_urdf_is_written_plainly(name: str) -> None:
    path = ROOT / "sample_urdfs" / f"{name}.urdf"
    robot = read_robot(path)
    assert convert_description(robot) == convert_description(path)
    assert convert_description(path, mode="graph").count("->") == len(robot.joints)


def test_modes_show_the_reshaped_robot(capsys: pytest.CaptureFixture[str]) -> None:
    path = ROOT / "sample_urdfs" / "two_link_arm.urdf"
    steps = ["--prefix", "left_", "--scale", "2"]
    wanted = reshape_robot(read_robot(path), Reshaping(prefix="left_", scale=2.0)).robot
    assert main(["convert", str(path), *steps, "--quiet"]) == 0
    assert capsys.readouterr().out == convert_description(wanted)
    assert main(["convert", str(path), *steps, "--mode", "graph", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert shown == convert_description(wanted, mode="graph")
    assert shown.count('-> "left_') == len(wanted.joints)


def test_ball_joints_become_three_in_files_too(tmp_path: Path) -> None:
    joints = gate_joints()
    joints[0].primitives = [("spherical",)]
    path, target = tmp_path / "gate.xml", tmp_path / "gate.urdf"
    path.write_bytes(first_generation(gate_bodies(), joints))
    keep = ["--meshes", "keep", "--no-complete", "--quiet"]
    assert main(["convert", str(path), "-o", str(target), *keep]) == 0
    assert target.read_text() == convert_description(path)


def test_the_sensors_of_an_assembly_are_those_of_its_urdf(tmp_path: Path) -> None:
    path, said = tmp_path / "gate.xml", tmp_path / "gate.yaml"
    path.write_bytes(gate())
    said.write_text(
        "forceTorqueSensors:\n  - jointName: POST--WING\n    directionChildToParent: true\n"
    )
    options = ImportOptions(parameters=str(said))
    robot = read_robot(path, options=options)
    (tmp_path / "gate.urdf").write_text(convert_description(path, options=options))
    assert [type(sensor).__name__ for sensor in robot.sensors] == ["ForceSensor"]
    assert read_robot(tmp_path / "gate.urdf") == robot


def test_ball_joints_become_three(tmp_path: Path) -> None:
    joints = gate_joints()
    joints[0].primitives = [("spherical",)]
    path = tmp_path / "gate.xml"
    path.write_bytes(first_generation(gate_bodies(), joints))
    (tmp_path / "gate.urdf").write_text(convert_description(path))
    ball, three = read_robot(path), read_robot(tmp_path / "gate.urdf")
    assert [joint.name for joint in three.joints][:3] == [
        f"POST--WING1_{letter}" for letter in "xyz"
    ]
    angles = {"POST--WING1_x": 0.3, "POST--WING1_y": -0.5, "POST--WING1_z": 0.7}
    moved = forward_kinematics(three, angles)
    turn = np.linalg.inv(forward_kinematics(ball)["WING1"]) @ moved["WING1"]
    x, y, z, w = _quaternion(turn[:3, :3])
    wanted = forward_kinematics(ball, {"POST--WING1": (x, y, z, w)})
    for link in ball.links:
        np.testing.assert_allclose(moved[link.name], wanted[link.name], atol=1e-12)


def _quaternion(rotation: np.ndarray) -> tuple[float, float, float, float]:
    from urdf_importer.core.geometry.transforms import quaternion_from_rotation

    return quaternion_from_rotation(rotation)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--mode", "parameters"], "only SimMechanics files have parameters"),
        (["--parameters", f"{SAMPLE}.yaml"], "belong to SimMechanics files"),
    ],
)
def test_what_only_assemblies_have(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", str(ROOT / "sample_urdfs" / "gripper.urdf"), *arguments]) == 1
    assert sentence in capsys.readouterr().err


def test_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["--mode", "none", "-o", "x.urdf"],
        ["--mode", "parameters", "--prefix", "x_"],
        ["--mode", "graph", "--complete"],
        ["--mode", "graph", "-o", f"{SAMPLE}.xml"],
        ["--meshes", "copy"],
        ["--srdf", "in.srdf", "--srdf-output", "out.srdf"],
        ["--json", "-"],
        ["--robot", "x"],
        ["-o", f"{SAMPLE}.xml"],
    ):
        with pytest.raises(SystemExit) as caught:
            main(["convert", f"{SAMPLE}.xml", *arguments])
        assert caught.value.code == 2
    capsys.readouterr()


def test_nothing_is_written_where_it_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target, report = tmp_path / "a.urdf", tmp_path / "r.json"
    wrong = tmp_path / "p.yaml"
    wrong.write_text("root: NOBODY\n")
    arguments = ["convert", f"{SAMPLE}.xml", "-o", str(target), "--json", str(report)]
    assert main([*arguments, "--parameters", str(wrong)]) == 1
    assert main([*arguments, "--strict"]) == 1
    assert not target.exists()
    assert "strict mode" in json.loads(report.read_text())["error"]["message"]
    assert f"{wrong}:1: error: root: there is no link 'NOBODY'" in capsys.readouterr().err


def test_the_starter_file_serves(tmp_path: Path) -> None:
    path = tmp_path / "gate.xml"
    path.write_bytes(gate())
    starter = tmp_path / "gate.yaml"
    assert main(["convert", str(path), "--mode", "parameters", "-o", str(starter)]) == 0
    assert read_robot(path, options=ImportOptions(parameters=str(starter))) == read_robot(path)
    known = ["--ignore", "missing-mesh", "--quiet"]
    assert main(["check", str(path), "--parameters", str(starter), *known]) == 0


def test_export_takes_the_same_files(tmp_path: Path) -> None:
    target = tmp_path / "Pump.proto"
    assert main(["export", f"{SAMPLE}.xml", "-o", str(target), *FILES, "--quiet"]) == 0
    assert "rod_end" in target.read_text()


def test_pinocchio_reads_what_is_written() -> None:
    """An independent library puts the links of the written file where the assembly's robot has
    them, and finds the same mass; it skips the loop."""
    options = ImportOptions(parameters=f"{SAMPLE}.yaml", joint_parameters=f"{SAMPLE}.csv")
    robot = read_robot(f"{SAMPLE}.xml", options=options)
    joints = tuple(
        replace(joint, limit=joint.limit and replace(joint.limit, effort=1.0, velocity=1.0))
        for joint in robot.joints
    )
    truth = Truth.of_text(convert_description(replace(robot, joints=joints)))
    angles = {"crank_pin": -0.7, "saddle": 0.3, "hanger_1": 0.4, "hanger_2": -0.5}
    positions = {**angles, "motor": 2.5}
    # Pinocchio says continuous joints by cosine and sine.
    said = {
        name: (np.cos(angle), np.sin(angle)) if name in ("motor", "crank_pin") else angle
        for name, angle in positions.items()
    }
    frames = truth.frames(said)
    wanted = forward_kinematics(robot, positions, close_loops=False)
    for link in robot.links:
        np.testing.assert_allclose(frames[link.name], wanted[link.name], atol=1e-9)
    # Universes do not move: Pinocchio leaves out the mass of the root link.
    assert truth.total_mass() == pytest.approx(2.4 + 3.1 + 21.5 + 4.8)


def test_reports_list_the_loops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.json"
    sample = ROOT / "sample_urdfs" / "pumpjack"
    arguments = ["check", f"{sample}.xml", "--parameters", f"{sample}.yaml", "--json", str(report)]
    assert main(arguments) == 0
    assert json.loads(report.read_text("utf-8"))["loops"] == ["tail_pin"]
    said = capsys.readouterr().out
    assert "1, closed by tail_pin" in said and "2 follow others" in said
