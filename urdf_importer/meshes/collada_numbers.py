# SPDX-License-Identifier: GPL-3.0-or-later
"""Long texts of numbers -> arrays, whatever else is in them."""

import warnings

import numpy as np
from numpy.typing import NDArray


def read_integers(text: str) -> NDArray[np.int64]:
    """int64 (N,). A word that is no integer becomes -1, which is no index."""
    if not text or text.isspace():
        return np.zeros(0, dtype=np.int64)
    try:
        with warnings.catch_warnings():
            # numpy's way to say that something else is in the text.
            warnings.simplefilter("error", DeprecationWarning)
            return np.fromstring(text, dtype=np.int64, sep=" ")
    except (DeprecationWarning, ValueError):
        return np.array([_integer(word) for word in text.split()], dtype=np.int64)


def spell_out_odd_numbers(text: str) -> str:
    """The text with "inf", which no coordinate can be, for each word that is no finite number.

    Slow, and only for texts that have something odd in them.
    """
    return " ".join(word if _is_number(word) else "inf" for word in text.split())


def _integer(word: str) -> int:
    digits = word.removeprefix("-")
    return int(word) if digits.isascii() and digits.isdigit() and len(digits) < 18 else -1


def _is_number(word: str) -> bool:
    try:
        return abs(float(word)) < float("inf") and "_" not in word and word.isascii()
    except ValueError:
        return False
