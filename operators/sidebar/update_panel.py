# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Source": the file that the robot came from, and its update."""

from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.blender.standing.record import find_record
from ...urdf_importer.blender.standing.robot_table import recall_table
from ..active_robot import active_robot
from ..importing.source_watch import recall_changed
from ..importing.update import ChooseSource, UpdateRobot
from ..wrapped_text import draw_wrapped, file_name
from .panel import RobotSubPanel
from .whole_robot import CHANGED

_MOST_NAMED = 3
"""Changed files that are named; the rest is a count."""


class SourcePanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_source"
    bl_label = "Source"
    bl_order = 50

    def draw(self, context: Any) -> None:
        robot: Any = active_robot(context)
        try:
            path = find_record(robot).path
        except RobotError as error:
            draw_wrapped(self.layout, context, str(error), icon="ERROR")
            return
        draw_wrapped(self.layout, context, path, icon="FILE")
        changed = recall_changed(robot, recall_table(robot))
        for file in changed[:_MOST_NAMED]:
            draw_wrapped(self.layout, context, f"{file_name(file)} changed", icon="DOT")
        if len(changed) > _MOST_NAMED:
            self.layout.label(text=f"and {len(changed) - _MOST_NAMED} more", icon="BLANK1")
        column = self.layout.column(align=True)
        label = f"{UpdateRobot.bl_label} {CHANGED}" if changed else UpdateRobot.bl_label
        column.operator(UpdateRobot.bl_idname, text=label, icon="FILE_REFRESH")
        column.operator(ChooseSource.bl_idname, icon="FILE_FOLDER")


register, unregister = bpy.utils.register_classes_factory((SourcePanel,))
