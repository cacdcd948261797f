# SPDX-License-Identifier: GPL-3.0-or-later
"""A range test takes each joint to its limits, one at a time, and leaves nothing behind."""

from itertools import pairwise
from typing import Any

import bpy
import pytest

from support import real_robots
from support.paths import ROOT
from urdf_importer import (
    BuildError,
    ImportOptions,
    get_joint_positions,
    import_robot,
    set_joint_positions,
)
from urdf_importer.core.blender.modes import edit_bones_of
from urdf_importer.core.blender.standing.joints import posed_joints_of
from urdf_importer.core.blender.standing.pose import key_joints
from urdf_importer.features.motion.blender.range_test import RangeTest

SAMPLES = ROOT / "sample_urdfs"
PANDA = real_robots.ROOT / "panda_description" / "urdf" / "panda.urdf"
BARE = ImportOptions(visuals=False, collisions=False)

pytestmark = pytest.mark.usefixtures("scene")


def _load(path: Any) -> Any:
    return import_robot(path, options=BARE).armature


def _read_all(armature: Any) -> list[float]:
    """Every number of every bone, to the last digit; drivers have set theirs."""
    bpy.context.view_layer.update()
    return [
        number
        for bone in armature.pose.bones
        for number in (*bone.location, *bone.rotation_euler, *bone.scale)
    ]


@pytest.mark.parametrize(
    "path", [PANDA, SAMPLES / "quadruped_leg.urdf"], ids=lambda each: each.stem
)
def test_each_joint_goes_to_both_limits_alone(path: Any) -> None:
    armature = _load(path)
    own = {joint.name: joint for _, joint in posed_joints_of(armature) if not joint.mimics}
    before, raw = get_joint_positions(armature), _read_all(armature)
    test = RangeTest(armature, seconds=1.0)
    assert test.joints == tuple(own) and test.duration == len(own)
    for number, (name, joint) in enumerate(own.items()):
        seen = []
        for step in range(241):
            text = test.show(number + step / 241)
            positions = get_joint_positions(armature)
            seen.append(positions[name])
            others = {each for each in own if each != name and positions[each] != before[each]}
            assert not others
        lower, upper = joint.limits
        assert name in text
        assert min(seen) == pytest.approx(lower, abs=1e-3)
        assert max(seen) == pytest.approx(upper, abs=1e-3)
        assert max(abs(b - a) for a, b in pairwise(seen)) < (upper - lower) / 30
    test.end()
    assert _read_all(armature) == raw and get_joint_positions(armature) == before


def test_a_bone_that_is_gone_at_the_end_is_missed() -> None:
    """Blender itself writes into the memory that the bone had."""
    armature = _load(SAMPLES / "quadruped_leg.urdf")
    test = RangeTest(armature, seconds=1.0)
    test.show(0.5)
    with edit_bones_of(armature) as bones:
        for bone in list(bones):
            bones.remove(bone)
    with pytest.raises(KeyError):
        test.end()


def test_followers_go_along() -> None:
    armature = _load(PANDA)
    test = RangeTest(armature, ["panda_finger_joint1"], seconds=1.0)
    assert test.joints == ("panda_finger_joint1",)
    widths = []
    for step in range(20):
        test.show(step / 20)
        positions = get_joint_positions(armature)
        assert positions["panda_finger_joint2"] == pytest.approx(positions["panda_finger_joint1"])
        widths.append(positions["panda_finger_joint2"])
    assert max(widths) > 0.03
    test.end()


def test_a_keyed_robot_keeps_its_keys_and_its_pose() -> None:
    armature = _load(SAMPLES / "two_link_arm.urdf")
    set_joint_positions(armature, {"shoulder": 0.3, "elbow": -0.2})
    key_joints(armature)
    action = armature.animation_data.action
    ranges = tuple(action.frame_range)
    before, raw = get_joint_positions(armature), _read_all(armature)
    settings = bpy.context.scene.tool_settings
    settings.use_keyframe_insert_auto = True
    bpy.context.scene.frame_current = 7
    test = RangeTest(armature, seconds=1.0)
    for step in range(20):
        test.show(step / 10)
        assert get_joint_positions(armature) != before or step in (0, 10)
    test.end()
    settings.use_keyframe_insert_auto = False
    assert tuple(action.frame_range) == ranges
    assert _read_all(armature) == raw
    bpy.context.scene.frame_set(1)
    assert get_joint_positions(armature) == pytest.approx(before)


def test_a_pose_beyond_its_limits_comes_back_too() -> None:
    armature = _load(SAMPLES / "two_link_arm.urdf")
    set_joint_positions(armature, {"elbow": 9.0})
    raw = _read_all(armature)
    test = RangeTest(armature, seconds=1.0)
    for step in range(20):
        test.show(step / 10)
    test.end()
    assert _read_all(armature) == raw


def test_bases_stay_and_free_joints_turn_half_a_turn_each_way() -> None:
    armature = _load(SAMPLES / "planar_base.urdf")
    joints = {joint.name: joint for _, joint in posed_joints_of(armature)}
    bases = {name for name, joint in joints.items() if joint.kind == "planar"}
    turning = [name for name, joint in joints.items() if joint.limits == (None, None)]
    assert bases
    tested = set(RangeTest(armature).joints) if set(joints) - bases else set()
    assert not bases & tested
    for name in set(turning) - bases:
        test = RangeTest(armature, [name], seconds=1.0)
        texts = [test.show(step / 40) for step in range(40)]
        test.end()
        assert any("180°" in text for text in texts) and "no limit" in texts[0]


def test_without_a_joint_that_moves_there_is_no_test() -> None:
    armature = _load(PANDA)
    for named in (["panda_finger_joint2"], ["nothing"], []):
        with pytest.raises(BuildError, match="no joint can be moved by itself"):
            RangeTest(armature, named)


def test_joints_that_ik_holds_are_left_out() -> None:
    armature = import_robot(
        PANDA, options=ImportOptions(visuals=False, combine_joints="never")
    ).armature
    bone = armature.pose.bones["panda_joint7"]
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    constraint = bone.constraints.new("IK")
    constraint.target, constraint.chain_count = target, 3
    tested = RangeTest(armature).joints
    assert {"panda_joint1", "panda_joint4"} <= set(tested)
    assert not {"panda_joint5", "panda_joint6", "panda_joint7"} & set(tested)


def test_the_way_is_even() -> None:
    """Nothing jumps at the end of the way, nor between two joints."""
    armature = _load(SAMPLES / "two_link_arm.urdf")
    test = RangeTest(armature, seconds=1.0)
    start = get_joint_positions(armature)
    for time in (0.0, 1.0 - 1e-9, 1.0, test.duration, test.duration + 5):
        test.show(time)
        assert get_joint_positions(armature) == pytest.approx(start, abs=1e-5)
    test.end()
