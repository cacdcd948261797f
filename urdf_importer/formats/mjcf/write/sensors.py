# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors as MuJoCo has them: a site or a camera in a body, and the measurements there.

MuJoCo has no lidar of many rays, nor noise of its own (a sensor's noise is a note for programs). A
sensor that it cannot have is an error, one that it has in another form a warning, one for each
sensor.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.transforms import FROM_CAMERA, Matrix
from ....core.kinematics.sensor_frames import (
    WIDEST_PLANE,
    Places,
    frame_of,
    frame_of_camera,
    turn_rays,
)
from ....core.markup.write import Value
from ....core.model import (
    Altimeter,
    Camera,
    CameraSensor,
    ForceSensor,
    Gps,
    Imu,
    Lidar,
    Magnetometer,
    Robot,
    Sensor,
    Sonar,
)
from ....core.names import Claims
from .plan import PlannedElement

_PIXEL = 1e-5
"""Metres."""
# A rangefinder looks along z of its site.
_RAY = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])


@dataclass(frozen=True, slots=True, eq=False)
class Mount:
    """A <site> or <camera> of a link: `frame` (4, 4) in it, and its further attributes."""

    link: str
    tag: str
    name: str
    frame: Matrix
    attributes: Mapping[str, Value] = field(default_factory=dict)


Plan = tuple[list[Mount], list[PlannedElement]]


def plan_sensors(robot: Robot, sites: Claims, diagnostics: Diagnostics) -> Plan:
    """Plans all sensors of a robot, in their order; `sites` gives names to sites."""
    places, planner = Places(robot), _Planner(sites)
    mounts: list[Mount] = []
    readings: list[PlannedElement] = []
    for sensor in robot.sensors:
        link, reason = places.find_place(sensor, planner.plans, "MuJoCo")
        if not reason and isinstance(sensor, Lidar) and _counts_rays(sensor) > 1:
            reason = f"has {_counts_rays(sensor)} rays, and MuJoCo's rangefinder has one"
        if reason:
            diagnostics.error(
                "mjcf-sensor-dropped",
                f"sensor {quote(sensor.name)} {reason}; it is left out",
                subject=sensor.name,
                line=sensor.line,
            )
            continue
        notes: list[str] = []
        added, read = planner.plans[type(sensor)](sensor, link, notes)
        if getattr(sensor, "is_noisy", False):
            notes.append("it has no noise")
        mounts += added
        readings += read
        if notes:
            diagnostics.warning(
                "mjcf-sensor-changed",
                f"sensor {quote(sensor.name)}: {'; '.join(notes)}",
                subject=sensor.name,
                line=sensor.line,
            )
    return mounts, readings


def _counts_rays(lidar: Lidar) -> int:
    return 1 if lidar.makes_one_range else lidar.across.count * lidar.up.count


