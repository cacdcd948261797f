# SPDX-License-Identifier: GPL-3.0-or-later
"""What pycollada reads of a COLLADA document: the sources, which are all of its coordinates.

It gets single elements of a tree that has been checked, never the file. Its reading of a whole
document is not used: it recurses as deep as nodes are nested, follows nodes that hold themselves,
opens archives, and loses a whole geometry for one bad index or unknown element, and an effect with
its colour for one reference that leads nowhere.
"""

import warnings
from typing import Any
from xml.etree.ElementTree import Element

from ..diagnostics import MeshError


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
