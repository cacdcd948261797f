# SPDX-License-Identifier: GPL-3.0-or-later
"""Welding against a slow, plain one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from urdf_importer.core.geometry import mesh_data
from urdf_importer.core.geometry.mesh_data import weld_points

FEW = st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, 1.0000001, 3.4e38, 0.1])
ANY = st.floats(width=32, allow_nan=False, allow_infinity=False)
POINTS = st.lists(st.tuples(*[FEW | ANY] * 3), max_size=60)


def weld_slowly(points: NDArray[np.float32]) -> tuple[list[tuple[float, ...]], list[int]]:
    """0.0 == -0.0 and equal hashes make a dictionary do the same."""
    index: dict[tuple[float, ...], int] = {}
    indices = [index.setdefault(tuple(point), len(index)) for point in points.tolist()]
    return list(index), indices


def as_points(rows: list[tuple[float, float, float]]) -> NDArray[np.float32]:
    return np.array(rows, dtype=np.float32).reshape(-1, 3)


@given(POINTS)
def test_as_the_slow_one(rows: list[tuple[float, float, float]]) -> None:
    points = as_points(rows)
    vertices, indices = weld_points(points)
    slow_vertices, slow_indices = weld_slowly(points)
    assert list(map(tuple, vertices.tolist())) == slow_vertices
    assert indices.tolist() == slow_indices
    assert (vertices.dtype, indices.dtype) == (np.float32, np.int32)
    assert not np.signbit(vertices[vertices == 0]).any()


@pytest.mark.parametrize(
    "factors",
    [(0, 0, 0), (1 << 63, 1 << 63, 1 << 63), (1 << 40, 0, 0)],
    ids=["all collide", "few hashes", "only x counts"],
)
def test_colliding_hashes_merge_nothing(
    monkeypatch: pytest.MonkeyPatch, factors: tuple[int, int, int]
) -> None:
    random = np.random.default_rng(7)
    points = random.integers(0, 6, (500, 3)).astype(np.float32)
    monkeypatch.setattr(mesh_data, "_HASH_FACTORS", factors)
    vertices, indices = weld_points(points)
    slow_vertices, slow_indices = weld_slowly(points)
    assert list(map(tuple, vertices.tolist())) == slow_vertices
    assert indices.tolist() == slow_indices


def test_the_hash_spreads_points_on_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regular coordinates are what CAD makes: next to nothing is left to be sorted."""
    sorted_rows: list[int] = []
    by_sorting = mesh_data._find_by_sorting

    def note(patterns: NDArray[np.uint32]) -> NDArray[np.int32]:
        sorted_rows.append(len(patterns))
        return by_sorting(patterns)

    monkeypatch.setattr(mesh_data, "_find_by_sorting", note)
    grid = np.stack(np.meshgrid(*[np.arange(-20, 20, dtype=np.float32) / 8] * 3), axis=-1)
    points = grid.reshape(-1, 3) + np.float32(0.0)
    vertices, indices = weld_points(np.concatenate([points, points[::-1]]))
    assert np.array_equal(vertices, points)
    assert np.array_equal(indices, [*range(len(points)), *reversed(range(len(points)))])
    assert sum(sorted_rows) < len(points) / 100


def test_the_points_given_are_left_alone() -> None:
    points = as_points([(-0.0, 1.0, 2.0), (0.0, 1.0, 2.0)])
    before = points.tobytes()
    weld_points(points)
    assert points.tobytes() == before


# Turning faces over

SIZES = st.lists(st.integers(1, 9), max_size=20).map(lambda sizes: np.array(sizes, dtype=np.int32))


@given(SIZES, st.booleans())
def test_each_face_runs_the_other_way(sizes: NDArray[np.int32], keep_first: bool) -> None:
    order = mesh_data.reverse_corners(sizes, keep_first=keep_first)
    expected: list[int] = []
    for face in np.split(np.arange(sizes.sum()), np.cumsum(sizes)[:-1]) if len(sizes) else ():
        turned = face[::-1].tolist()
        expected += [turned[-1], *turned[:-1]] if keep_first else turned
    assert order.tolist() == expected
