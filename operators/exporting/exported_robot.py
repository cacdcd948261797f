# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot that an export means, and what all exports do alike."""

from typing import Any

from ...urdf_importer import RobotError, find_robots
from ..active_robot import active_robot

_NOT_NOW = "Leave the mode you are in first: robots are exported in object mode and pose mode"
_NO_ROBOT = "Import a robot first: there is none in this scene"
_WHICH = "Select the robot to export: there are several in this scene"


def find_exported(context: Any) -> Any | None:
    """The active robot, or the only one."""
    robot = active_robot(context)
    if robot is None:
        robots = list(find_robots().values())
        robot = robots[0] if len(robots) == 1 else None
    return robot


def poll_export(kind: Any, context: Any) -> bool:
    """For an operator's poll: there is a robot to export. Says why not."""
    if context.mode not in ("OBJECT", "POSE"):
        kind.poll_message_set(_NOT_NOW)
        return False
    if find_exported(context) is None:
        kind.poll_message_set(_WHICH if find_robots() else _NO_ROBOT)
        return False
    return True


def refuse(operator: Any, error: RobotError) -> set[str]:
    """One sentence; what the operator returns then."""
    operator.report({"ERROR"}, str(error))
    return {"CANCELLED"}
