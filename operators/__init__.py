# SPDX-License-Identifier: GPL-3.0-or-later
"""The user interface: operators poll, translate and report; they know nothing about robots."""

from typing import Any

import bpy

from .command_line import register_command, unregister_command
from .driving.drive_panel import register_driving, unregister_driving
from .exporting.menu import CLASSES as _EXPORT_PANEL
from .exporting.menu import draw_export_entries
from .exporting.operators import EXPORTERS
from .gizmos.classes import register_gizmos, unregister_gizmos
from .ik.panel import register_ik, unregister_ik
from .importing.import_urdf import (
    DropUrdf,
    ImportMujoco,
    ImportSimMechanics,
    ImportUrdf,
    draw_menu_entry,
)
from .importing.locate import CLASSES as _LOCATE
from .importing.run_import import RunImport, register_guard, unregister_guard
from .importing.source_watch import forget_watched
from .importing.update import CLASSES as _UPDATE
from .importing.xacro_fields import register_fields, unregister_fields
from .mending import CLASSES as _MENDING
from .mending import register_mending, unregister_mending
from .motion.live_panel import register_live, unregister_live
from .motion.motion_files import CLASSES as _MOTION
from .motion.motion_panel import register_motion_panel, unregister_motion_panel
from .option_properties import AddShownFolder, ImportWithFolder
from .preferences import CLASSES as _PREFERENCES
from .reports import register_failure, unregister_failure
from .semantics.collision_operator import CLASSES as _COLLISIONS
from .semantics.group_operators import CLASSES as _GROUPS
from .semantics.panel_groups import CLASSES as _GROUPS_PANEL
from .semantics.srdf_files import CLASSES as _SRDF_FILES
from .sidebar.classes import register_sidebar, unregister_sidebar
from .sidebar.update_panel import CLASSES as _UPDATE_PANEL

_CLASSES: tuple[type[Any], ...] = (
    *_PREFERENCES,
    AddShownFolder,
    ImportWithFolder,
    RunImport,
    ImportUrdf,
    ImportSimMechanics,
    ImportMujoco,
    DropUrdf,
    *EXPORTERS,
)


_SEMANTICS = (*_SRDF_FILES, *_GROUPS, *_COLLISIONS, *_GROUPS_PANEL)


def register() -> None:
    """Adds the operators and their menu entries to Blender."""
    register_fields()
    for kind in _CLASSES:
        bpy.utils.register_class(kind)
    register_failure()
    register_guard()
    register_sidebar()
    register_ik()
    register_driving()
    for kind in (*_UPDATE, *_LOCATE, *_MENDING, *_UPDATE_PANEL, *_EXPORT_PANEL, *_SEMANTICS):
        bpy.utils.register_class(kind)
    register_gizmos()
    register_mending()
    register_command()
    for kind in _MOTION:
        bpy.utils.register_class(kind)
    register_motion_panel()
    register_live()
    bpy.types.TOPBAR_MT_file_import.append(draw_menu_entry)
    bpy.types.TOPBAR_MT_file_export.append(draw_export_entries)


def unregister() -> None:
    """Takes them out again."""
    forget_watched()
    bpy.types.TOPBAR_MT_file_export.remove(draw_export_entries)
    bpy.types.TOPBAR_MT_file_import.remove(draw_menu_entry)
    unregister_live()
    unregister_motion_panel()
    for kind in reversed(_MOTION):
        bpy.utils.unregister_class(kind)
    unregister_command()
    unregister_mending()
    unregister_gizmos()
    for kind in (*_SEMANTICS, *_EXPORT_PANEL, *_UPDATE_PANEL, *_MENDING, *_LOCATE, *_UPDATE):
        bpy.utils.unregister_class(kind)
    unregister_driving()
    unregister_ik()
    unregister_sidebar()
    unregister_guard()
    unregister_failure()
    for kind in reversed(_CLASSES):
        bpy.utils.unregister_class(kind)
    unregister_fields()
