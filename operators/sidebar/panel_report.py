# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Import Report": substitutes and losses, one line for messages of a kind."""

from collections.abc import Sequence
from typing import Any

import bpy

from ...urdf_importer import Diagnostic
from ...urdf_importer.blender.standing.robot_table import recall_table
from ...urdf_importer.diagnostics import DiagnosticGroup
from .. import props
from ..active_robot import active_robot
from ..additions import add_property
from ..importing.locate import is_locatable
from ..reports import is_loss
from ..wrapped_text import draw_wrapped, file_name
from .panel import DataSubPanel, draw_locate
from .panel_data import draw_count
from .select_operators import CopyReport, OpenLine, SelectSubject, ShowMessages

PAGE = 8
"""Messages of a kind on a page: some robots have thousands."""


class ReportPanel(DataSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_report"
    bl_label = "Import Report"
    bl_order = 40

    def draw_header_preset(self, context: Any) -> None:
        draw_count(self.layout, recall_table(active_robot(context)))

    def draw(self, context: Any) -> None:
        groups = recall_table(active_robot(context)).groups
        if not groups:
            draw_wrapped(self.layout, context, "Nothing was substituted or lost", icon="CHECKMARK")
            return
        self.layout.operator(CopyReport.bl_idname, icon="COPYDOWN")
        for group in sorted(groups, key=lambda each: not any(map(is_loss, each.items))):
            box = self.layout.box()
            if len(group.items) == 1:
                _draw_message(box, context, group.items[0], group.places[0])
            else:
                _draw_title(box, context, group)
            if is_locatable(group):
                draw_locate(box, group)
            if context.window_manager.urdf_report_group == group.key and len(group.items) > 1:
                _draw_members(box, context, group)


def _draw_title(box: Any, context: Any, group: DiagnosticGroup) -> None:
    draw_wrapped(box, context, group.title, icon=_icon_of(group.items))
    is_open = context.window_manager.urdf_report_group == group.key
    shown = box.operator(
        ShowMessages.bl_idname,
        text="Hide" if is_open else "Show Each",
        icon="DISCLOSURE_TRI_DOWN" if is_open else "DISCLOSURE_TRI_RIGHT",
    )
    shown.group = "" if is_open else group.key


def _draw_members(box: Any, context: Any, group: DiagnosticGroup) -> None:
    """Draws the messages of the open group, page by page."""
    pages = -(-len(group.items) // PAGE)
    page = min(context.window_manager.urdf_report_page, pages)
    if pages > 1:
        box.prop(context.window_manager, "urdf_report_page", text=f"Page (of {pages})")
    first = (page - 1) * PAGE
    for item, place in list(zip(group.items, group.places, strict=True))[first : first + PAGE]:
        _draw_message(box.column(), context, item, place)


def _icon_of(items: Sequence[Diagnostic]) -> str:
    return "ERROR" if any(map(is_loss, items)) else "INFO"


def _draw_message(box: Any, context: Any, item: Diagnostic, number: int) -> None:
    draw_wrapped(box, context, item.message, icon=_icon_of([item]))
    row = box.row(align=True)
    if item.line:
        place = f"Line {item.line}"
        if item.source != recall_table(active_robot(context)).source:
            place += f", {file_name(item.source)}"
        row.operator(OpenLine.bl_idname, text=place, icon="TEXT").index = number
    else:
        where = row.row()
        where.enabled = False
        where.label(text=file_name(item.source))
    if item.subject:
        chosen = row.operator(
            SelectSubject.bl_idname, text=item.subject, icon="RESTRICT_SELECT_OFF"
        )
        chosen.index = number


def register() -> None:
    """Adds which messages are shown, one by one; it is not kept in files."""
    text = "Which messages of the import report are shown one by one"
    group = props.text("Shown Messages", text, kept=False)
    add_property(bpy.types.WindowManager, "urdf_report_group", group)
    text = "Which page of these messages of the import report is shown"
    page = props.integer("Page", text, default=1, min=1, kept=False)
    add_property(bpy.types.WindowManager, "urdf_report_page", page)
