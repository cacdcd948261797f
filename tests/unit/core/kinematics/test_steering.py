# SPDX-License-Identifier: GPL-3.0-or-later
"""The steered and the driven wheels of a car."""

from dataclasses import replace

import pytest

from support.ros2_robots import FOUR, make_car, make_platform
from urdf_importer import Pose, Robot
from urdf_importer.core.kinematics.steering import find_steering
from urdf_importer.core.kinematics.tree import retrace_tree


def turn_links(robot: Robot) -> Robot:
    """The same joints, with the frames of the steered links turned in them, as SDF can have it."""
    turned = Pose(rpy=(0.7, 0.0, 0.0))
    joints = (
        replace(each, child_origin=turned) if each.name.startswith("steer") else each
        for each in robot.joints
    )
    return replace(robot, joints=tuple(joints))


@pytest.mark.parametrize("robot", [make_car(), turn_links(make_car())], ids=["car", "turned"])
def test_the_steered_wheels_of_a_car_are_found(robot: Robot) -> None:
    found = find_steering(retrace_tree(robot), base="chassis")
    assert found is not None
    assert (found.right, found.left) == ("steer_right", "steer_left")
    assert [each.joint for each in found.driven.left] == ["drive_left"]
    assert (found.wheelbase, found.track) == (pytest.approx(0.8), pytest.approx(0.4))


def test_nothing_is_steered_without_a_driven_pair_or_knuckles() -> None:
    tree = retrace_tree(make_car())
    assert find_steering(tree, base="chassis", passive=["drive_left", "drive_right"]) is None
    assert find_steering(retrace_tree(make_platform(FOUR)), base="base_link") is None
