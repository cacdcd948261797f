# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export > Robot; the sidebar shows the same menu."""

from typing import Any

import bpy

from ...urdf_importer import WriterFormat
from ..motion.motion_files import draw_export_motion
from ..preferences import shows_morse
from ..registration import add_to_menus
from ..semantics.srdf_files import draw_export_entry
from ..worlds.export import WORLD_FORMATS, ExportWorld
from .operators import EXPORTERS

_MOST_SUFFIXES = 3


class ExportMenu(bpy.types.Menu):
    bl_idname = "TOPBAR_MT_urdf_export"
    bl_label = "Robot"

    def draw(self, context: Any) -> None:
        self.layout.operator_context = "INVOKE_DEFAULT"
        for each in EXPORTERS:
            if each.format.name != "morse" or shows_morse(context):
                self.layout.operator(each.bl_idname, text=name_entry(each.format))
        first = ", ".join(each.world_suffixes[0] for each in WORLD_FORMATS)
        self.layout.operator(ExportWorld.bl_idname, text=f"World ({first})")
        draw_export_entry(self, context)
        draw_export_motion(self, context)


def draw_export_entries(menu: Any, context: Any) -> None:
    menu.layout.menu(ExportMenu.bl_idname, icon="ARMATURE_DATA")


def name_entry(format: WriterFormat[Any]) -> str:
    """Returns a format's title with its first suffixes, as Blender's own entries show them."""
    first = ", ".join(format.suffixes[:_MOST_SUFFIXES])
    more = ", ..." if len(format.suffixes) > _MOST_SUFFIXES else ""
    return f"{format.title} ({first}{more})"


def register() -> None:
    """Adds the menu to Blender's."""
    add_to_menus(draw_export_entries, "TOPBAR_MT_file_export")
