# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer export, without Blender: files all or none, one sentence for what cannot be."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT
from support.webots.proto_check import check
from urdf_importer.cli import main

GRIPPER = str(ROOT / "sample_urdfs" / "gripper.urdf")
MESSY = str(ROOT / "sample_urdfs" / "messy.urdf")
SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))


def test_export_needs_no_blender(tmp_path: Path) -> None:
    target = str(tmp_path / "Gripper.proto")
    code = (
        "import sys; sys.modules['bpy'] = None; from urdf_importer.cli import main; "
        f"sys.exit(main(['export', {GRIPPER!r}, '-o', {target!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert f"1 degree of freedom; wrote {target} in" in done.stderr
    assert check(Path(target)).problems == ()


@pytest.mark.parametrize("source", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("version", ["R2025a", "R2023b"])
def test_the_samples_are_valid(source: Path, version: str, tmp_path: Path) -> None:
    target = tmp_path / "Sample.proto"
    arguments = ["--version", version, "--quiet"]
    assert main(["export", str(source), "-o", str(target), *arguments]) == 0
    checked = check(target)
    assert checked.errors == () and checked.tree["version"] == version


def test_a_world_opens_the_robot_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "arena.wbt"
    assert main(["export", GRIPPER, "-o", str(target), "--quiet"]) == 0
    checked = check(target)
    assert checked.problems == () and "gripper" in checked.solids
    assert (tmp_path / "gripper.proto").is_file()


def test_the_report_maps_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "Gripper.proto")
    assert main(["export", GRIPPER, "-o", target, "--json", "-", "--quiet"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    report = json.loads(line)
    assert report["ok"] and report["files"][0] == target
    assert report["degrees_of_freedom"] == 1 and report["moving_joints"] == 7
    motors = [name for names in report["motors"].values() for name in names]
    assert len({name.partition("::")[0] for name in motors}) == 1
    assert set(report["solids"]) and set(report["sensors"]) == set(report["motors"])


def test_strict_writes_nothing_where_anything_is_odd(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", MESSY, "-o", str(tmp_path / "Messy.proto"), "--strict"]) == 1
    assert "strict mode allows no diagnostics" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["2dof.proto", "Robot.proto", "a b.proto", "DEF.proto"])
def test_files_that_no_proto_can_be_named_after_get_another_name(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", GRIPPER, "-o", str(tmp_path / name)]) == 0
    (proto,) = tmp_path.glob("*.proto")
    assert proto.name != name
    said = capsys.readouterr().err
    assert (
        f"the file is '{proto.name}' [webots-renamed-file]" in said and f"wrote {proto} in" in said
    )
    assert f"PROTO {proto.stem} [" in proto.read_text()


@pytest.mark.parametrize("output", ["nowhere/R.proto", "file/R.proto", "folder.proto"])
def test_places_where_nothing_can_be_written(
    output: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder.proto").mkdir()
    status = main(["export", GRIPPER, "-o", str(tmp_path / output)])
    said = capsys.readouterr().err
    assert status == 1 and said.startswith("urdf-importer: error: cannot write")
    assert said.count("\n") == 1 and sorted(os.listdir(tmp_path)) == ["file", "folder.proto"]


@pytest.mark.parametrize("arguments", [
    ["-o", "robot.txt"], ["-o", "robot"], [], ["-o", "a.proto", "--base", "flying"],
    ["-o", "a.proto", "--position", "a=1"], ["-o", "a.proto", "--translation", "1", "2"],
    ["-o", "a.proto", "--translation", "1", "2", "inf"], ["-o", "a.proto", "--small-mass", "0"],
    ["-o", "a.proto", MESSY],
])  # fmt: skip
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main(["export", GRIPPER, *arguments])
    assert exit.value.code == 2
    assert capsys.readouterr().err.count("error:") == 1


@pytest.mark.parametrize("arguments, message", [
    (["--position", "nothing:=1"], "the robot has no joint 'nothing'"),
    (["--position", "finger:=x"], "is not a number"),
    (["--tool-slot", "nothing"], "the robot has no link 'nothing'"),
    (["--collision-override", "nothing:=box"], "no link 'nothing'"),
])  # fmt: skip
def test_options_that_fit_nothing(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", GRIPPER, "-o", str(tmp_path / "G.proto"), *arguments]) == 1
    assert message in capsys.readouterr().err
    assert os.listdir(tmp_path) == []
