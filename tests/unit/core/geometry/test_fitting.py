# SPDX-License-Identifier: GPL-3.0-or-later
"""Simple shapes around points: nothing sticks out, and known shapes are found again."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from support.webots.point_clouds import CASES, ball, grid, ring, turn
from urdf_importer.core.geometry.fitting import (
    Fit,
    coarse_hull,
    enclosing_ball,
    fit_box,
    fit_capsule,
    fit_cylinder,
    fit_oriented_box,
    fit_sphere,
    smallest_rectangle,
)
from urdf_importer.core.model import Box, Capsule, Cylinder, Sphere

Points = NDArray[np.float64]
FITS: dict[str, Callable[[Points], Fit]] = {
    "box": fit_box,
    "oriented_box": lambda points: fit_oriented_box(points, coarse_hull(points)),
    "cylinder": lambda points: fit_cylinder(points, coarse_hull(points)),
    "capsule": lambda points: fit_capsule(points, coarse_hull(points)),
    "sphere": fit_sphere,
}


def depth_outside(fit: Fit, points: Points) -> float:
    """How far the farthest point is outside of the shape; negative where all are inside."""
    rotation, place = fit.frame[:3, :3], fit.frame[:3, 3]
    local = (points - place) @ rotation
    across = np.linalg.norm(local[:, :2], axis=1)
    match fit.geometry:
        case Box(size=size):
            return float((np.abs(local) - np.array(size) / 2).max())
        case Cylinder(radius=radius, length=length):
            return float(max((across - radius).max(), (np.abs(local[:, 2]) - length / 2).max()))
        case Sphere(radius=radius):
            return float((np.linalg.norm(local, axis=1) - radius).max())
        case Capsule(radius=radius, length=length):
            beyond = np.maximum(np.abs(local[:, 2]) - length / 2, 0.0)
            return float((np.hypot(across, beyond) - radius).max())


def assert_contains(fit: Fit, points: Points) -> None:
    size = max(float(np.ptp(points, axis=0).max()), 1e-6)
    place = float(np.abs(points).max())
    assert depth_outside(fit, points) <= 1e-9 * size + 1e-12 * place
    rotation = fit.frame[:3, :3]
    assert np.allclose(rotation.T @ rotation, np.eye(3), atol=1e-12)
    assert np.linalg.det(rotation) > 0.0


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", FITS)
def test_contains_every_point(kind: str, case: str) -> None:
    points = CASES[case]()
    fit = FITS[kind](points)
    assert_contains(fit, points)
    hull = coarse_hull(points)
    assert hull is not None and fit.volume >= hull.volume * 0.9


@given(
    st.sampled_from(sorted(FITS)),
    st.integers(0, 2**32 - 1),
    st.integers(1, 40),
    st.sampled_from([1.0, 1e-3, 50.0]),
)
def test_any_points(kind: str, seed: int, count: int, scale: float) -> None:
    """Also one point, points on a line and in a plane: no side is ever zero."""
    generator = np.random.default_rng(seed)
    spread = generator.choice([0.0, 0.01, 1.0], 3)
    points = generator.normal(size=(count, 3)) * spread * scale + generator.normal(size=3)
    fit = FITS[kind](points)
    assert_contains(fit, points)
    assert fit.volume > 0.0


@pytest.mark.parametrize("case", CASES)
def test_oriented_box_is_never_larger_than_the_box(case: str) -> None:
    points = CASES[case]()
    assert FITS["oriented_box"](points).volume <= fit_box(points).volume * 1.001 + 1e-18


@pytest.mark.parametrize("rotation", [np.eye(3), turn(5)], ids=["straight", "turned"])
def test_known_shapes_are_found_again(rotation: Points) -> None:
    box = FITS["oriented_box"](grid(5) * [0.5, 1.0, 1.5] @ rotation.T).geometry
    assert isinstance(box, Box)
    assert sorted(box.size) == pytest.approx([1.0, 2.0, 3.0], rel=1e-6)
    rod = FITS["cylinder"](ring(64) * [0.2, 0.2, 3.0] @ rotation.T).geometry
    assert isinstance(rod, Cylinder)
    assert (rod.radius, rod.length) == pytest.approx((0.2, 3.0), rel=1e-6)
    half = ball(4000) * 0.3
    points = np.concatenate([half, half + np.array([0.0, 0.0, 2.0])])
    pill = FITS["capsule"](points @ rotation.T).geometry
    assert isinstance(pill, Capsule)
    assert (pill.radius, pill.length) == pytest.approx((0.3, 2.0), rel=2e-2)
    globe = FITS["sphere"](half @ rotation.T).geometry
    assert isinstance(globe, Sphere)
    assert globe.radius == pytest.approx(0.3, rel=1e-6)


def test_frame_is_kept_where_nothing_is_gained() -> None:
    assert np.array_equal(FITS["oriented_box"](grid(5)).frame[:3, :3], np.eye(3))
    assert np.array_equal(FITS["cylinder"](ring(32) * [1, 1, 3]).frame[:3, :3], np.eye(3))


def test_capsule_of_a_ball_is_a_sphere() -> None:
    """Webots has no capsule without a length."""
    assert isinstance(FITS["capsule"](grid(2)[:1]).geometry, Sphere)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.sampled_from([2, 3]))
def test_ball_is_the_smallest(seed: int, count: int, dimensions: int) -> None:
    """Whoever moves its centre needs a larger one: it is held from all sides."""
    points = np.random.default_rng(seed).normal(size=(count, dimensions))
    centre, radius = enclosing_ball(points)
    distances = np.linalg.norm(points - centre, axis=1)
    assert distances.max() <= radius * (1 + 1e-12)
    directions = np.random.default_rng(seed + 1).normal(size=(40, dimensions))
    for direction in directions / np.linalg.norm(directions, axis=1)[:, None]:
        moved = np.linalg.norm(points - centre - 1e-4 * direction, axis=1).max()
        assert moved >= radius - 1e-9


@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_rectangle_is_the_smallest(seed: int, count: int) -> None:
    points = np.random.default_rng(seed).normal(size=(count, 2)) * [1.0, 0.3]

    def area(angle: float) -> float:
        x = points @ [math.cos(angle), math.sin(angle)]
        y = points @ [-math.sin(angle), math.cos(angle)]
        return float(np.ptp(x) * np.ptp(y))

    least = min(area(angle) for angle in np.linspace(0.0, math.pi / 2, 200))
    assert area(smallest_rectangle(points)) <= least + 1e-12
