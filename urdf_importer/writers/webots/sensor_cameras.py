# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras, which look along +x with z up: Camera for colours, RangeFinder for depths."""

import math
from dataclasses import replace

from ...kinematics.transforms import Matrix
from .elements import Element
from .sensor_plan import DevicePlan, Stream
from .sensor_reading import WrittenSensor, frame_of
from .sensor_streams import cloud_topic, depth_topic, plugin_files, read_stream
from .vrml import Node, Value

_WIDTH, _HEIGHT, _FIELD_OF_VIEW = 320, 240, 1.047
_NEAR, _FAR = 0.1, 100.0
_LEAST_NEAR = 0.001
_MOST_PIXELS = 16384
_WIDEST_PLANE = math.pi - 1e-3
# Plugins of classic depth sensors that publish colours as well.
_COLOR_TOO = ("openni_kinect", "depth_camera", "realsense", "gazebo_ros_camera")


def plan_camera(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    element = _camera_of(sensor.element)
    frame = _frame(sensor, element)
    return [_camera(sensor, element, frame, sensor.name, read_stream(sensor.element), notes)]


def plan_multicamera(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    stream = read_stream(sensor.element)
    devices = []
    for index, element in enumerate(sensor.element.all("camera")):
        own = element.attributes.get("name", "").strip() or str(index)
        place = frame_of(sensor.element, "sdf") @ frame_of(element, "sdf")
        named = replace(stream, topic=f"{stream.topic}/{own}" if stream.topic else "")
        devices.append(_camera(sensor, element, place, f"{sensor.name}_{own}", named, notes))
    return devices


def plan_depth(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    element = _camera_of(sensor.element)
    stream = read_stream(sensor.element)
    stream = replace(stream, topic=depth_topic(sensor.element) or stream.topic)
    return [_depth(sensor, element, _frame(sensor, element), sensor.name, stream)]


def plan_rgbd(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    """Colours and depths from one place, with one size and field of view."""
    element = _camera_of(sensor.element)
    frame = _frame(sensor, element)
    stream = read_stream(sensor.element)
    below = f"{stream.topic}/depth_image" if stream.topic else ""
    depth = replace(stream, topic=depth_topic(sensor.element) or below)
    return [
        _camera(sensor, element, frame, f"{sensor.name}_color", stream, notes),
        _depth(sensor, element, frame, f"{sensor.name}_depth", depth),
    ]


def gives_color(sensor: WrittenSensor) -> bool:
    """Whether a classic depth sensor publishes colours too."""
    files = plugin_files(sensor.element)
    return any(word in files for word in _COLOR_TOO)


def point_cloud_topic(sensor: WrittenSensor) -> str:
    topic = read_stream(sensor.element).topic
    return cloud_topic(sensor.element) or (f"{topic}/points" if topic else "")


def _camera_of(sensor: Element) -> Element:
    """Where the picture is described; in the oldest dialect in the sensor itself."""
    return sensor.find("camera") or sensor


def _frame(sensor: WrittenSensor, camera: Element) -> Matrix:
    frame = frame_of(sensor.element, sensor.dialect, looks=True)
    if camera is sensor.element:
        return frame
    placed: Matrix = frame @ frame_of(camera, "sdf")
    return placed


def _camera(
    sensor: WrittenSensor,
    element: Element,
    frame: Matrix,
    name: str,
    stream: Stream,
    notes: list[str],
) -> DevicePlan:
    fields = _picture(sensor, element)
    near, far = _clip(element)
    fields["near"] = near
    fields["far"] = far
    deviation = _deviation(element)
    if deviation:
        fields["noise"] = deviation
    lens = _lens(element)
    if lens is not None:
        fields["lens"] = lens
    if not _is_color(element):
        notes.append("its pictures are coloured")
    _note_mean(element, notes)
    return DevicePlan(kind="Camera", wanted_name=name, frame=frame, fields=fields, stream=stream)


def _depth(
    sensor: WrittenSensor, element: Element, frame: Matrix, name: str, stream: Stream
) -> DevicePlan:
    fields = _picture(sensor, element)
    near, far = _clip(element.find("depth_camera") or element, element)
    fields |= {"near": near, "minRange": near, "maxRange": far}
    deviation = _deviation(element)
    if deviation:
        fields["noise"] = deviation / far
    return DevicePlan(
        kind="RangeFinder", wanted_name=name, frame=frame, fields=fields, stream=stream
    )


def _picture(sensor: WrittenSensor, element: Element) -> dict[str, Value]:
    """Size and field of view. A plane takes less than half a turn."""
    image = element.find("image")
    size = element.numbers("imagesize")
    if image is not None:
        size = (image.number("width") or _WIDTH, image.number("height") or _HEIGHT)
    width, height = size[:2] if len(size) >= 2 else (_WIDTH, _HEIGHT)
    fields: dict[str, Value] = {
        "fieldOfView": min(_field_of_view(sensor, element), 2.0 * math.pi),
        "width": min(max(int(width), 1), _MOST_PIXELS),
        "height": min(max(int(height), 1), _MOST_PIXELS),
    }
    angle = fields["fieldOfView"]
    if sensor.type == "wide":
        fields["projection"] = "spherical"
    elif isinstance(angle, float) and angle > _WIDEST_PLANE:
        fields["projection"] = "cylindrical"
    return fields


def _field_of_view(sensor: WrittenSensor, element: Element) -> float:
    image = element.find("image")
    angle = element.number("horizontal_fov", "hfov")
    if angle is None and image is not None:
        angle = image.number("hfov")
    if angle is None or angle <= 0.0:
        return _FIELD_OF_VIEW
    return math.radians(angle) if sensor.dialect == "old" else angle


def _clip(*elements: Element) -> tuple[float, float]:
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


def _deviation(element: Element) -> float:
    noise = element.find("noise")
    return abs(noise.number("stddev") or 0.0) if noise is not None else 0.0


def _note_mean(element: Element, notes: list[str]) -> None:
    noise = element.find("noise")
    if noise is not None and noise.number("mean"):
        notes.append("its noise has no mean")


def _lens(element: Element) -> Node | None:
    distortion = element.find("distortion")
    if distortion is None:
        return None
    k1, k2 = (distortion.number(word) or 0.0 for word in ("k1", "k2"))
    p1, p2 = (distortion.number(word) or 0.0 for word in ("p1", "p2"))
    if not any((k1, k2, p1, p2)):
        return None
    fields: dict[str, Value] = {"radialCoefficients": (k1, k2), "tangentialCoefficients": (p1, p2)}
    center = distortion.numbers("center")
    if len(center) == 2:
        fields["center"] = center
    return Node("Lens", fields)


def _is_color(element: Element) -> bool:
    image = element.find("image")
    written = image.read("format").upper() if image is not None else ""
    return not written or not written.startswith(("L", "MONO", "GR"))
