# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of a loop's followers, over the positions of three and more free joints.

Newton's method, written out: polynomials guess where the followers are, and a few steps close the
remaining gaps. Each step solves its equations by elimination in an order that is known beforehand,
so that legs, which share nothing but a plate, are eliminated each by itself (Markowitz, The
Elimination Form of the Inverse, 1957); some steps use the factors of the one before (Traub,
Iterative Methods for the Solution of Equations, 1964, chapter 8). The steps start so near that
there is no other way to put the linkage together to fall into.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from ...diagnostics import Diagnostics
from ...geometry.transforms import Matrix, Vector
from .blocks import LoopBlock
from .boxes import Samples, Surveyor, ValueBox, solve_all
from .curves import HARDLY, NARROW
from .equations import Named, write_gaps
from .formulas import (
    Factors,
    Sheet,
    Solver,
    Sum,
    add,
    factors_of,
    find_pivots,
    line_of,
    number,
    scale,
    times,
    weigh,
)
from .limits import SLACK, report_range
from .tracing import Tracer

MOST_FREE, MOST_FOLLOWERS = 12, 24
_MOST_LINES = 4000
_EXACT = 1e-6
"""How far the last step may be off, in radians and sizes of the linkage, before it is rounded."""
_ROUNDED = 1e-5
"""The same in single precision, as Blender computes it."""
_MOST_STEPS = 6
_DEGREES = (1, 2, 3, 4, 5)
_MOST_TERMS = 100
_DIGITS, _ROUND = 6, 1e-6
"""Guesses may be inexact."""
_NEARER, _MOST_TRIES = 0.88, 10
"""Inaccurate boxes are tried again with less room, so many times."""
_HARDLY_ANY = 0.2
"""Of the limits: where less closes, gaps are borne with that the description makes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoopProgram:
    """Computes followers from free joints, by the formulas of `sheet`.

    inputs    line of the sheet -> free joint
    box       (k, 2) how far each of them can go
    outputs   (follower, number) -> the line with it
    orders    ball joint among the followers -> in which of Blender's orders its angles are
    """

    sheet: Sheet
    inputs: dict[int, str]
    box: Matrix
    outputs: dict[Named, int]
    orders: dict[str, str]

    @property
    def leaders(self) -> tuple[str, ...]:
        return tuple(self.inputs.values())

    @property
    def followers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, _ in self.outputs))

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Free joint -> how far it can go."""
        rows = zip(self.leaders, self.box.tolist(), strict=True)
        return {name: (lower, upper) for name, (lower, upper) in rows}

    def list_lines(self) -> list[int]:
        """Lists the lines that followers need, in their order."""
        return self.sheet.list_needed([*self.inputs, *self.outputs.values()])

    def count_reads(self) -> int:
        """Returns how many numbers of other lines all lines read: reads take the time."""
        lines = (self.sheet.lines[index] or {} for index in self.list_lines())
        return sum(len(factors_of(line)) for line in lines)

    def evaluate(self, places: Matrix) -> dict[Named, Vector]:
        """Returns the followers' numbers (N,) where the free joints are at `places` (N, k), as
        rounded as Blender's are."""
        inputs = dict(zip(self.inputs, places.T, strict=True))
        found = self.sheet.evaluate(inputs, self.list_lines(), single=True)
        return {
            named: np.broadcast_to(found[line], len(places)) for named, line in self.outputs.items()
        }


def find_block_program(
    block: LoopBlock, ranges: Mapping[str, tuple[float, float]], diagnostics: Diagnostics
) -> tuple[list[LoopProgram], str]:
    """Returns the formulas for the followers of a part with three and more free joints, or why
    there is nothing.

    `ranges` are the ranges of free joints left by earlier closings. They can go as far as a box of
    their positions can be closed; where that is less than their limits say it is reported.
    """
    free, followers = len(block.inputs), sum(block.follows)
    if free > MOST_FREE or followers > MOST_FOLLOWERS:
        return [], f"{free} of its joints are free and {followers} follow, too many for formulas"
    surveyor, box = _survey(block, ranges)
    for _ in range(_MOST_TRIES):
        if float((np.ptp(box.sides, axis=1) / surveyor.units).min()) < NARROW:
            return [], HARDLY
        samples = surveyor.sample(box)
        program = None if samples is None else _write_program(surveyor, box, samples)
        if program is not None:
            _report_ranges(block, ranges, box, diagnostics)
            return [program], ""
        box = box.shrink(_NEARER)
    return [], "its joints turn too sharply for formulas"


