# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole worlds: the robots of a scene and all around them, in and out."""

from ...core.shelves import Part

PART = Part(
    name="worlds",
    names={
        "export": ("export_world",),
        "importing": (
            "World",
            "import_world",
            "import_world_steps",
        ),
    },
    hooks={
        name: f"command:{name}"
        for name in ("add_import_arguments", "add_export_arguments", "plan_import", "plan_export")
    },
)
