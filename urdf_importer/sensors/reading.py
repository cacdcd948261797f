# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a description writes its sensors, and what each is called.

<gazebo reference="link"><sensor type="...">   Gazebo, classic and new
<gazebo reference="link"><sensor:camera>       Gazebo before SDF, angles in degrees
<sensor><parent link="..."/><camera/></sensor> URDF's own, which nobody finished
<link><sensor type="...">                      some exporters
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..diagnostics import quote
from ..geometry.transforms import Matrix, matrix_from_pose
from ..markup.elements import Element, parse_extra, split_numbers
from ..model import Extra, Joint, Pose, Robot

Dialect = Literal["sdf", "old", "urdf"]
# drop(name, reason, line) says that a sensor is lost: "sensor 'name' reason".
Drop = Callable[[str, str, int], None]

# What the types of all dialects are here.
TYPES = {
    "camera": "camera",
    "wideanglecamera": "wide",
    "wideangle_camera": "wide",
    "wide_angle_camera": "wide",
    "multicamera": "multicamera",
    "depth": "depth",
    "depth_camera": "depth",
    "rgbd": "rgbd",
    "rgbd_camera": "rgbd",
    "ray": "lidar",
    "gpu_ray": "lidar",
    "lidar": "lidar",
    "gpu_lidar": "lidar",
    "laser": "lidar",
    "sonar": "sonar",
    "imu": "imu",
    "contact": "contact",
    "force_torque": "force",
    "gps": "gps",
    "navsat": "gps",
    "magnetometer": "compass",
    "altimeter": "altimeter",
}
# From z forward, x right (what URDF's cameras look along) to x forward, z up.
_OPTICAL = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WrittenSensor:
    """`word` is the type as written, in lower case ("" for none), `type` the value of TYPES for it
    ("" for none), `reference` the link or joint that it is on, as written."""

    element: Element
    word: str
    type: str
    name: str
    reference: str
    dialect: Dialect

    @property
    def line(self) -> int:
        return self.element.line


class Places:
    """The links and joints of a robot, by name, that sensors can be on."""

    def __init__(self, robot: Robot) -> None:
        self.links = {link.name for link in robot.links}
        self.links |= {name for joint in robot.joints for name in (joint.parent, joint.child)}
        self.joints: Mapping[str, Joint] = {joint.name: joint for joint in robot.joints}

    def find_link(self, sensor: WrittenSensor) -> tuple[str, str]:
        """The link that a sensor is on and ""; or "" and the reason why it is on none."""
        reference = sensor.reference
        if sensor.type == "force" and reference in self.joints:
            return self.joints[reference].child, ""
        if reference in self.links:
            return reference, ""
        if reference in self.joints:
            return "", f"is on joint {quote(reference)}, where only force sensors can be"
        if reference:
            return "", f"is on {quote(reference)}, which is no link of the robot"
        return "", "names no link to be on"


def find_sensors(robot: Robot, drop: Drop) -> Iterator[WrittenSensor]:
    """The sensors in the order of the file, those of unknown types too; `drop` is called for what
    cannot be read."""
    for extra, reference in _extras(robot):
        if extra.tag != "sensor" and "sensor" not in extra.xml:
            continue
        element = parse_extra(extra)
        if element is None:
            drop(reference or extra.tag, "is no XML", extra.line)
            continue
        yield from _sensors_of(element, reference)


def unknown_type(sensor: WrittenSensor, simulator: str) -> str:
    """The reason why a sensor is lost whose type a simulator does not have."""
    if not sensor.word:
        return "has no type"
    return f"is of the type {quote(sensor.word)}, which {simulator} does not have"


def frame_of(element: Element, dialect: Dialect, *, looks: bool = False) -> Matrix:
    """The frame (4, 4) that an element's <pose> or <origin> sets, in the frame that holds it;
    URDF's own sensors that `look` are in an optical frame."""
    frame = matrix_from_pose(_pose_of(element))
    if dialect == "urdf" and looks:
        frame[:3, :3] = frame[:3, :3] @ _OPTICAL
    return frame


def felt_collisions(sensor: WrittenSensor) -> tuple[str, ...]:
    """The names of the collisions that a contact sensor feels with; none for all of its link."""
    contact = sensor.element.find("contact") or sensor.element
    return tuple(c.text for c in contact.all("collision") if c.text)


def joint_above(robot: Robot, link: str) -> Joint | None:
    return next((joint for joint in robot.joints if joint.child == link), None)


def _extras(robot: Robot) -> Iterator[tuple[Extra, str]]:
    """All that may hold sensors, with the name of the link or joint that it stands in."""
    for link in robot.links:
        for extra in link.extras:
            yield extra, link.name
    for joint in robot.joints:
        for extra in joint.extras:
            yield extra, joint.name
    for extra in robot.extras:
        yield extra, ""


def _sensors_of(element: Element, inside: str) -> Iterator[WrittenSensor]:
    if element.tag == "sensor":
        yield _read(element, inside)
    elif element.tag == "gazebo":
        reference = element.attributes.get("reference", "").strip() or inside
        for child in element.children:
            if child.tag == "sensor" or child.prefix == "sensor":
                yield _read(child, reference)


def _read(element: Element, inside: str) -> WrittenSensor:
    parent = element.find("parent")
    reference = inside or ("" if parent is None else parent.read("link", "joint"))
    word, dialect = _type_of(element)
    return WrittenSensor(
        element=element,
        word=word,
        type=TYPES.get(word, ""),
        name=element.attributes.get("name", "").strip() or f"{reference}_{word or 'sensor'}",
        reference=reference,
        dialect=dialect,
    )


def _type_of(element: Element) -> tuple[str, Dialect]:
    if element.prefix == "sensor":
        return element.tag, "old"
    word = element.attributes.get("type", "").strip().lower()
    if word:
        return word, "sdf"
    return next((c.tag for c in element.children if c.tag in ("camera", "ray")), ""), "urdf"


def _pose_of(element: Element) -> Pose:
    """SDF writes a text of six numbers (or seven with a quaternion), URDF attributes."""
    origin = element.find("origin")
    if origin is not None and origin.attributes:
        xyz = _three(origin.attributes.get("xyz", ""))
        return Pose(xyz=xyz, rpy=_three(origin.attributes.get("rpy", "")))
    pose = element.find("pose")
    numbers = split_numbers(pose.text) if pose is not None else ()
    if pose is None or len(numbers) < 6:
        return Pose(xyz=_three(origin.text if origin is not None else ""))
    x, y, z, *turn = numbers
    if len(turn) == 4 and pose.attributes.get("rotation_format") == "quat_xyzw":
        qx, qy, qz, qw = turn
        return Pose(xyz=(x, y, z), quat_xyzw=(qx, qy, qz, qw))
    in_degrees = pose.attributes.get("degrees", "").strip().lower() in ("1", "true")
    roll, pitch, yaw = np.radians(turn[:3]).tolist() if in_degrees else turn[:3]
    return Pose(xyz=(x, y, z), rpy=(roll, pitch, yaw))


def _three(text: str) -> tuple[float, float, float]:
    numbers = split_numbers(text)
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) >= 3 else (0.0, 0.0, 0.0)
