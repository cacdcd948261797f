# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets of formulas: numbers that are sums of products of earlier ones, their sines, cosines and
inverses.

Such formulas can be computed wherever there are products, sums and sines, in a fixed number of
steps. Each formula is short enough for an expression of 256 characters. Linear equations are solved
in an order that suits many matrices: Markowitz, The Elimination Form of the Inverse and its
Application to Linear Programming, 1957.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import Matrix
from ...progress import Budget

Shape = Literal["", "sin", "cos", "inverse"]
Factor = tuple[int, Shape]
"""A line of the sheet: itself, its sine or cosine, or one over it."""
Sum = dict[tuple[Factor, ...], float]
"""Products of factors -> their coefficients."""
Numbers = NDArray[np.float64]

_PER_LINE, _PER_PRODUCT, _PER_TERM, _PER_RATE = 8e-6, 4e-6, 2.2e-6, 9e-6
"""Seconds of writing a line, and each product in it; of computing one, and its rates, often."""
_NOTHING = 1e-12
_ZERO = 1e-13
_WEAKEST, _SINGULAR = 0.1, 1e-4
"""Pivots are at least as large against others in their row, in all poses, if there are such."""
_DIGITS = 9
_MOST_LETTERS, _MOST_FACTORS = 240, 40
_NUMBER, _NAME, _CALL = 16, 2, 7
"""How many letters of an expression a number, a factor and the sine of one may need."""


def number(value: float) -> Sum:
    """Returns a number as a sum."""
    return {(): float(value)} if abs(value) > _NOTHING else {}


def line_of(index: int) -> Sum:
    """Returns a line as a sum."""
    return {((index, ""),): 1.0}


def add(*sums: Sum) -> Sum:
    """Returns the sum of sums."""
    found: Sum = {}
    for each in sums:
        for product, factor in each.items():
            found[product] = found.get(product, 0.0) + factor
    return {product: factor for product, factor in found.items() if abs(factor) > _NOTHING}


def scale(total: Sum, factor: float) -> Sum:
    """Returns a sum times a number."""
    return add({product: each * factor for product, each in total.items()})


def times(one: Sum, other: Sum) -> Sum:
    """Returns the product of two sums."""
    found: Sum = {}
    for first, factor in one.items():
        for second, also in other.items():
            product = tuple(sorted((*first, *second)))
            found[product] = found.get(product, 0.0) + factor * also
    return {product: factor for product, factor in found.items() if abs(factor) > _NOTHING}


def weigh(weights: Iterable[float], sums: Iterable[Sum]) -> Sum:
    """Returns the weighted sum of sums."""
    return add(*(scale(each, float(w)) for w, each in zip(weights, sums, strict=True) if w))


