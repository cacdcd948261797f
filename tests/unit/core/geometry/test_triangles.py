# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons as triangles, normals, texture coordinates, fewer triangles."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.webots.point_clouds import turn
from urdf_importer.core.geometry.mesh_data import MeshData, MeshMaterial
from urdf_importer.core.geometry.primitives import make_box, make_primitive, make_sphere
from urdf_importer.core.geometry.simplify import simplify
from urdf_importer.core.geometry.triangles import (
    Triangles,
    corner_normals,
    flat_normals,
    make_triangles,
    project_on_box,
    split_by_material,
)
from urdf_importer.core.model import Cylinder


def polygon(points: list[tuple[float, float]], seed: int) -> MeshData:
    """One face in space, turned anyhow."""
    flat = np.column_stack([np.array(points, dtype=float), np.zeros(len(points))])
    count = len(points)
    return MeshData(
        vertices=(flat @ turn(seed).T + 3.0).astype(np.float32),
        corners=np.arange(count, dtype=np.int32),
        face_sizes=np.array([count], dtype=np.int32),
        uvs=flat[:, :2].astype(np.float32),
    )


def areas(triangles: Triangles) -> np.ndarray:
    a, b, c = (triangles.vertices[triangles.corners[i::3]].astype(float) for i in range(3))
    crossed = np.cross(b - a, c - a)
    middle = crossed.sum(axis=0)
    return crossed @ middle / np.linalg.norm(middle) / 2.0


ARROW = [(0.0, 0.0), (2.0, 0.0), (0.5, 0.5), (0.0, 2.0)]
L_SHAPE = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)]
_TEETH = [(5, 0), (5, 3), (4, 3), (4, 1), (3, 1), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)]
COMB = [(0.0, 0.0), *((float(x), float(y)) for x, y in _TEETH)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("points", "area"), [(ARROW, 1.0), (L_SHAPE, 5.0), (COMB, 11.0)])
@pytest.mark.parametrize("start", [0, 1, 2, 3])
def test_polygons_that_are_not_convex(
    points: list[tuple[float, float]], area: float, seed: int, start: int
) -> None:
    """No triangle is turned over and together they have the surface: none sticks out."""
    turned = points[start:] + points[:start]
    triangles, _ = make_triangles(polygon(turned, seed))
    assert triangles.count == len(points) - 2
    assert (areas(triangles) > 0.0).all()
    assert areas(triangles).sum() == pytest.approx(area, rel=1e-5)
    # What stands at the corners goes with them.
    assert triangles.uvs is not None
    placed = np.column_stack([triangles.uvs, np.zeros(len(triangles.uvs))]) @ turn(seed).T + 3.0
    assert np.allclose(placed, triangles.vertices[triangles.corners], atol=1e-5)


def test_quads_keep_volume_and_normals() -> None:
    mesh = make_primitive(Cylinder(radius=1.0, length=2.0))
    triangles, _ = make_triangles(mesh)
    assert triangles.count == int((mesh.face_sizes - 2).sum())  # type: ignore[operator]
    outward = np.einsum("ij,ij->i", np.repeat(flat_normals(triangles), 3, 0), triangles.normals)
    assert (outward > 0.9).all()


def test_split_by_material_keeps_every_face_once() -> None:
    red, blue = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
    looks = (
        MeshMaterial(name="red", color=red),
        MeshMaterial(name="unused"),
        MeshMaterial(name="blue", color=blue),
        MeshMaterial(name="red again", color=red),
    )
    box = make_box((1.0, 2.0, 3.0))
    slots = np.array([0, 3, 2, 2, 2, 0], dtype=np.int32)
    parts = list(split_by_material(replace(box, materials=looks, slots=slots)))
    assert [look.name for look, _ in parts if look] == ["red", "blue"]
    assert [part.count for _, part in parts] == [6, 6]
    together = np.concatenate([part.vertices[part.corners] for _, part in parts])
    whole, _ = make_triangles(box)
    assert sorted(together.tolist()) == sorted(whole.vertices[whole.corners].tolist())
    assert all(len(np.unique(part.corners)) == len(part.vertices) for _, part in parts)


def test_slot_beyond_the_materials_is_the_last_one() -> None:
    looks = (MeshMaterial(name="a"), MeshMaterial(name="b", image_alpha=True))
    slots = np.array([0, 1, 7, 7, 0, 0], dtype=np.int32)
    box = replace(make_box((1.0, 1.0, 1.0)), materials=looks, slots=slots)
    assert [part.count for _, part in split_by_material(box)] == [6, 6]


def test_normals_of_a_smooth_mesh_point_outward() -> None:
    triangles, _ = make_triangles(make_sphere(2.0))
    normals = corner_normals(triangles)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-5)
    assert (np.einsum("ij,ij->i", normals, triangles.vertices[triangles.corners]) > 1.98).all()
    flat = corner_normals(replace(triangles, smooth=False))
    assert np.array_equal(flat[0::3], flat[1::3])


def test_box_projection_shows_the_image_upright_on_each_side() -> None:
    triangles, _ = make_triangles(make_box((1.0, 2.0, 4.0)))
    uvs = project_on_box(triangles)
    assert uvs.min() == 0.0 and uvs.max() == 1.0
    sides = np.repeat(np.abs(flat_normals(triangles)).argmax(axis=1), 3)
    points = triangles.vertices[triangles.corners]
    upright = sides < 2
    assert np.allclose(uvs[upright, 1], points[upright, 2] / 4.0 + 0.5)


@pytest.mark.parametrize("most", [4, 12, 50, 200, 500])
def test_simplified_meshes_stay_within_a_cell(most: int) -> None:
    triangles, _ = make_triangles(make_sphere(1.0))
    fewer = simplify(triangles, most)
    if most == 4:
        # No grid of cells makes a ball a tetrahedron.
        assert fewer is None
        return
    assert fewer is not None and 0 < fewer.count <= most
    distances = np.linalg.norm(fewer.vertices, axis=1)
    assert distances.max() <= 1.0 + 1e-6
    if most >= 200:
        assert fewer.count > most // 4
        assert distances.min() > 0.8


def test_a_mesh_within_the_budget_stays() -> None:
    triangles, _ = make_triangles(make_sphere(1.0))
    assert simplify(triangles, triangles.count) is triangles


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 30))
def test_any_triangles_simplify(seed: int, count: int, most: int) -> None:
    generator = np.random.default_rng(seed)
    vertices = generator.normal(size=(count + 2, 3)).astype(np.float32)
    corners = generator.integers(0, count + 2, 3 * count).astype(np.int32)
    fewer = simplify(Triangles(vertices, corners), most)
    assert fewer is None or 0 < fewer.count <= max(most, 0) or count <= most
