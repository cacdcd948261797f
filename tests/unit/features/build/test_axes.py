# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of circles, cylinders, holes and shafts."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urdf_importer import ArgumentError, FittedAxis, fit_circle, fit_cylinder
from urdf_importer.core.geometry.transforms import rotation_from_quaternion
from urdf_importer.features.build.axes import grow_wall

RADIUS = 0.03
UNIT = st.floats(-1.0, 1.0)
TURNS = st.tuples(UNIT, UNIT, UNIT, UNIT).filter(lambda q: math.hypot(*q) > 0.1)
PLACES = st.tuples(UNIT, UNIT, UNIT)
SEGMENTS = st.sampled_from((6, 7, 12, 24, 64))


def turn(quaternion: Any) -> Any:
    return rotation_from_quaternion(tuple(np.array(quaternion) / np.linalg.norm(quaternion)))


def make_ring(segments: int, share: float = 1.0) -> Any:
    count = segments if share == 1.0 else round(segments * share) + 1
    angles = np.linspace(0.0, 2.0 * np.pi * share, count, endpoint=share != 1.0)
    return np.column_stack([RADIUS * np.cos(angles), RADIUS * np.sin(angles), np.zeros(count)])


def make_tube(segments: int, share: float = 1.0, length: float = 0.05) -> tuple[Any, list[Any]]:
    ring = make_ring(segments, share)
    count = len(ring)
    walls = count if share == 1.0 else count - 1
    faces = [[i, (i + 1) % count, count + (i + 1) % count, count + i] for i in range(walls)]
    return np.concatenate([ring, ring + np.array([0.0, 0.0, length])]), faces


def assert_axis(found: FittedAxis, rotation: Any, place: Any, point: float = 1e-6) -> None:
    wanted = rotation[:, 2]
    wanted = wanted * np.sign(wanted[np.abs(wanted).argmax()])
    np.testing.assert_allclose(np.linalg.norm(found.direction), 1.0, atol=1e-12)
    assert math.acos(min(1.0, abs(wanted @ np.array(found.direction)))) < 1e-5
    np.testing.assert_allclose(found.point, place, atol=point)
    assert found.direction[int(np.abs(found.direction).argmax())] > 0.0


@settings(max_examples=100, deadline=None)
@given(SEGMENTS, TURNS, PLACES, st.sampled_from((1.0, 0.5)))
def test_circles(segments: int, quaternion: Any, place: Any, share: float) -> None:
    rotation = turn(quaternion)
    points = (make_ring(segments, share) @ rotation.T + place).astype(np.float32)
    found = fit_circle(points)
    if len(points) == 4:
        assert found.kind == "face"
        return
    assert found.kind == "circle" and found.count == len(points)
    assert_axis(found, rotation, np.array(place))
    assert abs(found.radius - RADIUS) < 1e-6 and found.residual < 1e-6


@settings(max_examples=100, deadline=None)
@given(SEGMENTS, TURNS, PLACES, st.sampled_from((1.0, 0.5)))
def test_cylinders(segments: int, quaternion: Any, place: Any, share: float) -> None:
    rotation = turn(quaternion)
    points, faces = make_tube(segments, share)
    moved = (points @ rotation.T + place).astype(np.float32)
    found = fit_cylinder(moved, faces)
    middle = rotation @ (0.0, 0.0, 0.025) + place
    assert_axis(found, rotation, middle, point=3e-6)
    assert abs(found.radius - RADIUS) < 2e-6 and found.count == len(faces)


@settings(max_examples=50, deadline=None)
@given(SEGMENTS, TURNS, st.integers(0, 1000))
def test_noise_of_a_thousandth(segments: int, quaternion: Any, seed: int) -> None:
    rotation = turn(quaternion)
    points, faces = make_tube(segments)
    noise = np.random.default_rng(seed).normal(scale=1e-4 * RADIUS, size=points.shape)
    found = fit_cylinder((points + noise) @ rotation.T, faces)
    middle = rotation @ (0.0, 0.0, 0.025)
    assert np.abs(np.array(found.point) - middle).max() < 1e-4
    assert abs(np.array(found.direction) @ rotation[:, 2]) > math.cos(1e-3)


