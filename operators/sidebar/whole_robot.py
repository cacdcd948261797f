# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot as one thing: selecting, framing, copying, removing and resetting whole robots."""

from typing import Any

import bpy

from ...urdf_importer import delete_robot, duplicate_robot, reset_parts
from ...urdf_importer.core.blender.memory import recall
from ...urdf_importer.core.blender.standing.instances import find_instanced, make_posable
from ...urdf_importer.core.blender.standing.placing import (
    frame_robots,
    leave_others,
    set_beside,
    stand,
)
from ...urdf_importer.core.blender.standing.robot_table import find_robot, recall_table
from ...urdf_importer.core.blender.standing.selection import find_moving_joint, select_joint
from ...urdf_importer.core.blender.standing.whole import (
    complete_copy,
    delete_leftovers,
    find_leftovers,
    find_original,
)
from ...urdf_importer.core.command.summary import count
from .. import props
from ..active_robot import (
    NO_ROBOT,
    NOT_NOW,
    ActingOperator,
    Refusal,
    RobotOperator,
    active_object,
    active_robot,
    is_pinned,
    pin_robot,
)
from ..importing.placement import find_right, list_views
from ..registration import add_key, add_to_menus
from ..reports import remove_findings
from ..wrapped_text import draw_wrapped
from .robot_menu import RobotMenu


class FrameRobot(ActingOperator, bpy.types.Operator):
    bl_idname = "urdf.frame_robot"
    bl_label = "Frame Robot"
    bl_description = "Aim the 3D views of this window at the whole robot in its pose"
    bl_options = {"REGISTER"}

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return NO_ROBOT if active_robot(context) is None else ""

    def run(self, context: Any, robot: Any) -> None:
        space = context.space_data
        here = [(space, context.area)] if getattr(space, "type", "") == "VIEW_3D" else None
        frame_robots([robot], here or list_views(context))


