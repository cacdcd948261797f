# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add sensors, control and devices."""

from typing import Any

import bpy

from ...urdf_importer import update_robot
from ...urdf_importer.core.pipeline.extracting import find_reshaped
from ...urdf_importer.core.reshape import add_control, add_sensor
from ...urdf_importer.features.build.blender.sensors import (
    NODES,
    WORDS,
    place_device,
    place_sensor,
)
from .. import props
from ..active_robot import RobotOperator
from ..reports import report_diagnostics
from .links import find_active_link

_LABELS = {"imu": "IMU", "gpu_lidar": "Lidar", "rgbd_camera": "RGB-D Camera", "navsat": "GPS"}


def _name(word: str) -> str:
    return _LABELS.get(word, word.replace("_", " ").title())


def _find_place(context: Any) -> Any | None:
    """Finds the selected camera or empty that gives a place: not one of a robot's own."""
    for item in context.selected_objects:
        own = any(key.startswith("urdf_") for key in item.keys())  # noqa: SIM118
        if item.type in ("CAMERA", "EMPTY") and not own:
            return item
    return None


class MakeSensor(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.make_sensor"
    bl_label = "Make Sensor"
    bl_description = (
        "Put a sensor on the active link, in the place of a selected empty, or of a selected "
        "camera whose lens it takes. All formats write it that know its kind"
    )

    kind: props.choice(
        "Kind", "The kind of sensor", default="imu",
        items=[(word, _name(word), f"A sensor of the type {word}") for word in WORDS],
    )  # fmt: skip

    def run(self: Any, context: Any, robot: Any) -> str:
        described, link = find_reshaped(robot), find_active_link(context, robot)
        sensor = place_sensor(robot, described, link, self.kind, _find_place(context))
        made = update_robot(robot, robot=add_sensor(described, sensor))
        report_diagnostics(self, described.name, made.diagnostics, "build")
        return f"Sensor {sensor.name}"


class AddControl(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.add_control"
    bl_label = "Add Control"
    bl_description = "Add ros2_control for all joints that move by themselves"

    command: props.choice(
        "Command", "The command that the joints take", items=(
            ("position", "Position", "Positions"), ("velocity", "Velocity", "Velocities"),
            ("effort", "Effort", "Forces and torques"),
        ),
    )  # fmt: skip
    plugin: props.text(
        "Hardware", "The plugin of the hardware", default="mock_components/GenericSystem"
    )
    transmissions: props.switch("Transmissions", "Add transmissions of ros_control instead")

    def run(self: Any, context: Any, robot: Any) -> str:
        described = find_reshaped(robot)
        made = add_control(
            described, commands=(self.command,), plugin=self.plugin,
            kind="transmission" if self.transmissions else "ros2_control",
        )  # fmt: skip
        result = update_robot(robot, robot=made)
        report_diagnostics(self, described.name, result.diagnostics, "build")
        return "Control of the joints"


class MakeDevice(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.make_device"
    bl_label = "Make Device"
    bl_description = (
        "Put a device of Webots that other formats do not have on the active link, in the place "
        "of a selected empty"
    )

    node: props.choice(
        "Device", "The node of Webots", default="LightSensor",
        items=[(node, node, f"The node {node} of Webots") for node in NODES],
    )  # fmt: skip

    def run(self: Any, context: Any, robot: Any) -> str:
        described, link = find_reshaped(robot), find_active_link(context, robot)
        equipped = place_device(robot, described, link, self.node, _find_place(context))
        made = update_robot(robot, robot=equipped)
        report_diagnostics(self, described.name, made.diagnostics, "build")
        return f"{self.node} on {link}"
