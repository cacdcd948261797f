# SPDX-License-Identifier: GPL-3.0-or-later
"""add_sensor: a robot with one more sensor, in the words of new Gazebo: reading them gives the same
sensor."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...arguments import robot_of
from ...diagnostics import ArgumentError, quote, quote_value, unknown_name
from ...gazebo.parts import KINDS
from ...geometry.transforms import matrix_from_pose, pose_of, rpy_from_rotation
from ...kinematics.sensor_frames import frame_of
from ...markup.write import format_element, format_number, format_text
from ...model import (
    IDENTITY,
    Altimeter,
    Barometer,
    Camera,
    CameraSensor,
    ContactSensor,
    Extra,
    Fan,
    ForceSensor,
    Gps,
    Imu,
    Lidar,
    LogicalCamera,
    Magnetometer,
    Noise,
    Pose,
    Robot,
    Sensor,
    Sonar,
    Stream,
)
from ..references import interpret_again
from .steps import check_pose, refuse_taken

_NOISY = Noise(2e-4)
"""The noise of a sensor that only says that it has some."""
Content = str | float | bool | Noise | Pose | list[Any] | None
"""Of an element: a text or number, parts (tag, content), or nothing where it is left out."""


def add_sensor(robot: Robot, sensor: Sensor) -> Robot:
    """Returns the robot with a sensor on the link, or joint, that is its `reference`; in URDF as
    <gazebo reference=..><sensor ..>, and in all formats that know its kind.

    A sensor without a `word` gets the word of its class, and one that is optical looks along x.
    Raises KinematicsError for an unknown reference and a name that is taken, ArgumentError for a
    sensor that these words cannot hold.
    """
    robot = robot_of(robot)
    if not isinstance(sensor, Sensor):
        raise ArgumentError(f"a sensor is given as a Sensor, not as {quote_value(sensor)}")
    check_pose(sensor.origin)
    known = [*(each.name for each in robot.links), *(each.name for each in robot.joints)]
    if sensor.reference not in known:
        raise unknown_name("the robot has no link", sensor.reference, known, source=robot.source)
    refuse_taken("sensor", [each.name for each in robot.sensors], sensor.name, robot)
    kinds = _WORDS.get(type(sensor), ("",))
    word = sensor.word or kinds[0]
    if isinstance(sensor, CameraSensor):
        word = sensor.word or _CAMERAS[sensor.kind]
        kinds = (_CAMERAS[sensor.kind],)
    if not word:
        raise ArgumentError(f"sensor {quote(sensor.name)} needs a word for its kind")
    if KINDS.get(word, "") != KINDS.get(kinds[0], ""):
        raise ArgumentError(f"{quote(word)} is not a word for a {type(sensor).__name__}")
    if sensor.is_optical:
        origin = pose_of(frame_of(sensor), rounding=1e-15)
        sensor = replace(sensor, is_optical=False, origin=origin)
    sensor = replace(sensor, word=word)
    text = _write("sensor", [*_describe(sensor)], {"name": sensor.name, "type": word})
    xml = format_element("gazebo", {"reference": sensor.reference}, text)
    extra = Extra(tag="gazebo", xml=xml)
    made = interpret_again(robot, replace(robot, extras=(*robot.extras, extra)))
    if all(each.name != sensor.name for each in made.sensors):  # It has its sensors from elsewhere.
        made = replace(made, sensors=(*robot.sensors, sensor))
    return made


def _write(tag: str, content: Content, attributes: Mapping[str, str] | None = None) -> str:
    """Returns an element; nothing for no content."""
    given = attributes or {}
    match content:
        case None:
            return ""
        case list():
            return format_element(tag, given, "".join(_write(*part) for part in content))
        case Noise(deviation=deviation, mean=mean):
            parts = [("type", "gaussian"), ("mean", mean), ("stddev", deviation)]
            return _write(tag, parts) if content else ""
        case Pose():
            turn = rpy_from_rotation(matrix_from_pose(content)[:3, :3])
            rpy = content.rpy if content.quat_xyzw is None else turn
            numbers = " ".join(map(format_number, (*content.xyz, *rpy)))
            return "" if content == IDENTITY else format_text(tag, numbers)
        case bool():
            return format_text(tag, "true" if content else "false")
        case str():
            return format_text(tag, content) if content else ""
    return format_text(tag, format_number(content))


def _describe(sensor: Sensor) -> Iterator[tuple[str, Content]]:
    yield "pose", sensor.origin
    yield from _describe_stream(sensor.stream)
    describe = _DESCRIBERS.get(type(sensor))
    if describe is not None:
        yield from describe(sensor)


def _describe_stream(stream: Stream) -> Iterator[tuple[str, Content]]:
    yield "topic", stream.topic
    yield "update_rate", stream.rate or None
    yield "always_on", stream.always_on or None
    yield "gz_frame_id", stream.frame


def _camera(sensor: CameraSensor) -> Iterator[tuple[str, Content]]:
    if sensor.kind == "multicamera" or len(sensor.cameras) != 1:
        raise ArgumentError(f"sensor {quote(sensor.name)} must have one camera")
    if sensor.depth_topic or sensor.cloud_topic:
        raise ArgumentError(
            f"sensor {quote(sensor.name)} has topics for depths or points, which only plugins have"
        )
    (camera,) = sensor.cameras
    yield "camera", [*_describe_camera(camera)]


def _describe_camera(camera: Camera) -> Iterator[tuple[str, Content]]:
    yield "pose", camera.origin
    yield "horizontal_fov", camera.field_of_view
    size: list[Any] = [("width", camera.width), ("height", camera.height)]
    yield "image", [*size, ("format", "R8G8B8" if camera.is_color else "L8")]
    yield "clip", [("near", camera.near), ("far", camera.far)]
    near, far = camera.depth
    if camera.depth != (camera.near, camera.far):
        yield "depth_camera", [("clip", [("near", near), ("far", far)])]
    yield "noise", camera.noise
    lens, held = camera.lens, camera.intrinsics
    if lens is not None:
        (k1, k2), (p1, p2) = lens.radial, lens.tangential
        center = None if lens.center is None else " ".join(map(format_number, lens.center))
        numbers = {"k1": k1, "k2": k2, "k3": lens.k3, "p1": p1, "p2": p2, "center": center}
        yield "distortion", list(numbers.items())
    if held is not None:
        names = {"fx": held.fx, "fy": held.fy, "cx": held.cx, "cy": held.cy, "s": held.skew}
        yield "lens", [("intrinsics", list(names.items()))]


def _logical(sensor: LogicalCamera) -> Iterator[tuple[str, Content]]:
    yield "logical_camera", [
        ("near", sensor.near), ("far", sensor.far),
        ("aspect_ratio", sensor.aspect), ("horizontal_fov", sensor.field_of_view),
    ]  # fmt: skip


def _lidar(sensor: Lidar) -> Iterator[tuple[str, Content]]:
    if sensor.makes_one_range or not sensor.is_ultrasound:
        raise ArgumentError(f"sensor {quote(sensor.name)} makes one range, which only plugins do")
    fans = [("horizontal", _fan(sensor.across)), ("vertical", _fan(sensor.up))]
    reach: list[Any] = [("min", sensor.near), ("max", sensor.far)]
    reach.append(("resolution", sensor.resolution or None))
    yield "lidar", [("scan", fans), ("range", reach), ("noise", sensor.noise)]


def _fan(fan: Fan) -> list[tuple[str, Content]]:
    return [("samples", fan.count), ("min_angle", fan.low), ("max_angle", fan.high)]


def _sonar(sensor: Sonar) -> Iterator[tuple[str, Content]]:
    is_whole = sensor.aperture >= math.tau
    shape: list[Any] = [("geometry", "sphere")] if is_whole else [("radius", _find_radius(sensor))]
    yield "sonar", [("min", sensor.near), ("max", sensor.far), *shape]


def _find_radius(sensor: Sonar) -> float:
    """Returns the radius at the end of the cone whose aperture is read back to the last bit, where
    one of the nearest few is."""
    radius = sensor.far * math.tan(0.5 * sensor.aperture)
    near = [radius]
    for side in (0.0, math.inf):
        number = radius
        for _ in range(8):
            near.append(number := math.nextafter(number, side))
    return min(near, key=lambda r: abs(2.0 * math.atan2(r, sensor.far) - sensor.aperture))


def _imu(sensor: Imu) -> Iterator[tuple[str, Content]]:
    noise = _NOISY if sensor.is_noisy else None
    frame = [("localization", "CUSTOM")] if sensor.has_own_reference else None
    yield "imu", [
        ("enable_orientation", None if sensor.has_orientation else False),
        ("orientation_reference_frame", frame),
        *((word, [(axis, [("noise", noise)]) for axis in "xyz"] if noise else None)
          for word in ("angular_velocity", "linear_acceleration")),
    ]  # fmt: skip


def _gps(sensor: Gps) -> Iterator[tuple[str, Content]]:
    numbers = (*sensor.position, *sensor.velocity)
    spare = [("bias_stddev", _NOISY.deviation)] if sensor.is_noisy and not any(numbers) else None
    senses = {"position_sensing": sensor.position, "velocity_sensing": sensor.velocity}
    yield (
        "navsat",
        [
            (word, [("horizontal", [("noise", across or spare)]), ("vertical", [("noise", up)])])
            for word, (across, up) in senses.items()
        ],
    )


def _magnetometer(sensor: Magnetometer) -> Iterator[tuple[str, Content]]:
    if sensor.is_noisy:
        yield "magnetometer", [(axis, [("noise", _NOISY)]) for axis in "xyz"]


def _altimeter(sensor: Altimeter) -> Iterator[tuple[str, Content]]:
    senses = {"vertical_position": sensor.height, "vertical_velocity": sensor.speed}
    spare = sensor.is_noisy and not any(senses.values())
    bias = [("bias_stddev", _NOISY.deviation)] if spare else None
    yield "altimeter", [(word, [("noise", each or bias)]) for word, each in senses.items()]


def _barometer(sensor: Barometer) -> Iterator[tuple[str, Content]]:
    noise = [("noise", _NOISY)] if sensor.is_noisy else None
    yield "air_pressure", [("reference_altitude", sensor.altitude or None), ("pressure", noise)]


def _contact(sensor: ContactSensor) -> Iterator[tuple[str, Content]]:
    yield "contact", [("collision", name) for name in sensor.collisions]


def _force(sensor: ForceSensor) -> Iterator[tuple[str, Content]]:
    noise = [(axis, [("noise", _NOISY)]) for axis in "xyz"] if sensor.is_noisy else None
    yield "force_torque", [
        ("frame", sensor.frame), ("measure_direction", sensor.direction), ("force", noise),
    ]  # fmt: skip


_CAMERAS = {
    "camera": "camera",
    "wide": "wideanglecamera",
    "multicamera": "multicamera",
    "depth": "depth_camera",
    "rgbd": "rgbd_camera",
}
_WORDS: Mapping[type[Sensor], tuple[str, ...]] = {
    LogicalCamera: ("logical_camera",),
    Lidar: ("gpu_lidar",),
    Sonar: ("sonar",),
    Imu: ("imu",),
    Gps: ("navsat",),
    Magnetometer: ("magnetometer",),
    Altimeter: ("altimeter",),
    Barometer: ("air_pressure",),
    ContactSensor: ("contact",),
    ForceSensor: ("force_torque",),
}
_DESCRIBERS: Mapping[type[Sensor], Callable[[Any], Iterator[tuple[str, Content]]]] = {
    CameraSensor: _camera,
    LogicalCamera: _logical,
    Lidar: _lidar,
    Sonar: _sonar,
    Imu: _imu,
    Gps: _gps,
    Magnetometer: _magnetometer,
    Altimeter: _altimeter,
    Barometer: _barometer,
    ContactSensor: _contact,
    ForceSensor: _force,
}
