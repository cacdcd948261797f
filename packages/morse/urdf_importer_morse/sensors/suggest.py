# SPDX-License-Identifier: GPL-3.0-or-later
"""The sensors of a description as components of MORSE's builder.

A sensor that MORSE cannot have is an ERROR diagnostic. A sensor that differs is a WARNING, one for
each sensor, which lists all differences.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from urdf_importer.core.diagnostics import Diagnostics, quote
from urdf_importer.core.geometry.transforms import Matrix
from urdf_importer.core.kinematics.sensor_frames import Places, explain_unknown
from urdf_importer.core.kinematics.tree import KinematicTree, retrace_tree
from urdf_importer.core.model import (
    Altimeter,
    Barometer,
    CameraSensor,
    ContactSensor,
    Gps,
    Imu,
    Lidar,
    Link,
    LogicalCamera,
    Magnetometer,
    Robot,
    Sensor,
    Sonar,
)
from urdf_importer.core.names import Claims

from .cameras import plan_cameras, plan_logical
from .motion import (
    is_moved,
    plan_altimeter,
    plan_barometer,
    plan_contact,
    plan_gps,
    plan_imu,
    plan_magnetometer,
)
from .plan import ComponentPlan, Properties
from .rays import plan_lidar, plan_sonar

MOST_FREQUENCY = 200
"""Hz. MORSE runs a simulation at the rate of its fastest component (without one at 60), and no game
engine keeps up with any rate."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SensorSuggestion:
    """A sensor that the description asks for, as a component of MORSE.

    name        for the component: a unique identifier
    link        the link that it is on
    component   its class in morse.builder
    frame       (4, 4), in the frame of the link: in it the component looks along +x with z up, as
                all of MORSE's do that are appended and not turned. Components that MORSE turns when
                it makes them (cameras) stay turned within it
    properties  (name, value): arguments of its method properties()
    frequency   Hz, argument of its method frequency(); 0 for the component's own
    topic       the description's name for its ROS topic; "" for none
    notes       differences from the description
    line        of the description
    """

    name: str
    link: str
    component: str
    frame: Matrix
    properties: Properties = ()
    frequency: int = 0
    topic: str = ""
    notes: tuple[str, ...] = ()
    line: int = 0


def suggest_sensors(
    robot: Robot, diagnostics: Diagnostics, tree: KinematicTree | None = None
) -> tuple[SensorSuggestion, ...]:
    """Returns all sensors of a robot that MORSE has, in the order of the file; one of the
    description may be several of MORSE's. `tree` is the robot's, where it is planned already.

    Raises KinematicsError where the robot is not a tree.
    """
    tree = tree or retrace_tree(robot)
    places = Places(robot)
    links = {link.name: link for link in robot.links}
    names = Claims()
    suggestions: list[SensorSuggestion] = []
    for sensor in robot.sensors:
        name, reason = places.find_link(sensor)
        link = links.get(name, Link(name=name))
        reason = _find_fault(sensor, link) or reason
        if reason:
            _drop(diagnostics, sensor.name, reason, sensor.line)
            continue
        notes: list[str] = []
        plans = _plan(tree, sensor, link, notes)
        frequency = _choose_frequency(sensor.stream.rate, notes)
        said = tuple(dict.fromkeys(notes))
        suggestions += [
            SensorSuggestion(
                name=names.claim(_name_component(sensor, plan)),
                link=link.name,
                component=plan.component,
                frame=plan.frame,
                properties=plan.properties,
                frequency=frequency,
                topic=plan.topic,
                notes=said,
                line=sensor.line,
            )
            for plan in plans
        ]
        _report_changed(diagnostics, sensor, said)
    return tuple(suggestions)


_PLANNERS: Mapping[type[Sensor], Callable[[Any, list[str]], list[ComponentPlan]]] = {
    CameraSensor: plan_cameras,
    LogicalCamera: plan_logical,
    Lidar: plan_lidar,
    Sonar: plan_sonar,
    Imu: plan_imu,
    Gps: plan_gps,
    Magnetometer: plan_magnetometer,
    Altimeter: plan_altimeter,
    Barometer: plan_barometer,
}


def _find_fault(sensor: Sensor, link: Link) -> str:
    """Returns why MORSE cannot have the sensor wherever it is, or on this link; "" where it can."""
    if isinstance(sensor, ContactSensor):
        if link.name and not link.collisions:
            return f"feels nothing, since link {quote(link.name)} has no collisions"
    elif type(sensor) not in _PLANNERS:
        return explain_unknown(sensor, "MORSE")
    elif isinstance(sensor, CameraSensor) and not sensor.cameras:
        return "has no camera"
    return ""


def _plan(tree: KinematicTree, sensor: Sensor, link: Link, notes: list[str]) -> list[ComponentPlan]:
    if isinstance(sensor, ContactSensor):
        return plan_contact(sensor, link, notes)
    if isinstance(sensor, Imu) and is_moved(tree, link.name):
        notes.append(
            "on a robot with physics it feels the motion of the base, not the motion of joints"
        )
    return _PLANNERS[type(sensor)](sensor, notes)


def _choose_frequency(rate: float, notes: list[str]) -> int:
    """Returns hertz. MORSE counts whole measurements in a second. 0 stays 0."""
    if not rate:
        return 0
    frequency = round(min(max(rate, 1.0), MOST_FREQUENCY))
    if abs(frequency - rate) > 1e-3 * rate:
        notes.append(f"it measures {frequency} times a second, not {rate:g}")
    return frequency


def _drop(diagnostics: Diagnostics, name: str, reason: str, line: int) -> None:
    """Reports a sensor that is lost."""
    diagnostics.error(
        "morse-sensor-dropped",
        f"sensor {quote(name)} {reason}; it is left out",
        subject=name,
        line=line,
    )


def _report_changed(diagnostics: Diagnostics, sensor: Sensor, notes: tuple[str, ...]) -> None:
    if notes:
        diagnostics.warning(
            "morse-sensor-changed",
            f"sensor {quote(sensor.name)} is not quite the same in MORSE: {'; '.join(notes)}",
            subject=sensor.name,
            line=sensor.line,
        )


def _name_component(sensor: Sensor, plan: ComponentPlan) -> str:
    """Makes an identifier: MORSE takes no dots, which have a meaning for it, and identifiers are
    also valid in scripts and in topics of ROS."""
    return _make_identifier(f"{sensor.name}_{plan.suffix}" if plan.suffix else sensor.name)


def _make_identifier(name: str) -> str:
    plain = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
    if not plain.strip("_"):
        return "sensor"
    return f"_{plain}" if plain[0].isdigit() or iskeyword(plain) else plain
