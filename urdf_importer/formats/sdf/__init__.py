# SPDX-License-Identifier: GPL-3.0-or-later
"""SDF, Gazebo's format: models in, models out."""

from ...core.shelves import Part

PART = Part(
    name="sdf",
    names={
        "write.options": ("SdfOptions",),
    },
    reader="read.format:SDF",
    writer="files:SDF_WRITER",
)
