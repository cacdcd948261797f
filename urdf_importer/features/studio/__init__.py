# SPDX-License-Identifier: GPL-3.0-or-later
"""Lights, a turntable and pictures."""

from ...core.shelves import Part

PART = Part(
    name="studio",
    names={
        "blender.asset": ("mark_as_asset",),
        "blender.render": ("render_preview",),
        "blender.stage": (
            "build_studio",
            "remove_studio",
        ),
    },
)
