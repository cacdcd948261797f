# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that builder scripts name."""

from collections.abc import Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any


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


if TYPE_CHECKING:
    from .component import AbstractComponent


def find_variables(frame: FrameType) -> dict[str, Any]:
    """Of the frame that called; of a method, first what it keeps in its self."""
    found = dict(frame.f_locals)
    own = getattr(found.get("self"), "__dict__", None)
    return {**own, **found} if isinstance(own, dict) else found


def find_script_frame(frame: FrameType) -> FrameType:
    """The frame that made the environment of which `frame` is the constructor. Where that was done
    by the constructor of a class of the script, the frame that made one of that: the outermost
    constructor counts. What runs the script does not."""
    made = frame
    inside: FrameType | None = frame
    while inside is not None and inside.f_code.co_name != "<module>":
        if inside.f_code.co_name == "__init__":
            made = inside
        inside = inside.f_back
    return made.f_back or made


def find_name(component: "AbstractComponent", variables: Mapping[str, Any]) -> str:
    """Of the first variable that holds the component; empty where none does."""
    return next((name for name, value in variables.items() if value is component), "")
