# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints of a rig stand in armatures of their own."""

from typing import Any

from ...blender.standing import properties
from ...blender.standing.armatures import armatures_of, name_armature


def extract_groups(armature: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(name, joints) of each armature that was split off a robot's main one, those that carry
    others first."""
    return tuple(
        (name_armature(each), tuple(_joints_in(each)))
        for each in armatures_of(armature)
        if each != armature
    )


def _joints_in(armature: Any) -> list[str]:
    return [
        joint["name"] for bone in armature.data.bones for joint in bone.get(properties.JOINTS, ())
    ]
