# SPDX-License-Identifier: GPL-3.0-or-later
"""convert -o ROBOT.srdf: the SRDF of a description, as it fits, with pairs found."""

import json
from pathlib import Path

import pytest

from support.real_robots import ROOT
from urdf_importer import Diagnostics, read_robot, read_srdf
from urdf_importer.cli import main

PANDA = ROOT / "panda_description"
URDF, SRDF = PANDA / "urdf" / "panda.urdf", PANDA / "srdf" / "panda.srdf"


def test_the_srdf_nearby_goes_out_with_its_bytes(tmp_path: Path) -> None:
    out = tmp_path / "out.srdf"
    assert main(["convert", str(URDF), "-o", str(out), "--srdf", "auto", "--quiet"]) == 0
    assert out.read_bytes() == SRDF.read_bytes()


def test_pairs_are_found_and_names_follow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.srdf"
    given = ["convert", str(URDF), "-o", str(out), "--srdf", str(SRDF), "--collisions", "0"]
    given += ["--rename", "panda_link3:=elbow", "--json", "-"]
    assert main(given) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["files"] == [str(out)]
    diagnostics = Diagnostics()
    written = read_srdf(out, robot=read_robot(URDF), diagnostics=diagnostics)
    assert {item.subject for item in diagnostics} == {"elbow"}
    assert {pair.reason for pair in written.disabled_collisions} == {"Adjacent", "Default", "Never"}
    assert [group.name for group in written.groups] == ["arm", "hand", "arm_and_hand"]


@pytest.mark.parametrize(
    "given",
    [
        ["-o", "out.urdf", "--collisions"],
        ["-o", "out.srdf", "--srdf-output", "other.srdf"],
        ["-o", "out.srdf", "--collisions", "many"],
    ],
)
def test_arguments_that_make_no_sense_are_wrong_usage(
    given: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(["convert", str(URDF), *given])
    assert stopped.value.code == 2
    assert not list(tmp_path.iterdir())


def test_a_missing_srdf_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robot = tmp_path / "lonely.urdf"
    robot.write_text('<robot name="lonely"><link name="a"/></robot>')
    out = tmp_path / "out.srdf"
    assert main(["convert", str(robot), "-o", str(out), "--srdf", "auto"]) == 1
    assert "no SRDF of this robot lies near it" in capsys.readouterr().err
    assert not out.exists()