class DuplicateRobot(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.duplicate_robot"
    bl_label = "Duplicate Robot"
    bl_description = (
        "Copy the whole robot, hidden parts and attachments included, with a "
        "pose and an animation of its own"
    )

    linked: props.switch(
        "Linked Meshes", "Share the meshes with the original, so that the copy takes no more "
        "memory", default=True,
    )  # fmt: skip
    beside: props.switch(
        "Beside the Original", "Put the copy beside the original; off: in its place", default=True
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        copy = duplicate_robot(robot, linked=self.linked)
        if self.beside:
            across = find_right(context)
            set_beside(copy, robot, across)
            leave_others(copy, across)


class DeleteRobot(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.delete_robot"
    bl_label = "Delete Robot"
    bl_description = (
        "Remove the whole robot and all data that only it uses. Objects that you "
        "attached to it stay where they are"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        name = robot.name
        delete_robot(robot)
        remove_findings(context.scene)
        return f"Deleted {name}"


class DeleteLeftovers(ActingOperator, bpy.types.Operator):
    bl_idname = "urdf.delete_leftovers"
    bl_label = "Delete Them"
    bl_description = (
        "Remove the links and shapes of a robot whose armature was deleted by itself, and the data "
        "that only they use. Objects that you attached to them stay where they are"
    )

    robot: props.text("Robot", "Name of the collection that they are in", kept=False)

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return "" if context.mode in ("OBJECT", "POSE") else NOT_NOW

    def run(self: Any, context: Any, robot: Any) -> str:
        deleted = delete_leftovers(context.scene, self.robot)
        if not deleted:
            raise Refusal("No parts of a deleted robot are left", "INFO")
        remove_findings(context.scene)
        return f"Deleted {count(deleted, 'part')}"


class CompleteCopy(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.complete_copy"
    bl_label = "Copy the Whole Robot"
    bl_description = (
        "Put a copy of the whole robot into the place of this rig, which was duplicated without "
        "its links: in the rig's pose, and with its animation"
    )

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        why = super().why_disabled(context)
        whole = not why and recall_table(active_robot(context)).link_count
        return "This robot has its links" if whole else why

    def run(self: Any, context: Any, robot: Any) -> str:
        return f"{complete_copy(robot).name} is a whole robot"


class ResetParts(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.reset_parts"
    bl_label = "Reset Parts"
    bl_description = (
        "Put links, shapes and inertial frames that were moved, turned or scaled back to where "
        "the description has them. The pose stays, and so do your attachments"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        displaced = reset_parts(robot)
        if not displaced:
            raise Refusal("Every part is in its place", "INFO")
        return count(displaced, "part") + " put back"


class StandOnGround(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.stand_on_ground"
    bl_label = "Stand on Ground"
    bl_description = "Lift or lower the robot, in its pose, until its lowest point is at height 0"

    def run(self: Any, context: Any, robot: Any) -> None:
        stand(robot)


class PinRobot(bpy.types.Operator):
    bl_idname = "urdf.pin_robot"
    bl_label = "Pin Robot"
    bl_description = (
        "Keep this robot in the sidebar and for the operators of robots, whatever is selected; "
        "press again to follow the selection"
    )
    bl_options = {"INTERNAL"}

    def execute(self, context: Any) -> set[str]:
        robot = active_robot(context)
        pin_robot(None if is_pinned(robot) else robot)
        return {"FINISHED"}


class PoseBody(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.pose_body"
    bl_label = "Pose Joint"
    bl_description = "Go to pose mode, with the bone of the joint that moves this body selected"
    level = "WARNING"

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        item = active_object(context)
        if item is None or item.type == "ARMATURE" or not find_moving_joint(item):
            return "Select a link or a shape of a robot first"
        return super().why_disabled(context)

    def run(self, context: Any, robot: Any) -> None:
        item = active_object(context)
        select_joint(find_robot(item), find_moving_joint(item))


class MakePosable(ActingOperator, bpy.types.Operator):
    bl_idname = "urdf.make_posable"
    bl_label = "Make Posable"
    bl_description = (
        "Replace this instance, as Blender's asset browser makes one, by a robot that can be "
        "posed: a library override of a linked robot, else the robot itself"
    )

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        item = active_object(context)
        if context.mode != "OBJECT" or item is None or find_instanced(item) is None:
            return "Select an instance of a robot first, in object mode"
        return "" if item.is_editable else "This instance is linked from another file"

    def run(self, context: Any, robot: Any) -> str:
        return f"{make_posable(active_object(context)).name} can be posed"


def draw_instance(layout: Any, context: Any) -> None:
    """Draws the actions on an instance of a robot; nothing for other objects."""
    item = active_object(context)
    if item is not None and find_instanced(item) is not None:
        box = layout.box()
        draw_wrapped(box, context, f"{item.name} is an instance: it shows a robot from elsewhere")
        box.operator(MakePosable.bl_idname, icon="OUTLINER_OB_ARMATURE")


def draw_remains(layout: Any, context: Any, robot: Any) -> None:
    """Draws how many parts are left of robots whose armature was deleted, and that a duplicated
    one has no links, each with the way out; nothing where robots are whole."""

    def count_leftovers(scene: Any) -> dict[str, int]:
        return {name: len(parts) for name, parts in find_leftovers(scene).items()}

    for name, number in recall(context.scene, "leftovers", count_leftovers).items():
        box = layout.box()
        parts = (
            f"{number} parts of {name or 'a robot'} are" if number > 1 else f"A part of {name} is"
        )
        draw_wrapped(box, context, f"{parts} left", icon="ERROR")
        box.operator(DeleteLeftovers.bl_idname, icon="TRASH").robot = name
    if robot is not None and not recall_table(robot).link_count:
        box = layout.box()
        draw_wrapped(box, context, "This rig moves no links", icon="ERROR")
        if recall(robot, "has original", lambda each: find_original(each) is not None):
            box.operator(CompleteCopy.bl_idname, icon="DUPLICATE")


def _draw_in_context_menu(menu: Any, context: Any) -> None:
    if find_instanced(active_object(context)) is not None:
        menu.layout.separator()
        menu.layout.operator(MakePosable.bl_idname, icon="OUTLINER_OB_ARMATURE")
    if active_robot(context) is not None:
        menu.layout.separator()
        if PoseBody.poll(context):
            menu.layout.operator(PoseBody.bl_idname, icon="POSE_HLT")
        menu.layout.menu(RobotMenu.bl_idname, icon="ARMATURE_DATA")


def register() -> None:
    """Adds the entries to Blender's menus, and Ctrl+Tab on a body to its keys."""
    menus = "VIEW3D_MT_object_context_menu", "VIEW3D_MT_pose_context_menu"
    add_to_menus(_draw_in_context_menu, *menus)
    add_key("Object Non-modal", PoseBody.bl_idname, "TAB", ctrl=True)
