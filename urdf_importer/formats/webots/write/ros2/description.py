# SPDX-License-Identifier: GPL-3.0-or-later
"""<robot>_webots.urdf: the description for ROS, with the tags of Webots' driver and ros2_control.

It holds the tree, the limits and the looks, so that robot_state_publisher, ros2_control and RViz
read the same file. A planar joint is three joints, as in Webots.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from .....core.geometry.transforms import plane_axes, rotation_from_quaternion, rpy_from_rotation
from .....core.kinematics.motion import JointMotion
from .....core.markup.write import XmlWriter, format_element, format_number, format_text
from .....core.model import (
    Box,
    Capsule,
    Color,
    Cylinder,
    Geometry,
    Link,
    Mesh,
    Pose,
    Robot,
    Sphere,
    Stream,
    Visual,
    VisualMaterials,
)
from ..sensors.plan import DevicePlan, SensorPlan
from .interface import RosJoint, RosRobot

# Published by webots_ros2_driver itself.
PUBLISHED = ("Camera", "Compass", "DistanceSensor", "GPS", "Lidar", "RangeFinder")
# Rendered only while something listens, whatever the description says: as Gazebo's plugins do.
_IMAGES = ("Camera", "Lidar", "RangeFinder")
_IMU_DEVICES = {
    "InertialUnit": "inertialUnitName",
    "Gyro": "gyroName",
    "Accelerometer": "accelerometerName",
}
_SCHEMES = ("package://", "file://", "http://", "https://")


FindFiles = Callable[[Visual, Link], list[tuple[str, Color | None]]]
"""The exported files that draw a visual, as the PROTO names them, and their colours."""


def write_ros_urdf(
    ros: RosRobot, sensors: Sequence[SensorPlan], find_files: FindFiles, prefix: str
) -> str:
    """Returns the text of the URDF. `prefix` is the URI of the PROTO's folder."""
    robot = ros.plan.robot
    xml = XmlWriter()
    xml.verbatim('<?xml version="1.0"?>')
    materials = VisualMaterials(robot)

    def find(visual: Visual, link: Link) -> list[tuple[str, Color | None]]:
        return [(prefix + url, color) for url, color in find_files(visual, link)]

    with xml.element("robot", {"name": robot.name}):
        for link in ros.tree.links:
            with xml.element("link", {"name": link.name}):
                _write_visuals(link, robot, materials, find, xml)
        for index, motion in enumerate(ros.tree.motions):
            if motion is not None:
                _write_joint(motion, ros, xml)
            elif index:
                # A second root is fixed to the first, as in Webots.
                link = ros.tree.links[index]
                with xml.element("joint", {"name": f"{link.name}_to_root", "type": "fixed"}):
                    _write_ends(ros.tree.links[0].name, link.name, xml)
        _write_webots(sensors, xml)
        _write_control(ros, xml)
    return xml.text()


def _write_visuals(
    link: Link, robot: Robot, materials: VisualMaterials, find_files: FindFiles, xml: XmlWriter
) -> None:
    for index, visual in enumerate(link.visuals):
        files = find_files(visual, link)
        # Materials of one name are one to ROS.
        own = f"{link.name}_{index}"
        for number, (url, color) in enumerate(files):
            mesh = format_element("mesh", {"filename": url})
            _write_visual(visual, mesh, f"{own}_{number}_color", color, xml)
        if not files:
            material = materials.find(visual, link)
            name = (material.name if material else "") or f"{own}_color"
            color = material.color if material else None
            _write_visual(visual, _format_shape(visual.geometry, robot), name, color, xml)


def _write_visual(
    visual: Visual, shape: str, name: str, color: Color | None, xml: XmlWriter
) -> None:
    with xml.element("visual"):
        _write_origin(visual.origin, xml)
        xml.verbatim(format_element("geometry", content=shape))
        if color is not None:
            rgba = format_element("color", {"rgba": color})
            xml.verbatim(format_element("material", {"name": name}, rgba))


