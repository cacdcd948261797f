# SPDX-License-Identifier: GPL-3.0-or-later
"""MJCF, MuJoCo's format: models in, models out."""

from ...core.shelves import Part

PART = Part(
    name="mjcf",
    names={
        "write.options": ("MjcfOptions",),
    },
    reader="read:MJCF",
    writer="write.format:MJCF",
)
