# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed, outward, exact in their extents, and close to the true solid."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.geometry.primitives import (
    RINGS,
    SEGMENTS,
    make_box,
    make_capsule,
    make_cylinder,
    make_primitive,
    make_sphere,
)
from urdf_importer.core.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Primitive, Sphere

Check = Callable[[MeshData], None]
Volume = Callable[[MeshData], float]
Edges = Callable[[MeshData], dict[tuple[int, int], int]]
Faces = Callable[[MeshData], list[np.ndarray]]

Shape = Primitive | Ellipsoid | Cone

LENGTH = st.floats(min_value=1e-4, max_value=1e4)
SHAPES: st.SearchStrategy[Shape] = st.one_of(
    st.builds(Box, size=st.tuples(LENGTH, LENGTH, LENGTH)),
    st.builds(Cylinder, radius=LENGTH, length=LENGTH),
    st.builds(Sphere, radius=LENGTH),
    st.builds(Capsule, radius=LENGTH, length=st.just(0.0) | LENGTH),
    st.builds(Ellipsoid, radii=st.tuples(LENGTH, LENGTH, LENGTH)),
    st.builds(Cone, radius=LENGTH, length=LENGTH),
)


def true_extents(shape: Shape) -> tuple[float, float, float]:
    match shape:
        case Box():
            return shape.size
        case Cylinder():
            return (2 * shape.radius, 2 * shape.radius, shape.length)
        case Sphere():
            return (2 * shape.radius,) * 3
        case Capsule():
            return (2 * shape.radius, 2 * shape.radius, shape.length + 2 * shape.radius)
        case Ellipsoid(radii=(x, y, z)):
            return (2 * x, 2 * y, 2 * z)
        case Cone():
            return (2 * shape.radius, 2 * shape.radius, shape.length)


def true_volume(shape: Shape) -> float:
    match shape:
        case Box():
            return math.prod(shape.size)
        case Cylinder():
            return math.pi * shape.radius**2 * shape.length
        case Sphere():
            return 4 / 3 * math.pi * shape.radius**3
        case Capsule():
            return math.pi * shape.radius**2 * (shape.length + 4 / 3 * shape.radius)
        case Ellipsoid():
            return 4 / 3 * math.pi * math.prod(shape.radii)
        case Cone():
            return math.pi * shape.radius**2 * shape.length / 3


@given(SHAPES)
def test_extents_are_exact(shape: Shape) -> None:
    mesh = make_primitive(shape)
    half = np.array(true_extents(shape)) / 2
    tolerance = half * 1e-6
    assert (np.abs(mesh.vertices.max(axis=0) - half) <= tolerance).all()
    assert (np.abs(mesh.vertices.min(axis=0) + half) <= tolerance).all()
    assert np.array_equal(mesh.vertices.max(axis=0), -mesh.vertices.min(axis=0))


@given(SHAPES)
def test_every_shape_is_closed_and_consistent(check: Check, edges: Edges, shape: Shape) -> None:
    mesh = make_primitive(shape)
    check(mesh)
    uses = edges(mesh)
    assert set(uses.values()) == {1}
    assert all((end, start) in uses for start, end in uses)
    assert len(mesh.vertices) - len(uses) // 2 + mesh.face_count == 2


@given(SHAPES)
def test_the_faces_look_outward_and_hold_the_volume(volume: Volume, shape: Shape) -> None:
    held = volume(make_primitive(shape))
    share = 1.0 if isinstance(shape, Box) else 0.97
    assert share * (1 - 1e-5) <= held / true_volume(shape) <= 1 + 1e-5


@given(SHAPES)
def test_the_vertices_of_round_shapes_lie_on_the_surface(shape: Shape) -> None:
    vertices = make_primitive(shape).vertices.astype(float)
    x, y, z = vertices.T
    match shape:
        case Box():
            assert np.allclose(np.abs(vertices) * 2, shape.size, rtol=1e-6)
        case Cylinder():
            assert np.allclose(np.hypot(x, y), shape.radius, rtol=1e-6)
        case Sphere():
            assert np.allclose(np.linalg.norm(vertices, axis=1), shape.radius, rtol=1e-6)
        case Capsule():
            beyond = np.maximum(np.abs(z) - shape.length / 2, 0.0)
            size = shape.radius + shape.length
            assert np.allclose(np.hypot(np.hypot(x, y), beyond), shape.radius, atol=1e-6 * size)
        case Ellipsoid():
            assert np.allclose(np.linalg.norm(vertices / shape.radii, axis=1), 1.0, rtol=1e-6)
        case Cone():
            share = 0.5 - z / shape.length
            assert np.allclose(np.hypot(x, y), share * shape.radius, atol=1e-6 * shape.radius)


