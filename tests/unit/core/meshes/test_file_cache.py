# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files are parsed once in a session, for as long as nothing about them changes."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from urdf_importer.core.diagnostics import MeshError, Report
from urdf_importer.core.files.regular import FileKind
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.meshes import file_cache

PART = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n"


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How often each file was parsed."""
    counted: Counter[str] = Counter()
    load = file_cache.load_mesh

    def count(path: Path, *others: Any, **more: Any) -> Any:
        counted[path.name] += 1
        return load(path, *others, **more)

    monkeypatch.setattr(file_cache, "load_mesh", count)
    file_cache.forget_files()
    yield counted
    file_cache.forget_files()


def write(path: Path, text: str) -> Path:
    """Writes a file that was last changed a while ago, as files mostly were."""
    path.write_text(text)
    age(path, 100)
    return path


def age(path: Path, seconds: int) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def load(path: Path) -> tuple[MeshData, list[str]]:
    codes: list[str] = []

    def resolve(uri: str, kind: FileKind, report: Report) -> Path:
        found = path.parent / uri
        if not found.is_file():
            raise MeshError(f"no {uri}", code=f"missing-{kind}")
        report("found", uri)
        return found

    return file_cache.load_kept(path, lambda code, _: codes.append(code), resolve), codes


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of tests are new; a test says itself where that matters."""
    monkeypatch.setattr(file_cache, "_SETTLED", 0.0)


def test_a_file_is_parsed_once_and_says_the_same_again(
    tmp_path: Path, parsed: Counter[str]
) -> None:
    path = write(tmp_path / "a.obj", f"mtllib gone.mtl\n{PART}f 1 2 9\n")
    first, said = load(path)
    again, said_again = load(path)
    assert again is first and parsed == {"a.obj": 1}
    assert said_again == said and len(said) == 2


@pytest.mark.parametrize("how", ["other size", "same size", "replaced"])
def test_a_file_that_changed_is_parsed_again(
    tmp_path: Path, parsed: Counter[str], how: str
) -> None:
    path = write(tmp_path / "a.obj", PART)
    load(path)
    text = PART + "f 2 3 4\n" if how == "other size" else PART.replace("v 1 0 0", "v 2 0 0")
    if how == "replaced":
        write(tmp_path / "b.obj", text).replace(path)
    else:
        path.write_text(text)
        age(path, 50)
    changed, _ = load(path)
    assert parsed["a.obj"] == 2
    assert changed.face_count == 2 or changed.vertices.max() == 2.0


def test_a_file_that_it_names_counts_too(tmp_path: Path, parsed: Counter[str]) -> None:
    path = write(tmp_path / "a.obj", f"mtllib a.mtl\nusemtl red\n{PART}")
    without, codes = load(path)
    assert any("missing" in code for code in codes)
    library = write(tmp_path / "a.mtl", "newmtl red\nKd 1 0 0\n")
    red, _ = load(path)
    assert load(path)[0] is red and parsed["a.obj"] == 2
    assert red.materials != without.materials
    library.write_text("newmtl red\nKd 0 0 1\n")
    age(library, 50)
    blue, _ = load(path)
    assert parsed["a.obj"] == 3 and blue.materials != red.materials


def test_a_file_written_just_now_is_not_trusted(
    tmp_path: Path, parsed: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a tick of the file system's clock it could change again without a new time."""
    monkeypatch.setattr(file_cache, "_SETTLED", 1e6)
    path = tmp_path / "a.obj"
    path.write_text(PART)
    load(path)
    load(path)
    assert parsed["a.obj"] == 2


def test_the_oldest_go_first(
    tmp_path: Path, parsed: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [write(tmp_path / f"{name}.obj", PART) for name in "abcd"]
    data, _ = load(paths[0])
    size = data.vertices.nbytes + data.corners.nbytes
    file_cache.forget_files()
    monkeypatch.setattr(file_cache, "MOST_KEPT", 3 * size)
    for path in [*paths[:3], paths[0], paths[3], paths[0], paths[1]]:
        load(path)
    # a was read for its size; then b was the one that nobody had asked for.
    assert parsed == {"a.obj": 2, "b.obj": 2, "c.obj": 1, "d.obj": 1}


def test_a_broken_file_is_read_each_time(tmp_path: Path, parsed: Counter[str]) -> None:
    path = write(tmp_path / "a.obj", "f 1 2 3\n")
    for _ in range(2):
        with pytest.raises(MeshError):
            load(path)
    assert parsed["a.obj"] == 2
