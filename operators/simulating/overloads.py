# SPDX-License-Identifier: GPL-3.0-or-later
"""Motors that were at their limit in a robot's last simulation."""

from dataclasses import dataclass, field
from typing import Any

from ...urdf_importer import Overload
from ..session import recall_state

_MOST_SHOWN = 8


@dataclass(slots=True)
class Overloads:
    """The overloads of each robot's last simulation and its action's name, by their session's
    numbers."""

    found: dict[int, tuple[str, tuple[Overload, ...]]] = field(default_factory=dict)


def keep_overloads(robot: Any, action: str, overloads: tuple[Overload, ...]) -> None:
    """Keeps the overloads of a robot's simulation, in place of the one before."""
    recall_state(Overloads).found[robot.session_uid] = action, overloads


def draw_overloads(layout: Any, robot: Any) -> None:
    """Draws the motors that could not do the robot's animation, each with the frame in which that
    began, while it shows that animation."""
    action, overloads = recall_state(Overloads).found.get(robot.session_uid, ("", ()))
    shown = robot.animation_data and robot.animation_data.action
    if not overloads or shown is None or shown.name != action:
        return
    box = layout.box().column(align=True)
    box.label(text="These motors cannot do this animation:", icon="ERROR")
    for each in overloads[:_MOST_SHOWN]:
        row = box.row(align=True)
        row.label(
            text=f"{each.joint}: {each.effort:.3g} at its limit, {each.share:.0%} of the time"
        )
        go = row.row(align=True)
        go.alignment = "RIGHT"
        go.operator("urdf.go_to_violation", text=f"{each.frame}").frame = each.frame
    if len(overloads) > _MOST_SHOWN:
        box.label(text=f"and {len(overloads) - _MOST_SHOWN} more")
