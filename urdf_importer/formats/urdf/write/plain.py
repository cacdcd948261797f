# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as plain URDF: the elements in the order in which they are read.

Values that the model holds as None or as a default are not written, so that they come back
unchanged. The file's own wording (comments, white space, spelling of numbers) is gone.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ....core.diagnostics import WriteError, quote
from ....core.markup.write import Value, XmlWriter, format_number
from ....core.model import (
    IDENTITY,
    Actuator,
    Attributes,
    Box,
    Calibration,
    Capsule,
    Collision,
    Cylinder,
    Dynamics,
    Ellipsoid,
    Extra,
    Geometry,
    Inertia,
    Inertial,
    Joint,
    Leaf,
    Limit,
    Link,
    LoopJoint,
    Material,
    Mesh,
    Mimic,
    Pose,
    Robot,
    SafetyController,
    Solid,
    Sphere,
    Transmission,
    TransmissionJoint,
    Visual,
    hang_on,
)
from ....core.model.drake import DRAKE_JOINT, DRAKE_PITCH, is_drake, join_drake_joints, pitch_of
from ....core.model.extra import Extended
from .loops import settle_notations, write_ball_constraint, write_gazebo_joint
from .order import Part, order_parts

Leaves = tuple[Leaf, ...]


_NAME = re.compile(r"""[^\s=<>&"'/\d.-][^\s=<>&"'/]*""").fullmatch
_UNIT_SCALE = (1.0, 1.0, 1.0)
_ZERO = (0.0, 0.0, 0.0)


def write_robot_text(robot: Robot) -> str:
    """Returns the robot as URDF: reading it gives an equal robot, and writing that the same text.

    Raises WriteError where no file can express it: a robot without links, a number that is not
    finite, a character that XML does not allow, a link or joint without a name.
    """
    if not robot.links:
        raise WriteError(f"the robot {quote(robot.name)} has no links, which URDF cannot express")
    robot = join_drake_joints(settle_notations(robot))
    xml = XmlWriter()
    xml.declare()
    write_part(robot, xml)
    for part in order_parts(robot):
        write_part(part, xml)
    xml.close()
    return xml.text()


def write_part(part: Part | Robot, xml: XmlWriter) -> None:
    """Writes a child of <robot>, or begins <robot> itself. Raises WriteError, which names it, where
    XML cannot hold it."""
    try:
        _WRITERS[type(part)](part, xml)
    except ValueError as problem:
        kind = type(part).__name__.lower()
        name: str = part.tag if isinstance(part, Extra) else part.name
        raise WriteError(f"{kind} {quote(name)} cannot be written: {problem}") from None


def write_root(robot: Robot, xml: XmlWriter) -> None:
    """Begins <robot>; the caller closes it."""
    _need_name(robot.name)
    known = {"name": robot.name, "version": robot.version or None}
    xml.open("robot", _joined(known, robot.attributes))


def write_link(link: Link, xml: XmlWriter) -> None:
    _need_name(link.name)
    xml.open("link", _joined({"name": link.name}, link.attributes))
    if link.inertial is not None:
        write_inertial(link.inertial, xml)
    for visual in link.visuals:
        write_shape("visual", visual, xml)
    for collision in link.collisions:
        write_shape("collision", collision, xml)
    xml.verbatim(*[extra.xml for extra in link.extras])
    xml.close()


def write_inertial(inertial: Inertial, xml: XmlWriter) -> None:
    leaves = inertial.leaves
    xml.open("inertial", _joined({}, inertial.attributes))
    write_origin(inertial.origin, leaves, xml)
    _write_value("mass", {"value": inertial.mass}, leaves, xml)
    if inertial.inertia is None:
        _write_value("inertia", {}, leaves, xml)
    _write_numbers(inertial.inertia, xml)
    xml.verbatim(*[extra.xml for extra in inertial.extras])
    xml.close()


def write_shape(tag: str, shape: Visual | Collision, xml: XmlWriter) -> None:
    xml.open(tag, _joined({"name": shape.name or None}, shape.attributes))
    write_origin(shape.origin, shape.leaves, xml)
    write_geometry(shape.geometry, shape.leaves, xml)
    if isinstance(shape, Visual) and shape.material is not None:
        write_material(shape.material, xml)
    xml.verbatim(*[extra.xml for extra in shape.extras])
    xml.close()


