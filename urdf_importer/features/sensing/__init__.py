# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors: pictures, rays, measurements, and datasets for training."""

from ...core.shelves import Part

PART = Part(
    name="sensing",
    names={
        "dataset": ("DatasetOptions",),
        "options": (
            "RecordOptions",
            "SenseOptions",
        ),
        "reading": ("Reading",),
        "record": ("record_sensors",),
        "sense": (
            "find_sensors",
            "sense",
        ),
    },
    commands="command",
    hooks={
        "before_delete": "blender.shown:remove_all_readings",
        "before_removal": "blender.looking:look_back_from",
    },
)
