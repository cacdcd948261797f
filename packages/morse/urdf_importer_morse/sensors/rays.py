# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's scanners: Hokuyo for a row of rays, SickLDMRS for layers of them, Infrared for one ray or
for the cone of a sonar.

All are one class at run time. Its builder makes the rays by counting degrees up, from half the
window on the right to half of it on the left, symmetric about x; layers lie symmetric about the
level plane, each ray in direction (cos a, sin a, sin v), so that v is not quite its elevation.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from urdf_importer.core.geometry.transforms import Matrix, Vector, rotations_from_rpy
from urdf_importer.core.kinematics.sensor_frames import frame_of, turn_rays
from urdf_importer.core.model import Fan, Lidar, Sonar

from .plan import ComponentPlan, Properties

_ONE_RAY = 1e-4
"""Degrees: the window of a single ray. MORSE divides by it, so it is not zero."""
_SURELY = 1.0 - 1e-6
"""Steps are shorter by this: counted up in single precision, the last ray is still within."""
_MOST_RAYS = 100_000
_MOST_LAYERS = 1024
_MOST_ADDED = 4
"""Layers may be multiplied by this to keep them level."""
_STEEPEST = 0.25 * math.pi
"""Elevation where sin v = 1."""
_CONE_RAYS = 9
_NEAR = 0.01
"""Metres: a nearest distance up to here is ignored."""
_FLAT = 1e-9
_SEEN = math.radians(0.01)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layers:
    """`separation` in degrees; `tilt`, by which the scanner is turned upwards, and `error`, the
    most that a ray is off, in radians."""

    count: int
    separation: float
    tilt: float
    error: float


def plan_lidar(rays: Lidar, notes: list[str]) -> list[ComponentPlan]:
    """Plans a scanner, or an Infrared for one ray and for a sensor with one distance for all."""
    if rays.noise:
        notes.append("it has no noise")
    if rays.resolution:
        notes.append("its distances are not rounded")
    _note_near(rays.near, notes)
    if rays.makes_one_range:
        component = "Infrared"
        notes.append("it gives the distances along all its rays, not one")
    elif rays.across.count == 1 and rays.up.count == 1:
        component = "Infrared"
    else:
        component = ""
    return [_plan(rays, component, notes)]


def plan_sonar(cone: Sonar, notes: list[str]) -> list[ComponentPlan]:
    """Plans an Infrared of several rays."""
    half = 0.5 * cone.aperture
    across = Fan(_CONE_RAYS, -half, half)
    up = Fan(_CONE_RAYS, -min(half, _STEEPEST), min(half, _STEEPEST))
    notes.append(f"its cone is {_CONE_RAYS} by {_CONE_RAYS} rays, with a distance each")
    _note_near(cone.near, notes)
    properties = _plan_scan(_join(across), _plan_layers(_join(up), half))
    return [
        ComponentPlan(
            component="Infrared",
            frame=frame_of(cone),
            properties=(*properties, ("laser_range", cone.far)),
            topic=cone.stream.topic,
        )
    ]


def _note_near(near: float, notes: list[str]) -> None:
    if near > _NEAR:
        notes.append(f"it also measures anything nearer than {near:g} m")


def _plan(rays: Lidar, component: str, notes: list[str]) -> ComponentPlan:
    """Plans a scanner. If `component` is "", it is a Hokuyo or a SickLDMRS."""
    across, up = _join(rays.across), _join(rays.up)
    if across.count == 1 and up.count > 1:
        frame = turn_rays(rays, across.middle, up.middle)
        # Its right side down, so that it scans upwards.
        frame[:3, :3] = frame[:3, :3] @ rotations_from_rpy(np.array([0.5 * math.pi, 0.0, 0.0]))
        made, layers = up, _Layers(count=1, separation=0.0, tilt=0.0, error=0.0)
    else:
        edge = 0.5 * across.width if across.count > 1 else 0.0
        layers = _plan_layers(_thin(up, _MOST_LAYERS), edge)
        frame = turn_rays(rays, across.middle, layers.tilt)
        made = _thin(across, max(_MOST_RAYS // layers.count, 2))
        if (made.count, layers.count) != (across.count, up.count):
            shown = f"{layers.count} layers of {made.count} rays"
            notes.append(f"it has {shown}, not {up.count} of {across.count}")
    if layers.error > _SEEN:
        notes.append(f"its rays are off by up to {math.degrees(layers.error):.2g} degrees")
    properties = _plan_scan(made, layers)
    return ComponentPlan(
        component=component or ("Hokuyo" if layers.count == 1 else "SickLDMRS"),
        frame=frame,
        properties=(*properties, ("laser_range", rays.far)),
        topic=rays.stream.topic,
    )


def _join(fan: Fan) -> Fan:
    """Joins rays in the same direction to one ray."""
    return fan if fan.width > _FLAT else _thin(fan, 1)


def _thin(fan: Fan, most: int) -> Fan:
    return replace(fan, count=min(fan.count, most))


def _plan_layers(up: Fan, edge: float) -> _Layers:
    """Plans the layers of a scanner. `edge` is the angle of the outermost rays from the middle. The
    outermost layers are exact.

    Layers that are not symmetric about the level plane get others on its other side; if these would
    be too many, or there is a single layer, the whole scanner is tilted instead, which is exact in
    its middle only.
    """
    if up.count == 1:
        error = _find_error(np.array([up.middle]), np.zeros(1), up.middle, edge)
        return _Layers(count=1, separation=0.0, tilt=up.middle, error=error)
    wanted = np.linspace(up.low, up.high, up.count)
    step = up.width / (up.count - 1)
    reach = max(abs(up.low), abs(up.high))
    count, tilt = round(2.0 * reach / step) + 1, 0.0
    if count > min(_MOST_ADDED * up.count, _MOST_LAYERS):
        count, tilt, reach = up.count, up.middle, 0.5 * up.width
    highest = math.asin(min(math.tan(min(reach, _STEEPEST)), 1.0))
    made = np.arctan(np.sin(np.linspace(-highest, highest, count)))
    return _Layers(
        count=count,
        separation=math.degrees(2.0 * highest / (count - 1)),
        tilt=tilt,
        error=_find_error(wanted, made, tilt, edge),
    )


def _find_error(wanted: Vector, made: Vector, tilt: float, edge: float) -> float:
    """Returns the angle in radians between the outermost rays of elevations `wanted` and the
    nearest elevations `made` in a tilted scanner: the error is nowhere larger."""
    turn = rotations_from_rpy(np.array([0.0, -tilt, 0.0]))
    cosines = _directions(wanted, edge) @ (_directions(made, edge) @ turn.T).T
    return float(np.arccos(np.clip(cosines.max(axis=1), -1.0, 1.0)).max())


def _directions(elevations: Vector, angle: float) -> Matrix:
    """Returns directions (N, 3) of elevations (N,), all at one angle about z."""
    level = np.cos(elevations)
    parts = (level * math.cos(angle), level * math.sin(angle), np.sin(elevations))
    return np.stack(parts, axis=-1)


def _plan_scan(across: Fan, layers: _Layers) -> Properties:
    window = math.degrees(across.width)
    if across.count == 1 or window <= _ONE_RAY:
        window, resolution = _ONE_RAY, 1.0
    else:
        resolution = window / (across.count - 1) * _SURELY
    properties: Properties = (("scan_window", window), ("resolution", resolution))
    if layers.count > 1:
        properties += (
            ("layers", layers.count),
            ("layer_separation", layers.separation),
            ("layer_offset", 0.0),
        )
    return properties
