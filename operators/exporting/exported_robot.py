# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot to export, and the common parts of all exports."""

import os
from typing import Any

import bpy

from ...urdf_importer import RobotError, find_robots
from ...urdf_importer.blender.standing.record import find_record
from ..active_robot import active_robot

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


def poll_export(kind: Any, context: Any) -> bool:
    """Tells an operator's poll whether there is a robot to export, and gives the reason if not."""
    if context.mode not in ("OBJECT", "POSE"):
        kind.poll_message_set(_NOT_NOW)
        return False
    if find_exported(context) is None:
        kind.poll_message_set(_WHICH if find_robots() else _NO_ROBOT)
        return False
    return True


def choose_export_file(operator: Any, context: Any) -> set[str]:
    """Opens the file browser, with the robot's name and the operator's `filename_ext` beside the
    .blend, else beside the description; returns the result for invoke."""
    if not operator.filepath:
        robot: Any = find_exported(context)
        name = robot.name + operator.filename_ext
        operator.filepath = os.path.join(find_export_folder(context), name)
    context.window_manager.fileselect_add(operator)
    return {"RUNNING_MODAL"}


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
