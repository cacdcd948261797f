# SPDX-License-Identifier: GPL-3.0-or-later
"""What this extension adds to File > Export, and the panel of exports."""

from typing import Any

import bpy

from ...urdf_importer import WriterFormat
from ..motion.motion_files import draw_export_motion
from ..semantics.srdf_files import draw_export_entry
from ..sidebar.panel import RobotSubPanel
from .operators import EXPORTERS

_MOST_SUFFIXES = 3


def draw_export_entries(menu: Any, context: Any) -> None:
    for each in EXPORTERS:
        menu.layout.operator(each.bl_idname, text=name_entry(each.format))
    draw_export_entry(menu, context)
    draw_export_motion(menu, context)


def name_entry(format: WriterFormat[Any]) -> str:
    """Returns a format's title with its first suffixes, as Blender's own entries show them."""
    first = ", ".join(format.suffixes[:_MOST_SUFFIXES])
    more = ", ..." if len(format.suffixes) > _MOST_SUFFIXES else ""
    return f"{format.title} ({first}{more})"


class ExportPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_export"
    bl_label = "Export"
    bl_order = 60

    def draw(self, context: Any) -> None:
        for each in EXPORTERS:
            self.layout.operator(each.bl_idname, text=each.format.label, icon="EXPORT")


def register() -> None:
    """Adds the panel and the entries of the menu."""
    bpy.utils.register_class(ExportPanel)
    bpy.types.TOPBAR_MT_file_export.append(draw_export_entries)


def unregister() -> None:
    """Takes them out again."""
    bpy.types.TOPBAR_MT_file_export.remove(draw_export_entries)
    bpy.utils.unregister_class(ExportPanel)
