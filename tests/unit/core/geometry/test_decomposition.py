# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as convex parts: few, hardly larger than the mesh, and around all of it."""

import numpy as np
import pytest

from support.surfaces import Faces, Points, Surface, make_l, make_ring, make_surface
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.geometry.decomposition import MOST_CUT, decompose
from urdf_importer.core.geometry.fitting import Primitive
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.geometry.triangles import Triangles, make_triangles
from urdf_importer.core.geometry.volumes import mesh_mass
from urdf_importer.core.model import Box, Capsule, Cylinder, Sphere


def turn(surface: Surface, seed: int) -> Surface:
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return surface[0] @ rotation * np.sign(np.linalg.det(rotation)) + 0.3, surface[1]


def find_volume(vertices: Points, faces: Faces) -> float:
    mass = mesh_mass(Triangles(vertices.astype(np.float32), faces.ravel().astype(np.int32)))
    assert mass is not None
    return mass.volume


def sum_volumes(parts: tuple[MeshData, ...]) -> float:
    found = [mesh_mass(make_triangles(part)[0]) for part in parts]
    return sum(each.volume if each else 0.0 for each in found)


def find_worst_miss(surface: Surface, parts: tuple[MeshData, ...]) -> float:
    """How far points of the surface and its corners are outside of all parts at most."""
    vertices, faces = surface
    soup = vertices[faces]
    random = np.random.default_rng(0)
    areas = np.linalg.norm(np.cross(soup[:, 1] - soup[:, 0], soup[:, 2] - soup[:, 0]), axis=1)
    chosen = random.choice(len(soup), 2000, p=areas / areas.sum())
    weights = random.dirichlet((1.0, 1.0, 1.0), 2000)
    drawn = np.einsum("ni,nij->nj", weights, soup[chosen])
    points = np.concatenate([drawn, vertices[np.unique(faces)]])
    misses = [_find_distance(points, part) for part in parts]
    return float(np.min(misses, axis=0).max())


def _find_distance(points: Points, part: MeshData) -> Points:
    corners = part.vertices.astype(np.float64)
    a, b, c = np.moveaxis(corners[make_triangles(part)[0].faces], 1, 0)
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    distance: Points = (points @ normals.T - (corners @ normals.T).max(axis=0)).max(axis=1)
    return distance


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize(("surface", "most"), [(make_ring(), 1.3), (make_l(), 1.1)], ids=["o", "l"])
def test_parts_are_hardly_larger_than_a_body_that_is_not_convex(
    surface: Surface, most: float, seed: int | None
) -> None:
    turned = surface if seed is None else turn(surface, seed)
    parts = decompose(*turned)
    assert len(parts) <= 16
    assert 0.99 <= sum_volumes(parts) / find_volume(*turned) <= most
    assert find_worst_miss(turned, parts) <= 1e-6


@pytest.mark.parametrize("most", [1, 2, 5, 8])
def test_there_are_no_more_parts_and_triangles_than_wanted(most: int) -> None:
    surface = make_ring()
    parts = decompose(*surface, most_parts=most, most_triangles=24)
    assert len(parts) <= most
    assert max(part.face_count for part in parts) <= 24
    assert find_worst_miss(surface, parts) <= 1e-6


def test_the_same_mesh_gives_the_same_parts() -> None:
    once, again = (decompose(*make_l()) for _ in range(2))
    assert [part.vertices.tolist() for part in once] == [part.vertices.tolist() for part in again]


@pytest.mark.parametrize(
    "shape",
    [
        Box(size=(1.0, 0.5, 0.2)),
        Cylinder(radius=0.2, length=1.0),
        Sphere(radius=0.5),
        Capsule(radius=0.2, length=0.6),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_a_convex_body_is_one_part(shape: Primitive) -> None:
    surface = turn(make_surface(shape), 1)
    (part,) = decompose(*surface)
    assert find_worst_miss(surface, (part,)) <= 1e-6


def test_the_parts_of_a_ring_leave_its_middle_free() -> None:
    parts = decompose(*make_ring())
    middle = np.zeros((1, 3))
    assert min(float(_find_distance(middle, part)[0]) for part in parts) > 0.8


def test_two_bodies_are_two_parts() -> None:
    vertices, faces = make_surface(Box(size=(0.2, 0.2, 0.2)))
    moved = vertices + np.array([1.0, 0.0, 0.0])
    both = (
        np.concatenate([vertices, moved]),
        np.concatenate([faces, faces + 8]),
    )
    parts = decompose(*both)
    assert len(parts) == 2
    assert sum_volumes(parts) == pytest.approx(0.016, rel=0.01)


def tear(surface: Surface) -> Surface:
    """Every fifth triangle is gone, every third turned about, one there three times."""
    vertices, faces = surface
    kept = faces[np.arange(len(faces)) % 5 > 0]
    kept[::3] = kept[::3, ::-1]
    return vertices, np.concatenate([kept, kept[:1], kept[:1]])


@pytest.mark.parametrize("surface", [make_ring(), make_l()], ids=["o", "l"])
def test_a_torn_mesh_is_covered_too(surface: Surface) -> None:
    torn = tear(surface)
    parts = decompose(*torn)
    assert 1 <= len(parts) <= 16
    assert find_worst_miss(torn, parts) <= 1e-6


def test_a_flat_mesh_is_a_thin_box() -> None:
    flat = np.array([(0, 0, 0), (1, 0, 0), (1, 2, 0), (0, 2, 0)], dtype=np.float64)
    (part,) = decompose(flat, [(0, 1, 2), (0, 2, 3)])
    assert part.face_count == 6
    assert sorted(np.ptp(part.vertices, axis=0)) == pytest.approx([2e-4, 1.0, 2.0])


def test_one_triangle_is_a_thin_box() -> None:
    (part,) = decompose([(0, 0, 0), (1, 0, 0), (0, 1, 1)], [(0, 1, 2)])
    assert part.face_count == 6


def test_triangles_in_one_place_are_a_tiny_box() -> None:
    (part,) = decompose(np.ones((3, 3)), [(0, 1, 2)])
    assert float(np.ptp(part.vertices, axis=0).max()) < 1e-4


def test_no_triangles_make_no_parts() -> None:
    assert decompose(np.zeros((0, 3)), np.zeros((0, 3))) == ()


def test_places_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(MeshError, match="not finite"):
        decompose([(0, 0, 0), (1, 0, np.nan), (0, 1, 1)], [(0, 1, 2)])


def test_a_huge_mesh_is_one_part() -> None:
    vertices, faces = make_ring(count=MOST_CUT // 8 + 1)
    parts = decompose(vertices, faces, most_triangles=64)
    assert len(parts) == 1
    assert find_worst_miss((vertices, faces[::100]), parts) <= 1e-6


def test_a_large_mesh_is_cut_in_pieces_of_memory() -> None:
    surface = make_ring(count=30_000)
    parts = decompose(*surface, most_parts=8)
    assert 4 <= len(parts) <= 8
    assert sum_volumes(parts) / find_volume(*surface) < 1.4
    assert find_worst_miss(surface, parts) <= 1e-6


def test_after_its_time_a_mesh_is_what_it_is_by_then() -> None:
    assert len(decompose(*make_ring(), seconds=0.0)) == 1