def test_a_box_has_six_flat_quads_and_exact_corners() -> None:
    mesh = make_box((1.0, 2.0, 4.0))
    assert mesh.face_sizes is not None
    assert mesh.face_sizes.tolist() == [4] * 6
    assert (mesh.normals, mesh.smooth) == (None, False)
    corners = {(x, y, z) for x in (-0.5, 0.5) for y in (-1.0, 1.0) for z in (-2.0, 2.0)}
    assert set(map(tuple, mesh.vertices.tolist())) == corners


def test_a_cylinder_has_smooth_sides_and_flat_caps(faces: Faces) -> None:
    mesh = make_cylinder(2.0, 6.0)
    assert mesh.face_sizes is not None
    assert mesh.face_sizes.tolist() == [4] * SEGMENTS + [SEGMENTS] * 2
    assert mesh.smooth
    assert mesh.normals is not None
    around = mesh.normals[: 4 * SEGMENTS]
    points = mesh.vertices[mesh.corners[: 4 * SEGMENTS]]
    assert np.allclose(around, points * [0.5, 0.5, 0.0], atol=1e-6)
    down, up = np.split(mesh.normals[4 * SEGMENTS :], 2)
    assert (down == [0, 0, -1]).all()
    assert (up == [0, 0, 1]).all()
    bottom, top = faces(mesh)[-2:]
    assert (bottom[:, 2] == -3.0).all()
    assert (top[:, 2] == 3.0).all()


@pytest.mark.parametrize("mesh", [make_sphere(0.5), make_capsule(0.5, 1.0)])
def test_spheres_and_capsules_are_smooth_quads_with_triangles_at_the_poles(mesh: MeshData) -> None:
    assert mesh.face_sizes is not None
    assert mesh.smooth
    assert np.count_nonzero(mesh.face_sizes == 3) == 2 * SEGMENTS
    assert np.count_nonzero(mesh.face_sizes == 4) == mesh.face_count - 2 * SEGMENTS


def test_a_capsule_is_longer_than_a_sphere_by_one_ring_of_quads() -> None:
    sphere, capsule = make_sphere(1.0), make_capsule(1.0, 3.0)
    assert sphere.face_count == SEGMENTS * RINGS
    assert capsule.face_count == sphere.face_count + SEGMENTS
    assert np.array_equal(make_capsule(1.0, 0.0).vertices, sphere.vertices)


@pytest.mark.parametrize("radius", [1.0, 0.1, 1 / 3, 12345.678])
def test_points_on_the_axes_are_vertices(radius: float) -> None:
    r = float(np.float32(radius))
    points = set(map(tuple, make_sphere(radius).vertices.tolist()))
    assert {(r, 0, 0), (-r, 0, 0), (0, r, 0), (0, -r, 0), (0, 0, r), (0, 0, -r)} <= points


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, 1e300])
@pytest.mark.parametrize(
    "make",
    [
        lambda bad: make_box((1.0, bad, 1.0)),
        lambda bad: make_cylinder(bad, 1.0),
        lambda bad: make_cylinder(1.0, bad),
        lambda bad: make_sphere(bad),
        lambda bad: make_capsule(bad, 1.0),
        lambda bad: make_capsule(1.0, bad or -1.0),
    ],
)
def test_sizes_without_a_volume(make: Callable[[float], MeshData], bad: float) -> None:
    with pytest.raises(MeshError) as caught:
        make(bad)
    assert caught.value.code == "invalid-size"


def test_each_shape_of_the_model_has_its_mesh() -> None:
    pairs = [
        (Box(size=(1.0, 2.0, 3.0)), make_box((1.0, 2.0, 3.0))),
        (Cylinder(radius=1.0, length=2.0), make_cylinder(1.0, 2.0)),
        (Sphere(radius=1.5), make_sphere(1.5)),
        (Capsule(radius=1.0, length=2.0), make_capsule(1.0, 2.0)),
    ]
    for shape, mesh in pairs:
        made = make_primitive(shape)
        assert np.array_equal(made.vertices, mesh.vertices)
        assert np.array_equal(made.corners, mesh.corners)
