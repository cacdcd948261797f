# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and paths as Windows takes them, judged by Python's own rules for it."""

import ntpath
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer.core.files import portable
from urdf_importer.core.files.outputs import suggest_stem
from urdf_importer.core.files.portable import avoid_reserved, relative_path
from urdf_importer.core.writers.file_folder import FileFolder
from urdf_importer.core.writers.named_files import Copies, find_free_name

DEVICES = ("aux", "CON", "nul", "Prn", "com1", "LPT9", "aux.stl", "CON.tar.gz", "com1.")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def is_reserved(name: str) -> bool:
    return PureWindowsPath(name).is_reserved()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", DEVICES)
def test_devices_get_an_underscore(name: str) -> None:
    assert is_reserved(name)
    found = avoid_reserved(name)
    assert not is_reserved(found) and found.replace("_", "") == name
    assert name.endswith(".") or PureWindowsPath(found).suffix == PureWindowsPath(name).suffix


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@given(st.text("acnoprulxmt019.", min_size=1, max_size=8))
def test_other_names_stay(name: str) -> None:
    found = avoid_reserved(name)
    assert not is_reserved(found) and avoid_reserved(found) == found
    if not is_reserved(name) and not name.endswith("."):
        assert found == name


def test_what_is_written_is_called_otherwise(tmp_path: Path) -> None:
    assert suggest_stem("aux") == "aux_"
    assert FileFolder(tmp_path / "out", "").write(b"solid", "nul", ".stl") == "nul_.stl"
    assert find_free_name("con", "visual", "stl", ()) == "meshes/visual/con_.stl"
    mesh = tmp_path / "aux.stl"
    mesh.write_bytes(b"solid")
    (tmp_path / "package").mkdir()
    place = Copies(tmp_path / "package").copy(mesh, (), "meshes")
    assert place == "meshes/aux_.stl" and (tmp_path / "package" / place).is_file()


def test_the_way_to_another_drive_is_the_whole_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portable, "os", type("os", (), {"path": ntpath, "PathLike": object}))
    monkeypatch.setattr(portable, "PurePath", PureWindowsPath)
    assert relative_path("D:\\robots\\a.urdf", "C:\\out") == "D:/robots/a.urdf"
    assert relative_path("C:\\robots\\a.urdf", "C:\\out") == "../robots/a.urdf"
