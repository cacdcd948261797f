# SPDX-License-Identifier: GPL-3.0-or-later
"""Extras of a robot -> model data: the one place where <gazebo>, <sensor> and <ros2_control> are
read.

<gazebo reference="link"><sensor type="...">   Gazebo, classic and new
<gazebo reference="link"><sensor:camera>       Gazebo before SDF, angles in degrees
<sensor><parent link="..."/><camera/></sensor> URDF's own, never finished
<link><sensor type="...">                      some exporters
<gazebo reference="..."><mu1>0.9</mu1>         parameters of physics, of links and joints
<link><contact><lateral_friction value="1"/>   Bullet's friction, unless Gazebo's is there
<ros2_control><joint><command_interface/>      the actuation of a joint
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..markup.elements import ExtraElement, parse_extra
from ..model import (
    Extra,
    JointControl,
    Material,
    Plugin,
    Robot,
    Sensor,
    Setting,
    SimulationSettings,
)
from ..model.deferred import Deferred
from ..model.visual_material import GAZEBO_PREFIX, find_gazebo_color
from .parts import list_plugins
from .sensors import read_sensor

_PARTS_OF_IMU = ("accelerometer", "gyroscope")
"""Gazebo has no sensors of their own for them."""
_OF_ROBOTS = ("gazebo", "ros2_control")
_FRICTION = ("mu", "mu1", "mu2")
_CONTACT = "contact"
_OF_LINKS = ("turngravityoff", "gravity", "selfcollide", "self_collide", "laserretro")
_OF_CONTACTS = ("kp", "kd", "maxvel", "mindepth", "maxcontacts", "dampingfactor", "fdir1")
_OF_JOINTS = ("provide_feedback", "providefeedback", "stopcfm", "stoperp", "fudgefactor")
_OF_SPRINGS = ("implicitspringdamper", "springstiffness", "springreference")
_OF_LUMPING = ("disable_fixed_joint_lumping", "disablefixedjointlumping")
_PHYSICS = frozenset((*_OF_LINKS, *_OF_CONTACTS, *_OF_JOINTS, *_OF_SPRINGS, *_OF_LUMPING))
"""Gazebo's parameters of links and joints besides friction."""


def is_static(robot: Robot) -> bool:
    """Whether Gazebo holds a robot where it is: its last <static> counts."""
    parsed = (parse_extra(each) for each in robot.extras if each.tag == "gazebo")
    about = [each for each in parsed if each is not None and not each.attributes.get("reference")]
    said = [part.text for each in about for part in each.children if part.tag == "static"]
    return bool(said) and said[-1].strip().lower() in ("1", "true")


def interpret_extras(robot: Robot) -> Robot:
    """Returns the robot with the sensors, settings and controls in its extras, in the order of the
    file: the ones within links, then within joints, then of the robot itself.

    They are worked out when one of them is first asked for; each extra is parsed once. Extras that
    are not well-formed (a file's always are) have no meaning.
    """
    if not _says_anything(robot) and not (robot.sensors or robot.settings or robot.controls):
        return robot
    meaning: Deferred[Any] = Deferred(lambda: _interpret(robot))
    return replace(
        robot,
        sensors=Deferred(lambda: meaning[0]),
        settings=Deferred(lambda: meaning[1]),
        controls=Deferred(lambda: meaning[2]),
    )


def _says_anything(robot: Robot) -> bool:
    if any(each.tag in _OF_ROBOTS or _may_hold_sensors(each) for each in robot.extras):
        return True
    within = (extra for extra, _ in _extras_within(robot))
    return any(extra.tag == _CONTACT or _may_hold_sensors(extra) for extra in within)


def _interpret(
    robot: Robot,
) -> tuple[list[Sensor], list[SimulationSettings], list[JointControl]]:
    sensors: list[Sensor] = []
    for extra, inside in _extras_within(robot):
        if _may_hold_sensors(extra) and (element := parse_extra(extra)) is not None:
            sensors += _read_sensors(element, inside)
    settings = list(_read_contacts(robot))
    controls: list[JointControl] = []
    own: list[Sensor] = []
    for extra in robot.extras:
        if extra.tag not in _OF_ROBOTS and not _may_hold_sensors(extra):
            continue
        element = parse_extra(extra)
        if element is None:
            continue
        found = list(_read_sensors(element, ""))
        sensors += found
        if extra.tag == "sensor":
            own += found
        if extra.tag == "gazebo":
            settings.append(_read_settings(element))
        elif extra.tag == "ros2_control":
            controls += _read_controls(element)
    return _leave_out_repeated(sensors, own), settings, controls


