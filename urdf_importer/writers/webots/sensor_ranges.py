# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays along +x: Lidar for many, DistanceSensor for one or for the cone of a sonar."""

import math
from dataclasses import dataclass

import numpy as np

from ...kinematics.transforms import Matrix, rotations_from_rpy
from .elements import Element
from .sensor_plan import DevicePlan
from .sensor_reading import WrittenSensor, frame_of
from .sensor_streams import plugin_files, read_stream
from .vrml import Value

_NEAR = 0.01
_FAR = 30.0
_SONAR_RAYS = 10
_MOST_RAYS = 100_000
_TURN = 2.0 * math.pi
_NOISE_STEPS = 9
"""Between how many distances the noise of a single ray is interpolated."""


@dataclass(frozen=True, slots=True)
class _Fan:
    """`count` rays from angle `low` to angle `high`, in radians."""

    count: int
    low: float
    high: float

    @property
    def middle(self) -> float:
        return 0.5 * (self.low + self.high)

    @property
    def width(self) -> float:
        return min(max(self.high - self.low, 0.0), _TURN)


def plan_lidar(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    """A Lidar; a DistanceSensor where there is one ray, or where a plugin makes one distance of
    them all."""
    element = _rays_of(sensor.element)
    across = _fan(sensor, element, "horizontal")
    up = _fan(sensor, element, "vertical")
    if _makes_one_range(sensor):
        return [_cone(sensor, element, across, up, notes)]
    if across.count == 1 and up.count == 1:
        return [_single(sensor, element, _turned(sensor, across.middle, up.middle), notes)]
    if across.count == 1:
        notes.append("a Lidar scans across, not only upwards")
    near, far = _limits(sensor, element)
    width = across.width or 1e-3
    fields: dict[str, Value] = {
        "horizontalResolution": max(across.count, 1),
        "fieldOfView": width,
        "numberOfLayers": up.count,
        "verticalFieldOfView": _height(across, up, width),
        # What is nearer is not drawn, as in Gazebo: the sensor does not see its own housing.
        "near": near,
        "minRange": near,
        "maxRange": far,
    }
    if up.middle:
        fields["tiltAngle"] = up.middle
    deviation = _deviation(sensor, element, notes)
    if deviation:
        fields["noise"] = deviation / far
    resolution = _resolution(element)
    if resolution:
        fields["resolution"] = resolution
    return [
        DevicePlan(
            kind="Lidar",
            wanted_name=sensor.name,
            frame=_turned(sensor, across.middle, 0.0),
            fields=fields,
            stream=read_stream(sensor.element),
        )
    ]


def plan_sonar(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    element = sensor.element.find("sonar") or sensor.element
    near = max(element.number("min") or 0.0, 0.0)
    far = element.number("max") or 1.0
    radius = element.number("radius") or 0.5
    aperture = 2.0 * math.atan2(abs(radius), far)
    if element.read("geometry").lower() == "sphere":
        aperture = _TURN
    fields = _distance("sonar", near, max(far, near + 1e-6), 0.0)
    fields |= {"numberOfRays": _SONAR_RAYS, "aperture": aperture}
    return [_device(sensor, _turned(sensor, 0.0, 0.0), fields)]


def _rays_of(sensor: Element) -> Element:
    return sensor.find("ray") or sensor.find("lidar") or sensor.find("laser") or sensor


def _makes_one_range(sensor: WrittenSensor) -> bool:
    plugins = [c for c in sensor.element.children if c.tag == "plugin"]
    outputs = " ".join(plugin.read("output_type") for plugin in plugins)
    return "gazebo_ros_range" in plugin_files(sensor.element) or "Range" in outputs


def _is_ultrasound(sensor: WrittenSensor) -> bool:
    plugins = [c for c in sensor.element.children if c.tag == "plugin"]
    words = " ".join(p.read("radiation", "radiation_type") for p in plugins).lower()
    return "infrared" not in words


def _fan(sensor: WrittenSensor, element: Element, direction: str) -> _Fan:
    if sensor.dialect == "old":
        return _old_fan(element, direction)
    place = element.find("scan", direction) or element.find(direction)
    if place is None:
        return _Fan(1, 0.0, 0.0)
    samples = place.number("samples") or 1.0
    step = place.number("resolution")
    # Gazebo reads between the rays, or leaves rays out, by this factor.
    count = round(samples * (step if step and step > 0.0 else 1.0))
    low, high = place.number("min_angle") or 0.0, place.number("max_angle") or 0.0
    return _make_fan(count, low, high)


def _make_fan(count: int, low: float, high: float) -> _Fan:
    return _Fan(min(max(count, 1), _MOST_RAYS), min(low, high), max(low, high))


def _old_fan(element: Element, direction: str) -> _Fan:
    if direction == "vertical":
        return _Fan(1, 0.0, 0.0)
    low, high = (math.radians(element.number(word) or 0.0) for word in ("minangle", "maxangle"))
    return _make_fan(round(element.number("raycount") or 1.0), low, high)


def _height(across: _Fan, up: _Fan, width: float) -> float:
    """Webots wants more than a picture element of height for each layer."""
    least = 1.01 * up.count * width / max(across.count, 1)
    return min(max(up.width, least), math.pi)


def _turned(sensor: WrittenSensor, yaw: float, elevation: float) -> Matrix:
    """The sensor's frame, turned so that +x is in the middle of what is measured."""
    frame = frame_of(sensor.element, sensor.dialect, looks=True)
    turn = rotations_from_rpy(np.array([0.0, -elevation, yaw]))
    frame[:3, :3] = frame[:3, :3] @ turn
    return frame


def _limits(sensor: WrittenSensor, element: Element) -> tuple[float, float]:
    place = element.find("range") or element
    near = place.number("min", "minrange")
    far = place.number("max", "maxrange")
    near = _NEAR if near is None else max(near, 1e-3)
    far = _FAR if far is None else far
    return near, far if far > near else near + _FAR


def _resolution(element: Element) -> float:
    place = element.find("range") or element
    found = place.number("resolution") if place is not element else element.number("resrange")
    return found if found is not None and found > 0.0 else 0.0


def _deviation(sensor: WrittenSensor, element: Element, notes: list[str]) -> float:
    """Of the distances, in metres."""
    noise = element.find("noise")
    if noise is not None and noise.number("mean"):
        notes.append("its noise has no mean")
    found = noise.number("stddev") if noise is not None else None
    if found is None:
        plugins = (c for c in sensor.element.children if c.tag == "plugin" or c.prefix)
        found = next((n for p in plugins if (n := p.number("gaussiannoise"))), None)
    return abs(found or 0.0)


def _single(sensor: WrittenSensor, element: Element, frame: Matrix, notes: list[str]) -> DevicePlan:
    near, far = _limits(sensor, element)
    fields = _distance("laser", near, far, _deviation(sensor, element, notes))
    resolution = _resolution(element)
    if resolution:
        fields["resolution"] = resolution
    return _device(sensor, frame, fields)


def _cone(
    sensor: WrittenSensor, element: Element, across: _Fan, up: _Fan, notes: list[str]
) -> DevicePlan:
    near, far = _limits(sensor, element)
    kind = "sonar" if _is_ultrasound(sensor) else "generic"
    fields = _distance(kind, near, far, _deviation(sensor, element, notes))
    width = max(across.width, up.width)
    if width > 0.0:
        fields |= {"numberOfRays": _SONAR_RAYS, "aperture": width}
    if kind == "generic" and width > 0.0:
        notes.append("it measures the mean of its rays, not the nearest")
    return _device(sensor, _turned(sensor, across.middle, up.middle), fields)


def _device(sensor: WrittenSensor, frame: Matrix, fields: dict[str, Value]) -> DevicePlan:
    return DevicePlan(
        kind="DistanceSensor",
        wanted_name=sensor.name,
        frame=frame,
        fields=fields,
        stream=read_stream(sensor.element),
    )


def _distance(kind: str, near: float, far: float, deviation: float) -> dict[str, Value]:
    """The table gives the distance itself. Its noise is a share of the value, so that a deviation
    in metres is exact only at the distances of the table."""
    distances = [near, far]
    if deviation:
        start = max(near, 1e-2 * far)
        distances = [near, *np.geomspace(start, far, _NOISE_STEPS).tolist()]
    rows: dict[float, tuple[float, ...]] = {}
    for distance in distances:
        share = min(deviation / distance, 1.0) if deviation and distance > 0.0 else 0.0
        rows.setdefault(distance, (distance, distance, share))
    return {"type": kind, "lookupTable": list(rows.values())}