@pytest.mark.parametrize("ratio", [1.05, 1.2])
def test_ellipses_are_refused(ratio: float) -> None:
    points, faces = make_tube(24)
    with pytest.raises(ArgumentError, match="lie on no circle: off by"):
        fit_circle(make_ring(24) * (1.0, ratio, 1.0))
    with pytest.raises(ArgumentError, match="lie on no cylinder: off by"):
        fit_cylinder(points * (1.0, ratio, 1.0), faces)


def test_what_is_no_circle_is_refused() -> None:
    for sentence, points in (
        ("select at least one face of a hole, or 3 points", [(0, 0, 0), (1, 0, 0)]),
        ("lie on a line", [(0, 0, 0), (1, 0, 0), (2, 0, 0)]),
        ("finite numbers", [(0, 0, 0), (1, 0, 0), (0, math.nan, 0)]),
    ):
        with pytest.raises(ArgumentError, match=sentence):
            fit_circle(points)
    with pytest.raises(ArgumentError, match="flat"):
        fit_cylinder([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [[0, 1, 2], [1, 3, 2]])


def test_four_corners_are_a_rectangle_and_three_a_circle() -> None:
    found = fit_circle([(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0)])
    assert (found.kind, found.radius, found.point) == ("face", 0.0, (1.0, 0.5, 0.0))
    assert fit_circle([(1, 0, 0), (0, 1, 0), (-1, 0, 0)]).radius == pytest.approx(1.0)


def test_its_text_names_it() -> None:
    assert str(fit_circle(make_ring(32))).startswith("circle of 32, radius 30 mm, off ")


# Holes from one face


def make_block(segments: int, chamfer: float = 0.0) -> tuple[Any, list[list[int]]]:
    """A round hole in a plate of n-gons: walls (with chamfers), top and bottom of rings."""
    ring = make_ring(segments)
    rows = [(1.0, 0.0), (1.0, 0.02)]
    if chamfer:
        share = (RADIUS + chamfer) / RADIUS
        rows = [(share, -chamfer), *rows, (share, 0.02 + chamfer)]
    rows = [(3.0, rows[0][1]), *rows, (3.0, rows[-1][1])]
    points = np.concatenate([ring * (share, share, 1.0) + [0.0, 0.0, z] for share, z in rows])
    faces = [
        [r * segments + i, r * segments + (i + 1) % segments,
         (r + 1) * segments + (i + 1) % segments, (r + 1) * segments + i]
        for r in range(len(rows) - 1)
        for i in range(segments)
    ]  # fmt: skip
    return points, faces


def find_neighbours(faces: list[list[int]]) -> Any:
    sides: dict[frozenset[int], list[int]] = {}
    for number, face in enumerate(faces):
        for one, other in zip(face, face[1:] + face[:1], strict=True):
            sides.setdefault(frozenset((one, other)), []).append(number)
    near: list[list[int]] = [[] for _ in faces]
    for several in sides.values():
        for each in several:
            near[each] += [other for other in several if other != each]
    return near.__getitem__


@pytest.mark.parametrize("segments", [6, 8, 16, 64])
@pytest.mark.parametrize("chamfer", [0.0, 0.004])
def test_one_wall_is_the_whole_hole(segments: int, chamfer: float) -> None:
    rotation, place = turn((0.3, -0.5, 0.2, 0.8)), np.array([0.4, -0.2, 0.7])
    points, faces = make_block(segments, chamfer)
    points = (points @ rotation.T + place).astype(np.float32).astype(np.float64)
    first_wall = segments * (2 if chamfer else 1)
    for start in (first_wall, first_wall + segments // 2):
        found = grow_wall(points, faces, start, find_neighbours(faces))
        assert found is not None and found.count == segments
        assert_axis(found, rotation, rotation @ (0.0, 0.0, 0.01) + place, point=2e-6)
    assert grow_wall(points, faces, 0, find_neighbours(faces)) is None


def test_boxes_have_no_holes() -> None:
    points = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    for start in range(6):
        assert grow_wall(np.array(points, float), faces, start, find_neighbours(faces)) is None