def write_geometry(geometry: Geometry, leaves: Leaves, xml: XmlWriter) -> None:
    own = _find_leaf("geometry", leaves)
    xml.open("geometry", _joined({}, own.attributes))
    if isinstance(geometry, Mesh):
        scale = None if geometry.scale == _UNIT_SCALE else geometry.scale
        _write_value("mesh", {"filename": geometry.filename, "scale": scale}, leaves, xml)
    elif isinstance(geometry, Box):
        _write_value("box", {"size": geometry.size}, leaves, xml)
    elif isinstance(geometry, Sphere):
        _write_value("sphere", {"radius": geometry.radius}, leaves, xml)
    elif isinstance(geometry, Ellipsoid):
        _write_value("drake:ellipsoid", dict(zip("abc", geometry.radii, strict=True)), leaves, xml)
    elif isinstance(geometry, Solid):
        raise ValueError(f"URDF has no shape {quote(type(geometry).__name__.lower())}")
    else:
        sizes = {"radius": geometry.radius, "length": geometry.length}
        tag = _ROUND[type(geometry)]
        drakes = f"drake:{tag}"
        is_drakes = any(leaf.tag == drakes for leaf in leaves)
        _write_value(drakes if is_drakes else tag, sizes, leaves, xml)
    xml.verbatim(*[extra.xml for extra in own.extras])
    xml.close()


_ROUND: dict[type[Any], str] = {Cylinder: "cylinder", Capsule: "capsule"}


def write_material(material: Material, xml: XmlWriter) -> None:
    """Writes a material; a reference stays a reference. The name is written even where it is
    empty: strict readers ask for the attribute."""
    xml.open("material", _joined({"name": material.name}, material.attributes))
    _write_value("color", {"rgba": material.color}, material.leaves, xml)
    _write_value("texture", {"filename": material.texture}, material.leaves, xml)
    xml.verbatim(*[extra.xml for extra in material.extras])
    xml.close()


def write_origin(pose: Pose, leaves: Leaves, xml: XmlWriter) -> None:
    """Writes <origin>; nothing for the identity."""
    if pose is IDENTITY or pose == IDENTITY:
        if leaves:
            _write_value("origin", {}, leaves, xml)
    elif pose.quat_xyzw is not None:
        _write_value("origin", {"xyz": pose.xyz, "quat_xyzw": pose.quat_xyzw}, leaves, xml)
    else:
        rpy = None if pose.rpy == _ZERO else pose.rpy
        _write_value("origin", {"xyz": pose.xyz, "rpy": rpy}, leaves, xml)


def write_joint(joint: Joint, xml: XmlWriter) -> None:
    _need_name(joint.name)
    leaves = joint.leaves
    tag = DRAKE_JOINT if is_drake(joint) else "joint"
    xml.open(tag, _joined({"name": joint.name, "type": joint.type}, joint.attributes))
    write_origin(joint.origin, leaves, xml)
    _write_value("parent", {"link": joint.parent}, leaves, xml)
    _write_value("child", {"link": joint.child}, leaves, xml)
    _write_value("axis", {"xyz": joint.axis}, leaves, xml)
    _write_numbers(joint.limit, xml)
    _write_numbers(joint.dynamics, xml)
    if joint.type == "screw":
        if pitch := pitch_of(joint):
            xml.leaf(DRAKE_PITCH, {"value": pitch})
    elif joint.mimic is not None:
        write_mimic(joint.mimic, xml)
    elif leaves:
        _write_value("mimic", {}, leaves, xml)
    _write_numbers(joint.calibration, xml)
    _write_numbers(joint.safety_controller, xml)
    xml.verbatim(*[extra.xml for extra in joint.extras])
    xml.close()


def write_loop_joint(loop: LoopJoint, xml: XmlWriter) -> None:
    """Writes the loop in its notation; without one in Drake's old spelling, which other programs
    skip. `loop` is settled."""
    for name in (loop.name, loop.link1, loop.link2):
        _need_name(name)
    if loop.notation == "gazebo":
        write_gazebo_joint(loop, xml)
        return
    if loop.notation == "drake":
        write_ball_constraint(loop, xml)
        return
    if loop.notation == "joint":
        write_joint(hang_on(loop), xml)
        return
    xml.open("loop_joint", {"name": loop.name, "type": loop.type})
    _write_end("link1", loop.link1, loop.origin1, xml)
    _write_end("link2", loop.link2, loop.origin2, xml)
    _write_value("axis", {"xyz": loop.axis}, (), xml)
    _write_numbers(loop.limit, xml)
    _write_numbers(loop.dynamics, xml)
    xml.verbatim(*[extra.xml for extra in loop.extras])
    xml.close()


