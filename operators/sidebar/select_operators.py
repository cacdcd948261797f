# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting the subjects of the panel: robots, links, subjects of messages."""

from pathlib import Path
from typing import Any

import bpy

from ...urdf_importer import Diagnostic, RobotError
from ...urdf_importer.core.blender.standing.robot_table import recall_table
from ...urdf_importer.core.blender.standing.selection import (
    select_joint,
    select_link,
    select_link_bone,
    select_link_visuals,
    select_objects,
    select_subject,
)
from ...urdf_importer.core.blender.standing.whole import list_objects
from ...urdf_importer.core.command.summary import count
from .. import props
from ..active_robot import ActingOperator, Refusal, RobotOperator, active_robot
from ..reports import recall_world_report
from ..wrapped_text import file_name

WAYS = {"LINK": select_link, "BONE": select_link_bone, "VISUALS": select_link_visuals}
WHAT = (
    ("LINK", "Link", "The link's empty, in the link's frame", "EMPTY_AXIS", 0),
    ("BONE", "Bone", "The bone that moves the link, in pose mode", "BONE_DATA", 1),
    ("VISUALS", "Visuals", "The objects that the link looks like", "MESH_DATA", 2),
)


class SelectRobot(ActingOperator, bpy.types.Operator):
    bl_idname = "urdf.select_robot"
    bl_label = "Select Robot"
    bl_description = (
        "Select the whole robot by its armature, so that the panel shows it and G, R and S move it"
    )
    level = "WARNING"

    robot: props.text(
        "Robot", "Name of the robot's armature object; empty for the active robot", kept=False
    )
    parts: props.switch(
        "With Parts", "Select the visible parts of its links and shapes as well", kept=False
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        robot = context.scene.objects.get(self.robot) if self.robot else robot
        if robot is None:
            raise Refusal("There is no robot with that name in the scene", "ERROR")
        parts = list_objects(robot)[1:] if self.parts else ()
        select_objects([robot, *(item for item in parts if item.visible_get())])


class SelectLink(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.select_link"
    bl_label = "Select Link"
    bl_description = "Select a link of the active robot: its empty, its bone, or its visuals"
    level = "WARNING"

    link: props.text("Link", "Name of the link in the description", kept=False)
    what: props.choice("Select", "The parts of the link to select", items=WHAT)

    def run(self: Any, context: Any, robot: Any) -> None:
        WAYS[self.what](robot, self.link)


class SelectJoint(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.select_joint"
    bl_label = "Select Joint"
    bl_description = (
        "Select the bone of this joint, in pose mode, where R X X turns it about its axis. A fixed "
        "joint that has no bone is shown by the link that it holds"
    )
    level = "WARNING"

    joint: props.text("Joint", "Name of the joint in the description", kept=False)

    def run(self: Any, context: Any, robot: Any) -> None:
        select_joint(robot, self.joint)


class SelectSubject(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.select_subject"
    bl_label = "Select Subject"
    bl_description = (
        "Select the subject of this message: the link, the bone of the joint, or "
        "the objects that show the material"
    )
    level = "WARNING"

    index: props.integer("Message", "Its place in the import report, from 0", min=0, kept=False)

    def run(self: Any, context: Any, robot: Any) -> None:
        messages = recall_table(robot).diagnostics
        if self.index >= len(messages):
            raise Refusal(f"The report has {count(len(messages), 'message')}", "ERROR")
        select_subject(robot, messages[self.index])


class ReportOperator(ActingOperator):
    """Base of the operators on the import report of the active robot, or of the last world. They
    leave the import the last operation, which can be repeated."""

    bl_options: set[str] = set()
    of_world: props.switch(
        "Of the World", "Use the report of the last imported world, not of the active robot",
        kept=False,
    )  # fmt: skip

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        robot = active_robot(context)
        found = robot is not None and recall_table(robot).diagnostics
        if found or recall_world_report() is not None:
            return ""
        return "There is no import report: nothing was wrong"

    def list_messages(self, robot: Any) -> tuple[Diagnostic, ...]:
        """Lists the messages of the report."""
        report = recall_world_report() if self.of_world or robot is None else recall_table(robot)
        return report.diagnostics if report is not None else ()


class CopyReport(ReportOperator, bpy.types.Operator):
    bl_idname = "urdf.copy_report"
    bl_label = "Copy All"
    bl_description = (
        "Copy the whole import report to the clipboard, one line for each message, as "
        "file:line: severity: message [code]. The codes are explained in the documentation"
    )

    def run(self, context: Any, robot: Any) -> str:
        messages = self.list_messages(robot)
        context.window_manager.clipboard = "".join(f"{item}\n" for item in messages)
        return count(len(messages), "message") + " copied"


class ShowMessages(bpy.types.Operator):
    bl_idname = "urdf.show_messages"
    bl_label = "Show Each"
    bl_description = "Show the messages of this kind one by one, or as one line"
    bl_options = {"INTERNAL"}

    group: props.text("Messages", "Which messages; empty: none", kept=False)

    def execute(self, context: Any) -> set[str]:
        context.window_manager.urdf_report_group = self.group
        context.window_manager.urdf_report_page = 1
        return {"FINISHED"}


class DismissFailure(bpy.types.Operator):
    bl_idname = "urdf.dismiss_failure"
    bl_label = "Dismiss"
    bl_description = "Remove this message. The text block with the details stays"
    bl_options = {"REGISTER"}

    def execute(self, context: Any) -> set[str]:
        context.window_manager.urdf_last_failure = ""
        return {"FINISHED"}


class OpenLine(ReportOperator, bpy.types.Operator):
    bl_idname = "urdf.open_line"
    bl_label = "Open at Line"
    bl_description = (
        "Open the file at the line of this message: in the text editor that the preferences name, "
        "else in Blender's, in a new window where none is open. Without a window, file:line is "
        "copied to the clipboard"
    )

    index: props.integer("Message", "Its place in the import report, from 0", min=0, kept=False)

    def run(self: Any, context: Any, robot: Any) -> str | None:
        messages = self.list_messages(robot)
        item = messages[self.index] if self.index < len(messages) else None
        if item is None or not item.line or not Path(item.source).is_file():
            place = f": {item.source}" if item is not None else ""
            raise RobotError(f"The file of this message is not there any more{place}")
        if context.window is None or bpy.app.background:
            context.window_manager.clipboard = f"{item.source}:{item.line}"
            return f"Copied {file_name(item.source)}:{item.line}"
        window = context.window
        if not context.preferences.filepaths.text_editor:
            window = _find_editor(context) or _open_editor()
        with context.temp_override(window=window, screen=window.screen):
            bpy.ops.text.jump_to_file_at_point(filepath=item.source, line=item.line - 1, column=0)
        return None


def _find_editor(context: Any) -> Any | None:
    """Finds a window with a text editor."""
    for window in context.window_manager.windows:
        if any(area.type == "TEXT_EDITOR" for area in window.screen.areas):
            return window
    return None


def _open_editor() -> Any:
    bpy.ops.wm.window_new()
    window = bpy.context.window_manager.windows[-1]
    window.screen.areas[0].type = "TEXT_EDITOR"
    return window
