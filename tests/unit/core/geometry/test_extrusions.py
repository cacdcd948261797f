# SPDX-License-Identifier: GPL-3.0-or-later
"""Outlines drawn up: closed, turned outwards, and of the area that the triangle formula gives."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.geometry.extrusions import MOST_POINTS, extrude
from urdf_importer.core.geometry.volumes import is_closed, polyhedron_mass
from urdf_importer.core.model import Extrusion, Outline


def star(center, size, radii, flip):
    """A ring about a point, which no two of its lines cross."""
    angles = np.arange(len(radii)) * 2 * math.pi / len(radii)
    points = center + size * np.array(radii)[:, None] * np.c_[np.cos(angles), np.sin(angles)]
    return points[::-1] if flip else points


def area_of(ring):
    (x, y), (u, v) = ring.T, np.roll(ring, -1, axis=0).T
    return abs(float((x * v - y * u).sum())) / 2


def check(rings, height, area):
    outlines = tuple(Outline(points=tuple(ring.ravel().tolist())) for ring in rings)
    vertices, faces = extrude(Extrusion(outlines=outlines, height=height))
    assert is_closed(faces, len(vertices))
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0  # positive: the faces look outwards
    assert volume == pytest.approx(area * height, rel=1e-9)
    assert vertices[:, 2].min() == 0.0 and vertices[:, 2].max() == height
    return vertices, faces


rough = st.lists(st.floats(0.55, 1.0), min_size=3, max_size=24)


@settings(max_examples=60)
@given(rough, rough, rough, st.booleans(), st.booleans(), st.floats(0.01, 5.0))
def test_an_outline_with_two_holes(outer, one, other, flip, flop, height):
    # The ring's inner radius is 0.55 cos(60 degrees) of its size at least.
    rings = [
        star(np.zeros(2), 10.0, outer, flip),
        star(np.array([-1.2, 0.0]), 1.0, one, flop),
        star(np.array([1.2, 0.3]), 1.0, other, flip),
    ]
    check(rings, height, area_of(rings[0]) - area_of(rings[1]) - area_of(rings[2]))


@settings(max_examples=60)
@given(rough, st.integers(1, 30))
def test_points_on_a_line_and_repeated_ends(radii, more):
    ring = star(np.zeros(2), 1.0, radii, flip=False)
    filled = np.vstack([
        np.linspace(a, b, more + 1) for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True)
    ])  # fmt: skip
    check([filled], 1.0, area_of(ring))


def test_what_is_within_a_hole_is_full_again():
    def square(half):
        return half * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])

    check([square(size) for size in (1, 4, 2, 3)], 0.5, 4 * (16 - 9 + 4 - 1))


@pytest.mark.parametrize(
    ("points", "height"),
    [((), 1.0), ((0.0, 0.0, 1.0, 1.0), 1.0), ((0.0, 0.0, 1.0, 0.0, 2.0, 0.0), 1.0),
     ((0.0, 0.0, 1.0, 0.0, 0.0, 1.0), 0.0), (tuple(range(2 * MOST_POINTS + 2)), 1.0)],
)  # fmt: skip
def test_what_encloses_nothing_is_refused(points, height):
    points = tuple(map(float, points))
    if len(points) > MOST_POINTS:
        angles = np.linspace(0.0, 6.0, MOST_POINTS + 1)
        points = tuple(np.c_[np.cos(angles), np.sin(angles)].ravel().tolist())
    with pytest.raises(MeshError) as caught:
        extrude(Extrusion(outlines=(Outline(points=points),), height=height))
    assert caught.value.code == "invalid-size"


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=12))
def test_lines_that_cross_end_in_triangles_or_a_refusal(points):
    flat = tuple(float(number) for point in points for number in point)
    try:
        vertices, faces = extrude(Extrusion(outlines=(Outline(points=flat),), height=1.0))
    except MeshError:
        return
    assert is_closed(faces, len(vertices)) and np.isfinite(vertices).all()
    assert polyhedron_mass(vertices, faces) is not None
