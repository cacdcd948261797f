# SPDX-License-Identifier: GPL-3.0-or-later
"""Volume, centre of mass and inertia, against closed forms and trimesh."""

import numpy as np
import pytest
import trimesh

from support.webots.point_clouds import turn
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.geometry.primitives import make_primitive
from urdf_importer.core.geometry.triangles import Triangles, make_triangles
from urdf_importer.core.geometry.volumes import (
    MassProperties,
    join_masses,
    mesh_mass,
    polyhedron_mass,
    primitive_mass,
)
from urdf_importer.core.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Extrusion,
    Outline,
    Polyhedron,
    Primitive,
    Solid,
    Sphere,
)

SHAPES = [
    Box(size=(0.2, 0.5, 1.1)),
    Cylinder(radius=0.3, length=1.2),
    Sphere(radius=0.4),
    Capsule(radius=0.2, length=0.7),
    Ellipsoid(radii=(0.2, 0.5, 0.9)),
    Cone(radius=0.4, length=0.9),
    Extrusion(outlines=(Outline(points=(0.0, 0.0, 2.0, 0.0, 0.5, 1.0)),), height=0.3),
    Polyhedron(
        points=(0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3), faces=(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
    ),
]


def assert_same(one: MassProperties, other: MassProperties, rel: float) -> None:
    assert one.volume == pytest.approx(other.volume, rel=rel)
    size = other.volume ** (1 / 3)
    assert np.allclose(one.centre, other.centre, atol=rel * size)
    assert np.allclose(one.inertia, other.inertia, atol=rel * np.abs(other.inertia).max())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_closed_form_is_that_of_the_mesh(shape: Primitive | Solid) -> None:
    """Round meshes lie a little inside; the share is the same for all of them."""
    mass = mesh_mass(make_triangles(make_primitive(shape))[0])
    assert mass is not None
    assert_same(
        mass,
        primitive_mass(shape),
        1e-6 if isinstance(shape, Box | Extrusion | Polyhedron) else 4e-2,
    )


def test_an_open_polyhedron_has_no_mass() -> None:
    with pytest.raises(MeshError, match="no volume"):
        primitive_mass(Polyhedron(points=(0, 0, 0, 1, 0, 0, 0, 1, 0), faces=(0, 1, 2)))


@pytest.mark.parametrize("seed", range(5))
def test_any_closed_mesh(seed: int) -> None:
    """A torus: not convex, off its middle, turned."""
    torus = trimesh.creation.torus(1.0, 0.3)
    torus.apply_transform(trimesh.transformations.random_rotation_matrix(np.full(3, seed / 7)))
    torus.apply_translation([seed, -2.0, 0.5])
    vertices, faces = np.array(torus.vertices), np.array(torus.faces)
    mass = polyhedron_mass(vertices, faces)
    assert mass is not None
    truth = MassProperties(torus.volume, torus.center_mass, torus.moment_inertia)
    assert_same(mass, truth, 1e-9)
    inside_out = polyhedron_mass(vertices, faces[:, ::-1])
    assert inside_out is not None
    assert_same(inside_out, mass, 1e-12)


def test_open_and_flat_meshes_have_none() -> None:
    triangles, _ = make_triangles(make_primitive(Box(size=(1.0, 1.0, 1.0))))
    assert mesh_mass(triangles.keep(np.arange(triangles.count) != 3)) is None
    faces = triangles.faces.copy()
    faces[0] = faces[0][::-1]
    assert mesh_mass(Triangles(triangles.vertices, faces.ravel())) is None
    flat = triangles.vertices * np.array([1, 1, 0], dtype=np.float32)
    assert mesh_mass(Triangles(flat, triangles.corners)) is None


def test_two_halves_are_the_whole() -> None:
    half = primitive_mass(Box(size=(0.5, 2.0, 3.0)))
    left, right = np.eye(4), np.eye(4)
    left[0, 3], right[0, 3] = -0.25, 0.25
    whole = join_masses([half.moved(left), half.moved(right)])
    assert whole is not None
    assert_same(whole, primitive_mass(Box(size=(1.0, 2.0, 3.0))), 1e-12)
    assert join_masses([]) is None


def test_moved_as_the_mesh_is() -> None:
    rotation = turn(6)
    rotation *= np.linalg.det(rotation)
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = rotation, [1.0, 2.0, 3.0]
    triangles, _ = make_triangles(make_primitive(Box(size=(0.2, 0.5, 1.1))))
    placed = triangles.vertices.astype(float) @ rotation.T + frame[:3, 3]
    truth = polyhedron_mass(placed, triangles.faces)
    assert truth is not None
    assert_same(primitive_mass(Box(size=(0.2, 0.5, 1.1))).moved(frame), truth, 1e-6)
