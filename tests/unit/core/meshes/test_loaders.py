# SPDX-License-Identifier: GPL-3.0-or-later
"""Which loader reads a file, and what a scale does to what it gives."""

import math
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.geometry.primitives import make_capsule, make_cylinder
from urdf_importer.core.meshes import load_mesh
from urdf_importer.core.meshes.loaders import LOADERS, scale_mesh

ONE = (1.0, 1.0, 1.0)
FACTOR = st.floats(min_value=1e-3, max_value=1e3) | st.floats(min_value=-1e3, max_value=-1e-3)

DAMAGED = Path(__file__).resolve().parents[3] / "data" / "damaged_meshes"

Check = Callable[[MeshData], None]
Volume = Callable[[MeshData], float]
Faces = Callable[[MeshData], list[np.ndarray]]


@pytest.mark.parametrize("name", ["m.stl", "UP.STL", "with space.stl", "über.stl", "a.stl"])
def test_files_called_what_they_are(quirk_meshes: Path, notes, name: str) -> None:
    mesh = load_mesh(quirk_meshes / name, ONE, notes)
    assert (mesh.face_count, notes) == (3, [])
    assert mesh.vertices.max(axis=0).tolist() == [1.0, 2.0, 3.0]
    assert mesh.name == Path(name).stem


@pytest.mark.parametrize("name", ["noext", "really_stl.dae"])
def test_the_content_counts_where_it_is_certain(quirk_meshes: Path, notes, name: str) -> None:
    assert load_mesh(quirk_meshes / name, ONE, notes).face_count == 3
    assert notes.codes == ["wrong-suffix"]


def test_a_text_stl_under_another_name(quirk_meshes: Path, tmp_path: Path, notes) -> None:
    (tmp_path / "a.obj").write_bytes((quirk_meshes / "aup.stl").read_bytes())
    assert load_mesh(tmp_path / "a.obj", ONE, notes).face_count == 3
    assert notes.codes == ["wrong-suffix"]


@pytest.mark.parametrize("name", ["trunc.stl", "trail.stl"])
def test_the_suffix_counts_where_the_content_is_not_certain(
    quirk_meshes: Path, notes, name: str
) -> None:
    assert load_mesh(quirk_meshes / name, ONE, notes).face_count in (2, 3)
    assert "wrong-suffix" not in notes.codes


@pytest.mark.parametrize(
    ("content", "name", "named"),
    [
        (b"what", "a", "of an unknown format"),
        (b"what", "a.xyz", ".xyz"),
        (b"what", "a.XYZ", ".xyz"),
        (b"glTF\2\0\0\0", "a.stl", ".glb"),
        (b"ply\nformat ascii 1.0\n", "a.stl", ".ply"),
        (b"\xef\xbb\xbf\n<?xml version='1.0'?>\n<COLLADA>", "a.stl", ".dae"),
        (b"", "a.xyz", ".xyz"),
    ],
)
def test_formats_that_cannot_be_read(
    tmp_path: Path, notes, monkeypatch: pytest.MonkeyPatch, content: bytes, name: str, named: str
) -> None:
    monkeypatch.setattr("urdf_importer.core.meshes.loaders.LOADERS", {".stl": LOADERS[".stl"]})
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MeshError) as caught:
        load_mesh(tmp_path / name, ONE, notes)
    assert caught.value.code == "unsupported-mesh-format"
    assert named in caught.value.message
    assert notes == []


@pytest.mark.parametrize("name", ["lfs.stl", "lfs.dae", "lfs"])
def test_a_git_lfs_pointer_is_named_whatever_its_suffix(
    quirk_meshes: Path, tmp_path: Path, notes, name: str
) -> None:
    (tmp_path / name).write_bytes((quirk_meshes / "lfs.stl").read_bytes())
    with pytest.raises(MeshError) as caught:
        load_mesh(tmp_path / name, ONE, notes)
    assert caught.value.code == "git-lfs-pointer"
    assert "git lfs pull" in caught.value.message


@pytest.mark.parametrize(
    ("kind", "code"),
    [("fifo", "not-a-file"), ("folder", "not-a-file"), ("missing", "missing-mesh")],
)
def test_what_is_no_file(tmp_path: Path, notes, kind: str, code: str) -> None:
    path = tmp_path / "a.stl"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(MeshError) as caught:
        load_mesh(path, ONE, notes)
    assert caught.value.code == code


