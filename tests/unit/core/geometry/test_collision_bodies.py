# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mesh becomes where it collides."""

import numpy as np
import pytest

from support.webots.point_clouds import CASES, Points
from support.webots.webots_shapes import DIRECTIONS
from urdf_importer.core.geometry.collision_bodies import AUTO_HULL_TRIANGLES, KINDS, fit_collision
from urdf_importer.core.geometry.fitting import Fit
from urdf_importer.core.geometry.hulls import convex_hull
from urdf_importer.core.geometry.primitives import make_primitive
from urdf_importer.core.geometry.triangles import Triangles, make_triangles
from urdf_importer.core.model import Box, Capsule, Cylinder, Sphere

ROUND = [Cylinder(radius=0.3, length=1.0), Sphere(radius=0.2), Capsule(radius=0.1, length=0.9)]


def mesh_of(shape: Box | Cylinder | Sphere | Capsule) -> Triangles:
    return make_triangles(make_primitive(shape))[0]


def hull_mesh(points: Points) -> Triangles:
    hull = convex_hull(points)
    assert hull is not None
    return Triangles(hull.vertices.astype(np.float32), hull.triangles.ravel().astype(np.int32))


def assert_hull_contains(body: Triangles, points: Points) -> None:
    """In the single precision in which the files hold it: the body reaches as far as the points
    along every direction in which these have a side, and all around."""
    hull = convex_hull(points)
    assert hull is not None
    directions = np.concatenate([hull.normals, DIRECTIONS])
    vertices = body.vertices.astype(np.float64)
    lacks = (points @ directions.T).max(axis=0) - (vertices @ directions.T).max(axis=0)
    assert lacks.max() <= 1e-7 * np.ptp(points, axis=0).max() + 1e-7 * np.abs(points).max()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [Box(size=(0.2, 0.4, 0.6)), *ROUND], ids=lambda s: str(s))
def test_every_kind_of_every_shape(kind: str, shape: Box | Cylinder | Sphere | Capsule) -> None:
    mesh = mesh_of(shape)
    body = fit_collision(mesh, kind)
    assert body.volume >= body.reference * (1 - 1e-5) > 0.0
    assert body.kind == kind or kind == "auto"
    again = fit_collision(mesh, kind)
    assert (again.kind, again.volume) == (body.kind, body.volume)


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        (Box(size=(0.2, 0.4, 0.6)), "box"),
        (ROUND[0], "cylinder"),
        (ROUND[1], "sphere"),
        (ROUND[2], "capsule"),
    ],
    ids=lambda value: str(value),
)
def test_auto_finds_what_a_mesh_is(shape: Box | Cylinder | Sphere | Capsule, kind: str) -> None:
    body = fit_collision(mesh_of(shape), "auto")
    assert body.kind == kind
    assert isinstance(body.body, Fit) and type(body.body.geometry) is type(shape)


def test_auto_takes_a_hull_where_nothing_simple_fits() -> None:
    cone = np.concatenate([CASES["cylinder"]()[:64], [[0.0, 0.0, 1.0]]])
    body = fit_collision(hull_mesh(cone), "auto")
    assert body.kind == "hull"
    assert isinstance(body.body, Triangles) and body.body.count <= AUTO_HULL_TRIANGLES
    assert body.volume == pytest.approx(body.reference, rel=1e-2)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("most", [0, 12, 60])
def test_hulls_contain_the_mesh_in_single_precision(case: str, most: int) -> None:
    points = CASES[case]()
    mesh = hull_mesh(points)
    body = fit_collision(mesh, "hull", most)
    assert isinstance(body.body, Triangles)
    assert not most or body.body.count <= most
    assert_hull_contains(body.body, mesh.vertices.astype(np.float64))


def test_exact_is_the_mesh_itself_unless_there_is_a_budget() -> None:
    mesh = mesh_of(ROUND[1])
    assert fit_collision(mesh, "exact").body is mesh
    assert fit_collision(mesh, "exact", 10_000).body is mesh
    fewer = fit_collision(mesh, "exact", 100).body
    assert isinstance(fewer, Triangles) and fewer.count <= 100


def test_exact_of_hardly_any_triangles_is_a_hull() -> None:
    body = fit_collision(mesh_of(ROUND[1]), "exact", 4)
    assert body.kind == "hull" and isinstance(body.body, Triangles)
    assert body.body.count == 4


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "exact"])
def test_flat_meshes_get_a_thin_body(kind: str) -> None:
    mesh = mesh_of(Box(size=(1.0, 2.0, 1.0)))
    flat = mesh.vertices * np.array([1, 1, 0], dtype=np.float32)
    body = fit_collision(Triangles(flat, mesh.corners), kind)
    assert isinstance(body.body, Fit) and body.volume > 0.0
    assert body.kind == ("oriented_box" if kind == "hull" else body.kind)


def test_an_open_mesh_is_measured_by_its_hull() -> None:
    mesh = mesh_of(Box(size=(1.0, 2.0, 3.0)))
    open_one = mesh.keep(np.arange(mesh.count) > 1)
    body = fit_collision(open_one, "box")
    assert body.reference == pytest.approx(6.0, rel=1e-6)
