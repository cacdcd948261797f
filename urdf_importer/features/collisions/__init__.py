# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that touch each other, and shapes that fit."""

from ...core.shelves import Part

PART = Part(
    name="collisions",
    names={
        "check": (
            "avoid_collisions",
            "check_collisions",
        ),
        "disabled_pairs": (
            "find_disabled_collisions",
            "replace_disabled",
        ),
        "fit": (
            "CollisionOptions",
            "FittedCollisions",
            "FittedLink",
            "fit_collisions",
        ),
        "options": ("CheckOptions",),
        "report": (
            "CollisionReport",
            "LinkContact",
        ),
    },
    commands="command",
    hooks={
        "fit_robot": "fit:fit_robot",
        "disable_pairs": "disabled_pairs:disable_steps",
    },
)