def _read_contacts(robot: Robot) -> Iterator[SimulationSettings]:
    for link in robot.links:
        for extra in link.extras:
            element = parse_extra(extra) if extra.tag == _CONTACT else None
            friction = element.find("lateral_friction") if element is not None else None
            if friction is not None and (number := _read_value(friction)) is not None:
                yield SimulationSettings(
                    reference=link.name, friction=(abs(number),), line=friction.line
                )


def _leave_out_repeated(sensors: list[Sensor], own: list[Sensor]) -> list[Sensor]:
    """Returns the sensors without sensors in URDF's own spelling that Gazebo's repeats: exporters
    write both for one sensor, and Gazebo's has more data."""
    spare = {id(sensor) for sensor in own}
    said = {_identify(each) for each in sensors if each.name and id(each) not in spare}
    return [each for each in sensors if id(each) not in spare or _identify(each) not in said]


def _identify(sensor: Sensor) -> tuple[str, str, str]:
    word = "imu" if sensor.word in _PARTS_OF_IMU else sensor.word
    return word, sensor.name, sensor.reference


def _extras_within(robot: Robot) -> Iterator[tuple[Extra, str]]:
    """Yields the extras of links and joints, each with its owner's name."""
    for link in robot.links:
        for extra in link.extras:
            yield extra, link.name
    for joint in robot.joints:
        for extra in joint.extras:
            yield extra, joint.name


def _may_hold_sensors(extra: Extra) -> bool:
    return "sensor" in extra.tag or "sensor" in extra.xml


def _read_sensors(element: ExtraElement, inside: str) -> Iterator[Sensor]:
    if element.tag == "sensor":
        yield read_sensor(element, inside)
    elif element.tag == "gazebo":
        reference = element.attributes.get("reference", "").strip() or inside
        for child in element.children:
            if child.tag == "sensor" or child.prefix == "sensor":
                yield read_sensor(child, reference)


def _read_settings(element: ExtraElement) -> SimulationSettings:
    """Reads a <gazebo>; its physics may be anywhere within."""
    within = list(element.walk())
    return SimulationSettings(
        reference=element.attributes.get("reference", "").strip(),
        friction=tuple(
            abs(number)
            for child in within
            if child.tag in _FRICTION and (number := _read_value(child)) is not None
        ),
        material=_read_material(within, element.line),
        settings=tuple(
            Setting(name=child.tag, written=child.written, text=child.text, line=child.line)
            for child in within
            if child.tag in _PHYSICS
        ),
        plugins=tuple(
            Plugin(name=p.attributes.get("name", "") or p.tag, line=p.line)
            for p in list_plugins(element)
        ),
        line=element.line,
    )


def _read_value(element: ExtraElement) -> float | None:
    """Reads the number that a tag holds, as text or as the attribute `value`."""
    holder = ExtraElement("", {"value": element.text or element.attributes.get("value", "")}, 0)
    return holder.number("value")


def _read_material(within: Iterable[ExtraElement], line: int) -> Material | None:
    """Reads the first <material> that names one: <material>Gazebo/Red</material>, or that with a
    <script> and a <name> about the text. A material without a colour in Gazebo has no effect."""
    for element in within:
        if element.tag != "material":
            continue
        holder = element.find("script") or element
        text = (holder.find("name") or holder).text
        if text:
            name = text.split()[0]
            is_gazebos = name.lower().startswith(GAZEBO_PREFIX)
            color = find_gazebo_color(name) if is_gazebos else None
            return None if color is None else Material(name=name, color=color, line=line)
    return None


def _read_controls(element: ExtraElement) -> Iterator[JointControl]:
    for joint in element.all("joint"):
        commands, states = (
            tuple(_name_of(child) for child in joint.all(f"{way}_interface"))
            for way in ("command", "state")
        )
        yield JointControl(
            joint=_name_of(joint), command_interfaces=commands, state_interfaces=states
        )


def _name_of(element: ExtraElement) -> str:
    return element.attributes.get("name", "").strip()
