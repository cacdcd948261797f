# SPDX-License-Identifier: GPL-3.0-or-later
"""MuJoCo's own binary meshes, as MuJoCo has them, and bytes that lie."""

from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest

from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.meshes import load_mesh
from urdf_importer.core.meshes.write_files import write_mesh_files

ONE = (1.0, 1.0, 1.0)
Check = Callable[[MeshData], None]
POINTS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
NORMALS = [(0.0, 0.0, -1.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
UVS = [(0.0, 0.25), (1.0, 0.5), (0.25, 1.0), (0.5, 0.0)]


def msh(
    faces: list[tuple[int, int, int]] = FACES, *, normals: bool = False, uvs: bool = False
) -> bytes:
    counts = [4, 4 * normals, 4 * uvs, len(faces)]
    data = np.array(counts, "<i4").tobytes() + np.array(POINTS, "<f4").tobytes()
    data += np.array(NORMALS, "<f4").tobytes() * normals + np.array(UVS, "<f4").tobytes() * uvs
    return data + np.array(faces, "<i4").tobytes()


@pytest.fixture
def load(tmp_path: Path, notes, check: Check) -> Callable[[bytes], MeshData]:
    def load_bytes(content: bytes) -> MeshData:
        path = tmp_path / "part.msh"
        path.write_bytes(content)
        mesh = load_mesh(path, ONE, notes)
        check(mesh)
        return mesh

    return load_bytes


def compiled(folder: Path, name: str) -> mujoco.MjModel:
    text = f'<mujoco><asset><mesh name="m" file="{name}"/></asset><worldbody><geom type="mesh" '
    (folder / "m.xml").write_text(text + 'mesh="m"/></worldbody></mujoco>')
    return mujoco.MjModel.from_xml_path(str(folder / "m.xml"))


@pytest.mark.parametrize("normals", [False, True])
@pytest.mark.parametrize("uvs", [False, True])
def test_points_normals_and_images_are_those_of_mujoco(
    load, notes, tmp_path: Path, normals: bool, uvs: bool
) -> None:
    mesh = load(msh(normals=normals, uvs=uvs))
    assert not notes and mesh.corners.reshape(-1, 3).tolist() == [list(face) for face in FACES]
    assert mesh.vertices.tolist() == [list(point) for point in POINTS]
    theirs = compiled(tmp_path, "part.msh")
    assert theirs.mesh_face.tolist() == mesh.corners.reshape(-1, 3).tolist()
    if mesh.normals is not None:
        assert normals and mesh.normals[2].tolist() == [1.0, 0.0, 0.0]
    for file, content in write_mesh_files(mesh, "part", "obj").files.items():
        (tmp_path / file).write_bytes(content)
    other = compiled(tmp_path, "part.obj")
    assert (mesh.uvs is not None) == uvs
    if uvs:  # MuJoCo turns the images of OBJ over, and its own not.
        corners = theirs.mesh_texcoord[theirs.mesh_facetexcoord.ravel()]
        assert (corners == other.mesh_texcoord[other.mesh_facetexcoord.ravel()]).all()


def test_points_alone_become_their_hull(load, notes) -> None:
    mesh = load(msh([]))
    assert (mesh.face_count, len(mesh.vertices), notes) == (4, 4, [])


def test_indices_that_are_not_there(load, notes) -> None:
    mesh = load(msh([(0, 2, 1), (0, 1, 9), (-1, 0, 1)], normals=True))
    assert (mesh.face_count, notes.codes) == (1, ["invalid-facets"])


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "unreadable-mesh"),
        (b"$MeshFormat\n4.1 0 8\n", "unreadable-mesh"),
        (msh()[:-1], "unreadable-mesh"),
        (msh() + b"more", "unreadable-mesh"),
        (np.array([2**31 - 1] * 4, "<i4").tobytes(), "unreadable-mesh"),
        (np.array([-4, 0, 0, 4], "<i4").tobytes(), "unreadable-mesh"),
        (np.array([0, 1, 0, 0, 0, 0, 0], "<i4").tobytes(), "unreadable-mesh"),
        (np.zeros(4, "<i4").tobytes(), "empty-mesh"),
        (np.array([1, 0, 0, 0], "<i4").tobytes() + b"\xff" * 12, "empty-mesh"),
        (msh([(9, 9, 9)]), "empty-mesh"),
    ],
)
def test_what_is_no_mesh(load, content: bytes, code: str) -> None:
    with pytest.raises(MeshError) as caught:
        load(content)
    assert caught.value.code == code
