# SPDX-License-Identifier: GPL-3.0-or-later
"""From the start alone first, since a target is mostly near; then from many places at once, the
nearest of a random crowd. Of the solutions the one nearest to the start is taken.

All this is done for many targets at a time: each target is one more row of arrays.
"""

import math
import time
from dataclasses import dataclass

import numpy as np

from ...core.geometry.transforms import Matrix, Vector
from .chain import IkChain
from .crowd import CROWD, recall_crowd
from .descent import Descent, Gauge, Indices, Mask, Pace, descend, look_at

_ALONE, _PATIENCE, _ITERATIONS = 16, 6, 40
"""How long the start alone is led on where others may be tried, less where it comes no nearer; and
others, or it where none are."""
_NEARBY, _GRACE = 3, 2
"""So many begin near the start; so many iterations after the first solution others are waited
for."""
_BATCH, _ENOUGH = 24, 4
"""So many are led on for a target, and so many solutions waited for; the nearest is taken."""
_SPARSE_BATCH, _SPARSE_ENOUGH = 16, 3
"""The same for many targets, where each posture has its price."""
_FEW = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The best that was found for T goals: `values` (T, n), how far they miss in m and rad (T,),
    `solved` (T,), the iterations in all, and how many crowds each needed (T,)."""

    values: Matrix
    distances: Vector
    angles: Vector
    solved: Mask
    iterations: int
    restarts: Indices


def search(
    gauge: Gauge, starts: Matrix, *, restarts: Indices, deadline: float, seed: int
) -> SearchResult:
    """Returns values within limits that bring a chain to its goals, near to `starts` (T, n); or
    the nearest ones found, after `restarts` (T,) crowds."""
    chain = gauge.chain
    inside = np.minimum(np.maximum(starts, chain.lower), chain.upper)
    everyone = np.arange(len(inside))
    crowds = restarts if chain.variables else np.zeros_like(restarts)
    best = descend(
        gauge, inside, everyone,
        Pace(deadline=deadline, enough=1,
             iterations=_ALONE if crowds.any() else _ITERATIONS,
             patience=_PATIENCE if crowds.any() else _ITERATIONS),
    )  # fmt: skip
    done = np.zeros_like(restarts)
    while time.perf_counter() < deadline:
        left = np.flatnonzero(~best.solved & (done < crowds))
        if not len(left):
            break
        around = int(done[left[0]])
        lot = _choose_starts(gauge, inside[left], left, around, seed)
        if around == 0:
            # Where the starts themselves were led before.
            lot[:, 0] = best.values[left]
        others = descend(
            gauge, lot.reshape(-1, lot.shape[2]), np.repeat(left, lot.shape[1]),
            Pace(deadline=deadline, iterations=_ITERATIONS, grace=_GRACE,
                 enough=_ENOUGH if len(left) <= _FEW else _SPARSE_ENOUGH),
        )  # fmt: skip
        done[left] += 1
        _take_over(chain, best, others, left, inside[left])
        best.iterations += others.iterations
    values = turn_towards(chain, best.values, inside)
    return _measure(gauge, values, best.iterations, done)


def _measure(gauge: Gauge, values: Matrix, iterations: int, restarts: Indices) -> SearchResult:
    """Looks at the values once more, and says how far they miss."""
    shown = look_at(gauge, values, np.arange(len(values)))
    missing, turns = shown.signs[:, :3], shown.signs[:, 3:6]
    distances = gauge.chain.reach * np.sqrt((missing * missing).sum(1))
    angles = np.sqrt((turns * turns).sum(1)) if gauge.goals.orientation else np.zeros(len(values))
    return SearchResult(
        values=values,
        distances=distances,
        angles=angles,
        solved=(distances <= gauge.goals.near) & (angles <= gauge.goals.turned),
        iterations=iterations,
        restarts=restarts,
    )


def find_postures(
    gauge: Gauge, start: Vector, *, most: int, deadline: float, seed: int
) -> list[Vector]:
    """Returns solutions for one goal that differ, such as elbow up and down, the nearest to `start`
    first."""
    chain = gauge.chain
    inside = np.clip(start, chain.lower, chain.upper)[None]
    nobody = np.zeros(1, dtype=np.intp)
    found: list[Vector] = []
    shown = descend(
        gauge, inside, nobody, Pace(iterations=_ITERATIONS, deadline=deadline, enough=1)
    )
    for around in range(3 * most):
        for values in turn_towards(chain, shown.values[shown.solved], inside):
            if all(_gap(chain, values, other) > DIFFERENT for other in found):
                found.append(values)
        if len(found) >= most or time.perf_counter() > deadline:
            break
        (lot,) = _choose_starts(gauge, inside, nobody, around, seed)
        shown = descend(
            gauge, lot, np.zeros(len(lot), dtype=np.intp),
            Pace(iterations=_ITERATIONS, deadline=deadline, enough=len(lot)),
        )  # fmt: skip
    return sorted(found, key=lambda values: _gap(chain, values, inside[0]))[:most]


DIFFERENT = 0.3
"""Solutions nearer than this in every joint, in rad, count as one."""


def _gap(chain: IkChain, one: Vector, other: Vector) -> float:
    return float(np.abs((one - other) / chain.units).max())


def _choose_starts(gauge: Gauge, starts: Matrix, owners: Indices, around: int, seed: int) -> Matrix:
    """Returns (K, B, n), for K owners: some not far from their starts (K, n), and the nearest of a
    crowd; others each time around."""
    chain = gauge.chain
    count = (_BATCH if len(owners) <= _FEW else _SPARSE_BATCH) - _NEARBY
    rounds = CROWD // count
    crowd = recall_crowd(chain, starts[0], seed + around // rounds)
    drawn = crowd.nearest(gauge, owners, around % rounds * count, count)
    chance = np.random.default_rng((seed, around))
    noise = chance.uniform(-1.0, 1.0, (_NEARBY, len(chain.units))) * chain.units
    nearby = np.clip(starts[:, None] + noise, chain.lower, chain.upper)
    return np.concatenate([nearby, turn_towards(chain, drawn, starts[:, None])], axis=1)


def _take_over(
    chain: IkChain, best: Descent, others: Descent, left: Indices, starts: Matrix
) -> None:
    """Takes for each of the goals `left` (K,) the solution nearest to its start, else the best."""
    count = len(left)
    values = others.values.reshape(count, -1, starts.shape[1])
    solved, costs = others.solved.reshape(count, -1), others.costs.reshape(count, -1)
    turned = turn_towards(chain, values, starts[:, None])
    gaps = (((turned - starts[:, None]) / chain.units) ** 2).sum(2)
    gaps[~solved] = np.inf
    any_solved = solved.any(1)
    costs = np.nan_to_num(costs, nan=np.inf)
    chosen = np.where(any_solved, gaps.argmin(1), costs.argmin(1))
    rows = np.arange(count)
    better = any_solved | ~(best.costs[left] <= costs[rows, chosen])
    takers, rows = left[better], rows[better]
    best.values[takers] = turned[rows, chosen[better]]
    best.costs[takers] = costs[rows, chosen[better]]
    best.solved[takers] = any_solved[better]


def turn_towards(chain: IkChain, values: Matrix, starts: Matrix) -> Matrix:
    """Returns the same postures (..., n) with whole turns taken off, as near to `starts` as limits
    allow."""
    away = values - starts
    if not (np.abs(away) > math.pi).any():
        return values
    turns = np.round(away / math.tau)
    least, most = (values - chain.upper) / math.tau, (values - chain.lower) / math.tau
    turns = np.minimum(np.maximum(turns, np.ceil(least)), np.floor(most))
    turned = np.where(chain.whole, values - math.tau * turns, values)
    return np.minimum(np.maximum(turned, chain.lower), chain.upper)
