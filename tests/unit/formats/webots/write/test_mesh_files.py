# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files and face sets, read back by others."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.webots.webots_shapes import Points, points_of_file
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.geometry.primitives import make_box, make_cylinder, make_sphere
from urdf_importer.core.geometry.triangles import Triangles, flat_normals, make_triangles
from urdf_importer.core.meshes import load_mesh
from urdf_importer.core.meshes.write import write_obj, write_stl
from urdf_importer.core.writers.file_folder import FileFolder
from urdf_importer.formats.webots.write.shapes.face_sets import make_face_set
from urdf_importer.formats.webots.write.shapes.mesh_files import ProtoMeshes
from urdf_importer.formats.webots.write.vrml import write_node


def triangles_of(mesh: MeshData) -> Triangles:
    return make_triangles(mesh)[0]


def corners_of(triangles: Triangles) -> Points:
    return triangles.vertices[triangles.corners].astype(np.float64)


def with_uvs(triangles: Triangles) -> Triangles:
    generator = np.random.default_rng(1)
    return replace(triangles, uvs=generator.random((3 * triangles.count, 2), dtype=np.float32))


def silent(_code: str, _message: str) -> None:
    pass


BOX = triangles_of(make_box((0.1, 0.2, 0.3)))
SMOOTH = triangles_of(make_cylinder(0.1, 0.4))


def test_stl_is_read_back_exactly(tmp_path: Path) -> None:
    path = tmp_path / "box.stl"
    path.write_bytes(write_stl(BOX))
    assert np.array_equal(points_of_file(path), corners_of(BOX))
    assert not path.read_bytes().lower().startswith(b"solid")
    facets = np.frombuffer(path.read_bytes(), dtype="<f4,<f4,<f4,(9,)<f4,<u2", offset=84)
    normals = np.column_stack([facets[f"f{axis}"] for axis in range(3)])
    assert np.array_equal(normals, flat_normals(BOX))


@pytest.mark.parametrize("triangles", [BOX, SMOOTH, with_uvs(SMOOTH)], ids=["flat", "own", "uvs"])
def test_obj_is_read_back_exactly(triangles: Triangles, tmp_path: Path) -> None:
    """By trimesh the points; by the importer, which keeps them, normals and coordinates too."""
    path = tmp_path / "mesh.obj"
    path.write_bytes(write_obj(triangles))
    assert np.array_equal(points_of_file(path).astype(np.float32), corners_of(triangles))
    mesh = load_mesh(path, (1.0, 1.0, 1.0), silent)
    assert mesh.normals is not None
    own = triangles.normals
    truth = np.repeat(flat_normals(triangles), 3, axis=0) if own is None else own
    assert np.allclose(mesh.normals, truth, atol=1e-6)
    if triangles.uvs is None:
        assert mesh.uvs is None
    else:
        assert mesh.uvs is not None and np.array_equal(mesh.uvs, triangles.uvs)


def numbers_after(word: str, text: str) -> list[float]:
    found = re.search(rf"\b{word} \[([^\]]*)\]", text)
    assert found is not None, word
    return [float(number) for number in found[1].split()]


def rows_of(kind: str, index: str, width: int, text: str) -> Points:
    rows = np.array(numbers_after(kind, text)).reshape(-1, width)
    indices = np.array(numbers_after(index, text)).astype(int).reshape(-1, 4)
    assert (indices[:, 3] == -1).all()
    return rows[indices[:, :3].ravel()]


def test_face_set_has_every_corner() -> None:
    triangles = with_uvs(SMOOTH)
    text = write_node(make_face_set(triangles))
    assert triangles.normals is not None and triangles.uvs is not None
    points = text[text.index("coord Coordinate") : text.index("normal Normal")]
    assert np.array_equal(
        rows_of("point", "coordIndex", 3, points).astype(np.float32), corners_of(triangles)
    )
    normals = text[text.index("normal Normal") : text.index("texCoord Tex")]
    found = rows_of("vector", "normalIndex", 3, normals).astype(np.float32)
    assert np.array_equal(found, triangles.normals + np.float32(0))
    uvs = text[text.index("texCoord Tex") :]
    assert np.array_equal(
        rows_of("point", "texCoordIndex", 2, uvs).astype(np.float32), triangles.uvs
    )
    assert "creaseAngle" not in text


