# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of numbers -> arrays, to the bit as `float` reads them.

A cell without an exponent is a whole number by a power of ten. Eight digits are folded at once
(Lemire, Number Parsing at a Gigabyte per Second, 2021); up to 2**53 and 10**22 both are doubles, so
that the quotient is rounded once. Longer ones get the remainder of Dekker's product (A
Floating-Point Technique for Extending the Available Precision, 1971). The price: others take three
times as long. Texts of meshes, with exponents and without empty cells, are read by
core/meshes/numbers.py, which takes a quarter longer for short numbers, and three times as long for
doubles.
"""

import io
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .gather import MOST_VALUES
from .trajectory import Numbers

_Places = NDArray[np.intp]
_Mask = NDArray[np.bool_]
_Wholes = NDArray[np.uint64]

LONGEST = 4 * 1024 * 1024
"""Characters of a line."""
_BLOCK, _KEPT = 256 * 1024, 2**21
"""Characters that are read at once: their arrays fit in a processor's cache."""
_MOST = 24
"""Characters of a cell, behind its sign, and of empty lines before all."""
_EXACT_TENS, _EXACT_WHOLES, _MOST_HIGH, _MOST_BEFORE = 22, 2**53, 1800, 2**50
"""Powers of ten and whole numbers that are doubles; what 2**64 holds above 16 digits; a number
before the point."""
_FEW = 0.25
_TENS: Any = 10.0 ** np.arange(_MOST + 2)
_WHOLE_TENS = np.uint64(10) ** np.minimum(np.arange(_MOST + 2), 19).astype(np.uint64)
_LAST = np.array([(2**64 - 1) ^ (2 ** (64 - 8 * count) - 1) for count in range(9)], np.uint64)
"""Masks of the last of eight characters."""
_FOLDS = tuple(
    tuple(map(np.uint64, each))
    for each in (
        (0x0F0F0F0F0F0F0F0F, 10 * 2**8 + 1, 8),
        (0x00FF00FF00FF00FF, 100 * 2**16 + 1, 16),
        (0x0000FFFF0000FFFF, 10_000 * 2**32 + 1, 32),
    )
)
"""Neighbours become one number: digits, pairs of digits, and fours."""
_POINTS = bytes.maketrans(b".", b"0")
_SIGN = np.uint64(63)
"""The bit of a double that is its sign."""
_HALVES = 2.0**27 + 1


class _Cells(NamedTuple):
    """Where cells are: behind a separator, up to the next; their length without the sign, whether
    they have a point and a sign, and how many digits follow the point. `odd` ones have another
    form."""

    starts: _Places
    ends: _Places
    length: _Places
    points: _Mask
    signs: _Mask
    places: _Places
    odd: _Mask


def read_columns(
    text: str, separator: str, line: int, width: int, parts: Sequence[Sequence[int]]
) -> tuple[list[Numbers], NDArray[np.int64] | None] | None:
    """Returns the numbers of columns from a line on, (m, n) for each part of them, read in blocks
    of lines, and the first column where it is whole. None where a cell has no number, a line has
    none or has no `width` cells, and for more numbers than are held."""
    text = text.replace("\r\n", "\n") if "\r" in text else text
    offset = 0
    for _ in range(line - 1):
        offset = text.find("\n", offset) + 1
    if "\r" in text or text.find('"', offset) >= 0:
        return None
    # glibc learns from a large array to keep freed memory: the arrays of each block would be got
    # anew from the system, which takes as long as reading them.
    np.empty(_KEPT)
    columns = [at for part in parts for at in part]
    ends = np.cumsum([len(part) for part in parts])[:-1]
    blocks, wholes, count = [], [], 0
    while offset < len(text):
        end = text.find("\n", offset + _BLOCK) + 1 or len(text)
        if end - offset > _BLOCK + LONGEST:
            return None
        found = read_decimals(_plain_lines(text[offset:end], separator), width, columns)
        offset = end
        count += 0 if found is None else found[0].size
        if found is None or count > MOST_VALUES or _has_blank(found[0]):
            return None
        blocks.append([part.copy() for part in np.split(found[0], ends, axis=1)])
        wholes.append(found[1])
    known = [each for each in wholes if each is not None]
    every = [np.concatenate(each) for each in zip(*blocks, strict=True)]
    return every, np.concatenate(known) if len(known) == len(wholes) else None


def _has_blank(rows: Numbers) -> bool:
    """Whether a line has no numbers: it may be no row."""
    blank = np.isnan(rows)
    return bool(blank.any()) and bool(blank.all(axis=1).any())


def _plain_lines(text: str, separator: str) -> bytes:
    """Returns lines with commas between the cells, and points in numbers."""
    plain = text.encode("ascii", "replace")
    if separator != ",":
        plain = plain.replace(b",", b".").replace(separator.encode(), b",")
    return plain if plain.endswith(b"\n") else plain + b"\n"


