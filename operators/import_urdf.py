# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import > Robot Description (.urdf)."""

from collections.abc import Sequence
from typing import Any

import bpy
from bpy_extras.io_utils import ImportHelper

from ..urdf_importer import Diagnostic, ImportResult, RobotError, import_robot
from .option_properties import add_option_properties, draw_options, read_options

MOST_REPORTED = 5
"""Diagnostics shown one by one; all of them are in the report text."""


@add_option_properties
class ImportUrdf(bpy.types.Operator, ImportHelper):
    bl_idname = "import_scene.urdf"
    bl_label = "Import URDF"
    bl_description = (
        "Load a URDF robot as an armature: a bone for each moving joint, turning about its X axis "
        "within the joint's limits, and an empty in the frame of each link"
    )
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filename_ext = ".urdf"
    filter_glob: bpy.props.StringProperty(  # type: ignore[valid-type]
        default="*.urdf;*.xml;*.xacro", options={"HIDDEN"}
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.scene is not None and context.scene.is_editable

    def execute(self, context: Any) -> set[str]:
        try:
            result = import_robot(bpy.path.abspath(self.filepath), read_options(self))
        except RobotError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._tell(result)
        return {"FINISHED"}

    def draw(self, context: Any) -> None:
        draw_options(self.layout, self)

    def _tell(self, result: ImportResult) -> None:
        """What was substituted or lost. As warnings: an error would make scripts fail."""
        name = result.robot.name
        for item in result.diagnostics[:MOST_REPORTED]:
            self.report({"WARNING"}, str(item))
        if result.diagnostics:
            text = write_report(name, result.diagnostics)
            more = len(result.diagnostics) - MOST_REPORTED
            if more > 0:
                self.report({"WARNING"}, f"{more} more in the text '{text.name}'")
        self.report({"INFO"}, f"Imported {name}: {len(result.links)} links")


def write_report(robot: str, diagnostics: Sequence[Diagnostic]) -> Any:
    """A text block with all diagnostics."""
    text = bpy.data.texts.new(f"{robot} import report")
    text.write("".join(f"{item}\n" for item in diagnostics))
    text.cursor_set(0)
    return text


def draw_menu_entry(menu: Any, context: Any) -> None:
    menu.layout.operator(ImportUrdf.bl_idname, text="Robot Description (.urdf)")