def _survey(
    block: LoopBlock, ranges: Mapping[str, tuple[float, float]]
) -> tuple[Surveyor, ValueBox]:
    """Returns the box of free positions; gaps are borne with that the description makes, where
    else hardly anything closes."""
    surveyor = Surveyor(block, Tracer(block))
    box = surveyor.find_box(ranges)
    if box.share < _HARDLY_ANY:
        lenient = Surveyor(block, Tracer(block, SLACK), SLACK)
        other = lenient.find_box(ranges)
        if other.share > 1.2 * box.share:
            return lenient, other
    return surveyor, box


def _report_ranges(
    block: LoopBlock,
    ranges: Mapping[str, tuple[float, float]],
    box: ValueBox,
    diagnostics: Diagnostics,
) -> None:
    for variable, found, asked in zip(
        block.inputs, box.sides.tolist(), box.wanted.tolist(), strict=True
    ):
        joint = variable.motion.joint
        if joint.name in ranges and np.allclose(found, asked, atol=1e-9):
            continue
        if np.allclose(found, asked, atol=1e-6 * max(1.0, *map(abs, asked))):
            continue
        report_range(joint, found, "the other free joints are", diagnostics)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Recipe:
    """`guess` (M, n): coefficients of products of places; `steps`: whether each has new factors or
    reuses the earlier ones."""

    guess: Matrix
    degree: int
    steps: tuple[bool, ...]


def _write_program(surveyor: Surveyor, box: ValueBox, samples: Samples) -> LoopProgram | None:
    pivots = find_pivots(samples.jacobians)
    if pivots is None:
        return None
    solver = Solver(pivots)
    recipe = _choose_recipe(surveyor, box, samples, solver)
    if recipe is None:
        return None
    program = _Author(surveyor, box, recipe, solver).write()
    if len(program.list_lines()) > _MOST_LINES:
        return None
    return program if _holds(surveyor, program, samples) else None


def _holds(surveyor: Surveyor, program: LoopProgram, samples: Samples) -> bool:
    """Compares the program with closed poses: nothing is taken on trust."""
    shown = program.evaluate(samples.places)
    known = surveyor.layout.read(samples.values)
    size = surveyor.layout.linkage.size
    for named, values in shown.items():
        worth = size if named in surveyor.layout.sliding else 1.0
        if float(np.abs(values - known[named]).max()) > (_ROUNDED + 0.1 * surveyor.slack) * worth:
            return False
    return True


