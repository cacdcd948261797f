# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's sensors of motion, place and touch. All but Collision measure in their own frame."""

from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.sensor_frames import frame_of
from urdf_importer.core.kinematics.tree import KinematicTree
from urdf_importer.core.model import (
    Altimeter,
    Barometer,
    ContactSensor,
    Gps,
    Imu,
    Link,
    Magnetometer,
    Sensor,
)

from .plan import ComponentPlan, Properties

# The standard atmosphere up to 11 km.
_SEA_LEVEL_PRESSURE = 101325.0
_LAPSE = 0.0065 / 288.15
_EXPONENT = 5.2558797
_MOST_ALTITUDE = 11000.0


def plan_imu(sensor: Imu, notes: list[str]) -> list[ComponentPlan]:
    """Plans an IMU."""
    if sensor.has_orientation:
        notes.append("its orientation is that in the world, and only ROS gets it")
    _note_noise(sensor.is_noisy, notes)
    return [_plan(sensor, "IMU")]


def plan_gps(sensor: Gps, notes: list[str]) -> list[ComponentPlan]:
    """Plans a GPS, at the level that all of MORSE's middlewares know."""
    _note_noise(sensor.is_noisy, notes)
    notes.append("it gives metres in the scene; at its level 'raw' latitude and longitude")
    return [_plan(sensor, "GPS")]


def plan_magnetometer(sensor: Magnetometer, notes: list[str]) -> list[ComponentPlan]:
    """Plans a Magnetometer."""
    _note_noise(sensor.is_noisy, notes)
    notes.append("it measures the earth's field where the environment says it is, in nanotesla")
    return [_plan(sensor, "Magnetometer")]


def plan_altimeter(sensor: Altimeter, notes: list[str]) -> list[ComponentPlan]:
    """Plans a Pose, which has the height as its z: MORSE's altimeter is a radar, its barometer
    gives no height."""
    _note_noise(sensor.is_noisy, notes)
    notes.append("its height is the z of a Pose, above zero of the scene, without a speed")
    return [_plan(sensor, "Pose")]


def plan_barometer(sensor: Barometer, notes: list[str]) -> list[ComponentPlan]:
    """Plans a Barometer, for the pressure at an altitude of the standard atmosphere."""
    _note_noise(sensor.is_noisy, notes)
    held = min(max(sensor.altitude, -_MOST_ALTITUDE), _MOST_ALTITUDE)
    if held != sensor.altitude:
        notes.append(f"its altitude is {held:g} m, not {sensor.altitude:g}")
    pressure = _SEA_LEVEL_PRESSURE * (1.0 - _LAPSE * held) ** _EXPONENT
    notes.append("its altitude is relative to the place where it starts")
    return [_plan(sensor, "Barometer", (("ReferencePressure", pressure),))]


def plan_contact(sensor: ContactSensor, link: Link, notes: list[str]) -> list[ComponentPlan]:
    """Plans a Collision. It is at the first of the collisions that it feels with."""
    felt = next((c for c in link.collisions if c.name in sensor.collisions), link.collisions[0])
    notes.append("it feels with a small box of its own, and reports contacts without their force")
    frame = matrix_from_pose(felt.origin)
    return [ComponentPlan(component="Collision", frame=frame, topic=sensor.stream.topic)]


def is_moved(tree: KinematicTree, link: str) -> bool:
    """Tells whether any joint moves a link against the robot's root."""
    motions = (tree.motions[place] for place in tree.ancestors(tree.index[link]))
    return any(motion is not None and motion.joint.type != "fixed" for motion in motions)


def _note_noise(is_noisy: bool, notes: list[str]) -> None:
    if is_noisy:
        notes.append("it has no noise")


def _plan(sensor: Sensor, component: str, properties: Properties = ()) -> ComponentPlan:
    return ComponentPlan(
        component=component,
        frame=frame_of(sensor),
        properties=properties,
        topic=sensor.stream.topic,
    )
