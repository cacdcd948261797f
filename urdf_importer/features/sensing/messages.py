# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements of sensors -> serialized messages of ROS 1 and ROS 2."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...core.geometry.transforms import Matrix, quaternion_from_rotation
from ...core.images import encode_png
from ...core.model import CameraSensor, Lidar, Sonar
from ...core.sensors.placed import PlacedSensor, claim
from ...core.sensors.rays import angles_of
from ..motion.recordings.definitions import Encoding
from ..motion.recordings.encode import EncodedMessage, Packer
from .base_motion import ODOM, BaseMotion
from .reading import Reading, turn_of

_FLOAT32 = 7
_ULTRASOUND, _INFRARED = 0, 1
_UNKNOWN = np.zeros(9)
"""A covariance."""

Fill = Callable[[Packer, Reading], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SensorTopic:
    """A topic of a sensor; `fill` writes a measurement into a message behind its header."""

    name: str
    type: str
    fill: Fill


def make_name(text: str) -> str:
    """Returns a name of a frame or topic that ROS takes: letters, digits and _."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", text)
    return f"_{plain}" if plain[:1].isdigit() or not plain else plain


def list_topics_of(
    sensor: PlacedSensor, *, compressed: bool, taken: set[str]
) -> tuple[SensorTopic, ...]:
    """Lists the topics of a sensor: the description's, else /NAME and others beside it. A topic
    that another sensor has already gets a number; the names are added to `taken`."""
    return tuple(
        SensorTopic(name=claim(name, taken), type=f"sensor_msgs/{kind}", fill=fill)
        for name, kind, fill in _list_topics(sensor, compressed=compressed)
    )


def _list_topics(sensor: PlacedSensor, *, compressed: bool) -> Iterator[tuple[str, str, Fill]]:
    described, own = sensor.sensor, f"/{make_name(sensor.name)}"
    topic = sensor.topic if sensor.topic.startswith("/") else sensor.topic and f"/{sensor.topic}"
    if sensor.camera is not None and isinstance(described, CameraSensor):
        yield from _list_camera(sensor, described, topic, own, compressed=compressed)
    elif isinstance(described, Sonar) or (
        isinstance(described, Lidar) and described.makes_one_range
    ):
        yield topic or own, "Range", partial(_range, sensor=described)
    elif isinstance(described, Lidar) and described.up.count == 1:
        period = 1.0 / sensor.rate if sensor.rate else 0.0
        yield topic or own, "LaserScan", partial(_scan, lidar=described, period=period)
    elif isinstance(described, Lidar):
        yield topic or f"{own}/points", "PointCloud2", _cloud
    else:
        yield topic or own, "Imu", _imu


def _list_camera(
    sensor: PlacedSensor, described: CameraSensor, topic: str, own: str, *, compressed: bool
) -> Iterator[tuple[str, str, Fill]]:
    has_depth = sensor.kind in ("depth", "rgbd")
    if sensor.kind != "depth":
        image = topic or f"{own}/image_raw"
        if compressed:
            yield f"{image}/compressed", "CompressedImage", _png
        else:
            yield image, "Image", _image
        if sensor.K is not None:
            yield _beside(image), "CameraInfo", _camera_info
    if has_depth and sensor.K is not None:
        depth = described.depth_stream.topic or f"{own}/depth/image_raw"
        yield depth, "Image", _depth
        yield _beside(depth), "CameraInfo", _camera_info
        yield described.points_topic or f"{own}/points", "PointCloud2", _cloud


def _beside(topic: str) -> str:
    """Returns the topic of the CameraInfo of a picture."""
    return f"{topic.rpartition('/')[0]}/camera_info"


def pack_message(
    topic: SensorTopic, reading: Reading, log: int, sequence: int, encoding: Encoding
) -> EncodedMessage:
    """Returns a measurement as a message; `log` in nanoseconds, `sequence` counts the messages of
    its topic."""
    packer = Packer(encoding)
    packer.header(log, reading.frame_id, sequence)
    topic.fill(packer, reading)
    return EncodedMessage(topic=topic.name, log=log, data=bytes(packer.out))


def _scan(packer: Packer, reading: Reading, lidar: Lidar, period: float) -> None:
    assert reading.ranges is not None
    angles = angles_of(lidar.across)
    count = len(angles)
    step = (lidar.across.high - lidar.across.low) / (count - 1) if count > 1 else 0.0
    packer.singles(angles[0], angles[-1], step, 0.0, period, lidar.near, lidar.far)
    packer.array(reading.ranges[0])
    packer.number(0)


def _range(packer: Packer, reading: Reading, sensor: Sonar | Lidar) -> None:
    assert reading.ranges is not None
    infrared = isinstance(sensor, Lidar) and not sensor.is_ultrasound
    angle = sensor.across.width if isinstance(sensor, Lidar) else sensor.aperture
    packer.small(_INFRARED if infrared else _ULTRASOUND)
    packer.singles(angle, sensor.near, sensor.far, float(reading.ranges[0, 0]))


def _image(packer: Packer, reading: Reading) -> None:
    assert reading.rgb is not None
    _picture(packer, reading.rgb, "rgb8")


def _depth(packer: Packer, reading: Reading) -> None:
    assert reading.depth is not None
    _picture(packer, np.where(reading.depth > 0.0, reading.depth, np.nan).astype("<f4"), "32FC1")


def _picture(packer: Packer, pixels: Any, encoding: str) -> None:
    height, width = pixels.shape[:2]
    packer.number(height)
    packer.number(width)
    packer.text(encoding)
    packer.small(0)
    packer.number(pixels.strides[0])
    packer.blob(pixels.tobytes())


def _png(packer: Packer, reading: Reading) -> None:
    assert reading.rgb is not None
    packer.text("png")
    packer.blob(encode_png(reading.rgb))


def _camera_info(packer: Packer, reading: Reading) -> None:
    assert reading.K is not None and reading.D is not None
    pixels = reading.rgb if reading.rgb is not None else reading.depth
    assert pixels is not None
    packer.number(pixels.shape[0])
    packer.number(pixels.shape[1])
    packer.text("plumb_bob")
    packer.doubles(reading.D)
    packer.fixed(reading.K.ravel())
    packer.fixed(np.eye(3).ravel())
    packer.fixed(np.hstack([reading.K, np.zeros((3, 1))]).ravel())
    for _ in range(6):
        packer.number(0)
    packer.small(0)


def _cloud(packer: Packer, reading: Reading) -> None:
    """Organised as the picture where there is one: without a point NaN. Otherwise one row."""
    assert reading.points is not None
    points, height = reading.points, 1
    if reading.depth is not None:
        height = len(reading.depth)
        points = np.full((reading.depth.size, 3), np.nan)
        points[reading.depth.ravel() > 0.0] = reading.points
    width = len(points) // height
    for each in (height, width, 3):
        packer.number(each)
    for place, name in enumerate("xyz"):
        packer.text(name)
        packer.number(4 * place)
        packer.small(_FLOAT32)
        packer.number(1)
    packer.small(0)
    packer.number(12)
    packer.number(12 * width)
    packer.blob(points.astype("<f4").tobytes())
    packer.small(int(reading.depth is None))


def _imu(packer: Packer, reading: Reading) -> None:
    assert reading.angular_velocity is not None and reading.acceleration is not None
    packer.fixed(np.array(reading.orientation or (0.0, 0.0, 0.0, 1.0)))
    covariance = _UNKNOWN.copy()
    covariance[0] = 0.0 if reading.orientation else -1.0
    packer.fixed(covariance)
    for vector in (reading.angular_velocity, reading.acceleration):
        packer.fixed(vector)
        packer.fixed(_UNKNOWN)


def pack_static(
    sensors: list[tuple[str, str, Matrix]], encoding: Encoding, *, log: int = 0
) -> bytes:
    """Returns the TFMessage of frames that rest: (parent, child, frame (4, 4)) each; `log` in
    nanoseconds."""
    packer = Packer(encoding)
    packer.number(len(sensors))
    for parent, child, frame in sensors:
        packer.header(log, parent)
        packer.text(child)
        packer.fixed(frame[:3, 3])
        packer.fixed(np.array(quaternion_from_rotation(frame[:3, :3])))
    return bytes(packer.out)


def pack_odometry(base: BaseMotion, row: int, log: int, encoding: Encoding) -> bytes:
    """Returns the Odometry of a base at one of its times, with its twist in its own frame by
    central differences."""
    poses, times = base.poses, base.times
    low, high = max(row - 1, 0), min(row + 1, len(poses) - 1)
    packer = Packer(encoding)
    packer.header(log, ODOM, row)
    packer.text(base.child)
    rotation = poses[row, :3, :3]
    packer.fixed(poses[row, :3, 3])
    packer.fixed(np.array(quaternion_from_rotation(rotation)))
    packer.fixed(np.zeros(36))
    step = times[high] - times[low]
    linear = angular = np.zeros(3)
    if step > 0.0:
        linear = rotation.T @ (poses[high, :3, 3] - poses[low, :3, 3]) / step
        angular = rotation.T @ turn_of(poses[high, :3, :3] @ poses[low, :3, :3].T) / step
    packer.fixed(linear)
    packer.fixed(angular)
    packer.fixed(np.zeros(36))
    return bytes(packer.out)