def _format_shape(geometry: Geometry, robot: Robot) -> str:
    if isinstance(geometry, Box):
        return format_element("box", {"size": geometry.size})
    if isinstance(geometry, Sphere):
        return format_element("sphere", {"radius": geometry.radius})
    if isinstance(geometry, Mesh):
        uri = _mesh_uri(geometry.filename, robot)
        return format_element("mesh", {"filename": uri, "scale": geometry.scale})
    # RViz knows no capsules: a cylinder of the same length over all.
    extra = 2.0 * geometry.radius if isinstance(geometry, Capsule) else 0.0
    assert isinstance(geometry, Cylinder | Capsule)
    return format_element(
        "cylinder", {"radius": geometry.radius, "length": geometry.length + extra}
    )


def _mesh_uri(filename: str, robot: Robot) -> str:
    """RViz takes URIs only: a path is one on this computer, from the file that names it."""
    if filename.startswith(_SCHEMES):
        return filename
    beside = Path(robot.source).parent if robot.source else Path()
    return (beside / filename).absolute().as_uri()


def _write_joint(motion: JointMotion, ros: RosRobot, xml: XmlWriter) -> None:
    joint = motion.joint
    if motion.kind == "planar":
        _write_planar(motion, ros, xml)
        return
    names = ros.names.get(joint.name, ())
    name = names[0] if len(names) == 1 else joint.name
    kind = _type_of(motion)
    with xml.element("joint", {"name": name, "type": kind}):
        _write_origin(joint.origin, xml)
        _write_ends(joint.parent, joint.child, xml)
        if motion.is_scalar:
            lower = -1e5 if motion.lower is None else motion.lower
            upper = 1e5 if motion.upper is None else motion.upper
            bounds = {} if kind == "continuous" else {"lower": lower, "upper": upper}
            _write_axis(motion.axis, bounds, name, ros, xml)
        mimic = ros.masters.get(joint.name)
        if mimic is not None:
            leader = ros.names.get(mimic.joint, (mimic.joint,))[0]
            how = {"multiplier": mimic.multiplier, "offset": mimic.offset}
            xml.leaf("mimic", {"joint": leader, **how})


def _type_of(motion: JointMotion) -> str:
    """A ball is fixed in URDF's words: nothing drives it, and no frame could follow it."""
    if motion.kind == "revolute":
        return "continuous" if motion.lower is None or motion.upper is None else "revolute"
    if motion.kind == "spherical":
        return "floating"
    return motion.kind


def _write_ends(parent: str, child: str, xml: XmlWriter) -> None:
    xml.leaf("parent", {"link": parent})
    xml.leaf("child", {"link": child})


def _write_axis(
    axis: Iterable[float], bounds: Mapping[str, float], name: str, ros: RosRobot, xml: XmlWriter
) -> None:
    """Effort and speed are the motor's, which always has them."""
    xml.leaf("axis", {"xyz": axis})
    motor = ros.axes.get(name)
    effort, velocity = (motor.effort, motor.velocity) if motor is not None else (0.0, 0.0)
    xml.leaf("limit", {**bounds, "effort": effort, "velocity": velocity})


def _write_planar(motion: JointMotion, ros: RosRobot, xml: XmlWriter) -> None:
    """x, y and yaw, each with a frame of its own, named after the joint."""
    joint = motion.joint
    normal = np.array(motion.axis)
    u, v = plane_axes(normal)
    names = ros.names.get(joint.name, ())
    if len(names) != 3:
        names = tuple(f"{joint.name}_{letter}" for letter in ("x", "y", "yaw"))
    parent, origin = joint.parent, joint.origin
    for name, direction in zip(names, (u, v, normal), strict=True):
        turns = direction is normal
        child = joint.child if turns else f"{name}_frame"
        if not turns:
            xml.leaf("link", {"name": child})
        kind = "continuous" if turns else "prismatic"
        with xml.element("joint", {"name": name, "type": kind}):
            _write_origin(origin, xml)
            _write_ends(parent, child, xml)
            bounds = {} if turns else {"lower": -1e5, "upper": 1e5}
            _write_axis(direction.tolist(), bounds, name, ros, xml)
        parent, origin = child, Pose()


