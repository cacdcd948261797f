# SPDX-License-Identifier: GPL-3.0-or-later
"""Other axes and units: there and back is the same."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer import Convention, KinematicsError
from urdf_importer.core.geometry.transforms import rotations_about
from urdf_importer.core.kinematics.conventions import read_axes


def right_handed():
    """All 24 ways to name three axes that keep right hands right."""
    for letters in itertools.permutations("xyz"):
        for signs in itertools.product(("", "-"), repeat=3):
            axes = "".join(map("".join, zip(signs, letters, strict=True)))
            try:
                yield Convention(axes)
            except KinematicsError:
                continue


ALL = tuple(right_handed())
numbers = st.floats(-1e6, 1e6)


def test_there_are_twenty_four():
    assert len(ALL) == 24


def test_her_simulator_is_y_up_and_in_centimetres():
    hers = Convention("zxy", 0.01)
    assert hers.to_robot((16.0, 83.0, 5.0)) == pytest.approx([0.05, 0.16, 0.83])
    assert hers.from_robot((0.05, 0.16, 0.83)) == pytest.approx([16.0, 83.0, 5.0])


@given(st.sampled_from(ALL), st.tuples(numbers, numbers, numbers))
def test_points_come_back_exactly(convention, point):
    assert np.array_equal(convention.from_robot(convention.to_robot(point)), np.array(point))


@given(st.sampled_from(ALL), st.tuples(numbers, numbers, numbers), st.floats(-3.0, 3.0))
def test_frames_come_back_exactly_and_turn_with_the_axes(convention, point, angle):
    frame = np.eye(4)
    frame[:3, 3] = point
    frame[:3, :3] = rotations_about(np.array([[0.6, 0.0, 0.8]]), np.array([angle]))[0]
    ours = convention.to_robot(frame)
    basis = np.eye(4)
    basis[:3, :3] = read_axes(convention.axes)
    assert ours == pytest.approx(basis @ frame @ basis.T)
    assert np.array_equal(convention.from_robot(ours), frame)


@given(st.sampled_from(ALL), st.floats(1e-4, 1e4), st.tuples(numbers, numbers, numbers))
def test_other_units_come_back_to_rounding(convention, unit, point):
    scaled = Convention(convention.axes, unit)
    assert scaled.from_robot(scaled.to_robot(point)) == pytest.approx(point, rel=1e-15)


def test_many_at_once():
    points = np.arange(30.0).reshape(2, 5, 3)
    assert Convention("zxy", 0.5).to_robot(points) == pytest.approx(0.5 * points[..., [2, 0, 1]])
    frames = np.tile(np.eye(4), (7, 1, 1))
    assert Convention("-yxz").to_robot(frames).shape == (7, 4, 4)


@pytest.mark.parametrize(
    ("axes", "unit", "message"),
    [
        ("xzy", 1.0, "mirrors the robot"),
        ("xxy", 1.0, "twice"),
        ("forward", 1.0, "does not name three axes"),
        ("xyz", 0.0, "not a length"),
        ("xyz", float("nan"), "not a length"),
        ("xyz", -1.0, "not a length"),
    ],
)
def test_what_is_no_convention_is_refused(axes, unit, message):
    with pytest.raises(KinematicsError, match=message):
        Convention(axes, unit)


def test_other_shapes_are_refused():
    with pytest.raises(KinematicsError, match="points"):
        Convention().to_robot(np.eye(3)[:2, :2])
