# SPDX-License-Identifier: GPL-3.0-or-later
"""Check Robot, whose findings are in the import report, and Prove File, whose page is a text."""

from typing import Any

import bpy

from ...urdf_importer import LintOptions, prove_export
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.proof.blender.report import report_findings
from .. import props
from ..active_robot import RobotOperator, browse
from ..registration import add_to_menus
from ..reports import write_report


class CheckRobot(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.check_robot"
    bl_label = "Check Robot"
    bl_description = (
        "Look for millimetres, degrees and grams, inertias that do not fit to the shapes, "
        "followers and sides that contradict: findings come into the import report, where a "
        "button selects the part"
    )
    level = "WARNING"

    notes: props.switch("Notes", "Also note healthy things that are good to know", kept=False)

    def run(self: Any, context: Any, robot: Any) -> str:
        options = LintOptions(level="note" if self.notes else "warning")
        found = report_findings(robot, options)
        return f"{count(len(found), 'finding')}: see Import Report" if found else "No findings"


class ProveFile(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.prove_file"
    bl_label = "Prove File"
    bl_description = (
        "Read a file that was exported from this robot, compare it with the robot, and write the "
        "page of the proof into a text block"
    )

    filepath: props.file("The exported file")

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        return browse(self, context)

    def run(self: Any, context: Any, robot: Any) -> str:
        proof = prove_export(robot, self.filepath)
        lines = str(proof).splitlines()
        text = write_report(proof.robot, lines, "proof")
        return f"{lines[0]}: see the text '{text.name}'"


def _draw(panel: Any, context: Any) -> None:
    row = panel.layout.row(align=True)
    row.operator(CheckRobot.bl_idname, icon="VIEWZOOM")
    row.operator(ProveFile.bl_idname, icon="FILE_TICK")


def register() -> None:
    """Adds the buttons to the import report."""
    add_to_menus(_draw, "VIEW3D_PT_urdf_report", first=True)
