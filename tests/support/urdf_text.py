# SPDX-License-Identifier: GPL-3.0-or-later
"""A model as URDF text, so that other programs can read what the tests made up.

This is not the library's writer: tests need something independent of it.
"""

from xml.etree import ElementTree as ET

from urdf_importer.model import (
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Inertial,
    Joint,
    Link,
    Material,
    Mesh,
    Pose,
    Robot,
    Sphere,
    Vector3,
)


def write_urdf(robot: Robot) -> str:
    """The robot as URDF text: what URDF itself defines, every number with all its digits."""
    root = ET.Element("robot", name=robot.name)
    if robot.version:
        root.set("version", robot.version)
    for material in robot.materials:
        _write_material(root, material)
    for link in robot.links:
        _write_link(root, link)
    for joint in robot.joints:
        _write_joint(root, joint)
    return ET.tostring(root, encoding="unicode")


def _write_link(root: ET.Element, link: Link) -> None:
    element = ET.SubElement(root, "link", name=link.name)
    if link.inertial is not None:
        _write_inertial(element, link.inertial)
    for visual in link.visuals:
        shown = ET.SubElement(element, "visual", _given(name=visual.name or None))
        _write_origin(shown, visual.origin)
        _write_geometry(shown, visual.geometry)
        if visual.material is not None:
            _write_material(shown, visual.material)
    for collision in link.collisions:
        touched = ET.SubElement(element, "collision", _given(name=collision.name or None))
        _write_origin(touched, collision.origin)
        _write_geometry(touched, collision.geometry)


def _write_inertial(link: ET.Element, inertial: Inertial) -> None:
    element = ET.SubElement(link, "inertial")
    _write_origin(element, inertial.origin)
    if inertial.mass is not None:
        ET.SubElement(element, "mass", value=repr(inertial.mass))
    if inertial.inertia is not None:
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        numbers = {name: getattr(inertial.inertia, name) for name in names}
        ET.SubElement(element, "inertia", _given(**numbers))


def _write_joint(root: ET.Element, joint: Joint) -> None:
    element = ET.SubElement(root, "joint", name=joint.name, type=joint.type)
    _write_origin(element, joint.origin)
    ET.SubElement(element, "parent", link=joint.parent)
    ET.SubElement(element, "child", link=joint.child)
    if joint.axis is not None:
        ET.SubElement(element, "axis", xyz=_numbers(joint.axis))
    if joint.limit is not None:
        limit = joint.limit
        numbers = _given(
            lower=limit.lower, upper=limit.upper, effort=limit.effort, velocity=limit.velocity
        )
        ET.SubElement(element, "limit", numbers)
    if joint.dynamics is not None:
        numbers = _given(damping=joint.dynamics.damping, friction=joint.dynamics.friction)
        ET.SubElement(element, "dynamics", numbers)
    if joint.mimic is not None:
        numbers = _given(multiplier=joint.mimic.multiplier, offset=joint.mimic.offset)
        ET.SubElement(element, "mimic", {"joint": joint.mimic.joint, **numbers})


def _write_geometry(parent: ET.Element, geometry: Geometry) -> None:
    element = ET.SubElement(parent, "geometry")
    match geometry:
        case Box(size=size):
            ET.SubElement(element, "box", size=_numbers(size))
        case Cylinder(radius=radius, length=length):
            ET.SubElement(element, "cylinder", _given(radius=radius, length=length))
        case Capsule(radius=radius, length=length):
            ET.SubElement(element, "capsule", _given(radius=radius, length=length))
        case Sphere(radius=radius):
            ET.SubElement(element, "sphere", _given(radius=radius))
        case Mesh(filename=filename, scale=scale):
            ET.SubElement(element, "mesh", filename=filename, scale=_numbers(scale))


def _write_material(parent: ET.Element, material: Material) -> None:
    element = ET.SubElement(parent, "material", name=material.name)
    if material.color is not None:
        ET.SubElement(element, "color", rgba=_numbers(material.color))
    if material.texture is not None:
        ET.SubElement(element, "texture", filename=material.texture)


def _write_origin(parent: ET.Element, pose: Pose) -> None:
    element = ET.SubElement(parent, "origin", xyz=_numbers(pose.xyz))
    if pose.quat_xyzw is None:
        element.set("rpy", _numbers(pose.rpy))
    else:
        element.set("quat_xyzw", _numbers(pose.quat_xyzw))


def _numbers(values: Vector3 | tuple[float, ...]) -> str:
    return " ".join(map(repr, values))


def _given(**values: float | str | None) -> dict[str, str]:
    """Attributes, without those that are None."""
    return {
        name: value if isinstance(value, str) else repr(value)
        for name, value in values.items()
        if value is not None
    }