class _Planner:
    """Gives names: of sites, of cameras and of sensors each once."""

    def __init__(self, sites: Claims) -> None:
        self._sites, self._cameras, self._readings = sites, Claims(), Claims()
        self.plans: Mapping[type[Sensor], Callable[[Any, str, list[str]], Plan]] = {
            CameraSensor: self._plan_cameras,
            Lidar: self._plan_lidar,
            Sonar: self._plan_sonar,
            Imu: self._plan_imu,
            ForceSensor: self._plan_force,
            Gps: self._plan_gps,
            Magnetometer: self._plan_magnetometer,
            Altimeter: self._plan_altimeter,
        }

    def _plan_imu(self, sensor: Imu, link: str, notes: list[str]) -> Plan:
        tags = ["accelerometer", "gyro"] + (["framequat"] if sensor.has_orientation else [])
        if sensor.has_own_reference and sensor.has_orientation:
            notes.append("its orientation is that in the world")
        return self._measure(sensor, link, tags, frame_of(sensor))

    def _plan_force(self, sensor: ForceSensor, link: str, notes: list[str]) -> Plan:
        if sensor.direction == "parent_to_child":
            notes.append("it measures the child's action on the parent")
        if sensor.frame == "parent":
            notes.append("it measures in the frame of the child")
        return self._measure(sensor, link, ["force", "torque"], frame_of(sensor))

    def _plan_gps(self, sensor: Gps, link: str, notes: list[str]) -> Plan:
        notes.append("it measures metres from the world's origin, not latitude and longitude")
        return self._measure(sensor, link, ["framepos", "framelinvel"], frame_of(sensor))

    def _plan_magnetometer(self, sensor: Magnetometer, link: str, notes: list[str]) -> Plan:
        return self._measure(sensor, link, ["magnetometer"], frame_of(sensor))

    def _plan_altimeter(self, sensor: Altimeter, link: str, notes: list[str]) -> Plan:
        notes.append("it measures a place and a velocity, with z as the height and its rate")
        return self._measure(sensor, link, ["framepos", "framelinvel"], frame_of(sensor))

    def _plan_lidar(self, sensor: Lidar, link: str, notes: list[str]) -> Plan:
        if sensor.makes_one_range and sensor.across.count * sensor.up.count > 1:
            notes.append("it is one ray, along the middle of its cone")
        if sensor.noise:
            notes.append("it has no noise")
        frame = turn_rays(sensor, sensor.across.middle, sensor.up.middle)
        return self._range(sensor, link, frame, sensor.far)

    def _plan_sonar(self, sensor: Sonar, link: str, notes: list[str]) -> Plan:
        notes.append("it is one ray, along the middle of its cone")
        return self._range(sensor, link, frame_of(sensor), sensor.far)

    def _range(self, sensor: Sensor, link: str, frame: Matrix, far: float) -> Plan:
        frame = frame.copy()
        frame[:3, :3] = frame[:3, :3] @ _RAY
        cutoff = {"cutoff": far} if math.isfinite(far) and far > 0.0 else {}
        return self._measure(sensor, link, ["rangefinder"], frame, **cutoff)

    def _measure(
        self, sensor: Sensor, link: str, tags: list[str], frame: Matrix, **more: Value
    ) -> Plan:
        """A site, and for each tag the measurement there."""
        site = self._sites.claim(sensor.name)
        mount = Mount(link, "site", site, frame)
        readings = []
        for tag in tags:
            own = sensor.name if len(tags) == 1 else f"{sensor.name}_{tag}"
            place: dict[str, Value] = (
                {"objtype": "site", "objname": site} if tag.startswith("frame") else {"site": site}
            )
            name = self._readings.claim(own)
            readings.append(PlannedElement(tag, {"name": name, **place, **more}))
        return [mount], readings

    def _plan_cameras(self, sensor: CameraSensor, link: str, notes: list[str]) -> Plan:
        mounts = []
        for camera in sensor.cameras:
            own = f"{sensor.name}_{camera.label}" if camera.label else sensor.name
            frame = frame_of_camera(sensor, camera)
            frame[:3, :3] = frame[:3, :3] @ FROM_CAMERA.T
            angle = _find_height_angle(camera, notes)
            size: dict[str, Value] = {"resolution": [camera.width, camera.height]}
            look = size | (_write_lens(camera) or {"fovy": angle})
            mounts.append(Mount(link, "camera", self._cameras.claim(own), frame, look))
        return mounts, []


def _write_lens(camera: Camera) -> dict[str, Value]:
    """Returns a calibration: MuJoCo says how far the picture's middle is from the axis, to the
    right and down. Its lengths count from the size of the sensor, which is a pixel each here."""
    found = camera.intrinsics
    if found is None:
        return {}
    return {
        "sensorsize": [_PIXEL * camera.width, _PIXEL * camera.height],
        "focalpixel": [found.fx, found.fy],
        "principalpixel": [(camera.width - 1) / 2 - found.cx, (camera.height - 1) / 2 - found.cy],
    }


def _find_height_angle(camera: Camera, notes: list[str]) -> float:
    """Returns the field of view from bottom to top, in degrees, which MuJoCo always counts so."""
    across = camera.field_of_view
    if across > WIDEST_PLANE:
        notes.append("a plane picture cannot hold its field of view, which is made narrower")
        across = WIDEST_PLANE
    if camera.lens:
        notes.append("its lens distorts nothing")
    if camera.noise:
        notes.append("it has no noise")
    ratio = camera.height / camera.width if camera.width > 0 else 1.0
    return math.degrees(2.0 * math.atan(math.tan(0.5 * across) * ratio))
