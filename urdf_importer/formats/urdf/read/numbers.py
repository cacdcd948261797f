# SPDX-License-Identifier: GPL-3.0-or-later
"""Text -> float, by a strict rule: decimal numbers in ASCII digits, parted by white space.

float() and str.split() alone also take 0_5, Arabic digits, no-break spaces and nan.
"""

import re
from collections.abc import Sequence

from ....core.model import Vector3

FARTHEST = 1e9  # metres
LARGEST = 1e30
MOST_CHARACTERS = 1000

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?").fullmatch
_INFINITY = re.compile(r"[-+]?inf(?:inity)?", re.ASCII | re.IGNORECASE).fullmatch
_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]*,[0-9]+").fullmatch
_HEXADECIMAL = re.compile(r"[-+]?0[xX]").match
_FORTRAN = re.compile(r"[-+]?[0-9.]+[dD][-+]?[0-9]+").fullmatch
_BLANKS = re.compile(r"[ \t\r\n]+")
_SEPARATORS = re.compile(r"[ \t\r\n]*,[ \t\r\n]*|[ \t\r\n]+")


def plain_number(text: str) -> float:
    """Reads a number of at most FARTHEST. Raises ValueError for all other text; the slower
    functions below find its meaning."""
    number = float(text)
    # Text that float() takes beyond the strict rule has "_" or other than ASCII or is not finite.
    if not -FARTHEST <= number <= FARTHEST or not text.isascii() or "_" in text:
        raise ValueError
    return number


def plain_vector(text: str) -> Vector3:
    """Reads three numbers by the same rule. Raises ValueError for all other text."""
    first, second, third = text.split()
    x, y, z = vector = float(first), float(second), float(third)
    if not (x * x + y * y + z * z <= FARTHEST**2 and text.isascii() and "_" not in text):
        raise ValueError
    return vector


class OddNumberError(ValueError):
    """The text is not a number; the message says why."""


def split_numbers(text: str, count: int) -> tuple[list[str], bool]:
    """Returns the words of a list of `count` numbers, and whether commas part them.

    Raises OddNumberError where the commas may be decimal ones: then the meaning is anyone's guess.
    """
    if len(text) > MOST_CHARACTERS:
        raise OddNumberError(f"has {len(text)} characters")
    text = text.strip(" \t\r\n")
    if not text:
        return [], False
    if "," not in text:
        return _BLANKS.split(text), False
    words = _SEPARATORS.split(text)
    if len(words) != count:
        if any(_DECIMAL_COMMA(word) for word in _BLANKS.split(text)):
            raise OddNumberError("has a decimal comma, where URDF has a point")
        raise OddNumberError(f"has {len(words) - 1} commas for {count} numbers")
    return words, True


def to_number(word: str, largest: float) -> float:
    """Returns the number that `word` is. Raises OddNumberError where it is not a number or beyond
    +-`largest`."""
    if not _NUMBER(word):
        raise OddNumberError(_what_is(word))
    number = float(word)
    if not -largest <= number <= largest:
        raise OddNumberError(f"is beyond {largest:g}")
    return number


def is_infinite(word: str) -> bool:
    """Whether a word denotes an infinity: "inf", or a number that no float can hold."""
    if _INFINITY(word):
        return True
    return _NUMBER(word) is not None and float(word) in (float("inf"), float("-inf"))


def padded(numbers: Sequence[float], count: int) -> list[float]:
    """Returns the first `count` of the numbers, with zeros for missing ones."""
    return [*numbers[:count], *([0.0] * (count - len(numbers)))]


def _what_is(word: str) -> str:
    if _INFINITY(word):
        return "is infinite"
    if word.lower().lstrip("+-") == "nan":
        return "is not a number (nan)"
    if not word.isascii():
        return "has characters beyond ASCII"
    if _DECIMAL_COMMA(word):
        return "has a decimal comma, where URDF has a point"
    if _HEXADECIMAL(word):
        return "is hexadecimal"
    if _FORTRAN(word):
        return "has a Fortran exponent"
    return "is not a number"
