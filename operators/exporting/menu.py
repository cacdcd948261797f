# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export > Robot; the sidebar shows the same menu."""

from typing import Any

import bpy

from ...urdf_importer import WriterFormat
from ..preferences import shows_morse
from ..registration import add_to_menus
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


def draw_export_entries(menu: Any, context: Any) -> None:
    menu.layout.menu(ExportMenu.bl_idname, icon="ARMATURE_DATA")


def name_entry(format: WriterFormat[Any]) -> str:
    """Returns a format's title with its first suffixes, if any, as Blender's own entries show
    them."""
    first = ", ".join(format.suffixes[:_MOST_SUFFIXES])
    more = ", ..." if len(format.suffixes) > _MOST_SUFFIXES else ""
    return f"{format.title} ({first}{more})" if first else format.title


def register() -> None:
    """Adds the menu to Blender's."""
    add_to_menus(draw_export_entries, "TOPBAR_MT_file_export")
