# SPDX-License-Identifier: GPL-3.0-or-later
"""Models for game engines, browsers and Isaac, by Blender's exporters."""

from ...core.shelves import Part

PART = Part(
    name="engines",
    names={
        "export": ("EngineOptions",),
    },
    writer="export:ENGINES",
)
