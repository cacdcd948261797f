# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that make, mirror and remove links, and split objects."""

from typing import Any, ClassVar

import bpy

from ...urdf_importer import (
    RobotError,
    fit_axis,
    make_link,
    new_robot,
    remove_link,
    split_object,
)
from ...urdf_importer.core.blender.modes import leave_modes
from ...urdf_importer.core.blender.standing.links import (
    find_link_name,
    links_of,
    name_link,
    name_root,
)
from ...urdf_importer.core.blender.standing.robot_table import find_robot
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.build.blender.links import mirror_link
from .. import props
from ..active_robot import ActingOperator, PolledOperator, RobotOperator
from ..registration import add_to_menus
from ..reports import refuse, report_diagnostics

TYPES = (
    ("revolute", "Revolute", "Turns between limits"),
    ("continuous", "Continuous", "Turns without end"),
    ("prismatic", "Prismatic", "Slides between limits"),
    ("fixed", "Fixed", "Does not move"),
)
SOURCES = (
    ("auto", "Selection", "The hole, shaft, face, edge or circle that is selected in the mesh; "
     "without a selection the object's origin and z"),
    ("face", "Face", "The normal at the middle of the selected faces"),
    ("cylinder", "Cylinder", "The hole or shaft of the selected faces"),
    ("circle", "Circle", "The circle through the selected vertices"),
    ("edge", "Edge", "Along the selected edge"),
    ("cursor", "3D Cursor", "The cursor's place and its z"),
    ("object", "Object", "The object's origin and its z"),
)  # fmt: skip


def find_active_link(context: Any, robot: Any) -> str:
    """Finds the link of the active bone, else of the active object, else the root."""
    active = context.view_layer.objects.active
    bone = context.active_pose_bone if context.mode == "POSE" else None
    if bone is not None:
        held = (each for each in links_of(bone.id_data) if each.parent_bone == bone.name)
        name = next((name_link(each) for each in held), None)
        if name is not None:
            return name
    if active is not None and find_robot(active) == robot:
        return find_link_name(active) or name_root(robot)
    return name_root(robot)


def _loose_objects(context: Any) -> list[Any]:
    """Lists the selected objects that belong to no robot; the active one first."""
    active = context.view_layer.objects.active
    found = [each for each in context.selected_objects if find_robot(each) is None]
    return sorted(found, key=lambda each: each != active)


class NewRobot(ActingOperator, bpy.types.Operator):
    bl_idname = "urdf.new_robot"
    bl_label = "Robot from Selection"
    bl_description = (
        "Make a robot whose first link has the selected objects as its shapes. They stay where "
        "they are, with their meshes, modifiers and children"
    )

    robot_name: props.text("Name", "The name of the robot", default="robot")
    link: props.text("Link", "The name of the link; empty: like the active object", kept=False)

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        if context.mode not in ("OBJECT", "EDIT_MESH"):
            return "Leave the mode you are in first"
        return "" if _loose_objects(context) else "Select the objects of the robot's first link"

    def run(self: Any, context: Any, robot: Any) -> str:
        items = _loose_objects(context)
        leave_modes()
        made = new_robot(items, name=self.robot_name, link=self.link)
        context.view_layer.objects.active = items[0]
        return f"Made robot {made.robot.name} of {count(len(items), 'object')}"


class MakeLink(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.make_link"
    bl_label = "Make Link"
    bl_description = (
        "Make a link of the selected objects that belong to no robot, on the link of the active "
        "one. The joint is where the selection in their meshes says: a hole, a shaft, an edge"
    )

    joint_type: props.choice("Type", "How the joint moves", items=TYPES)
    source: props.choice("Axis from", "The geometry that gives the joint's axis", items=SOURCES)
    link: props.text("Link", "The name of the link; empty: like the object", kept=False)

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        why = super().why_disabled(context)
        if not why and not _loose_objects(context):
            return "Select objects of no robot, and the link that carries them last"
        return why

    def run(self: Any, context: Any, robot: Any) -> str:
        items = _loose_objects(context)
        axis = fit_axis(items[0], source=self.source)
        parent = find_active_link(context, robot)
        made = make_link(
            robot, items, name=self.link, parent=parent, place=axis, type=self.joint_type
        )
        report_diagnostics(self, made.robot.name, made.diagnostics, "build")
        context.view_layer.objects.active = items[0]
        joint = made.robot.joints[-1]
        return f"Link {joint.child} on {parent}: {axis}"


class RemoveLink(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.remove_link"
    bl_label = "Remove Link"
    bl_description = "Remove the active link and all links below it, with their joints"

    objects: props.choice(
        "Objects", "Treatment of the objects that were put on the links", items=(
            ("free", "Keep", "They stay in the scene, in their places"),
            ("parent", "Move Up", "They move to the link above"),
            ("delete", "Delete", "They are deleted"),
        ),
    )  # fmt: skip

    def run(self: Any, context: Any, robot: Any) -> str:
        link = find_active_link(context, robot)
        made = remove_link(robot, link, objects=self.objects)
        report_diagnostics(self, made.robot.name, made.diagnostics, "build")
        return f"Removed link {link}"


class MirrorLimb(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.mirror_limb"
    bl_label = "Mirror Limb"
    bl_description = (
        "Make the other side of the limb from the active link down, mirrored at y = 0 of the root. "
        "Equal positions are mirrored poses"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        link = find_active_link(context, robot)
        result, copies = mirror_link(robot, link)
        report_diagnostics(self, result.robot.name, result.diagnostics, "build")
        return f"Mirrored {link} with {count(copies, 'object')}"


class SplitObject(PolledOperator, bpy.types.Operator):
    bl_idname = "urdf.split_object"
    bl_label = "Split Object"
    bl_options: ClassVar = {"REGISTER", "UNDO"}
    bl_description = (
        "Split the active mesh into its loose parts, by its materials, or the selected faces from "
        "the rest. Each part keeps materials and modifiers, and gets its origin in its middle"
    )

    by: props.choice(
        "Split by", "How the mesh is split", items=(
            ("loose", "Loose Parts", "Each part that is connected with no other"),
            ("material", "Materials", "A part for each material"),
            ("selection", "Selection", "The selected faces, and the rest"),
        ),
    )  # fmt: skip

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        item = context.view_layer.objects.active
        if context.mode not in ("OBJECT", "EDIT_MESH"):
            return "Leave the mode you are in first"
        return "" if item is not None and item.type == "MESH" else "Make a mesh object active first"

    def execute(self: Any, context: Any) -> set[str]:
        try:
            parts = split_object(context.view_layer.objects.active, by=self.by)
        except RobotError as error:
            return refuse(self, error)
        self.report({"INFO"}, count(len(parts), "part"))
        return {"FINISHED"}


def draw_new_robot(menu: Any, context: Any) -> None:
    """Draws the entry of the menu Add."""
    menu.layout.separator()
    menu.layout.operator(NewRobot.bl_idname, icon="ARMATURE_DATA")


def register() -> None:
    """Adds the entry to the menu Add of the 3D view."""
    add_to_menus(draw_new_robot, "VIEW3D_MT_add")
