# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot to export, and the common parts of all exports."""

import os
from typing import Any

import bpy

from ...urdf_importer import RobotError, find_robots
from ...urdf_importer.core.blender.standing.record import find_record
from ..active_robot import ActingOperator, active_robot, browse

_NOT_NOW = "Leave the mode you are in first: robots are exported in object mode and pose mode"
_NO_ROBOT = "Import a robot first: there is none in this scene"
_WHICH = "Select the robot to export: there are several in this scene"


def find_exported(context: Any) -> Any | None:
    """Finds the robot to export: the active one, or the only one."""
    robot = active_robot(context)
    if robot is None:
        robots = list(find_robots().values())
        robot = robots[0] if len(robots) == 1 else None
    return robot


class ExportOperator(ActingOperator):
    """Base of the operators that write a file of a robot; in the file browser it is proposed beside
    the .blend, with the robot's name and `filename_ext`."""

    bl_options: set[str] = set()
    find_robot = staticmethod(find_exported)

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        if context.mode not in ("OBJECT", "POSE"):
            return _NOT_NOW
        if find_exported(context) is not None:
            return ""
        return _WHICH if find_robots() else _NO_ROBOT

    def invoke(self, context: Any, event: Any) -> set[str]:
        return choose_export_file(self, context)


def choose_export_file(operator: Any, context: Any) -> set[str]:
    """Opens the file browser, with the robot's name and the operator's `filename_ext` beside the
    .blend, else beside the description; returns the result for invoke."""
    if not operator.filepath:
        robot: Any = find_exported(context)
        name = robot.name + operator.filename_ext
        operator.filepath = os.path.join(find_export_folder(context), name)
    return browse(operator, context)


def find_export_folder(context: Any) -> str:
    """Finds where exports begin: beside the .blend, else beside the description of the robot."""
    return os.path.dirname(bpy.data.filepath) or find_source_folder(context)


def find_source_folder(context: Any) -> str:
    """Finds the folder of the description of the robot to export; empty where it is gone."""
    try:
        folder = os.path.dirname(find_record(find_exported(context)).path)
    except RobotError:
        return ""
    return folder if os.path.isdir(folder) else ""
