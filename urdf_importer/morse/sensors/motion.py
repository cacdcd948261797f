# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's sensors of motion, place and touch. All but Collision measure in the frame in which they
stand."""

from ...geometry.transforms import matrix_from_pose
from ...kinematics.tree import KinematicTree
from ...markup.elements import Element
from ...model import Link
from ...sensors.noise import has_noise
from ...sensors.reading import WrittenSensor, felt_collisions, frame_of
from ...sensors.streams import read_stream
from .plan import ComponentPlan, Properties

# The standard atmosphere up to 11 km.
_SEA_LEVEL_PRESSURE = 101325.0
_LAPSE = 0.0065 / 288.15
_EXPONENT = 5.2558797
_MOST_ALTITUDE = 11000.0


def plan_imu(sensor: WrittenSensor, notes: list[str]) -> list[ComponentPlan]:
    imu = sensor.element.find("imu")
    if imu is None or imu.flag("enable_orientation") is not False:
        notes.append("its orientation is that in the world, and only ROS gets it")
    _note_noise(imu, notes)
    return [_plan(sensor, "IMU")]


def plan_gps(sensor: WrittenSensor, notes: list[str]) -> list[ComponentPlan]:
    """Plans a GPS at the level that all of MORSE's middlewares know."""
    _note_noise(sensor.element, notes)
    notes.append("it gives metres in the scene; at its level 'raw' latitude and longitude")
    return [_plan(sensor, "GPS")]


def plan_magnetometer(sensor: WrittenSensor, notes: list[str]) -> list[ComponentPlan]:
    _note_noise(sensor.element.find("magnetometer"), notes)
    notes.append("it measures the earth's field where the environment says it is, in nanotesla")
    return [_plan(sensor, "Magnetometer")]


def plan_altimeter(sensor: WrittenSensor, notes: list[str]) -> list[ComponentPlan]:
    """Plans a Pose, whose z is the height: MORSE's altimeter is a radar, and its barometer gives no
    height."""
    place = sensor.element.find("altimeter")
    _note_noise(place, notes)
    notes.append("its height is the z of a Pose, above zero of the scene, without a speed")
    return [_plan(sensor, "Pose")]


def plan_pressure(sensor: WrittenSensor, notes: list[str]) -> list[ComponentPlan]:
    place = sensor.element.find("air_pressure") or sensor.element
    _note_noise(place, notes)
    altitude = place.number("reference_altitude") or 0.0
    held = min(max(altitude, -_MOST_ALTITUDE), _MOST_ALTITUDE)
    if held != altitude:
        notes.append(f"its altitude is {held:g} m, not {altitude:g}")
    pressure = _SEA_LEVEL_PRESSURE * (1.0 - _LAPSE * held) ** _EXPONENT
    notes.append("its altitude is that of the place where it starts")
    return [_plan(sensor, "Barometer", (("ReferencePressure", pressure),))]


def plan_contact(sensor: WrittenSensor, link: Link, notes: list[str]) -> list[ComponentPlan]:
    """Plans a contact sensor at the first of the collisions that it feels with."""
    named = felt_collisions(sensor)
    felt = next((c for c in link.collisions if c.name in named), link.collisions[0])
    notes.append("it feels with a small box of its own, and tells what touches, not how strongly")
    frame = matrix_from_pose(felt.origin)
    topic = read_stream(sensor.element).topic
    return [ComponentPlan(component="Collision", frame=frame, topic=topic)]


def is_moved(tree: KinematicTree, link: str) -> bool:
    """Tells whether any joint moves a link against the robot's root."""
    motions = (tree.motions[place] for place in tree.ancestors(tree.index[link]))
    return any(motion is not None and motion.joint.type != "fixed" for motion in motions)


def _note_noise(element: Element | None, notes: list[str]) -> None:
    if element is not None and has_noise(element):
        notes.append("it has no noise")


def _plan(sensor: WrittenSensor, component: str, properties: Properties = ()) -> ComponentPlan:
    return ComponentPlan(
        component=component,
        frame=frame_of(sensor.element, sensor.dialect),
        properties=properties,
        topic=read_stream(sensor.element).topic,
    )
