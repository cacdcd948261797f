# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs of the profile `morse`: exact, and as MORSE's Armature actuator asks for."""

import math
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import given, settings

from support.blender.rigs import (
    assert_at,
    assert_frames,
    build,
    new_scene,
    shown_frames,
    valid_positions,
)
from support.paths import ROOT
from support.pinocchio_truth import Truth
from support.real_robots import descriptions, name_of
from support.strategies import Wishes, robots_with_positions
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    Robot,
    extract_robot,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    link_pose,
    read_robot,
    set_joint_positions,
    update_robot,
)
from urdf_importer.core.kinematics.forward import complete_positions
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.model import Joint, Limit, Link, Mimic, Pose

MORSE = ImportOptions(profile="morse")
BARE = ImportOptions(profile="morse", visuals=False, collisions=False, inertials=False)
PLANAR = ROOT / "sample_urdfs" / "planar_base.urdf"
USUAL = {"panda", "pr2", "talos_full_v2", "icub", "ur5_robot"}

pytestmark = pytest.mark.usefixtures("scene")


def free_axes(bone: Any) -> str:
    return "".join(axis for axis in "xyz" if not getattr(bone, f"lock_ik_{axis}"))


def read_as_morse(bone: Any) -> tuple[float, float]:
    """What a joint is clamped to: the IK limits of the free axis, whether they are on or not, or
    the IK stretch where there is one."""
    if bone.ik_stretch:
        return 0.0, bone.ik_stretch
    (axis,) = free_axes(bone)
    return getattr(bone, f"ik_min_{axis}"), getattr(bone, f"ik_max_{axis}")


def assert_drivable(robot: Robot, armature: Any) -> None:
    """Every bone is a joint of one axis, X, and the limits are those that Blender can hold."""
    motions = [m for m in plan_tree(robot, Diagnostics()).joint_motions if m.is_scalar]
    bones = armature.pose.bones if armature.pose else ()
    assert [bone.name for bone in bones] == [m.joint.name for m in motions]
    for motion, bone in zip(motions, bones, strict=True):
        assert free_axes(bone) == "x"
        lower = -math.inf if motion.lower is None else motion.lower
        upper = math.inf if motion.upper is None else motion.upper
        if motion.kind == "prismatic":
            wanted = (0.0, max(min(upper, 1.0), 1e-6))
        else:
            wanted = (min(max(lower, -math.pi), 0.0), max(min(upper, math.pi), 0.0))
        assert read_as_morse(bone) == pytest.approx(wanted, abs=1e-6)


def random_positions(robot: Robot, seed: int) -> dict[str, float]:
    generator = np.random.default_rng(seed)
    return {
        m.joint.name: float(
            generator.uniform(
                max(-7.0, m.lower if m.lower is not None else -7.0),
                min(7.0, m.upper if m.upper is not None else 7.0),
            )
        )
        for m in plan_tree(robot, Diagnostics()).joint_motions
        if m.is_scalar and m.mimic is None
    }


@settings(max_examples=60)
@given(robots_with_positions(Wishes(most_links=12, swapped_limits=True, missing_limits=True)))
def test_random_robots_are_drivable_and_exact(drawn: tuple[Robot, dict[str, Any]]) -> None:
    """Held joints are at zero, whatever is said of them."""
    robot, positions = drawn
    new_scene()
    plan, rig = build(robot, MORSE)
    assert_drivable(robot, rig.armature)
    scalar = {joint.joint.name for joint in plan.joints}
    valid = valid_positions(plan, {n: p for n, p in positions.items() if n in scalar})
    set_joint_positions(rig.armature, positions | valid)
    assert_at(robot, rig, valid)
    read = get_joint_positions(rig.armature)
    assert read.keys() == scalar
    assert {name: read[name] for name in valid} == pytest.approx(valid, abs=1e-5)
    assert extract_robot(rig.armature) == robot


cases = [
    pytest.param(path, id=name_of(path), marks=[] if path.stem in USUAL else pytest.mark.slow)
    for path in descriptions()
    if path.stem != "ur3"  # no links
]


@pytest.mark.parametrize("path", cases)
def test_real_robots_stand_as_pinocchio_says_also_when_opened_again(path, tmp_path):
    robot = read_robot(path)
    truth = Truth.of_file(path)
    result = import_robot(path, options=BARE)
    assert_drivable(robot, result.armature)
    assert result.armature.data.collections.keys() == (["Joints"] if result.bones else [])
    assert extract_robot(result.armature) == robot
    for seed in range(4):
        positions = random_positions(robot, seed)
        set_joint_positions(result.armature, positions)
        assert_stands(truth, robot, shown_frames(result.links), positions)
    names = {link: empty.name for link, empty in result.links.items()}
    name = result.armature.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "robot.blend"))
    new_scene()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "robot.blend"))
    armature = bpy.data.objects[name]
    assert_drivable(robot, armature)
    assert extract_robot(armature) == robot
    assert update_robot(armature).changes == ()
    positions = random_positions(robot, 9)
    set_joint_positions(armature, positions)
    shown = shown_frames({link: bpy.data.objects[names[link]] for link in names})
    assert_stands(truth, robot, shown, positions)


