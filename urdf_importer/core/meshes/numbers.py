# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of numbers as arrays.

numpy reads an integer in a fifth of the time that a fraction takes. A short fraction is a quotient
of two integers: 1.25e-3 is 125 / 10^5. Both are exact in double precision up to 2^53 and 10^22, so
one division rounds as correctly as reading the text does (W. D. Clinger, How to Read Floating Point
Numbers Accurately, 1990). Longer fractions are left to numpy.
"""

import re
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_BLANK, _DOT, _MINUS, _PLUS = ord(" "), ord("."), ord("-"), ord("+")
_LOWER, _E = ord(" "), ord("e")
_SPLIT_EXPONENTS = bytes.maketrans(b"eE", b"  ")
_TENS = 10.0 ** np.arange(23)
_MOST_DIGITS = 2**53
_PIECE = 64 * 1024
"""Bytes whose arrays fit into a processor's cache."""
_SHORTEST = 2 * 1024
"""Shorter texts are read by numpy before all the steps here have begun."""
_GAP = re.compile(rb"\s")


class _OddText(Exception):
    """A piece holds something other than short numbers."""


def parse_numbers(text: bytes, dtype: type[Any]) -> NDArray[Any] | None:
    """Returns all numbers of a text, one-dimensional, each rounded from the double next to it; None
    if anything in it is not a number. The zero of -0.0 may lose its sign."""
    if len(text) < _SHORTEST or not issubclass(dtype, np.floating):
        return _parse_slowly(text, dtype)
    found: list[NDArray[Any]] = [np.empty(0, dtype=dtype)]
    start = 0
    while start < len(text):
        gap = _GAP.search(text, start + _PIECE)
        end = gap.end() if gap else len(text)
        try:
            values = _parse_decimals(text[start:end] if gap else text[start:] + b" ")
        except _OddText:
            return _parse_rest(text[start:], found, dtype)
        with np.errstate(over="ignore"):
            found.append(values.astype(dtype))
        start = end
    return np.concatenate(found)


def _parse_rest(text: bytes, found: list[NDArray[Any]], dtype: type[Any]) -> NDArray[Any] | None:
    """The numbers found and the numbers of a text, which is not tried piece by piece: files use one
    notation throughout."""
    rest = _parse_slowly(text, dtype)
    return None if rest is None else np.concatenate([*found, rest])


def _parse_slowly(text: bytes, dtype: type[Any]) -> NDArray[Any] | None:
    if not text or text.isspace():
        return np.empty(0, dtype=dtype)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return np.fromstring(text, dtype=dtype, sep=" ")
    except (DeprecationWarning, ValueError):
        return None


class _Words(NamedTuple):
    """The integers of a text without its dots, an exponent apart from its number.

    decimals       how many digits of each follow a dot
    has_dot        whether it had one
    before_e       whether an exponent follows
    """

    decimals: NDArray[np.int64]
    has_dot: NDArray[np.bool_]
    before_e: NDArray[np.bool_]


def _parse_decimals(text: bytes) -> NDArray[np.float64]:
    """Raises _OddText. The text ends with a gap."""
    words = _find_words(text)
    integers = _parse_slowly(text.translate(_SPLIT_EXPONENTS, b"."), np.int64)
    if integers is None or len(integers) != len(words.decimals):
        raise _OddText
    powers = -words.decimals
    if words.before_e.any():
        is_exponent = np.zeros(len(integers), dtype=bool)
        is_exponent[1:] = words.before_e[:-1]
        if (is_exponent & (words.has_dot | words.before_e)).any():
            raise _OddText
        powers[words.before_e] += integers[is_exponent]
        powers, integers = powers[~is_exponent], integers[~is_exponent]
    return _scale(integers, powers, text)


def _find_words(text: bytes) -> _Words:
    characters = np.frombuffer(text, dtype=np.uint8)
    is_gap, is_dot = characters <= _BLANK, characters == _DOT
    is_sign = characters == _MINUS
    if b"+" in text:
        is_sign |= characters == _PLUS
    is_break, has_exponents = is_gap, b"e" in text or b"E" in text
    if has_exponents:
        is_e = characters | _LOWER == _E
        is_break = is_gap | is_e
        if (is_e[1:] & is_gap[:-1]).any():
            raise _OddText
    _refuse_lone_signs(is_break, is_dot, is_sign)
    is_place = is_break | is_dot
    is_place[1:] &= ~(is_gap[1:] & is_gap[:-1])
    is_place[0] &= not is_gap[0]
    places = np.flatnonzero(is_place)
    place_is_dot = is_dot[places]
    if (place_is_dot[1:] & place_is_dot[:-1]).any():
        raise _OddText
    ends = np.flatnonzero(~place_is_dot)
    before = ends - 1
    places_of_ends = places.take(ends)
    has_dot = place_is_dot.take(before, mode="wrap")
    decimals = places_of_ends - places.take(before, mode="wrap")
    decimals -= 1
    decimals *= has_dot
    before_e = is_e.take(places_of_ends) if has_exponents else np.zeros(len(ends), dtype=bool)
    return _Words(decimals, has_dot, before_e)


def _refuse_lone_signs(
    is_break: NDArray[np.bool_], is_dot: NDArray[np.bool_], is_sign: NDArray[np.bool_]
) -> None:
    """Raises _OddText where numpy would read an integer that the text does not contain: signs begin
    a word, digits follow them, and dots are next to digits."""
    is_lone = is_sign[1:] > is_break[:-1]
    is_lone |= is_sign[:-1] & is_break[1:]
    is_bare_dot = is_dot[1:-1] & is_break[2:]
    is_bare_dot &= is_break[:-2] | is_sign[:-2]
    if is_lone.any() or is_bare_dot.any():
        raise _OddText


def _scale(
    digits: NDArray[np.int64], powers: NDArray[np.int64], text: bytes
) -> NDArray[np.float64]:
    """digits * 10^powers, correctly rounded."""
    most = len(_TENS) - 1
    values: NDArray[np.float64] = digits / _TENS.take(-powers, mode="clip")
    lowest, highest = powers.min(initial=0), powers.max(initial=0)
    if highest > 0:
        values *= _TENS.take(powers, mode="clip")
    largest = max(int(digits.max(initial=0)), -int(digits.min(initial=0)))
    if lowest < -most or highest > most or largest > _MOST_DIGITS:
        is_long = (np.abs(powers) > most) | (np.abs(digits) > _MOST_DIGITS)
        if 8 * np.count_nonzero(is_long) > len(is_long):
            raise _OddText
        words = text.split()
        values[is_long] = [float(words[index]) for index in np.flatnonzero(is_long)]
    return values
