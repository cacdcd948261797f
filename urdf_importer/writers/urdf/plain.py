# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as plain URDF: for every read_<element> a write_<element>, in the same order.

What the model holds as None or as a default is not written, so that it comes back as it was. What
the file that was read said in its own words (comments, white space, spelling of numbers) is gone.
"""

from collections.abc import Callable, Iterable
from typing import Any

from ...diagnostics import WriteError, quote
from ...markup.write import XmlWriter, format_number
from ...model import (
    IDENTITY,
    Actuator,
    Box,
    Calibration,
    Capsule,
    Collision,
    Cylinder,
    Dynamics,
    Extra,
    Geometry,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    Pose,
    Robot,
    SafetyController,
    Sphere,
    Transmission,
    TransmissionJoint,
    Visual,
)
from .order import Part, order_parts

_UNIT_SCALE = (1.0, 1.0, 1.0)
_ZERO = (0.0, 0.0, 0.0)


def write_robot_text(robot: Robot) -> str:
    """Returns the robot as URDF: reading it gives an equal robot, and writing that the same text.

    Raises WriteError where no file can say it: a robot without links, a number that is not finite,
    a character that XML does not allow, a link or joint without a name.
    """
    if not robot.links:
        raise WriteError(f"the robot {quote(robot.name)} has no links, which no URDF can say")
    xml = XmlWriter()
    xml.declare()
    _write(robot, write_root, xml)
    for part in order_parts(robot):
        _write(part, _WRITERS[type(part)], xml)
    xml.close()
    return xml.text()


def _write(part: Any, write: Callable[[Any, XmlWriter], None], xml: XmlWriter) -> None:
    """One part. Raises WriteError, which names it, where XML cannot hold it."""
    try:
        write(part, xml)
    except ValueError as problem:
        kind = type(part).__name__.lower()
        name: str = part.tag if isinstance(part, Extra) else part.name
        raise WriteError(f"{kind} {quote(name)} cannot be written: {problem}") from None


def write_root(robot: Robot, xml: XmlWriter) -> None:
    """Begins <robot>; whoever calls it closes it."""
    _need_name(robot.name)
    xml.open("robot", {"name": robot.name, "version": robot.version or None})


def write_link(link: Link, xml: XmlWriter) -> None:
    _need_name(link.name)
    xml.open("link", {"name": link.name})
    if link.inertial is not None:
        write_inertial(link.inertial, xml)
    for visual in link.visuals:
        write_visual(visual, xml)
    for collision in link.collisions:
        write_collision(collision, xml)
    write_extras(link.extras, xml)
    xml.close()


def write_inertial(inertial: Inertial, xml: XmlWriter) -> None:
    xml.open("inertial")
    write_origin(inertial.origin, xml)
    if inertial.mass is not None:
        xml.leaf("mass", {"value": inertial.mass})
    tensor = inertial.inertia
    if tensor is not None:
        moments = {"ixx": tensor.ixx, "ixy": tensor.ixy, "ixz": tensor.ixz}
        xml.leaf("inertia", {**moments, "iyy": tensor.iyy, "iyz": tensor.iyz, "izz": tensor.izz})
    write_extras(inertial.extras, xml)
    xml.close()


def write_visual(visual: Visual, xml: XmlWriter) -> None:
    xml.open("visual", {"name": visual.name or None})
    write_origin(visual.origin, xml)
    write_geometry(visual.geometry, xml)
    if visual.material is not None:
        write_material(visual.material, xml)
    write_extras(visual.extras, xml)
    xml.close()


def write_collision(collision: Collision, xml: XmlWriter) -> None:
    xml.open("collision", {"name": collision.name or None})
    write_origin(collision.origin, xml)
    write_geometry(collision.geometry, xml)
    write_extras(collision.extras, xml)
    xml.close()


def write_geometry(geometry: Geometry, xml: XmlWriter) -> None:
    xml.open("geometry")
    if isinstance(geometry, Mesh):
        scale = None if geometry.scale == _UNIT_SCALE else geometry.scale
        xml.leaf("mesh", {"filename": geometry.filename, "scale": scale})
    elif isinstance(geometry, Box):
        xml.leaf("box", {"size": geometry.size})
    elif isinstance(geometry, Sphere):
        xml.leaf("sphere", {"radius": geometry.radius})
    else:
        tag = _ROUND[type(geometry)]
        xml.leaf(tag, {"radius": geometry.radius, "length": geometry.length})
    xml.close()


_ROUND: dict[type[Any], str] = {Cylinder: "cylinder", Capsule: "capsule"}


def write_material(material: Material, xml: XmlWriter) -> None:
    """A reference stays a reference. The name is written even where it is empty: strict readers
    ask for the attribute."""
    xml.open("material", {"name": material.name})
    if material.color is not None:
        xml.leaf("color", {"rgba": material.color})
    if material.texture is not None:
        xml.leaf("texture", {"filename": material.texture})
    xml.close()


def write_origin(pose: Pose, xml: XmlWriter) -> None:
    """Nothing for the identity."""
    if pose is IDENTITY or pose == IDENTITY:
        return
    if pose.quat_xyzw is not None:
        xml.leaf("origin", {"xyz": pose.xyz, "quat_xyzw": pose.quat_xyzw})
    else:
        xml.leaf("origin", {"xyz": pose.xyz, "rpy": None if pose.rpy == _ZERO else pose.rpy})


def write_joint(joint: Joint, xml: XmlWriter) -> None:
    _need_name(joint.name)
    xml.open("joint", {"name": joint.name, "type": joint.type})
    write_origin(joint.origin, xml)
    xml.leaf("parent", {"link": joint.parent})
    xml.leaf("child", {"link": joint.child})
    if joint.axis is not None:
        xml.leaf("axis", {"xyz": joint.axis})
    if joint.limit is not None:
        write_limit(joint.limit, xml)
    if joint.dynamics is not None:
        write_dynamics(joint.dynamics, xml)
    if joint.mimic is not None:
        write_mimic(joint.mimic, xml)
    if joint.calibration is not None:
        write_calibration(joint.calibration, xml)
    if joint.safety_controller is not None:
        write_safety_controller(joint.safety_controller, xml)
    write_extras(joint.extras, xml)
    xml.close()


def write_limit(limit: Limit, xml: XmlWriter) -> None:
    bounds = {"lower": limit.lower, "upper": limit.upper}
    xml.leaf("limit", {**bounds, "effort": limit.effort, "velocity": limit.velocity})


def write_dynamics(dynamics: Dynamics, xml: XmlWriter) -> None:
    xml.leaf("dynamics", {"damping": dynamics.damping, "friction": dynamics.friction})


def write_mimic(mimic: Mimic, xml: XmlWriter) -> None:
    multiplier = None if mimic.multiplier == 1.0 else mimic.multiplier
    offset = None if mimic.offset == 0.0 else mimic.offset
    xml.leaf("mimic", {"joint": mimic.joint, "multiplier": multiplier, "offset": offset})


def write_calibration(calibration: Calibration, xml: XmlWriter) -> None:
    xml.leaf(
        "calibration",
        {
            "rising": calibration.rising,
            "falling": calibration.falling,
            "reference_position": calibration.reference_position,
        },
    )


def write_safety_controller(controller: SafetyController, xml: XmlWriter) -> None:
    xml.leaf(
        "safety_controller",
        {
            "soft_lower_limit": controller.soft_lower_limit,
            "soft_upper_limit": controller.soft_upper_limit,
            "k_position": controller.k_position,
            "k_velocity": controller.k_velocity,
        },
    )


def write_transmission(transmission: Transmission, xml: XmlWriter) -> None:
    """Word for word; one that was not read from a file as ROS writes them."""
    if transmission.xml:
        xml.verbatim(transmission.xml)
        return
    xml.open("transmission", {"name": transmission.name or None})
    if transmission.type:
        xml.leaf("type", text=transmission.type)
    for joint in transmission.joints:
        write_transmission_joint(joint, xml)
    for actuator in transmission.actuators:
        write_actuator(actuator, xml)
    xml.close()


def write_transmission_joint(joint: TransmissionJoint, xml: XmlWriter) -> None:
    xml.open("joint", {"name": joint.name})
    for interface in joint.hardware_interfaces:
        xml.leaf("hardwareInterface", text=interface)
    xml.close()


def write_actuator(actuator: Actuator, xml: XmlWriter) -> None:
    xml.open("actuator", {"name": actuator.name})
    if actuator.mechanical_reduction is not None:
        xml.leaf("mechanicalReduction", text=format_number(actuator.mechanical_reduction))
    for interface in actuator.hardware_interfaces:
        xml.leaf("hardwareInterface", text=interface)
    xml.close()


def write_extra(extra: Extra, xml: XmlWriter) -> None:
    xml.verbatim(extra.xml)


def write_extras(extras: Iterable[Extra], xml: XmlWriter) -> None:
    for extra in extras:
        xml.verbatim(extra.xml)


def _need_name(name: str) -> None:
    if not name:
        raise ValueError("it has no name")


_WRITERS: dict[type[Part], Callable[[Any, XmlWriter], None]] = {
    Material: write_material,
    Link: write_link,
    Joint: write_joint,
    Transmission: write_transmission,
    Extra: write_extra,
}
