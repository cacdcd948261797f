# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed loops in Blender: the free joint is set, the drivers alone close the rest."""

import math
from dataclasses import replace

import bpy
import numpy as np
import pytest

from support.linkages import four_bar, gap_of, slider_crank
from support.paths import ROOT
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    close_loops,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    link_pose,
    open_blend,
    read_robot,
    save_blend,
    set_joint_positions,
    update_robot,
    write_urdf,
)
from urdf_importer.core.blender.standing.handles import make_handle
from urdf_importer.core.blender.standing.joints import joints_of
from urdf_importer.core.model import Limit
from urdf_importer.core.rig import plan_rig

pytestmark = pytest.mark.usefixtures("scene")

LINKAGES = {
    "parallelogram": four_bar(0.3, 1.0, 0.3, 1.0, math.pi / 2),
    "crank and rocker": four_bar(0.25, 0.9, 0.6, 1.0, 0.4),
    "double rocker": four_bar(1.0, 0.5, 0.6, 1.2, 0.3),
    "slider and crank": slider_crank(0.3, 0.8, 0.05),
}


def bring_in(robot, tmp_path, **options):
    write_urdf(robot, tmp_path / "robot.urdf")
    return import_robot(tmp_path / "robot.urdf", options=ImportOptions(**options))


def pose(armature, positions):
    set_joint_positions(armature, positions)
    bpy.context.view_layer.update()


@pytest.mark.parametrize("name", LINKAGES)
def test_loops_stay_closed_over_the_whole_range(name, tmp_path):
    robot = LINKAGES[name]
    armature = bring_in(robot, tmp_path).armature
    (leader,) = (joint for joint in joints_of(armature) if not joint.mimics)
    lower, upper = leader.limits
    low, high = (-9.0, 9.0) if lower is None else (lower, upper)
    for turn in np.random.default_rng(1).uniform(low, high, 25):
        pose(armature, {"crank_pin": turn})
        shown = get_joint_positions(armature)
        assert shown["crank_pin"] == pytest.approx(turn, abs=1e-6)
        assert gap_of(robot, shown) < 1e-5
        closed = close_loops(robot, {"crank_pin": turn}).positions
        for link, frame in forward_kinematics(robot, closed).items():
            assert link_pose(armature, link) == pytest.approx(frame, abs=2e-5)


def test_where_a_loop_cannot_close_its_joint_is_held(tmp_path):
    diagnostics = Diagnostics()
    robot = LINKAGES["double rocker"]
    plan = plan_rig(robot, diagnostics=diagnostics)
    assert [each.code for each in diagnostics if each.subject == "crank_pin"] == ["loop-range"]
    armature = bring_in(robot, tmp_path).armature
    leader = next(each for each in plan.joints if each.joint.name == "crank_pin")
    pose(armature, {"crank_pin": 1.2})
    shown = get_joint_positions(armature)
    assert shown["crank_pin"] == pytest.approx(leader.upper, abs=1e-5)
    assert gap_of(robot, shown) < 1e-4


def test_a_follower_at_its_limit_holds_the_free_joint(tmp_path):
    robot = LINKAGES["crank and rocker"]
    (rocker,) = (joint for joint in robot.joints if joint.name == "rocker_pin")
    limited = replace(rocker, type="revolute", limit=Limit(lower=-0.5, upper=0.3))
    joints = (*(joint for joint in robot.joints if joint is not rocker), limited)
    result = bring_in(replace(robot, joints=joints), tmp_path)
    (message,) = (each for each in result.diagnostics if each.code == "loop-range")
    assert "joint 'rocker_pin' would pass its limits" in message.message
    for turn in (-2.0, 2.0):
        pose(result.armature, {"crank_pin": turn})
        shown = get_joint_positions(result.armature)
        assert shown["rocker_pin"] == pytest.approx(0.3, abs=1e-4)
        assert gap_of(robot, shown) < 1e-5


def test_bodies_of_followers_drag_the_free_joint_as_steeply_as_they_go(tmp_path):
    robot = LINKAGES["crank and rocker"]
    armature = bring_in(robot, tmp_path).armature
    pose(armature, {"crank_pin": 0.8})
    before, after = (
        close_loops(robot, {"crank_pin": turn}).positions["rocker_pin"] for turn in (0.799, 0.801)
    )
    handle = make_handle(armature, "rocker_pin")
    assert handle.joint.name == "crank_pin"
    assert handle.ratio == pytest.approx((after - before) / 0.002, abs=1e-3)


def test_an_update_closes_them_again(tmp_path):
    robot = LINKAGES["crank and rocker"]
    armature = bring_in(robot, tmp_path).armature
    pose(armature, {"crank_pin": 0.8})
    longer = four_bar(0.28, 0.9, 0.6, 1.0, 0.4)
    write_urdf(longer, tmp_path / "robot.urdf")
    armature = update_robot(armature).armature
    pose(armature, {"crank_pin": 2.0})
    shown = get_joint_positions(armature)
    assert shown["crank_pin"] == pytest.approx(2.0, abs=1e-6)
    assert gap_of(longer, shown) < 1e-5


def test_open_loops_move_as_if_there_were_none(tmp_path):
    robot = LINKAGES["crank and rocker"]
    armature = bring_in(robot, tmp_path, close_loops=False).armature
    wanted = {"crank_pin": 0.3, "knee": -1.0, "rocker_pin": 0.7}
    pose(armature, wanted)
    assert get_joint_positions(armature) == pytest.approx(wanted, abs=1e-6)


def test_closing_changes_nothing_at_zero(tmp_path):
    robot = read_robot(ROOT / "sample_urdfs/pumpjack.xml")
    armature = import_robot(ROOT / "sample_urdfs/pumpjack.xml").armature
    wanted = forward_kinematics(robot)
    for link in robot.links:
        assert link_pose(armature, link.name) == pytest.approx(wanted[link.name], abs=2e-5)


def test_reopened_files_stay_closed(tmp_path):
    """Nothing of this extension moves them: these are Blender's own drivers."""
    robot = LINKAGES["slider and crank"]
    bring_in(robot, tmp_path)
    save_blend(tmp_path / "robot.blend")
    open_blend(tmp_path / "robot.blend")
    (armature,) = (each for each in bpy.data.objects if each.type == "ARMATURE")
    pose(armature, {"crank_pin": 2.0})
    assert gap_of(robot, get_joint_positions(armature)) < 1e-5
    drivers = [each for each in armature.animation_data.drivers if len(each.keyframe_points)]
    assert len(drivers) == 2
    assert all(each.driver.is_simple_expression for each in drivers)
