# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Waypoints": the list, the fields of the chosen one, and the plan."""

from collections.abc import Iterable
from typing import Any

import bpy

from ...urdf_importer.core.blender.standing import properties
from ...urdf_importer.features.ik.blender.solve import list_links
from ...urdf_importer.features.waypoints.blender.objects import (
    find_via,
    key_of,
    waypoint_empties_of,
)
from .. import props
from ..active_robot import active_robot
from ..registration import add_property
from ..session import session_state
from ..sidebar.panel import RobotSubPanel, RowList
from ..wrapped_text import draw_rest, draw_wrapped
from .chosen import Chosen, choose, find_chosen, find_planned, read_link
from .operators import (
    MOVES,
    GenerateMotion,
    GoToWaypoint,
    MoveWaypoint,
    OpenWaypoints,
    RecordWaypoint,
    RemoveWaypoint,
    SaveWaypoints,
    SetMove,
    UpdateWaypoint,
)
from .overlay import refresh

_ICONS = {"joint": "CON_ROTLIKE", "linear": "IPO_LINEAR", "circular": "SPHERECURVE"}
_FIELDS = (
    ("blend", "Blend"), ("pause", "Pause"), ("speed", "Speed"), ("tool_speed", "Tool Speed")
)  # fmt: skip
_MOST_ROWS, _MOST_TOLD = 8, 6


class WaypointRow(bpy.types.PropertyGroup):
    """A row of the list, whose content is the robot's."""


class WaypointList(RowList, bpy.types.UIList):
    bl_idname = "VIEW3D_UL_urdf_waypoints"

    def draw_row(self, context: Any, layout: Any, item: Any, index: int) -> None:
        robot = active_robot(context)
        found = [] if robot is None else waypoint_empties_of(robot)
        if index >= len(found):
            return
        empty, planned = found[index], find_planned(robot)
        row = layout.row(align=True)
        go = row.operator(GoToWaypoint.bl_idname, text=str(index + 1), emboss=False)
        go.place = index + 1
        row.label(text="", icon=_ICONS.get(str(empty.get(key_of("move"))), "QUESTION"))
        row.prop(empty, "name", text="", emboss=False)
        if planned is not None and planned.is_wrong(empty.name):
            row.label(text="", icon="ERROR")

    def name_rows(self, context: Any, data: Any) -> list[str | None]:
        robot = active_robot(context)
        names = [] if robot is None else [each.name for each in waypoint_empties_of(robot)]
        return [*names, *[None] * (len(data.urdf_waypoints) - len(names))]


class WaypointsPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_waypoints"
    bl_label = "Waypoints"
    bl_order = 18

    def draw(self, context: Any) -> None:
        layout, robot, manager = self.layout, active_robot(context), context.window_manager
        row = layout.row(align=True)
        row.prop(manager, "urdf_waypoint_link", text="", placeholder=read_link(context),
                 icon="EMPTY_ARROWS")  # fmt: skip
        row.operator(RecordWaypoint.bl_idname, icon="ADD")
        found = waypoint_empties_of(robot)
        while len(manager.urdf_waypoints) < len(found):
            manager.urdf_waypoints.add()
        row = layout.row()
        row.template_list(
            WaypointList.bl_idname, "", manager, "urdf_waypoints", manager,
            "urdf_chosen_waypoint", rows=min(max(len(found), 3), _MOST_ROWS),
        )  # fmt: skip
        _draw_side(row.column(align=True))
        chosen = find_chosen(context)
        if chosen is not None:
            _draw_chosen(layout, chosen)
        row = layout.row(align=True)
        row.operator(GenerateMotion.bl_idname, icon="PLAY")
        row.prop(manager, "urdf_waypoint_loop", text="", icon="LOOP_BACK", toggle=True)
        row.prop(manager, "urdf_waypoint_path", text="", icon="CURVE_PATH", toggle=True)
        row.operator(OpenWaypoints.bl_idname, text="", icon="FILE_FOLDER")
        row.operator(SaveWaypoints.bl_idname, text="", icon="FILE_TICK")
        _draw_plan(layout, context, robot)


