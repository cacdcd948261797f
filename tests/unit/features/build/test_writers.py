# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors and control that were added by hand, in each format that knows them."""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from support.webots.proto_check import check
from urdf_importer import Diagnostics, Severity, export_robot, read_robot, reshape
from urdf_importer.core.model import (
    Altimeter,
    Box,
    Camera,
    CameraSensor,
    Collision,
    ContactSensor,
    Fan,
    ForceSensor,
    Gps,
    Imu,
    Inertia,
    Inertial,
    Lidar,
    Link,
    Magnetometer,
    Pose,
    Robot,
    Sensor,
    Sonar,
)

PLACE = (0.1, 0.2, 0.3)
CAMERA = Camera(
    width=640, height=480, field_of_view=1.0, near=0.1, far=10.0, depth=(0.1, 10.0)
)  # fmt: skip


def make_sensors() -> list[Sensor]:
    """A sensor of each kind that the button makes, called after its kind."""
    at: dict[str, Any] = {"reference": "hand", "origin": Pose(xyz=PLACE)}
    lens: dict[str, Any] = {"cameras": (CAMERA,), **at}
    return [
        CameraSensor(name="camera", kind="camera", **lens),
        CameraSensor(name="depth_camera", kind="depth", **lens),
        CameraSensor(name="rgbd_camera", kind="rgbd", **lens),
        Lidar(name="gpu_lidar", across=Fan(360, -3, 3), up=Fan(1, 0, 0), near=0.1, far=9.0, **at),
        Sonar(name="sonar", near=0.02, far=4.0, aperture=0.5, **at),
        Imu(name="imu", **at),
        ContactSensor(name="contact", reference="hand"),
        ForceSensor(name="force_torque", reference="wrist"),
        Gps(name="navsat", **at),
        Magnetometer(name="magnetometer", **at),
        Altimeter(name="altimeter", **at),
    ]


@pytest.fixture
def robot() -> Robot:
    tensor = Inertia(ixx=0.01, iyy=0.01, izz=0.01, ixy=0.0, ixz=0.0, iyz=0.0)
    parts: dict[str, Any] = {
        "inertial": Inertial(mass=1.0, inertia=tensor),
        "collisions": (Collision(geometry=Box(size=(0.1, 0.1, 0.1))),),
    }
    made = Robot(name="arm", links=(Link(name="base", **parts),))
    hand = Link(name="hand", **parts)
    made = reshape.add_link(made, hand, joint="wrist", type="revolute", origin=Pose(xyz=(0, 0, 1)))
    for sensor in make_sensors():
        made = reshape.add_sensor(made, sensor)
    return reshape.add_control(made, commands=("velocity",))


def write(robot: Robot, path: Path) -> tuple[str, set[str]]:
    """Writes a robot; returns the text and the subjects of errors, which are lost."""
    diagnostics = Diagnostics()
    export_robot(robot, path, diagnostics=diagnostics)
    return path.read_text(), {
        each.subject for each in diagnostics if each.severity is Severity.ERROR
    }


@pytest.mark.parametrize("name", ["arm.urdf", "arm.sdf"])
def test_sensors_are_read_back_from_the_formats_of_ros(
    name: str, robot: Robot, tmp_path: Path
) -> None:
    text, lost = write(robot, tmp_path / name)
    again = read_robot(tmp_path / name)
    assert not lost
    found = {each.name: (type(each), each.word, each.reference) for each in again.sensors}
    assert found == {e.name: (type(e), e.word, e.reference) for e in robot.sensors}
    for sensor in again.sensors:
        if sensor.name not in ("contact", "force_torque"):
            np.testing.assert_allclose(sensor.origin.xyz, PLACE, atol=1e-12)
    assert '<command_interface name="velocity"' in text
    if name.endswith(".urdf"):
        assert again.sensors == robot.sensors and again.controls == robot.controls


def test_mujoco_measures_by_the_sensors_and_drives_by_the_control(
    robot: Robot, tmp_path: Path
) -> None:
    _, lost = write(robot, tmp_path / "arm.xml")
    assert lost == {"gpu_lidar", "contact"}  # MuJoCo has none of several rays, nor on links.
    model: Any = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    kinds = mujoco.mjtSensor
    sensors = map(model.sensor, range(model.nsensor))
    assert {each.name: each.type[0] for each in sensors} == {
        "sonar": kinds.mjSENS_RANGEFINDER,
        "imu_accelerometer": kinds.mjSENS_ACCELEROMETER,
        "imu_gyro": kinds.mjSENS_GYRO,
        "imu_framequat": kinds.mjSENS_FRAMEQUAT,
        "force_torque_force": kinds.mjSENS_FORCE,
        "force_torque_torque": kinds.mjSENS_TORQUE,
        "navsat_framepos": kinds.mjSENS_FRAMEPOS,
        "navsat_framelinvel": kinds.mjSENS_FRAMELINVEL,
        "magnetometer": kinds.mjSENS_MAGNETOMETER,
        "altimeter_framepos": kinds.mjSENS_FRAMEPOS,
        "altimeter_framelinvel": kinds.mjSENS_FRAMELINVEL,
    }  # fmt: skip
    cameras = [model.camera(each).name for each in range(model.ncam)]
    assert cameras == ["camera", "depth_camera", "rgbd_camera"]
    np.testing.assert_allclose(data.sensor("navsat_framepos").data, (0.1, 0.2, 1.3), atol=1e-12)
    np.testing.assert_allclose(data.cam_xpos, [(0.1, 0.2, 1.3)] * 3, atol=1e-12)
    assert model.nu == 1 and model.actuator("wrist").biasprm[1] == 0.0  # A servo of velocities.
    assert model.actuator("wrist").biasprm[2] < 0.0


def test_webots_has_a_node_for_each_sensor(robot: Robot, tmp_path: Path) -> None:
    _, lost = write(robot, tmp_path / "Arm.proto")
    assert lost == {"force_torque"}  # Webots measures forces between links that are held together.
    checked = check(tmp_path / "Arm.proto")
    assert checked.problems == ()
    nodes = {name: each["type"] for name, each in checked.solids.items()}
    wanted = {
        "camera": "Camera", "depth_camera": "RangeFinder", "rgbd_camera_color": "Camera",
        "rgbd_camera_depth": "RangeFinder", "gpu_lidar": "Lidar", "sonar": "DistanceSensor",
        "imu_accelerometer": "Accelerometer", "imu_gyro": "Gyro",
        "imu_inertial_unit": "InertialUnit", "contact": "TouchSensor", "navsat": "GPS",
        "magnetometer": "Compass", "altimeter": "Altimeter",
    }  # fmt: skip
    assert wanted.items() <= nodes.items()
    for name in set(wanted) - {"contact"}:
        np.testing.assert_allclose(checked.pose(name)[:3, 3], (0.1, 0.2, 1.3), atol=1e-6)
