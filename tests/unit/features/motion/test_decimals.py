# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of numbers: to the bit as `float` reads them, and tables of each form as cell by cell."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urdf_importer import ReadError, read_trajectory
from urdf_importer.features.motion.decimals import read_decimals

DIGITS = st.text("0123456789", max_size=22)
PLAIN = st.builds("{}{}{}{}".format, st.sampled_from(["", "-", "+"]), DIGITS,
                  st.sampled_from(["", "."]), DIGITS)  # fmt: skip
CELLS = st.one_of(
    PLAIN,
    PLAIN,
    st.floats().map(repr),
    st.floats(width=32).map(lambda number: str(np.float32(number))),
    st.integers(-(10**20), 10**20).map(str),
    st.text(" +-./0123456789:e,xn\n\0", max_size=6).filter(lambda text: not set(text) & set(",\n")),
)


def read_cells(cells):
    """Returns the bytes of numbers, NaN for blank ones; None where one is none."""
    try:
        return [float(each) if each.strip() else float("nan") for each in cells]
    except ValueError:
        return None


@settings(max_examples=400)
@given(rows=st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=6))
def test_numbers_are_read_as_python_reads_them(rows):
    cells = [each.encode() for row in rows for each in row]
    lines = b"".join(b",".join(cells[at : at + 3]) + b"\n" for at in range(0, len(cells), 3))
    found, wanted = read_decimals(lines, 3, range(3)), read_cells(cells)
    assert (found is None) == (wanted is None)
    if found is not None:
        np.testing.assert_array_equal(found[0].ravel(), wanted)
        np.testing.assert_array_equal(np.signbit(found[0].ravel()), np.signbit(wanted))
        assert found[1] is None or found[1].tolist() == [int(each) for each in cells[::3]]


def test_long_numbers_and_middles_of_two_doubles_are_rounded_once():
    rng = np.random.default_rng(0)
    doubles = rng.normal(size=20_000) * 10.0 ** rng.integers(-4, 6, 20_000)
    texts = [repr(each) for each in doubles.tolist()]
    texts += [f"{each:.17f}" for each in doubles[:5000].tolist()]
    # The decimal expansion of a middle is exact: one digit more or less decides.
    middles = [2**53 + 2 * each + 1 for each in range(200)]
    texts += [f"{each * 10 + last}"[:-1] + f".{last}" for each in middles for last in (0, 1, 9)]
    texts += [f"{each}.0" for each in middles] + [str(each) for each in middles]
    lines = "".join(f"{each}\n" for each in texts).encode()
    found = read_decimals(lines, 1, range(1))
    assert found is not None
    assert found[0].ravel().tobytes() == np.array([float(each) for each in texts]).tobytes()


@pytest.mark.parametrize("lines", [b"1,2\n3\n", b"1,2\n3,4,5\n", b"1\n2\n", b"1,2\n\n", b"1,2,\n"])
def test_lines_of_other_widths_are_none(lines):
    assert read_decimals(lines, 2, range(2)) is None


def write_table(path, *, separator=",", end="\n", head=("time", "a", "b"), number=repr, unit=0.01):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(9_000, len(head) - 1)).tolist()
    lines = [[number(at * unit), *map(number, row)] for at, row in enumerate(rows)]
    lines[7][1] = ""
    text = end.join(separator.join(line) for line in [head, *lines]) + end
    path.write_text(text, encoding="utf-8", newline="")
    return text, lines


def comma(number):
    return repr(number).replace(".", ",")


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"end": "\r\n"},
        {"separator": ";", "number": comma},
        {"separator": "\t"},
        {"head": ("", "a", "time")},
        {"head": ("timestamp_ms", "a", "b"), "unit": 20},
        {"head": ("sec", "a", "nanosec"), "number": lambda each: str(int(each)), "unit": 1},
        {"number": lambda each: f"{each:.6e}"},
    ],
    ids=["commas", "windows", "decimal commas", "tabs", "index", "whole", "pair", "exponents"],
)
def test_a_table_is_the_same_by_lines_and_by_cells(tmp_path, form):
    plain, quoted = tmp_path / "plain.csv", tmp_path / "quoted.csv"
    text, lines = write_table(plain, **form)
    cell = lines[8][1]
    quoted.write_text(text.replace(cell, f'"{cell}"', 1), encoding="utf-8", newline="")
    fast, slow = read_trajectory(plain), read_trajectory(quoted)
    assert fast == slow
    assert len(fast.times) > 1


def test_a_line_of_many_megabytes_is_refused(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("time,a\n0,1\n1,2\n" + "3," * 3_000_000 + "\n")
    with pytest.raises(ReadError, match="more than 4,194,304 characters"):
        read_trajectory(path)
