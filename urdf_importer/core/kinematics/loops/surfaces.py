# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of a loop's followers, over the positions of two free joints.

Each follower's number is a sum of products of two curves, one over each free joint: Chebyshev
polynomials through poses at their nodes, and of their coefficients the singular value
decomposition, whose terms fall so fast that some ten of them match a linkage to 1e-6. A program
that knows keyframes, multiplies and adds can follow them, forwards and backwards in time, and has
no other way to put the linkage together to fall into.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from ...diagnostics import Diagnostics
from ...geometry.transforms import Matrix, Vector
from .blocks import AngleReader, LoopBlock, choose_orders
from .curves import HARDLY, NARROW
from .limits import SLACK, report_range
from .newton import Closed
from .products import (
    FINE,
    count_nodes,
    draw_curve,
    evaluate_curve,
    fit_polynomials,
    split_products,
    stretch,
)
from .tracing import Tracer, find_wanted

_STEEPEST = 12.0
_STEPS = 8
"""From the linkage's pose at zero to each limit, when the existing poses are surveyed."""
_FEWEST_NODES, _MOST_NODES = 14, 40
_NEARER, _MOST_TRIES = 0.88, 8
"""Rectangles that are not smooth enough are tried again with less room, so many times."""
_ZOOMS = 3
_HARDLY_ANY = 0.05
"""Of the limits: where less closes, gaps are borne with that the description makes."""
_ONE_SIDED = 0.5
"""How much a rectangle counts from which one cannot go on one way from zero."""
_SPRING = 0.15
"""How little room counts for joints with springs, against the room for other joints."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoopSurface:
    """Each number of a follower is the sum of own curve * shared curve.

    leaders   the two free joints
    rectangle   (2, 2) how far each can go
    shared    per term (K, 3) positions of the second leader, ascending, values there, slopes
    own       (follower, number) -> the same over the first leader, one for each term
    orders    ball joint among the followers -> in which of Blender's orders its angles are
    """

    leaders: tuple[str, str]
    rectangle: Matrix
    shared: tuple[Matrix, ...]
    own: dict[tuple[str, int], tuple[Matrix, ...]]
    orders: dict[str, str]

    @property
    def followers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, _ in self.own))

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Free joint -> how far it can go."""
        rows = zip(self.leaders, self.rectangle.tolist(), strict=True)
        return {name: (lower, upper) for name, (lower, upper) in rows}


def find_block_surface(
    block: LoopBlock, ranges: Mapping[str, tuple[float, float]], diagnostics: Diagnostics
) -> tuple[list[LoopSurface], str]:
    """Returns the surfaces for the followers of a part with two free joints, or why there is
    nothing.

    `ranges` are the ranges of free joints left by earlier closings. They can go as far as a
    rectangle of their positions can be closed; where that is less than their limits say it is
    reported.
    """
    tracer = Tracer(block)
    wanted = find_wanted(block, tracer, ranges)
    mapper = _Mapper(block, tracer, wanted)
    rectangle = mapper.find_rectangle()
    if _measure(rectangle, wanted) < _HARDLY_ANY:
        lenient = _Mapper(block, Tracer(block, SLACK), wanted)
        other = lenient.find_rectangle()
        if _measure(other, wanted) > 1.2 * _measure(rectangle, wanted):
            mapper, rectangle = lenient, other
    for _ in range(_MOST_TRIES):
        if (np.ptp(rectangle, axis=1) / tracer.units).min() < NARROW:
            return [], HARDLY
        surface = mapper.fit(rectangle)
        if surface is not None:
            _report_ranges(block, ranges, wanted, rectangle, diagnostics)
            return [surface], ""
        rectangle = mapper.start[:, None] + _NEARER * (rectangle - mapper.start[:, None])
    return [], "its joints turn too sharply for curves"


def _measure(rectangle: Matrix, whole: Matrix) -> float:
    """Returns a rectangle's share of the total area."""
    return float(np.prod(np.ptp(rectangle, axis=1) / np.maximum(np.ptp(whole, axis=1), 1e-12)))


def _report_ranges(
    block: LoopBlock,
    ranges: Mapping[str, tuple[float, float]],
    wanted: Matrix,
    rectangle: Matrix,
    diagnostics: Diagnostics,
) -> None:
    for variable, most, found, bounds in zip(
        block.inputs, wanted, rectangle, block.bounds, strict=True
    ):
        joint = variable.motion.joint
        known = joint.name in ranges or None not in bounds
        if known and np.allclose(most, found, atol=1e-9):
            continue
        report_range(joint, found, "the other free joint is", diagnostics)


