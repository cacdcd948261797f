# SPDX-License-Identifier: GPL-3.0-or-later
"""add_control: a robot whose joints are controlled, by ros2_control or transmissions."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from ...arguments import choice_of, robot_of, texts_of
from ...kinematics.motion import follow_to_masters
from ...kinematics.tree import retrace_tree
from ...markup.edit import XmlEditor
from ...markup.references import NameFollower
from ...markup.write import XmlWriter
from ...markup.xml import Element, parse_fragment
from ...model import Actuator, Extra, Joint, Robot, Transmission, TransmissionJoint
from ..references import interpret_again, need_joints

_INTERFACES = ("position", "velocity", "effort")
_CONTROL = "ros2_control"


def add_control(
    robot: Robot,
    joints: Collection[str] | None = None,
    *,
    commands: Collection[str] = ("position",),
    states: Collection[str] = ("position", "velocity"),
    plugin: str = "mock_components/GenericSystem",
    name: str = "",
    kind: Literal["ros2_control", "transmission"] = "ros2_control",
) -> Robot:
    """Returns the robot with control of some joints, by default of all that move along one axis and
    follow no other.

    With "ros2_control" as one system called `name`, by default like the robot, whose hardware is
    `plugin`: with its `commands` and `states` (position, velocity, effort), limits at the commands
    for positions. Followers have states alone. A system of the same name is replaced. With
    "transmission" as one SimpleTransmission for each joint and command. Raises KinematicsError for
    an unknown joint, ArgumentError for another interface.
    """
    robot = robot_of(robot)
    choice_of(kind, "kind", (_CONTROL, "transmission"))
    commands, states = texts_of(commands, "commands"), texts_of(states, "states")
    for word in (*commands, *states):
        choice_of(word, "an interface", _INTERFACES)
    tree = retrace_tree(robot)
    follows = follow_to_masters(tree.joint_motions)
    scalar = [motion.joint for motion in tree.joint_motions if motion.is_scalar]
    if joints is None:
        chosen = [each for each in scalar if each.name not in follows]
    else:
        wanted = texts_of(joints, "joints")
        need_joints(robot, wanted)
        chosen = [each for each in robot.joints if each.name in wanted]
    if kind == "transmission":
        return _add_transmissions(robot, chosen, commands)
    called = name or robot.name
    xml = XmlWriter()
    with xml.element(_CONTROL, {"name": called, "type": "system"}):
        with xml.element("hardware"):
            xml.leaf("plugin", text=plugin)
        for joint in chosen:
            _write_joint(xml, joint, () if joint.name in follows else commands, states)
    return _put_system(robot, called, xml)


def _put_system(robot: Robot, name: str, xml: XmlWriter) -> Robot:
    extra = Extra(tag=_CONTROL, xml=xml.text().rstrip("\n"))
    kept = tuple(each for each in robot.extras if not _is_system(each, name))
    return interpret_again(robot, replace(robot, extras=(*kept, extra)))


def _write_joint(
    xml: XmlWriter, joint: Joint, commands: Iterable[str], states: Iterable[str]
) -> None:
    limit = joint.limit
    bounded = joint.type in ("revolute", "prismatic") and limit is not None
    with xml.element("joint", {"name": joint.name}):
        for word in commands:
            with xml.element("command_interface", {"name": word}):
                if word == "position" and bounded and limit is not None:
                    for side, number in (("min", limit.lower), ("max", limit.upper)):
                        if number is not None:
                            xml.leaf("param", {"name": side}, repr(number))
        for word in states:
            xml.leaf("state_interface", {"name": word})


def _is_system(extra: Extra, name: str) -> bool:
    if extra.tag != _CONTROL:
        return False
    root = parse_fragment(extra.xml.encode())
    return root is not None and root.attributes.get("name") == name


def _add_transmissions(robot: Robot, joints: Iterable[Joint], commands: Iterable[str]) -> Robot:
    made = [_make_transmission(joint.name, tuple(commands)) for joint in joints]
    names = {each.name for each in made}
    kept = tuple(each for each in robot.transmissions if each.name not in names)
    return replace(robot, transmissions=(*kept, *made))


def _make_transmission(joint: str, commands: tuple[str, ...]) -> Transmission:
    kind = "transmission_interface/SimpleTransmission"
    interfaces = tuple(f"hardware_interface/{word.capitalize()}JointInterface" for word in commands)
    xml = XmlWriter()
    with xml.element("transmission", {"name": f"{joint}_transmission"}):
        xml.leaf("type", text=kind)
        with xml.element("joint", {"name": joint}):
            for each in interfaces:
                xml.leaf("hardwareInterface", text=each)
        with xml.element("actuator", {"name": f"{joint}_motor"}):
            xml.leaf("mechanicalReduction", text="1")
    return Transmission(
        name=f"{joint}_transmission",
        type=kind,
        joints=(TransmissionJoint(name=joint, hardware_interfaces=interfaces),),
        actuators=(Actuator(name=f"{joint}_motor", mechanical_reduction=1.0),),
        xml=xml.text().rstrip("\n"),
    )


def list_control_joints(xml: str) -> Iterator[str]:
    """Yields the joints that a <ros2_control> names, in its order."""
    return (element.attributes.get("name", "") for element in _joints_in(xml.encode()))


def write_control_joints(extra: Extra, copies: Mapping[str, str]) -> Extra:
    """Returns a <ros2_control> with copies of joints, old name -> new name, behind these."""
    data = extra.xml.encode()
    editor = XmlEditor(data)
    for element in _joints_in(data):
        name = element.attributes.get("name", "")
        if name in copies:
            start, end = editor.span(element)
            written = Extra(tag="joint", xml=data[start:end].decode())
            (copy,) = NameFollower({}, copies).follow_extras((written,))
            editor.insert_behind(element, [f"{editor.indent_of(start)}{copy.xml}"])
    return replace(extra, xml=editor.apply().decode()) if copies else extra


def _joints_in(data: bytes) -> list[Element]:
    root = parse_fragment(data)
    return [] if root is None else [each for each in root if each.tag == "joint"]
