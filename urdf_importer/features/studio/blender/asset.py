# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as an asset: Blender's asset browser shows its picture, and drags it into other files."""

import tempfile
from pathlib import Path
from typing import Any

import bpy

from ....core.arguments import rig_of
from ....core.blender.standing.display import find_collection
from ....core.blender.standing.robot_table import recall_table
from ....core.diagnostics import BuildError, quote
from .render import render_preview

_PICTURE = 256
"""Pixels across: Blender's size of a preview."""
_SAMPLES = 16


def mark_as_asset(armature: Any, *, samples: int = _SAMPLES) -> Any:
    """Marks a robot's collection as an asset, with a picture of the robot in its present pose: the
    asset browser shows it, and drags the robot into other files. Returns the collection.

    Raises BuildError for an object that is not an imported robot of this file in a collection of
    its own, WriteError where the picture cannot be made.
    """
    armature = rig_of(armature)
    table = recall_table(armature)
    collection = make_thumbnail(armature, samples=samples)
    collection.asset_mark()
    collection.asset_data.description = describe_robot(armature)
    if table.name:
        collection.asset_data.tags.new(table.name[:63], skip_if_exists=True)
    return collection


def make_thumbnail(armature: Any, *, samples: int = _SAMPLES) -> Any:
    """Gives a robot's collection a picture of the robot in its present pose, in place of an earlier
    one; it is kept in the file. Returns the collection. Raises as mark_as_asset does."""
    collection = find_collection(armature)
    if collection is None:
        raise BuildError(f"{quote(armature.name)} is not in a collection of its own")
    if collection.library is not None or collection.override_library is not None:
        raise BuildError(f"{quote(armature.name)} belongs to another file; mark it there")
    take_picture(collection, armature, size=_PICTURE, samples=samples)
    return collection


def take_picture(item: Any, armature: Any, *, size: int, samples: int) -> None:
    """Gives a datablock, as its preview, a picture of a robot in its present pose."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, "robot.png")
        render_preview(armature, picture, width=size, height=size, samples=samples)
        with bpy.context.temp_override(id=item):
            bpy.ops.ed.lib_id_load_custom_preview(filepath=str(picture))


def describe_robot(armature: Any) -> str:
    """Returns one line about a robot: how many joints move, as imports and exports count them, and
    its mass."""
    table = recall_table(armature)
    joints = f"{len(table.joints)} moving joint" + ("s" if len(table.joints) != 1 else "")
    return joints if table.mass is None else f"{joints} · {table.mass:.3g} kg"
