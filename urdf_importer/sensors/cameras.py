# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras of all kinds: where they stand, what they see, and how ROS gets it."""

import math
from dataclasses import dataclass, replace

from ..geometry.transforms import Matrix
from ..markup.elements import Element
from .noise import Noise, read_noise
from .reading import WrittenSensor, frame_of
from .streams import Stream, cloud_topic, depth_topic, plugin_files, read_stream

WIDEST_PLANE = math.pi - 1e-3
"""Radians: what a plane picture can hold across."""
_WIDTH, _HEIGHT, _FIELD_OF_VIEW = 320, 240, 1.047
_NEAR, _FAR = 0.1, 100.0
_LEAST_NEAR = 0.001
_MOST_PIXELS = 16384
# Plugins of classic depth sensors that publish colours as well.
_COLOR_TOO = ("openni_kinect", "depth_camera", "realsense", "gazebo_ros_camera")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """Brown's distortion; `center` as shares of the picture, None for its middle."""

    radial: tuple[float, float]
    tangential: tuple[float, float]
    center: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """What one camera sees along +x of `frame` (4, 4 in the frame of the link), with z up.

    label          what tells it from other cameras of the sensor; "" for the only one
    width, height  pixels
    field_of_view  radians across, at most a whole turn
    near, far      metres: what is between them is seen
    depth          metres, (near, far): between them depth is measured
    noise          of colours from 0 to 1, or of depths in metres
    """

    label: str
    frame: Matrix
    width: int
    height: int
    field_of_view: float
    near: float
    far: float
    depth: tuple[float, float]
    noise: Noise
    lens: Lens | None
    is_color: bool
    stream: Stream


def read_pictures(sensor: WrittenSensor) -> list[Picture]:
    """Of all cameras of a sensor: one, or as many as a multicamera has, be it none."""
    stream = read_stream(sensor.element)
    if sensor.type != "multicamera":
        element = sensor.element.find("camera") or sensor.element
        return [_read(sensor, element, _frame(sensor, element), "", stream)]
    pictures = []
    for index, element in enumerate(sensor.element.all("camera")):
        label = element.attributes.get("name", "").strip() or str(index)
        frame = frame_of(sensor.element, "sdf") @ frame_of(element, "sdf")
        own = replace(stream, topic=f"{stream.topic}/{label}" if stream.topic else "")
        pictures.append(_read(sensor, element, frame, label, own))
    return pictures


def kind_of(sensor: WrittenSensor) -> str:
    """The sensor's type; "rgbd" where a depth sensor's plugin publishes colours too."""
    files = plugin_files(sensor.element)
    if sensor.type == "depth" and any(word in files for word in _COLOR_TOO):
        return "rgbd"
    return sensor.type


def read_depth_stream(sensor: WrittenSensor, kind: str) -> Stream:
    """How ROS gets the depths of a sensor of the kind "depth" or "rgbd"."""
    stream = read_stream(sensor.element)
    topic = stream.topic
    if kind == "rgbd":
        topic = f"{topic}/depth_image" if topic else ""
    return replace(stream, topic=depth_topic(sensor.element) or topic)


def point_cloud_topic(sensor: WrittenSensor) -> str:
    topic = read_stream(sensor.element).topic
    return cloud_topic(sensor.element) or (f"{topic}/points" if topic else "")


def read_field_of_view(sensor: WrittenSensor, element: Element) -> float:
    """Of a camera's element: radians across, as written or Gazebo's own 60 degrees."""
    image = element.find("image")
    angle = element.number("horizontal_fov", "hfov")
    if angle is None and image is not None:
        angle = image.number("hfov")
    if angle is None or angle <= 0.0:
        return _FIELD_OF_VIEW
    return math.radians(angle) if sensor.dialect == "old" else angle


def _read(
    sensor: WrittenSensor, element: Element, frame: Matrix, label: str, stream: Stream
) -> Picture:
    width, height = _read_size(element)
    near, far = _read_clip(element)
    return Picture(
        label=label,
        frame=frame,
        width=width,
        height=height,
        field_of_view=min(read_field_of_view(sensor, element), 2.0 * math.pi),
        near=near,
        far=far,
        depth=_read_clip(element.find("depth_camera") or element, element),
        noise=read_noise(element.find("noise")),
        lens=_read_lens(element.find("distortion")),
        is_color=_is_color(element.find("image")),
        stream=stream,
    )


def _frame(sensor: WrittenSensor, camera: Element) -> Matrix:
    frame = frame_of(sensor.element, sensor.dialect, looks=True)
    if camera is sensor.element:
        return frame
    placed: Matrix = frame @ frame_of(camera, "sdf")
    return placed


def _read_size(element: Element) -> tuple[int, int]:
    image = element.find("image")
    size = element.numbers("imagesize")
    if image is not None:
        size = (image.number("width") or _WIDTH, image.number("height") or _HEIGHT)
    width, height = size[:2] if len(size) >= 2 else (_WIDTH, _HEIGHT)
    return min(max(int(width), 1), _MOST_PIXELS), min(max(int(height), 1), _MOST_PIXELS)


def _read_clip(*elements: Element) -> tuple[float, float]:
    """The nearest and the farthest that is seen, by the first element that says so."""
    near = far = None
    for element in elements:
        for place in (element.find("clip"), element.find("image"), element):
            if place is None:
                continue
            near = place.number("near", "nearclip") if near is None else near
            far = place.number("far", "farclip") if far is None else far
    near = _NEAR if near is None else max(near, _LEAST_NEAR)
    far = _FAR if far is None else far
    return near, far if far > near else near + _FAR


def _read_lens(distortion: Element | None) -> Lens | None:
    """None for a lens that bends nothing."""
    if distortion is None:
        return None
    k1, k2 = (distortion.number(word) or 0.0 for word in ("k1", "k2"))
    p1, p2 = (distortion.number(word) or 0.0 for word in ("p1", "p2"))
    if not any((k1, k2, p1, p2)):
        return None
    center = distortion.numbers("center")
    return Lens(
        radial=(k1, k2),
        tangential=(p1, p2),
        center=(center[0], center[1]) if len(center) == 2 else None,
    )


def _is_color(image: Element | None) -> bool:
    written = image.read("format").upper() if image is not None else ""
    return not written or not written.startswith(("L", "MONO", "GR"))
