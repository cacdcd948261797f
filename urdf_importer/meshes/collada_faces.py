# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of indices in COLLADA primitives -> faces. Strips and fans become triangles.

What a primitive says as `count` is not read: what is there counts.
"""

from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import Report
from .collada_numbers import read_integers

_SEPARATOR = -(2**40)
"""Stands between the texts of several <p>, which are read at one go. No index is negative."""


@dataclass(frozen=True, slots=True)
class Faces:
    """rows   int64 (C, inputs), for each corner, face after face, one index per offset
    sizes  int64 (F,) corners per face; None: all triangles
    """

    rows: NDArray[np.int64]
    sizes: NDArray[np.int64] | None = None


def read_faces(primitive: Element, width: int, report: Report) -> Faces | None:
    """The faces of a primitive with `width` indices per corner; None for lines and points.

    Reports `polygon-holes` (they were filled) and `invalid-facets` for those that lack corners.
    """
    tag = primitive.tag
    if tag not in ("triangles", "polylist", "polygons", "tristrips", "trifans"):
        return None
    rows, lengths, rest = _read_runs(_index_texts(primitive, report), width)
    if rest:
        report("invalid-facets", f"a <{tag}> ends within a corner; that one was left out")
    if tag == "polygons":
        return _large_enough(rows, lengths, report)
    if tag == "polylist":
        return _read_polylist(primitive, rows, report)
    if tag == "triangles":
        whole = len(rows) // 3 * 3
        if whole < len(rows):
            report("invalid-facets", "a <triangles> ends within a triangle; that one was left out")
        return Faces(rows[:whole])
    return Faces(rows[_corners_of_runs(lengths, is_fan=tag == "trifans")])


def _index_texts(primitive: Element, report: Report) -> list[str]:
    texts = [each.text or "" for each in primitive.findall("p")]
    holed = primitive.findall("ph")
    if holed:
        report("polygon-holes", f"{len(holed)} polygons have holes; these were filled")
        texts += [each.findtext("p", "") for each in holed]
    return texts


def _read_runs(texts: list[str], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """The rows of all texts one after the other, how many each has, whether any has a rest."""
    numbers = read_integers(f" {_SEPARATOR} ".join(texts))
    ends = np.append(np.flatnonzero(numbers == _SEPARATOR), len(numbers))
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = (ends - starts) // width
    if len(lengths) == 1:
        used = lengths[0] * width
        return numbers[:used].reshape(-1, width), lengths, bool(used < len(numbers))
    first = np.repeat(starts, lengths) + _count_up(lengths) * width
    rows = numbers[first[:, None] + np.arange(width)]
    return rows, lengths, bool((lengths * width < ends - starts).any())


def _count_up(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, 2 ... for each of the lengths."""
    starts = np.cumsum(lengths) - lengths
    counted: NDArray[np.int64] = np.arange(lengths.sum()) - np.repeat(starts, lengths)
    return counted


def _read_polylist(primitive: Element, rows: NDArray[np.int64], report: Report) -> Faces:
    sizes = read_integers(" ".join(each.text or "" for each in primitive.findall("vcount")))
    sizes = np.clip(sizes, 0, len(rows) + 1)
    ends = np.cumsum(sizes)
    there = int(np.searchsorted(ends, len(rows), side="right"))
    sizes = sizes[:there]
    used = int(sizes.sum())
    if there < len(ends) or used < len(rows):
        report("invalid-facets", "a <polylist> has not the corners it says; whole faces were read")
    return _large_enough(rows[:used], sizes, report)


def _large_enough(rows: NDArray[np.int64], sizes: NDArray[np.int64], report: Report) -> Faces:
    is_face = sizes >= 3
    if not is_face.all():
        lost = int(np.count_nonzero(~is_face))
        report(
            "invalid-facets", f"{lost} polygons have less than three corners; they were left out"
        )
        rows, sizes = rows[np.repeat(is_face, sizes)], sizes[is_face]
    return Faces(rows, None if (sizes == 3).all() else sizes)


def _corners_of_runs(lengths: NDArray[np.int64], *, is_fan: bool) -> NDArray[np.int64]:
    """Which row is each corner of the triangles of strips or fans."""
    counts = np.maximum(lengths - 2, 0)
    starts = np.repeat(np.cumsum(lengths) - lengths, counts)
    step = _count_up(counts)
    if is_fan:
        corners = np.column_stack([starts, starts + step + 1, starts + step + 2])
    else:
        # Every second triangle of a strip runs the other way around.
        odd = step & 1
        corners = (starts + step)[:, None] + np.column_stack([0 * odd, 1 + odd, 2 - odd])
    return corners.ravel()
