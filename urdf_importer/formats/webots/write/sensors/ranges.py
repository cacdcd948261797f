# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays along +x: Lidar for many, DistanceSensor for one or for the cone of a sonar."""

import math

import numpy as np

from .....core.kinematics.sensor_frames import turn_rays
from .....core.model import Fan, Lidar, Sonar
from ..vrml import Value, keep_given
from .plan import DevicePlan, find_deviation, plan_device

_SONAR_RAYS = 10
_NOISE_STEPS = 9
"""Between how many distances the noise of a single ray is interpolated."""


def plan_lidar(sensor: Lidar, notes: list[str]) -> list[DevicePlan]:
    """Plans a Lidar; a DistanceSensor where there is one ray, or where a plugin makes one distance
    of them all."""
    is_single = sensor.across.count == 1 and sensor.up.count == 1
    plan = _plan_range if sensor.makes_one_range or is_single else _plan_scanner
    return [plan(sensor, notes)]


def plan_sonar(sensor: Sonar, notes: list[str]) -> list[DevicePlan]:
    """Plans a DistanceSensor of several rays."""
    fields = _plan_distance("sonar", sensor.near, sensor.far, 0.0)
    fields |= {"numberOfRays": _SONAR_RAYS, "aperture": sensor.aperture}
    return [plan_device(sensor, "DistanceSensor", fields)]


def _plan_scanner(rays: Lidar, notes: list[str]) -> DevicePlan:
    across, up = rays.across, rays.up
    if across.count == 1:
        notes.append("a Lidar scans across, not only upwards")
    deviation = find_deviation(rays.noise, notes)
    width = across.width or 1e-3
    fields: dict[str, Value] = {
        "horizontalResolution": max(across.count, 1),
        "fieldOfView": width,
        "numberOfLayers": up.count,
        "verticalFieldOfView": _find_height(across, up, width),
        # Anything nearer is not drawn, as in Gazebo: the sensor does not see its own housing.
        "near": rays.near,
        "minRange": rays.near,
        "maxRange": rays.far,
        "tiltAngle": up.middle or None,
        "noise": deviation / rays.far if deviation else None,
        "resolution": rays.resolution or None,
    }
    return plan_device(rays, "Lidar", keep_given(fields), turn_rays(rays, across.middle, 0.0))


def _find_height(across: Fan, up: Fan, width: float) -> float:
    """Returns the angle upwards. Webots wants more than a picture element of height for each
    layer."""
    least = 1.01 * up.count * width / max(across.count, 1)
    return min(max(up.width, least), math.pi)


def _plan_range(rays: Lidar, notes: list[str]) -> DevicePlan:
    """Plans one ray, or a cone that measures one distance."""
    kind, width = "laser", 0.0
    if rays.makes_one_range:
        kind = "sonar" if rays.is_ultrasound else "generic"
        width = max(rays.across.width, rays.up.width)
    fields = _plan_distance(kind, rays.near, rays.far, find_deviation(rays.noise, notes))
    if kind == "laser" and rays.resolution:
        fields["resolution"] = rays.resolution
    if width > 0.0:
        fields |= {"numberOfRays": _SONAR_RAYS, "aperture": width}
    if kind == "generic" and width > 0.0:
        notes.append("it measures the mean of its rays, not the nearest")
    frame = turn_rays(rays, rays.across.middle, rays.up.middle)
    return plan_device(rays, "DistanceSensor", fields, frame)


def _plan_distance(kind: str, near: float, far: float, deviation: float) -> dict[str, Value]:
    """Plans a table that gives the distance itself. Its noise is a share of the value, so that a
    deviation in metres is exact only at the distances of the table."""
    distances = [near, far]
    if deviation:
        start = max(near, 1e-2 * far)
        distances = [near, *np.geomspace(start, far, _NOISE_STEPS).tolist()]
    rows: dict[float, tuple[float, ...]] = {}
    for distance in distances:
        share = min(deviation / distance, 1.0) if deviation and distance > 0.0 else 0.0
        rows.setdefault(distance, (distance, distance, share))
    return {"type": kind, "lookupTable": list(rows.values())}
