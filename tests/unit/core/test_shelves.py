# SPDX-License-Identifier: GPL-3.0-or-later
"""The hooks that formats and features hold to, and the core without them."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.paths import ROOT
from urdf_importer import ExportOptions, RobotError, export_robot, read_robot
from urdf_importer.cli import main
from urdf_importer.core import shelves

LEG = ROOT / "sample_urdfs" / "quadruped_leg.urdf"
ABSENT = "needs a part of the library that is not installed"
Remove = Callable[[str], None]


@pytest.fixture
def remove(monkeypatch: pytest.MonkeyPatch) -> Remove:
    """Takes a part off its shelf."""
    every = {shelf: shelves.list_parts(shelf) for shelf in shelves.SHELVES}

    def take_off(name: str) -> None:
        left = {
            shelf: tuple(each for each in parts if each[1].name != name)
            for shelf, parts in every.items()
        }
        assert left != every
        monkeypatch.setattr(shelves, "list_parts", left.__getitem__)

    return take_off


def run(*arguments: object) -> int:
    """The exit status of the command."""
    try:
        return main([str(each) for each in arguments])
    except SystemExit as stopped:
        return int(stopped.code or 0)


def test_every_hook_is_described_and_has_its_function() -> None:
    for shelf in shelves.SHELVES:
        for package, part in shelves.list_parts(shelf):
            for hook, place in part.hooks.items():
                assert hook in str(shelves.__doc__)
                if find_spec("bpy") is not None or ".blender" not in f".{place}":
                    assert callable(shelves.load(package, place))


def test_without_srdf_a_file_of_it_is_refused(
    remove: Remove, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remove("srdf")
    assert run("check", LEG, "--quiet") == 0
    assert run("check", LEG, "--srdf", "auto") == 1
    assert f"the option srdf {ABSENT}" in capsys.readouterr().err
    assert run("convert", LEG, "-o", tmp_path / "leg.urdf", "--quiet") == 0
    assert run("convert", LEG, "-o", tmp_path / "leg.srdf") == 2
    assert "-o must end in .urdf" in capsys.readouterr().err
    assert run("convert", LEG, "-o", tmp_path / "a.urdf", "--srdf", LEG) == 2
    assert [each.name for each in tmp_path.iterdir()] == ["leg.urdf"]


def test_without_collisions_shapes_that_fit_are_refused(
    remove: Remove, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remove("collisions")
    robot, path = read_robot(LEG), tmp_path / "leg.urdf"
    with pytest.raises(RobotError, match=f"the option fit_collisions {ABSENT}"):
        export_robot(robot, path, options=ExportOptions(fit_collisions="auto"))
    assert run("convert", LEG, "-o", tmp_path / "leg.srdf", "--collisions", 1) == 2
    assert "unrecognized arguments: --collisions" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert export_robot(robot, path).path == path
    assert run("convert", LEG, "-o", tmp_path / "leg.srdf", "--quiet") == 0


def test_without_a_studio_a_picture_is_refused_before_any_work(
    remove: Remove, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remove("studio")
    given = ("-o", tmp_path / "leg.blend", "--preview", tmp_path / "leg.png")
    assert run("import", LEG, *given) == 2
    assert f"--preview {ABSENT}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
