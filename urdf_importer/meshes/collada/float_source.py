# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of a <source>."""

import importlib.util
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from ..numbers import parse_numbers

_OTHER_WORDS = "string or file could not be read"
"""How numpy's warning begins where a text of numbers has something else in it."""

_Load = Callable[[Element], NDArray[np.float32] | None]


class FloatReader:
    """Reads the numbers of <source> elements. What it cannot read is shown to pycollada too, where
    that is installed."""

    def __init__(self) -> None:
        self._load: _Load | None = None
        # pycollada checks little: what a damaged element raises is whatever its code stumbles
        # over. The price of so wide a net: a bug of ours in a tag looks like a damaged file.
        self._failures: tuple[type[Exception], ...] = (
            ArithmeticError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
            DeprecationWarning,
        )

    @staticmethod
    def read_finite(element: Element) -> NDArray[np.float32] | None:
        """Returns float32 (N, components); None where any of it is not a finite number."""
        rows = _load_source(element)
        return rows if rows is not None and np.isfinite(rows).all() else None

    def read(self, element: Element) -> NDArray[np.float32] | None:
        """Returns float32 (N, components); None where the numbers cannot be read."""
        rows = _load_source(element)
        if rows is not None:
            return rows
        load = self._load or self._find_library()
        try:
            with warnings.catch_warnings():
                # pycollada sets shapes in a way that new versions of numpy warn of.
                warnings.simplefilter("ignore", DeprecationWarning)
                warnings.filterwarnings("error", _OTHER_WORDS, DeprecationWarning)
                return load(element)
        except self._failures:
            return None

    def _find_library(self) -> _Load:
        """Imported late: hardly a file needs it."""
        try:
            with _date_parser():
                import collada
                from collada import source
        except ImportError:
            self._load = _load_source
            return self._load
        document = collada.Collada(ignore=[collada.DaeError], aux_file_loader=_load_nothing)
        document.tag = str
        self._failures += (collada.DaeError,)
        self._load = lambda element: source.FloatSource.load(document, {}, element).data
        return self._load


@contextmanager
def _date_parser() -> Iterator[None]:
    """Lends pycollada an empty dateutil where there is none: it imports that for the dates of
    documents, which are not read by it here. Others do not get to see it."""
    if "dateutil" in sys.modules or importlib.util.find_spec("dateutil") is not None:
        yield
        return
    package, parser = ModuleType("dateutil"), ModuleType("dateutil.parser")
    lent = {"dateutil": package, "dateutil.parser": parser}
    package.__dict__["parser"] = parser
    sys.modules.update(lent)
    try:
        yield
    finally:
        for name in lent:
            sys.modules.pop(name, None)


def _load_nothing(_: str) -> None:
    """Keeps the library from opening files beside the document."""


def _load_source(element: Element) -> NDArray[np.float32] | None:
    """Returns float32 (N, components): rows of as many numbers as have a <param>; None where there
    are other words or the last row is not whole. The third of texture coordinates S, T, P is left
    out, as by pycollada."""
    numbers = parse_numbers(element.findtext("float_array", "").encode(), np.float32)
    names = [each.get("name") for each in element.findall("technique_common/accessor/param")]
    if numbers is None or not names or len(numbers) % len(names):
        return None
    rows = numbers.reshape(-1, len(names))
    return rows[:, :2] if names == ["S", "T", "P"] else rows
