# SPDX-License-Identifier: GPL-3.0-or-later
"""add_device: a robot with a device of Webots, kept as <webots> in its description."""

from collections.abc import Sequence
from dataclasses import replace

from ...arguments import numbers_of, robot_of
from ...diagnostics import ArgumentError, quote_value
from ...gazebo.devices import (
    find_battery,
    find_device_fault,
    read_devices,
    write_battery,
    write_device,
)
from ...model import Robot
from ...model.device import WebotsDevice
from ..references import need_links
from .steps import check_pose, refuse_taken


def add_device(
    robot: Robot, device: WebotsDevice | None = None, *, battery: Sequence[float] | None = None
) -> Robot:
    """Returns the robot with a device of Webots on the link that is its `reference`, and with the
    `battery` of the robot: its charge and its capacity in J, and the power of charging in W.

    URDF keeps both as <webots>, word for word, and exports to Webots write them; other formats
    leave them out. Raises KinematicsError for an unknown link and a name that is taken,
    ArgumentError for a node, field or value that Webots does not have.
    """
    robot = robot_of(robot)
    if battery is not None:
        given = write_battery(numbers_of(battery, "battery", 3, least=0.0))
        kept = tuple(each for each in robot.extras if find_battery(each) is None)
        robot = replace(robot, extras=(*kept, given))
    if device is None:
        return robot
    _check_device(robot, device)
    return replace(robot, extras=(*robot.extras, write_device(device)))


def _check_device(robot: Robot, device: WebotsDevice) -> None:
    if not isinstance(device, WebotsDevice):
        raise ArgumentError(f"a device is given as a WebotsDevice, not as {quote_value(device)}")
    need_links(robot, [device.reference])
    check_pose(device.origin)
    if device.origin.quat_xyzw is not None:
        raise ArgumentError("the origin of a device must have its rotation as rpy")
    refuse_taken("device", [each.name for each in read_devices(robot)], device.name, robot)
    fault = find_device_fault(device)
    if fault:
        raise ArgumentError(fault)
