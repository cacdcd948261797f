# SPDX-License-Identifier: GPL-3.0-or-later
"""Running robots, over a WebSocket."""

from ...core.shelves import Part

PART = Part(
    name="live",
    names={
        "link": ("LiveLink",),
        "options": ("LiveOptions",),
        "blender.live": ("connect",),
    },
    hooks={"find_running": "running:find_running"},
)
