# SPDX-License-Identifier: GPL-3.0-or-later
"""The rig profile `morse`: one bone of one axis for each joint that turns or slides."""

import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from support.strategies import Wishes, robots
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.model import Limit, Mimic, Robot
from urdf_importer.core.options import ImportOptions
from urdf_importer.core.rig.plan import plan_rig
from urdf_importer.core.rig.rig_plan import LimitPlan, RigPlan
from urdf_importer.core.rig.single_axis import LEAST_SLIDE

MORSE = ImportOptions(profile="morse")
WISHES = Wishes(swapped_limits=True, missing_limits=True, mimic_rings=True)


def plan(robot: Robot, **options: Any) -> RigPlan:
    return plan_rig(robot, options=ImportOptions(profile="morse", **options))


def scalar_joints(robot: Robot) -> Iterator[str]:
    for motion in plan_tree(robot, Diagnostics()).joint_motions:
        if motion.is_scalar:
            yield motion.joint.name


# Which bones there are


@given(robots(WISHES))
def test_every_bone_is_a_joint_with_its_axis_free_on_x(robot: Robot) -> None:
    made = plan(robot)
    assert [bone.name for bone in made.bones] == list(scalar_joints(robot))
    assert [joint.joint.name for joint in made.joints] == [bone.name for bone in made.bones]
    for bone, joint in zip(made.bones, made.joints, strict=True):
        (channel,) = joint.channels
        assert bone.turns == (0,) and (channel.bone, channel.index) == (bone.name, 0)
        assert joint.sign == 1
        assert (bone.ik_stretch > 0) == (channel.property == "location")
        assert bone.ik_limits[1:] == (None, None)


@given(robots(WISHES))
def test_bones_lie_on_the_joints_and_links_hang_on_the_nearest_one(robot: Robot) -> None:
    made = plan(robot)
    tree = plan_tree(robot, Diagnostics())
    bones = {bone.name: bone for bone in made.bones}
    above: list[str] = []
    for parent, motion, link in zip(tree.parents, tree.motions, made.links, strict=True):
        carrier = above[parent] if parent >= 0 else ""
        if motion is not None and motion.is_scalar:
            bone = bones[motion.joint.name]
            assert bone.parent == carrier
            axis = link.rest[:3, :3] @ motion.axis
            assert bone.rest[:3, 0] == pytest.approx(axis, abs=1e-6)
            assert bone.rest[:3, 3] == pytest.approx(link.rest[:3, 3], abs=1e-6)
            carrier = motion.joint.name
        assert link.bone == carrier
        above.append(carrier)


@given(robots(WISHES))
def test_locks_for_posing_by_hand_are_those_of_separate_native_bones(robot: Robot) -> None:
    native = plan_rig(robot, options=ImportOptions(combine_joints=False, fixed_joints="fold"))
    free = {bone.name: (bone.free, bone.rotation_mode) for bone in native.bones}
    for bone in plan(robot).bones:
        assert (bone.free, bone.rotation_mode) == free[bone.name]


@pytest.mark.parametrize("combine", [True, False])
@pytest.mark.parametrize("fixed", ["bones", "fold"])
def test_profile_decides_on_combined_and_fixed_joints(chain, combine, fixed):
    robot = chain({"axis": (1.0, 0.0, 0.0)}, {"axis": (0.0, 1.0, 0.0)}, {"type": "fixed"}, {})
    made = plan(robot, combine_joints=combine, fixed_joints=fixed)
    assert [bone.name for bone in made.bones] == ["j1", "j2", "j4"]
    assert made.to_json() == plan(robot).to_json()


def test_native_profile_has_no_stretch(chain):
    made = plan_rig(chain({"type": "prismatic"}, {}))
    assert [bone.ik_stretch for bone in made.bones] == [0.0, 0.0]


# What is held


def held(robot: Robot) -> list[tuple[str, int]]:
    diagnostics = Diagnostics()
    plan_rig(robot, options=MORSE, diagnostics=diagnostics)
    return [(item.subject, item.line) for item in diagnostics if item.code == "morse-joint-held"]


@given(robots(WISHES))
def test_joints_of_several_freedoms_are_held_with_one_warning_each(robot: Robot) -> None:
    free = [joint.name for joint in robot.joints if joint.type in ("planar", "floating")]
    assert sorted(name for name, _ in held(robot)) == sorted(free)


@pytest.mark.parametrize("kind", ["planar", "floating", "ball", "spherical"])
def test_held_joint_has_no_bone_and_says_its_line(chain, kind):
    robot = chain({}, {"type": kind, "line": 41, "xyz": (0.1, 0.0, 0.0)}, {"line": 50})
    made = plan(robot)
    assert [bone.name for bone in made.bones] == ["j1", "j3"]
    assert [bone.parent for bone in made.bones] == ["", "j1"]
    assert "j2" not in made.bone_of_joint
    assert held(robot) == [("j2", 41)]
    assert [link.bone for link in made.links] == ["", "j1", "j1", "j3"]


def says_the_robot_moves_as_a_whole(robot: Robot) -> dict[str, bool]:
    diagnostics = Diagnostics()
    plan_rig(robot, options=MORSE, diagnostics=diagnostics)
    found = [item for item in diagnostics if item.code == "morse-joint-held"]
    return {item.subject: "as a whole" in item.message for item in found}