def _choose_recipe(
    surveyor: Surveyor, box: ValueBox, samples: Samples, solver: Solver
) -> _Recipe | None:
    """Returns the cheapest recipe whose last step is where the followers are."""
    places = box.normalize(samples.places)
    known = slice(0, len(places) * 2 // 3)
    step, again = _measure_costs(surveyor, box, solver)
    found: list[tuple[float, _Recipe]] = []
    for degree in _DEGREES:
        basis = multiply(places, list_products(len(box.sides), degree))
        if basis.shape[1] > min(_MOST_TERMS, known.stop * 2 // 3):
            break
        guess = np.linalg.lstsq(basis[known], samples.values[known], rcond=None)[0]
        for new in (1, 2, 3):
            steps = _choose_steps(surveyor, samples, basis @ guess, new)
            if steps:
                cost = guess.size + sum(step if each else again for each in steps)
                found.append((cost, _Recipe(guess=guess, degree=degree, steps=steps)))
    return min(found, key=lambda each: each[0], default=(0.0, None))[1]


def _choose_steps(
    surveyor: Surveyor, samples: Samples, values: Matrix, new: int
) -> tuple[bool, ...]:
    """Returns the steps that bring values (N, n) to the followers' positions, `new` of them with
    fresh factors; none if that takes too many."""
    worth = surveyor.layout.worth
    steps: list[bool] = []
    jacobians = samples.jacobians
    for count in range(_MOST_STEPS):
        steps.append(count < new)
        if steps[-1]:
            gaps, jacobians = surveyor.linearize(samples.places, values)
        else:
            gaps = surveyor.measure(samples.places, values)
        values = values - solve_all(jacobians, gaps[:, :, None])[:, :, 0] * worth
        off = float((np.abs(values - samples.values) / worth).max())
        if not off < 10.0:
            return ()
        if off < _EXACT:
            return tuple(steps)
    return ()


def list_products(count: int, degree: int) -> list[tuple[int, ...]]:
    """Lists the products of up to `degree` of so many numbers, by their places."""
    return [
        each
        for length in range(degree + 1)
        for each in combinations_with_replacement(range(count), length)
    ]


def multiply(places: Matrix, products: Sequence[tuple[int, ...]]) -> Matrix:
    """Returns (N, M) products of places (N, k)."""
    return np.column_stack([places[:, list(each)].prod(axis=1) for each in products])


def _measure_costs(surveyor: Surveyor, box: ValueBox, solver: Solver) -> tuple[float, float]:
    """Returns the reads per step, with fresh factors and with reused ones."""
    costs = []
    for steps in ((), (True,), (True, False)):
        guess = np.ones((1 + len(box.sides), len(surveyor.layout.unknown)))
        recipe = _Recipe(guess=guess, degree=1, steps=steps)
        program = _Author(surveyor, box, recipe, solver).write()
        costs.append(float(program.count_reads()))
    return costs[1] - costs[0], costs[2] - costs[1]


class _Author:
    """Writes a recipe as formulas."""

    def __init__(self, surveyor: Surveyor, box: ValueBox, recipe: _Recipe, solver: Solver) -> None:
        self._layout = surveyor.layout
        self._rows = surveyor.rows
        self._recipe = recipe
        self._solver = solver
        self._box = box
        self._sheet = Sheet(surveyor.layout.linkage.budget)
        self._free = [line_of(self._sheet.enter()) for _ in self._layout.free]
        self._factors = Factors(upper={}, lower={})

    def write(self) -> LoopProgram:
        """Returns the program."""
        sheet, layout = self._sheet, self._layout
        values = [sheet.write(each) for each in self._guess()]
        for new in self._recipe.steps:
            values = self._step(values, new)
        numbers = layout.name_numbers(sheet, self._free, values)
        lines = [sheet.name_line(each) for each in self._free]
        outputs = {named: sheet.name_line(numbers[named]) for named in layout.outputs}
        sheet.fold([*lines, *outputs.values()])
        return LoopProgram(
            sheet=sheet,
            inputs=dict(zip(lines, layout.free, strict=True)),
            box=self._box.sides,
            outputs=outputs,
            orders=layout.orders,
        )

    def _guess(self) -> Iterator[Sum]:
        box = zip(self._free, self._box.middle, self._box.half, strict=True)
        places = [
            self._sheet.write(scale(add(each, number(-middle)), 1.0 / half))
            for each, middle, half in box
        ]
        made: dict[tuple[int, ...], Sum] = {(): number(1.0)}
        for each in list_products(len(places), self._recipe.degree):
            if each:
                made[each] = self._sheet.write(times(made[each[:-1]], places[each[-1]]))
        for column, worth in zip(self._recipe.guess.T, self._layout.worth, strict=True):
            rounded = [
                float(f"{value:.{_DIGITS}g}") if abs(value) > _ROUND * worth else 0.0
                for value in column
            ]
            yield weigh(rounded, made.values())

    def _step(self, values: list[Sum], new: bool) -> list[Sum]:
        """Returns the values after a step of Newton's method. Changes are such of values by their
        worth, as the gaps are by the size."""
        sheet, layout = self._sheet, self._layout
        lines = sheet.name_apart(values)
        numbers = layout.name_numbers(sheet, self._free, [line_of(line) for line in lines])
        written = write_gaps(sheet, layout.linkage, numbers, layout.orders)
        gaps = [sheet.write(written[row]) for row in self._rows]
        if new:
            ends = [sheet.name_line(gap) for gap in gaps]
            rates = sheet.derive(ends, lines)
            entries = {
                (row, lines.index(line)): rate
                for row, own in enumerate(rates)
                for line, rate in own.items()
            }
            self._factors = self._solver.factor(sheet, entries)
        steps = self._solver.solve(sheet, self._factors, gaps)
        return [
            sheet.write(add(line_of(line), scale(steps[place], -float(worth))))
            for place, (line, worth) in enumerate(zip(lines, layout.worth, strict=True))
        ]
