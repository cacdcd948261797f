# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors of motion, place and touch: imu, gps, compass, altimeter, contact, force."""

import numpy as np

from .....core.kinematics.sensor_frames import frame_of
from .....core.model import Altimeter, ContactSensor, ForceSensor, Gps, Imu, Magnetometer, Noise
from .plan import DeviceKind, DevicePlan, find_deviation, plan_device


def plan_imu(sensor: Imu, notes: list[str]) -> list[DevicePlan]:
    """Plans an Accelerometer, a Gyro and an InertialUnit. This measures in the frame of the world;
    it is left out where the sensor is asked for no orientation."""
    kinds: list[tuple[DeviceKind, str]] = [("Accelerometer", "accelerometer"), ("Gyro", "gyro")]
    if sensor.has_orientation:
        kinds.append(("InertialUnit", "inertial_unit"))
    if sensor.is_noisy:
        notes.append("it has no noise, which Webots takes only as a share of the measurement")
    if sensor.has_own_reference:
        notes.append("its orientation is that in the world")
    return [
        DevicePlan(
            kind=kind,
            wanted_name=f"{sensor.name}_{word}",
            frame=frame_of(sensor),
            needs_physics=True,
        )
        for kind, word in kinds
    ]


def plan_gps(sensor: Gps, notes: list[str]) -> list[DevicePlan]:
    """Plans a GPS, whose noise is the same in all directions."""
    noises = {"accuracy": sensor.position, "speedNoise": sensor.velocity}
    fields = {name: _find_worst(noise, notes) for name, noise in noises.items()}
    return [plan_device(sensor, "GPS", {name: worst for name, worst in fields.items() if worst})]


def plan_compass(sensor: Magnetometer, notes: list[str]) -> list[DevicePlan]:
    """Plans a Compass."""
    notes.append("it measures the direction of north, not the field in tesla")
    if sensor.is_noisy:
        notes.append("it has no noise, which Webots takes only as a share of the measurement")
    return [plan_device(sensor, "Compass", {})]


def plan_altimeter(sensor: Altimeter, notes: list[str]) -> list[DevicePlan]:
    """Plans an Altimeter, which measures heights alone."""
    height = find_deviation(sensor.height, notes)
    if sensor.speed.deviation:
        notes.append("it measures no vertical speed")
    return [plan_device(sensor, "Altimeter", {"accuracy": height} if height else {})]


def plan_contact(sensor: ContactSensor, notes: list[str]) -> list[DevicePlan]:
    """Plans a bumper: it tells whether anything touches, no forces and no places."""
    notes.append("it tells only whether something touches, not where nor how strongly")
    device = plan_device(sensor, "TouchSensor", {"type": "bumper"})
    device.frame = np.eye(4)
    device.takes_collisions = sensor.collisions
    return [device]


def plan_force(sensor: ForceSensor, notes: list[str]) -> list[DevicePlan]:
    """Plans the measurement of the force through a joint; the caller, which knows the robot, names
    the joint."""
    notes.append("it measures forces and no torques")
    if sensor.frame not in ("", "child"):
        notes.append("it measures in the frame of the child")
    if sensor.direction not in ("", "child_to_parent"):
        notes.append("it measures the child's action on the parent")
    if sensor.is_noisy:
        notes.append("it has no noise")
    device = plan_device(sensor, "TouchSensor", {"type": "force-3d", "lookupTable": []})
    device.needs_physics = True
    return [device]


def _find_worst(noises: tuple[Noise, Noise], notes: list[str]) -> float:
    """Returns the larger of the deviations across and up: Webots has one."""
    deviations = [find_deviation(noise, notes) for noise in noises]
    if deviations[0] != deviations[1]:
        notes.append("its noise is the same in all directions")
    return max(deviations)
