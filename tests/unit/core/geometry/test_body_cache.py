# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that are kept between runs: the same ones come back, and damage does no harm."""

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from support.surfaces import make_ring
from urdf_importer.core.geometry import array_cache
from urdf_importer.core.geometry.body_cache import KeptBodies, decompose_kept, remember_bodies
from urdf_importer.core.geometry.fitting import Fit
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.model import Box, Capsule, Cylinder, Sphere

FITS = (Box(size=(1.0, 2.0, 0.1)), Sphere(radius=0.3), Cylinder(radius=0.1, length=2.0))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    found = array_cache.find_folder()
    assert found is not None
    return found


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


def make_one() -> KeptBodies:
    mesh = make_mesh((0, 1, 2))
    return KeptBodies(bodies=(Fit(FITS[0], np.eye(4)), mesh), numbers=(1.0,))


def make_mesh(corners: tuple[int, ...]) -> MeshData:
    return MeshData(vertices=np.ones((3, 3), np.float32), corners=np.array(corners, dtype=np.int32))


def test_any_damage_at_all_is_made_anew(folder: Path) -> None:
    remember_bodies("name", make_one)
    (path,) = folder.iterdir()
    sound, count = path.read_bytes(), 0
    for place in range(0, len(sound), 3):
        path.write_bytes(sound[:place] + bytes([sound[place] ^ 0x5A]) + sound[place + 1 :])
        found = remember_bodies("name", make_one)
        assert found.numbers == (1.0,) and len(found.bodies) == 2
        count += (
            path.read_bytes() != sound[:place] + bytes([sound[place] ^ 0x5A]) + sound[place + 1 :]
        )
    assert count > len(sound) // 6


@pytest.mark.parametrize(
    "change",
    [
        {"count": np.array([1, 2])}, {"count": np.array(5)}, {"numbers": np.array(["a"])},
        {"frame 0": np.eye(3)}, {"Box 0": np.zeros(1)}, {"corners 1": np.array([0, 1, 9])},
        {"corners 1": np.array([0, 1, -1])}, {"corners 1": np.array([0, 1])},
        {"corners 1": np.array([0.0, 1.0, 2.0])}, {"vertices 1": np.zeros((3, 2))},
        {"face_sizes 1": np.array([4])},
    ],
)  # fmt: skip
def test_arrays_of_something_else_are_made_anew(
    folder: Path, change: dict[str, "np.typing.NDArray[np.generic]"]
) -> None:
    remember_bodies("name", make_one)
    arrays = array_cache.load_kept("name")
    assert arrays is not None
    array_cache.keep("name", arrays | change)
    assert remember_bodies("name", make_one).numbers == (1.0,)
    assert remember_bodies("name", never).numbers == (1.0,)


@pytest.mark.parametrize("header", ["{'descr': (", "{'descr': (), 'fortran_order': 0, 'shape': ()}",
                                    "-" * 9000 + "1", "{'descr': '<f8', 'fortran_order': False, "
                                    "'shape': (9999999999,), }"])  # fmt: skip
def test_heads_that_no_program_writes_are_made_anew(folder: Path, header: str) -> None:
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "name.npz", "w") as archive:
        head = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
        archive.writestr("count.npy", head + bytes(8))
    assert remember_bodies("name", make_one).numbers == (1.0,)
    assert remember_bodies("name", never).numbers == (1.0,)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
def test_a_fifo_is_not_waited_for_and_replaced(folder: Path) -> None:
    folder.mkdir(parents=True)
    os.mkfifo(folder / "name.npz")
    assert remember_bodies("name", make_one).numbers == (1.0,)
    assert (folder / "name.npz").is_file()


def test_without_a_home_folder_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "caches")
    monkeypatch.setenv("LOCALAPPDATA", "caches")
    monkeypatch.setenv("HOME", "home")
    assert array_cache.find_folder() is None
    for _ in range(2):
        assert remember_bodies("name", make_one).numbers == (1.0,)
    assert not Path("caches").exists() and not Path("home").exists()


def test_the_oldest_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        array_cache.keep(f"n{number}", {"a": np.zeros(3)})
        os.utime(folder / f"n{number}.npz", (number, number))
    size = (folder / "n0.npz").stat().st_size
    monkeypatch.setattr(array_cache, "MOST_BYTES", 3 * size)
    assert array_cache.load_kept("n0") is not None
    array_cache.keep("n3", {"a": np.zeros(3)})
    assert sorted(each.stem for each in folder.iterdir()) == ["n0", "n2", "n3"]


def test_a_folder_that_cannot_be_keeps_nothing(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file")
    assert remember_bodies("name", lambda: KeptBodies(bodies=())).bodies == ()
    assert array_cache.load_kept("name") is None
