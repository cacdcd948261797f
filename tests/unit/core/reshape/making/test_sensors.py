# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors and Webots' devices that are added: their text gives them back."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urdf_importer import RobotError, reshape
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.gazebo.devices import DEVICES, read_battery, read_devices
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.model import (
    Altimeter,
    Barometer,
    Camera,
    CameraSensor,
    ContactSensor,
    Fan,
    ForceSensor,
    Gps,
    Imu,
    Intrinsics,
    Lens,
    Lidar,
    Link,
    LogicalCamera,
    Magnetometer,
    Noise,
    Pose,
    Robot,
    Sensor,
    Sonar,
    Stream,
)
from urdf_importer.core.model.device import WebotsDevice
from urdf_importer.core.shelves import find_hook

ARM = reshape.add_link(Robot(name="arm", links=(Link(name="base"),)), "hand", joint="wrist")
HELD = Intrinsics(fx=500.0, fy=501.0, cx=320.0, cy=240.0, skew=0.5)
NUMBERS = st.floats(-10.0, 10.0)
NOISES = st.builds(Noise, st.floats(0.001, 1.0), NUMBERS)
PLACES: Any = st.builds(
    Pose, xyz=st.tuples(NUMBERS, NUMBERS, NUMBERS), rpy=st.tuples(NUMBERS, NUMBERS, NUMBERS)
)
STREAMS = st.builds(
    Stream,
    topic=st.sampled_from(("", "/scan", "/arm/image")),
    frame=st.sampled_from(("", "hand_optical")),
    rate=st.sampled_from((0.0, 30.0)),
    always_on=st.booleans(),
)
REACH = {"near": st.floats(0.01, 1.0), "far": st.floats(2.0, 100.0)}


def sensors(made: Any, word: str, **fields: Any) -> Any:
    return st.builds(
        made, name=st.just("eye"), word=st.just(word), reference=st.just("hand"),
        origin=PLACES, stream=STREAMS, **fields,
    )  # fmt: skip


def cameras(kind: str, word: str) -> Any:
    def place(sensor: CameraSensor) -> CameraSensor:
        return replace(
            sensor, cameras=tuple(replace(each, stream=sensor.stream) for each in sensor.cameras)
        )

    camera = st.builds(
        Camera, origin=PLACES, width=st.integers(1, 4000), height=st.integers(1, 4000),
        field_of_view=st.floats(0.1, 3.0), depth=st.tuples(st.floats(0.01, 1.0), st.just(9.0)),
        noise=NOISES, is_color=st.booleans(),
        lens=st.none() | st.just(Lens(radial=(0.1, 0.2), tangential=(0.3, 0.4), center=(0.5, 0.4))),
        intrinsics=st.none() | st.just(HELD), **REACH,
    )  # fmt: skip
    made = sensors(CameraSensor, word, kind=st.just(kind), cameras=st.tuples(camera))
    return made.map(place)


FANS = st.builds(Fan, st.integers(1, 1000), st.floats(-3.0, 0.0), st.floats(0.0, 3.0))
YES = {"is_noisy": st.booleans()}
NO_CAMERA = CameraSensor(name="a", reference="hand", kind="camera", cameras=())
ALL = st.one_of(
    cameras("camera", "camera"), cameras("depth", "depth_camera"), cameras("rgbd", "rgbd_camera"),
    cameras("wide", "wideanglecamera"),
    sensors(Lidar, "gpu_lidar", across=FANS, up=FANS, noise=NOISES, **REACH,
            resolution=st.sampled_from((0.0, 0.01))),
    sensors(Sonar, "sonar", aperture=st.sampled_from((0.5, math.tau, 1.0)), **REACH),
    sensors(Imu, "imu", has_orientation=st.booleans(), has_own_reference=st.booleans(), **YES),
    sensors(ContactSensor, "contact", collisions=st.sampled_from(((), ("a", "b")))),
    sensors(Magnetometer, "magnetometer", **YES),
    sensors(Barometer, "air_pressure", altitude=NUMBERS, **YES),
    sensors(LogicalCamera, "logical_camera", field_of_view=st.floats(0.1, 3.0),
            aspect=st.floats(0.5, 2.0), **REACH),
    sensors(Gps, "navsat", position=st.tuples(NOISES, NOISES), velocity=st.tuples(NOISES, NOISES),
            is_noisy=st.just(True)),
    sensors(Altimeter, "altimeter", height=NOISES, speed=NOISES, is_noisy=st.just(True)),
    sensors(Gps, "navsat", **YES), sensors(Altimeter, "altimeter", **YES),
    sensors(Sensor, "gravimeter"),
).filter(lambda each: not isinstance(each, Sonar) or each.near < each.far)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(ALL)
def test_sensors_are_read_back_equal(sensor: Sensor) -> None:
    robot = reshape.add_sensor(ARM, sensor)
    assert list(robot.sensors) == [sensor]
    text = find_hook("write_text")(robot).encode()
    diagnostics = Diagnostics()
    again = find_hook("read_text")(text, "", diagnostics)
    assert again == robot and list(again.sensors) == [sensor] and not list(diagnostics)


