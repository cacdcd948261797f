# SPDX-License-Identifier: GPL-3.0-or-later
"""blender -b --factory-startup -P urdf_importer/headless.py -- ..."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import pytest

from support.paths import ROOT
from urdf_importer.cli import build_parser
from urdf_importer.headless import read_arguments

SCRIPT = ROOT / "urdf_importer" / "headless.py"
ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")
PUMPJACK = str(ROOT / "sample_urdfs" / "pumpjack")
PROGRAM = os.environ.get("BLENDER", "")

# What a Blender program does with -P: runs the file as __main__, with all its own arguments.
LIKE_BLENDER = """
import bpy, runpy, sys
sys.argv = ["blender", "-b", "-P", {script!r}, "--", *{arguments!r}]
sys.path.remove("")
runpy.run_path({script!r}, run_name="__main__")
"""


def run_in_module(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    code = LIKE_BLENDER.format(script=str(SCRIPT), arguments=list(arguments))
    return run([sys.executable, "-c", code], cwd)


def run_in_program(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    words = [PROGRAM, "-b", "--factory-startup", "-P", str(SCRIPT), "--", *arguments]
    return run(words, cwd)


def run(words: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    # Not what bpy has put into the environment of this process behind Python's back: the program's
    # own version needs its own colour configuration.
    environment = dict(os.environ)
    return subprocess.run(
        words, capture_output=True, text=True, cwd=cwd, env=environment, timeout=300
    )


RUNNERS = [
    pytest.param(run_in_module, id="module"),
    pytest.param(
        run_in_program,
        id="program",
        marks=pytest.mark.skipif(not PROGRAM, reason="BLENDER names no Blender program"),
    ),
]


@pytest.mark.parametrize("run_headless", RUNNERS)
def test_imports_into_an_empty_file(run_headless: type, tmp_path: Path) -> None:
    done = run_headless(ARM, "-o", "r.blend", "--json", "report", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(tmp_path)) == ["r.blend", "report"]
    report = json.loads((tmp_path / "report").read_text())
    assert report["ok"] and report["files"] == ["r.blend"] and report["links"] == 5
    if run_headless is run_in_module:
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "r.blend"))
        assert {each.type for each in bpy.data.objects} == {"ARMATURE", "EMPTY", "MESH"}
        assert "Cube" not in bpy.data.objects


@pytest.mark.parametrize("run_headless", RUNNERS)
def test_imports_a_cad_assembly(run_headless: type, tmp_path: Path) -> None:
    words = [f"{PUMPJACK}.xml", "-o", "r.blend", "--json", "report"]
    done = run_headless(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "report").read_text())
    assert (report["robot"], report["links"], report["moving_joints"]) == ("PUMPJACK", 6, 5)
    assert "warning: joint 'PITMAN--BEAM1' closes a loop" in done.stderr


@pytest.mark.parametrize("run_headless", RUNNERS)
def test_imports_a_cad_assembly_with_its_files(run_headless: type, tmp_path: Path) -> None:
    files = ["--parameters", f"{PUMPJACK}.yaml", "--joint-parameters", f"{PUMPJACK}.csv"]
    words = [f"{PUMPJACK}.xml", *files, "-o", "r.blend", "--json", "report"]
    done = run_headless(*words, cwd=tmp_path)
    if refused_without_yaml(run_headless, done):
        assert os.listdir(tmp_path) == ["report"]
        return
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "report").read_text())
    assert report["ok"] and report["robot"] == "pumpjack"
    (loop,) = report["diagnostics"]
    assert (loop["code"], loop["subject"]) == ("loop-joint", "tail_pin")
    if run_headless is run_in_module:
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "r.blend"))
        robot = bpy.data.objects["pumpjack"]
        assert [each["name"] for each in robot["urdf_robot"]["loops"]] == ["tail_pin"]
        (saddle,) = robot.data.bones["saddle"]["urdf_joints"]
        assert math.degrees(saddle["upper"]) == pytest.approx(25.0)
        assert bpy.data.objects["rod_end"].parent_bone == "hanger_1>hanger_2"


@pytest.mark.parametrize("run_headless", RUNNERS)
def test_a_bad_parameter_file_leaves_no_file(run_headless: type, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("dialect: ros\nroot: NOBODY\n")
    words = [f"{PUMPJACK}.xml", "--parameters", "p.yaml", "-o", "r.blend"]
    done = run_headless(*words, cwd=tmp_path)
    assert os.listdir(tmp_path) == ["p.yaml"]
    if not refused_without_yaml(run_headless, done):
        assert done.returncode == 1 and "Traceback" not in done.stderr
        assert "p.yaml:2: error: root: there is no link 'NOBODY'" in done.stderr


def refused_without_yaml(run_headless: Any, done: subprocess.CompletedProcess[str]) -> bool:
    """Whether a program read no YAML and said so: outside the extension not every program has the
    library."""
    said = "needs the Python package ruamel.yaml, which is not installed" in done.stderr
    if run_headless is run_in_module or not said:
        return False
    assert done.returncode == 1 and "Traceback" not in done.stderr
    return True


def test_all_commands_are_known() -> None:
    parser = build_parser()
    (commands,) = (each for each in parser._actions if each.dest == "command")
    assert commands.choices is not None
    for name in commands.choices:
        assert read_arguments(["blender", "--", name, "x"]) == [name, "x"]
    assert read_arguments(["blender", "--", "x.urdf"]) == ["import", "x.urdf"]


@pytest.mark.parametrize("run_headless", RUNNERS)
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["check", ARM], 0),
        (["convert", ARM, "-o", "again.urdf"], 0),
        (["convert", f"{PUMPJACK}.xml", "--mode", "graph", "-o", "graph.dot"], 0),
        (["import", ARM, "--json", "report"], 0),
        (["no_such.urdf", "-o", "r.blend"], 1),
        ([ARM, "-o", "r.urdf"], 2),
        ([], 2),
    ],
)
def test_blenders_exit_status_is_the_commands(
    run_headless: type, arguments: list[str], status: int, tmp_path: Path
) -> None:
    done = run_headless(*arguments, cwd=tmp_path)
    assert done.returncode == status and "Traceback" not in done.stderr
    assert done.stderr.count("error:") == (status != 0)


@pytest.mark.skipif(not PROGRAM, reason="BLENDER names no Blender program")
def test_the_first_picture_in_a_program_is_taken(tmp_path: Path) -> None:
    """There Python did not install what handles Ctrl-C, and cannot put it back."""
    script = tmp_path / "script.py"
    script.write_text(
        "import signal, sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "import urdf_importer\n"
        "before = signal.getsignal(signal.SIGINT)\n"
        f"armature = urdf_importer.import_robot({ARM!r}).armature\n"
        "urdf_importer.render_preview(armature, 'arm.png', width=48, height=36, samples=1)\n"
        "assert signal.getsignal(signal.SIGINT) is before\n"
    )
    done = subprocess.run(
        [PROGRAM, "-b", "--factory-startup", "--python-exit-code", "3", "-P", str(script)],
        cwd=tmp_path,
        # bpy in this process has named the colour configuration of its own version.
        env={name: value for name, value in os.environ.items() if name != "OCIO"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "arm.png").stat().st_size > 100
