# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots made from nothing: links of objects, axes of holes, masses, limits."""

from ...core.shelves import Part

PART = Part(
    name="build",
    names={
        "axes": ("FittedAxis", "fit_circle", "fit_cylinder"),
        "inertials": ("ComputedInertials", "compute_inertials"),
        "options": ("InertiaOptions", "RangeOptions"),
        "ranges": ("FoundRanges", "find_ranges"),
        "blender.links": ("edit_joint", "make_link", "new_robot", "remove_link"),
        "blender.pick": ("fit_axis",),
        "blender.split": ("split_object",),
    },
    commands="command",
)
