# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of links: read, written, in other axes, and between their rows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer import Convention, KinematicsError
from urdf_importer.core.diagnostics import ReadError
from urdf_importer.core.geometry.transforms import rotation_from_quaternion
from urdf_importer.core.kinematics.link_path_file import read_link_path
from urdf_importer.core.kinematics.link_paths import plan_path, row_of

NUMBERS = st.floats(-1e3, 1e3)
AXES = st.sampled_from(["xyz", "zxy", "yzx", "-yxz", "-x-yz", "zy-x"])


@given(AXES, st.tuples(NUMBERS, NUMBERS, NUMBERS), st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS))
def test_there_and_back_is_exact_for_metres(axes, place, turn):
    convention = Convention(axes)
    assert (convention.from_robot(convention.to_robot(place)) == np.array(place)).all()
    assert (convention.turn_from_robot(convention.turn_to_robot(turn)) == np.array(turn)).all()


@given(AXES, st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_there_and_back_in_centimetres_loses_no_more_than_the_last_digit(axes, place):
    convention = Convention(axes, 0.01)
    back = convention.from_robot(convention.to_robot(place))
    assert back == pytest.approx(place, rel=1e-15, abs=1e-300)


@given(AXES, st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS))
def test_quaternions_turn_as_rotations_do(axes, turn):
    if np.linalg.norm(turn) < 1e-3:
        return
    convention, frame = Convention(axes), np.eye(4)
    frame[:3, :3] = rotation_from_quaternion(turn)
    turned = rotation_from_quaternion(convention.turn_to_robot(turn).tolist())
    assert turned == pytest.approx(convention.to_robot(frame)[:3, :3], abs=1e-12)


def test_between_rows_it_goes_straight_and_turns_evenly():
    half = math.sqrt(0.5)
    path = plan_path([(0, 0, 0, 1, 0, 0, 0, 1), (2, 4, 2, 1, 0, 0, -half, -half)])
    middle = path.at(0.5)
    assert middle[:3, 3] == pytest.approx([1.0, 0.5, 1.0])
    assert math.atan2(middle[1, 0], middle[0, 0]) == pytest.approx(math.radians(22.5))
    assert path.at(-1.0) == pytest.approx(path.at(0.0))
    assert path.at(9.0) == pytest.approx(path.at(2.0))
    assert plan_path([(1, 2, 3, 4)]).at(5.0)[:3, 3] == pytest.approx([2, 3, 4])


def test_her_simulator():
    """Y up, in centimetres: 80 cm high and 20 cm ahead, turned about her vertical."""
    hers = Convention("zxy", 0.01)
    path = plan_path([(0, 0, 80, 20, 0, 1, 0, 0)], hers)
    frame = path.at(0.0)
    assert frame[:3, 3] == pytest.approx([0.2, 0.0, 0.8])
    assert frame[:3, :3] == pytest.approx(np.diag([-1.0, -1.0, 1.0]))
    assert row_of(0, frame, hers) == pytest.approx((0, 0, 80, 20, 0, 1, 0, 0))


@pytest.mark.parametrize(
    "rows", [[], [(0, 1, 2)], [(0, 1, 2, 3), (0, 1, 2, 3)], [(0, 1, 2, math.nan)], "text",
             [(0, 0, 0, 0, 0, 0, 0, 0)], [(0, 1, 2, 3), (1, 2)]],
)  # fmt: skip
def test_what_is_no_path_is_refused(rows):
    with pytest.raises(KinematicsError):
        plan_path(rows)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "begins with time,x,y,z"),
        ("frame,x,y,z\n1,2,3,4\n", 1, "begins with time,x,y,z"),
        ("time,x,y,z\n", 1, "no rows"),
        ("time,x,y,z\n0,1,2\n", 2, "has 4 numbers"),
        ("time,x,y,z\n\n0,1,2,three\n", 3, "'three' is not a number"),
        ("time,x,y,z\n0,1,2,nan\n", 2, "'nan' is not a number"),
        ("time,x,y,z\n1,1,2,3\n1,1,2,3\n", 3, "times of a path must grow"),
    ],
)
def test_bad_tables_are_refused_with_their_line(tmp_path, text, line, message):
    path = tmp_path / "path.csv"
    path.write_text(text)
    with pytest.raises(ReadError, match=message) as refused:
        read_link_path(str(path))
    assert refused.value.line == line


def test_tables_are_read(tmp_path):
    path = tmp_path / "path.csv"
    path.write_bytes(b"\xef\xbb\xbftime, x, y, z\r\n0, 1e-1, -2, .5\r\n\r\n1.5,0,0,0\r\n")
    assert read_link_path(str(path)) == ((0.0, 0.1, -2.0, 0.5), (1.5, 0.0, 0.0, 0.0))
