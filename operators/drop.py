# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging descriptions from the desktop onto the 3D view or the outliner."""

from typing import Any

import bpy
from bpy_extras.io_utils import poll_file_object_drop


class DropUrdf(bpy.types.FileHandler):
    """Blender asks for options by the operator's dialog, then runs it."""

    bl_idname = "IO_FH_urdf"
    bl_label = "URDF"
    bl_import_operator = "import_scene.urdf"
    bl_file_extensions = ".urdf;.xacro;.xml"

    @classmethod
    def poll_drop(cls, context: Any) -> bool:
        return bool(poll_file_object_drop(context))
