# SPDX-License-Identifier: GPL-3.0-or-later
"""People's motion onto robots."""

from ...core.shelves import Part

PART = Part(
    name="retargeting",
    names={
        "options": (
            "Contact",
            "LimbReport",
            "Pair",
            "RetargetOptions",
            "RetargetResult",
        ),
        "retarget": (
            "find_pairs",
            "retarget",
            "retarget_steps",
        ),
    },
    commands="command",
)
