# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays along +x: Lidar for many, DistanceSensor for one or for the cone of a sonar."""

import math

import numpy as np

from ....geometry.transforms import Matrix
from ....sensors.rays import Fan, Rays, read_cone, read_rays
from ....sensors.reading import WrittenSensor
from ....sensors.streams import Stream
from ..vrml import Value
from .plan import DevicePlan

_SONAR_RAYS = 10
_NOISE_STEPS = 9
"""Between how many distances the noise of a single ray is interpolated."""


def plan_lidar(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    """A Lidar; a DistanceSensor where there is one ray, or where a plugin makes one distance of
    them all."""
    rays = read_rays(sensor)
    if rays.makes_one_range:
        device = _cone(sensor, rays, notes)
    elif rays.across.count == 1 and rays.up.count == 1:
        device = _single(sensor, rays, notes)
    else:
        device = _scanner(sensor, rays, notes)
    return [device]


def plan_sonar(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    cone = read_cone(sensor)
    fields = _distance("sonar", cone.near, cone.far, 0.0)
    fields |= {"numberOfRays": _SONAR_RAYS, "aperture": cone.aperture}
    return [_device(sensor, cone.frame, fields, cone.stream)]


def _scanner(sensor: WrittenSensor, rays: Rays, notes: list[str]) -> DevicePlan:
    across, up = rays.across, rays.up
    if across.count == 1:
        notes.append("a Lidar scans across, not only upwards")
    width = across.width or 1e-3
    fields: dict[str, Value] = {
        "horizontalResolution": max(across.count, 1),
        "fieldOfView": width,
        "numberOfLayers": up.count,
        "verticalFieldOfView": _height(across, up, width),
        # What is nearer is not drawn, as in Gazebo: the sensor does not see its own housing.
        "near": rays.near,
        "minRange": rays.near,
        "maxRange": rays.far,
    }
    if up.middle:
        fields["tiltAngle"] = up.middle
    deviation = _deviation(rays, notes)
    if deviation:
        fields["noise"] = deviation / rays.far
    if rays.resolution:
        fields["resolution"] = rays.resolution
    return DevicePlan(
        kind="Lidar",
        wanted_name=sensor.name,
        frame=rays.turned(across.middle, 0.0),
        fields=fields,
        stream=rays.stream,
    )


def _height(across: Fan, up: Fan, width: float) -> float:
    """Webots wants more than a picture element of height for each layer."""
    least = 1.01 * up.count * width / max(across.count, 1)
    return min(max(up.width, least), math.pi)


def _deviation(rays: Rays, notes: list[str]) -> float:
    """Of the distances, in metres."""
    if rays.noise.mean:
        notes.append("its noise has no mean")
    return rays.noise.deviation


def _single(sensor: WrittenSensor, rays: Rays, notes: list[str]) -> DevicePlan:
    fields = _distance("laser", rays.near, rays.far, _deviation(rays, notes))
    if rays.resolution:
        fields["resolution"] = rays.resolution
    frame = rays.turned(rays.across.middle, rays.up.middle)
    return _device(sensor, frame, fields, rays.stream)


def _cone(sensor: WrittenSensor, rays: Rays, notes: list[str]) -> DevicePlan:
    kind = "sonar" if rays.is_ultrasound else "generic"
    fields = _distance(kind, rays.near, rays.far, _deviation(rays, notes))
    width = max(rays.across.width, rays.up.width)
    if width > 0.0:
        fields |= {"numberOfRays": _SONAR_RAYS, "aperture": width}
    if kind == "generic" and width > 0.0:
        notes.append("it measures the mean of its rays, not the nearest")
    frame = rays.turned(rays.across.middle, rays.up.middle)
    return _device(sensor, frame, fields, rays.stream)


def _device(
    sensor: WrittenSensor, frame: Matrix, fields: dict[str, Value], stream: Stream
) -> DevicePlan:
    return DevicePlan(
        kind="DistanceSensor", wanted_name=sensor.name, frame=frame, fields=fields, stream=stream
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
