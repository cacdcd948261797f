# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest pose that closes, where free joints cannot go where they were asked to.

It is slid to along closed poses, as long as the free joints come nearer: down the gradient,
projected within the limits, by steps as long as Barzilai and Borwein choose them (Two-Point Step
Size Gradient Methods, 1988).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import Vector
from .limits import LoopLimits
from .linkage import Linkage, LinkagePose
from .newton import RANK_TOLERANCE, Closed, close

_STRIDE = 0.25
"""How far variables go at once at most, in radians and sizes of the linkage."""
_MOST_ROUNDS = 60
_FLAT = 1e-6
"""Where the way down is less steep, the nearest pose is reached."""
_MOST_REACH = 100.0
_MEMORY = 5
"""Of so many steps one must come nearer: such descents are quick because they may go back."""
_MOST_HELD = 4
"""How often joints that come out past their limits are put back to them."""


class Slide:
    """The way to a target (its `free` columns (n,) count), within `limits`; `closes` says whether a
    pose counts as closed."""

    def __init__(
        self,
        linkage: Linkage,
        target: LinkagePose,
        free: NDArray[np.bool_],
        limits: LoopLimits,
        closes: Callable[[Closed], bool],
    ) -> None:
        self._linkage, self._target, self._free = linkage, target, free
        self._limits, self._closes = limits, closes

    def come_near(self, here: Closed, farthest: float) -> Closed:
        """Returns the closed pose nearest to the target that is found, going no further."""
        best, least, gone = here, self._distance(here.pose), 0.0
        slope, reach, recent = self._find_slope(here), 1.0, [least]
        for _ in range(_MOST_ROUNDS):
            longest = float(np.abs(slope).max(initial=0.0))
            if longest < _FLAT or reach * longest < _FLAT:
                break
            reach = min(reach, _STRIDE / longest)
            there = self._take(here, slope * reach)
            distance = self._distance(there.pose)
            if (
                not self._closes(there)
                or not self._limits.hold(there.pose.values)
                or distance >= max(recent[-_MEMORY:])
            ):
                reach /= 4.0
                continue
            step = self._find_step(here, there, slope * reach)
            after = self._find_slope(there)
            bend = float(step @ (slope - after))
            reach = min(float(step @ step) / bend, _MOST_REACH) if bend > 0.0 else _MOST_REACH
            here, slope = there, after
            gone += float(np.abs(step).max())
            recent.append(distance)
            if distance < least:
                best, least = there, distance
            if gone >= farthest or (
                len(recent) > _MEMORY and recent[-_MEMORY] - min(recent) < _FLAT
            ):
                break
        return best

    def _take(self, here: Closed, step: Vector) -> Closed:
        moved = self._linkage.move(here.pose, step)
        return hold_limits(self._linkage, moved, self._limits)

    def _find_step(self, here: Closed, there: Closed, step: Vector) -> Vector:
        """Returns the step (n,) that was taken; it is shorter where limits cut it."""
        single = np.isfinite(self._limits.lower) | np.isfinite(self._limits.upper)
        taken = (there.pose.values - here.pose.values) / self._linkage.units
        return np.where(single, taken, step)

    def _find_slope(self, here: Closed) -> Vector:
        """Returns the way (n,) of steepest descent to the target among closed poses; joints that it
        would take past their limits stay at these."""
        away = self._target.values - here.pose.values
        wish = np.where(self._free, away, 0.0) / self._linkage.units
        held = np.zeros_like(self._free)
        for _ in range(len(held)):
            slope = np.zeros(len(held))
            kept = _null_space(here.jacobian[:, ~held])
            slope[~held] = kept @ (kept.T @ wish[~held])
            stopped = self._limits.find_stopped(here.pose.values, slope) & ~held
            if not stopped.any():
                break
            held |= stopped
        return slope

    def _distance(self, pose: LinkagePose) -> float:
        off = (self._target.values - pose.values)[self._free] / self._linkage.units[self._free]
        return float(np.linalg.norm(off))


def hold_limits(linkage: Linkage, pose: LinkagePose, limits: LoopLimits) -> Closed:
    """Returns a closed pose near to this one, whose variables past their limits are at these."""
    moving = np.ones(len(limits.units), dtype=bool)
    for _ in range(_MOST_HELD):
        past = limits.find_past(pose.values)
        moving &= ~past
        held = pose.copy()
        held.values = limits.clip(pose.values)
        found = close(linkage, held, moving, nearby=True)
        pose = found.pose
        if limits.hold(pose.values):
            break
    return found


def _null_space(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns (n, k) the directions that change no gap."""
    _, sizes, rows = np.linalg.svd(matrix)
    rank = int((sizes > RANK_TOLERANCE * sizes[0]).sum()) if len(sizes) else 0
    return rows[rank:].T
