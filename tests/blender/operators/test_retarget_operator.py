# SPDX-License-Identifier: GPL-3.0-or-later
"""Retarget in the sidebar: the operator does what the library does."""

import bpy
import pytest

from support.people import SAMPLE
from support.real_robots import ROOT
from urdf_importer import retarget_steps
from urdf_importer.features.retargeting.retarget import open_person

pytestmark = [
    pytest.mark.usefixtures("scene", "extension"),
    # Blender's importer of BVH leaves its file open.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
LEGS = str(ROOT / "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf")


def test_the_robot_follows_the_other_armature():
    bpy.ops.import_scene.urdf(filepath=LEGS)
    robot = bpy.context.view_layer.objects.active
    assert not bpy.ops.urdf.retarget.poll()
    person = open_person(str(SAMPLE))
    bpy.context.view_layer.objects.active = robot
    assert bpy.ops.urdf.retarget(action="Walk", velocity="report") == {"FINISHED"}
    action = robot.animation_data.action
    assert action.name == "Walk"
    assert action["urdf_retarget"]["source"] == person.name
    assert len(action["urdf_retarget"]["limbs"]) == 2
    worst = action["urdf_retarget"]["frames"][0]
    assert bpy.ops.urdf.go_to_violation(frame=worst) == {"FINISHED"}
    assert bpy.context.scene.frame_current == worst
    assert bpy.ops.urdf.retarget(action="Fast", fps="60") == {"FINISHED"}
    fast = robot.animation_data.action
    assert fast.name == "Fast" and tuple(fast.frame_range) == tuple(action.frame_range)
    with pytest.raises(RuntimeError, match="as the person"):
        bpy.ops.urdf.retarget(person="nobody")


def test_work_that_is_ended_changes_nothing():
    bpy.ops.import_scene.urdf(filepath=LEGS)
    robot = bpy.context.view_layer.objects.active
    person = open_person(str(SAMPLE))
    bpy.context.scene.frame_set(7)
    actions = set(bpy.data.actions)
    last = ""
    for stop in ("person", "poses", "feet", "smoothing", "numbers"):
        steps = retarget_steps(person, robot)
        shares = []
        for progress in steps:
            last = progress.text
            shares.append(progress.share)
            if last == stop and progress.share > 0.0:
                break
        assert last == stop
        assert shares == sorted(shares) and shares[-1] < 1.0
        steps.close()
        assert bpy.context.scene.frame_current == 7
        assert set(bpy.data.actions) == actions
        assert robot.animation_data is None


def test_pairs_are_corrected_left_alone_and_taken_back(extension):
    pairs = extension.operators.retargeting.limb_pairs
    correct_pairs, given_pairs = pairs.correct_pairs, pairs.given_pairs
    bpy.ops.import_scene.urdf(filepath=LEGS)
    robot = bpy.context.view_layer.objects.active
    person = open_person(str(SAMPLE))
    bpy.context.view_layer.objects.active = robot
    robot.pose.bones[0].rotation_quaternion = (0.0, 1.0, 0.0, 0.0)
    assert bpy.ops.urdf.set_pair(bone="LeftFoot", link="RIGHT_FOOT") == {"FINISHED"}
    found = correct_pairs(robot, person, given_pairs(robot, person))
    assert {row.bones[-1]: row.link for row in found.rows} == {"LeftFoot": "RIGHT_FOOT"}
    assert all(len(line) > 1 for row in found.rows for line in row.lines)
    left = found.rows[0]
    # Poses without keys stay.
    assert robot.pose.bones[0].rotation_quaternion[1] == 1.0
    assert bpy.ops.urdf.set_pair(bone="LeftFoot", link="") == {"FINISHED"}
    rows = correct_pairs(robot, person, given_pairs(robot, person)).rows
    assert [(row.bones[-1], row.link) for row in rows] == [
        ("LeftFoot", ""), ("RightFoot", "RIGHT_FOOT"),
    ]  # fmt: skip
    # Its place and colour are as before, and it keeps all of its bones.
    assert (rows[0].color, rows[0].bones) == (left.color, left.bones)
    assert bpy.ops.urdf.set_pair(bone="LeftFoot", link="") == {"FINISHED"}
    assert not given_pairs(robot, person)
    # Both feet on one: the other limb stays in the list, without a partner.
    before = correct_pairs(robot, person, ()).rows
    rows = correct_pairs(robot, person, (("LeftFoot", "RIGHT_FOOT"),)).rows
    assert [(row.bones[-1], row.color) for row in rows] == [
        (row.bones[-1], row.color) for row in before
    ]
    assert [row.link for row in rows] == ["RIGHT_FOOT", ""]
    correct_pairs(robot, person, ())
    with pytest.raises(RuntimeError, match="no link or joint"):
        bpy.ops.urdf.set_pair(bone="LeftFoot", link="nothing")
    assert not given_pairs(robot, person)


def test_the_panel_is_there_for_people_and_not_for_other_robots(extension):
    """Scripts may still name another robot."""
    bpy.ops.import_scene.urdf(filepath=LEGS)
    robot = bpy.context.view_layer.objects.active
    bpy.ops.import_scene.urdf(filepath=LEGS)
    other = bpy.context.view_layer.objects.active
    bpy.context.view_layer.objects.active = robot
    panel, pairs = bpy.types.VIEW3D_PT_urdf_retarget, extension.operators.retargeting.limb_pairs
    assert not panel.poll(bpy.context) and pairs.find_person(robot) == other
    assert bpy.ops.urdf.retarget.poll()
    person = open_person(str(SAMPLE))
    bpy.context.view_layer.objects.active = robot
    assert panel.poll(bpy.context) and pairs.find_person(robot) == person
    assert pairs.find_people(robot) == [person.name]
