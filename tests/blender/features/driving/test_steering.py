# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots driven by hand: keyed is what was shown on the way, and what bake_drive would key."""

import math

import bpy
import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer import (
    BuildError,
    DriveOptions,
    KinematicsError,
    bake_drive,
    get_joint_positions,
    import_robot,
)
from urdf_importer.core.blender.standing.keys import find_curves
from urdf_importer.features.driving.blender.steering import Steering

pytestmark = pytest.mark.usefixtures("scene")
CART = ROOT / "sample_urdfs" / "differential_drive.urdf"
ARM = ROOT / "sample_urdfs" / "two_link_arm.urdf"
ROWS = [(0.0, 0.5, 0.0), (1.0, 0.5, 1.0), (1.75, -1.5, 0.0), (2.5, 0.0, 0.0)]
DRONE = """<robot name="drone"><link name="world"/>
<joint name="air" type="floating"><parent link="world"/><child link="body"/></joint>
<link name="body"/></robot>"""


def drive(armature, rows=ROWS, **words):
    steering = Steering(armature, **words)
    for row in rows:
        steering.command(*row)
    return steering


def state(armature):
    bpy.context.view_layer.update()
    return np.array(armature.matrix_world), get_joint_positions(armature)


def curves_of(armature):
    return {
        (each.data_path, each.array_index): [tuple(point.co) for point in each.keyframe_points]
        for each in find_curves(armature)
    }


def test_the_keys_are_those_of_bake_drive():
    by_hand, by_table = (import_robot(CART).armature for _ in range(2))
    for robot in (by_hand, by_table):
        robot.location = (1.0, 2.0, 0.25)
        robot.rotation_euler.z = 0.5
    bpy.context.view_layer.update()
    baked = drive(by_hand, start_frame=11).bake(9.0)
    wanted = bake_drive(by_table, ROWS, start_frame=11, options=DriveOptions(kind="twist"))
    assert (baked.first, baked.last) == (wanted.first, wanted.last) == (11, 71)
    assert baked.positions == wanted.positions
    assert curves_of(by_hand) == curves_of(by_table)


def test_what_is_shown_is_what_is_keyed():
    robot = import_robot(CART).armature
    steering = drive(robot)
    shown = {}
    for frame in (1, 13, 40, 61):
        steering.show((frame - 1) / 24)
        shown[frame] = state(robot)
    assert not find_curves(robot)
    steering.bake(2.5)
    for frame, (place, positions) in shown.items():
        bpy.context.scene.frame_set(frame)
        there, keyed = state(robot)
        assert np.abs(there - place).max() < 1e-5
        assert keyed == pytest.approx(positions, abs=1e-5)


def test_taken_back_the_robot_is_where_it_was():
    robot = import_robot(CART).armature
    robot.location.x = 0.1
    before = state(robot)
    steering = drive(robot)
    steering.show(2.0)
    assert np.abs(state(robot)[0] - before[0]).max() > 0.5
    steering.put_back()
    place, positions = state(robot)
    assert (place == before[0]).all() and positions == before[1]
    assert not find_curves(robot)


def test_rides_go_on_from_each_other():
    robot = import_robot(CART).armature
    first = drive(robot, [(0.0, 0.5, 0.0), (1.0, 0.0, 0.0)]).bake(1.0)
    assert first.last == 25
    bpy.context.scene.frame_set(first.last)
    second = drive(robot, [(0.0, 0.5, 0.0), (1.0, 0.0, 0.0)], start_frame=first.last).bake(1.0)
    bpy.context.scene.frame_set(second.last)
    assert robot.location.x == pytest.approx(1.0, abs=1e-5)


def test_a_ride_that_goes_on_ends_now():
    robot = import_robot(CART).armature
    assert drive(robot, [(0.0, 0.5, 0.0)]).bake(2.0).last == 49
    bpy.context.scene.frame_set(49)
    assert robot.location.x == pytest.approx(1.0, abs=1e-5)


def test_commands_at_one_time_replace_each_other():
    robot = import_robot(CART).armature
    rows = [(0.0, 9.0, 0.0), (0.0, 0.5, 0.0), (1.0, 0.5, 0.0), (1.0, 0.0, 3.0), (1.0, 0.0, 0.0)]
    assert drive(robot, rows).bake(5.0).last == 25
    bpy.context.scene.frame_set(25)
    assert robot.location.x == pytest.approx(0.5, abs=1e-5)
    assert robot.rotation_euler.z == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("kind", ["object", "joint"])
def test_without_wheels_it_glides_and_rises(kind, tmp_path):
    path = ARM
    if kind == "joint":
        path = tmp_path / "drone.urdf"
        path.write_text(DRONE)
    robot = import_robot(path).armature
    steering = drive(robot, [(0.0, 1.0, math.pi / 2, 0.5), (1.0, 0.0, 0.0, -0.25), (2.0, 0.0, 0.0)])
    assert (steering.rolls, steering.rises) == (False, True)
    baked = steering.bake(2.0)
    bpy.context.scene.frame_set(baked.last)
    place, positions = state(robot)
    around = 2.0 / math.pi  # The radius of a quarter of a circle of 1 m.
    if kind == "joint":
        assert positions["air"][:3] == pytest.approx((around, around, 0.25), abs=1e-5)
        assert positions["air"][5:] == pytest.approx((math.sqrt(0.5), math.sqrt(0.5)), abs=1e-5)
    else:
        assert place[:3, 3] == pytest.approx((around, around, 0.25), abs=1e-5)
        assert robot.rotation_euler.z == pytest.approx(math.pi / 2, abs=1e-5)


def test_a_robot_on_wheels_stays_on_the_floor():
    robot = import_robot(CART).armature
    steering = drive(robot, [(0.0, 0.5, 0.0, 2.0), (1.0, 0.0, 0.0, 0.0)])
    assert (steering.rolls, steering.rises) == (True, False)
    steering.bake(1.0)
    assert ("location", 2) not in curves_of(robot)


def test_nothing_is_keyed_of_a_robot_that_never_moved():
    robot = import_robot(CART).armature
    with pytest.raises(KinematicsError, match="was not driven"):
        drive(robot, [(0.5, 0.0, 0.0)]).bake(3.0)
    assert not find_curves(robot)


def test_what_cannot_be_driven_is_refused():
    robot = import_robot(CART).armature
    with pytest.raises(KinematicsError, match="no joint"):
        Steering(robot, options=DriveOptions(left="ghost", right="ghost"))
    robot.rotation_mode = "QUATERNION"
    with pytest.raises(KinematicsError, match="XYZ Euler"):
        Steering(robot)
    with pytest.raises(BuildError):
        Steering(bpy.data.objects.new("thing", None))
