# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots that drive on wheels, and objects that they hold."""

from ...core.shelves import Part

PART = Part(
    name="driving",
    names={
        "blender.bake": ("bake_drive",),
        "blender.grasp": (
            "grasp",
            "release",
        ),
        "blender.velocity": ("bake_velocity",),
    },
    hooks={"before_removal": "blender.grasp:let_go"},
)
