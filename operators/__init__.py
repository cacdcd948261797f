# SPDX-License-Identifier: GPL-3.0-or-later
"""The user interface: operators poll, translate and report; they know nothing of robots."""

import bpy

from .import_urdf import ImportUrdf, draw_menu_entry

_CLASSES = (ImportUrdf,)


def register() -> None:
    """Adds the operators and their menu entries to Blender."""
    for kind in _CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.TOPBAR_MT_file_import.append(draw_menu_entry)


def unregister() -> None:
    """Takes them out again."""
    bpy.types.TOPBAR_MT_file_import.remove(draw_menu_entry)
    for kind in reversed(_CLASSES):
        bpy.utils.unregister_class(kind)
