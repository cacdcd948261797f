# SPDX-License-Identifier: GPL-3.0-or-later
"""How far three and more free joints can go together, and their followers' positions there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import Matrix, Vector
from .blocks import LoopBlock
from .equations import write_gaps
from .formulas import Sheet, line_of
from .freedom import judge
from .layout import LoopLayout, choose_first_orders, pick_rows, plan_layout, tie_idle
from .newton import RANK_TOLERANCE, find_rank
from .tracing import Tracer, find_wanted

_STEEPEST = 12.0
_STRIDE = 0.15
"""How far free joints go at once, in radians and sizes of the linkage."""
_JUMP = 0.5
_CLOSED = 1e-9
_SETTLED = 1e-8
"""After a smaller step of Newton's method, the remainder is its square."""
_AT_LIMIT = 1e-7
"""Radians and sizes of the linkage by which a follower may be past a limit that it is at."""
_MOST_CORNERS = 64
_MOST_ROUNDS, _LEAST_SHARE, _ALIKE = 10, 0.5, 0.8
_ZOOMS, _ZOOM = 4, 0.2
_INSIDE = 0.98
"""Positions found by corners and random places are taken a little less far."""
_DRAWN = 80


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueBox:
    """`sides` (k, 2): how far free joints can go; `wanted` (k, 2) how far limits let them; `home`
    (k,) where they are at zero."""

    sides: Matrix
    wanted: Matrix
    home: Vector

    @property
    def middle(self) -> Vector:
        return self.sides.mean(axis=1)

    @property
    def half(self) -> Vector:
        return np.ptp(self.sides, axis=1) / 2.0

    @property
    def share(self) -> float:
        """How much of the way between limits there is, where it is least."""
        return float((np.ptp(self.sides, axis=1) / np.ptp(self.wanted, axis=1)).min())

    def shrink(self, share: float) -> "ValueBox":
        """Returns a box with less room about the home."""
        sides = self.home[:, None] + share * (self.sides - self.home[:, None])
        return ValueBox(sides=sides, wanted=self.wanted, home=self.home)

    def from_shares(self, shares: Matrix) -> Matrix:
        """Takes shares (N, k) between 0 and 1 to places in the box."""
        return self.sides[:, 0] + shares * np.ptp(self.sides, axis=1)

    def normalize(self, places: Matrix) -> Matrix:
        """Takes places (N, k) to between -1 and 1."""
        return (places - self.middle) / self.half


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """`places` (N, k) of free joints, `values` (N, n) of their followers, and the derivatives of
    the gaps by these, each by its worth: (N, m, n)."""

    places: Matrix
    values: Matrix
    jacobians: Matrix


