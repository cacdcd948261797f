# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops that no driver closes: rigs stand closed from the start, and what a hand moves brings the
rest of its loop along."""

import math
from dataclasses import replace

import bpy
import pytest

from support.blender.sidebars import sliders_of
from support.linkages import gap_of, hold, ring
from urdf_importer import get_joint_positions, import_robot, update_robot, write_urdf
from urdf_importer.core.blender.loop_hand import move_joint, take_loops
from urdf_importer.core.blender.standing.joints import posed_joints_of
from urdf_importer.core.blender.standing.keys import find_curves
from urdf_importer.features.motion.blender.range_test import RangeTest

pytestmark = pytest.mark.usefixtures("scene")
NEAR = 1e-5
COUNT = 17
"""Bars, so many that drivers do not close them."""


def bring_in(robot, tmp_path):
    write_urdf(robot, tmp_path / "robot.urdf")
    result = import_robot(tmp_path / "robot.urdf")
    assert "loop-not-closed" in {each.code for each in result.diagnostics}
    return result.armature


def look(armature):
    bpy.context.view_layer.update()
    return get_joint_positions(armature)


def find(armature, name):
    """The pose bone and the channel of a joint."""
    return next(
        (bone, joint.channels[0]) for bone, joint in posed_joints_of(armature) if joint.name == name
    )


def test_a_robot_that_cannot_be_at_zero_is_closed_from_the_start(tmp_path):
    robot = hold(ring(COUNT), corner_0=(-0.8, -0.1), corner_3=(0.1, 0.9))
    shown = look(bring_in(robot, tmp_path))
    assert (shown["corner_0"], shown["corner_3"]) == pytest.approx((-0.1, 0.1), abs=1e-6)
    assert gap_of(robot, shown) < NEAR


def test_what_no_loop_allows_starts_where_the_next_one_does(tmp_path):
    """Both as near to zero as they may be stretches the last two bars too far."""
    robot = hold(ring(COUNT), corner_0=(0.1, 0.9), corner_3=(-0.8, -0.1))
    shown = look(bring_in(robot, tmp_path))
    assert gap_of(robot, shown) < NEAR
    assert shown["corner_0"] == pytest.approx(0.1, abs=0.05)
    assert shown["corner_3"] == pytest.approx(-0.1, abs=1e-6)


def test_an_update_closes_it_and_keeps_the_pose_and_the_keys(tmp_path):
    armature = bring_in(ring(COUNT), tmp_path)
    bone, channel = find(armature, "corner_1")
    move_joint(bone, channel, 0.2)
    before = look(armature)
    bone.keyframe_insert("rotation_euler", index=channel.index, frame=1)
    other = hold(ring(COUNT), corner_4=(0.15, 0.5))
    write_urdf(other, tmp_path / "robot.urdf")
    armature = update_robot(armature).armature
    after = look(armature)
    assert gap_of(other, after) < NEAR
    assert after["corner_1"] == pytest.approx(0.2, abs=1e-6)
    assert after["corner_4"] == pytest.approx(0.15, abs=1e-6)
    free = [f"corner_{i}" for i in range(COUNT - 3) if i != 4]
    assert {name: after[name] for name in free} == pytest.approx(
        {name: before[name] for name in free}, abs=1e-6
    )
    assert armature.animation_data.action is not None


def test_an_update_of_a_closed_pose_moves_nothing(tmp_path):
    armature = bring_in(ring(COUNT), tmp_path)
    bone, channel = find(armature, "corner_1")
    move_joint(bone, channel, 0.2)
    before = [tuple(each.rotation_euler) for each in armature.pose.bones]
    write_urdf(replace(ring(COUNT), name="renamed"), tmp_path / "robot.urdf")
    armature = update_robot(armature).armature
    assert [tuple(each.rotation_euler) for each in armature.pose.bones] == before


@pytest.mark.parametrize("name", ["corner_2", f"corner_{COUNT - 2}"], ids=["free", "follower"])
def test_a_joint_that_is_moved_by_hand_leads_and_the_others_stay(name, tmp_path):
    robot = ring(COUNT)
    armature = bring_in(robot, tmp_path)
    bone, channel = find(armature, name)
    for position in (0.05, 0.1, 0.2):
        move_joint(bone, channel, position)
        shown = look(armature)
        assert shown[name] == pytest.approx(position, abs=1e-6)
        assert gap_of(robot, shown) < NEAR
    moved = [each for each, position in shown.items() if abs(position) > 1e-6]
    assert len(moved) <= 4


def test_the_sidebars_sliders_close_them(tmp_path, extension):
    robot = ring(COUNT)
    armature = bring_in(robot, tmp_path)
    sliders = sliders_of(extension, armature)
    for name, position in (("corner_3", 0.1), (f"corner_{COUNT - 3}", 0.1)):
        [(bone, slider)] = sliders[name]
        setattr(bone, slider, position)
        shown = look(armature)
        assert getattr(bone, slider) == pytest.approx(position, abs=1e-6)
        assert gap_of(robot, shown) < NEAR
    assert shown["corner_3"] == pytest.approx(0.1, abs=1e-6)


def test_a_hand_goes_no_further_than_the_loop(tmp_path):
    robot = hold(ring(COUNT), **{f"corner_{i}": (-0.005, 0.005) for i in range(1, COUNT - 1)})
    armature = bring_in(robot, tmp_path)
    move_joint(*find(armature, "corner_0"), 3.0)
    shown = look(armature)
    assert gap_of(robot, shown) < NEAR
    assert 0.02 < shown["corner_0"] < 0.5
    for index in range(1, COUNT - 1):
        assert abs(shown[f"corner_{index}"]) < 0.005 + 3.1e-4


def test_keyframes_are_set_of_all_that_moved(tmp_path):
    armature = bring_in(ring(COUNT), tmp_path)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    try:
        move_joint(*find(armature, "corner_2"), 0.2)
    finally:
        bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    shown = look(armature)
    bpy.context.scene.frame_set(20)
    assert look(armature) == pytest.approx(shown, abs=1e-6)
    keyed = {curve.data_path for curve in find_curves(armature)}
    moved = [find(armature, name)[0] for name, place in shown.items() if abs(place) > 1e-6]
    assert len(moved) > 1
    assert keyed == {f"{bone.path_from_id()}.rotation_euler" for bone in moved}


def test_what_a_hand_moved_is_taken_back_to_the_last_digit(tmp_path):
    robot = ring(COUNT)
    armature = bring_in(robot, tmp_path)
    move_joint(*find(armature, "corner_1"), 0.123)
    before = [tuple(each.rotation_euler) for each in armature.pose.bones]
    bone, channel = find(armature, "corner_2")
    hand = take_loops(armature, "corner_2")
    for step in range(5):
        channel.put(bone, 0.1 * math.sin(step))
        hand.follow()
        assert gap_of(robot, look(armature)) < NEAR
    hand.take_back()
    assert [tuple(each.rotation_euler) for each in armature.pose.bones] == before


def test_a_range_test_shows_it_closed_and_leaves_no_trace(tmp_path):
    robot = hold(ring(COUNT), corner_0=(-0.3, 0.3), corner_1=(-0.2, 0.4))
    armature = bring_in(robot, tmp_path)
    before = [tuple(each.rotation_euler) for each in armature.pose.bones]
    test = RangeTest(armature, ["corner_0", "corner_1"], seconds=1.0)
    for time in (0.3, 0.7, 1.3, 1.6):
        test.show(time)
        shown = look(armature)
        assert max(abs(position) for position in shown.values()) > 0.05
        assert gap_of(robot, shown) < NEAR
    test.end()
    assert [tuple(each.rotation_euler) for each in armature.pose.bones] == before
