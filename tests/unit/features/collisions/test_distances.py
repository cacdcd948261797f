# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances of simple shapes: going from one to the other by their nearest points is the truth."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from numpy.typing import NDArray

from urdf_importer import CheckOptions, Robot, check_collisions
from urdf_importer.core.geometry.fitting import Primitive
from urdf_importer.core.model import Box, Capsule, Collision, Cylinder, Joint, Link, Sphere
from urdf_importer.features.collisions.sampling import rotations_of

Points = NDArray[np.float64]
SHAPES = (
    Box(size=(0.3, 0.2, 0.1)),
    Sphere(radius=0.15),
    Cylinder(radius=0.1, length=0.4),
    Capsule(radius=0.08, length=0.3),
)
COUNT = 40


def project(shape: Primitive, points: Points) -> Points:
    """Returns the nearest points of a solid at the origin."""
    if isinstance(shape, Box):
        half = np.array(shape.size) / 2
        return np.clip(points, -half, half)
    along = np.zeros_like(points)
    if not isinstance(shape, Sphere):
        along[:, 2] = np.clip(points[:, 2], -shape.length / 2, shape.length / 2)
    away = points - along
    if isinstance(shape, Cylinder):
        away[:, 2] = 0.0
    far = np.linalg.norm(away, axis=1, keepdims=True)
    nearest: Points = along + away * np.minimum(1.0, shape.radius / np.maximum(far, 1e-12))
    return nearest


def measure(one: Primitive, other: Primitive, turns: Points, places: Points) -> Points:
    """Returns the distances (n,) of two solids; what is left of the way to them shrinks slowly, so
    it goes to and fro three thousand times."""
    here = np.zeros_like(places)
    for _ in range(3000):
        there = project(other, np.einsum("nji,nj->ni", turns, here - places))
        there = np.einsum("nij,nj->ni", turns, there) + places
        here = project(one, there)
    distances: Points = np.linalg.norm(here - there, axis=1)
    return distances


@pytest.mark.parametrize(
    ("one", "other"),
    list(combinations_with_replacement(SHAPES, 2)),
    ids=lambda shape: type(shape).__name__,
)
def test_distances_of_simple_shapes_are_within_a_micrometre(
    one: Primitive, other: Primitive
) -> None:
    links = [
        Link(name=name, collisions=(Collision(geometry=shape),))
        for name, shape in (("a", one), ("b", other))
    ]
    joint = Joint(name="j", type="floating", parent="a", child="b")
    robot = Robot(name="two", links=tuple(links), joints=(joint,))
    chance = np.random.default_rng(0)
    turns = chance.normal(size=(COUNT, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    places = 0.4 * chance.normal(size=(COUNT, 3))
    options = CheckOptions(disabled="none", distances=True)
    found = [
        check_collisions(robot, {"j": (*place, *turn)}, options=options).distance
        for place, turn in zip(places.tolist(), turns.tolist(), strict=True)
    ]
    truth = measure(one, other, rotations_of(turns), places)
    assert (truth > 0.01).sum() > COUNT / 2
    assert np.array(found) == pytest.approx(truth, abs=1e-6)
