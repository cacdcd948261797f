# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export: an operator for each format of the table, made from its record.

Scripts choose the output by the name in `filepath` alone, as in the library; `kind`, where a format
can write several kinds of output, decides how the file browser ends that name.
"""

import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import bpy

from ...urdf_importer import (
    Change,
    RobotError,
    WriterFormat,
    compare_with_description,
    writer_formats,
)
from ...urdf_importer.core.command.jobs import ExportJob, export_opened_steps
from ...urdf_importer.core.command.report import Report
from ...urdf_importer.core.command.summary import count, describe_files
from ...urdf_importer.core.pipeline.exporting import suggest_name
from ...urdf_importer.core.shelves import find_hooks
from .. import props
from ..active_robot import browse
from ..option_properties import add_option_properties, draw_options, read_options
from ..registration import call_hooks
from ..reports import refuse, report_diagnostics
from ..shown_changes import draw_changes
from ..stepping import BrowsedWork, Steps
from .exported_robot import ExportOperator, find_export_folder, find_exported

_NOTHING_CHANGED = "Nothing was changed in Blender: the description is written unchanged"
_MOST_IN_A_ROW = 4
_AFTER: tuple[Any, ...] = tuple(find_hooks("export_options"))
"""The options of features for the time after an export, in all dialogs."""


class ExportRobot(BrowsedWork, ExportOperator):
    """Base of all export operators; `format` is the record in the table."""

    format: WriterFormat[Any]
    bl_options = {"REGISTER", "PRESET"}

    steps_title = "Exporting"
    cancelled_text = "The export was cancelled; nothing was written"

    _shown_kind = ""
    _shown_engine = ""
    _changes: tuple[Change, ...] = ()

    def choose_file(self: Any, context: Any) -> set[str]:
        kind = _kind_of(self)
        if not self.filepath:
            try:
                name = suggest_name(find_exported(context), self.format)
            except RobotError as error:
                return refuse(self, error)
            folder = find_export_folder(context)
            self.filepath = os.path.join(folder, name + _suffixes(self)[kind])
        if bpy.app.background:
            return set(self.execute(context))
        self._shown_kind = kind
        self._shown_engine = getattr(self, "engine", "")
        if self.format.lists_changes:
            self._changes = compare_with_description(find_exported(context))
        return browse(self, context)

    def check(self: Any, context: Any) -> bool:
        """Brings the name and the kind into agreement: the last change decides.
        Blender calls it when a name is written or an option chosen."""
        before = self.filepath, _kind_of(self)
        engine = getattr(self, "engine", "")
        if engine != self._shown_engine and before[1] == self._shown_kind:
            usual = (kind.name for kind in self.format.kinds if engine in kind.suits)
            self.kind = next(usual, before[1])
        self._shown_engine = engine
        _agree(self, _kind_of(self))
        self._shown_kind = _kind_of(self)
        return before != (self.filepath, self._shown_kind)

    def draw(self: Any, context: Any) -> None:
        if len(self.format.kinds) > 1:
            # More buttons than these show no names in a sidebar.
            as_row = len(self.format.kinds) <= _MOST_IN_A_ROW
            shown = {"expand": True} if as_row else {"text": ""}
            self.layout.row().prop(self, "kind", **shown)
        is_usd = _suffixes(self)[_kind_of(self)].startswith(".usd")
        draw_options(self.layout, self, self.format.options, hidden=() if is_usd else ("USD",))
        for each in (field for options in _AFTER for field in fields(options)):
            self.layout.prop(self, each.name)
        if self.format.lists_changes:
            draw_changes(self.layout, context, self._changes, _NOTHING_CHANGED)

    def begin_steps(self: Any, context: Any) -> Steps:
        return export_opened_steps(_read_job(self), find_exported(context))

    def keep_result(self: Any, context: Any, report: Report) -> set[str]:
        if report.error is not None:
            raise report.error
        facts = report.facts
        report_diagnostics(self, facts["robot"], report.diagnostics, "export")
        links, joints = count(facts["links"], "link"), count(facts["moving_joints"], "moving joint")
        files = describe_files(report.output, report.files)
        self.report({"INFO"}, f"Wrote {Path(report.output).name}: {links}, {joints}, {files}")
        for _ in call_hooks("exported", self, find_exported(context), report):
            pass
        return {"FINISHED"}


def _read_job(operator: Any) -> ExportJob:
    """Reads the job from an operator's properties. Raises RobotError."""
    path = bpy.path.abspath(operator.filepath)
    if not path:
        raise RobotError("no file is chosen; give one as filepath")
    options = read_options(operator, operator.format.options)
    return ExportJob(input="", output=Path(path), format=operator.format.name, options=options)


def _suffixes(operator: Any) -> dict[str, str]:
    return {kind.name: kind.suffix for kind in operator.format.kinds}


def _kind_of(operator: Any) -> str:
    kinds = operator.format.kinds
    name: str = kinds[0].name if len(kinds) == 1 else operator.kind
    return name


def _agree(operator: Any, kind: str) -> None:
    """Brings the name in the file browser and the kind into agreement."""
    suffixes, path = _suffixes(operator), Path(operator.filepath)
    written = next((key for key, end in suffixes.items() if end and path.suffix == end), None)
    several = len(suffixes) > 1
    if several and kind != operator._shown_kind:
        stem = path.with_suffix("") if written else path
        operator.filepath = str(stem) + suffixes[kind]
    elif written and several:
        operator.kind = written
    elif written:
        return
    elif os.path.basename(operator.filepath):
        operator.filepath += suffixes[kind]


def _make_operator(format: WriterFormat[Any]) -> type[Any]:
    """Returns the class ExportName of a format, with a property for each option."""
    name = f"Export{format.label.title().replace(' ', '')}"
    members = {
        "__doc__": f"Exports robots as {format.text}.",
        "__module__": __name__,
        "__annotations__": _file_properties(format),
        "bl_idname": f"export_scene.{format.operator or format.name}",
        "bl_label": f"Export {format.purpose or format.title}",
        "bl_description": format.description,
        "format": format,
    }
    made = type(name, (ExportRobot, bpy.types.Operator), members)
    return add_option_properties(made, format.options, *_AFTER)


def _file_properties(format: WriterFormat[Any]) -> dict[str, Any]:
    properties = {
        "filepath": props.file(f"The output: {format.text}"),
        "check_existing": props.check_existing(),
        "filter_glob": props.pattern(*format.suffixes, options=props.OF_THIS_TIME),
    }
    if len(format.kinds) > 1:
        properties["kind"] = props.choice(
            "Output Type", "The kind of output, which decides the ending of the file's name",
            items=[(kind.name, kind.label, kind.text) for kind in format.kinds],
        )  # fmt: skip
    return properties


EXPORTERS: tuple[type[Any], ...] = tuple(_make_operator(each) for each in writer_formats())
"""Of all formats of the table, in its order."""
