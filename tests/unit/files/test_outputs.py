# SPDX-License-Identifier: GPL-3.0-or-later
"""Files are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from urdf_importer import WriteError
from urdf_importer.files.outputs import (
    check_output,
    replace_file,
    replace_files,
    write_text,
)


def test_the_new_file_takes_the_place_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with replace_file(target) as temporary:
        assert temporary.parent == tmp_path and temporary.suffix == ".txt"
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, OSError])
def test_what_fails_leaves_the_old_file(tmp_path: Path, failure: type[BaseException]) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    expected = WriteError if failure is OSError else failure
    with pytest.raises(expected), replace_file(target) as temporary:
        temporary.write_text("half")
        raise failure
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_writer_that_wrote_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"a\.txt"), replace_file(tmp_path / "a.txt"):
        pass
    assert os.listdir(tmp_path) == []


def test_a_link_goes_on_pointing_at_the_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "a.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink() and target.read_text() == "new"


def test_permissions_stay(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    target.chmod(0o600)
    write_text(target, "new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_refuses_where_no_file_can_be(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    for path, reason in (
        (tmp_path / "nowhere" / "a", "there is no folder"),
        (tmp_path / "folder", "it is a folder"),
        (tmp_path / "fifo", "not a regular file"),
        (Path("/dev/null"), "not a regular file"),
        (Path("a\0b"), "null"),
    ):
        with pytest.raises(WriteError, match=reason):
            check_output(path)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_long_names_have_room_for_the_temporary_one(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 250 + ".txt")
    write_text(target, "there")
    assert target.read_text() == "there"


def test_text_is_utf_8_with_unix_lines(tmp_path: Path) -> None:
    write_text(tmp_path / "a", "ä\n")
    assert (tmp_path / "a").read_bytes() == b"\xc3\xa4\n"


# Several files


def tree_of(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def test_files_take_their_places_together(tmp_path: Path) -> None:
    target = tmp_path / "robot"
    (target / "meshes").mkdir(parents=True)
    (target / "old.txt").write_text("old")
    (target / "mine.txt").write_text("mine")
    with replace_files(target) as folder:
        (folder / "meshes").mkdir()
        (folder / "meshes" / "a.stl").write_text("mesh")
        (folder / "old.txt").write_text("new")
        assert (target / "old.txt").read_text() == "old"
    assert tree_of(target) == {"meshes/a.stl": "mesh", "old.txt": "new", "mine.txt": "mine"}


def test_a_folder_is_made_with_its_files(tmp_path: Path) -> None:
    with replace_files(tmp_path / "project") as folder:
        (folder / "worlds" / "deep").mkdir(parents=True)
        (folder / "worlds" / "deep" / "a.wbt").write_text("world")
    assert tree_of(tmp_path) == {"project/worlds/deep/a.wbt": "world"}


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, OSError])
def test_what_fails_leaves_all_files(tmp_path: Path, failure: type[BaseException]) -> None:
    (tmp_path / "a.txt").write_text("old")
    expected = WriteError if failure is OSError else failure
    with pytest.raises(expected), replace_files(tmp_path) as folder:
        (folder / "a.txt").write_text("half")
        raise failure
    assert tree_of(tmp_path) == {"a.txt": "old"} and os.listdir(tmp_path) == ["a.txt"]


def test_what_cannot_be_put_takes_the_others_back(tmp_path: Path) -> None:
    """The last file finds a folder in its place."""
    target = tmp_path / "robot"
    (target / "z.txt" / "kept").mkdir(parents=True)
    (target / "a.txt").write_text("old")
    with pytest.raises(WriteError, match="robot"), replace_files(target) as folder:
        (folder / "b" / "c").mkdir(parents=True)
        for name in ("a.txt", "b/c/new.txt", "z.txt"):
            (folder / name).write_text("new")
    assert sorted(os.listdir(target)) == ["a.txt", "z.txt"]
    assert tree_of(target) == {"a.txt": "old"}


def test_a_folder_that_was_not_there_goes_again(tmp_path: Path) -> None:
    with pytest.raises(ValueError), replace_files(tmp_path / "project") as folder:
        (folder / "a.txt").write_text("half")
        raise ValueError
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("place", ["nowhere/project", "file", "file/project"])
def test_places_where_no_folder_can_be(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(WriteError, match="cannot write"), replace_files(tmp_path / place):
        raise AssertionError("work began")
    assert tree_of(tmp_path) == {"file": "old"} and os.listdir(tmp_path) == ["file"]
