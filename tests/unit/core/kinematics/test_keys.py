# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of curves: never further off than they promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from urdf_importer.core.kinematics.keys import (
    Keys,
    cut_keys,
    evaluate,
    plan_keys,
    reduce_keys,
    unwrap,
)

VALUES = arrays.arrays(float, st.integers(2, 40), elements=st.floats(-3, 3))


def timed(values, seed):
    steps = np.random.default_rng(seed).uniform(0.01, 0.5, len(values) - 1)
    return np.concatenate([[0.0], np.cumsum(steps)])


@settings(max_examples=60)
@given(VALUES, st.integers(0, 99), st.floats(1e-4, 0.5), st.booleans())
def test_reduced_keys_stay_within_the_tolerance(values, seed, tolerance, is_cubic):
    times = timed(values, seed)
    slopes = np.random.default_rng(seed).uniform(-2, 2, len(values)) if is_cubic else None
    keys = Keys(times=times, values=values, slopes=slopes)
    reduced = reduce_keys(keys, tolerance)
    fine = np.union1d(np.linspace(0, times[-1], 400), times)
    assert np.abs(evaluate(reduced, fine) - evaluate(keys, fine)).max() <= tolerance * (1 + 1e-6)
    if not is_cubic:
        assert len(reduced.times) <= len(times)


def test_a_straight_line_has_two_keys():
    times = np.linspace(0, 1, 1000)
    assert len(reduce_keys(Keys(times=times, values=2 * times), 1e-6).times) == 2


def test_cubics_and_quintics_keep_their_ends():
    times = np.array([0.0, 1.0, 3.0])
    values, speeds = np.array([0.0, 1.0, 0.5]), np.array([0.0, 0.5, 0.0])
    cubic = plan_keys(times, values, speeds, None, 1e-4)
    assert cubic.slopes is not None
    step = 1e-6
    slopes = (evaluate(cubic, times[1:2] + step) - evaluate(cubic, times[1:2] - step)) / (2 * step)
    assert slopes == pytest.approx(0.5, abs=1e-4)
    # A polynomial of degree five goes through its own values, speeds and accelerations.
    truth = np.polynomial.Polynomial([0.1, -0.5, 0.3, 0.2, -0.1, 0.02])
    quintic = plan_keys(times, truth(times), truth.deriv()(times), truth.deriv(2)(times), 1e-5)
    fine = np.linspace(0, 3, 1000)
    assert np.abs(evaluate(quintic, fine) - truth(fine)).max() < 1e-5
    lost = plan_keys(times, values, np.array([0.0, np.nan, 0.0]), None, 1e-4)
    assert lost.slopes is None


@settings(max_examples=40)
@given(VALUES, st.integers(0, 99), st.floats(0, 1), st.floats(0, 1))
def test_what_is_cut_goes_where_the_whole_goes(values, seed, one, other):
    times = timed(values, seed)
    start, end = sorted((one * times[-1], other * times[-1]))
    keys = Keys(times=times, values=values)
    part = cut_keys(keys, start, end)
    if end - start < 1e-9:
        return
    fine = np.linspace(start, end, 50)
    assert np.allclose(evaluate(part, fine), evaluate(keys, fine), atol=1e-9)
    assert part.times[0] >= start and part.times[-1] <= end


@settings(max_examples=60)
@given(arrays.arrays(float, st.integers(2, 30), elements=st.floats(-2, 2)))
def test_turns_are_found_again(steps):
    angles = np.cumsum(steps)
    wrapped = np.mod(angles + np.pi, 2 * np.pi) - np.pi
    found = unwrap(np.arange(len(steps), dtype=float), wrapped, None)
    assert np.allclose(found - found[0], angles - angles[0], atol=1e-9)


def test_speeds_explain_a_fast_turn():
    times, values = np.array([0.0, 1.0]), np.array([0.0, 4.0])
    assert unwrap(times, values, None)[1] == pytest.approx(4.0 - 2 * np.pi)
    assert unwrap(times, values, np.array([4.0, 4.0]))[1] == 4.0
