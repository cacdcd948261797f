# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons of differences beside faults: messages of an export, and formats without a word."""

from collections.abc import Mapping

EXPLAINS: Mapping[str, tuple[str, ...]] = {
    "link": ("*renamed*", "*left-out*", "*-lost-*", "second-parent", "ring", "self-parent"),
    "joint": ("*renamed*", "*left-out*", "unknown-joint-type", "zero-axis", "*ball*", "*locked*"),
    "fixed joint": ("*renamed*",),
    "frame": ("mimic-*", "*-start", "*loop*", "unknown-joint-type", "zero-axis", "*follow*"),
    "mass": ("*-mass*", "missing-mass", "*left-out*"),
    "centre": ("*-mass*", "*left-out*"),
    "inertia": ("*inertia*", "*-mass*", "*left-out*"),
    "range": ("*limit*", "*range*", "beyond-limits"),
    "effort": ("limit-without-effort", "continuous-limit", "*effort*"),
    "velocity": ("limit-without-effort", "continuous-limit", "*velocity*", "*speed*"),
    "shapes": ("*mesh*", "*geometry*", "*package*", "*-part", "flat-*", "not-a-file",
               "outside-*", "*left-out*", "invalid-size", "moved-file", "wrong-case"),
    "box": ("*mesh*", "*geometry*", "*package*", "flat-*", "*left-out*", "invalid-*", "not-a-file",
            "moved-file", "wrong-case"),
    "reads": ("incomplete-for-others",),
    "contacts": ("*start-contacts",),
    "simulation": ("*start-contacts", "*-mass*", "*inertia*"),
}  # fmt: skip
"""The kind of a difference -> the codes of an export that may make it."""
HELD_NOT: Mapping[str, tuple[str, ...]] = dict.fromkeys(
    (".xml", ".mjcf"), ("velocity", "fixed joint")
)
"""Suffix -> kinds that the format has no word for, by docs/explanation/losses.md."""
