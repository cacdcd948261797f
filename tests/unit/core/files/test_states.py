# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files are not what was read any more."""

import os
from pathlib import Path

import pytest

from urdf_importer import ImportOptions
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.files.states import MOST_NOTED, find_changed, read_state
from urdf_importer.core.pipeline.files import find_files
from urdf_importer.core.pipeline.formats import read_description


@pytest.fixture
def states(tmp_path: Path) -> dict[str, tuple[int, int]]:
    """Of three files; the first stands for the description."""
    noted = {}
    for name in ("robot.urdf", "a.stl", "b.stl"):
        path = tmp_path / name
        path.write_text(name)
        state = read_state(str(path))
        assert state is not None
        noted[str(path)] = state
    return noted


def test_files_that_are_as_they_were_have_not_changed(states: dict[str, tuple[int, int]]) -> None:
    assert find_changed(states) == ()
    assert find_changed({}) == ()


@pytest.mark.parametrize("how", ["longer", "touched", "gone"])
def test_a_change_of_each_file_is_seen(states: dict[str, tuple[int, int]], how: str) -> None:
    for path in list(states)[1:]:
        if how == "longer":
            Path(path).write_text("other text")
        elif how == "touched":
            os.utime(path, ns=(0, states[path][1] + 1))
        else:
            Path(path).unlink()
        assert path in find_changed(states)
    assert find_changed(states) == tuple(states)[1:]


def test_without_the_description_nothing_has_changed(states: dict[str, tuple[int, int]]) -> None:
    """A .blend on another computer says nothing of files that are not there."""
    first, second, _ = states
    Path(second).write_text("something else")
    Path(first).unlink()
    assert find_changed(states) == ()


def test_paths_that_cannot_be_have_no_state() -> None:
    assert read_state("a\0b") is None
    assert read_state("/nowhere/at/all") is None


def test_what_xacro_includes_and_reads_is_noted(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf.xacro").write_text(
        "<robot name='arm' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n"
        "<xacro:include filename='parts/base.xacro'/>\n"
        "<xacro:property name='sizes' value=\"${xacro.load_yaml('parts/sizes.yaml')}\"/>\n"
        "<xacro:base size=\"${sizes['base']}\"/>\n</robot>\n"
    )
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "sizes.yaml").write_text("base: 0.5\n")
    (tmp_path / "parts" / "unread.xacro").write_text("<robot/>\n")
    (tmp_path / "parts" / "base.xacro").write_text(
        "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>\n"
        "<xacro:macro name='base' params='size'>"
        "<link name='base'><visual><geometry><sphere radius='${size}'/></geometry></visual></link>"
        "</xacro:macro></robot>\n"
    )
    path = tmp_path / "arm.urdf.xacro"
    resolver = find_files(path, ImportOptions())
    read_description(resolver, ImportOptions(), Diagnostics(str(path)))
    assert next(iter(resolver.states)) == str(path)
    assert set(resolver.states) == {
        str(path), str(tmp_path / "parts" / "base.xacro"), str(tmp_path / "parts" / "sizes.yaml"),
    }  # fmt: skip


def test_only_so_many_files_are_noted(tmp_path: Path) -> None:
    resolver = PackageResolver(tmp_path / "robot.urdf")
    for number in range(MOST_NOTED + 5):
        path = tmp_path / str(number)
        path.touch()
        resolver.note_file(str(path))
    assert list(resolver.states) == [str(tmp_path / str(number)) for number in range(MOST_NOTED)]
