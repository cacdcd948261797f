# SPDX-License-Identifier: GPL-3.0-or-later
"""Motors that were at their limit in the simulation that a robot shows."""

from typing import Any

from ...urdf_importer.blender.standing import properties

_MOST_SHOWN = 8


def draw_overloads(layout: Any, robot: Any) -> None:
    """Draws the motors that could not do the animation that a robot shows, each with the frame in
    which that began."""
    action = robot.animation_data and robot.animation_data.action
    noted = action.get(properties.MOTION, {}).get("overloads") if action else None
    if not noted:
        return
    box = layout.box().column(align=True)
    box.label(text="These motors cannot do this animation:", icon="ERROR")
    for joint, (share, frame, effort) in list(noted.items())[:_MOST_SHOWN]:
        row = box.row(align=True)
        row.label(text=f"{joint}: {effort:.3g} at its limit, {share:.0%} of the time")
        go = row.row(align=True)
        go.alignment = "RIGHT"
        go.operator("urdf.go_to_violation", text=f"{frame:.0f}").frame = int(frame)
    if len(noted) > _MOST_SHOWN:
        box.label(text=f"and {len(noted) - _MOST_SHOWN} more")
