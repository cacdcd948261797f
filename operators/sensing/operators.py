# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors are added to the scene, shown and hidden; they measure, and are recorded."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
from bpy_extras.io_utils import ExportHelper

from ...urdf_importer import Diagnostics, RecordOptions, SenseOptions, extract_robot, update_robot
from ...urdf_importer.core.blender.build.sensors import sensor_objects
from ...urdf_importer.core.blender.standing.record import find_record
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.sensing.blender.shown import (
    describe_reading,
    has_readings,
    remove_readings,
)
from ...urdf_importer.features.sensing.record import record_steps
from ...urdf_importer.features.sensing.sense import show_sensed
from .. import props
from ..active_robot import RobotOperator, active_robot, redraw_views, wait_cursor
from ..exporting.exported_robot import choose_export_file
from ..option_properties import add_option_properties, draw_options, read_options
from ..reports import report_diagnostics
from ..stepping import BrowsedWork, Steps

_KINDS = {"CAMERAS": ("CAMERA",), "FANS": ("MESH",), "FRAMES": ("EMPTY",)}


class AddSensors(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.add_sensors"
    bl_label = "Add Sensors"
    bl_description = (
        "Make an object of each sensor of the active robot: cameras, fans of rays, frames. An "
        "update keeps them true, and exports write each sensor once"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        options = replace(find_record(robot).options, sensors=True)
        with wait_cursor(context):
            result = update_robot(robot, robot=extract_robot(robot), options=options)
        report_diagnostics(self, robot.name, tuple(result.diagnostics), "sensors")
        return f"{count(len(sensor_objects(robot)), 'sensor')} in the scene"


class SwitchSensors(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.switch_sensors"
    bl_label = "Show Sensors"
    bl_description = "Show or hide the objects of the active robot's sensors in the 3D views"

    what: props.choice(
        "Objects", "The kind of sensor objects to show or hide", items=(
            ("CAMERAS", "Cameras", "The frusta of cameras"),
            ("FANS", "Fans", "The rays of scanners and sonars"),
            ("FRAMES", "Frames", "The axes of all other sensors"),
        ),
    )  # fmt: skip
    on: props.switch("Show", "Show these objects; off: hide them", default=True)

    def run(self: Any, context: Any, robot: Any) -> None:
        for item in list_kind(robot, self.what):
            item.hide_viewport = not self.on
        redraw_views()


def list_kind(robot: Any, what: str) -> list[Any]:
    """Lists the objects of a robot's sensors of one kind."""
    return [each for each in sensor_objects(robot).values() if each.type in _KINDS[what]]


class Sense(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.sense"
    bl_label = "Sense"
    bl_description = (
        "Measure with a sensor now: a picture and depths become images, scans and clouds points in "
        "the scene, which no render shows. A second time replaces them"
    )

    sensor: props.text("Sensor", "The name of the sensor", kept=False)

    def run(self: Any, context: Any, robot: Any) -> str:
        diagnostics = Diagnostics()
        options = read_options(self, SenseOptions)
        with wait_cursor(context):
            reading = show_sensed(robot, self.sensor, options=options, diagnostics=diagnostics)
        report_diagnostics(self, robot.name, tuple(diagnostics), "sensor")
        redraw_views()
        return f"{self.sensor}: {describe_reading(reading)}"


add_option_properties(Sense, SenseOptions)


class RemoveReadings(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.remove_readings"
    bl_label = "Remove Readings"
    bl_description = "Remove the images and points that sensors of the active robot have measured"

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        why, robot = super().why_disabled(context), active_robot(context)
        if why or (robot is not None and has_readings(robot.name)):
            return why
        return "No sensor of this robot shows a measurement"

    def run(self: Any, context: Any, robot: Any) -> str:
        removed = remove_readings(robot.name)
        redraw_views()
        return f"{count(removed, 'measurement')} removed"


class RecordSensors(BrowsedWork, RobotOperator, bpy.types.Operator, ExportHelper):
    bl_idname = "urdf.record_sensors"
    bl_label = "Record Sensors"
    bl_description = (
        "Record the sensors of the active robot over the frames of its animation, with /tf and "
        "/odom: .mcap for ROS 2, .bag for ROS 1. Esc ends it and leaves no file"
    )
    bl_options = {"REGISTER", "PRESET"}

    filename_ext = ".mcap"
    filter_glob: props.pattern(".mcap", ".bag")
    check_extension = None
    steps_title = "Recording"
    cancelled_text = "The recording was cancelled; nothing is left of it"

    def choose_file(self: Any, context: Any) -> set[str]:
        return choose_export_file(self, context)

    def draw(self: Any, context: Any) -> None:
        draw_options(self.layout, self, RecordOptions)

    def begin_steps(self: Any, context: Any) -> Steps:
        """Returns the work; wrong choices are refused in its first step."""
        robot: Any = active_robot(context)
        self._robot, self._found = robot.name, Diagnostics()
        path = Path(bpy.path.abspath(self.filepath))
        options = read_options(self, RecordOptions)
        return (yield from record_steps(robot, path, options=options, diagnostics=self._found))

    def keep_result(self: Any, context: Any, result: tuple[Path, ...]) -> set[str]:
        report_diagnostics(self, self._robot, tuple(self._found), "sensors")
        size = sum(each.stat().st_size for each in result)
        self.report({"INFO"}, f"Wrote {Path(self.filepath).name}: {size / 1e6:.1f} MB")
        return {"FINISHED"}


add_option_properties(RecordSensors, RecordOptions)
