# SPDX-License-Identifier: GPL-3.0-or-later
"""The sensors of a robot, each with its link, its frame and its names in ROS."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ..diagnostics import ArgumentError, Diagnostics, quote
from ..geometry.transforms import Matrix, invert, matrix_from_pose
from ..kinematics.sensor_frames import Places, frame_of, frame_of_camera
from ..model import (
    Altimeter,
    Barometer,
    Camera,
    CameraSensor,
    ContactSensor,
    ForceSensor,
    Gps,
    Imu,
    Lidar,
    LogicalCamera,
    Magnetometer,
    Robot,
    Sensor,
    Sonar,
)
from .intrinsics import FORWARD_FROM_OPTICAL, PictureGeometry, geometry_of

_KINDS: Mapping[type[Sensor], str] = {
    LogicalCamera: "logical",
    Lidar: "lidar",
    Sonar: "sonar",
    Imu: "imu",
    Gps: "gps",
    Magnetometer: "compass",
    Altimeter: "altimeter",
    Barometer: "pressure",
    ContactSensor: "contact",
    ForceSensor: "force",
}
_PICTURED = ("width", "height", "K", "D", "near", "far")
_SAME = 1e-6
"""Metres, and parts of a turn: frames nearer than this are the same."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedSensor:
    """A sensor of a robot, or one camera of it.

    name       unique in the robot; several cameras of one sensor are NAME_LABEL
    kind       camera, depth, rgbd, wide, lidar, sonar, imu, contact, force, gps, logical, compass,
               altimeter, pressure, or the description's own word
    link       the link that it is on
    object     the name of its object in Blender; "" where the import made none
    frame_id   the name of its frame in messages
    topic      the description's topic; "" where it has none
    rate       in Hz; 0 for whenever it can
    width, height, K, D, near, far    of cameras with plane pictures, else None: pixels, the matrix
               (3, 3), k1 k2 p1 p2 k3 (5,), depths in metres
    frame      (4, 4) in the link's frame: optical for cameras, x forward and z up for others
    has_own_frame    whether no link of the robot is where `frame_id` must be
    sensor, camera   as described
    """

    name: str
    kind: str
    link: str
    object: str = ""
    frame_id: str = ""
    topic: str = ""
    rate: float = 0.0
    width: int | None = None
    height: int | None = None
    K: Matrix | None = field(default=None, repr=False)
    D: Matrix | None = field(default=None, repr=False)
    near: float | None = None
    far: float | None = None
    frame: Matrix = field(repr=False)
    has_own_frame: bool = field(default=False, repr=False)
    sensor: Sensor = field(repr=False)
    camera: Camera | None = field(default=None, repr=False)


def place_sensors(robot: Robot, diagnostics: Diagnostics) -> tuple[PlacedSensor, ...]:
    """Returns the sensors of a robot, placed on its links, in the order of the description. Sensors
    on no link, and cameras whose pictures are too large, are reported and left out."""
    places, fixed = Places(robot), _Fixed(robot)
    found: list[PlacedSensor] = []
    names: set[str] = set()
    for sensor in robot.sensors:
        link, reason = places.find_link(sensor)
        try:
            parts = [] if reason else list(_parts_of(sensor))
        except ArgumentError as error:
            parts, reason = [], f"cannot be: {error.message}"
        if reason:
            diagnostics.warning(
                "sensor-not-placed",
                f"sensor {quote(sensor.name)} {reason}; it is not in the scene",
                subject=sensor.name,
                line=sensor.line,
            )
        for label, camera, geometry in parts:
            name = claim(f"{sensor.name}_{label}" if label else sensor.name, names)
            found.append(_place(sensor, camera, geometry, fixed, (name, link)))
    return tuple(found)


def claim(name: str, taken: set[str]) -> str:
    """Returns a name that none of `taken` is, and adds it to these: the numbers begin with 2."""
    given, number = name, 1
    while given in taken:
        number += 1
        given = f"{name}_{number}"
    taken.add(given)
    return given


_Part = tuple[str, Camera | None, PictureGeometry | None]


def _parts_of(sensor: Sensor) -> Iterator[_Part]:
    """Yields the label, the camera and the pictures of each part of a sensor."""
    if isinstance(sensor, CameraSensor):
        for camera in sensor.cameras:
            yield camera.label, camera, geometry_of(camera)
    else:
        yield "", None, None


def _place(
    sensor: Sensor,
    camera: Camera | None,
    pictures: PictureGeometry | None,
    fixed: "_Fixed",
    named: tuple[str, str],
) -> PlacedSensor:
    name, link = named
    stream = camera.stream if camera is not None else sensor.stream
    frame = frame_of(sensor)
    if camera is not None:
        frame = frame_of_camera(sensor, camera) @ FORWARD_FROM_OPTICAL
    frame_id = fixed.find_frame(link, frame, stream.frame)
    own = f"{name}_optical_frame" if camera is not None else name
    return PlacedSensor(
        name=name,
        kind=_kind_of(sensor),
        link=link,
        frame_id=frame_id or fixed.name_frame(own),
        has_own_frame=not frame_id,
        topic=stream.topic,
        rate=stream.rate,
        frame=frame,
        sensor=sensor,
        camera=camera,
        **({} if pictures is None else {name: getattr(pictures, name) for name in _PICTURED}),
    )


def _kind_of(sensor: Sensor) -> str:
    if isinstance(sensor, CameraSensor):
        return "camera" if sensor.kind == "multicamera" else sensor.kind
    return _KINDS.get(type(sensor)) or sensor.word or "unknown"


class _Fixed:
    """The links of a robot that fixed joints hold together."""

    def __init__(self, robot: Robot) -> None:
        self._links = {link.name for link in robot.links}
        self._beside: dict[str, list[tuple[str, Matrix]]] = {}
        self._groups: dict[str, dict[str, Matrix]] = {}
        for joint in robot.joints:
            if joint.type == "fixed":
                step = matrix_from_pose(joint.origin) @ matrix_from_pose(joint.child_origin)
                self._beside.setdefault(joint.parent, []).append((joint.child, step))
                self._beside.setdefault(joint.child, []).append((joint.parent, invert(step)))

    def find_frame(self, link: str, frame: Matrix, said: str) -> str:
        """Finds the link whose frame is a sensor's frame, given in another link: the one that the
        description names, else the first; "" for none."""
        group = self._group(link)
        names = [name for name in (said.rpartition("/")[2], *group) if name in group]
        return next((n for n in names if np.abs(group[n] - frame).max() < _SAME), "")

    def name_frame(self, name: str) -> str:
        """Returns a name that no link has."""
        return f"{name}_sensor" if name in self._links else name

    def _group(self, link: str) -> dict[str, Matrix]:
        """Returns link -> its frame in a link, of all links that are fixed to that."""
        if link not in self._groups:
            found = {link: np.eye(4)}
            waiting = [link]
            while waiting:
                near = waiting.pop()
                for name, step in self._beside.get(near, ()):
                    if name not in found:
                        found[name] = found[near] @ step
                        waiting.append(name)
            self._groups[link] = found
        return self._groups[link]