@pytest.mark.parametrize("name", ["a\0.stl", "\udcff\ud800.stl", "x" * 300 + ".stl", "a.stl/b.stl"])
def test_names_that_no_system_takes(quirk_meshes: Path, notes, name: str) -> None:
    with pytest.raises(MeshError):
        load_mesh(quirk_meshes / name, ONE, notes)


@pytest.mark.parametrize(
    "scale",
    [
        (1.0, 0.0, 1.0),
        (0.0, 0.0, 0.0),
        (1.0, -0.0, 1.0),
        (1.0, 1.0, math.nan),
        (math.inf, 1.0, 1.0),
        (1e300, 1e300, 1e300),
        (1e-300, 1.0, 1.0),
        (1e11, 1.0, 1.0),
    ],
)
def test_scales_that_leave_nothing(quirk_meshes: Path, notes, scale) -> None:
    with pytest.raises(MeshError) as caught:
        load_mesh(quirk_meshes / "m.stl", scale, notes)
    assert caught.value.code == "invalid-scale"


@pytest.mark.parametrize(
    ("scale", "box"),
    [
        ((0.001, 0.001, 0.001), (0.001, 0.002, 0.003)),
        ((1.0, 2.0, 3.0), (1.0, 4.0, 9.0)),
        ((-2.0, -1.0, 1.0), (2.0, 2.0, 3.0)),
    ],
)
def test_the_scale_counts_per_axis(quirk_meshes: Path, notes, scale, box) -> None:
    mesh = load_mesh(quirk_meshes / "m.stl", scale, notes)
    assert np.allclose(np.ptp(mesh.vertices, axis=0), box, rtol=1e-6)


def closed_stl() -> MeshData:
    """A tetrahedron of triangles without face sizes, as STL files give."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    corners = np.array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], dtype=np.int32)
    return MeshData(vertices=vertices, corners=corners, name="tetrahedron")


@given(
    st.sampled_from([closed_stl(), make_cylinder(0.5, 2.0), make_capsule(0.5, 1.0)]),
    st.tuples(FACTOR, FACTOR, FACTOR),
)
def test_mirroring_keeps_the_outside_outside(
    check: Check, volume: Volume, faces: Faces, mesh: MeshData, scale
) -> None:
    scaled = scale_mesh(mesh, scale)
    check(scaled)
    assert math.isclose(volume(scaled), volume(mesh) * abs(math.prod(scale)), rel_tol=1e-3)
    assert (scaled.face_count, scaled.smooth, scaled.name) == (
        mesh.face_count,
        mesh.smooth,
        mesh.name,
    )
    if scaled.normals is not None:
        sizes = np.cumsum(scaled.face_sizes)[:-1]
        for face, normals in zip(faces(scaled), np.split(scaled.normals, sizes), strict=True):
            outward = np.cross(face[1] - face[0], face[2] - face[0])
            assert (normals @ (outward / np.linalg.norm(outward)) > 0.0).all()


def test_normals_stay_orthogonal_to_a_stretched_surface() -> None:
    mesh = scale_mesh(make_cylinder(1.0, 2.0), (3.0, 1.0, -1.0))
    assert mesh.normals is not None
    x, y, _ = mesh.vertices[mesh.corners[:128]].astype(float).T
    tangents = np.column_stack([-y * 9.0, x, np.zeros(128)])
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    assert np.abs((tangents * mesh.normals[:128]).sum(axis=1)).max() < 1e-6


def test_scaling_by_one_costs_nothing() -> None:
    mesh = closed_stl()
    assert scale_mesh(mesh, ONE) is mesh


def test_the_original_is_left_alone() -> None:
    mesh = closed_stl()
    before = (mesh.vertices.tobytes(), mesh.corners.tobytes())
    scale_mesh(mesh, (-1.0, 2.0, 3.0))
    assert (mesh.vertices.tobytes(), mesh.corners.tobytes()) == before


# What long searches of damaged files came upon


def test_a_number_too_large_in_a_text_that_breaks_off(notes, check: Check) -> None:
    check(load_mesh(DAMAGED / "overflow_in_broken_off_text.stl", ONE, notes))
    assert notes.codes == ["invalid-facets", "empty-mesh"]


def test_a_signalling_nan(notes) -> None:
    with pytest.raises(MeshError) as caught:
        load_mesh(DAMAGED / "signalling_nan.glb", ONE, notes)
    assert [*notes.codes, caught.value.code] == ["invalid-facets", "empty-mesh"]
