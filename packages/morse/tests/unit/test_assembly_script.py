# SPDX-License-Identifier: GPL-3.0-or-later
"""CAD assemblies as robots of MORSE: builder scripts from the XML, its parameters and its table."""

import ast
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer import ImportOptions, forward_kinematics, read_robot, write_builder_script
from urdf_importer.cli import main
from urdf_importer.core.model import Robot

SAMPLE = str(ROOT / "sample_urdfs" / "pumpjack")
FILES = ("--parameters", f"{SAMPLE}.yaml", "--joint-parameters", f"{SAMPLE}.csv")
OPTIONS = ImportOptions(parameters=f"{SAMPLE}.yaml", joint_parameters=f"{SAMPLE}.csv")


@pytest.fixture
def robot() -> Robot:
    return read_robot(f"{SAMPLE}.xml", options=OPTIONS)


@pytest.fixture
def tables(robot: Robot, tmp_path: Path) -> dict[str, Any]:
    """Name -> what the script assigns to it, where that is plain data."""
    target = tmp_path / "pump.py"
    write_builder_script(robot, target)
    found: dict[str, Any] = {}
    for node in ast.parse(target.read_text("ascii")).body:
        if isinstance(node, ast.Assign):
            name = ast.unparse(node.targets[0])
            if name in ("ARMATURES", "BONES", "JOINTS", "LINKS", "VISUALS", "COLLISIONS"):
                found[name] = ast.literal_eval(node.value)
    return found


def test_joints_turn_within_the_limits_of_the_table(tables: dict[str, Any]) -> None:
    limits = {row[0]: row[4] for row in tables["JOINTS"]}
    assert limits == {
        "motor": None,
        "crank_pin": None,
        "saddle": pytest.approx(np.radians((-25.0, 25.0))),
        "hanger_1": pytest.approx(np.radians((-40.0, 40.0))),
        "hanger_2": pytest.approx(np.radians((-40.0, 40.0))),
    }


def test_bones_stand_in_the_joints_of_the_assembly(tables: dict[str, Any], robot: Robot) -> None:
    """X of a bone, which its joint turns about, is the joint's axis, and its head is on it."""
    frames = forward_kinematics(robot, {})
    joints = {joint.name: joint for joint in robot.joints}
    ((_, _, location, rotation),) = tables["ARMATURES"]
    assert (location, rotation) == ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    assert {row[1] for row in tables["BONES"]} == {each[0] for each in tables["JOINTS"]}
    for _, name, _, head, tail, _ in tables["BONES"]:
        frame = frames[joints[name].child]
        axis = frame[:3, :3] @ np.asarray(joints[name].axis)
        np.testing.assert_allclose(head, frame[:3, 3], atol=1e-6)
        assert abs(axis @ np.subtract(tail, head)) < 1e-6


def test_links_stand_where_the_assembly_has_them(tables: dict[str, Any], robot: Robot) -> None:
    frames = forward_kinematics(robot, {})
    assert [row[0] for row in tables["LINKS"]] == [link.name for link in robot.links]
    for name, _, location, _, mass in tables["LINKS"]:
        np.testing.assert_allclose(location, frames[name][:3, 3], atol=1e-6)
        (link,) = (each for each in robot.links if each.name == name)
        assert mass == pytest.approx(link.inertial.mass if link.inertial else 0.0)
    assert {row[2] for row in tables["VISUALS"]} == {
        f"pumpjack_{part}" for part in ("stand", "crank", "pitman", "beam", "rod")
    }


def test_the_command_takes_both_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "pump.py"
    words = ["export", f"{SAMPLE}.xml", *FILES, "-o", str(target), "--json", "-", "--quiet"]
    assert main(words) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["robot"], report["class"]) == ("pumpjack", "Pumpjack")
    assert (report["moving_joints"], report["components"]) == (5, ["beam_imu"])
    codes = {item["code"]: item["subject"] for item in report["diagnostics"]}
    assert codes["loop-joint"] == "tail_pin"
    text = target.read_text("ascii")
    assert "class Pumpjack(Robot):" in text and "('beam_imu', IMU, 'beam'," in text
    assert "made from pumpjack.xml" in text


def test_a_wrong_parameter_file_leaves_no_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("robotName: pump\nbaseframe: NOWHERE\n")
    target = tmp_path / "pump.py"
    assert main(["export", f"{SAMPLE}.xml", "--parameters", str(wrong), "-o", str(target)]) == 1
    assert "wrong.yaml:2: error: baseframe" in capsys.readouterr().err
    assert not target.exists()
