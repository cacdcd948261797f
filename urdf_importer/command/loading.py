# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot of a command: in a .blend, or a description that is imported."""

import argparse
from typing import Any

from .. import Diagnostics, ImportOptions, import_robot
from ..interrupts import hold_interrupt
from .arguments import read_options
from .blends import is_blend, open_robot
from .jobs import needing_blender
from .plans import UsageError


def load_robot(given: argparse.Namespace, work: str, diagnostics: Diagnostics) -> Any:
    """Opens the .blend of a command's arguments `robot` and `name`, or imports that description
    into a new file; returns the armature. `work` names the work that needs Blender. Raises
    RobotError and UsageError."""
    with needing_blender(work), hold_interrupt():
        if is_blend(given.robot):
            return open_robot(given.robot, given.name)
        if given.name is not None:
            raise UsageError("--robot says which robot of a .blend, and the robot is not in one")
        from .. import new_file

        new_file()
    result = import_robot(given.robot, options=read_options(given, ImportOptions))
    diagnostics.extend(result.diagnostics)
    return result.armature
