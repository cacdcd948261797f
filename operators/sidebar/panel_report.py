# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Import Report": substitutes and losses, one line for messages of a kind."""

from collections.abc import Sequence
from typing import Any

import bpy

from ...urdf_importer import Diagnostic
from ...urdf_importer.core.blender.standing.robot_table import RobotTable, recall_table
from ...urdf_importer.core.diagnostics import DiagnosticGroup
from .. import props
from ..active_robot import active_robot
from ..registration import add_property
from ..reports import WorldReport, is_loss, recall_world_report
from ..wrapped_text import draw_wrapped, file_name
from .panel import DataSubPanel, RobotSubPanel, draw_locate
from .panel_data import draw_count
from .select_operators import CopyReport, OpenLine, SelectSubject, ShowMessages

Report = RobotTable | WorldReport

PAGE = 8
"""Messages of a kind on a page: some robots have thousands."""


class ReportPanel(DataSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_report"
    bl_label = "Import Report"
    bl_order = 40

    def draw_header_preset(self, context: Any) -> None:
        draw_count(self.layout, recall_table(active_robot(context)))

    def draw(self, context: Any) -> None:
        robot: Any = active_robot(context)
        table, world = recall_table(robot), recall_world_report(robot)
        if not table.groups:
            draw_wrapped(self.layout, context, "Nothing was substituted or lost", icon="CHECKMARK")
        _draw_report(self.layout, context, table)
        if world is not None:
            self.layout.label(text="In the World Around", icon="WORLD")
            _draw_report(self.layout, context, world)


class WorldReportPanel(RobotSubPanel, bpy.types.Panel):
    """The report of a world without robots: Robot Data is not there."""

    bl_idname = "VIEW3D_PT_urdf_world_report"
    bl_label = "Import Report"
    bl_order = 40
    bl_options: set[str] = set()

    @classmethod
    def poll(cls, context: Any) -> bool:
        return active_robot(context) is None and recall_world_report() is not None

    def draw(self, context: Any) -> None:
        report = recall_world_report()
        if report is not None:
            _draw_report(self.layout, context, report)


def _draw_report(layout: Any, context: Any, report: Report) -> None:
    if not report.groups:
        return
    layout.operator(CopyReport.bl_idname, icon="COPYDOWN").of_world = _is_of_world(report)
    for group in sorted(report.groups, key=lambda each: not any(map(is_loss, each.items))):
        box = layout.box()
        if len(group.items) == 1:
            _draw_message(box, context, report, group.places[0])
        else:
            _draw_title(box, context, group)
        draw_locate(box, group, of_world=_is_of_world(report))
        if context.window_manager.urdf_report_group == group.key and len(group.items) > 1:
            _draw_members(box, context, report, group)


def _is_of_world(report: Report) -> bool:
    return isinstance(report, WorldReport)


def _draw_title(box: Any, context: Any, group: DiagnosticGroup) -> None:
    draw_wrapped(box, context, group.title, icon=_icon_of(group.items))
    is_open = context.window_manager.urdf_report_group == group.key
    shown = box.operator(
        ShowMessages.bl_idname,
        text="Hide" if is_open else "Show Each",
        icon="DISCLOSURE_TRI_DOWN" if is_open else "DISCLOSURE_TRI_RIGHT",
    )
    shown.group = "" if is_open else group.key


def _draw_members(box: Any, context: Any, report: Report, group: DiagnosticGroup) -> None:
    """Draws the messages of the open group, page by page."""
    pages = -(-len(group.items) // PAGE)
    page = min(context.window_manager.urdf_report_page, pages)
    if pages > 1:
        box.prop(context.window_manager, "urdf_report_page", text=f"Page (of {pages})")
    first = (page - 1) * PAGE
    for place in group.places[first : first + PAGE]:
        _draw_message(box.column(), context, report, place)


def _icon_of(items: Sequence[Diagnostic]) -> str:
    return "ERROR" if any(map(is_loss, items)) else "INFO"


def _draw_message(box: Any, context: Any, report: Report, number: int) -> None:
    item = report.diagnostics[number]
    draw_wrapped(box, context, item.message, icon=_icon_of([item]))
    row = box.row(align=True)
    if item.line:
        place = f"Line {item.line}"
        if item.source != report.source:
            place += f", {file_name(item.source)}"
        opened = row.operator(OpenLine.bl_idname, text=place, icon="TEXT")
        opened.index, opened.of_world = number, _is_of_world(report)
    else:
        where = row.row()
        where.enabled = False
        where.label(text=file_name(item.source), translate=False)
    if item.subject and not _is_of_world(report):
        chosen = row.operator(
            SelectSubject.bl_idname, text=item.subject, icon="RESTRICT_SELECT_OFF", translate=False
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
