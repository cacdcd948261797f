# SPDX-License-Identifier: GPL-3.0-or-later
"""Webots: PROTOs, worlds and projects with controllers, out."""

from ...core.shelves import Part

PART = Part(
    name="webots",
    names={
        "write.options": ("WebotsOptions",),
    },
    writer="write:WEBOTS",
)
