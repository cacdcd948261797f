# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the joints of a linkage may go, by the limits that the description gives them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...diagnostics import Diagnostics, quote
from ...geometry.transforms import Vector
from ...model import Joint
from .linkage import Linkage, Variable

SLACK = 3e-4
"""Sizes of the linkage and radians. Descriptions of real machines contradict themselves by some of
the last digits, and would be locked if that counted."""
_EXACT = 1e-9
"""Radians and sizes of the linkage by which a joint may be past a limit that it is at."""
_AT = 1e-6
"""Within so much of a limit a joint is at it."""


def report_range(
    joint: Joint, found: Sequence[float], others: str, diagnostics: Diagnostics
) -> None:
    """Reports that a free joint can go less far than its limits, wherever the others are."""
    diagnostics.warning(
        "loop-range",
        f"joint {quote(joint.name)} can go from {found[0]:g} to {found[1]:g} only, as far as its "
        f"loop closes wherever {others}; it is held there",
        subject=joint.name,
        line=joint.line,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoopLimits:
    """`lower` and `upper` (n,) per column of the linkage, infinite where nothing holds; `units`
    (n,) are the linkage's."""

    lower: Vector
    upper: Vector
    units: Vector

    def hold(self, values: Vector, slack: float = 0.0) -> bool:
        """Whether no variable is past its limits by more than a slack."""
        past = np.maximum(self.lower - values, values - self.upper)
        return bool((past <= (_EXACT + slack) * self.units).all())

    def clip(self, values: Vector) -> Vector:
        """Returns the values (n,) within the limits that are nearest to these."""
        return np.clip(values, self.lower, self.upper)

    def find_past(self, values: Vector) -> NDArray[np.bool_]:
        """Returns (n,) which variables are past their limits."""
        return (values < self.lower) | (values > self.upper)

    def find_stopped(self, values: Vector, way: Vector, near: float = _AT) -> NDArray[np.bool_]:
        """Returns (n,) which variables are at a limit and would pass it, going a `way` (n,)."""
        slack = near * self.units
        down, up = values <= self.lower + slack, values >= self.upper - slack
        return (down & (way < -_EXACT)) | (up & (way > _EXACT))

    def meet(self, others: "LoopLimits") -> "LoopLimits":
        """Returns the intersection of both limits."""
        return LoopLimits(
            lower=np.maximum(self.lower, others.lower),
            upper=np.minimum(self.upper, others.upper),
            units=self.units,
        )

    def widen(self, *poses: Vector) -> "LoopLimits":
        """Returns limits that hold these values (n,), too."""
        return LoopLimits(
            lower=np.minimum.reduce([self.lower, *poses]),
            upper=np.maximum.reduce([self.upper, *poses]),
            units=self.units,
        )


def find_limits(linkage: Linkage, follows: Sequence[bool], *, free: bool = False) -> LoopLimits:
    """Finds the limits of the followers, or of the free joints.

    Limits that leave a follower one place are passed over: loops move it, and files have such
    limits where none were meant.
    """
    count = linkage.mixing.shape[1]
    lower, upper = np.full(count, -np.inf), np.full(count, np.inf)
    for variable, each in zip(linkage.variables, follows, strict=True):
        if each is free or not variable.is_single:
            continue
        low, high = _find_bounds(linkage, variable)
        if low < high or free:
            lower[variable.columns], upper[variable.columns] = low, high
    return LoopLimits(lower=lower, upper=upper, units=linkage.units)


def _find_bounds(linkage: Linkage, variable: Variable) -> tuple[float, float]:
    """Returns the limits of a joint, else the limits of joints on loops behind a gear."""
    own = variable.motion.ends
    if own != (-np.inf, np.inf):
        return own
    low, high = own
    for ends in _list_geared(linkage, variable.columns.start):
        low, high = max(low, min(ends)), min(high, max(ends))
    return low, high


def _list_geared(linkage: Linkage, column: int) -> Iterator[tuple[float, float]]:
    for mover, ratio, offset in zip(
        linkage.movers, linkage.mixing[:, column], linkage.offsets, strict=True
    ):
        motion = linkage.motions[mover]
        if ratio and motion is not None and motion.mimic is not None:
            low, high = ((end - offset) / ratio for end in motion.ends)
            yield low, high
