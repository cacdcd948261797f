# SPDX-License-Identifier: GPL-3.0-or-later
"""Common parts of all sensors: a kind and a name, a place, a stream, noise.

A sensor's rate, and its names in ROS, are in the sensor itself (new Gazebo) or in the plugin that
publishes it (classic, each plugin with words of its own).
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

from ..markup.elements import ExtraElement, split_numbers
from ..model import Noise, Pose, Stream

Dialect = Literal["sdf", "old", "urdf"]

KINDS = {
    **{word: word for word in ("camera", "multicamera", "sonar", "imu", "contact", "altimeter")},
    **dict.fromkeys(("wideanglecamera", "wideangle_camera", "wide_angle_camera"), "wide"),
    **dict.fromkeys(("depth", "depth_camera"), "depth"),
    **dict.fromkeys(("rgbd", "rgbd_camera"), "rgbd"),
    **dict.fromkeys(("ray", "gpu_ray", "lidar", "gpu_lidar", "laser"), "lidar"),
    **dict.fromkeys(("gps", "navsat"), "gps"),
    "logical_camera": "logical",
    "force_torque": "force",
    "magnetometer": "compass",
    "air_pressure": "pressure",
}
"""The kinds here for the types of all dialects."""

_FRAMES = (
    "optical_frame_id",
    "gz_optical_frame_id",
    "gz_frame_id",
    "ignition_frame_id",
    "frame_name",
    "frame_id",
    "framename",
    "frameid",
)
_TOPICS = ("topicname", "topic_name", "bumpertopicname", "imagetopicname")
DEPTH_TOPICS = ("depthimagetopicname",)
"""Topics of depths as a picture."""
CLOUD_TOPICS = ("pointcloudtopicname",)
"""Topics of depths as points."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Head:
    """A sensor's element, and its common data: `kind` is a value of KINDS, "" for an unknown one;
    `common` are the fields of model.Sensor."""

    element: ExtraElement
    dialect: Dialect
    kind: str
    common: dict[str, Any]


def read_head(element: ExtraElement, inside: str) -> Head:
    """Reads the common data of all sensors; `inside` is the link or joint that the element is
    written for, "" for none: then its <parent> names it."""
    parent = element.find("parent")
    reference = inside or ("" if parent is None else parent.read("link", "joint"))
    word, dialect = _type_of(element)
    common = {
        "name": element.attributes.get("name", "").strip() or f"{reference}_{word or 'sensor'}",
        "word": word,
        "reference": reference,
        "origin": read_pose(element),
        # URDF's own sensors look along z, as its cameras do.
        "is_optical": dialect == "urdf",
        "stream": read_stream(element),
        "line": element.line,
    }
    return Head(element=element, dialect=dialect, kind=KINDS.get(word, ""), common=common)


def _type_of(element: ExtraElement) -> tuple[str, Dialect]:
    if element.prefix == "sensor":
        return element.tag, "old"
    word = element.attributes.get("type", "").strip().lower()
    if word:
        return word, "sdf"
    return next((c.tag for c in element.children if c.tag in ("camera", "ray")), ""), "urdf"


def read_pose(element: ExtraElement) -> Pose:
    """Reads the <pose> or <origin> of an element: SDF writes a text of six numbers (or seven with a
    quaternion), URDF attributes."""
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
    roll, pitch, yaw = map(math.radians, turn[:3]) if in_degrees else turn[:3]
    return Pose(xyz=(x, y, z), rpy=(roll, pitch, yaw))


def _three(text: str) -> tuple[float, float, float]:
    numbers = split_numbers(text)
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) >= 3 else (0.0, 0.0, 0.0)


def read_noise(noise: ExtraElement | None) -> Noise:
    """Reads a <noise>, if there is one."""
    if noise is None:
        return Noise()
    return Noise(abs(noise.number("stddev") or 0.0), noise.number("mean") or 0.0)


def has_noise(element: ExtraElement | None) -> bool:
    """Returns whether any noise within is not zero."""
    words = ("stddev", "bias_mean", "bias_stddev", "mean")
    within = element.walk() if element is not None else ()
    return any(e.tag in words and e.text.strip("0. ") for e in within)


def read_stream(sensor: ExtraElement) -> Stream:
    """Reads the ROS interface of a sensor, from it and its plugins."""
    return Stream(
        topic=find_topic(sensor, _TOPICS),
        frame=_find(sensor, _FRAMES),
        rate=_read_rate(sensor),
        always_on=sensor.flag("always_on", "alwayson") or False,
    )


def _read_rate(sensor: ExtraElement) -> float:
    """Reads the rate in Hz; 0 where the sensor measures whenever it can."""
    rate = sensor.number("update_rate", "updaterate")
    if rate is None:
        rate = next((r for p in list_plugins(sensor) if (r := p.number("updaterate"))), None)
    return rate if rate is not None and rate > 0.0 else 0.0


def plugin_files(sensor: ExtraElement) -> str:
    """Returns the file names of the plugins, in lower case."""
    return " ".join(
        f"{p.attributes.get('filename', '')} {p.attributes.get('plugin', '')} {p.tag}".lower()
        for p in list_plugins(sensor)
    )


def make_topic(name: str) -> str:
    """Returns a name that ROS takes: words of letters, digits and _, with / between them."""
    words = []
    for word in name.strip().strip("~").strip("/").split("/"):
        plain = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in word)
        if plain:
            words.append(f"_{plain}" if plain[0].isdigit() else plain)
    return f"/{'/'.join(words)}" if words else ""


def list_plugins(sensor: ExtraElement) -> list[ExtraElement]:
    """Returns the programs that an element has."""
    return [c for c in sensor.children if c.tag == "plugin" or c.prefix == "controller"]


def _find(sensor: ExtraElement, names: tuple[str, ...]) -> str:
    return next((text for e in (sensor, *list_plugins(sensor)) if (text := e.read(*names))), "")


def find_topic(sensor: ExtraElement, names: tuple[str, ...]) -> str:
    """Reads a topic; "" for none. In a plugin, an image's topic is below the name of its camera."""
    if names is _TOPICS:
        own = sensor.read("topic") or _remapped(sensor)
        if own:
            return make_topic(own)
    for plugin in list_plugins(sensor):
        topic = plugin.read(*names)
        if topic:
            camera = plugin.read("cameraname", "camera_name")
            below = camera and "image" in "".join(names) and not topic.startswith("/")
            return make_topic(f"{camera}/{topic}" if below else topic)
    return ""


def _remapped(sensor: ExtraElement) -> str:
    """<ros><namespace>/arm</namespace><remapping>~/out:=scan</remapping></ros>"""
    for plugin in list_plugins(sensor):
        ros = plugin.find("ros")
        target = ros.read("remapping").partition(":=")[2].strip() if ros is not None else ""
        if ros is not None and target:
            space = ros.read("namespace")
            return target if target.startswith("/") or not space else f"{space}/{target}"
    return ""