def test_force_sensors_are_on_joints() -> None:
    force = ForceSensor(
        name="force", word="force_torque", reference="wrist", frame="child",
        direction="child_to_parent", is_noisy=True,
    )  # fmt: skip
    assert list(reshape.add_sensor(ARM, force).sensors) == [force]


def test_words_and_frames_are_filled_in() -> None:
    robot = reshape.add_sensor(ARM, Imu(name="imu", reference="hand"))
    assert robot.sensors[0].word == "imu"
    robot = reshape.add_sensor(robot, Imu(name="x", reference="hand", is_optical=True))
    turned, looks = robot.sensors[1], matrix_from_pose(robot.sensors[1].origin)[:3, 0]
    assert not turned.is_optical
    np.testing.assert_allclose(looks, (0.0, 0.0, 1.0), atol=1e-12)


@pytest.mark.parametrize(
    ("sentence", "sensor"),
    [
        ("the robot has no link 'hnad'; did you mean 'hand'?", Imu(name="a", reference="hnad")),
        ("'lidar' is not a word for a Imu", Imu(name="a", word="lidar", reference="hand")),
        (
            "must have one camera",
            CameraSensor(name="a", reference="hand", kind="camera", cameras=()),
        ),
        ("a sensor is given as a Sensor", "imu"),
        ("needs a word for its kind", Sensor(name="a", reference="hand")),
        ("finite numbers", Imu(name="a", reference="hand", origin=Pose(xyz=(math.nan, 0, 0)))),
    ],
)
def test_impossible_sensors_are_refused(sentence: str, sensor: Any) -> None:
    with pytest.raises(RobotError) as caught:
        reshape.add_sensor(ARM, sensor)
    assert sentence in str(caught.value)


# Devices


def make_device(node: str, **fields: str) -> WebotsDevice:
    return WebotsDevice(node=node, name="eye", reference="hand", fields=tuple(fields.items()))


def test_devices_are_read_back_equal_and_move_with_their_link() -> None:
    origin = Pose(xyz=(0.0, 0.1, 0.2), rpy=(0.1, 0.2, 0.3))
    device = replace(make_device("LightSensor", lookupTable="0 0 0 1 1000 0"), origin=origin)
    robot = reshape.add_device(ARM, device, battery=(10, 20, 1.5))
    assert list(read_devices(robot)) == [device] and read_battery(robot) == (10.0, 20.0, 1.5)
    text = find_hook("write_text")(robot).encode()
    assert find_hook("read_text")(text, "", Diagnostics()) == robot
    assert read_battery(reshape.add_device(robot, battery=(1, 2, 3))) == (1.0, 2.0, 3.0)
    moved = reshape.set_joint(robot, "wrist", origin=Pose(xyz=(0.0, 0.1, 0.0)))
    (found,) = read_devices(moved)
    assert found.origin.xyz == pytest.approx((0.0, 0.0, 0.2))
    assert list(read_devices(reshape.prune(robot, remove=["hand"]))) == []


@pytest.mark.parametrize(
    ("sentence", "device"),
    [
        ("Webots has no device 'Laser'", make_device("Laser")),
        ("did you mean 'lookupTable'?", make_device("LightSensor", lookuptable="")),
        ("it must be rows of three numbers", make_device("LightSensor", lookupTable="1 2")),
        ("it must be TRUE or FALSE", make_device("LightSensor", occlusion="yes")),
        ("it must be radio, serial or infra-red", make_device("Emitter", type="laser")),
        ("it must be a number", make_device("Emitter", range="far")),
        ("it must be 3 numbers", make_device("Charger", emissiveColor="1 1")),
        ("a Charger needs three numbers", make_device("Charger")),
        ("no link 'x'", replace(make_device("Emitter"), reference="x")),
        ("rotation as rpy", replace(make_device("Emitter"), origin=Pose(quat_xyzw=(0, 0, 0, 1)))),
    ],
)
def test_impossible_devices_are_refused(sentence: str, device: WebotsDevice) -> None:
    with pytest.raises(RobotError) as caught:
        reshape.add_device(ARM, device)
    assert sentence in str(caught.value)


def test_devices_need_names_of_their_own() -> None:
    robot = reshape.add_device(ARM, make_device("Emitter"))
    with pytest.raises(RobotError, match="there is a device 'eye' already"):
        reshape.add_device(robot, make_device("Receiver"))
    assert set(DEVICES) == {
        "Emitter", "Receiver", "LightSensor", "DistanceSensor", "TouchSensor", "Charger",
    }  # fmt: skip
