# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export > Webots (.proto, .wbt): asks for a file and options."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import bpy

from ...urdf_importer import (
    ExportOptions,
    ExportResult,
    RobotError,
    export_robot,
    suggest_proto_name,
)
from ..option_properties import (
    OF_THIS_TIME,
    add_option_properties,
    draw_options,
    read_export_options,
)
from ..reports import report_diagnostics
from .exported_robot import find_exported, poll_export, refuse

_SUFFIXES = {"PROTO": ".proto", "WORLD": ".wbt", "PROJECT": ""}


@partial(add_option_properties, options=ExportOptions)
class ExportChoices:
    """Properties of an operator that exports: the file, the options."""

    filepath: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="File",
        description="What to write: a PROTO (.proto), a world (.wbt), or else a project folder",
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
        default="*.proto;*.wbt", options=OF_THIS_TIME
    )
    kind: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Write",
        description="What to write; it ends the name of the file",
        items=[
            ("PROTO", "PROTO", "The robot as a node for worlds (.proto), its meshes beside it"),
            ("WORLD", "World", "A world with the robot in it (.wbt), its PROTO beside it"),
            ("PROJECT", "Project", "A folder with PROTO, world, controller and ROS 2 package"),
        ],
    )


class ExportWebots(ExportChoices, bpy.types.Operator):
    """Scripts say what is written by the name in `filepath` alone, as the library does; `kind` is
    how the file browser ends that name."""

    bl_idname = "export_scene.webots"
    bl_label = "Export to Webots"
    bl_description = (
        "Write the active robot for the simulator Webots, as it stands in the scene: a PROTO with "
        "its meshes, a world with it, or a project with controllers and ROS 2"
    )
    bl_options = {"REGISTER", "PRESET"}

    _shown_kind = ""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return poll_export(cls, context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        if not self.filepath:
            try:
                name = suggest_proto_name(find_exported(context))
            except RobotError as error:
                return refuse(self, error)
            folder = os.path.dirname(bpy.data.filepath)
            self.filepath = os.path.join(folder, name + _SUFFIXES[self.kind])
        if bpy.app.background:
            return self.execute(context)
        self._shown_kind = self.kind
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def check(self, context: Any) -> bool:
        """Blender calls it when a name is written or an option chosen: what was changed last
        decides, the name or the kind."""
        before = self.filepath, self.kind
        path = Path(self.filepath)
        written = next((key for key, end in _SUFFIXES.items() if end and path.suffix == end), None)
        if self.kind != self._shown_kind:
            stem = path.with_suffix("") if written else path
            self.filepath = str(stem) + _SUFFIXES[self.kind]
        elif written:
            self.kind = written
        elif os.path.basename(self.filepath):
            self.filepath += _SUFFIXES[self.kind]
        self._shown_kind = self.kind
        return before != (self.filepath, self.kind)

    def draw(self, context: Any) -> None:
        self.layout.row().prop(self, "kind", expand=True)
        draw_options(self.layout, self, ExportOptions)

    def execute(self, context: Any) -> set[str]:
        robot = find_exported(context)
        path = bpy.path.abspath(self.filepath)
        try:
            if not path:
                raise RobotError("no file is chosen; give one as filepath")
            result = export_robot(robot, path, read_export_options(self))
        except RobotError as error:
            return refuse(self, error)
        self._tell(result)
        return {"FINISHED"}

    def _tell(self, result: ExportResult) -> None:
        report_diagnostics(self, result.robot, result.diagnostics, "export")
        self.report({"INFO"}, f"Exported {result.robot}: {len(result.links)} links")
