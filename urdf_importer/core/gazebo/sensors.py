# SPDX-License-Identifier: GPL-3.0-or-later
"""One sensor of any dialect: its kind, place and measurements."""

from collections.abc import Callable, Mapping

from ..markup.elements import ExtraElement
from ..model import (
    Altimeter,
    Barometer,
    ContactSensor,
    ForceSensor,
    Gps,
    Imu,
    Magnetometer,
    Noise,
    Sensor,
)
from .cameras import read_camera_sensor, read_logical_camera
from .parts import Head, has_noise, read_head, read_noise
from .rays import read_lidar, read_sonar


def read_sensor(element: ExtraElement, inside: str) -> Sensor:
    """Reads a <sensor>; `inside` is the link or joint that it is written for, "" for none."""
    head = read_head(element, inside)
    read = _READERS.get(head.kind)
    return Sensor(**head.common) if read is None else read(head)


def _read_imu(head: Head) -> Imu:
    imu = head.element.find("imu")
    return Imu(
        has_orientation=imu is None or imu.flag("enable_orientation") is not False,
        has_own_reference=imu is not None and imu.find("orientation_reference_frame") is not None,
        is_noisy=has_noise(imu),
        **head.common,
    )


def _read_gps(head: Head) -> Gps:
    place = head.element.find("navsat") or head.element.find("gps") or head.element
    return Gps(
        position=_read_directions(place, "position_sensing"),
        velocity=_read_directions(place, "velocity_sensing"),
        is_noisy=has_noise(head.element),
        **head.common,
    )


def _read_directions(place: ExtraElement, sensing: str) -> tuple[Noise, Noise]:
    """Reads the noise across and that upwards."""
    across, up = (
        read_noise(place.find(sensing, direction, "noise"))
        for direction in ("horizontal", "vertical")
    )
    return across, up


def _read_magnetometer(head: Head) -> Magnetometer:
    return Magnetometer(is_noisy=has_noise(head.element.find("magnetometer")), **head.common)


def _read_altimeter(head: Head) -> Altimeter:
    place = head.element.find("altimeter")
    height, speed = (
        read_noise(place.find(what, "noise") if place is not None else None)
        for what in ("vertical_position", "vertical_velocity")
    )
    return Altimeter(height=height, speed=speed, is_noisy=has_noise(place), **head.common)


def _read_barometer(head: Head) -> Barometer:
    place = head.element.find("air_pressure") or head.element
    altitude = place.number("reference_altitude") or 0.0
    return Barometer(altitude=altitude, is_noisy=has_noise(place), **head.common)


def _read_contact(head: Head) -> ContactSensor:
    contact = head.element.find("contact") or head.element
    collisions = tuple(c.text for c in contact.all("collision") if c.text)
    return ContactSensor(collisions=collisions, **head.common)


def _read_force(head: Head) -> ForceSensor:
    force = head.element.find("force_torque") or head.element
    return ForceSensor(
        frame=force.read("frame"),
        direction=force.read("measure_direction"),
        is_noisy=force.find("force") is not None or force.find("noise") is not None,
        **head.common,
    )


_READERS: Mapping[str, Callable[[Head], Sensor]] = {
    **dict.fromkeys(("camera", "wide", "multicamera", "depth", "rgbd"), read_camera_sensor),
    "logical": read_logical_camera,
    "lidar": read_lidar,
    "sonar": read_sonar,
    "imu": _read_imu,
    "gps": _read_gps,
    "compass": _read_magnetometer,
    "altimeter": _read_altimeter,
    "pressure": _read_barometer,
    "contact": _read_contact,
    "force": _read_force,
}
