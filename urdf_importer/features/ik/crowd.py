# SPDX-License-Identifier: GPL-3.0-or-later
"""Random postures of a chain, placed once; each target takes its nearest ones."""

import math
from dataclasses import dataclass

import numpy as np

from ...core.geometry.transforms import Matrix, Vector
from .chain import IkChain
from .descent import Gauge, Indices

CROWD = 512
_FREE_TURN, _MOST_TURN = math.pi, 2.0 * math.pi


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """M postures: values (M, n), points (M, 3), rotations (M, 9)."""

    values: Matrix
    points: Matrix
    rotations: Matrix

    def nearest(self, gauge: Gauge, owners: Indices, first: int, count: int) -> Matrix:
        """Returns for each goal of `owners` (K,) values (K, count, n): from the `first` nearest
        on, round by round of as many crowds."""
        goals, reach = gauge.goals, gauge.chain.reach
        costs = np.zeros((len(owners), len(self.values)))
        if goals.position:
            places = goals.frames[owners, :3, 3] / reach
            points = self.points / reach
            costs += (points * points).sum(1) - 2.0 * (places @ points.T)
        if goals.orientation:
            turns = goals.frames[owners, :3, :3].reshape(-1, 9)
            cosines = 0.5 * (turns @ self.rotations.T - 1.0)
            costs += np.arccos(np.minimum(np.maximum(cosines, -1.0), 1.0)) ** 2
        np.nan_to_num(costs, copy=False, nan=np.inf)
        last = first + count
        order = np.argpartition(costs, (first, last - 1), axis=1)[:, first:last]
        return self.values[order]


def recall_crowd(chain: IkChain, start: Vector, seed: int) -> Crowd:
    """Returns a crowd drawn for a chain, kept for the same seed and range."""
    lower, upper = _ranges(chain, start)

    def draw() -> Crowd:
        values = np.random.default_rng(seed).uniform(lower, upper, (CROWD, len(lower)))
        ends = chain.find_frames(values)[-1] @ chain.last
        return Crowd(values, ends[:, :3, 3], ends[:, :3, :3].reshape(-1, 9))

    crowd: Crowd = chain.crowds.get((seed, lower.tobytes(), upper.tobytes()), draw)
    return crowd


def _ranges(chain: IkChain, start: Vector) -> tuple[Vector, Vector]:
    """Where postures are drawn: within limits. Turns that come round are drawn once round, others
    at most two turns about the start, and slides without bound as far as the robot reaches."""
    turns = np.array([variable.turns for variable in chain.variables])
    free = np.isinf(chain.lower) | np.isinf(chain.upper)
    least = chain.lower + math.pi
    middle = np.clip(0.0, least, np.maximum(chain.upper - math.pi, least))
    about = np.where(chain.whole, middle, start)
    width = np.where(turns, np.where(free | chain.whole, _FREE_TURN, _MOST_TURN), np.inf)
    width = np.where(~turns & free, chain.units, width)
    # Sums are rounded: a joint with no room would have less than none.
    lowest = np.clip(about - width, chain.lower, chain.upper)
    return lowest, np.clip(about + width, lowest, chain.upper)
