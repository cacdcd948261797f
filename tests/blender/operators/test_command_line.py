# SPDX-License-Identifier: GPL-3.0-or-later
"""blender --command urdf_import; test_extension_zip.py starts it in the programs."""

import json
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.paths import ROOT

Run = Callable[..., int]

ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")
ELSEWHERE = """\
<robot name="r"><link name="a"><visual><geometry>
  <mesh filename="package://elsewhere/triangle.obj"/>
</geometry></visual></link></robot>
"""


@pytest.fixture
def run_command(extension: ModuleType) -> Iterator[Run]:
    """What Blender calls for the command; an interrupt is pytest's again afterwards."""
    handler = signal.getsignal(signal.SIGINT)
    yield extension.operators.command_line.run_command
    signal.signal(signal.SIGINT, handler)


@pytest.fixture
def folders(extension: ModuleType) -> Iterator[Any]:
    """The package folders of the preferences."""

    def find() -> Any:
        return bpy.context.preferences.addons[extension.__name__].preferences.package_folders

    find().clear()
    yield find()
    find().clear()


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """A description whose mesh is in a package that is not near it."""
    package = tmp_path / "workspace" / "src" / "elsewhere"
    package.mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>elsewhere</name></package>")
    (package / "triangle.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    path = tmp_path / "robots" / "r.urdf"
    path.parent.mkdir()
    path.write_text(ELSEWHERE)
    return path


def read_codes(path: Path) -> list[str]:
    return [item["code"] for item in json.loads(path.read_text())["diagnostics"]]


def test_it_imports_into_the_blend_named_last(run_command: Run, tmp_path: Path) -> None:
    out = tmp_path / "arm.blend"
    assert run_command([ARM, str(out)]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert "two_link_arm" in bpy.data.objects


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["no_such.urdf", "-o", "r.blend"], 1),
        ([ARM, "-o", "r.urdf"], 2),
        ([ARM], 2),
        ([], 2),
        (["--no-such-option"], 2),
        (["--help"], 0),
    ],
)
def test_its_exit_status_is_the_commands(
    run_command: Run, words: Sequence[str], status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_command(words) == status
    assert capfd.readouterr().err.count("error:") == (status != 0)


def test_it_looks_in_the_package_folders_of_the_preferences(
    run_command: Run, folders: Any, robot: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    words = [str(robot), "--json", str(report)]
    assert run_command(words) == 0
    assert read_codes(report) == ["missing-package"]
    folders.add().path = str(tmp_path / "not_there_today")
    folders.add().path = str(tmp_path / "workspace" / "src")
    assert run_command(words) == 0
    assert read_codes(report) == []
    assert run_command([*words[1:], "--", words[0]]) == 0
    assert read_codes(report) == []


def test_folders_that_are_said_come_first(extension: ModuleType) -> None:
    add = extension.operators.command_line.add_package_folders
    assert add(["r.urdf", "--strict"], []) == ["r.urdf", "--strict"]
    said = ["--package-path", "said", "r.urdf"]
    kept = ["--package-path", "kept", "--package-path", "more"]
    assert add(said, ["kept", "more"]) == said + kept
    assert add(["--strict", "--", "r.urdf"], ["kept"]) == [
        *("--strict", "--package-path", "kept"),
        *("--", "r.urdf"),
    ]