def _write_origin(pose: Pose, xml: XmlWriter) -> None:
    """ROS knows no quaternions in URDF."""
    quaternion = pose.quat_xyzw
    if quaternion is None:
        rpy = pose.rpy
    else:
        rpy = rpy_from_rotation(rotation_from_quaternion(quaternion))
    xml.leaf("origin", {"xyz": pose.xyz, "rpy": rpy})


def _write_webots(sensors: Sequence[SensorPlan], xml: XmlWriter) -> None:
    """The topics of the driver, and its settings; then its plugins, which follow the devices."""
    with xml.element("webots"):
        for sensor in sensors:
            for device in sensor.devices:
                if device.kind in PUBLISHED:
                    _write_device(device, sensor, xml)
        for sensor in sensors:
            _write_plugin(sensor, xml)
        xml.leaf("plugin", {"type": "webots_ros2_control::Ros2Control"})


def _write_device(device: DevicePlan, sensor: SensorPlan, xml: XmlWriter) -> None:
    place = {"reference": device.name, "type": device.kind}
    with xml.element("device", place), xml.element("ros"):
        stream = device.stream
        if device.kind in _IMAGES:
            stream = replace(stream, always_on=False)
        _write_stream(stream, sensor, device.name, xml)


def _write_plugin(sensor: SensorPlan, xml: XmlWriter) -> None:
    if sensor.type == "imu":
        with xml.element("plugin", {"type": "webots_ros2_driver::Ros2IMU"}):
            _write_stream(sensor.stream, sensor, sensor.name, xml)
            for device in sensor.devices:
                xml.verbatim(format_text(_IMU_DEVICES[device.kind], device.name))
    elif sensor.type == "rgbd":
        color, depth = sensor.devices
        with xml.element("plugin", {"type": "webots_ros2_driver::Ros2RGBD"}):
            stream = replace(sensor.stream, always_on=False)
            _write_stream(stream, sensor, f"{sensor.name}/points", xml)
            xml.verbatim(format_text("camera", color.name))
            xml.verbatim(format_text("rangeFinder", depth.name))


def _write_stream(stream: Stream, sensor: SensorPlan, name: str, xml: XmlWriter) -> None:
    topic = stream.topic or "/" + "/".join(_word(part) for part in name.split("/"))
    xml.leaf("enabled", text="true")
    if stream.rate:
        xml.leaf("updateRate", text=format_number(stream.rate))
    xml.leaf("topicName", text=topic)
    xml.leaf("alwaysOn", text="true" if stream.always_on else "false")
    xml.verbatim(format_text("frameName", stream.frame or sensor.link))


def _word(name: str) -> str:
    plain = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
    return f"_{plain}" if plain[:1].isdigit() or not plain else plain


def _write_control(ros: RosRobot, xml: XmlWriter) -> None:
    system = {"name": f"{ros.plan.robot.name}_webots", "type": "system"}
    with xml.element("ros2_control", system):
        with xml.element("hardware"):
            xml.leaf("plugin", text="webots_ros2_control::Ros2ControlSystem")
        for joint in ros.joints:
            with xml.element("joint", {"name": joint.name}):
                _write_control_joint(joint, xml)


def _write_control_joint(joint: RosJoint, xml: XmlWriter) -> None:
    """The start value is also the driver's first command; a follower gets no command."""
    xml.leaf("param", {"name": "sensor"}, joint.axis.sensor)
    if joint.command is not None:
        xml.leaf("command_interface", {"name": joint.command})
    with xml.element("state_interface", {"name": "position"}):
        if joint.command == "position":
            start = format_number(joint.axis.position + joint.axis.offset)
            xml.leaf("param", {"name": "initial_value"}, start)
    xml.leaf("state_interface", {"name": "velocity"})


def unpublished(sensors: Iterable[SensorPlan]) -> Iterator[tuple[SensorPlan, DevicePlan]]:
    """Yields the devices that the driver does not know, with their sensors."""
    for sensor in sensors:
        for device in sensor.devices:
            if device.kind not in PUBLISHED and device.kind not in _IMU_DEVICES:
                yield sensor, device
