# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of rigs with closed loops: whatever sets them, the loops are closed afterwards, by the rig
or by numbers."""

import bpy
import numpy as np
import pytest

from support.linkages import five_bar, four_bar, gap_of, hexagon
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    close_loops,
    get_joint_positions,
    import_robot,
    set_joint_positions,
    write_urdf,
)
from urdf_importer.core.blender.standing.mirrored import home_pose, ready_pose
from urdf_importer.core.blender.standing.pose import random_pose, zero_pose

pytestmark = pytest.mark.usefixtures("scene", "three_stay_open")
NEAR = 1e-5


def bring_in(robot, tmp_path, **options):
    write_urdf(robot, tmp_path / "robot.urdf")
    return import_robot(tmp_path / "robot.urdf", options=ImportOptions(**options)).armature


def look(armature):
    bpy.context.view_layer.update()
    return get_joint_positions(armature)


@pytest.mark.parametrize("robot", [five_bar(0.8, 0.5, 1.9), hexagon()], ids=["five", "six"])
def test_free_joints_are_where_they_are_set_and_the_others_follow(robot, tmp_path):
    armature = bring_in(robot, tmp_path)
    free = [joint.name for joint in robot.joints[: len(robot.joints) - 2]]
    random = np.random.default_rng(2)
    wanted = np.zeros(len(free))
    for step in random.uniform(-0.1, 0.1, (12, len(free))):
        wanted = np.clip(wanted + step, -0.12, 0.12)
        pose = dict(zip(free, wanted.tolist(), strict=True))
        diagnostics = Diagnostics()
        set_joint_positions(armature, pose, diagnostics=diagnostics)
        shown = look(armature)
        assert not len(diagnostics)
        assert {name: shown[name] for name in free} == pytest.approx(pose, abs=NEAR)
        assert gap_of(robot, shown) < NEAR


def test_joints_that_are_not_named_stay(tmp_path):
    robot = hexagon()
    armature = bring_in(robot, tmp_path)
    set_joint_positions(armature, {"corner_0": 0.2})
    set_joint_positions(armature, {"corner_2": -0.1})
    shown = look(armature)
    assert (shown["corner_0"], shown["corner_2"]) == pytest.approx((0.2, -0.1), abs=NEAR)
    assert gap_of(robot, shown) < NEAR


def test_what_is_out_of_reach_is_the_nearest_and_told(tmp_path):
    robot = hexagon()
    armature = bring_in(robot, tmp_path)
    diagnostics = Diagnostics()
    straight = {f"corner_{i}": -1.0 for i in range(3)}
    set_joint_positions(armature, straight, diagnostics=diagnostics)
    shown = look(armature)
    assert [each.code for each in diagnostics] == ["loop-out-of-reach"]
    assert gap_of(robot, shown) < NEAR
    wanted = close_loops(robot, straight).positions
    assert shown == pytest.approx(wanted, abs=1e-4)


def test_where_the_rig_holds_a_loop_at_its_end_it_is_told(tmp_path):
    robot = four_bar(1.0, 0.5, 0.6, 1.2, 0.3)
    armature = bring_in(robot, tmp_path)
    diagnostics = Diagnostics()
    set_joint_positions(armature, {"crank_pin": 0.2}, diagnostics=diagnostics)
    assert not len(diagnostics)
    set_joint_positions(armature, {"crank_pin": 2.0}, diagnostics=diagnostics)
    assert [(each.code, each.subject) for each in diagnostics] == [
        ("loop-out-of-reach", "crank_pin")
    ]
    assert gap_of(robot, look(armature)) < 1e-4


def test_poses_by_name_and_by_chance_are_closed(tmp_path):
    robot = hexagon()
    armature = bring_in(robot, tmp_path)
    for seed in range(4):
        random_pose(armature, seed)
        assert gap_of(robot, look(armature)) < NEAR
    for pose in (ready_pose, zero_pose, home_pose):
        pose(armature)
        assert gap_of(robot, look(armature)) < NEAR
    assert look(armature) == pytest.approx({f"corner_{i}": 0.0 for i in range(5)}, abs=NEAR)


def test_rigs_that_were_to_leave_them_open_do(tmp_path):
    armature = bring_in(hexagon(), tmp_path, close_loops=False)
    wanted = {f"corner_{i}": 0.1 * i for i in range(5)}
    set_joint_positions(armature, wanted)
    assert look(armature) == pytest.approx(wanted, abs=NEAR)
