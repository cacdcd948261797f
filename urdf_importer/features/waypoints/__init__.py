# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms in a cell: waypoints that become motions with times."""

from ...core.shelves import Part

PART = Part(
    name="waypoints",
    names={
        "blender.bake": ("bake_waypoints",),
        "blender.bake_path": (
            "bake_path",
            "trace_path",
        ),
        "blender.objects": (
            "get_waypoints",
            "record_waypoint",
            "set_waypoints",
        ),
        "files": (
            "read_waypoints",
            "write_waypoints",
        ),
        "model": (
            "Plan",
            "PlanProblem",
            "PlannedMove",
            "Waypoint",
        ),
        "options": ("PlanOptions",),
        "plan": ("plan_waypoints",),
        "tools": ("set_tool",),
        "swivel": (
            "Swivel",
            "find_swivel",
            "turn_elbow",
        ),
    },
    commands="command",
    hooks={"after_renaming": "blender.objects:rename_in_waypoints"},
)