class Sheet:
    """`lines` are the formulas, None for inputs. Equal formulas are written once. Work is counted
    by `budget`."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.lines: list[Sum | None] = []
        self._written: dict[frozenset[tuple[tuple[Factor, ...], float]], int] = {}

    def enter(self) -> int:
        """Returns a line whose number comes from outside."""
        self.lines.append(None)
        return len(self.lines) - 1

    def write(self, total: Sum) -> Sum:
        """Returns a sum as one line, if it is more than a number or a line."""
        if not total or list(total) == [()] or _is_line(total):
            return total
        return line_of(self._write(total))

    def name_line(self, total: Sum) -> int:
        """Returns the line of a sum, which is written if it is not a line yet."""
        if _is_line(total):
            return next(iter(total))[0][0]
        return self._write(total)

    def name_apart(self, sums: Iterable[Sum]) -> list[int]:
        """Returns a line for each of these, none twice, though some may be the same."""
        lines: list[int] = []
        for each in sums:
            line = self.name_line(each)
            if line in lines:
                line = len(self.lines)
                self.lines.append(each)
            lines.append(line)
        return lines

    def _write(self, total: Sum) -> int:
        self._budget.spend(_PER_LINE + _PER_PRODUCT * len(total))
        parts = _split(total)
        while len(parts) > 1:
            held: list[Sum] = [line_of(self._write(part)) for part in parts]
            parts = _split(add(*held))
        rounded = {product: float(f"{factor:.{_DIGITS}g}") for product, factor in parts[0].items()}
        key = frozenset(rounded.items())
        if key not in self._written:
            self._written[key] = len(self.lines)
            self.lines.append(rounded)
        return self._written[key]

    def derive(self, ends: Sequence[int], roots: Sequence[int]) -> list[dict[int, Sum]]:
        """Returns for each of the lines `ends` root -> how fast it changes with that line, written
        as far as it takes more than one product."""
        needed = self.list_needed(ends)
        rates: dict[int, dict[int, Sum]] = {}
        for index in needed:
            line = self.lines[index]
            if index in roots:
                rates[index] = {index: number(1.0)}
            else:
                found = _derive(line or {}, rates)
                rates[index] = {root: self.write(rate) for root, rate in found.items()}
        return [rates[end] for end in ends]

    def fold(self, ends: Iterable[int]) -> None:
        """Puts lines that are needed once into the line that needs them, as far as that stays
        short: reading lines takes the time. `ends` stay; nothing may be written afterwards."""
        kept = set(ends)
        needed = self.list_needed(kept)
        uses = Counter(
            index for line in needed for each in self.lines[line] or {} for index, _ in each
        )
        for line in needed:
            for index in factors_of(self.lines[line] or {}):
                inner = self.lines[index]
                if inner is not None and uses[index] == 1 and index not in kept:
                    self.lines[line] = _put_in(self.lines[line] or {}, index, inner)

    def list_needed(self, ends: Iterable[int]) -> list[int]:
        """Lists the lines that these need, themselves too, in their order."""
        needed: set[int] = set()
        waiting = list(ends)
        while waiting:
            line = waiting.pop()
            if line not in needed:
                needed.add(line)
                waiting += factors_of(self.lines[line] or {})
        return sorted(needed)

    def evaluate(
        self, inputs: Mapping[int, Numbers], needed: Sequence[int], *, single: bool = False
    ) -> dict[int, Numbers]:
        """Returns line -> its numbers (N,) for inputs (N,); each rounded as Blender does it if
        `single`."""
        found: dict[int, Numbers] = {}
        shapes = _Shapes(found)
        for index in needed:
            line = self.lines[index]
            self._budget.spend(_PER_TERM * len(line or ()))
            value = inputs[index] if line is None else _evaluate(line, shapes)
            found[index] = value.astype(np.float32).astype(float) if single else value
        return found

    def differentiate(
        self, values: Mapping[int, Numbers], needed: Sequence[int], by: Iterable[int]
    ) -> dict[int, dict[int, Numbers]]:
        """Returns line -> input -> the derivative by it, for the values that `evaluate`
        returned."""
        rates: dict[int, dict[int, Numbers]] = {}
        asked, shapes = set(by), _Shapes(values)
        for index in needed:
            line = self.lines[index]
            self._budget.spend(_PER_RATE * len(line or ()))
            if line is None:
                rates[index] = {index: np.ones_like(values[index])} if index in asked else {}
            else:
                rates[index] = _differentiate(line, shapes, rates)
        return rates


def _derive(line: Sum, rates: Mapping[int, Mapping[int, Sum]]) -> dict[int, Sum]:
    found: dict[int, list[Sum]] = {}
    for product, factor in line.items():
        for place, (index, shape) in enumerate(product):
            if not rates[index]:
                continue
            others = product[:place] + product[place + 1 :]
            slope = times({others: factor}, _SLOPES[shape](index))
            for root, rate in rates[index].items():
                found.setdefault(root, []).append(times(slope, rate))
    return {root: rate for root, terms in found.items() if (rate := add(*terms))}


def _put_in(line: Sum, index: int, inner: Sum) -> Sum:
    """Returns a line with another line substituted into it, if the result is short enough. Lines
    that were put in before may have spread it over several products."""
    found = {product: factor for product, factor in line.items() if index not in dict(product)}
    for product in line.keys() - found.keys():
        others = tuple(each for each in product if each != (index, ""))
        if index in dict(others):
            return line
        term: Sum = {others: line[product]}
        for _ in range(len(product) - len(others)):
            term = times(term, inner)
        found = add(found, term)
    return found if len(_split(found)) == 1 else line


def factors_of(line: Sum) -> list[int]:
    """Lists the lines that a formula needs, each once, in the order in which they come."""
    return list(dict.fromkeys(index for product in line for index, _ in product))


def _is_line(total: Sum) -> bool:
    if len(total) != 1:
        return False
    ((product, factor),) = total.items()
    return factor == 1.0 and len(product) == 1 and not product[0][1]


def _split(total: Sum) -> list[Sum]:
    """Splits a sum into sums that are short enough for an expression."""
    parts: list[Sum] = [{}]
    letters, names = 0, set[int]()
    for product, factor in total.items():
        own = _NUMBER + sum(_CALL if shape else _NAME for _, shape in product)
        named = {index for index, _ in product}
        if letters + own > _MOST_LETTERS or len(names | named) > _MOST_FACTORS:
            parts.append({})
            letters, names = 0, set()
        parts[-1][product] = factor
        letters += own
        names |= named
    return parts


_SHAPES: dict[Shape, Callable[[Numbers], Numbers]] = {
    "": lambda value: value,
    "sin": np.sin,
    "cos": np.cos,
    "inverse": lambda value: 1.0 / value,
}
_SLOPES: dict[Shape, Callable[[int], Sum]] = {
    "": lambda _: {(): 1.0},
    "sin": lambda index: {((index, "cos"),): 1.0},
    "cos": lambda index: {((index, "sin"),): -1.0},
    "inverse": lambda index: {((index, "inverse"), (index, "inverse")): -1.0},
}


class _Shapes:
    """Knows lines' sines, cosines and inverses by their `values`, each worked out once."""

    def __init__(self, values: Mapping[int, Numbers]) -> None:
        self._values = values
        self._known: dict[Factor, Numbers] = {}

    def __getitem__(self, factor: Factor) -> Numbers:
        index, shape = factor
        if shape and factor not in self._known:
            self._known[factor] = _SHAPES[shape](self._values[index])
        return self._known[factor] if shape else self._values[index]

    def multiply(self, start: float, product: Iterable[Factor]) -> Numbers | float:
        """Returns a number times factors."""
        return reduce(mul, (self[factor] for factor in product), start)


