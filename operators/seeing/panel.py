# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Sensors": a list, and buttons to look through each, to measure and to record."""

from functools import partial
from typing import Any

import bpy

from ...urdf_importer import Diagnostics, PlacedSensor, RobotError, find_sensors
from ...urdf_importer.blender.memory import recall
from ...urdf_importer.blender.seeing.looking import find_looked
from ...urdf_importer.blender.seeing.measure import MEASURED
from ..active_robot import active_robot
from ..sidebar.panel import DataSubPanel
from ..sidebar.select_operators import SelectLink
from ..wrapped_text import draw_rest, draw_wrapped
from .looking import LookThrough
from .sensing import (
    AddSensors,
    RecordSensors,
    RemoveReadings,
    Sense,
    SwitchSensors,
    list_kind,
)

_MOST_ROWS = 40
_ICONS = {
    "lidar": "PROP_ON",
    "sonar": "PROP_ON",
    "imu": "ORIENTATION_GIMBAL",
    "contact": "MOD_PHYSICS",
    "force": "FORCE_FORCE",
    "gps": "WORLD",
}


class SensorsPanel(DataSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_sensors"
    bl_label = "Sensors"
    bl_order = 33

    def draw(self, context: Any) -> None:
        layout, robot = self.layout, active_robot(context)
        try:
            found = recall(robot, "sensors", _read)
        except RobotError as error:
            draw_wrapped(layout, context, str(error), icon="ERROR")
            return
        if not found:
            layout.label(text="The description has no sensors")
            return
        column = layout.column(align=True)
        looked = find_looked(context.scene)
        for sensor in found[:_MOST_ROWS]:
            _draw_row(column, sensor, looked)
        draw_rest(column, found, _MOST_ROWS)
        if any(each.object for each in found):
            _draw_switches(layout, robot)
        else:
            layout.operator(AddSensors.bl_idname, icon="ADD")
        row = layout.row(align=True)
        row.operator(RecordSensors.bl_idname, text="Record", icon="REC")
        row.operator(RemoveReadings.bl_idname, text="", icon="X")


def _read(robot: Any) -> tuple[PlacedSensor, ...]:
    return find_sensors(robot, diagnostics=Diagnostics())


def _draw_row(column: Any, sensor: PlacedSensor, looked: Any) -> None:
    line = column.split(factor=0.55, align=True)
    name = line.row(align=True)
    name.alignment = "LEFT"
    icon = "CAMERA_DATA" if sensor.camera is not None else _ICONS.get(sensor.kind, "EMPTY_AXIS")
    select = name.operator(
        SelectLink.bl_idname, text=sensor.name, icon=icon, emboss=False, translate=False
    )
    select.link, select.what = sensor.link, "LINK"
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
