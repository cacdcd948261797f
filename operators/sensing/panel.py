# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Sensors": a list, and buttons to look through each, to measure and to record."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import bpy

from ...urdf_importer import Diagnostics, KinematicsError, PlacedSensor, RobotError, find_sensors
from ...urdf_importer.core.blender.memory import recall
from ...urdf_importer.core.blender.standing.links import name_link
from ...urdf_importer.core.blender.standing.selection import select_link
from ...urdf_importer.features.sensing.blender.looking import find_looked
from ...urdf_importer.features.sensing.blender.measure import MEASURED
from .. import props
from ..active_robot import active_object, active_robot, redraw_views
from ..registration import add_property
from ..session import session_state
from ..sidebar.panel import DataSubPanel, RowList
from ..wrapped_text import draw_wrapped
from .looking import LookThrough
from .operators import AddSensors, RecordSensors, RemoveReadings, Sense, SwitchSensors, list_kind

_MOST_ROWS = 8
_ICONS = {
    "lidar": "PROP_ON",
    "sonar": "PROP_ON",
    "imu": "ORIENTATION_GIMBAL",
    "contact": "MOD_PHYSICS",
    "force": "FORCE_FORCE",
    "gps": "WORLD",
}


@dataclass(slots=True)
class _Clicked:
    """Place of the sensor that was clicked last."""

    place: int = -1


class SensorRow(bpy.types.PropertyGroup):
    """A row of the list of sensors, whose content is the robot's alone: several windows may show
    several robots, and rows that each of them filled would be drawn anew for ever."""


class SensorList(RowList, bpy.types.UIList):
    bl_idname = "VIEW3D_UL_urdf_sensors"

    def draw_row(self, context: Any, layout: Any, item: Any, index: int) -> None:
        found = _recall_sensors(context)
        if index < len(found):
            _draw_row(layout, found[index], find_looked(context.scene))

    def name_rows(self, context: Any, data: Any) -> list[str | None]:
        names = [each.name for each in _recall_sensors(context)]
        return [*names, *[None] * (len(data.urdf_sensors) - len(names))]


class SensorsPanel(DataSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_sensors"
    bl_label = "Sensors"
    bl_order = 33

    def draw(self, context: Any) -> None:
        layout, robot = self.layout, active_robot(context)
        try:
            found = _recall_sensors(context)
        except RobotError as error:
            draw_wrapped(layout, context, str(error), icon="ERROR")
            return
        if not found:
            layout.label(text="The description has no sensors")
            return
        manager = context.window_manager
        while len(manager.urdf_sensors) < len(found):
            manager.urdf_sensors.add()
        layout.template_list(
            SensorList.bl_idname, "", manager, "urdf_sensors",
            manager, "urdf_shown_sensor", rows=min(len(found), _MOST_ROWS),
        )  # fmt: skip
        if any(each.object for each in found):
            _draw_switches(layout, robot)
        else:
            layout.operator(AddSensors.bl_idname, icon="ADD")
        row = layout.row(align=True)
        row.operator(RecordSensors.bl_idname, text="Record", icon="REC")
        row.operator(RemoveReadings.bl_idname, text="", icon="X")


def _recall_sensors(context: Any) -> tuple[PlacedSensor, ...]:
    """Returns the sensors of the active robot, cached; none without one. Raises RobotError."""
    robot = active_robot(context)
    return () if robot is None else recall(robot, "sensors", _read)


def _read(robot: Any) -> tuple[PlacedSensor, ...]:
    return find_sensors(robot, diagnostics=Diagnostics())


def _draw_row(layout: Any, sensor: PlacedSensor, looked: Any) -> None:
    line = layout.split(factor=0.55, align=True)
    icon = "CAMERA_DATA" if sensor.camera is not None else _ICONS.get(sensor.kind, "EMPTY_AXIS")
    line.label(text=sensor.name, icon=icon, translate=False)
    rest = line.row(align=True)
    rest.label(text=f"{sensor.rate:g} Hz" if sensor.rate else sensor.kind)
    if sensor.K is not None and sensor.object:
        through = looked is not None and looked.name == sensor.object
        icon = "HIDE_OFF" if through else "HIDE_ON"
        look = rest.operator(LookThrough.bl_idname, text="", icon=icon, depress=through)
        look.sensor = sensor.name
    if sensor.kind in MEASURED:
        rest.operator(Sense.bl_idname, text="", icon="RESTRICT_RENDER_OFF").sensor = sensor.name


def _draw_switches(layout: Any, robot: Any) -> None:
    row = layout.row(align=True)
    for what, label in (("CAMERAS", "Cameras"), ("FANS", "Fans"), ("FRAMES", "Frames")):
        items = recall(robot, f"sensors {what}", partial(list_kind, what=what))
        shown = any(not item.hide_viewport for item in items)
        each = row.row(align=True)
        each.enabled = bool(items)
        switch = each.operator(SwitchSensors.bl_idname, text=label, depress=shown)
        switch.what, switch.on = what, not shown


def _get_shown(manager: Any) -> int:
    """Returns the sensor clicked last, as long as its link is the active object."""
    place, active = session_state(_Clicked).place, active_object(bpy.context)
    found = _recall_sensors(bpy.context)
    if active is None or not 0 <= place < len(found):
        return -1
    return place if name_link(active) == found[place].link else -1


def _set_shown(manager: Any, place: int) -> None:
    """Selects the link of the clicked sensor."""
    session_state(_Clicked).place = place
    found = _recall_sensors(bpy.context)
    if not 0 <= place < len(found):
        return
    try:
        select_link(active_robot(bpy.context), found[place].link)
    except KinematicsError:
        return
    redraw_views()


def register() -> None:
    """Adds the rows of the list and the target of a click; neither is kept in files."""
    rows = bpy.props.CollectionProperty(type=SensorRow, options={"SKIP_SAVE"})
    add_property(bpy.types.WindowManager, "urdf_sensors", rows)
    shown = props.integer(
        "Sensor", "Click a sensor to select its link",
        get=_get_shown, set=_set_shown, options=set(),
    )  # fmt: skip
    add_property(bpy.types.WindowManager, "urdf_shown_sensor", shown)
