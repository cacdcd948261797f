# SPDX-License-Identifier: GPL-3.0-or-later
"""Check Robot, whose findings are in the import report; Prove File and the proofs of exports, whose
page is a text."""

from typing import Any

import bpy

from ...urdf_importer import (
    Diagnostics,
    FileOptions,
    LintOptions,
    Proof,
    ProofOptions,
    prove_export,
)
from ...urdf_importer.core.command.report import Report
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.proof.blender.report import report_findings
from ...urdf_importer.features.proof.options import AfterExport
from .. import props
from ..active_robot import RobotOperator, browse, wait_cursor
from ..option_properties import read_options
from ..registration import add_hook, add_to_menus
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

    def run(self: Any, context: Any, robot: Any) -> None:
        _show(self, prove_export(robot, bpy.path.abspath(self.filepath)))


def prove_exported(operator: Any, robot: Any, report: Report) -> None:
    """Proves the file that an export has written, where its dialog asks for it. Raises
    RobotError."""
    if not read_options(operator, AfterExport).prove:
        return
    files = read_options(operator, FileOptions)
    options = ProofOptions(packages=files.packages, package_paths=files.package_paths)
    told = Diagnostics()
    told.extend(report.diagnostics)
    with wait_cursor(bpy.context):
        proof = prove_export(robot, report.output, options=options, diagnostics=told)
    _show(operator, proof)
    # By hand: the export itself changes nothing in Blender, and has no step of undo.
    bpy.ops.ed.undo_push(message=f"Proof of {proof.path.name}")


def _show(operator: Any, proof: Proof) -> None:
    """Writes the page, and reports the verdict: scripts go on where it is a bad one."""
    text = write_report(proof.robot, str(proof).splitlines(), "proof")
    level = "INFO" if proof.holds else "WARNING"
    operator.report({level}, f"{proof.head()[0]}; see the text '{text.name}'")


def _draw(panel: Any, context: Any) -> None:
    row = panel.layout.row(align=True)
    row.operator(CheckRobot.bl_idname, icon="VIEWZOOM")
    row.operator(ProveFile.bl_idname, icon="FILE_TICK")


def register() -> None:
    """Adds the buttons to the import report, and the proofs to exports."""
    add_to_menus(_draw, "VIEW3D_PT_urdf_report", first=True)
    add_hook("exported", prove_exported)