class Surveyor:
    """Knows the closed poses of a part over the positions of its free joints.

    layout  the unknowns
    rows    the independent gaps; others are zero where these are
    """

    def __init__(self, block: LoopBlock, tracer: Tracer, slack: float = 0.0) -> None:
        self._block = block
        self._tracer = tracer
        self.slack = slack
        self.units = tracer.units
        self._enough = max(3.0 * tracer.home.gap, 1e-8, slack)
        orders = choose_first_orders(block, tracer)
        self._take(plan_layout(block, tracer, orders, {}))
        best = self._find_general_jacobian()
        rank = find_rank(best)
        if rank < best.shape[1]:
            idle = np.linalg.svd(best)[2][rank:].T
            self._take(plan_layout(block, tracer, orders, tie_idle(self.layout, idle)))
            best = self._find_general_jacobian()
        self._choose_rows(best)

    def _take(self, layout: LoopLayout) -> None:
        self.layout = layout
        columns = {v.motion.joint.name: v.columns.start for v in layout.linkage.variables}
        singles = {v.motion.joint.name for v in layout.linkage.variables if v.is_single}
        limits, slack = self._tracer.limits, (_AT_LIMIT + self.slack) * layout.worth
        self._lower, self._upper = (
            np.array([ends[columns[n]] if n in singles else beyond for n, _ in layout.unknown])
            for ends, beyond in ((limits.lower, -np.inf), (limits.upper, np.inf))
        )
        self._lower, self._upper = self._lower - slack, self._upper + slack
        sheet = Sheet(self._block.linkage.budget)
        self._inputs = [sheet.enter() for _ in self.layout.free]
        self._values = [sheet.enter() for _ in self.layout.unknown]
        free, values = ([line_of(each) for each in lines] for lines in (self._inputs, self._values))
        numbers = self.layout.name_numbers(sheet, free, values)
        gaps = write_gaps(sheet, self.layout.linkage, numbers, self.layout.orders)
        self._sheet = sheet
        self._places = [place for place, gap in enumerate(gaps) if set(gap) - {()}]
        self._ends = [sheet.name_line(gaps[place]) for place in self._places]
        self._needed = sheet.list_needed([*self._inputs, *self._values, *self._ends])
        self._chosen = list(range(len(self._places)))

    def _find_general_jacobian(self) -> Matrix:
        random = np.random.default_rng(1)
        ways = random.uniform(-0.1, 0.1, (8, len(self.units))) * self.units
        places, values, _ = self._trace(self._home_places() + ways)
        _, jacobians, _ = self._measure_all(places, values)
        return max(jacobians, key=judge)

    def _choose_rows(self, jacobian: Matrix) -> None:
        """Leaves out equations that others imply, such as some of planar loops in space."""
        self._chosen = pick_rows(jacobian, find_rank(jacobian))
        self.rows: Sequence[int] = [self._places[row] for row in self._chosen]

    def _home_places(self) -> Vector:
        return self._tracer.places(self._tracer.home)

    def _home_values(self, count: int) -> Matrix:
        return np.tile([self.layout.home[named] for named in self.layout.unknown], (count, 1))

    def measure(self, places: Matrix, values: Matrix) -> Matrix:
        """Returns the gaps (N, m) of the rows."""
        lines = self._evaluate(places, values)
        gaps = [np.broadcast_to(lines[self._ends[row]], len(places)) for row in self._chosen]
        return np.column_stack(gaps)

    def linearize(self, places: Matrix, values: Matrix) -> tuple[Matrix, Matrix]:
        """Returns the gaps (N, m) of the rows and how they change by followers (N, m, n), each by
        its worth."""
        gaps, by_values, _ = self._measure_all(places, values)
        return gaps[:, self._chosen], by_values[:, self._chosen]

    def _evaluate(self, places: Matrix, values: Matrix) -> dict[int, Vector]:
        lines = dict(zip(self._inputs, places.T, strict=True))
        lines |= dict(zip(self._values, values.T, strict=True))
        return self._sheet.evaluate(lines, self._needed)

    def _measure_all(self, places: Matrix, values: Matrix) -> tuple[Matrix, Matrix, Matrix]:
        """Returns gaps (N, G), how they change by followers (N, G, n) and by free joints (N, G, k),
        each by its worth."""
        lines = self._evaluate(places, values)
        roots = [*self._values, *self._inputs]
        rates = self._sheet.differentiate(lines, self._needed, roots)
        count = len(places)
        gaps = np.column_stack([np.broadcast_to(lines[end], count) for end in self._ends])
        table = np.zeros((count, len(self._ends), len(roots)))
        for row, end in enumerate(self._ends):
            for column, root in enumerate(roots):
                if root in rates[end]:
                    table[:, row, column] = rates[end][root]
        table *= np.concatenate([self.layout.worth, self.units])
        split = len(self._values)
        return gaps, table[:, :, :split], table[:, :, split:]

    def find_box(self, ranges: Mapping[str, tuple[float, float]]) -> ValueBox:
        """Returns the largest box, as its sides go one by one, and then all together, in whose
        corners and at whose random places the loops close."""
        home = self._home_places()
        wanted = find_wanted(self._block, self._tracer, ranges)
        targets = np.tile(home, (2 * len(home), 1))
        for axis in range(len(home)):
            targets[2 * axis : 2 * axis + 2, axis] = wanted[axis]
        short = self._find_reach(targets).reshape(-1, 2)
        sides = home[:, None] + short * (wanted - home[:, None])
        box = self._balance(ValueBox(sides=sides, wanted=wanted, home=home))
        return box.shrink(float(self._find_reach(self._draw(box, seed=2)).min()))

    def _balance(self, box: ValueBox) -> ValueBox:
        """Moves the sides of a box inwards whose corners can be reached the least."""
        for _ in range(_MOST_ROUNDS):
            corners = _list_corners(len(box.home))
            reached = self._find_reach(box.from_shares(corners))
            if reached.min() >= 1.0:
                break
            short = np.array([[1.0 - reached[side == end].mean() for end in (0.0, 1.0)]
                              for side in corners.T])  # fmt: skip
            share = np.clip(np.sqrt(reached.min()), _LEAST_SHARE, _INSIDE)
            shares = np.where(short > _ALIKE * short.max(), share, 1.0)
            sides = box.home[:, None] + shares * (box.sides - box.home[:, None])
            box = ValueBox(sides=sides, wanted=box.wanted, home=box.home)
        return box

    def _find_reach(self, targets: Matrix) -> Vector:
        """Returns the reachable share of the ways straight from home to targets (N, k), less by a
        little where that is not all; ways that end at the first step are looked at with shorter
        ones."""
        home = self._home_places()
        ways, found = targets - home, np.zeros(len(targets))
        part = 1.0
        for _ in range(_ZOOMS):
            left = np.flatnonzero(found == 0.0)
            if not len(left):
                break
            reached = self._trace(home + part * ways[left])[2]
            found[left] = np.where(reached < 1.0, _INSIDE * part * reached, part)
            part *= _ZOOM
        return found

    def sample(self, box: ValueBox) -> Samples | None:
        """Returns closed poses everywhere in a box; None where one does not close."""
        places = self._draw(box, seed=3)
        places, values, reached = self._trace(places)
        if reached.min() < 1.0:
            return None
        _, jacobians, _ = self._measure_all(places, values)
        order = np.random.default_rng(4).permutation(len(places))
        return Samples(
            places=places[order], values=values[order], jacobians=jacobians[order][:, self._chosen]
        )

    def _draw(self, box: ValueBox, seed: int) -> Matrix:
        """Returns corners, middles of faces, and random places (N, k) of a box, the same ones each
        time."""
        random = np.random.default_rng(seed)
        count = len(box.sides)
        drawn = random.uniform(0.0, 1.0, (_DRAWN + 15 * count, count))
        onto = np.clip(1.6 * drawn[::2] - 0.3, 0.0, 1.0)
        return box.from_shares(np.vstack([_list_corners(count), drawn, onto]))

    def _trace(self, targets: Matrix) -> tuple[Matrix, Matrix, Vector]:
        """Goes straight from home to targets (N, k), all at once. Returns where each came to, the
        values there, and how much of its way that is."""
        home = self._home_places()
        ways = targets - home
        count = max(int(np.ceil(float((np.abs(ways) / self.units).max()) / _STRIDE)), 4)
        places = np.tile(home, (len(targets), 1))
        values = self._settle(places, self._home_values(len(targets)))
        ways_on = self._measure_all(places, values)[1:]
        reached, going = np.zeros(len(targets)), np.ones(len(targets), dtype=bool)
        for share in np.linspace(0.0, 1.0, count + 1)[1:]:
            there = home + share * ways[going] if share < 1.0 else targets[going]
            index = np.flatnonzero(going)
            rates = tuple(each[index] for each in ways_on)
            moved, fine, after = self._step(places[index], values[index], rates, there)
            places[index[fine]], values[index[fine]] = there[fine], moved[fine]
            for each, new in zip(ways_on, after, strict=True):
                each[index[fine]] = new[fine]
            reached[index[fine]] = share
            going[index[~fine]] = False
            if not going.any():
                break
        return places, values, reached

    def _step(
        self, here: Matrix, values: Matrix, rates: tuple[Matrix, ...], there: Matrix
    ) -> tuple[Matrix, NDArray[np.bool_], tuple[Matrix, ...]]:
        """Returns the values there, which of them can be trusted, and how gaps change there by
        followers and by free joints; `rates` say the same here."""
        worth = self.layout.worth
        by_values, by_free = rates
        way = ((there - here) / self.units)[:, :, None]
        rows = self._chosen
        change = -solve_all(by_values[:, rows], by_free[:, rows] @ way)[:, :, 0]
        moved = self._settle(there, values + change * worth)
        gaps, by_values, by_free = self._measure_all(there, moved)
        speeds = solve_all(by_values[:, rows], by_free[:, rows])
        fine = np.linalg.norm(gaps, axis=1) <= self._enough
        fine &= np.linalg.norm(gaps[:, rows], axis=1) <= max(_CLOSED, self._tracer.home.gap)
        fine &= (np.abs(moved - values) / worth).max(axis=1) < _JUMP
        fine &= np.abs(speeds).max(axis=(1, 2)) < _STEEPEST
        fine &= ((moved >= self._lower) & (moved <= self._upper)).all(axis=1)
        return moved, fine, (by_values, by_free)

    def _settle(self, places: Matrix, values: Matrix) -> Matrix:
        """Closes the gaps of the rows by Newton's method."""
        for _ in range(4):
            gaps, by_values, _ = self._measure_all(places, values)
            step = solve_all(by_values[:, self._chosen], gaps[:, self._chosen, None])[:, :, 0]
            values = values - np.clip(step, -_JUMP, _JUMP) * self.layout.worth
            if np.abs(step).max(initial=0.0) < _SETTLED:
                break
        return values


def _list_corners(count: int) -> Matrix:
    """Returns corners (N, k) of a box, each side 0 or 1: all, or some of very many."""
    if 2**count <= _MOST_CORNERS:
        return np.array(list(product((0.0, 1.0), repeat=count)))
    return np.random.default_rng(5).integers(0, 2, (_MOST_CORNERS, count)).astype(float)


def solve_all(matrices: Matrix, right: Matrix) -> Matrix:
    """Returns the shortest x (N, n, r) that bring matrices (N, m, n) @ x nearest to `right`."""
    if matrices.shape[1] == matrices.shape[2]:
        try:
            found: Matrix = np.linalg.solve(matrices, right)
        except np.linalg.LinAlgError:
            pass
        else:
            if np.isfinite(found).all():
                return found
    found = np.linalg.pinv(matrices, rcond=RANK_TOLERANCE) @ right
    return found