class _Mapper:
    """Knows the poses of a part over the positions of its two free joints."""

    def __init__(self, block: LoopBlock, tracer: Tracer, wanted: Matrix) -> None:
        self._block = block
        self._tracer = tracer
        self._wanted = wanted
        self.start = tracer.places(tracer.home)
        self._weights = [_SPRING if each.is_sprung else 1.0 for each in block.inputs]
        self._names = [variable.motion.joint.name for variable in block.inputs]
        self._worth = np.where(AngleReader(block.outputs, {}).turning, 1.0, block.linkage.size)

    def find_rectangle(self) -> Matrix:
        """Returns (2, 2) the largest rectangle about the pose of zero in which all can be closed.
        A side narrower than a step is searched again with shorter ones."""
        wanted = self._wanted
        for _ in range(_ZOOMS):
            found = self._look(wanted)
            narrow = np.ptp(found, axis=1) <= 0.0
            if not narrow.any() or narrow.all():
                break
            nearer = self.start[:, None] + (wanted - self.start[:, None]) / _STEPS
            wanted = np.where(narrow[:, None], nearer, wanted)
        return self._widen(found, wanted)

    def _widen(self, found: Matrix, wanted: Matrix) -> Matrix:
        """Moves the sides of a rectangle outwards by parts of a step, as far as they can be closed
        along them."""
        steps = (wanted - self.start[:, None]) / _STEPS
        for share in (0.5, 0.25, 0.125):
            for axis, side in ((0, 0), (0, 1), (1, 0), (1, 1)):
                wider = found.copy()
                wider[axis, side] += share * steps[axis, side]
                low, high = sorted((wanted[axis, side], self.start[axis]))
                if low <= wider[axis, side] <= high and self._is_open_along(wider, axis, side):
                    found = wider
        return found

    def _is_open_along(self, rectangle: Matrix, axis: int, side: int) -> bool:
        low, high = rectangle[1 - axis].tolist()
        places = np.empty((_STEPS + 1, 2))
        places[:, axis] = rectangle[axis, side]
        places[:, 1 - axis] = np.linspace(low, high, _STEPS + 1)
        theres = self._tracer.go_all([self._tracer.home] * len(places), places)
        return all(self._flat_enough(there, _STEEPEST) is not None for there in theres)

    def _look(self, wanted: Matrix) -> Matrix:
        axes = [
            np.unique([*np.linspace(low, at, _STEPS + 1), *np.linspace(at, high, _STEPS + 1)])
            for (low, high), at in zip(wanted, self.start, strict=True)
        ]
        homes = [int(np.argmin(np.abs(a - s))) for a, s in zip(axes, self.start, strict=True)]
        poses = self._visit(axes, homes, _STEEPEST)
        there = np.array([[pose is not None for pose in row] for row in poses])
        (a, b), (c, d) = _find_rectangle(there, axes, homes, self._weights)
        return np.array([[axes[0][a], axes[0][b]], [axes[1][c], axes[1][d]]])

    def fit(self, rectangle: Matrix) -> LoopSurface | None:
        """Returns the sums in a rectangle; None where they are not fine enough."""
        counts = [_FEWEST_NODES, _FEWEST_NODES]
        for _ in range(_MOST_TRIES):
            found = self._sample(rectangle, counts)
            if found is None:
                return None
            numbers, orders, names = found
            coefficients = fit_polynomials(numbers / self._worth[:, None, None])
            needed = count_nodes(coefficients)
            if all(n <= count for n, count in zip(needed, counts, strict=True)):
                break
            if max(needed) > _MOST_NODES:
                return None
            counts = [max(*pair) for pair in zip(needed, counts, strict=True)]
        else:
            return None
        terms = split_products(coefficients)
        if terms is None:
            return None
        surface = self._draw(terms, rectangle, names, orders)
        return surface if self._holds(surface) else None

    def _visit(
        self, axes: list[Vector], homes: list[int], steepest: float
    ) -> list[list[Closed | None]]:
        """Goes to all pairs of places, along the first axis and from there along the second."""

        shape = [len(axis) for axis in axes]
        poses: list[list[Closed | None]] = [[None] * shape[1] for _ in range(shape[0])]
        for rows in (range(homes[0], shape[0]), range(homes[0] - 1, -1, -1)):
            here = self._tracer.home if rows.step == 1 else poses[homes[0]][homes[1]]
            for row in rows:
                if here is None:
                    break
                there = self._tracer.go(here, np.array([axes[0][row], axes[1][homes[1]]]))
                here = poses[row][homes[1]] = self._flat_enough(there, steepest)
        for columns in (range(homes[1] + 1, shape[1]), range(homes[1] - 1, -1, -1)):
            for column in columns:
                self._visit_column(poses, axes, column, column - columns.step, steepest)
        return poses

    def _visit_column(
        self,
        poses: list[list[Closed | None]],
        axes: list[Vector],
        column: int,
        before: int,
        steepest: float,
    ) -> None:
        """Goes to the places of a column from the previous column's, where there are poses."""
        heres = {row: pose for row, each in enumerate(poses) if (pose := each[before]) is not None}
        if not heres:
            return
        places = np.array([(axes[0][row], axes[1][column]) for row in heres])
        theres = self._tracer.go_all(list(heres.values()), places)
        for row, there in zip(heres, theres, strict=True):
            poses[row][column] = self._flat_enough(there, steepest)

    def _flat_enough(self, there: Closed | None, steepest: float) -> Closed | None:
        if there is None or np.isinf(steepest):
            return there
        return None if self._tracer.is_steep(there, steepest) else there

    def _sample(
        self, rectangle: Matrix, counts: list[int]
    ) -> tuple[Matrix, dict[str, str], tuple[tuple[str, int], ...]] | None:
        """Returns the numbers (m, A, B) of followers at Chebyshev's nodes."""
        axes = [
            stretch(chebyshev.chebpts1(count), row)
            for count, row in zip(counts, rectangle, strict=True)
        ]
        homes = [int(np.argmin(np.abs(a - s))) for a, s in zip(axes, self.start, strict=True)]
        poses = self._visit(axes, homes, np.inf)
        flat = [pose for row in poses for pose in row if pose is not None]
        if len(flat) < counts[0] * counts[1]:
            return None
        orders = choose_orders(self._block.outputs, flat)
        reader = AngleReader(self._block.outputs, orders)
        numbers = np.zeros((len(reader.names), *counts))
        middle = reader.read(self._pick(poses, homes), None)
        for row in _outwards(homes[0], counts[0]):
            before = numbers[:, _inwards(row, homes[0]), homes[1]] if row != homes[0] else middle
            for column in _outwards(homes[1], counts[1]):
                if column != homes[1]:
                    before = numbers[:, row, _inwards(column, homes[1])]
                numbers[:, row, column] = reader.read(self._pick(poses, [row, column]), before)
        return numbers, orders, reader.names

    @staticmethod
    def _pick(poses: list[list[Closed | None]], place: list[int]) -> Closed:
        found = poses[place[0]][place[1]]
        assert found is not None
        return found

    def _draw(
        self,
        terms: tuple[Matrix, Matrix],
        rectangle: Matrix,
        names: tuple[tuple[str, int], ...],
        orders: dict[str, str],
    ) -> LoopSurface:
        """Returns the terms, (m, R, A) and (R, B) coefficients, as curves."""
        own, shared = terms
        return LoopSurface(
            leaders=(self._names[0], self._names[1]),
            rectangle=rectangle,
            shared=tuple(draw_curve(each, rectangle[1]) for each in shared),
            own={
                name: tuple(draw_curve(each, rectangle[0]) for each in own[row] * worth)
                for row, (name, worth) in enumerate(zip(names, self._worth, strict=True))
            },
            orders=orders,
        )

    def _holds(self, surface: LoopSurface) -> bool:
        """Compares the sums with poses at random places: nothing is taken on trust."""
        random = np.random.default_rng(0)
        reader = AngleReader(self._block.outputs, surface.orders)
        here: Closed | None = self._tracer.home
        low, high = surface.rectangle.T
        for places in random.uniform(low, high, (12, 2)):
            assert here is not None
            there = self._tracer.go(here, places)
            if there is None:
                return False
            shown = evaluate_surface(surface, places)
            off = np.abs(reader.read(there, shown) - shown) / self._worth
            if off.max() > 5.0 * FINE + 0.1 * there.gap:
                return False
            here = there
        return True


