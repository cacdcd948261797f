# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors from objects of a scene: a camera of Blender becomes a camera of the robot."""

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from ....core.gazebo.devices import DEVICES, read_battery, read_devices
from ....core.geometry.rounding import shortest, tidy_pose
from ....core.geometry.transforms import Matrix, nearest_turn
from ....core.model import (
    IDENTITY,
    Altimeter,
    Camera,
    CameraSensor,
    ContactSensor,
    Fan,
    ForceSensor,
    Gps,
    Imu,
    Lidar,
    Magnetometer,
    Pose,
    Robot,
    Sensor,
    Sonar,
)
from ....core.model.device import WebotsDevice
from ....core.model.sensor import CameraKind
from ....core.names import find_free
from ....core.reshape import add_device
from .places import ShownFrames

_LOOK = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
"""From a sensor's axes (x forward, z up) to the axes of cameras in Blender (-z forward, y up)."""
_PIXELS = (640, 480)
_KINDS: Mapping[str, CameraKind] = {
    "camera": "camera",
    "depth_camera": "depth",
    "rgbd_camera": "rgbd",
}
_PLAIN = {
    "imu": Imu, "contact": ContactSensor, "force_torque": ForceSensor, "navsat": Gps,
    "magnetometer": Magnetometer, "altimeter": Altimeter,
}  # fmt: skip
WORDS = (*_KINDS, "gpu_lidar", "sonar", *_PLAIN)
"""The kinds of sensors that place_sensor makes."""
NODES = tuple(DEVICES)
"""The devices of Webots that place_device makes."""
_BATTERY = (1000.0, 1000.0, 10.0)
"""J, J and W."""


def place_sensor(armature: Any, robot: Robot, link: str, word: str, item: Any = None) -> Sensor:
    """Makes a sensor of a kind on a link, under a free name: in the frame of the link, or in the
    place of an object. A camera of Blender gives its lens, its clips and the size of the render."""
    name = find_free(f"{link}_{word}", {each.name for each in robot.sensors}.__contains__)
    origin = find_origin(armature, robot, link, item)
    common: dict[str, Any] = {"name": name, "word": word, "reference": link, "origin": origin}
    if word in _KINDS:
        return CameraSensor(kind=_KINDS[word], cameras=(_make_camera(item),), **common)
    if word == "gpu_lidar":
        return Lidar(across=Fan(360, -np.pi, np.pi), up=Fan(1, 0, 0), near=0.1, far=10.0, **common)
    if word == "sonar":
        return Sonar(near=0.02, far=4.0, aperture=0.5, **common)
    made: Sensor = _PLAIN[word](**common)
    return made


def place_device(armature: Any, robot: Robot, link: str, node: str, item: Any = None) -> Robot:
    """Returns the robot with a device of Webots on a link, under a free name: in the frame of the
    link, or in the place of an object. A charger needs a robot with a battery: one that has none
    gets one."""
    taken = {each.name for each in read_devices(robot)}
    is_charger = node == "Charger"
    device = WebotsDevice(
        node=node,
        name=find_free(f"{link}_{node}", taken.__contains__),
        reference=link,
        origin=find_origin(armature, robot, link, item),
        fields=(("battery", "0 1000 10"),) if is_charger else (),
    )
    lacks_battery = is_charger and not read_battery(robot)
    return add_device(robot, device, battery=_BATTERY if lacks_battery else None)


def find_origin(armature: Any, robot: Robot, link: str, item: Any) -> Pose:
    """Returns the place of an object in the frame of a link, as shown; of a camera with x forward
    and z up; without an object the frame itself."""
    if item is None:
        return IDENTITY
    world: Matrix = np.array(item.matrix_world, dtype=np.float64)
    local = np.linalg.inv(ShownFrames(armature, robot).of(link)) @ world
    local[:3, :3] = nearest_turn(local[:3, :3])
    if item.type == "CAMERA":
        local[:3, :3] = local[:3, :3] @ _LOOK
    return tidy_pose(local, IDENTITY)


def _make_camera(item: Any) -> Camera:
    if item is None or item.type != "CAMERA":
        width, height = _PIXELS
        clip = (0.1, 100.0)
        return Camera(
            width=width, height=height, field_of_view=1.047, near=0.1, far=100.0, depth=clip
        )
    render, lens = bpy.context.scene.render, item.data
    share = render.resolution_percentage / 100.0
    width, height = (
        max(round(each * share), 1) for each in (render.resolution_x, render.resolution_y)
    )
    angle = lens.angle
    if height > width and lens.sensor_fit == "AUTO":  # Blender's angle spans the longer side.
        angle = 2.0 * np.arctan(np.tan(angle / 2.0) * width / height)
    elif lens.sensor_fit == "VERTICAL":
        angle = 2.0 * np.arctan(np.tan(lens.angle_y / 2.0) * width / height)
    near, far = (shortest(each, 1e-6) for each in (lens.clip_start, lens.clip_end))
    return Camera(
        width=width, height=height, field_of_view=shortest(float(angle), 1e-6), near=near, far=far,
        depth=(near, far),
    )  # fmt: skip
