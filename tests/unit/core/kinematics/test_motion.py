# SPDX-License-Identifier: GPL-3.0-or-later
"""What joints mean: types, axes, limits, each repair stated."""

import math

import pytest

from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.kinematics.motion import interpret_joint
from urdf_importer.core.model import Joint, Limit


def interpret(*codes, **fields):
    fields.setdefault("type", "revolute")
    if fields["type"] in ("revolute", "prismatic"):
        fields.setdefault("limit", Limit(lower=-1.0, upper=2.0))
    diagnostics = Diagnostics("robot.urdf")
    motion = interpret_joint(Joint(name="j", parent="a", child="b", line=5, **fields), diagnostics)
    assert [(item.code, item.line, item.subject) for item in diagnostics] == [
        (code, 5, "j") for code in codes
    ]
    return motion


def test_axis_defaults_to_x():
    assert interpret().axis == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("axis", [(0, 0, 2.0), (0, 0, 1e-4), (0, 0, 1e150)])
def test_axis_is_normalised(axis):
    assert interpret(axis=axis).axis == (0.0, 0.0, 1.0)


def test_oblique_axis_is_normalised():
    assert interpret(axis=(3.0, 4.0, 0.0)).axis == pytest.approx((0.6, 0.8, 0.0))


def test_zero_axis_makes_the_joint_fixed():
    assert interpret("zero-axis", axis=(0.0, 0.0, 0.0)).kind == "fixed"


@pytest.mark.parametrize("kind", ["fixed", "floating"])
def test_axis_of_joints_without_one_is_not_looked_at(kind):
    assert interpret(type=kind, axis=(0.0, 0.0, 0.0)).kind == kind


@pytest.mark.parametrize("kind", ["ball", "spherical"])
def test_balls_are_known_to_all_formats_but_urdf(kind):
    assert interpret(type=kind).kind == "spherical"


def test_types_that_nothing_knows_are_fixed():
    assert interpret("unknown-joint-type", type="screw").kind == "fixed"


def test_limits_are_taken():
    motion = interpret()
    assert (motion.kind, motion.lower, motion.upper) == ("revolute", -1.0, 2.0)


def test_missing_limit_means_no_bound():
    motion = interpret("missing-limit", limit=None)
    assert (motion.lower, motion.upper) == (None, None)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("limit", [Limit(effort=1.0), Limit()])
def test_a_limit_without_range_is_no_bound(kind, limit):
    motion = interpret("limit-without-range", type=kind, limit=limit)
    assert (motion.kind, motion.lower, motion.upper) == (kind, None, None)


def test_a_limit_of_zero_to_zero_locks_the_joint():
    assert interpret(limit=Limit(lower=0.0, upper=0.0)).is_locked
    assert interpret(limit=Limit(lower=0.0)).is_locked


def test_limit_with_one_side_takes_zero_for_the_other():
    motion = interpret(limit=Limit(upper=1.5))
    assert (motion.lower, motion.upper) == (0.0, 1.5)


def test_swapped_limits_are_swapped_back():
    motion = interpret("swapped-limits", limit=Limit(lower=1.0, upper=-1.0))
    assert (motion.lower, motion.upper) == (-1.0, 1.0)


def test_limits_beyond_all_measure_are_none():
    motion = interpret(limit=Limit(lower=-1e16, upper=3.0))
    assert (motion.lower, motion.upper) == (None, 3.0)


def test_limits_of_a_continuous_joint_are_ignored():
    motion = interpret("continuous-limit", type="continuous", limit=Limit(lower=-1.0, upper=1.0))
    assert (motion.kind, motion.lower, motion.upper) == ("revolute", None, None)
    interpret(type="continuous", limit=Limit(effort=1.0, velocity=2.0))


@pytest.mark.parametrize(("position", "valid"), [(-5, -1), (0, 0), (5, 2), (math.pi, 2)])
def test_nearest_valid(position, valid):
    assert interpret().nearest_valid(position) == valid
