# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms in a cell: waypoints that become motions with times."""

from ...core.shelves import Part

PART = Part(
    name="waypoints",
    names={
        "model": (
            "Plan",
            "PlanProblem",
            "PlannedMove",
            "Waypoint",
        ),
        "options": ("PlanOptions",),
        "plan": ("plan_waypoints",),
    },
)
