# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of reading a motion."""

from dataclasses import dataclass
from typing import Literal

from ..options import option

Clock = Literal["stamp", "log"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionOptions:
    """How a recording becomes a motion."""

    clock: Clock = option(
        "stamp",
        "Clock",
        "Which times of a recording count",
        group="Reading",
        choices={
            "stamp": "Those in the messages, where they have some; else those of recording",
            "log": "When each message was recorded",
        },
    )
    degrees: bool = option(
        False, "Degrees", "The angles of a table are in degrees", group="Reading"
    )
    rate: float = option(
        0.0,
        "Rate",
        "Lines per second of a table without a column of times; 0 for one that has it",
        group="Reading",
        minimum=0.0,
        maximum=1e6,
    )
    columns: str = option(
        "",
        "Columns",
        "The names of a table's columns, with commas between them, where it has no heading",
        group="Reading",
        entries="A,B,C",
    )
