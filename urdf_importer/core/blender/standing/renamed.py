# SPDX-License-Identifier: GPL-3.0-or-later
"""Drivers that read a bone which was renamed.

Blender mends the paths of a renamed bone in curves and constraints, but before 5.3 not in a
driver's reading of one property: mimic joints and combined ones would stop moving. The bone is
known by its joints, after which an import names it, and else by a name that it keeps.

Blender 5.3 mends drivers itself (BLENDER_MENDS). Files in which an older one renamed bones still
need this when they are opened; watching bones is needed until 5.3 is the oldest one supported.
"""

import re
from collections.abc import Iterator
from typing import Any

import bpy

from . import properties
from .armatures import armatures_of
from .joints import name_joints

BLENDER_MENDS = bpy.app.version >= (5, 3)
_PATH = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]')
_BETWEEN = ">"


def mend_drivers(robot: Any) -> int:
    """Lets the drivers of a robot read the bones that they mean, under their present names. Returns
    how many were mended; drivers whose bone is gone stay unchanged. Bones that Blender 5.3 renamed
    are known by their new names from then on, in older versions too."""
    mended = 0
    for armature in armatures_of(robot):
        # All bones are found first: the names by which they are known change below.
        stale = [(each, _find_bone(armature, name)) for each, name in _find_stale(armature)]
        for _, name in _find_read(armature):
            bone = armature.data.bones.get(name)
            if bone is not None and bone.get(properties.NAMED, _name_made(bone)) != name:
                bone[properties.NAMED] = name
        for target, bone in stale:
            if bone is None:
                continue
            written = bpy.utils.escape_identifier(bone.name)
            target.data_path = f'pose.bones["{written}"]{_PATH.sub("", target.data_path)}'
            bone[properties.NAMED] = bone.name
            mended += 1
        if mended:
            armature.update_tag()
    return mended


def list_broken(robot: Any) -> list[str]:
    """Lists the names of bones that drivers of a robot read and that are not there, each once."""
    found = (name for home in armatures_of(robot) for _, name in _find_stale(home))
    return list(dict.fromkeys(found))


def _find_stale(armature: Any) -> Iterator[tuple[Any, str]]:
    """Yields the targets of drivers whose bone is not there, with its name."""
    bones = armature.data.bones
    return (found for found in _find_read(armature) if found[1] not in bones)


def _find_read(armature: Any) -> Iterator[tuple[Any, str]]:
    """Yields the targets of drivers that read a bone, with its name."""
    animated = armature.animation_data
    for curve in animated.drivers if animated is not None else ():
        for variable in curve.driver.variables:
            for target in variable.targets if variable.type == "SINGLE_PROP" else ():
                found = _PATH.match(target.data_path) if target.id == armature else None
                if found is not None:
                    yield target, bpy.utils.unescape_identifier(found[1])


def _find_bone(armature: Any, name: str) -> Any | None:
    """Finds the bone that had this name when the rig was made, or when a driver was mended."""
    bones = armature.data.bones
    kept = next((bone for bone in bones if bone.get(properties.NAMED) == name), None)
    if kept is not None:
        return kept
    made = [bone for bone in bones if _name_made(bone) == name]
    return made[0] if len(made) == 1 else None


def _name_made(bone: Any) -> str:
    """Returns the name that a bone got when the rig was made, which few others get."""
    return _BETWEEN.join(name_joints(bone))
