# SPDX-License-Identifier: GPL-3.0-or-later
"""The missing parts of a robot, one line for each package, with the button that fills it in."""

from typing import Any

from ...urdf_importer.blender.standing.robot_table import RobotTable
from ...urdf_importer.diagnostics import DiagnosticGroup
from ..importing.locate import LocatePackage, is_locatable
from ..mending import MendDrivers, recall_broken
from ..wrapped_text import draw_wrapped

MOST_LINES = 4


def draw_broken(layout: Any, context: Any, robot: Any) -> None:
    """Draws which bones drivers read that are not there, with the button that mends them."""
    broken = recall_broken(robot)
    if broken:
        box = layout.box()
        names = ", ".join(broken[:MOST_LINES]) + ("..." if len(broken) > MOST_LINES else "")
        draw_wrapped(box, context, f"Drivers read bones that are not there: {names}", icon="ERROR")
        box.operator(MendDrivers.bl_idname, icon="DRIVER")


def draw_missing(layout: Any, context: Any, table: RobotTable) -> None:
    """Draws the packages that were not found, and other files that are missing; nothing where
    nothing is."""
    groups = [group for group in table.groups if is_locatable(group)]
    for group in groups[:MOST_LINES]:
        box = layout.box()
        draw_wrapped(box, context, group.title, icon="ERROR")
        draw_locate(box, group)
    if len(groups) > MOST_LINES:
        layout.label(text=f"and {len(groups) - MOST_LINES} more, see Import Report")


def draw_locate(layout: Any, group: DiagnosticGroup) -> None:
    """Draws the button that locates the files of a group."""
    button = layout.operator(LocatePackage.bl_idname, icon="FILE_FOLDER")
    button.package = group.items[0].package
