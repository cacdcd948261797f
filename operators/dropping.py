# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are dropped on the window. Blender asks extensions by the suffix of a dropped file, so
a folder without one never reaches them."""

from collections.abc import Sequence
from typing import Any

import bpy
from bpy_extras.io_utils import poll_file_object_drop


class _OnViews:
    """Where a drop counts: on the 3D view and on the outliner."""

    @classmethod
    def poll_drop(cls, context: Any) -> bool:
        return bool(poll_file_object_drop(context))


def make_drop_handler(name: str, label: str, operator: str, suffixes: Sequence[str]) -> type[Any]:
    """Returns the class of a file handler: Blender calls the operator for dropped files with these
    suffixes."""
    members = {
        "__module__": __name__,
        "bl_idname": name,
        "bl_label": label,
        "bl_import_operator": operator,
        "bl_file_extensions": ";".join(suffixes),
    }
    return type(name, (_OnViews, bpy.types.FileHandler), members)
