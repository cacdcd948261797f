# SPDX-License-Identifier: GPL-3.0-or-later
"""Mends the drivers of robots whose bones are renamed, as Blender does with curves."""

from typing import Any

import bpy

from ..urdf_importer.blender.memory import forget, recall
from ..urdf_importer.blender.standing.renamed import list_broken, mend_drivers
from ..urdf_importer.blender.standing.robot_table import list_robots
from ..urdf_importer.command.summary import count
from .active_robot import RobotOperator, active_robot

_BROKEN = "broken drivers"


class MendDrivers(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.mend_drivers"
    bl_label = "Mend Drivers"
    bl_description = (
        "Let the drivers of mimic and combined joints read their bones again, where these were "
        "renamed. Where a bone was deleted, Update from Source brings it back"
    )

    def execute(self, context: Any) -> set[str]:
        robot = active_robot(context)
        mended = mend_drivers(robot)
        forget(robot, _BROKEN)
        if not mended:
            self.report({"WARNING"}, "No bone was found that the drivers may mean")
            return {"CANCELLED"}
        self.report({"INFO"}, count(mended, "driver") + " mended")
        return {"FINISHED"}


def recall_broken(robot: Any) -> list[str]:
    """Recalls which bones that are gone the drivers of a robot read."""
    return recall(robot, _BROKEN, list_broken)


def register() -> None:
    """Adds the operator, and makes Blender mend drivers whenever bones change."""
    bpy.utils.register_class(MendDrivers)
    bpy.app.handlers.depsgraph_update_post.append(_mend_changed)
    bpy.app.handlers.load_post.append(_mend_all)


def unregister() -> None:
    """Takes both out again."""
    bpy.app.handlers.load_post.remove(_mend_all)
    bpy.app.handlers.depsgraph_update_post.remove(_mend_changed)
    bpy.utils.unregister_class(MendDrivers)


@bpy.app.handlers.persistent
def _mend_changed(scene: Any, depsgraph: Any) -> None:
    if not depsgraph.id_type_updated("ARMATURE"):
        return
    changed = {each.id.original for each in depsgraph.updates if each.id.id_type == "ARMATURE"}
    for robot in list_robots():
        if robot.data in changed and robot.is_editable and robot.mode != "EDIT":
            mend_drivers(robot)
            forget(robot, _BROKEN)


@bpy.app.handlers.persistent
def _mend_all(*_: Any) -> None:
    for robot in list_robots():
        if robot.is_editable:
            mend_drivers(robot)
