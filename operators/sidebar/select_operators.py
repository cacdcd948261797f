# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting the subjects of the panel: robots, links, subjects of messages."""

from typing import Any

import bpy

from ...urdf_importer import KinematicsError
from ...urdf_importer.blender.standing.robot_table import recall_table
from ...urdf_importer.blender.standing.selection import (
    select_joint,
    select_link,
    select_link_bone,
    select_link_visuals,
    select_objects,
    select_subject,
)
from ...urdf_importer.blender.standing.whole import list_objects
from ...urdf_importer.command.summary import count
from .. import props
from ..active_robot import RobotOperator, active_robot
from ..reports import refuse

WAYS = {"LINK": select_link, "BONE": select_link_bone, "VISUALS": select_link_visuals}
WHAT = (
    ("LINK", "Link", "The link's empty, in the link's frame", "EMPTY_AXIS", 0),
    ("BONE", "Bone", "The bone that moves the link, in pose mode", "BONE_DATA", 1),
    ("VISUALS", "Visuals", "The objects that the link looks like", "MESH_DATA", 2),
)


class SelectRobot(bpy.types.Operator):
    bl_idname = "urdf.select_robot"
    bl_label = "Select Robot"
    bl_description = (
        "Select the whole robot by its armature, so that the panel shows it and G, R and S move it"
    )
    bl_options = {"REGISTER", "UNDO"}

    robot: props.text(
        "Robot", "Name of the robot's armature object; empty for the active robot", kept=False
    )
    parts: props.switch(
        "With Parts", "Select the visible parts of its links and shapes as well", kept=False
    )

    def execute(self, context: Any) -> set[str]:
        robot = context.scene.objects.get(self.robot) if self.robot else active_robot(context)
        if robot is None:
            self.report({"ERROR"}, "There is no robot with that name in the scene")
            return {"CANCELLED"}
        if self.parts:
            shown = [item for item in list_objects(robot)[1:] if item.visible_get()]
            return run_selection(self, select_objects, [robot, *shown])
        return run_selection(self, select_objects, [robot])


class SelectLink(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.select_link"
    bl_label = "Select Link"
    bl_description = "Select a link of the active robot: its empty, its bone, or its visuals"

    link: props.text("Link", "Name of the link in the description", kept=False)
    what: props.choice("Select", "The parts of the link to select", items=WHAT)

    def execute(self, context: Any) -> set[str]:
        return run_selection(self, WAYS[self.what], active_robot(context), self.link)


class SelectJoint(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.select_joint"
    bl_label = "Select Joint"
    bl_description = (
        "Select the bone of this joint, in pose mode, where R X X turns it about its axis. A fixed "
        "joint that has no bone is shown by the link that it holds"
    )

    joint: props.text("Joint", "Name of the joint in the description", kept=False)

    def execute(self, context: Any) -> set[str]:
        return run_selection(self, select_joint, active_robot(context), self.joint)


class SelectSubject(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.select_subject"
    bl_label = "Select Its Subject"
    bl_description = (
        "Select the subject of this message: the link, the bone of the joint, or "
        "the objects that show the material"
    )

    index: props.integer("Message", "Its place in the import report, from 0", min=0, kept=False)

    def execute(self, context: Any) -> set[str]:
        robot = active_robot(context)
        messages = recall_table(robot).diagnostics
        if self.index >= len(messages):
            self.report({"ERROR"}, f"The report has {count(len(messages), 'message')}")
            return {"CANCELLED"}
        return run_selection(self, select_subject, robot, messages[self.index])


class ReportOperator:
    """Base of the operators on the import report of the active robot."""

    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls: Any, context: Any) -> bool:
        robot = active_robot(context)
        if robot is None or not recall_table(robot).diagnostics:
            cls.poll_message_set("The active robot has no import report: nothing was wrong")
            return False
        return True


class CopyReport(ReportOperator, bpy.types.Operator):
    bl_idname = "urdf.copy_report"
    bl_label = "Copy All"
    bl_description = (
        "Copy the whole import report to the clipboard, one line for each message, as "
        "file:line: severity: message [code]. The codes are explained in the documentation"
    )

    def execute(self, context: Any) -> set[str]:
        messages = recall_table(active_robot(context)).diagnostics
        context.window_manager.clipboard = "".join(f"{item}\n" for item in messages)
        self.report({"INFO"}, count(len(messages), "message") + " copied")
        return {"FINISHED"}


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
    bl_description = "Take this message away. The text block with the details stays"
    bl_options = {"REGISTER"}

    def execute(self, context: Any) -> set[str]:
        context.window_manager.urdf_last_failure = ""
        return {"FINISHED"}


def run_selection(operator: Any, select: Any, *what: Any) -> set[str]:
    """Selects, or reports in one sentence why it cannot."""
    try:
        select(*what)
    except KinematicsError as error:
        return refuse(operator, error, "WARNING")
    return {"FINISHED"}


CLASSES = (
    SelectRobot,
    SelectLink,
    SelectJoint,
    SelectSubject,
    CopyReport,
    ShowMessages,
    DismissFailure,
)
