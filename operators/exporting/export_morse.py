# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export > MORSE Builder Script (.py): asks for a file."""

import os
from pathlib import Path
from typing import Any

import bpy

from ...urdf_importer import (
    BuilderScript,
    ExportOptions,
    RobotError,
    suggest_script_name,
    write_builder_script,
)
from ..option_properties import OF_THIS_TIME
from ..reports import report_diagnostics
from .exported_robot import find_exported, poll_export, refuse

_SUFFIX = ".py"


class ExportMorse(bpy.types.Operator):
    bl_idname = "export_scene.morse_builder"
    bl_label = "Export MORSE Builder Script"
    bl_description = (
        "Write the active robot for the simulator MORSE, as it stands in the scene: one Python "
        "file, with its meshes, that makes the robot anew and needs no other file"
    )
    bl_options = {"REGISTER", "PRESET"}

    filepath: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="File",
        description="The builder script to write (.py)",
        subtype="FILE_PATH",
        options=OF_THIS_TIME,
    )
    check_existing: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Check Existing",
        description="Warn before a file is overwritten",
        default=True,
        options=OF_THIS_TIME,
    )
    filter_glob: bpy.props.StringProperty(  # type: ignore[valid-type]
        default="*.py", options=OF_THIS_TIME
    )
    sensors: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Sensors",
        description="Make components of the description's sensors",
        default=True,
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return poll_export(cls, context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        if not self.filepath:
            try:
                name = suggest_script_name(find_exported(context))
            except RobotError as error:
                return refuse(self, error)
            self.filepath = os.path.join(os.path.dirname(bpy.data.filepath), name + _SUFFIX)
        if bpy.app.background:
            return self.execute(context)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def check(self, context: Any) -> bool:
        """Blender calls it when a name is written."""
        if not os.path.basename(self.filepath) or Path(self.filepath).suffix == _SUFFIX:
            return False
        self.filepath += _SUFFIX
        return True

    def execute(self, context: Any) -> set[str]:
        path = bpy.path.abspath(self.filepath)
        try:
            if not path:
                raise RobotError("no file is chosen; give one as filepath")
            options = ExportOptions(sensors=self.sensors)
            script = write_builder_script(find_exported(context), path, options)
        except RobotError as error:
            return refuse(self, error)
        self._tell(script)
        return {"FINISHED"}

    def _tell(self, script: BuilderScript) -> None:
        report_diagnostics(self, script.robot, script.diagnostics, "export")
        name = script.path.name
        self.report({"INFO"}, f"Wrote {name}: {script.class_name}, {len(script.joints)} joints")
