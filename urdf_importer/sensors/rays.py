# SPDX-License-Identifier: GPL-3.0-or-later
"""What measures distances along rays: laser scanners, single beams, sonars."""

import math
from dataclasses import dataclass

import numpy as np

from ..geometry.transforms import Matrix, rotations_from_rpy
from ..markup.elements import Element
from .noise import Noise, read_noise
from .reading import WrittenSensor, frame_of
from .streams import Stream, plugin_files, read_stream

NEAR, FAR = 0.01, 30.0
"""Metres, where the description says nothing."""
_MOST_RAYS = 100_000
TURN = 2.0 * math.pi


@dataclass(frozen=True, slots=True)
class Fan:
    """`count` rays from angle `low` to angle `high`, in radians."""

    count: int
    low: float
    high: float

    @property
    def middle(self) -> float:
        return 0.5 * (self.low + self.high)

    @property
    def width(self) -> float:
        """At most a whole turn."""
        return min(max(self.high - self.low, 0.0), TURN)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rays:
    """Rays from the origin of `frame` (4, 4 in the frame of the link): `across` about its z from
    its x on, `up` from its x towards its z.

    near, far        metres
    resolution       metres, of the distances; 0 for exact ones
    makes_one_range  whether a plugin makes one distance of them all: of ultrasound or infrared
    """

    frame: Matrix
    across: Fan
    up: Fan
    near: float
    far: float
    resolution: float
    noise: Noise
    makes_one_range: bool
    is_ultrasound: bool
    stream: Stream

    def turned(self, yaw: float, elevation: float) -> Matrix:
        """The frame, turned so that its x looks along these angles."""
        frame = self.frame.copy()
        turn = rotations_from_rpy(np.array([0.0, -elevation, yaw]))
        frame[:3, :3] = frame[:3, :3] @ turn
        return frame


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cone:
    """A sonar along +x of `frame` (4, 4 in the frame of the link); `aperture` is the whole angle,
    in radians, a turn for what hears everywhere."""

    frame: Matrix
    near: float
    far: float
    aperture: float
    stream: Stream


def read_rays(sensor: WrittenSensor) -> Rays:
    element = sensor.element
    place = element.find("ray") or element.find("lidar") or element.find("laser") or element
    near, far = _read_limits(place)
    return Rays(
        frame=frame_of(element, sensor.dialect, looks=True),
        across=_read_fan(sensor, place, "horizontal"),
        up=_read_fan(sensor, place, "vertical"),
        near=near,
        far=far,
        resolution=_read_resolution(place),
        noise=_read_noise(element, place),
        makes_one_range=_makes_one_range(element),
        is_ultrasound=_is_ultrasound(element),
        stream=read_stream(element),
    )


def read_cone(sensor: WrittenSensor) -> Cone:
    element = sensor.element.find("sonar") or sensor.element
    near = max(element.number("min") or 0.0, 0.0)
    far = element.number("max") or 1.0
    radius = element.number("radius") or 0.5
    aperture = 2.0 * math.atan2(abs(radius), far)
    if element.read("geometry").lower() == "sphere":
        aperture = TURN
    return Cone(
        frame=frame_of(sensor.element, sensor.dialect, looks=True),
        near=near,
        far=max(far, near + 1e-6),
        aperture=aperture,
        stream=read_stream(sensor.element),
    )


def _makes_one_range(sensor: Element) -> bool:
    outputs = " ".join(plugin.read("output_type") for plugin in sensor.all("plugin"))
    return "gazebo_ros_range" in plugin_files(sensor) or "Range" in outputs


def _is_ultrasound(sensor: Element) -> bool:
    words = (plugin.read("radiation", "radiation_type") for plugin in sensor.all("plugin"))
    return "infrared" not in " ".join(words).lower()


def _read_fan(sensor: WrittenSensor, element: Element, direction: str) -> Fan:
    if sensor.dialect == "old":
        return _read_old_fan(element, direction)
    place = element.find("scan", direction) or element.find(direction)
    if place is None:
        return Fan(1, 0.0, 0.0)
    samples = place.number("samples") or 1.0
    step = place.number("resolution")
    # Gazebo reads between the rays, or leaves rays out, by this factor.
    count = round(samples * (step if step and step > 0.0 else 1.0))
    low, high = place.number("min_angle") or 0.0, place.number("max_angle") or 0.0
    return _make_fan(count, low, high)


def _read_old_fan(element: Element, direction: str) -> Fan:
    if direction == "vertical":
        return Fan(1, 0.0, 0.0)
    low, high = (math.radians(element.number(word) or 0.0) for word in ("minangle", "maxangle"))
    return _make_fan(round(element.number("raycount") or 1.0), low, high)


def _make_fan(count: int, low: float, high: float) -> Fan:
    return Fan(min(max(count, 1), _MOST_RAYS), min(low, high), max(low, high))


def _read_limits(element: Element) -> tuple[float, float]:
    place = element.find("range") or element
    near = place.number("min", "minrange")
    far = place.number("max", "maxrange")
    near = NEAR if near is None else max(near, 1e-3)
    far = FAR if far is None else far
    return near, far if far > near else near + FAR


def _read_resolution(element: Element) -> float:
    place = element.find("range") or element
    found = place.number("resolution") if place is not element else element.number("resrange")
    return found if found is not None and found > 0.0 else 0.0


def _read_noise(sensor: Element, element: Element) -> Noise:
    """Of the distances, in metres; where the rays have no deviation, that of a plugin."""
    noise = element.find("noise")
    if noise is not None and noise.number("stddev") is not None:
        return read_noise(noise)
    plugins = (c for c in sensor.children if c.tag == "plugin" or c.prefix)
    found = next((n for p in plugins if (n := p.number("gaussiannoise"))), None)
    return Noise(abs(found or 0.0), read_noise(noise).mean)
