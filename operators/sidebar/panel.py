# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's tab "Robot" and its two panels: *Robot* for posing and animating, and the folded
*Robot Data* (panel_data.py) for all else. Their sub-panels are in files of their own.

Everything here is drawn again and again while Blender is used, so it reads cached data and never
searches.
"""

from typing import Any

import bpy

from ...urdf_importer.core.blender.standing.instances import find_instanced
from ...urdf_importer.core.blender.standing.robot_table import RobotTable, find_robot, recall_table
from ...urdf_importer.core.diagnostics import DiagnosticGroup
from ..active_robot import active_object, active_robot, is_pinned
from ..importing.locate import LocatePackage, is_left_out, is_locatable
from ..importing.placement import TAB
from ..importing.source_watch import recall_changed
from ..importing.update import UpdateRobot
from ..option_properties import ImportWithFolder
from ..renamed_bones import MendDrivers, recall_broken
from ..stepping import is_busy
from ..wrapped_text import draw_wrapped
from .robot_menu import RobotMenu
from .select_operators import DismissFailure, SelectRobot
from .whole_robot import FrameRobot, PinRobot, draw_instance, draw_remains

ROBOT_PANEL = "VIEW3D_PT_urdf"
DATA_PANEL = "VIEW3D_PT_urdf_data"
MOST_ROBOTS = 20
MOST_LINES = 4
_HINT = "No robot here yet: File > Import > Robot > Robot Description"


class SidebarPanel:
    """Where all panels of the robot are."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB


class FoldedPanel(SidebarPanel):
    """A panel that is folded at first, and there while a robot is active."""

    bl_options: set[str] = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return active_robot(context) is not None


class RowList:
    """A list whose rows draw_row draws, and whose filter goes by the names of name_rows."""

    def draw_item(
        self,
        context: Any,
        layout: Any,
        data: Any,
        item: Any,
        icon: int,
        active_data: Any,
        active_propname: str,
        index: int,
    ) -> None:
        self.draw_row(context, layout, item, index)

    def draw_row(self, context: Any, layout: Any, item: Any, index: int) -> None:
        """Draws the row of an item."""
        raise NotImplementedError

    def name_rows(self, context: Any, data: Any) -> list[str | None]:
        """Returns the name of each row; None for rows that are not shown."""
        raise NotImplementedError

    def filter_items(self: Any, context: Any, data: Any, name: str) -> tuple[list[int], list[int]]:
        words = self.filter_name.lower().split()
        names = self.name_rows(context, data)
        shown = [each is not None and all(word in each.lower() for word in words) for each in names]
        return [self.bitflag_filter_item if each else 0 for each in shown], []


class RobotSubPanel(FoldedPanel):
    """A sub-panel of Robot. `bl_order`: joints 10, inverse kinematics 15, poses 16, motion 17,
    waypoints 18, simulate 19, retarget 20, look 21."""

    bl_parent_id = ROBOT_PANEL


class DataSubPanel(FoldedPanel):
    """A sub-panel of Robot Data. `bl_order`: build 25, links 30, sensors 33, collision shapes 35,
    report 40, reshape 55, live 60."""

    bl_parent_id = DATA_PANEL


class RobotPanel(SidebarPanel, bpy.types.Panel):
    """Its header names the robot, so that nothing but the poses is above the sliders."""

    bl_idname = ROBOT_PANEL
    bl_label = ""
    bl_order = 1

    def draw_header(self, context: Any) -> None:
        robot = active_robot(context)
        name = TAB if robot is None else _name_robot(robot, recall_table(robot))
        self.layout.label(text=name, translate=robot is None)

    def draw_header_preset(self, context: Any) -> None:
        robot = active_robot(context)
        if robot is not None:
            _draw_icons(self.layout.row(align=True), robot)

    def draw(self, context: Any) -> None:
        _draw_failure(self.layout, context)
        draw_instance(self.layout, context)
        robot = active_robot(context)
        draw_remains(self.layout, context, robot)
        if robot is None:
            _draw_choice(self.layout, context)
        else:
            draw_missing(self.layout, context, recall_table(robot))
            draw_broken(self.layout, context, robot)


def _draw_icons(row: Any, robot: Any) -> None:
    """Draws the most frequent actions on whole robots; the rest is in the menu."""
    if recall_changed(robot, recall_table(robot)):
        # In the place of two icons, or it would cover the name.
        row.operator(UpdateRobot.bl_idname, text="Update", depress=True)
    else:
        row.operator(SelectRobot.bl_idname, text="", icon="RESTRICT_SELECT_OFF")
        row.operator(FrameRobot.bl_idname, text="", icon="VIEWZOOM")
    pinned = is_pinned(robot)
    icon = "PINNED" if pinned else "UNPINNED"
    row.operator(PinRobot.bl_idname, text="", icon=icon, depress=pinned)
    row.menu(RobotMenu.bl_idname, text="", icon="DOWNARROW_HLT")


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


def needs_hint(context: Any) -> bool:
    """Whether the panel shows how to get a robot: not while one comes, and not beside an instance
    that can become one."""
    return not is_busy() and find_instanced(active_object(context)) is None


def _draw_choice(layout: Any, context: Any) -> None:
    robots = [
        item
        for item in context.scene.objects
        if item.type == "ARMATURE" and find_robot(item) == item
    ]
    if not robots:
        if needs_hint(context):
            draw_wrapped(layout, context, _HINT)
        return
    column = layout.column(align=True)
    column.label(text="Choose a robot:")
    for robot in robots[:MOST_ROBOTS]:
        chosen = column.operator(
            SelectRobot.bl_idname, text=robot.name, icon="ARMATURE_DATA", translate=False
        )
        chosen.robot = robot.name


def _name_robot(robot: Any, table: RobotTable) -> str:
    """Names a robot as its description does, and a copy as the outliner does as well."""
    return table.name if robot.name == table.name else f"{table.name} ({robot.name})"


def draw_broken(layout: Any, context: Any, robot: Any) -> None:
    """Draws which bones drivers read that are not there, with the button that mends them."""
    broken = recall_broken(robot)
    if broken:
        box = layout.box()
        names = ", ".join(broken[:MOST_LINES]) + ("..." if len(broken) > MOST_LINES else "")
        draw_wrapped(box, context, f"Drivers read bones that are not there: {names}", icon="ERROR")
        box.operator(MendDrivers.bl_idname, icon="DRIVER")


def draw_missing(layout: Any, context: Any, table: RobotTable) -> None:
    """Draws the packages that were not found, and other files that are missing; nothing where
    nothing is."""
    groups = [group for group in table.groups if is_locatable(group)]
    for group in groups[:MOST_LINES]:
        box = layout.box()
        draw_wrapped(box, context, group.title, icon="ERROR")
        draw_locate(box, group)
    if len(groups) > MOST_LINES:
        layout.label(text=f"and {len(groups) - MOST_LINES} more, see Import Report")


def draw_locate(layout: Any, group: DiagnosticGroup, *, of_world: bool = False) -> None:
    """Draws the button that locates the files of a group: on the active robot, or else by another
    import; nothing where no folder helps."""
    if is_left_out(group) or (of_world and is_locatable(group)):
        layout.operator(ImportWithFolder.bl_idname, icon="FILE_FOLDER")
    if of_world or not is_locatable(group):
        return
    button = layout.operator(LocatePackage.bl_idname, icon="FILE_FOLDER")
    button.package = group.items[0].package
