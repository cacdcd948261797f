# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors that measure distances along rays: laser scanners, single beams, sonars."""

import math

from ..markup.elements import ExtraElement
from ..model import Fan, Lidar, Noise, Sonar
from .parts import Head, plugin_files, read_noise

_NEAR, _FAR = 0.01, 30.0
"""Metres, where the description says nothing."""
_MOST_RAYS = 100_000


def read_lidar(head: Head) -> Lidar:
    """Reads the rays of a laser scanner, or of a single beam."""
    element = head.element
    place = element.find("ray") or element.find("lidar") or element.find("laser") or element
    near, far = _read_limits(place)
    return Lidar(
        across=_read_fan(head, place, "horizontal"),
        up=_read_fan(head, place, "vertical"),
        near=near,
        far=far,
        resolution=_read_resolution(place),
        noise=_read_noise(element, place),
        makes_one_range=_makes_one_range(element),
        is_ultrasound=_is_ultrasound(element),
        **head.common,
    )


def read_sonar(head: Head) -> Sonar:
    """Reads the cone of a sonar."""
    element = head.element.find("sonar") or head.element
    near = max(element.number("min") or 0.0, 0.0)
    far = element.number("max") or 1.0
    radius = element.number("radius") or 0.5
    aperture = 2.0 * math.atan2(abs(radius), far)
    if element.read("geometry").lower() == "sphere":
        aperture = math.tau
    return Sonar(near=near, far=max(far, near + 1e-6), aperture=aperture, **head.common)


def _makes_one_range(sensor: ExtraElement) -> bool:
    outputs = " ".join(plugin.read("output_type") for plugin in sensor.all("plugin"))
    return "gazebo_ros_range" in plugin_files(sensor) or "Range" in outputs


def _is_ultrasound(sensor: ExtraElement) -> bool:
    words = (plugin.read("radiation", "radiation_type") for plugin in sensor.all("plugin"))
    return "infrared" not in " ".join(words).lower()


def _read_fan(head: Head, element: ExtraElement, direction: str) -> Fan:
    if head.dialect == "old":
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


def _read_old_fan(element: ExtraElement, direction: str) -> Fan:
    if direction == "vertical":
        return Fan(1, 0.0, 0.0)
    low, high = (math.radians(element.number(word) or 0.0) for word in ("minangle", "maxangle"))
    return _make_fan(round(element.number("raycount") or 1.0), low, high)


def _make_fan(count: int, low: float, high: float) -> Fan:
    return Fan(min(max(count, 1), _MOST_RAYS), min(low, high), max(low, high))


def _read_limits(element: ExtraElement) -> tuple[float, float]:
    place = element.find("range") or element
    near = place.number("min", "minrange")
    far = place.number("max", "maxrange")
    near = _NEAR if near is None else max(near, 1e-3)
    far = _FAR if far is None else far
    return near, far if far > near else near + _FAR


def _read_resolution(element: ExtraElement) -> float:
    place = element.find("range") or element
    found = place.number("resolution") if place is not element else element.number("resrange")
    return found if found is not None and found > 0.0 else 0.0


def _read_noise(sensor: ExtraElement, element: ExtraElement) -> Noise:
    """Reads the noise of the distances, in metres; where the rays have no deviation, the noise of a
    plugin."""
    noise = element.find("noise")
    if noise is not None and noise.number("stddev") is not None:
        return read_noise(noise)
    plugins = (c for c in sensor.children if c.tag == "plugin" or c.prefix)
    found = next((n for p in plugins if (n := p.number("gaussiannoise"))), None)
    return Noise(abs(found or 0.0), read_noise(noise).mean)
