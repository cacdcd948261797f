# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that builder scripts name."""

from typing import Any


class timer(float):
    """The value of a game property that counts the seconds on from it."""


class TimeStrategies:
    """What the simulator does where it is too slow: drop frames, or lag behind the clock."""

    BestEffort = 0
    FixedSimulationStep = 1


def find_kind(value: Any) -> str:
    """The kind of game property that holds a value, where its type does not say it: other kinds of
    float than Python's own are no timers."""
    if isinstance(value, timer):
        return "TIMER"
    return "FLOAT" if isinstance(value, float) else ""