def read_decimals(
    lines: bytes, width: int, columns: Sequence[int]
) -> tuple[Numbers, NDArray[np.int64] | None] | None:
    """Returns numbers (m, n) of some columns of lines with commas, NaN where a cell is empty, and
    the first column (m,) where it is whole. None unless all lines end, have so many cells and
    numbers in them."""
    text = b"\n" * _MOST + lines
    cells = _find_cells(np.frombuffer(text, np.uint8), width, columns)
    if cells is None:
        return None
    wholes = _read_wholes(text.translate(_POINTS), cells)
    tens = _TENS.take(cells.places, mode="clip")
    values = wholes / tens
    longer = np.flatnonzero((wholes > _EXACT_WHOLES) & ~cells.odd)
    if len(longer):
        values[longer], unsure = _divide(wholes[longer], tens[longer])
        cells.odd[longer] |= unsure
    values.view(np.uint64)[:] |= cells.signs.astype(np.uint64) << _SIGN
    try:
        _read_odd(text, cells, values, columns)
    except ValueError:
        return None
    first = slice(None, None, len(columns))
    is_whole = ~(cells.odd | cells.points)[first] & (wholes[first] < 2**62)
    found = wholes[first].astype(np.int64) if is_whole.all() else None
    if found is not None:
        found = np.where(cells.signs[first], -found, found)
    return values.reshape(-1, len(columns)), found


def _read_odd(text: bytes, cells: _Cells, values: Numbers, columns: Sequence[int]) -> None:
    """Reads other cells, one by one unless there are many. Raises ValueError."""
    odd = np.flatnonzero(cells.odd)
    if len(odd) > _FEW * len(values):
        with suppress(ValueError):
            lines = io.BytesIO(text[_MOST:])
            found = np.loadtxt(lines, delimiter=",", comments=None, usecols=columns, ndmin=2)
            values[:] = found.ravel()
            return
    bounds = zip(cells.starts[odd].tolist(), cells.ends[odd].tolist(), strict=True)
    values[odd] = [float(text[at:end].strip() or b"nan") for at, end in bounds]


def _find_cells(raw: NDArray[np.uint8], width: int, columns: Sequence[int]) -> _Cells | None:
    """Returns the wanted cells, row by row. Characters below the digits are separators, signs and
    points; those above them make a cell odd."""
    marks = np.flatnonzero(raw < ord("0"))[_MOST - 1 :]
    kinds = raw[marks]
    splits = np.flatnonzero((kinds == ord(",")) | (kinds == ord("\n")))
    count = len(splits) - 1
    breaks = np.flatnonzero(kinds[splits[1:]] == ord("\n"))
    if count % width or not np.array_equal(breaks, np.arange(width - 1, count, width)):
        return None
    chosen: Any = slice(None)
    if list(columns) != list(range(width)):
        chosen = (np.arange(0, count, width)[:, None] + np.asarray(columns)).ravel()
    bounds, first, last = marks[splits], splits[:-1][chosen], splits[1:][chosen]
    starts, ends = bounds[:-1][chosen] + 1, bounds[1:][chosen]
    points, signs = kinds[last - 1] == ord("."), raw[starts] == ord("-")
    places = ends - marks[last - 1] - 1
    np.putmask(places, ~points, 0)
    length = ends - starts - signs
    odd = (last - first) != points.astype(np.int8) + signs + 1
    odd |= (length <= points) | (length > _MOST) | (places > _EXACT_TENS)
    others = np.flatnonzero(raw > ord("9"))
    if len(others):
        above = np.zeros(count, np.bool_)
        above[np.searchsorted(bounds[1:], others)] = True
        odd |= above[chosen]
    return _Cells(starts, ends, length, points, signs, places, odd)


def _read_wholes(text: bytes, cells: _Cells) -> _Wholes:
    """Returns the digits of cells as whole numbers. Their points are digits 0 in the text: the
    digits before them count ten times, so that nine parts go."""
    eights = np.ndarray(len(text) - 7, "<u8", text, strides=(1,))
    length = cells.length
    wholes = _fold(eights, cells.ends, length)
    longest = length.max(initial=0)
    if longest > 8:
        wholes += _fold(eights, cells.ends - 8, length - 8) * np.uint64(10**8)
    if longest > 16:
        high = _fold(eights, cells.ends - 16, length - 16)
        cells.odd[:] |= high >= _MOST_HIGH
        wholes += high * np.uint64(10**16)
    before = (wholes / _TENS.take(cells.places + 1, mode="clip")).astype(np.uint64)
    np.putmask(before, ~cells.points, 0)
    if longest > 16:
        # The quotient is rounded, which must not reach the next whole number.
        cells.odd[:] |= before > _MOST_BEFORE
    before *= np.uint64(9)
    wholes -= before * _WHOLE_TENS.take(cells.places, mode="clip")
    return wholes


def _fold(eights: NDArray[np.uint64], ends: _Places, length: _Places) -> _Wholes:
    """Returns the last digits of cells, eight of them or all."""
    found = eights[ends - 8] & _LAST.take(length, mode="clip")
    for mask, factor, shift in _FOLDS:
        found &= mask
        found *= factor
        found >>= shift
    return found


def _divide(wholes: _Wholes, tens: Numbers) -> tuple[Numbers, _Mask]:
    """Returns quotients rounded once, and whether one is too near to the middle of two doubles."""
    near = wholes.astype(np.float64)
    rest = (wholes - near.astype(np.uint64)).astype(np.int64)
    found = near / tens
    (a, b), (c, d), product = _halve(found), _halve(tens), found * tens
    error = a * c - product + a * d + b * c + b * d
    more = (near - product - error + rest) / tens
    slack = more * 2.0**-48
    return found + more, (found + (more - slack)) != (found + (more + slack))


def _halve(numbers: Numbers) -> tuple[Numbers, Numbers]:
    upper = numbers * _HALVES
    upper -= upper - numbers
    return upper, numbers - upper
