# SPDX-License-Identifier: GPL-3.0-or-later
"""From the start alone first, since a target is mostly near; then from many places at once, the
best of a random crowd. Of the solutions the one nearest to the start is taken."""

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import Matrix, Vector
from .chain import Chain
from .descent import Goal, Postures, descend, jacobians, look_at

_FIRST_ITERATIONS, _ITERATIONS = 24, 40
_CROWD, _BATCH, _NEARBY = 160, 20, 4
_ENOUGH = 3
"""So many solutions are waited for, of which the nearest is taken."""
_PULLS = 4
_FREE_TURN, _MOST_TURN = math.pi, 2.0 * math.pi


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best that was found: `values` (n,), how far they miss in m and rad, and the work done."""

    values: Vector
    distance: float
    angle: float
    solved: bool
    iterations: int
    restarts: int


def search(
    chain: Chain, goal: Goal, start: Vector, *, restarts: int, deadline: float, seed: int
) -> Found:
    """Returns values within limits that bring the chain to the goal, near to `start` (n,); or those
    that come nearest to the goal, after `restarts` crowds."""
    inside = np.clip(start, chain.lower, chain.upper)
    shown, iterations = descend(
        chain, goal, inside[None], iterations=_FIRST_ITERATIONS, deadline=deadline, enough=1
    )
    chance = np.random.default_rng(seed)
    restarts = restarts if chain.variables else 0
    done = 0
    while not shown.solved.any() and done < restarts and time.perf_counter() < deadline:
        done += 1
        starts = _choose_starts(chain, goal, inside, chance)
        others, more = descend(
            chain, goal, starts, iterations=_ITERATIONS, deadline=deadline, enough=_ENOUGH
        )
        iterations += more
        shown = _better(shown, others)
    values = _nearest(chain, shown, inside)
    if done and shown.solved.any():
        values = _pull(chain, goal, values, inside, deadline)
    final = look_at(chain, goal, values[None])
    return Found(
        values=values,
        distance=float(final.distances[0]),
        angle=float(final.angles[0]),
        solved=bool(final.solved[0]),
        iterations=iterations,
        restarts=done,
    )


def find_postures(
    chain: Chain, goal: Goal, start: Vector, *, most: int, deadline: float, seed: int
) -> list[Vector]:
    """Returns solutions that differ, such as elbow up and down, the nearest to `start` first."""
    inside = np.clip(start, chain.lower, chain.upper)
    chance = np.random.default_rng(seed)
    found: list[Vector] = []
    shown, _ = descend(
        chain, goal, inside[None], iterations=_FIRST_ITERATIONS, deadline=deadline, enough=1
    )
    for _ in range(3 * most):
        for values in shown.values[shown.solved]:
            turned = turn_towards(chain, values, inside)
            if all(_gap(chain, turned, other) > DIFFERENT for other in found):
                found.append(turned)
        if len(found) >= most or time.perf_counter() > deadline:
            break
        starts = _choose_starts(chain, goal, inside, chance)
        shown, _ = descend(
            chain, goal, starts, iterations=_ITERATIONS, deadline=deadline, enough=_BATCH
        )
    return sorted(found, key=lambda values: _gap(chain, values, inside))[:most]


DIFFERENT = 0.3
"""Solutions nearer than this in every joint, in rad, count as one."""


def _gap(chain: Chain, one: Vector, other: Vector) -> float:
    return float(np.abs((one - other) / chain.units).max())


def _choose_starts(chain: Chain, goal: Goal, start: Vector, chance: np.random.Generator) -> Matrix:
    """Returns (B, n): the best of a crowd, and some not far from the start."""
    lower, upper = _ranges(chain, start)
    crowd = chance.uniform(lower, upper, (_CROWD, len(start)))
    costs = look_at(chain, goal, crowd).costs
    best = np.argsort(costs, kind="stable")[: _BATCH - _NEARBY]
    noise = chance.uniform(-1.0, 1.0, (_NEARBY, len(start))) * chain.units
    nearby = np.clip(start + noise, chain.lower, chain.upper)
    return np.concatenate([nearby, crowd[best]])


def _ranges(chain: Chain, start: Vector) -> tuple[Vector, Vector]:
    """Where starts are drawn: within limits, but turns at most two about the start, and slides
    without bound as far as the robot reaches."""
    turns = np.array([variable.turns for variable in chain.variables])
    free = np.isinf(chain.lower) | np.isinf(chain.upper)
    width = np.where(turns, np.where(free, _FREE_TURN, _MOST_TURN), np.inf)
    width = np.where(~turns & free, chain.units, width)
    return np.maximum(chain.lower, start - width), np.minimum(chain.upper, start + width)


def _better(one: Postures, other: Postures) -> Postures:
    """The solved among the others; where there are none, the best of both."""
    if other.solved.any():
        return other.take(np.flatnonzero(other.solved))
    best = int(np.argmin(np.nan_to_num(other.costs, nan=np.inf)))
    return one if one.costs[0] <= other.costs[best] else other.take(np.array([best]))


def _nearest(chain: Chain, shown: Postures, start: Vector) -> Vector:
    turned = [turn_towards(chain, values, start) for values in shown.values]
    gaps = [float(np.linalg.norm((values - start) / chain.units)) for values in turned]
    return turned[int(np.argmin(gaps))]


def turn_towards(chain: Chain, values: Vector, start: Vector) -> Vector:
    """Returns the same posture with whole turns taken off, as near to `start` as limits allow."""
    whole = _whole_turns(chain)
    turns = np.round((values - start) / math.tau)
    least, most = (values - chain.upper) / math.tau, (values - chain.lower) / math.tau
    turns = np.clip(turns, np.ceil(least), np.floor(most))
    turned = np.where(whole, values - math.tau * turns, values)
    result: Vector = np.clip(turned, chain.lower, chain.upper)
    return result


def _whole_turns(chain: Chain) -> NDArray[np.bool_]:
    """Which variables may be turned by a whole turn without any link noticing: those that slide
    nothing, and turn whatever follows them a whole number of times."""
    sliding = (chain.mixing[~chain.turns] != 0.0).any(0)
    broken = (chain.mixing != np.round(chain.mixing)).any(0)
    whole: NDArray[np.bool_] = ~sliding & ~broken
    return whole


def _pull(chain: Chain, goal: Goal, values: Vector, start: Vector, deadline: float) -> Vector:
    """Returns the solution, pulled towards the start through the freedom that the goal leaves."""
    for _ in range(_PULLS):
        shown = look_at(chain, goal, values[None])
        matrix = jacobians(chain, goal, shown)[0]
        if len(values) <= len(matrix) or not np.isfinite(matrix).all():
            break
        wanted = (start - values) / chain.units
        step = wanted - np.linalg.pinv(matrix, rcond=1e-6) @ (matrix @ wanted)
        step *= min(1.0, 0.5 / max(float(np.abs(step).max()), 1e-300))
        moved = np.clip(values + step * chain.units, chain.lower, chain.upper)
        shown, _ = descend(chain, goal, moved[None], iterations=8, deadline=deadline, enough=1)
        gap = np.linalg.norm((shown.values[0] - start) / chain.units)
        if not shown.solved[0] or gap >= np.linalg.norm((values - start) / chain.units):
            break
        values = shown.values[0]
    return values
