# SPDX-License-Identifier: GPL-3.0-or-later
"""A document without its long texts of numbers, and these as arrays.

Nearly all bytes of a large document are numbers, and half the time of a parser of XML goes into
copying them. So each such text is replaced by a short mark before the parser sees it, and read
straight from the bytes. That is done only where it cannot be distinguished from reading the whole
document: the parser must show every mark as the whole text of one element, in order, and a text
must be nothing but finite numbers. Any other document (comments within a text, texts within
comments, marks of its own) is parsed in the plain way.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from ..numbers import parse_numbers

Parse = Callable[[Iterable[bytes | memoryview]], Element]
"""Returns the root of a document in pieces; no tag has a namespace."""

LongNumbers = Mapping[Element, NDArray[Any]]
"""float32 (N,) of each <float_array>, int64 (N,) of each <p> and <vcount> whose text is cut out."""

_STEP = 4 * 1024
"""A text of twice as many bytes is found without looking at shorter ones."""
_MARK = "cut-out-"
_SPELL_MARKS = (_MARK.encode(), b"&#")
_START = re.compile(
    rb"""<(p|vcount|float_array)(?:\s++[\w.:-]++\s*+=\s*+(?:"[^"<&]*+"|'[^'<&]*+'))*+\s*+>"""
)
_NO_SPACE = (b"\v", b"\f")
"""Gaps between numbers for numpy, but forbidden in XML."""


class _LongText(NamedTuple):
    """The bounds of the text, and its numbers."""

    start: int
    end: int
    kind: type[np.float32 | np.int64]


def parse_around(data: bytes, parse: Parse) -> tuple[Element, LongNumbers] | None:
    """Parses a document without the long texts of its geometries. Raises as `parse` does.

    None where there are no such texts or the document must be parsed in the plain way.
    """
    texts = _find_long_texts(data)
    found = _parse_marked(data, texts, parse)
    if found is None:
        return None
    root, elements = found
    shown = {each for geometry in root.iter("geometry") for each in geometry.iter()}
    read = [
        _read_numbers(data, text) if element in shown else None
        for text, element in zip(texts, elements, strict=True)
    ]
    numbers = [each for each in read if each is not None]
    if len(numbers) < len(texts):
        texts = [text for text, each in zip(texts, read, strict=True) if each is not None]
        found = _parse_marked(data, texts, parse)
    return (found[0], dict(zip(found[1], numbers, strict=True))) if found else None


def _find_long_texts(data: bytes) -> list[_LongText]:
    """The texts of <float_array>, <p> and <vcount> elements that contain no other tag."""
    if b"\0" in data[:4]:
        return []  # of two bytes a letter
    found = []
    at = 0
    while at < len(data):
        if data.find(b"<", at, at + _STEP) >= 0:
            at += _STEP
            continue
        tag, end = data.rfind(b"<", 0, at), data.find(b"<", at)
        start = _START.match(data, max(tag, 0))
        if start is not None and end >= 0 and data.startswith(b"</" + start[1] + b">", end):
            kind = np.float32 if start[1] == b"float_array" else np.int64
            found.append(_LongText(start.end(), end, kind))
        at = end if end >= 0 else len(data)
    return found


def _parse_marked(
    data: bytes, texts: Sequence[_LongText], parse: Parse
) -> tuple[Element, list[Element]] | None:
    """The root and the elements of the texts; None where there are none, or where the marks are not
    the exact content of these elements: a text may lie in a comment, and the document may spell a
    mark.
    """
    starts, ends = [0, *(each.end for each in texts)], [*(each.start for each in texts), len(data)]
    spans = list(zip(starts, ends, strict=True))
    if not texts or any(data.find(each, *span) >= 0 for span in spans for each in _SPELL_MARKS):
        return None
    marks = [f"{_MARK}{index}".encode() for index in range(len(texts))]
    view = memoryview(data)
    pieces = [view[start:end] for start, end in spans]
    root = parse(part for pair in zip(pieces, [*marks, b""], strict=True) for part in pair)
    elements = [each for each in root.iter() if each.text and _MARK in each.text]
    return (root, elements) if [(each.text or "").encode() for each in elements] == marks else None


def _read_numbers(data: bytes, text: _LongText) -> NDArray[Any] | None:
    """None where anything is not a finite number."""
    if any(data.find(each, text.start, text.end) >= 0 for each in _NO_SPACE):
        return None
    numbers = parse_numbers(data[text.start : text.end], text.kind)
    return numbers if numbers is not None and np.isfinite(numbers).all() else None
