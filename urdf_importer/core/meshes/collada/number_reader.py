# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers in elements: numbers of a <source>, and lists of indices."""

import warnings
from collections.abc import Callable, Sequence
from itertools import groupby
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from ..numbers import parse_numbers
from .long_texts import LongNumbers

_OTHER_WORDS = "string or file could not be read"
"""How numpy's warning begins where a text of numbers has something else in it."""

_Load = Callable[[Element], NDArray[np.float32] | None]


class NumberReader:
    """Reads the numbers of elements. A <source> that it cannot read is shown to pycollada too,
    where that is installed.

    `known` are the numbers of elements that have no text, as `parse_around` leaves them.
    """

    def __init__(self, known: LongNumbers | None = None) -> None:
        self._known: LongNumbers = known or {}
        self._load: _Load | None = None
        # pycollada checks little: a damaged element raises whatever its code stumbles over. The
        # price of so wide a net: a bug of ours in a tag looks like a damaged file.
        self._failures: tuple[type[Exception], ...] = (
            ArithmeticError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
            DeprecationWarning,
        )

    def read_finite(self, source: Element) -> NDArray[np.float32] | None:
        """Returns float32 (N, components); None where any of it is not a finite number."""
        rows = self._load_source(source)
        return rows if rows is not None and np.isfinite(rows).all() else None

    def read(self, source: Element) -> NDArray[np.float32] | None:
        """Returns float32 (N, components); None where the numbers cannot be read."""
        rows = self._load_source(source)
        if rows is not None:
            return rows
        load = self._load or self._find_library()
        try:
            with warnings.catch_warnings():
                # pycollada sets shapes in a way that new versions of numpy warn of.
                warnings.simplefilter("ignore", DeprecationWarning)
                warnings.filterwarnings("error", _OTHER_WORDS, DeprecationWarning)
                return load(self._write_out(source))
        except self._failures:
            return None

    def read_integers(
        self, elements: Sequence[Element], separator: int | None = None
    ) -> NDArray[np.int64]:
        """Returns int64 (N,), the integers of all elements, with the separator between each two. A
        word that is not an integer becomes -1, which no index is."""
        between = " " if separator is None else f" {separator} "
        found: list[NDArray[np.int64]] = []
        for is_known, group in groupby(elements, key=self._known.__contains__):
            if is_known:
                found += [self._known[each] for each in group]
            else:
                found.append(_parse_integers(between.join(each.text or "" for each in group)))
        if len(found) == 1:
            return found[0]
        gap = np.array([] if separator is None else [separator], dtype=np.int64)
        parts = [part for each in found for part in (gap, each)]
        return np.concatenate(parts[1:]) if parts else gap[:0]

    def _load_source(self, source: Element) -> NDArray[np.float32] | None:
        """Returns float32 (N, components): rows of as many numbers as have a <param>; None where
        there are other words or the last row is not whole. The third of texture coordinates S, T, P
        is left out, as by pycollada."""
        element = source.find("float_array")
        numbers = None if element is None else self._known.get(element)
        if numbers is None:
            numbers = parse_numbers(source.findtext("float_array", "").encode(), np.float32)
        names = [each.get("name") for each in source.findall("technique_common/accessor/param")]
        if numbers is None or not names or len(numbers) % len(names):
            return None
        rows = numbers.reshape(-1, len(names))
        return rows[:, :2] if names == ["S", "T", "P"] else rows

    def _write_out(self, source: Element) -> Element:
        """Gives the source a text of its numbers where these are known."""
        element = source.find("float_array")
        if element is not None and element in self._known:
            element.text = " ".join(map(repr, self._known[element].tolist()))
        return source

    def _find_library(self) -> _Load:
        """Imported late: hardly a file needs it."""
        try:
            import collada
            from collada import source
        except ImportError:
            self._load = self._load_source
            return self._load
        document = collada.Collada(ignore=[collada.DaeError], aux_file_loader=_load_nothing)
        document.tag = str
        self._failures += (collada.DaeError,)
        self._load = lambda element: source.FloatSource.load(document, {}, element).data
        return self._load


def _load_nothing(_: str) -> None:
    """Keeps the library from opening files beside the document."""


def _parse_integers(text: str) -> NDArray[np.int64]:
    found = parse_numbers(text.encode(), np.int64)
    if found is not None:
        return found
    return np.array([_integer(word) for word in text.split()], dtype=np.int64)


def spell_out_odd_numbers(text: str) -> str:
    """Returns the text with "inf", which no coordinate can be, for each word that is not a finite
    number.

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
