# SPDX-License-Identifier: GPL-3.0-or-later
"""blender -b --factory-startup -P urdf_importer/headless.py -- ..."""

import json
import os
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from support.paths import ROOT

SCRIPT = ROOT / "urdf_importer" / "headless.py"
ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")
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
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["check", ARM], 0),
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
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "arm.png").stat().st_size > 100
