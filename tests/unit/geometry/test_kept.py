# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that are kept between runs: the same ones come back, and damage does no harm."""

import os
from pathlib import Path

import numpy as np
import pytest

from support.surfaces import make_ring
from urdf_importer.geometry import kept
from urdf_importer.geometry.fitting import Fit
from urdf_importer.geometry.kept_bodies import KeptBodies, decompose_kept, remember_bodies
from urdf_importer.geometry.mesh_data import MeshData
from urdf_importer.model import Box, Capsule, Cylinder, Sphere

FITS = (Box(size=(1.0, 2.0, 0.1)), Sphere(radius=0.3), Cylinder(radius=0.1, length=2.0))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return kept.find_folder()


def never() -> KeptBodies:
    raise AssertionError("it was kept")


def test_kept_bodies_come_back_the_same(folder: Path) -> None:
    frame = np.random.default_rng(0).normal(size=(4, 4))
    fits = tuple(Fit(each, frame) for each in (*FITS, Capsule(radius=0.1, length=0.2)))
    mesh = MeshData(
        vertices=frame[:, :3].astype(np.float32),
        corners=np.array([0, 1, 2, 3], dtype=np.int32),
        face_sizes=np.array([4], dtype=np.int32),
    )
    made = KeptBodies(bodies=(*fits, mesh), numbers=(0.1, 0.2))
    assert remember_bodies("name", lambda: made) is made
    again = remember_bodies("name", never)
    assert again.numbers == made.numbers
    *found, other = again.bodies
    for one, two in zip(fits, found, strict=True):
        assert isinstance(two, Fit) and one.geometry == two.geometry
        assert one.frame.tobytes() == two.frame.tobytes()
    assert isinstance(other, MeshData) and other.face_sizes is not None
    assert other.vertices.tobytes() == mesh.vertices.tobytes()


def test_a_search_that_was_cut_short_is_not_kept(folder: Path) -> None:
    remember_bodies("name", lambda: KeptBodies(bodies=(), lasting=False))
    assert remember_bodies("name", lambda: KeptBodies(bodies=(), numbers=(1.0,))).numbers == (1.0,)
    vertices, faces = make_ring()
    decompose_kept(vertices, faces, most_parts=16, seconds=0.0)
    assert len(decompose_kept(vertices, faces, most_parts=16, seconds=60.0)) > 4


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 torn", b"no archive"])
def test_a_damaged_file_is_made_anew(folder: Path, content: bytes) -> None:
    remember_bodies("name", lambda: KeptBodies(bodies=(), numbers=(1.0,)))
    (path,) = folder.iterdir()
    path.write_bytes(content)
    assert remember_bodies("name", lambda: KeptBodies(bodies=(), numbers=(2.0,))).numbers == (2.0,)
    assert remember_bodies("name", never).numbers == (2.0,)


def test_the_oldest_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        kept.keep(f"n{number}", {"a": np.zeros(3)})
        os.utime(folder / f"n{number}.npz", (number, number))
    size = (folder / "n0.npz").stat().st_size
    monkeypatch.setattr(kept, "MOST_BYTES", 3 * size)
    assert kept.recall("n0") is not None
    kept.keep("n3", {"a": np.zeros(3)})
    assert sorted(each.stem for each in folder.iterdir()) == ["n0", "n2", "n3"]


def test_a_folder_that_cannot_be_keeps_nothing(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file")
    assert remember_bodies("name", lambda: KeptBodies(bodies=())).bodies == ()
    assert kept.recall("name") is None
