# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a sensor measures, and under which names ROS gets it.

Gazebo's sensors say so in the sensor itself (new) or in the plugin that publishes it (classic, each
plugin with words of its own).
"""

from dataclasses import dataclass

from ..markup.elements import Element

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
_DEPTH_TOPICS = ("depthimagetopicname",)
_CLOUD_TOPICS = ("pointcloudtopicname",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """How ROS gets what a sensor measures; `rate` in Hz, 0 for every step. Names are empty where
    the description has none."""

    topic: str = ""
    frame: str = ""
    rate: float = 0.0
    always_on: bool = False


def read_stream(sensor: Element) -> Stream:
    """Of a sensor and its plugins."""
    return Stream(
        topic=_find_topic(sensor, _TOPICS),
        frame=_find(sensor, _FRAMES),
        rate=find_rate(sensor),
        always_on=sensor.flag("always_on", "alwayson") or False,
    )


def depth_topic(sensor: Element) -> str:
    return _find_topic(sensor, _DEPTH_TOPICS)


def cloud_topic(sensor: Element) -> str:
    return _find_topic(sensor, _CLOUD_TOPICS)


def find_rate(sensor: Element) -> float:
    """Hz; 0 where the sensor measures whenever it can."""
    rate = sensor.number("update_rate", "updaterate")
    if rate is None:
        rate = next((r for p in _plugins(sensor) if (r := p.number("updaterate"))), None)
    return rate if rate is not None and rate > 0.0 else 0.0


def plugin_files(sensor: Element) -> str:
    """What the plugins are called, in lower case."""
    return " ".join(
        f"{p.attributes.get('filename', '')} {p.attributes.get('plugin', '')} {p.tag}".lower()
        for p in _plugins(sensor)
    )


def make_topic(name: str) -> str:
    """A name that ROS takes: words of letters, digits and _, with / between them."""
    words = []
    for word in name.strip().strip("~").strip("/").split("/"):
        plain = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in word)
        if plain:
            words.append(f"_{plain}" if plain[0].isdigit() else plain)
    return f"/{'/'.join(words)}" if words else ""


def _plugins(sensor: Element) -> list[Element]:
    return [c for c in sensor.children if c.tag == "plugin" or c.prefix == "controller"]


def _find(sensor: Element, names: tuple[str, ...]) -> str:
    return next((text for e in (sensor, *_plugins(sensor)) if (text := e.read(*names))), "")


def _find_topic(sensor: Element, names: tuple[str, ...]) -> str:
    """In a plugin, an image's topic stands below the name of its camera."""
    if names is _TOPICS:
        own = sensor.read("topic") or _remapped(sensor)
        if own:
            return make_topic(own)
    for plugin in _plugins(sensor):
        topic = plugin.read(*names)
        if topic:
            camera = plugin.read("cameraname", "camera_name")
            below = camera and "image" in "".join(names) and not topic.startswith("/")
            return make_topic(f"{camera}/{topic}" if below else topic)
    return ""


def _remapped(sensor: Element) -> str:
    """<ros><namespace>/arm</namespace><remapping>~/out:=scan</remapping></ros>"""
    for plugin in _plugins(sensor):
        ros = plugin.find("ros")
        target = ros.read("remapping").partition(":=")[2].strip() if ros is not None else ""
        if ros is not None and target:
            space = ros.read("namespace")
            return target if target.startswith("/") or not space else f"{space}/{target}"
    return ""