def _write_end(tag: str, link: str, origin: Pose, xml: XmlWriter) -> None:
    turn: dict[str, Value] = {"rpy": None if origin.rpy == _ZERO else origin.rpy}
    if origin.quat_xyzw is not None:
        turn = {"quat_xyzw": origin.quat_xyzw}
    xyz = None if origin == IDENTITY else origin.xyz
    xml.leaf(tag, {"link": link, "xyz": xyz} | turn)


def write_mimic(mimic: Mimic, xml: XmlWriter) -> None:
    multiplier = None if mimic.multiplier == 1.0 else mimic.multiplier
    offset = None if mimic.offset == 0.0 else mimic.offset
    known = {"joint": mimic.joint, "multiplier": multiplier, "offset": offset}
    _write_element("mimic", known, mimic, xml)


_NUMBERS: dict[type[Any], tuple[str, tuple[str, ...]]] = {
    Inertia: ("inertia", ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
    Limit: ("limit", ("lower", "upper", "effort", "velocity")),
    Dynamics: ("dynamics", ("damping", "friction")),
    Calibration: ("calibration", ("rising", "falling", "reference_position")),
    SafetyController: (
        "safety_controller",
        ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"),
    ),
}
"""Class -> the tag of its element, and the numbers in it."""


def _write_numbers(element: Extended | None, xml: XmlWriter) -> None:
    """Writes an element of numbers, if there is one."""
    if element is not None:
        tag, names = _NUMBERS[type(element)]
        _write_element(tag, {name: getattr(element, name) for name in names}, element, xml)


def write_transmission(transmission: Transmission, xml: XmlWriter) -> None:
    """Writes it word for word; a transmission that was not read from a file as ROS writes them."""
    if transmission.xml:
        xml.verbatim(transmission.xml)
        return
    xml.open("transmission", {"name": transmission.name or None})
    if transmission.type:
        xml.leaf("type", text=transmission.type)
    for joint in transmission.joints:
        _write_driven("joint", joint, xml)
    for actuator in transmission.actuators:
        _write_driven("actuator", actuator, xml)
    xml.close()


def _write_driven(tag: str, part: TransmissionJoint | Actuator, xml: XmlWriter) -> None:
    xml.open(tag, {"name": part.name})
    if isinstance(part, Actuator) and part.mechanical_reduction is not None:
        xml.leaf("mechanicalReduction", text=format_number(part.mechanical_reduction))
    for interface in part.hardware_interfaces:
        xml.leaf("hardwareInterface", text=interface)
    xml.close()


def _write_element(
    tag: str, known: Mapping[str, Value], element: Extended | Leaf, xml: XmlWriter
) -> None:
    """An element with a class of its own, which holds the description's content beyond URDF."""
    if not element.attributes and not element.extras:
        xml.leaf(tag, known)
        return
    xml.open(tag, _joined(known, element.attributes))
    xml.verbatim(*[extra.xml for extra in element.extras])
    xml.close()


def _write_value(tag: str, known: Mapping[str, Value], leaves: Leaves, xml: XmlWriter) -> None:
    """An element that is a value of its holder; nothing where it says nothing."""
    for leaf in leaves:
        if leaf.tag == tag:
            _write_element(tag, known, leaf, xml)
            return
    for value in known.values():
        if value is not None:
            xml.leaf(tag, known)
            return


def _find_leaf(tag: str, leaves: Leaves) -> Leaf:
    for leaf in leaves:
        if leaf.tag == tag:
            return leaf
    return Leaf(tag=tag)


def _joined(known: Mapping[str, Value], unknown: Attributes) -> Mapping[str, Value]:
    """Attributes that URDF defines count where both are given. Raises ValueError for names that no
    attribute can have."""
    if not unknown:
        return known
    for name, _ in unknown:
        if not _NAME(name):
            raise ValueError(f"{quote(name)} is not a name that an attribute can have")
    given = {name: value for name, value in known.items() if value is not None}
    return given | {name: value for name, value in unknown if name not in known}


def _need_name(name: str) -> None:
    if not name:
        raise ValueError("it has no name")


_WRITERS: dict[type[Any], Callable[[Any, XmlWriter], None]] = {
    Robot: write_root,
    Material: write_material,
    Link: write_link,
    Joint: write_joint,
    LoopJoint: write_loop_joint,
    Transmission: write_transmission,
    Extra: lambda extra, xml: xml.verbatim(extra.xml),
}
