# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that are written are read as what they were, by our readers and by others."""

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import trimesh

from urdf_importer.core.geometry.mesh_data import MeshData, MeshMaterial
from urdf_importer.core.geometry.primitives import make_capsule
from urdf_importer.core.geometry.triangles import Triangles, make_triangles, split_by_material
from urdf_importer.core.images import encode_png
from urdf_importer.core.meshes import load_mesh
from urdf_importer.core.meshes.write_files import MeshFormat, write_mesh_files

FORMATS = get_args(MeshFormat)
RED = MeshMaterial(name="red paint", color=(1.0, 0.25, 0.125, 1.0))
GLASS = MeshMaterial(name="glass", color=(0.5, 0.75, 1.0, 0.25))


def picture() -> bytes:
    colors = np.zeros((2, 3, 4), dtype=np.uint8)
    colors[..., 0], colors[..., 3] = 200, 255
    return encode_png(colors)


def odd_mesh(materials: tuple[MeshMaterial, ...], *, uvs: bool = False) -> MeshData:
    """A capsule, squeezed so that its numbers need all their digits, quads and all."""
    made = make_capsule(0.1, 0.3)
    random = np.random.default_rng(7)
    vertices = made.vertices * [1.0, 0.7, 1.3] + random.normal(0.0, 1e-3, made.vertices.shape)
    count = made.face_count
    return MeshData(
        vertices=vertices.astype(np.float32),
        corners=made.corners,
        face_sizes=made.face_sizes,
        smooth=True,
        uvs=random.random((len(made.corners), 2)).astype(np.float32) if uvs else None,
        materials=materials,
        slots=(np.arange(count) % len(materials)).astype(np.int32) if materials else None,
    )


def read(data: MeshData, format: str, folder: Path) -> MeshData:
    written = write_mesh_files(data, "part", format)  # type: ignore[arg-type]
    for name, content in written.files.items():
        (folder / name).write_bytes(content)
    notes: list[tuple[str, str]] = []
    found = load_mesh(
        folder / f"part.{format}",
        (1.0, 1.0, 1.0),
        lambda code, message: notes.append((code, message)),
        lambda uri, kind: folder / uri,
    )
    assert not notes
    return found


def points_of(triangles: Triangles) -> Any:
    """(T, 3, 3) in an order of their own; each triangle begins at its least corner."""
    points = triangles.vertices[triangles.corners].reshape(-1, 3, 3).astype(np.float64)
    first = np.lexsort(points.transpose(2, 0, 1), axis=-1)[:, 0]
    turned = (first[:, None] + np.arange(3)) % 3
    points = np.take_along_axis(points, turned[..., None], axis=1)
    return points[np.lexsort(points.reshape(-1, 9).T)]


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_read_is_what_was_written(format: str, tmp_path: Path) -> None:
    data = odd_mesh((RED, GLASS) if format != "stl" else (), uvs=format != "stl")
    found = read(data, format, tmp_path)
    before, after = make_triangles(data)[0], make_triangles(found)[0]
    np.testing.assert_array_equal(points_of(after), points_of(before))
    if format != "stl":
        assert found.uvs is not None and data.uvs is not None
        np.testing.assert_allclose(found.uvs.min(axis=0), data.uvs.min(axis=0), atol=1e-6)
        looks = [part for part, _ in split_by_material(found)]
        np.testing.assert_allclose(
            [look.color for look in looks if look], [RED.color, GLASS.color], atol=1e-6
        )
        counts = [triangles.count for _, triangles in split_by_material(found)]
        assert counts == [triangles.count for _, triangles in split_by_material(data)]


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "stl"])
def test_images_come_along(format: str, tmp_path: Path) -> None:
    image = tmp_path / "some picture.png"
    image.write_bytes(picture())
    textured = MeshMaterial(name="painted", texture=image)
    folder = tmp_path / "out"
    folder.mkdir()
    found = read(odd_mesh((textured,), uvs=True), format, folder)
    material = found.materials[0]
    content = material.image or (material.texture and material.texture.read_bytes())
    assert content == picture()


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # pycollada's own
@pytest.mark.parametrize("format", FORMATS)
def test_other_libraries_see_the_same(format: str, tmp_path: Path) -> None:
    data = odd_mesh((RED, GLASS) if format != "stl" else ())
    read(data, format, tmp_path)
    others: Any = trimesh.load_scene(tmp_path / f"part.{format}").to_mesh()
    triangles = make_triangles(data)[0]
    diagonal = np.linalg.norm(np.ptp(data.vertices, axis=0))
    assert len(others.faces) == triangles.count
    np.testing.assert_allclose(
        others.bounds, [data.vertices.min(0), data.vertices.max(0)], atol=1e-6 * diagonal
    )
    volume = trimesh.Trimesh(triangles.vertices, triangles.faces, process=False).volume
    assert others.volume == pytest.approx(volume, rel=1e-5)


def test_stl_says_what_it_loses() -> None:
    assert "colours" in write_mesh_files(odd_mesh((RED, GLASS)), "a", "stl").lost
    assert not write_mesh_files(odd_mesh((RED,)), "a", "stl").lost
    painted = MeshMaterial(image=picture())
    assert "images" in write_mesh_files(odd_mesh((painted,), uvs=True), "a", "stl").lost


def test_a_lost_image_is_said() -> None:
    broken = MeshMaterial(name="b", image=b"no image at all")
    assert write_mesh_files(odd_mesh((broken,), uvs=True), "a", "glb").lost
