# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras and sensors of MuJoCo's models are the robot's, and cameras and sensors again."""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from support.mjcf_models import body, close, model
from urdf_importer import (
    Diagnostics,
    ReadError,
    UrdfOptions,
    export_robot,
    forward_kinematics,
    read_robot,
)
from urdf_importer.core.model import CameraSensor, Imu, Lidar
from urdf_importer.core.sensors.placed import place_sensors

SENSED = (
    body(
        '<joint name="j"/><geom size="0.1"/><frame pos="0 0.1 0" euler="0 0 15">'
        '<camera name="plain" pos="0 0 1" euler="40 0 10" fovy="50" resolution="320 200"/></frame>'
        '<camera name="exact" pos="0.2 0 1" xyaxes="0 -1 0 0.1 0 1" resolution="320 200" '
        'sensorsize="0.0032 0.002" focalpixel="300 250" principalpixel="20 10"/>'
        '<camera name="lengths" sensorsize="0.0048 0.0036" focal="0.003 0.003" '
        'principal="0.0002 -0.0001"/><camera name="flat" projection="orthographic" fovy="1"/>'
        '<site name="s" pos="0.1 0.2 0.3" euler="0 70 0"/>',
        'pos="0.3 0 0" euler="10 20 30"',
    )
    + '<sensor><rangefinder name="r" site="s" cutoff="3"/><rangefinder site="s"/>'
    '<accelerometer site="s"/><gyro site="s"/><framequat objtype="site" objname="s"/></sensor>'
)


def frustum(compiled: Any, data: Any, name: str) -> tuple[float, float, float, float]:
    """Where MuJoCo's picture ends at depth 1: left, right, bottom, top."""
    scene, camera = mujoco.MjvScene(compiled, 100), mujoco.MjvCamera()
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, compiled.cam(name).id
    every, option = mujoco.mjtCatBit.mjCAT_ALL, mujoco.MjvOption()
    mujoco.mjv_updateScene(compiled, data, option, None, camera, every, scene)
    found = scene.camera[0]
    half = found.frustum_width
    if not half:  # MuJoCo leaves the width to the picture's shape.
        width, height = compiled.cam_resolution[camera.fixedcamid]
        half = found.frustum_top * width / height
    sides = (found.frustum_center - half, found.frustum_center + half)
    near = found.frustum_near
    return tuple(each / near for each in (*sides, found.frustum_bottom, found.frustum_top))


def judge(path: Path, position: float) -> None:
    """Cameras look as MuJoCo's own do: from the same places, onto the same pixels."""
    robot, compiled = read_robot(path), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(compiled)
    data.joint("j").qpos[0] = position
    mujoco.mj_forward(compiled, data)
    links = forward_kinematics(robot, {"j": position})
    placed = {each.name: each for each in place_sensors(robot, Diagnostics())}
    for name in ("plain", "exact", "lengths"):
        sensor = placed[name]
        world, theirs = links[sensor.link] @ sensor.frame, data.cam(name)
        close(world[:3, 3], theirs.xpos, 1e-9)
        close(world[:3, :3], theirs.xmat.reshape(3, 3) @ np.diag([1, -1, -1]), 1e-9)
        assert sensor.K is not None and sensor.width is not None and sensor.height is not None
        corners = np.array([(-0.5, -0.5, 1), (sensor.width - 0.5, sensor.height - 0.5, 1)])
        low, high = corners @ np.linalg.inv(sensor.K).T
        left, right, bottom, top = frustum(compiled, data, name)
        close([low[0], high[0], -high[1], -low[1]], [left, right, bottom, top], 1e-6)
    ray = placed["r"]
    world = links[ray.link] @ ray.frame
    close(world[:3, 3], data.site("s").xpos, 1e-9)
    close(world[:3, 0], data.site("s").xmat.reshape(3, 3)[:, 2], 1e-9)


@pytest.mark.parametrize("position", [0.0, 0.7])
def test_sensors_are_where_mujoco_has_them_also_when_written_again(
    tmp_path: Path, position: float
) -> None:
    path = model(SENSED, tmp_path)
    robot = read_robot(path)
    kinds = [type(each) for each in robot.sensors]
    assert kinds == [CameraSensor] * 3 + [Lidar] * 2 + [Imu]
    assert [each.far for each in robot.sensors if isinstance(each, Lidar)] == [3.0, 1000.0]
    assert robot.sensors[5].has_orientation
    judge(path, position)
    written = export_robot(robot, tmp_path / "again.xml", diagnostics=Diagnostics())
    judge(written.path, position)


def test_other_formats_get_them(tmp_path: Path) -> None:
    robot = read_robot(model(SENSED, tmp_path))
    written = export_robot(
        robot, tmp_path / "robot.urdf", options=UrdfOptions(), diagnostics=Diagnostics()
    )
    again = read_robot(written.path)
    for one, other in zip(robot.sensors, again.sensors, strict=True):
        assert (one.name, one.reference, type(one)) == (other.name, other.reference, type(other))
        close(one.origin.xyz, other.origin.xyz, 1e-9)


def test_cameras_of_the_world_are_on_the_one_body(tmp_path: Path) -> None:
    text = '<worldbody><camera name="w" pos="1 2 3"/><body name="a"><geom size="1"/></body>'
    (sensor,) = read_robot(model(f"{text}</worldbody>", tmp_path)).sensors
    assert (sensor.name, sensor.reference) == ("w", "a") and sensor.origin.xyz == (1, 2, 3)


@pytest.mark.parametrize(
    "camera", ['<camera fovy="wide"/>', '<camera sensorsize="1"/>', '<camera resolution="x 1"/>']
)
def test_numbers_that_are_none_are_refused(tmp_path: Path, camera: str) -> None:
    with pytest.raises(ReadError):
        read_robot(model(body(f'<geom size="1"/>{camera}'), tmp_path))


def test_pictures_are_bounded(tmp_path: Path) -> None:
    text = body('<geom size="1"/><camera resolution="1e9 1e9"/><camera fovy="900"/>')
    diagnostics = Diagnostics()
    found = place_sensors(read_robot(model(text, tmp_path)), diagnostics)
    assert [each.code for each in diagnostics] == ["sensor-not-placed"] and len(found) == 1
