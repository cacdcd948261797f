# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Import Report": what was substituted or lost, page by page."""

from typing import Any

import bpy

from ...urdf_importer import Diagnostic, Severity
from ...urdf_importer.blender.standing.robot_table import recall_table
from ..active_robot import active_robot
from ..wrapped_text import draw_wrapped, file_name
from .panel import RobotSubPanel
from .select_operators import CopyReport, SelectSubject

PAGE = 8
"""Messages on a page: some robots have thousands."""


class ReportPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_report"
    bl_label = "Import Report"
    bl_order = 40
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context: Any) -> None:
        """Shows how many there are, also while the panel is folded."""
        messages = recall_table(active_robot(context)).diagnostics
        errors = sum(item.severity is Severity.ERROR for item in messages)
        icon = "CANCEL" if errors else "ERROR" if messages else "CHECKMARK"
        self.layout.label(text=str(len(messages)) if messages else "", icon=icon)

    def draw(self, context: Any) -> None:
        messages = recall_table(active_robot(context)).diagnostics
        if not messages:
            draw_wrapped(self.layout, context, "Nothing was substituted or lost", icon="CHECKMARK")
            return
        row = self.layout.row(align=True)
        row.operator(CopyReport.bl_idname, icon="COPYDOWN")
        first = 0
        if len(messages) > PAGE:
            pages = -(-len(messages) // PAGE)
            page = min(context.window_manager.urdf_report_page, pages)
            row.prop(context.window_manager, "urdf_report_page", text=f"Page (of {pages})")
            first = (page - 1) * PAGE
        for number, item in enumerate(messages[first : first + PAGE], start=first):
            _draw_message(self.layout.box(), context, item, number)


def _draw_message(box: Any, context: Any, item: Diagnostic, number: int) -> None:
    is_error = item.severity is Severity.ERROR
    draw_wrapped(box, context, item.message, icon="CANCEL" if is_error else "ERROR")
    row = box.row(align=True)
    place = file_name(item.source) + (f":{item.line}" if item.line else "")
    where = row.row()
    where.enabled = False
    where.label(text=place)
    if item.subject:
        chosen = row.operator(
            SelectSubject.bl_idname, text=item.subject, icon="RESTRICT_SELECT_OFF"
        )
        chosen.index = number


def register_page() -> None:
    """Adds the number of the page that is shown; it is not kept in files."""
    bpy.types.WindowManager.urdf_report_page = bpy.props.IntProperty(
        name="Page",
        description="Which page of the import report is shown",
        default=1,
        min=1,
        options={"SKIP_SAVE"},
    )


def unregister_page() -> None:
    """Takes it out again."""
    del bpy.types.WindowManager.urdf_report_page


CLASSES = (ReportPanel,)
