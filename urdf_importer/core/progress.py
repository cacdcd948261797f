# SPDX-License-Identifier: GPL-3.0-or-later
"""How far long work has come, and how much of it there may be."""

import math
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeVar

Result = TypeVar("Result")
Step = TypeVar("Step")
Shown = TypeVar("Shown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """`share` of the work that is done, 0 to 1, and the next step."""

    share: float
    text: str


def finish(steps: Generator[Any, None, Result]) -> Result:
    """Does all steps of some work and returns its result."""
    while True:
        try:
            next(steps)
        except StopIteration as finished:
            result: Result = finished.value
            return result


def relay(
    steps: Generator[Step, None, Result], show: Callable[[Step], Shown]
) -> Generator[Shown, None, Result]:
    """Does the steps of some work and yields the value of `show` for each step; returns the result.
    The work is closed in any case."""
    with closing(steps):
        while True:
            try:
                step = next(steps)
            except StopIteration as finished:
                result: Result = finished.value
                return result
            yield show(step)


class BudgetSpentError(Exception):
    """There is more work than a budget allows."""


class Budget:
    """Work that may be done, in seconds. Costs are estimated from the amount of work, not measured
    by a clock, so that the same work fits or does not fit on every machine, however fast and busy
    it is; the price is that a slow machine takes longer."""

    def __init__(self, seconds: float = math.inf) -> None:
        self.seconds = seconds
        self.spent = 0.0

    def spend(self, seconds: float) -> None:
        """Counts work that is about to be done. Raises BudgetSpentError where none is left."""
        self.spent += seconds
        if self.spent > self.seconds:
            raise BudgetSpentError
