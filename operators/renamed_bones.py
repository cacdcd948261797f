# SPDX-License-Identifier: GPL-3.0-or-later
"""Mends the drivers of robots whose bones are renamed, as Blender does with curves."""

from typing import Any

import bpy

from ..urdf_importer.core.blender.memory import forget, recall
from ..urdf_importer.core.blender.standing.renamed import BLENDER_MENDS, list_broken, mend_drivers
from ..urdf_importer.core.blender.standing.robot_table import list_robots
from ..urdf_importer.core.command.summary import count
from .active_robot import Refusal, RobotOperator
from .registration import add_handler

_BROKEN = "broken drivers"


class MendDrivers(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.mend_drivers"
    bl_label = "Mend Drivers"
    bl_description = (
        "Let the drivers of mimic and combined joints read their bones again, where these were "
        "renamed. Where a bone was deleted, Update from Source brings it back"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        mended = mend_drivers(robot)
        forget(robot, _BROKEN)
        if not mended:
            raise Refusal("No bone was found that the drivers may mean")
        return count(mended, "driver") + " mended"


def recall_broken(robot: Any) -> list[str]:
    """Recalls which bones that are gone the drivers of a robot read."""
    return recall(robot, _BROKEN, list_broken)


def register() -> None:
    """Mends drivers whenever bones change, where Blender does not, and when files are opened."""
    if not BLENDER_MENDS:
        add_handler(bpy.app.handlers.depsgraph_update_post, _mend_changed)
    add_handler(bpy.app.handlers.load_post, _mend_all)


def _mend_changed(scene: Any, depsgraph: Any) -> None:
    if not depsgraph.id_type_updated("ARMATURE"):
        return
    changed = {each.id.original for each in depsgraph.updates if each.id.id_type == "ARMATURE"}
    for robot in list_robots():
        if robot.data in changed and robot.is_editable and robot.mode != "EDIT":
            mend_drivers(robot)
            forget(robot, _BROKEN)


def _mend_all(*_: Any) -> None:
    for robot in list_robots():
        if robot.is_editable:
            mend_drivers(robot)
