# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors as plain data, before there are nodes.

The rest of the exporter must know of their devices:

needs_physics          the Solid that holds the link must have Physics, or the device measures
                       nothing; where it has none (a fixed base) the sensor is lost
takes_collisions       the device itself is touched: these collisions of the link belong to it and
                       not to the Solid (see SensorWriter.solid_link)
measures_joint         the device is the Solid itself, held by a fixed joint whose force it measures
                       (see SensorWriter.adapt_solid)
"""

from dataclasses import dataclass, field
from typing import Literal

from .....core.geometry.transforms import Matrix
from .....core.kinematics.sensor_frames import frame_of
from .....core.model import Noise, Sensor, Stream
from ..vrml import Value

DeviceKind = Literal[
    "Accelerometer",
    "Altimeter",
    "Camera",
    "Charger",
    "Compass",
    "DistanceSensor",
    "Emitter",
    "GPS",
    "Gyro",
    "InertialUnit",
    "Lidar",
    "LightSensor",
    "RangeFinder",
    "Receiver",
    "TouchSensor",
]


@dataclass(slots=True, kw_only=True, eq=False)
class DevicePlan:
    """One device of Webots. `frame` (4, 4) is its frame in its link's frame; empty names in its
    stream become the names of Webots' driver for ROS 2."""

    kind: DeviceKind
    wanted_name: str
    frame: Matrix
    fields: dict[str, Value] = field(default_factory=dict)
    name: str = ""
    needs_physics: bool = False
    takes_collisions: tuple[str, ...] | None = None
    measures_joint: str = ""
    stream: Stream = field(default_factory=Stream)


@dataclass(slots=True, kw_only=True, eq=False)
class SensorPlan:
    """A sensor of the description, and the devices that do its work on a link.

    `type` is a word for its class in the model, of cameras their kind. An rgbd camera is a Camera
    and a RangeFinder of one size, an imu an Accelerometer, a Gyro and an InertialUnit. `notes` list
    the differences; `reference` is the link or joint that the description puts it on."""

    name: str
    type: str
    link: str
    reference: str = ""
    devices: list[DevicePlan]
    stream: Stream = field(default_factory=Stream)
    notes: tuple[str, ...] = ()
    line: int = 0


def plan_device(
    sensor: Sensor, kind: DeviceKind, fields: dict[str, Value], frame: Matrix | None = None
) -> DevicePlan:
    """Plans the device that does the work of a sensor, in the sensor's frame if no other is
    given."""
    return DevicePlan(
        kind=kind,
        wanted_name=sensor.name,
        frame=frame_of(sensor) if frame is None else frame,
        fields=fields,
        stream=sensor.stream,
    )


def find_deviation(noise: Noise, notes: list[str]) -> float:
    """Returns the deviation of a noise; Webots' noises have no mean, which is noted."""
    if noise.mean:
        notes.append("its noise has no mean")
    return noise.deviation
