# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers are those that numpy reads, to the bit, however they are written."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urdf_importer.core.meshes import numbers
from urdf_importer.core.meshes.numbers import parse_numbers

DTYPES = (np.float32, np.float64)
FORMS = ("%.6g", "%.3f", "%.9g", "%.17g", "%e", "%.0f", "%+.4f", "%G")
ODD_WORDS = (
    *("x", "1_0", "0x1", ".", "-", "-.", "+e1", "--1", "5-3", "1.2.3", "1e", "1e+", "e5", "1e5."),
    *("1e5e5", "1e.5", "-e5", "1,5", "\0", "\1", "1\u20ac"),
)
WORDS = (
    *("0", "-0.0", "+.5", "7.", "-.25e1", "1e22", "1e23", "1e-22", "1e-23", "123456789e15"),
    *(
        "9007199254740992",
        "9007199254740993",
        "4503599627370497.5",
        "1e400",
        "1e-400",
        "inf",
        "nan",
    ),
    *("123456789012345678901234", "0.000000000000000000000001", "00012.500", "6.12323e-17"),
)
GAPS = st.sampled_from([" ", "  ", "\n", " \t\r\n"])
PLAIN = st.builds(
    lambda form, value: form % value, st.sampled_from(FORMS), st.floats(-(2**40), 2**40)
)


@pytest.fixture(autouse=True, scope="module")
def small_pieces() -> Any:
    """Cuts texts of a few words into pieces too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "_SHORTEST", 0)
        patch.setattr(numbers, "_PIECE", 20)
        yield


def read_by_words(text: str, dtype: type[Any]) -> Any:
    """The truth: numpy reads each word alone; None where it does not take one whole."""
    found = []
    for word in text.split():
        try:
            value = float(word)
        except ValueError:
            return None
        if not word.isascii() or "_" in word:
            return None
        found.append(value)
    with np.errstate(over="ignore"):
        return np.array(found, dtype=np.float64).astype(dtype)


def check(text: str) -> None:
    for dtype in DTYPES:
        found, expected = parse_numbers(text.encode(), dtype), read_by_words(text, dtype)
        if expected is None:
            assert found is None
        else:
            assert found is not None
            assert found.dtype == dtype
            # The sign of a zero is nobody's business.
            assert (found + dtype(0)).tobytes() == (expected + dtype(0)).tobytes()


@given(st.lists(st.tuples(PLAIN | st.sampled_from(WORDS), GAPS), max_size=40), GAPS | st.just(""))
@example([("1", " ")] * 30 + [("0.1234567890123456789", " ")], "\n")
@example([("0.1234567890123456789", " ")] * 30, "")
def test_numbers_are_the_nearest(words: list[tuple[str, str]], start: str) -> None:
    check(start + "".join(word + gap for word, gap in words))


@given(
    st.lists(st.tuples(PLAIN | st.sampled_from(WORDS), GAPS), max_size=9),
    st.sampled_from(ODD_WORDS),
    st.lists(st.tuples(PLAIN | st.sampled_from(WORDS + ODD_WORDS), GAPS), max_size=9),
)
def test_other_words_are_noticed(
    before: list[tuple[str, str]], odd: str, after: list[tuple[str, str]]
) -> None:
    text = "".join(word + gap for word, gap in [*before, (odd, " "), *after])
    for dtype in DTYPES:
        assert parse_numbers(text.encode(), dtype) is None


@given(st.lists(st.integers(-(2**62), 2**62)))
def test_integers(values: list[int]) -> None:
    found = parse_numbers(" ".join(map(str, values)).encode(), np.int64)
    assert found is not None
    assert found.tolist() == values


def test_fractions_are_no_integers() -> None:
    assert parse_numbers(b"1 2.5 3", np.int64) is None
