# SPDX-License-Identifier: GPL-3.0-or-later
"""sRGB and linear colours, against the numbers of IEC 61966-2-1."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer.core.images.colors import linear_from_srgb, srgb_from_linear


@given(st.floats(0.0, 1.0))
def test_there_and_back(value: float) -> None:
    assert math.isclose(srgb_from_linear(linear_from_srgb(value)), value, abs_tol=1e-6)
    assert math.isclose(linear_from_srgb(srgb_from_linear(value)), value, abs_tol=1e-6)


@pytest.mark.parametrize(
    ("srgb", "linear"),
    [(-1.0, 0.0), (0.0, 0.0), (0.02, 0.02 / 12.92), (0.5, 0.214041), (1.0, 1.0), (2.0, 1.0)],
)
def test_known_values(srgb: float, linear: float) -> None:
    assert math.isclose(linear_from_srgb(srgb), linear, abs_tol=1e-6)
    within = min(max(srgb, 0.0), 1.0)
    assert math.isclose(srgb_from_linear(linear), within, abs_tol=1e-6)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_brighter_stays_brighter(one: float, other: float) -> None:
    darker, brighter = sorted((one, other))
    assert linear_from_srgb(darker) <= linear_from_srgb(brighter)
    assert srgb_from_linear(darker) <= srgb_from_linear(brighter)
