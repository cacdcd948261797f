# SPDX-License-Identifier: GPL-3.0-or-later
"""Files are written whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT
from urdf_importer import WriteError
from urdf_importer.core.files.outputs import check_output, replace_file, replace_files, write_text


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


def test_names_that_are_too_long_are_one_sentence(tmp_path: Path) -> None:
    for name in ("n" * 256, "ü" * 128, "n" * 252 + ".txt"):
        with pytest.raises(WriteError, match="File name too long"):
            check_output(tmp_path / name)


def test_no_planted_link_is_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    folder = tmp_path / "robots"
    folder.mkdir()
    for name in (f".writing-{os.getpid()}-a.txt", ".writing-a.txt"):
        (folder / name).symlink_to(outside)
    write_text(folder / "a.txt", "new")
    with replace_files(folder) as made:
        (made / "a.txt").write_text("newer")
    assert outside.read_text() == "mine" and (folder / "a.txt").read_text() == "newer"


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


def test_an_output_that_is_a_link_is_followed_and_deeper_ones_are_not(tmp_path: Path) -> None:
    (tmp_path / "v3").mkdir()
    (tmp_path / "out" / "meshes").mkdir(parents=True)
    for name in ("v3/r.urdf", "theirs.stl"):
        (tmp_path / name).write_text("old")
    latest, planted = tmp_path / "out" / "latest.urdf", tmp_path / "out" / "meshes" / "a.stl"
    latest.symlink_to("../v3/r.urdf")
    planted.symlink_to(tmp_path / "theirs.stl")
    with replace_files(tmp_path / "out") as folder:
        (folder / "meshes").mkdir()
        (folder / "meshes" / "a.stl").write_text("new")
        (folder / "latest.urdf").write_text("new")
    assert latest.is_symlink() and (tmp_path / "v3" / "r.urdf").read_text() == "new"
    assert not planted.is_symlink() and (tmp_path / "theirs.stl").read_text() == "old"


def test_a_link_goes_back_to_its_old_file(tmp_path: Path) -> None:
    (tmp_path / "v3").mkdir()
    (tmp_path / "v3" / "r.urdf").write_text("old")
    (tmp_path / "out" / "z.txt").mkdir(parents=True)
    latest = tmp_path / "out" / "latest.urdf"
    latest.symlink_to("../v3/r.urdf")
    with pytest.raises(WriteError), replace_files(tmp_path / "out") as folder:
        (folder / "latest.urdf").write_text("new")
        (folder / "z.txt").write_text("new")
    assert latest.is_symlink() and (tmp_path / "v3" / "r.urdf").read_text() == "old"


# The process dies as the file after the first `argument` ones is about to take its place.
_DYING = """
import os, signal, sys
from pathlib import Path
from urdf_importer.core.files import outputs
moves, move = [0], os.replace
def replace(old, new):
    if moves[0] == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    moves[0] += 1
    move(old, new)
os.replace = replace
with outputs.replace_files(sys.argv[1]) as folder:
    (folder / "meshes").mkdir()
    for name in ("meshes/a.stl", "meshes/b.stl", "r.proto"):
        (folder / name).write_text("new")
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("moves", range(4))
def test_at_every_moment_a_file_is_there(moves: int, tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    names = ("meshes/a.stl", "meshes/b.stl", "r.proto")
    for name in names:
        (tmp_path / name).write_text("old")
    command = [sys.executable, "-c", _DYING, str(tmp_path), str(moves)]
    killed = subprocess.run(command, cwd=ROOT, timeout=120, check=False).returncode
    assert killed == (-signal.SIGKILL if moves < 3 else 0)
    found = {name: (tmp_path / name).read_text() for name in names}
    assert list(found.values()) == ["new"] * moves + ["old"] * (3 - moves)
    # The next export into that folder removes the leavings.
    write_text(tmp_path / "other.txt", "new")
    assert sorted(os.listdir(tmp_path)) == ["meshes", "other.txt", "r.proto"]


def test_the_work_of_others_is_not_swept(tmp_path: Path) -> None:
    with replace_files(tmp_path) as folder, replace_file(tmp_path / "b.txt") as temporary:
        temporary.write_text("new")
        (folder / "a.txt").write_text("new")
        for name in (".writing-00000000-999999999-x", ".writing-notes", ".writing-1-x"):
            (tmp_path / name).write_text("theirs")
        write_text(tmp_path / "c.txt", "new")
        assert (folder / "a.txt").exists() and temporary.exists()
    assert len(list(tmp_path.glob(".writing-*"))) == 3
