# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Source": the file that the robot came from, and its update."""

from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.blender.standing.record import find_record
from ..active_robot import active_robot
from ..importing.update import ChooseSource, UpdateRobot
from ..wrapped_text import draw_wrapped
from .panel import RobotSubPanel


class SourcePanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_source"
    bl_label = "Source"
    bl_order = 50

    def draw(self, context: Any) -> None:
        try:
            path = find_record(active_robot(context)).path
        except RobotError as error:
            draw_wrapped(self.layout, context, str(error), icon="ERROR")
            return
        draw_wrapped(self.layout, context, path, icon="FILE")
        column = self.layout.column(align=True)
        column.operator(UpdateRobot.bl_idname, icon="FILE_REFRESH")
        column.operator(ChooseSource.bl_idname, icon="FILE_FOLDER")


CLASSES = (SourcePanel,)
