# SPDX-License-Identifier: GPL-3.0-or-later
"""From the place of a link to the positions of joints. numpy only."""

from ...core.shelves import Part

PART = Part(
    name="ik",
    names={
        "many": ("inverse_kinematics_many",),
        "options": (
            "IKOptions",
            "RigIKOptions",
        ),
        "solve": (
            "IKResult",
            "find_solutions",
            "inverse_kinematics",
        ),
        "blender.bake": ("bake_ik",),
        "blender.live": (
            "add_ik",
            "remove_ik",
        ),
        "blender.solve": ("solve_ik",),
    },
    hooks={
        "before_update": "blender.native:set_aside",
        "after_update": "blender.native:bring_back",
    },
)
