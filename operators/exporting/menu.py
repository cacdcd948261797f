# SPDX-License-Identifier: GPL-3.0-or-later
"""What this extension adds to File > Export."""

from typing import Any

import bpy

from ..motion.motion_files import draw_export_motion
from ..semantics.srdf_files import draw_export_entry
from ..sidebar.panel import RobotSubPanel
from .operators import EXPORTERS


def draw_export_entries(menu: Any, context: Any) -> None:
    for each in EXPORTERS:
        suffixes = ", ".join(each.format.suffixes)
        menu.layout.operator(each.bl_idname, text=f"{each.format.title} ({suffixes})")
    draw_export_entry(menu, context)
    draw_export_motion(menu, context)


class ExportPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_export"
    bl_label = "Export"
    bl_order = 60

    def draw(self, context: Any) -> None:
        for each in EXPORTERS:
            self.layout.operator(each.bl_idname, text=each.format.label, icon="EXPORT")


CLASSES = (ExportPanel,)