def _evaluate(line: Sum, shapes: _Shapes) -> Numbers:
    total: Numbers = np.zeros(1)
    for product, factor in line.items():
        total = total + shapes.multiply(factor, product)
    return total


def _differentiate(
    line: Sum, shapes: _Shapes, rates: Mapping[int, Mapping[int, Numbers]]
) -> dict[int, Numbers]:
    found: dict[int, Numbers] = {}
    partial: dict[int, Numbers | float] = {}
    for product, factor in line.items():
        for place, (index, shape) in enumerate(product):
            if rates[index]:
                ((others, sign),) = _SLOPES[shape](index).items()
                rest = (*others, *product[:place], *product[place + 1 :])
                term = shapes.multiply(factor * sign, rest)
                partial[index] = partial[index] + term if index in partial else term
    for index, slope in partial.items():
        for root, rate in rates[index].items():
            change = slope * rate
            found[root] = found[root] + change if root in found else change
    return found


def find_pivots(jacobians: Matrix) -> list[tuple[int, int]] | None:
    """Returns the rows and columns by which matrices (N, n, n) are solved, beginning with rows and
    columns that change the others least; None where no order suits all matrices.
    """
    if jacobians.shape[1] != jacobians.shape[2]:
        return None
    left = jacobians / np.abs(jacobians).max(axis=2, keepdims=True)
    rows, columns = (list(range(each)) for each in left.shape[1:])
    pivots: list[tuple[int, int]] = []
    while rows:
        part = left[:, rows][:, :, columns]
        there = np.abs(part).max(axis=0) > _ZERO
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
