# SPDX-License-Identifier: GPL-3.0-or-later
"""What feels motion, place and touch: imu, gps, compass, altimeter, contact, force."""

import numpy as np

from ....markup.elements import Element
from ....sensors.noise import has_noise, read_noise
from ....sensors.reading import WrittenSensor, felt_collisions, frame_of
from ....sensors.streams import read_stream
from ..vrml import Value
from .plan import DeviceKind, DevicePlan


def plan_imu(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    """An InertialUnit measures in the frame of the world; it is left out where the sensor is asked
    for no orientation."""
    kinds: list[tuple[DeviceKind, str]] = [("Accelerometer", "accelerometer"), ("Gyro", "gyro")]
    imu = sensor.element.find("imu")
    if imu is None or imu.flag("enable_orientation") is not False:
        kinds.append(("InertialUnit", "inertial_unit"))
    if imu is not None and has_noise(imu):
        notes.append("it has no noise, which Webots takes only as a share of what is measured")
    if imu is not None and imu.find("orientation_reference_frame") is not None:
        notes.append("its orientation is that in the world")
    return [
        DevicePlan(
            kind=kind,
            wanted_name=f"{sensor.name}_{word}",
            frame=frame_of(sensor.element, sensor.dialect),
            needs_physics=True,
        )
        for kind, word in kinds
    ]


def plan_gps(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    fields: dict[str, Value] = {}
    place = sensor.element.find("navsat") or sensor.element.find("gps") or sensor.element
    accuracy = _worst(place, "position_sensing", notes)
    if accuracy:
        fields["accuracy"] = accuracy
    speed = _worst(place, "velocity_sensing", notes)
    if speed:
        fields["speedNoise"] = speed
    return [_device(sensor, "GPS", fields)]


def plan_compass(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    notes.append("it measures the direction of north, not the field in tesla")
    magnetometer = sensor.element.find("magnetometer")
    if magnetometer is not None and has_noise(magnetometer):
        notes.append("it has no noise, which Webots takes only as a share of what is measured")
    return [_device(sensor, "Compass", {})]


def plan_altimeter(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    fields: dict[str, Value] = {}
    place = sensor.element.find("altimeter")
    if place is not None:
        height = _deviation(place.find("vertical_position", "noise"), notes)
        if height:
            fields["accuracy"] = height
        if _deviation(place.find("vertical_velocity", "noise"), []):
            notes.append("it measures no vertical speed")
    return [_device(sensor, "Altimeter", fields)]


def plan_contact(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    """A bumper: it tells whether anything touches, no forces and no places."""
    notes.append("it tells only whether something touches, not where nor how strongly")
    device = _device(sensor, "TouchSensor", {"type": "bumper"})
    device.frame = np.eye(4)
    device.takes_collisions = felt_collisions(sensor)
    return [device]


def plan_force(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    """The force through a joint; `measures_joint` is settled by the caller, who knows the robot."""
    notes.append("it measures forces and no torques")
    force = sensor.element.find("force_torque") or sensor.element
    if force.read("frame") not in ("", "child"):
        notes.append("it measures in the frame of the child")
    if force.read("measure_direction") not in ("", "child_to_parent"):
        notes.append("it measures what the child does to the parent")
    if force.find("force") is not None or force.find("noise") is not None:
        notes.append("it has no noise")
    fields: dict[str, Value] = {"type": "force-3d", "lookupTable": []}
    device = _device(sensor, "TouchSensor", fields)
    device.needs_physics = True
    return [device]


def _device(sensor: WrittenSensor, kind: DeviceKind, fields: dict[str, Value]) -> DevicePlan:
    return DevicePlan(
        kind=kind,
        wanted_name=sensor.name,
        frame=frame_of(sensor.element, sensor.dialect),
        fields=fields,
        stream=read_stream(sensor.element),
    )


def _worst(place: Element, sensing: str, notes: list[str]) -> float:
    """The larger of the deviations across and up: Webots has one."""
    deviations = [
        _deviation(place.find(sensing, direction, "noise"), notes)
        for direction in ("horizontal", "vertical")
    ]
    if deviations[0] != deviations[1]:
        notes.append("its noise is the same in all directions")
    return max(deviations)


def _deviation(element: Element | None, notes: list[str]) -> float:
    noise = read_noise(element)
    if noise.mean:
        notes.append("its noise has no mean")
    return noise.deviation
