# SPDX-License-Identifier: GPL-3.0-or-later
"""Panel "Robot Data": the robot's content, its origin and its exports."""

from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.core.blender.standing.display import find_thumbnail
from ...urdf_importer.core.blender.standing.record import find_record
from ...urdf_importer.core.blender.standing.robot_table import RobotTable, recall_table
from ..active_robot import active_robot
from ..exporting.menu import ExportMenu
from ..importing.source_watch import recall_changed
from ..importing.update import ChooseSource, UpdateRobot
from ..reports import is_loss
from ..wrapped_text import draw_facts, draw_rest, draw_wrapped, file_name
from .panel import DATA_PANEL, FoldedPanel

_PICTURE = 5.0
"""Height of the robot's picture, in rows."""
_MOST_NAMED = 3
"""Changed files that are named; the rest is a count."""


class DataPanel(FoldedPanel, bpy.types.Panel):
    bl_idname = DATA_PANEL
    bl_label = "Robot Data"
    bl_order = 2

    def draw_header_preset(self, context: Any) -> None:
        draw_count(self.layout, recall_table(active_robot(context)))

    def draw(self, context: Any) -> None:
        robot: Any = active_robot(context)
        table = recall_table(robot)
        picture = find_thumbnail(robot)
        if picture is not None and picture.icon_id:
            row = self.layout.split(factor=0.4)
            row.template_icon(icon_value=picture.icon_id, scale=_PICTURE)
            _draw_facts(row, table)
        else:
            _draw_facts(self.layout, table)
        _draw_source(self.layout, context, robot, table)
        self.layout.menu(ExportMenu.bl_idname, text="Export", icon="EXPORT")


def draw_count(layout: Any, table: RobotTable) -> None:
    """Draws how many messages the import had, while panels are folded too; nothing for none."""
    messages = table.diagnostics
    if messages:
        icon = "ERROR" if any(map(is_loss, messages)) else "INFO"
        layout.label(text=str(len(messages)), icon=icon)


def _draw_facts(layout: Any, table: RobotTable) -> None:
    followers = sum(1 for joint in table.joints.values() if joint.mimics)
    facts = [
        ("Links", str(table.link_count)),
        ("Joints", str(table.joint_count)),
        ("Moving", f"{len(table.joints)}" + (f" ({followers} follow)" if followers else "")),
        ("Mass", "not given" if table.mass is None else f"{table.mass:.4g} kg"),
        ("Triangles", f"{table.triangles:,}"),
    ]
    draw_facts(layout.column(align=True), facts, 0.4)


def _draw_source(layout: Any, context: Any, robot: Any, table: RobotTable) -> None:
    try:
        path = find_record(robot).path
    except RobotError as error:
        draw_wrapped(layout, context, str(error), icon="ERROR")
        return
    draw_wrapped(layout, context, path, icon="FILE")
    changed = recall_changed(robot, table)
    for file in changed[:_MOST_NAMED]:
        draw_wrapped(layout, context, f"{file_name(file)} changed", icon="DOT")
    draw_rest(layout, changed, _MOST_NAMED, "BLANK1")
    row = layout.row(align=True)
    row.operator(UpdateRobot.bl_idname, text="Update", icon="FILE_REFRESH", depress=bool(changed))
    row.operator(ChooseSource.bl_idname, text="", icon="FILE_FOLDER")
