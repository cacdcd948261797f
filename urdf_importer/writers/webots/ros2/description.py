# SPDX-License-Identifier: GPL-3.0-or-later
"""<robot>_webots.urdf: the description for ROS, with the tags of Webots' driver and ros2_control.

It holds the tree, the limits and the looks, so that robot_state_publisher, ros2_control and RViz
read the same file. A planar joint is three joints, as it is in Webots.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from ....geometry.transforms import plane_axes, rotation_from_quaternion
from ....kinematics.motion import JointMotion
from ....model import (
    Box,
    Capsule,
    Color,
    Cylinder,
    Geometry,
    Link,
    Mesh,
    Pose,
    Quaternion,
    Robot,
    Sphere,
    Stream,
    Vector3,
    Visual,
    VisualMaterials,
)
from ..sensors.plan import DevicePlan, SensorPlan
from ..vrml import write_number
from .interface import RosJoint, RosRobot

# What webots_ros2_driver publishes by itself.
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
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(robot.name)}>"]
    materials = VisualMaterials(robot)
    for link in ros.tree.links:
        lines += _link_lines(link, robot, materials, find_files, prefix)
    for index, motion in enumerate(ros.tree.motions):
        if motion is not None:
            lines += _joint_lines(motion, ros)
        elif index:
            lines += _root_lines(ros.tree.links[index].name, ros.tree.links[0].name)
    lines += ["  <webots>", *_indent(_webots_lines(sensors), 2), "  </webots>"]
    lines += _indent(_control_lines(ros), 1)
    return "\n".join([*lines, "</robot>", ""])


def _link_lines(
    link: Link, robot: Robot, materials: VisualMaterials, find_files: FindFiles, prefix: str
) -> list[str]:
    visuals: list[str] = []
    for index, visual in enumerate(link.visuals):
        files = find_files(visual, link)
        # Materials of one name are one to ROS.
        own = f"{link.name}_{index}"
        for number, (url, color) in enumerate(files):
            mesh = f"<mesh filename={quoteattr(prefix + url)}/>"
            visuals += _visual_lines(visual, mesh, f"{own}_{number}_color", color)
        if not files:
            material = materials.find(visual, link)
            name = (material.name if material else "") or f"{own}_color"
            color = material.color if material else None
            visuals += _visual_lines(visual, _geometry(visual.geometry, robot), name, color)
    if not visuals:
        return [f"  <link name={quoteattr(link.name)}/>"]
    return [f"  <link name={quoteattr(link.name)}>", *_indent(visuals, 2), "  </link>"]


def _visual_lines(visual: Visual, geometry: str, name: str, color: Color | None) -> Iterator[str]:
    yield "<visual>"
    yield f"  {_origin(visual.origin)}"
    yield f"  <geometry>{geometry}</geometry>"
    if color is not None:
        rgba = quoteattr(_numbers(color))
        yield f"  <material name={quoteattr(name)}><color rgba={rgba}/></material>"
    yield "</visual>"


def _geometry(geometry: Geometry, robot: Robot) -> str:
    if isinstance(geometry, Box):
        return f"<box size={quoteattr(_numbers(geometry.size))}/>"
    if isinstance(geometry, Sphere):
        return f'<sphere radius="{write_number(geometry.radius)}"/>'
    if isinstance(geometry, Mesh):
        file = quoteattr(_mesh_uri(geometry.filename, robot))
        return f"<mesh filename={file} scale={quoteattr(_numbers(geometry.scale))}/>"
    # RViz knows no capsules: a cylinder of the same length over all.
    extra = 2.0 * geometry.radius if isinstance(geometry, Capsule) else 0.0
    assert isinstance(geometry, Cylinder | Capsule)
    radius, length = write_number(geometry.radius), write_number(geometry.length + extra)
    return f'<cylinder radius="{radius}" length="{length}"/>'


def _mesh_uri(filename: str, robot: Robot) -> str:
    """Returns the URI of a mesh, since RViz takes nothing else: a path is one on this computer,
    from the file that names it."""
    if filename.startswith(_SCHEMES):
        return filename
    beside = Path(robot.source).parent if robot.source else Path()
    return (beside / filename).absolute().as_uri()


def _joint_lines(motion: JointMotion, ros: RosRobot) -> list[str]:
    joint = motion.joint
    if motion.kind == "planar":
        return _planar_lines(motion, ros)
    names = ros.names.get(joint.name, ())
    name = names[0] if len(names) == 1 else joint.name
    return _one_joint(name, _type_of(motion), joint.parent, joint.child, joint.origin, motion, ros)


def _type_of(motion: JointMotion) -> str:
    """Returns URDF's type of a joint. A ball is fixed in URDF: nothing drives it, and no frame
    could follow it."""
    if motion.kind == "revolute":
        return "continuous" if motion.lower is None or motion.upper is None else "revolute"
    if motion.kind == "spherical":
        return "floating"
    return motion.kind


def _one_joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    origin: Pose,
    motion: JointMotion,
    ros: RosRobot,
) -> list[str]:
    lines = [
        f"  <joint name={quoteattr(name)} type={quoteattr(kind)}>",
        f"    {_origin(origin)}",
        f"    <parent link={quoteattr(parent)}/>",
        f"    <child link={quoteattr(child)}/>",
    ]
    if motion.is_scalar:
        lines.append(f"    <axis xyz={quoteattr(_numbers(motion.axis))}/>")
        lines.append(f"    {_limit(motion, name, kind, ros)}")
    mimic = ros.masters.get(motion.joint.name)
    leader = ros.names.get(mimic.joint, (mimic.joint,))[0] if mimic is not None else ""
    if mimic is not None:
        lines.append(
            f'    <mimic joint={quoteattr(leader)} multiplier="{write_number(mimic.multiplier)}" '
            f'offset="{write_number(mimic.offset)}"/>'
        )
    return [*lines, "  </joint>"]


def _limit(motion: JointMotion, name: str, kind: str, ros: RosRobot) -> str:
    """Returns the limits. Effort and speed are those of the motor, which always has them."""
    axis = ros.axes.get(name)
    effort, velocity = (axis.effort, axis.velocity) if axis is not None else (0.0, 0.0)
    bounds = ""
    if kind != "continuous":
        lower = -1e5 if motion.lower is None else motion.lower
        upper = 1e5 if motion.upper is None else motion.upper
        bounds = f'lower="{write_number(lower)}" upper="{write_number(upper)}" '
    return f'<limit {bounds}effort="{write_number(effort)}" velocity="{write_number(velocity)}"/>'


def _planar_lines(motion: JointMotion, ros: RosRobot) -> list[str]:
    """Returns x, y and yaw as joints, each with a frame of its own, named after the joint."""
    joint = motion.joint
    normal = np.array(motion.axis)
    u, v = plane_axes(normal)
    names = ros.names.get(joint.name, ())
    if len(names) != 3:
        names = tuple(f"{joint.name}_{letter}" for letter in ("x", "y", "yaw"))
    lines: list[str] = []
    parent, origin = joint.parent, joint.origin
    for name, direction in zip(names, (u, v, normal), strict=True):
        turns = direction is normal
        child = joint.child if turns else f"{name}_frame"
        if not turns:
            lines.append(f"  <link name={quoteattr(child)}/>")
        axis = ros.axes.get(name)
        effort, velocity = (axis.effort, axis.velocity) if axis is not None else (0.0, 0.0)
        bounds = "" if turns else 'lower="-100000" upper="100000" '
        lines += [
            f'  <joint name={quoteattr(name)} type="{"continuous" if turns else "prismatic"}">',
            f"    {_origin(origin)}",
            f"    <parent link={quoteattr(parent)}/>",
            f"    <child link={quoteattr(child)}/>",
            f"    <axis xyz={quoteattr(_numbers(direction.tolist()))}/>",
            f'    <limit {bounds}effort="{write_number(effort)}" '
            f'velocity="{write_number(velocity)}"/>',
            "  </joint>",
        ]
        parent, origin = child, Pose()
    return lines


def _root_lines(link: str, root: str) -> list[str]:
    """A second root is fixed to the first, as it is in Webots."""
    return [
        f'  <joint name={quoteattr(f"{link}_to_root")} type="fixed">',
        f"    <parent link={quoteattr(root)}/>",
        f"    <child link={quoteattr(link)}/>",
        "  </joint>",
    ]


def _origin(pose: Pose) -> str:
    rpy = pose.rpy if pose.quat_xyzw is None else _angles(pose.quat_xyzw)
    return f"<origin xyz={quoteattr(_numbers(pose.xyz))} rpy={quoteattr(_numbers(rpy))}/>"


def _angles(quat_xyzw: Quaternion) -> Vector3:
    """Roll, pitch and yaw: ROS knows no quaternions in URDF."""
    r = rotation_from_quaternion(quat_xyzw)
    pitch = math.asin(max(-1.0, min(1.0, -float(r[2, 0]))))
    if abs(r[2, 0]) > 1.0 - 1e-12:
        return 0.0, pitch, math.atan2(-float(r[0, 1]), float(r[1, 1]))
    roll = math.atan2(float(r[2, 1]), float(r[2, 2]))
    return roll, pitch, math.atan2(float(r[1, 0]), float(r[0, 0]))


def _webots_lines(sensors: Iterable[SensorPlan]) -> Iterator[str]:
    """Yields what the driver publishes, and how; then its plugins, which come after the devices."""
    plugins: list[str] = []
    for sensor in sensors:
        for device in sensor.devices:
            if device.kind in PUBLISHED:
                yield f"<device reference={quoteattr(device.name)} type={quoteattr(device.kind)}>"
                yield "  <ros>"
                stream = device.stream
                if device.kind in _IMAGES:
                    stream = replace(stream, always_on=False)
                yield from _indent(_stream_lines(stream, sensor, device.name), 2)
                yield "  </ros>"
                yield "</device>"
        plugins += _plugin_lines(sensor)
    yield from plugins
    yield '<plugin type="webots_ros2_control::Ros2Control"/>'


def _plugin_lines(sensor: SensorPlan) -> Iterator[str]:
    if sensor.type == "imu":
        yield '<plugin type="webots_ros2_driver::Ros2IMU">'
        yield from _indent(_stream_lines(sensor.stream, sensor, sensor.name), 1)
        for device in sensor.devices:
            yield f"  {_tag(_IMU_DEVICES[device.kind], device.name)}"
        yield "</plugin>"
    elif sensor.type == "rgbd":
        color, depth = sensor.devices
        yield '<plugin type="webots_ros2_driver::Ros2RGBD">'
        stream = replace(sensor.stream, always_on=False)
        yield from _indent(_stream_lines(stream, sensor, f"{sensor.name}/points"), 1)
        yield f"  {_tag('camera', color.name)}"
        yield f"  {_tag('rangeFinder', depth.name)}"
        yield "</plugin>"


def _stream_lines(stream: Stream, sensor: SensorPlan, name: str) -> Iterator[str]:
    topic = stream.topic or "/" + "/".join(_word(part) for part in name.split("/"))
    yield _tag("enabled", "true")
    if stream.rate:
        yield _tag("updateRate", write_number(stream.rate))
    yield _tag("topicName", topic)
    yield _tag("alwaysOn", "true" if stream.always_on else "false")
    yield _tag("frameName", stream.frame or sensor.link)


def _word(name: str) -> str:
    plain = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
    return f"_{plain}" if plain[:1].isdigit() or not plain else plain


def _control_lines(ros: RosRobot) -> Iterator[str]:
    yield f'<ros2_control name={quoteattr(f"{ros.plan.robot.name}_webots")} type="system">'
    yield "  <hardware>"
    yield "    <plugin>webots_ros2_control::Ros2ControlSystem</plugin>"
    yield "  </hardware>"
    for joint in ros.joints:
        yield from _indent(_control_joint(joint), 1)
    yield "</ros2_control>"


def _control_joint(joint: RosJoint) -> Iterator[str]:
    """The start value is also what the driver commands first; a follower gets no command."""
    yield f"<joint name={quoteattr(joint.name)}>"
    yield f'  <param name="sensor">{escape(joint.axis.sensor)}</param>'
    if joint.command is not None:
        yield f'  <command_interface name="{joint.command}"/>'
    if joint.command == "position":
        start = write_number(joint.axis.position + joint.axis.offset)
        yield '  <state_interface name="position">'
        yield f'    <param name="initial_value">{start}</param>'
        yield "  </state_interface>"
    else:
        yield '  <state_interface name="position"/>'
    yield '  <state_interface name="velocity"/>'
    yield "</joint>"


def unpublished(sensors: Iterable[SensorPlan]) -> Iterator[tuple[SensorPlan, DevicePlan]]:
    """Yields the devices that the driver does not know, with their sensors."""
    for sensor in sensors:
        for device in sensor.devices:
            if device.kind not in PUBLISHED and device.kind not in _IMU_DEVICES:
                yield sensor, device


def _tag(tag: str, text: str) -> str:
    return f"<{tag}>{escape(text)}</{tag}>"


def _numbers(values: Iterable[float]) -> str:
    return " ".join(write_number(value) for value in values)


def _indent(lines: Iterable[str], levels: int) -> list[str]:
    return [f"{'  ' * levels}{line}" for line in lines]