def test_face_set_without_normals_says_how_to_shade() -> None:
    assert "creaseAngle 0.5" in write_node(make_face_set(BOX))
    assert "creaseAngle 3.14159" in write_node(make_face_set(replace(BOX, smooth=True)))


def test_face_set_that_collides_is_nothing_but_triangles() -> None:
    node = make_face_set(with_uvs(SMOOTH), collides=True)
    assert set(node.fields) == {"coord", "coordIndex"}


@pytest.fixture
def files(tmp_path: Path) -> ProtoMeshes:
    return ProtoMeshes(FileFolder(tmp_path / "out", "out/"))


def written(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "out").iterdir())


def test_equal_content_is_written_once(files: ProtoMeshes, tmp_path: Path) -> None:
    assert files.write(BOX, "arm") == "out/arm.stl"
    assert files.write(triangles_of(make_box((0.1, 0.2, 0.3))), "leg") == "out/arm.stl"
    assert files.write_body(BOX, "arm_collision") == "out/arm.stl"
    assert written(tmp_path) == ["arm.stl"]


def test_names_are_plain_and_differ_without_regard_to_case(
    files: ProtoMeshes, tmp_path: Path
) -> None:
    sizes = [0.1, 0.2, 0.3, 0.4]
    boxes = [triangles_of(make_box((size, size, size))) for size in sizes]
    names = ["Arm", "arm", '../../étc/ä b"c', ""]
    urls = [files.write(box, name) for box, name in zip(boxes, names, strict=True)]
    assert urls == ["out/Arm.stl", "out/arm_2.stl", "out/tc_b_c.stl", "out/mesh.stl"]
    assert len(written(tmp_path)) == 4


def test_format_follows_what_a_mesh_has(files: ProtoMeshes) -> None:
    assert files.write(BOX, "plain").endswith(".stl")
    for rich in (SMOOTH, with_uvs(BOX), replace(BOX, smooth=True)):
        assert files.write(rich, "rich").endswith(".obj")
    assert files.write_body(with_uvs(SMOOTH), "body").endswith(".stl")


def test_a_good_binary_stl_is_copied(files: ProtoMeshes, tmp_path: Path) -> None:
    source = tmp_path / "Good.STL"
    content = b"made by somebody".ljust(80) + write_stl(BOX)[80:]
    source.write_bytes(content)
    assert files.copy(source, BOX) == "out/Good.stl"
    assert (tmp_path / "out" / "Good.stl").read_bytes() == content


@pytest.mark.parametrize("damage", ["normals", "nan", "missing", "text", "suffix", "turned"])
def test_what_webots_would_see_differently_is_not_copied(
    damage: str, files: ProtoMeshes, tmp_path: Path
) -> None:
    source = tmp_path / ("box.stl" if damage != "suffix" else "box.mesh")
    content = bytearray(write_stl(BOX))
    if damage == "normals":
        content[84:96] = bytes(12)
    elif damage == "nan":
        content[96:100] = b"\xff\xff\xff\xff"
    elif damage == "missing":
        content = content[:-20]
    elif damage == "text":
        content = bytearray(b"solid box\nendsolid box\n")
    elif damage == "turned":
        content[84:96] = (-np.frombuffer(bytes(content[84:96]), dtype="<f4")).tobytes()
    source.write_bytes(bytes(content))
    assert files.copy(source, BOX) is None
    assert not (tmp_path / "out").exists()


def test_a_sphere_keeps_its_volume(tmp_path: Path) -> None:
    path = tmp_path / "ball.obj"
    ball = triangles_of(make_sphere(1.0))
    path.write_bytes(write_obj(ball))
    a, b, c = points_of_file(path).reshape(-1, 3, 3).transpose(1, 0, 2)
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(4.19, rel=0.03)
