# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files a batch is about, and where their outputs go."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer import ArgumentError, BatchOptions, ReadError, WriteError
from urdf_importer.features.batch import run
from urdf_importer.features.batch.inputs import BatchInput, choose_places, find_inputs


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<robot/>")


def names_of(found: list[BatchInput], folder: Path) -> list[str]:
    return [os.path.relpath(each.path, folder) for each in found]


def test_folders_are_searched_for_descriptions(tmp_path: Path) -> None:
    touch(tmp_path, "b/two.xacro", "a/one.urdf", "a/ONE.URDF", "a/mesh.xml", "a/readme.txt")
    touch(tmp_path, ".git/hidden.urdf", "a/.hidden.urdf")
    (tmp_path / "linked").symlink_to(tmp_path / "a", target_is_directory=True)
    (tmp_path / "again.urdf").symlink_to(tmp_path / "b" / "two.xacro")
    os.mkfifo(tmp_path / "pipe.urdf")
    found = find_inputs([tmp_path])
    assert names_of(found, tmp_path) == ["again.urdf", "a/ONE.URDF", "a/one.urdf"]
    assert not any(each.named for each in found)


def test_folders_of_models_are_one_input(tmp_path: Path) -> None:
    """Gazebo's models have a file for each version of SDF, and a model.config that names them."""
    touch(tmp_path, "arm/model.sdf", "arm/model-1_4.sdf", "arm/arm.urdf", "odd/a.sdf", "odd/b.sdf")
    files = '<sdf version="1.4">model-1_4.sdf</sdf><sdf version="1.6">model.sdf</sdf>'
    (tmp_path / "arm" / "model.config").write_text(f"<model>{files}</model>")
    (tmp_path / "odd" / "model.config").write_text("<model/>")
    found = find_inputs([tmp_path])
    assert names_of(found, tmp_path) == ["arm/arm.urdf", "arm/model.sdf", "odd/a.sdf", "odd/b.sdf"]


def test_places_that_windows_cannot_have_get_another_name(tmp_path: Path) -> None:
    inputs = [BatchInput(path=wish, wish=wish, named=True) for wish in ("aux", "arms/con", "arm")]
    places = choose_places(inputs, (".blend",), {})
    assert places == {"aux": "aux_", "arms/con": "arms/con_", "arm": "arm"}


def test_a_limit_of_memory_that_would_not_hold_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "measure_mib", lambda pid: 0.0)
    with pytest.raises(WriteError, match="leave the memory limit out"):
        run.batch([tmp_path], tmp_path / "out", options=BatchOptions(memory_limit=1000.0))


def test_lists_name_files_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(tmp_path, "a/one.urdf", "two.xml", "gone/x.urdf")
    (tmp_path / "list.txt").write_bytes(b"a\n\n  two.xml \r\nno/such.urdf\n")
    monkeypatch.chdir(tmp_path)
    found = find_inputs(["@list.txt", "two.xml"])
    assert names_of(found, tmp_path) == ["a/one.urdf", "two.xml", "no/such.urdf"]
    assert [each.named for each in found] == [False, True, True]
    with pytest.raises(ReadError, match="cannot read the list of inputs"):
        find_inputs(["@nothing.txt"])


def test_names_of_any_bytes_are_found(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\n.urdf"
    with open(path, "wb"):
        pass
    (found,) = find_inputs([tmp_path])
    assert os.fsencode(found.path) == path


def make(path: str, wish: str) -> BatchInput:
    return BatchInput(path=path, wish=wish, named=False)


def test_places_are_those_of_the_folders() -> None:
    inputs = [make("/b/robot.xacro", "b/robot"), make("/b/robot.urdf", "b/robot"),
              make("/a/robot.urdf", "a/robot")]  # fmt: skip
    places = choose_places(inputs, [".blend"], {})
    assert places == {
        "/a/robot.urdf": "a/robot",
        "/b/robot.urdf": "b/robot",
        "/b/robot.xacro": "b/robot_2",
    }
    # What has a place keeps it, also when another comes that would have been first.
    again = choose_places([*inputs, make("/0/robot", "b/robot")], [".blend"], places)
    assert again == {**places, "/0/robot": "b/robot_3"}


WISHES = st.lists(
    st.lists(st.sampled_from(["a", "A", "a.blend", "ä", "index.html", "b_2", "b"]), min_size=1,
             max_size=3).map("/".join),
    max_size=12,
)  # fmt: skip


@given(WISHES)
def test_no_file_lies_where_another_does(wishes: list[str]) -> None:
    inputs = [make(f"/{number}", wish) for number, wish in enumerate(wishes)]
    places = choose_places(inputs, [".blend", ".png"], {})
    files = [
        f"{place}/{place.rsplit('/', 1)[-1]}{suffix}".casefold()
        for place in places.values()
        for suffix in (".blend", ".png")
    ] + ["index.html", "batch.jsonl"]
    assert len(set(files)) == len(files)
    folders = {
        file.rsplit("/", count)[0] for file in files for count in range(1, file.count("/") + 1)
    }
    assert not folders & set(files)


@pytest.mark.parametrize(
    "wrong",
    [{"picture_size": 64}, {"picture_size": (64, 0.5)}, {"jobs": 0}, {"jobs": 1.5},
     {"time_limit": None}, {"exports": ("webots",)}, {"picture_samples": "8"}, {"imports": 3}],
)  # fmt: skip
def test_options_of_batches_are_checked_when_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        BatchOptions(**wrong)
