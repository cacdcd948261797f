# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a check for collisions."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

from ...core.options import FileOptions, option

Disabled = Literal["auto", "none"]
_option = partial(option, group="Collisions")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions(FileOptions):
    """The pairs of a check, and how near they touch."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Collisions", "Files")

    disabled: Disabled = _option(
        "auto",
        "Disabled Pairs",
        "The pairs of links to skip",
        choices={
            "auto": "The pairs of the SRDF; without one, neighbours and links that touch at zero",
            "none": "No pairs: all are tested",
        },
    )
    allowed: tuple[tuple[str, str], ...] = _option(
        (),
        "Allowed Pairs",
        "More pairs that may touch, each as LINK:=LINK; the second may be an object",
        separator=":=",
    )
    srdf: str = _option(
        "",
        "SRDF",
        "The SRDF file with the disabled pairs; 'auto' takes the one near the description. "
        "A robot in Blender has its own",
        entries="FILE",
    )
    margin: float = _option(
        0.0,
        "Margin",
        "Metres between links that count as touching already; 0 for contact alone",
        bounds=(0.0, 100.0),
    )
    distances: bool = _option(
        False, "Distances", "Find the least distance of all pairs too, at samples: takes longer"
    )
    start_frame: float | None = _option(
        None,
        "Start Frame",
        "The frame of a motion's first sample, for objects that move; else the robot's first",
        blank="the robot's first",
    )
