# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF files onto the active robot, and out of it; also dropped on the 3D view."""

import os
from typing import Any

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ...urdf_importer import (
    Diagnostics,
    RobotError,
    apply_srdf,
    extract_robot,
    find_srdf,
    write_srdf,
)
from ...urdf_importer.core.blender.standing.record import find_record
from ...urdf_importer.core.command.summary import count
from .. import props
from ..active_robot import RobotOperator, active_robot, browse
from ..exporting.exported_robot import ExportOperator
from ..registration import add_to_menus, make_drop_handler
from ..reports import report_diagnostics


class ImportSrdf(RobotOperator, bpy.types.Operator, ImportHelper):
    bl_idname = "urdf.import_srdf"
    bl_label = "Import SRDF"
    bl_description = (
        "Put an SRDF on the active robot: groups become bone collections, named states pose "
        "assets, end effectors targets for inverse kinematics. Data from another SRDF are removed"
    )

    filename_ext = ".srdf"
    filter_glob: props.pattern(".srdf", ".srdf.xacro", ".xacro")

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        if self.filepath and os.path.isfile(self.filepath):
            return set(self.execute(context))
        self.filepath = _offer(active_robot(context)) or self.filepath
        return browse(self, context)

    def run(self: Any, context: Any, robot: Any) -> str:
        path = bpy.path.abspath(self.filepath)
        diagnostics = Diagnostics(path)
        semantics = apply_srdf(robot, path, diagnostics=diagnostics)
        report_diagnostics(self, robot.name, tuple(diagnostics), "SRDF")
        groups = count(len(semantics.groups), "group")
        states = count(len(semantics.group_states), "state")
        return f"{os.path.basename(path)}: {groups}, {states}"


def _offer(robot: Any) -> str:
    """The SRDF that lies near the description that the robot came from; empty for none."""
    try:
        path = find_record(robot).path
        found = find_srdf(path, name=extract_robot(robot).name)
    except RobotError:
        return ""
    return "" if found is None else str(found)


class ExportSrdf(ExportOperator, bpy.types.Operator, ExportHelper):
    bl_idname = "export_scene.srdf"
    bl_label = "Export SRDF"
    bl_description = (
        "Write the robot's SRDF in its present state: groups of its bone collections, states of "
        "its pose assets, and all else as it came. Unchanged parts keep their bytes"
    )

    filename_ext = ".srdf"
    filter_glob: props.pattern(".srdf")

    def run(self: Any, context: Any, robot: Any) -> str:
        path = bpy.path.abspath(self.filepath)
        diagnostics = Diagnostics(path)
        write_srdf(robot, path, diagnostics=diagnostics)
        report_diagnostics(self, robot.name, tuple(diagnostics), "export")
        return f"Wrote {os.path.basename(path)}"


DropSrdf = make_drop_handler(__name__, "IO_FH_srdf", "SRDF", ImportSrdf.bl_idname, (".srdf",))


def draw_import_entry(menu: Any, context: Any) -> None:
    """Draws the entry of File > Import."""
    menu.layout.operator(ImportSrdf.bl_idname, text="SRDF of the Active Robot (.srdf)")


def draw_export_entry(menu: Any, context: Any) -> None:
    """Draws the entry of File > Export."""
    menu.layout.operator(ExportSrdf.bl_idname, text="SRDF (.srdf)")


def register() -> None:
    """Adds the entries to the menus of robots."""
    add_to_menus(draw_import_entry, "TOPBAR_MT_urdf_import")
    add_to_menus(draw_export_entry, "TOPBAR_MT_urdf_export")
