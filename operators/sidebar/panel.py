# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's tab "URDF": which robot it is about. Its sub-panels are in panel_*.py.

Everything here is drawn again and again while Blender is used, so it reads what is remembered and
never searches.
"""

from typing import Any

import bpy

from ...urdf_importer.blender.preview.asset import describe_robot, find_thumbnail
from ...urdf_importer.blender.standing.robot_table import (
    RobotTable,
    find_robot,
    recall_table,
)
from ..active_robot import active_robot
from ..wrapped_text import draw_wrapped, file_name
from .missing import draw_broken, draw_missing
from .select_operators import DismissFailure, SelectRobot
from .studio_operators import MakeThumbnail
from .whole_robot import draw_icons, draw_instance

ROBOT_PANEL = "VIEW3D_PT_urdf"
MOST_ROBOTS = 20
_PICTURE = 6.0
"""Height of the robot's picture, in rows."""


class SidebarPanel:
    """Where all panels of the robot are. `bl_order` among the sub-panels: joints 10, groups 15,
    motion 16, drive 17, display 20, links 30, report 40, source 50, reshape 55, export 60."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "URDF"


class RobotSubPanel(SidebarPanel):
    """A sub-panel, there while a robot is active."""

    bl_parent_id = ROBOT_PANEL

    @classmethod
    def poll(cls, context: Any) -> bool:
        return active_robot(context) is not None


class RobotPanel(SidebarPanel, bpy.types.Panel):
    bl_idname = ROBOT_PANEL
    bl_label = "Robot"

    def draw(self, context: Any) -> None:
        _draw_failure(self.layout, context)
        draw_instance(self.layout, context)
        robot = active_robot(context)
        if robot is None:
            _draw_choice(self.layout, context)
        else:
            _draw_summary(self.layout, robot, recall_table(robot))
            draw_missing(self.layout, context, recall_table(robot))
            draw_broken(self.layout, context, robot)


def _draw_failure(layout: Any, context: Any) -> None:
    """Draws why the last import failed, until it is dismissed or another one succeeds."""
    manager = context.window_manager
    if not manager.urdf_last_failure:
        return
    box = layout.box()
    row = box.row()
    title = row.row()
    title.alert = True
    title.label(text="The last import failed", icon="ERROR")
    row.operator(DismissFailure.bl_idname, text="", icon="X", emboss=False)
    draw_wrapped(box, context, manager.urdf_last_failure)
    if manager.urdf_last_failure_text in bpy.data.texts:
        draw_wrapped(box, context, f"Details: text block '{manager.urdf_last_failure_text}'")


def _draw_choice(layout: Any, context: Any) -> None:
    robots = [
        item
        for item in context.scene.objects
        if item.type == "ARMATURE" and find_robot(item) == item
    ]
    if not robots:
        draw_wrapped(layout, context, "No robot here yet: File > Import > Robot Description")
        return
    column = layout.column(align=True)
    column.label(text="Choose a robot:")
    for robot in robots[:MOST_ROBOTS]:
        chosen = column.operator(SelectRobot.bl_idname, text=robot.name, icon="ARMATURE_DATA")
        chosen.robot = robot.name


def _draw_summary(layout: Any, robot: Any, table: RobotTable) -> None:
    row = layout.row(align=True)
    chosen = row.operator(
        SelectRobot.bl_idname, text=_name_robot(robot, table), icon="ARMATURE_DATA"
    )
    chosen.robot = robot.name
    draw_icons(layout.row(align=True), robot)
    _draw_head(layout, robot)


def _draw_head(layout: Any, robot: Any) -> None:
    """Draws the robot's picture, if it has one, and what the robot is in one line."""
    picture = find_thumbnail(robot)
    if picture is not None and picture.icon_id:
        layout.template_icon(icon_value=picture.icon_id, scale=_PICTURE)
    header, body = layout.panel("urdf_facts", default_closed=True)
    header.label(text=describe_robot(robot))
    header.operator(MakeThumbnail.bl_idname, text="", icon="RENDER_STILL", emboss=False)
    if body is not None:
        _draw_facts(body, recall_table(robot))


def _draw_facts(layout: Any, table: RobotTable) -> None:
    followers = sum(1 for joint in table.joints.values() if joint.mimics)
    moving = f"{len(table.joints)} moving" + (f", {followers} follow" if followers else "")
    facts = [
        ("Links", str(table.link_count)),
        ("Joints", f"{table.joint_count}  ({moving})"),
        ("Mass", "not given" if table.mass is None else f"{table.mass:.4g} kg"),
        ("Triangles", f"{table.triangles:,}"),
        ("File", file_name(table.source)),
    ]
    split = layout.column(align=True)
    for name, value in facts:
        line = split.split(factor=0.3)
        line.label(text=name)
        line.label(text=value)


def _name_robot(robot: Any, table: RobotTable) -> str:
    """Names a robot as its description does, and a copy as the outliner does as well."""
    return table.name if robot.name == table.name else f"{table.name} ({robot.name})"


CLASSES = (RobotPanel,)
