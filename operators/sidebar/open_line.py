# SPDX-License-Identifier: GPL-3.0-or-later
"""The line of a file that a message of the import report is about, in a text editor."""

from pathlib import Path
from typing import Any

import bpy

from ...urdf_importer.blender.standing.robot_table import recall_table
from .. import props
from ..active_robot import active_robot
from ..wrapped_text import file_name
from .select_operators import ReportOperator


class OpenLine(ReportOperator, bpy.types.Operator):
    bl_idname = "urdf.open_line"
    bl_label = "Open at Line"
    bl_description = (
        "Open the file at the line of this message: in the text editor that the preferences name, "
        "else in Blender's, in a new window where none is open. Without a window, file:line is "
        "copied to the clipboard"
    )

    index: props.integer("Message", "Its place in the import report, from 0", min=0, kept=False)

    def execute(self, context: Any) -> set[str]:
        messages = recall_table(active_robot(context)).diagnostics
        item = messages[self.index] if self.index < len(messages) else None
        if item is None or not item.line or not Path(item.source).is_file():
            place = f": {item.source}" if item is not None else ""
            self.report({"ERROR"}, f"The file of this message is not there any more{place}")
            return {"CANCELLED"}
        if context.window is None or bpy.app.background:
            context.window_manager.clipboard = f"{item.source}:{item.line}"
            self.report({"INFO"}, f"Copied {file_name(item.source)}:{item.line}")
            return {"FINISHED"}
        window = context.window
        if not context.preferences.filepaths.text_editor:
            window = _find_editor(context) or _open_editor()
        with context.temp_override(window=window, screen=window.screen):
            bpy.ops.text.jump_to_file_at_point(filepath=item.source, line=item.line - 1, column=0)
        return {"FINISHED"}


def _find_editor(context: Any) -> Any | None:
    """Finds a window with a text editor."""
    for window in context.window_manager.windows:
        if any(area.type == "TEXT_EDITOR" for area in window.screen.areas):
            return window
    return None


def _open_editor() -> Any:
    bpy.ops.wm.window_new()
    window = bpy.context.window_manager.windows[-1]
    window.screen.areas[0].type = "TEXT_EDITOR"
    return window


CLASSES = (OpenLine,)
