# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex hulls: closed, convex, around every point, and Blender's own say the same."""

from pathlib import Path

import bpy  # noqa: F401  bmesh comes with it

import bmesh  # isort: skip
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from support.real_robots import ROOT
from support.webots.point_clouds import CASES, grid, ring, turn
from urdf_importer.core.geometry.hulls import Hull, convex_hull, is_flat
from urdf_importer.core.geometry.volumes import is_closed
from urdf_importer.core.meshes import load_mesh

Points = NDArray[np.float64]


def assert_is_hull(hull: Hull, points: Points) -> None:
    """Closed, of one piece, and it reaches as far as the points along every normal."""
    size = float(np.ptp(points, axis=0).max())
    assert is_closed(hull.triangles, len(hull.vertices))
    assert len(np.unique(hull.triangles)) == len(hull.vertices)
    # Euler: of one piece without holes.
    assert len(hull.triangles) == 2 * len(hull.vertices) - 4
    heights = points @ hull.normals.T - hull.offsets
    assert heights.max() <= 1e-9 * size + 1e-12
    reach = (hull.vertices @ hull.normals.T).max(axis=0)
    assert np.allclose(reach, hull.offsets, rtol=0.0, atol=1e-9 * size)


def volume_in_blender(points: Points) -> float:
    """bmesh works in single precision, so the points are moved to the middle."""
    mesh = bmesh.new()
    middle = (points.min(axis=0) + points.max(axis=0)) / 2.0
    size = float(np.ptp(points, axis=0).max())
    for point in ((np.unique(points, axis=0) - middle) / size).tolist():
        mesh.verts.new(point)
    made = bmesh.ops.convex_hull(mesh, input=mesh.verts)
    inside = made["geom_interior"] + made["geom_unused"]
    bmesh.ops.delete(mesh, geom=list(dict.fromkeys(inside)), context="VERTS")
    volume = abs(mesh.calc_volume()) * size**3
    mesh.free()
    return float(volume)


@pytest.mark.parametrize("case", CASES)
def test_is_the_hull(case: str) -> None:
    points = CASES[case]()
    hull = convex_hull(points)
    assert hull is not None
    assert_is_hull(hull, points)
    assert hull.volume == pytest.approx(volume_in_blender(points), rel=2e-3)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("most", [4, 8, 20, 100])
def test_few_triangles_still_contain_every_point(case: str, most: int) -> None:
    points = CASES[case]()
    whole, few = convex_hull(points), convex_hull(points, most)
    assert whole is not None and few is not None
    assert len(few.triangles) <= most
    assert_is_hull(few, points)
    assert few.volume >= whole.volume * (1.0 - 1e-6)
    if most >= 100:
        assert few.volume <= whole.volume * 1.2


@given(st.integers(0, 2**32 - 1), st.integers(4, 60), st.integers(1, 6))
def test_any_points_on_a_lattice(seed: int, count: int, steps: int) -> None:
    """Small whole numbers: most points are coplanar or equal, many sets are flat."""
    points = np.random.default_rng(seed).integers(0, steps + 1, (count, 3)).astype(float)
    hull = convex_hull(points)
    rank = np.linalg.matrix_rank(points - points[0])
    assert (hull is None) == is_flat(points) == (rank < 3)
    if hull is not None:
        assert_is_hull(hull, points)


@pytest.mark.parametrize(
    "points", [grid(5) * [1, 1, 0], ring(9)[:9] @ turn(3), grid(4) * [1, 0, 0]]
)
def test_what_is_flat_has_no_hull(points: Points) -> None:
    assert convex_hull(points) is None and is_flat(points)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_too_few_points_have_no_hull(count: int) -> None:
    assert convex_hull(np.eye(3)[:count]) is None and is_flat(np.eye(3)[:count])


def test_is_the_same_every_time() -> None:
    first, again = convex_hull(CASES["cloud"]()), convex_hull(CASES["cloud"]()[::-1])
    assert first is not None and again is not None
    assert np.array_equal(first.vertices, again.vertices)
    assert np.array_equal(first.triangles, again.triangles)


MESHES = sorted(
    [*ROOT.glob("talos_data/meshes/**/*.[sS][tT][lL]"), *ROOT.glob("pr2_description/**/*.stl")]
)


@pytest.mark.parametrize("path", MESHES[::6], ids=lambda path: path.stem)
def test_real_meshes(path: Path) -> None:
    mesh = load_mesh(path, (1.0, 1.0, 1.0), lambda _code, _message: None)
    points = mesh.vertices.astype(np.float64)
    hull = convex_hull(points)
    assert hull is not None
    assert_is_hull(hull, points)
    assert hull.volume == pytest.approx(volume_in_blender(points), rel=2e-3)