def assert_stands(truth: Truth, robot: Robot, shown: Any, positions: dict[str, float]) -> None:
    """All links against our own forward kinematics, and those that Pinocchio knows against its."""
    everything = complete_positions(plan_tree(robot, Diagnostics()).joint_motions, positions)
    wanted = truth.frames(everything)
    known = {name: frame for name, frame in shown.items() if name in wanted}
    assert len(known) >= len(robot.links) / 2
    assert_frames(known, {name: wanted[name] for name in known}, metres=1e-5, radians=1e-5)
    assert_frames(shown, forward_kinematics(robot, positions), metres=1e-5, radians=1e-5)


def test_joints_that_are_held_are_passed_over_and_told_of_with_their_line():
    result = import_robot(PLANAR, options=BARE)
    (found,) = (item for item in result.diagnostics if item.code == "morse-joint-held")
    assert (found.subject, found.line) == ("drive", 22)
    assert "drive" not in result.bones
    set_joint_positions(result.armature, {"drive": (1.0, 2.0, 3.0), "elbow": 0.5})
    read = get_joint_positions(result.armature)
    assert "drive" not in read and read["elbow"] == pytest.approx(0.5, abs=1e-6)
    assert_at(result.robot, result, {"elbow": 0.5})


def test_native_rig_becomes_one_for_morse_and_back():
    result = import_robot(PLANAR, options=ImportOptions(visuals=False, collisions=False))
    native = [bone.name for bone in result.armature.pose.bones]
    set_joint_positions(result.armature, {"elbow": 0.4, "drive": (1.0, 0.0, 0.0)})
    changed = update_robot(result.armature, options=BARE)
    assert [str(change) for change in changed.changes if "Profile" in str(change)]
    assert sorted(bone.name for bone in result.armature.pose.bones) == sorted(
        motion.joint.name
        for motion in plan_tree(result.robot, Diagnostics()).joint_motions
        if motion.is_scalar
    )
    assert {free_axes(bone) for bone in result.armature.pose.bones} == {"x"}
    read = get_joint_positions(result.armature)
    assert read["elbow"] == pytest.approx(0.4, abs=1e-6) and "drive" not in read
    assert_at(result.robot, changed, {"elbow": 0.4})
    update_robot(result.armature, options=ImportOptions(visuals=False, collisions=False))
    assert sorted(bone.name for bone in result.armature.pose.bones) == sorted(native)


def test_blenders_ik_does_not_turn_what_slides():
    """It does turn what is free, and does not slide. Without the limits of zero the links would
    lean by 0.14 rad here."""
    result = import_robot(PLANAR, options=BARE)
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (0.4, 0.3, 1.0)
    set_joint_positions(result.armature, {"shoulder": 0.2, "elbow": 0.3})
    ik = result.armature.pose.bones["wrist"].constraints.new("IK")
    ik.target, ik.chain_count, ik.use_stretch, ik.use_tail = target, 0, False, False
    bpy.context.view_layer.update()
    read = get_joint_positions(result.armature)
    assert abs(read["elbow"] - 0.3) > 0.1
    assert_at(result.robot, result, read)


def test_follower_of_a_joint_that_is_held_moves_on_its_own():
    robot = Robot(
        name="r",
        links=tuple(Link(name=f"l{i}") for i in range(3)),
        joints=(
            Joint(name="base", type="floating", parent="l0", child="l1",
                  origin=Pose(xyz=(0.1, 0.2, 0.3), rpy=(0.4, 0.5, 0.6)), line=7),
            Joint(name="arm", type="revolute", parent="l1", child="l2",
                  limit=Limit(lower=-1.0, upper=1.0), mimic=Mimic(joint="base"), line=9),
        ),
    )  # fmt: skip
    diagnostics = Diagnostics()
    _, rig = build(robot, MORSE, diagnostics=diagnostics)
    assert [(item.code, item.line) for item in diagnostics] == [
        ("mimic-ignored", 9),
        ("morse-joint-held", 7),
    ]
    set_joint_positions(rig.armature, {"arm": 0.7})
    assert_at(robot, rig, {"arm": 0.7})
    assert link_pose(rig.armature, "l1")[:3, 3] == pytest.approx((0.1, 0.2, 0.3), abs=1e-6)
    assert extract_robot(rig.armature) == robot