def evaluate_surface(surface: LoopSurface, places: Vector) -> Vector:
    """Returns (m,) the followers' numbers where the two free joints are at `places` (2,), in the
    order of `own`."""
    second = np.array([evaluate_curve(curve, places[1]) for curve in surface.shared])
    return np.array(
        [
            sum(
                evaluate_curve(curve, places[0]) * each
                for curve, each in zip(own, second, strict=True)
            )
            for own in surface.own.values()
        ]
    )


def _find_rectangle(
    there: Matrix, axes: list[Vector], homes: list[int], weights: Sequence[float]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Returns rows and columns of the largest rectangle, against the whole, that holds the home and
    has poses throughout. Its sides count by weights, as exponents; less if it ends at home."""
    ends = (0, len(axes[0]) - 1, 0, len(axes[1]) - 1)
    spans = [max(float(np.ptp(axis)), 1e-12) for axis in axes]
    best, size = ((homes[0], homes[0]), (homes[1], homes[1])), 0.0
    for low in range(homes[0] + 1):
        for high in range(homes[0], len(axes[0])):
            whole = there[low : high + 1].all(axis=0)
            if not whole[homes[1]]:
                continue
            left, right = homes[1], homes[1]
            while left > 0 and whole[left - 1]:
                left -= 1
            while right < len(whole) - 1 and whole[right + 1]:
                right += 1
            tall = (axes[0][high] - axes[0][low]) / spans[0]
            wide = (axes[1][right] - axes[1][left]) / spans[1]
            sides = (low, high, left, right)
            closed = sum(
                side == home and side != end
                for side, home, end in zip(sides, np.repeat(homes, 2), ends, strict=True)
            )
            area = tall ** weights[0] * wide ** weights[1] * _ONE_SIDED**closed
            if area > size:
                best, size = ((low, high), (left, right)), area
    return best


def _outwards(home: int, count: int) -> list[int]:
    return [*range(home, count), *range(home - 1, -1, -1)]


def _inwards(place: int, home: int) -> int:
    return place - 1 if place > home else place + 1