def _draw_side(column: Any) -> None:
    column.operator(GoToWaypoint.bl_idname, text="", icon="RESTRICT_SELECT_OFF").place = 0
    column.operator(UpdateWaypoint.bl_idname, text="", icon="FILE_REFRESH")
    column.operator(MoveWaypoint.bl_idname, text="", icon="TRIA_UP").step = -1
    column.operator(MoveWaypoint.bl_idname, text="", icon="TRIA_DOWN").step = 1
    column.operator(RemoveWaypoint.bl_idname, text="", icon="REMOVE")


def _draw_chosen(layout: Any, empty: Any) -> None:
    row = layout.row(align=True)
    for move, label, _ in MOVES:
        pressed = empty.get(key_of("move")) == move
        row.operator(SetMove.bl_idname, text=label, depress=pressed).move = move
    column = layout.column(align=True)
    column.use_property_split, column.use_property_decorate = True, False
    for field, label in _FIELDS:
        if key_of(field) in empty:
            column.prop(empty, f'["{key_of(field)}"]', text=label)
    via = find_via(empty)
    if via is not None:
        column.separator()
        column.prop(via, "location", text="Via Point")
    layout.label(text=f"Tool: {empty.get(properties.WAYPOINT_LINK, '')}", translate=False)


def _draw_plan(layout: Any, context: Any, robot: Any) -> None:
    planned = find_planned(robot)
    if planned is None:
        return
    plan = planned.plan
    if plan.success:
        draw_wrapped(layout, context, plan.message)
    for problem in plan.problems[:_MOST_TOLD]:
        draw_wrapped(layout, context, problem.message, icon="ERROR")
    draw_rest(layout, plan.problems, _MOST_TOLD)
    rate = context.scene.render.fps / context.scene.render.fps_base
    for contact in plan.contacts[:_MOST_TOLD]:
        row = layout.row(align=True)
        row.label(text=f"{contact.link1} touches {contact.link2}", icon="ERROR", translate=False)
        frame = (planned.frame or context.scene.frame_start) + contact.start * rate
        row.operator("urdf.go_to_violation", text=f"{frame:.0f}").frame = frame
    draw_rest(layout, plan.contacts, _MOST_TOLD)


def _get_chosen(manager: Any) -> int:
    find_chosen(bpy.context)
    return session_state(Chosen).place


def _set_chosen(manager: Any, place: int) -> None:
    robot = active_robot(bpy.context)
    found = [] if robot is None else waypoint_empties_of(robot)
    if place < len(found):
        choose(bpy.context, found[place])


def _search_links(manager: Any, context: Any, text: str) -> Iterable[str]:
    robot = active_robot(context)
    return list_links(robot) if robot is not None else ()


def _plan_anew(manager: Any, context: Any) -> None:
    refresh()


def register() -> None:
    """Adds the settings."""
    manager = bpy.types.WindowManager
    link = props.text(
        "Link", "The tool that is led; empty for the robot's hand", search=_search_links
    )
    loop = props.switch("Loop", "Go back to the first waypoint at the end", update=_plan_anew)
    path = props.switch(
        "Path", "Draw the path in the view: joints dashed, lines solid, contacts red",
        default=True, update=_plan_anew,
    )  # fmt: skip
    add_property(manager, "urdf_waypoint_link", link)
    add_property(manager, "urdf_waypoint_loop", loop)
    add_property(manager, "urdf_waypoint_path", path)
    add_property(manager, "urdf_waypoints", bpy.props.CollectionProperty(type=WaypointRow))
    number = bpy.props.IntProperty(
        name="Waypoint", description="The chosen waypoint", get=_get_chosen, set=_set_chosen
    )
    add_property(manager, "urdf_chosen_waypoint", number)
