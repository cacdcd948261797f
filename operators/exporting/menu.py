# SPDX-License-Identifier: GPL-3.0-or-later
"""What this extension adds to File > Export."""

from typing import Any

import bpy

from ..sidebar.panel import RobotSubPanel
from .export_morse import ExportMorse
from .export_webots import ExportWebots


def draw_export_entries(menu: Any, context: Any) -> None:
    menu.layout.operator(ExportWebots.bl_idname, text="Webots (.proto, .wbt)")
    menu.layout.operator(ExportMorse.bl_idname, text="MORSE Builder Script (.py)")


class ExportPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_export"
    bl_label = "Export"
    bl_order = 60

    def draw(self, context: Any) -> None:
        self.layout.operator(ExportWebots.bl_idname, text="Webots", icon="EXPORT")
        self.layout.operator(ExportMorse.bl_idname, text="MORSE", icon="EXPORT")


CLASSES = (ExportPanel,)
