# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Export": what the robot can be written for."""

from typing import Any

import bpy

from .export_morse import ExportMorse
from .export_webots import ExportWebots
from .panel import RobotSubPanel


class ExportPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_export"
    bl_label = "Export"
    bl_order = 60

    def draw(self, context: Any) -> None:
        self.layout.operator(ExportWebots.bl_idname, text="Webots", icon="EXPORT")
        self.layout.operator(ExportMorse.bl_idname, text="MORSE", icon="EXPORT")


CLASSES = (ExportPanel,)
