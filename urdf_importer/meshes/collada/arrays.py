# SPDX-License-Identifier: GPL-3.0-or-later
"""Long texts of numbers -> arrays, whatever else is in them."""

import warnings
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from ...diagnostics import MeshError


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


class ColladaLibrary:
    """An empty document of pycollada, in whose name elements are read.

    MeshError `missing-library` where pycollada is not installed.
    """

    def __init__(self) -> None:
        try:
            import collada
            from collada import source
        except ImportError:
            raise MeshError(
                "COLLADA files need the Python library pycollada; install it with "
                "'pip install pycollada'",
                code="missing-library",
            ) from None
        self._source = source.FloatSource
        # pycollada checks little: what a damaged element raises is whatever its code stumbles
        # over. The price of so wide a net: a bug of ours in a tag looks like a damaged file.
        self._failures = (
            collada.DaeError,
            ArithmeticError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
            DeprecationWarning,
        )
        self._document = collada.Collada(ignore=[collada.DaeError], aux_file_loader=_load_nothing)
        self._document.tag = str

    def find_source(self, element: Element) -> Any | None:
        """A FloatSource; None where its numbers cannot be read."""
        try:
            with warnings.catch_warnings():
                # numpy's way to say that a text of numbers has something else in it.
                warnings.simplefilter("error", DeprecationWarning)
                return self._source.load(self._document, {}, element)
        except self._failures:
            return None


def _load_nothing(_: str) -> None:
    """Files beside the document are never opened by the library."""
