# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the sensors of a robot are: their links, and their frames there."""

import math
from collections.abc import Container, Mapping

import numpy as np

from ..diagnostics import quote
from ..geometry.transforms import Matrix, matrix_from_pose, rotation_from_rpy
from ..model import Camera, CameraSensor, ForceSensor, Joint, Lidar, Robot, Sensor

WIDEST_PLANE = math.pi - 1e-3
"""Radians: the widest angle of a plane picture."""
# From z forward, x right (the frame of URDF's cameras) to x forward, z up.
_OPTICAL = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])


class Places:
    """The links and joints of a robot, by name, that sensors can be on."""

    def __init__(self, robot: Robot) -> None:
        self.links = {link.name for link in robot.links}
        self.links |= {name for joint in robot.joints for name in (joint.parent, joint.child)}
        self.joints: Mapping[str, Joint] = {joint.name: joint for joint in robot.joints}

    def find_link(self, sensor: Sensor) -> tuple[str, str]:
        """Returns the link that a sensor is on and ""; or "" and the reason why it is on none."""
        reference = sensor.reference
        if isinstance(sensor, ForceSensor) and reference in self.joints:
            return self.joints[reference].child, ""
        if reference in self.links:
            return reference, ""
        if reference in self.joints:
            return "", f"is on joint {quote(reference)}, where only force sensors can be"
        if reference:
            return "", f"is on {quote(reference)}, which is not a link of the robot"
        return "", "names no link"

    def find_place(
        self, sensor: Sensor, known: Container[type[Sensor]], simulator: str
    ) -> tuple[str, str]:
        """Returns find_link of a sensor; or the reason why a simulator that has the `known` kinds
        loses it."""
        link, reason = self.find_link(sensor)
        if type(sensor) not in known:
            reason = explain_unknown(sensor, simulator)
        elif not reason and isinstance(sensor, CameraSensor) and not sensor.cameras:
            reason = "has no camera"
        return link, reason


def explain_unknown(sensor: Sensor, simulator: str) -> str:
    """Returns the reason why a sensor is lost whose kind a simulator does not have."""
    if not sensor.word:
        return "has no type"
    return f"has the type {quote(sensor.word)}, which {simulator} does not have"


def frame_of(sensor: Sensor) -> Matrix:
    """Returns the frame (4, 4) of a sensor in its link's frame: it looks along x with z up."""
    frame = matrix_from_pose(sensor.origin)
    if sensor.is_optical:
        frame[:3, :3] = frame[:3, :3] @ _OPTICAL
    return frame


def frame_of_camera(sensor: Sensor, camera: Camera) -> Matrix:
    """Returns the frame (4, 4) of one camera of a sensor, in the frame of the sensor's link."""
    return frame_of(sensor) @ matrix_from_pose(camera.origin)


def turn_rays(lidar: Lidar, yaw: float, elevation: float) -> Matrix:
    """Returns the frame (4, 4) of a scanner, turned so that its x looks along these angles."""
    frame = frame_of(lidar)
    turn = rotation_from_rpy((0.0, -elevation, yaw))
    frame[:3, :3] = frame[:3, :3] @ turn
    return frame
