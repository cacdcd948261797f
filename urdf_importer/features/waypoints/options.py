# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of planning waypoints."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

from ...core.options import Options, option

Configuration = Literal["taught", "best"]
_option = partial(option, group="Planning")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions(Options):
    """How waypoints become a motion."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Planning",)

    link: str = _option(
        "", "Link", "The tool that is led; empty for the robot's hand", entries="LINK"
    )
    group: tuple[str, ...] = _option(
        (), "Joints", "The only joints to move; without any, all that move the tool"
    )
    hold: tuple[str, ...] = _option((), "Held Joints", "Joints that stay, beside locked ones")
    configuration: Configuration = _option(
        "taught",
        "Configuration",
        "How the arm is bent where a waypoint has both a pose and taught positions",
        choices={
            "taught": "As it was taught",
            "best": "So that joint moves are shortest",
        },
    )
    velocity_scale: float = _option(
        0.0,
        "Velocity Scale (0 = As Is)",
        "The share of the velocity limits that is used; 0 for the share in the limits' file, "
        "or all",
        bounds=(0.0, 1.0),
    )
    acceleration_scale: float = _option(
        0.0,
        "Acceleration Scale (0 = As Is)",
        "The share of the acceleration limits that is used; 0 for the share in the limits' "
        "file, or all",
        bounds=(0.0, 1.0),
    )
    ramp: float = _option(
        0.25,
        "Ramp (s)",
        "Seconds from rest to the velocity limit, of joints without a limit of acceleration",
        bounds=(1e-3, 100.0),
    )
    tolerance: float = _option(
        1e-6,
        "Tolerance",
        "How far the motion may be off its lines between samples, in metres; in radians ten times "
        "that",
        bounds=(1e-9, 1.0),
    )
    collisions: bool = _option(True, "Collisions", "Look for links that touch during the motion")
    loop: bool = _option(False, "Loop", "Go back to the first waypoint at the end")
