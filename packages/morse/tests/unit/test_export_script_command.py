# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer export to a builder script, without Blender."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT
from urdf_importer.cli import main

GRIPPER = str(ROOT / "sample_urdfs" / "gripper.urdf")
MESSY = str(ROOT / "sample_urdfs" / "messy.urdf")


def test_it_needs_neither_blender_nor_morse(tmp_path: Path) -> None:
    target = str(tmp_path / "gripper_builder.py")
    code = (
        "import sys; sys.modules['bpy'] = None; sys.modules['morse'] = None; "
        "from urdf_importer.cli import main; "
        f"sys.exit(main(['export', {GRIPPER!r}, '-o', {target!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "gripper: 9 links, 7 moving joints, 1 degree of freedom; wrote" in done.stderr
    assert f"wrote {target} in" in done.stderr
    assert "class GripperModel(Robot):" in Path(target).read_text("ascii")


def test_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "gripper.py")
    assert main(["export", GRIPPER, "-o", target, "--json", "-", "--quiet"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    report = json.loads(line)
    assert report["ok"] and report["files"] == [target]
    assert report["degrees_of_freedom"] == 1 and report["moving_joints"] == 7
    assert report["class"] == "GripperModel" and report["components"] == []
    codes = {item["code"] for item in report["diagnostics"]}
    assert "morse-follower" in codes and not any(code.startswith("webots-") for code in codes)


def test_options_about_the_start_count(tmp_path: Path) -> None:
    target = tmp_path / "gripper.py"
    chosen = ["--position", "jaw_left:=0.01", "--translation", "1", "2", "3"]
    assert main(["export", GRIPPER, "-o", str(target), "--quiet", *chosen]) == 0
    text = target.read_text()
    assert "robot.translate(x=1.0, y=2.0, z=3.0)" in text
    assert "('jaw_left', 'location', 0, True, (0.0, 0.0), 0.045, 0.01)" in text


def test_strict_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", MESSY, "-o", str(tmp_path / "messy.py"), "--strict"]) == 1
    assert "strict mode allows no diagnostics" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


def test_a_folder_is_a_project_whatever_it_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "robot.py"
    folder.mkdir()
    assert main(["export", GRIPPER, "-o", str(folder), "--quiet"]) == 0
    assert list(folder.rglob("*.wbt"))


def test_several_inputs_have_no_script(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main(["export", GRIPPER, MESSY, "-o", "robots.py"])
    assert exit.value.code == 2 and "must be a folder" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["robot.pyc", "robot.PYC", "robot"])
def test_other_files_are_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main(["export", GRIPPER, "-o", name])
    assert exit.value.code == 2
    assert re.search(r"must end in \.proto, [^']* or \.py, or be", capsys.readouterr().err)
