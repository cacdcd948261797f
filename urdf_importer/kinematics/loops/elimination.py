# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear equations solved by formulas, in an order that suits many matrices: Markowitz, The
Elimination Form of the Inverse and its Application to Linear Programming, 1957."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...geometry.transforms import Matrix
from .formulas import Sheet, Sum, add, number, scale, times

_NONE = 1e-13
_WEAKEST, _SINGULAR = 0.1, 1e-4
"""Pivots are at least as large against others in their row, in all poses, if there are such."""


def find_pivots(jacobians: Matrix) -> list[tuple[int, int]] | None:
    """Returns the rows and columns by which matrices (N, n, n) are to be solved, those first that
    change the least of the others; None where no order suits all matrices."""
    if jacobians.shape[1] != jacobians.shape[2]:
        return None
    left = jacobians / np.abs(jacobians).max(axis=2, keepdims=True)
    rows, columns = (list(range(each)) for each in left.shape[1:])
    pivots: list[tuple[int, int]] = []
    while rows:
        part = left[:, rows][:, :, columns]
        there = np.abs(part).max(axis=0) > _NONE
        most = np.maximum(np.abs(part).max(axis=2), 1e-12)
        fine = (np.abs(part) / most[:, :, None]).min(axis=0)
        fill = np.outer(there.sum(axis=1) - 1, there.sum(axis=0) - 1).astype(float)
        fill = np.where(there, fill - fine / 2.0, np.inf)
        weak = fine < min(_WEAKEST, 0.5 * float(fine.max()))
        place = np.unravel_index(int(np.argmin(np.where(weak, np.inf, fill))), fill.shape)
        row, column = rows[int(place[0])], columns[int(place[1])]
        if float(np.abs(left[:, row, column]).min()) < _SINGULAR:
            return None
        pivots.append((row, column))
        rows.remove(row)
        columns.remove(column)
        if rows:
            factors = left[:, rows, column] / left[:, row, column][:, None]
            left[:, rows] -= factors[:, :, None] * left[:, row][:, None, :]
    return pivots


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Factors:
    """`upper` (row, column) -> entry, `lower` (row, pivot's row) -> how much of the pivot's row is
    taken from the row."""

    upper: dict[tuple[int, int], Sum]
    lower: dict[tuple[int, int], Sum]


class Solver:
    """Writes elimination in the order of `pivots`, rows and columns."""

    def __init__(self, pivots: Sequence[tuple[int, int]]) -> None:
        self._pivots = pivots

    def factor(self, sheet: Sheet, entries: Mapping[tuple[int, int], Sum]) -> Factors:
        """Returns the factors of a matrix, (row, column) -> entry where there is one."""
        upper, lower = dict(entries), {}
        for count, (pivot, column) in enumerate(self._pivots):
            inverse = _invert(sheet, upper[pivot, column])
            later = self._pivots[count + 1 :]
            for row in (row for row, _ in later if (row, column) in upper):
                share = sheet.write(times(upper.pop((row, column)), inverse))
                lower[row, pivot] = share
                for other in (each for _, each in later if (pivot, each) in upper):
                    taken = scale(times(share, upper[pivot, other]), -1.0)
                    upper[row, other] = sheet.write(add(upper.get((row, other), {}), taken))
        return Factors(upper=upper, lower=lower)

    def solve(self, sheet: Sheet, factors: Factors, right: Sequence[Sum]) -> dict[int, Sum]:
        """Returns column -> unknown."""
        left = dict(enumerate(right))
        for count, (pivot, _) in enumerate(self._pivots):
            for row in (row for row, _ in self._pivots[count + 1 :]):
                if (row, pivot) in factors.lower:
                    taken = scale(times(factors.lower[row, pivot], left[pivot]), -1.0)
                    left[row] = sheet.write(add(left[row], taken))
        found: dict[int, Sum] = {}
        for pivot, column in reversed(self._pivots):
            known = (
                scale(times(factors.upper[pivot, other], value), -1.0)
                for other, value in found.items()
                if (pivot, other) in factors.upper
            )
            rest = sheet.write(add(left[pivot], *known))
            inverse = _invert(sheet, factors.upper[pivot, column])
            found[column] = sheet.write(times(rest, inverse))
        return found


def _invert(sheet: Sheet, total: Sum) -> Sum:
    if list(total) == [()]:
        return number(1.0 / total[()])
    return {((sheet.name_line(total), "inverse"),): 1.0}