@pytest.mark.parametrize(
    ("kind", "above", "whole"),
    [
        ("planar", None, True),
        ("floating", None, True),
        ("ball", None, False),
        ("planar", "fixed", True),
        ("floating", "planar", True),
        ("planar", "revolute", False),
        ("floating", "continuous", False),
        ("planar", "prismatic", False),
    ],
)
def test_base_is_said_to_be_moved_by_motion_actuators(chain, kind, above, whole):
    robot = chain(*([{"type": above}] if above else []), {"type": kind}, {})
    name = "j2" if above else "j1"
    assert says_the_robot_moves_as_a_whole(robot)[name] == whole


def test_joint_that_mimics_a_held_one_moves_on_its_own(chain, plan_clean):
    robot = chain({"type": "planar"}, {"mimic": Mimic(joint="j1")})
    made = plan_clean(robot, "mimic-ignored", "morse-joint-held", profile="morse")
    assert not made.drivers and made.bones[0].name == "j2"


def test_held_joint_that_mimics_is_held(chain, plan_clean):
    robot = chain({}, {"type": "floating", "mimic": Mimic(joint="j1")})
    made = plan_clean(robot, "mimic-ignored", "morse-joint-held", profile="morse")
    assert [bone.name for bone in made.bones] == ["j1"]


# Limits


def turning(chain: Any, limit: Limit | None, **fields: Any) -> tuple[float, float] | None:
    bone = plan(chain({"limit": limit} | fields)).bones[0]
    assert bone.ik_stretch == 0.0
    limits: tuple[float, float] | None = bone.ik_limits[0]
    return limits


@pytest.mark.parametrize(
    ("lower", "upper", "held"),
    [
        (-1.0, 2.0, (-1.0, 2.0)),
        (0.3, 2.4, (0.0, 2.4)),
        (-2.4, -0.3, (-2.4, 0.0)),
        (-4.0, 1.0, (-math.pi, 1.0)),
        (-1.0, 4.0, (-1.0, math.pi)),
        (0.0, 6.5, (0.0, math.pi)),
        (-3.5, 3.5, None),
        (-1e16, 1.0, (-math.pi, 1.0)),
        (-1.0, 1e16, (-1.0, math.pi)),
        (-1e16, 1e16, None),
        (0.0, 0.0, (0.0, 0.0)),
        (0.3, 0.3, (0.0, 0.3)),
        (4.0, 5.0, (0.0, math.pi)),
        (-5.0, -4.0, (-math.pi, 0.0)),
    ],
)
def test_turning_joint_has_the_limits_that_blender_can_hold(chain, lower, upper, held):
    """None is what Blender's bones have: half a turn either way."""
    assert turning(chain, Limit(lower=lower, upper=upper)) == held


def test_joints_without_bounds_have_half_a_turn_either_way(chain):
    assert turning(chain, None, type="continuous") is None
    assert turning(chain, None) is None


@pytest.mark.parametrize(
    ("lower", "upper", "stretch"),
    [
        (0.0, 0.31, 0.31),
        (-0.5, 0.5, 0.5),
        (0.2, 0.6, 0.6),
        (0.0, 3.0, 1.0),
        (0.0, 1e16, 1.0),
        (-0.5, 0.0, LEAST_SLIDE),
        (-0.5, -0.1, LEAST_SLIDE),
        (0.0, 0.0, LEAST_SLIDE),
    ],
)
def test_sliding_joint_has_its_reach_as_stretch_and_can_not_turn(chain, lower, upper, stretch):
    (bone,) = plan(chain({"type": "prismatic", "limit": Limit(lower=lower, upper=upper)})).bones
    assert bone.ik_stretch == stretch
    assert bone.ik_limits[0] == (0.0, 0.0)


def test_sliding_joint_without_limit_reaches_one_metre(chain):
    (bone,) = plan(chain({"type": "prismatic", "limit": None})).bones
    assert bone.ik_stretch == 1.0


@given(robots(WISHES))
def test_ik_limits_are_what_blender_takes(robot: Robot) -> None:
    for bone, joint in zip(plan(robot).bones, plan(robot).joints, strict=True):
        lower, upper = bone.ik_limits[0] or (-math.pi, math.pi)
        assert -math.pi <= lower <= 0.0 <= upper <= math.pi
        assert 0.0 <= bone.ik_stretch <= 1.0
        if joint.kind == "revolute":
            assert joint.lower is None or lower <= max(joint.lower, -math.pi)
            assert joint.upper is None or upper >= min(joint.upper, math.pi)


def test_followers_and_locked_joints_have_a_free_axis_too(chain):
    """MORSE ends at a bone without one."""
    locked = Limit(lower=0.0, upper=0.0)
    robot = chain({}, {"mimic": Mimic(joint="j1")}, {"limit": locked},
                  {"type": "prismatic", "limit": locked})  # fmt: skip
    made = plan(robot)
    assert [bone.turns for bone in made.bones] == [(0,)] * 4
    assert [bool(bone.free) for bone in made.bones] == [True, False, False, False]
    assert len(made.drivers) == 1


def test_limits_are_enforced_by_constraints_as_in_the_native_profile(chain):
    robot = chain({"limit": Limit(lower=-0.5, upper=0.5)})
    (limit,) = plan(robot).constraints
    assert isinstance(limit, LimitPlan) and limit.upper[0] == 0.5
    assert not plan(robot, enforce_limits=False).constraints
