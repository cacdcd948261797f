# SPDX-License-Identifier: GPL-3.0-or-later
"""Links stand where forward kinematics says, in Blender, at any configuration."""

import bpy
import mathutils
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support import real_robots
from support.blender.rigs import (
    assert_at,
    assert_frames,
    build,
    new_scene,
    shown_frames,
    valid_positions,
)
from support.strategies import Wishes, robots_with_positions
from urdf_importer import (
    forward_kinematics,
    get_joint_positions,
    link_pose,
    read_robot,
    set_joint_positions,
)
from urdf_importer.core.model import Joint, Limit, Link, Mimic, Pose, Robot
from urdf_importer.core.options import ImportOptions

PANDA = real_robots.ROOT / "panda_description" / "urdf" / "panda.urdf"
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@pytest.fixture(autouse=True)
def scene():
    new_scene()


def hip(*axes, lower=-1.0, upper=1.0, knee=(0.0, 0.0, -0.4)):
    """Joints j0, j1 ... at one point, then a knee away from it."""
    count = len(axes)
    limit = Limit(lower=lower, upper=upper) if lower is not None else None
    kind = "revolute" if limit else "continuous"
    joints = [
        Joint(name=f"j{i}", type=kind, parent=f"l{i}", child=f"l{i + 1}", axis=axis, limit=limit)
        for i, axis in enumerate(axes)
    ]
    joints.append(
        Joint(name="knee", type="continuous", parent=f"l{count}", child="shank", axis=Y,
              origin=Pose(xyz=knee))
    )  # fmt: skip
    links = tuple(Link(name=name) for name in (*(f"l{i}" for i in range(count + 1)), "shank"))
    return Robot(name="hip", links=links, joints=tuple(joints))


options = st.builds(
    ImportOptions,
    combine_joints=st.sampled_from(["never", "balls", "exact"]),
    fixed_joints=st.sampled_from(["bones", "fold"]),
    enforce_limits=st.booleans(),
)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(robots_with_positions(Wishes(swapped_limits=True, missing_limits=True)), options)
def test_any_robot_stands_as_forward_kinematics_says(robot_and_positions, options):
    robot, positions = robot_and_positions
    new_scene()
    plan, rig = build(robot, options)
    positions = valid_positions(plan, positions)
    set_joint_positions(rig.armature, positions)
    assert_at(robot, rig, positions, metres=2e-5, radians=2e-5)


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(robots_with_positions())
def test_positions_come_back_as_they_were_set(robot_and_positions):
    robot, positions = robot_and_positions
    new_scene()
    plan, rig = build(robot)
    positions = valid_positions(plan, positions)
    set_joint_positions(rig.armature, positions)
    read = get_joint_positions(rig.armature)
    assert set(read) == {joint.joint.name for joint in plan.joints}
    # Each joint is read in single precision, and what is read adds up along the chain.
    within = 2e-5 + 4e-6 * len(plan.joints)
    assert_frames(
        forward_kinematics(robot, read), forward_kinematics(robot, positions),
        metres=within, radians=within,
    )  # fmt: skip
    for name, value in positions.items():
        if isinstance(value, float):
            assert read[name] == pytest.approx(value, abs=2e-5)


@pytest.mark.parametrize("axes", [(X, Z), (Z, X), (X, (0.0, -1.0, 0.0)), (Z, X, Y), (X, Y, Z)])
@pytest.mark.parametrize("knee", [(0.0, 0.0, -0.4), (0.3, 0.0, 0.0), (0.0, -0.2, 0.0), (0, 0, 0)])
def test_combined_hip_at_every_angle(axes, knee):
    """Also far beyond 270 degrees in sum and at the middle angle's gimbal lock."""
    robot = hip(*axes, lower=None, knee=knee)
    plan, rig = build(robot)
    assert any(">" in bone.name for bone in plan.bones)
    generator = np.random.default_rng(len(axes))
    for _ in range(25):
        angles = generator.uniform(-6, 6, len(axes))
        angles[1] = generator.choice([angles[1], np.pi / 2, -np.pi / 2, 0.0])
        positions = {f"j{i}": float(angle) for i, angle in enumerate(angles)}
        set_joint_positions(rig.armature, positions)
        assert_at(robot, rig, positions)
        read = get_joint_positions(rig.armature)
        assert {name: read[name] for name in positions} == pytest.approx(positions, abs=1e-5)


@pytest.mark.parametrize("width", [0.5, 1.5, 2.5, 3.1])
@pytest.mark.parametrize("axes", [(Z, X), (Z, X, Y)])
def test_limits_hold_combined_joints_one_by_one(axes, width):
    robot = hip(*axes, lower=-width, upper=0.7 * width)
    _, rig = build(robot)
    generator = np.random.default_rng(7)
    for _ in range(25):
        asked = {f"j{i}": float(generator.uniform(-width - 0.4, width)) for i in range(len(axes))}
        held = {name: min(max(value, -width), 0.7 * width) for name, value in asked.items()}
        set_joint_positions(rig.armature, asked)
        assert_at(robot, rig, held)
        read = get_joint_positions(rig.armature)
        assert {name: read[name] for name in asked} == pytest.approx(held, abs=2e-5)


@pytest.mark.parametrize("limits", [(-1.0, 2.0), (-1.0, 4.0), (0.5, 1.0), (-6.3, 6.3), (0.3, 0.3)])
def test_single_joint_within_its_limits_and_beyond(limits):
    lower, upper = limits
    robot = hip(Z, lower=lower, upper=upper)
    plan, rig = build(robot)
    assert_at(robot, rig, {"j0": plan.joints[0].initial})
    for asked in np.linspace(lower, upper, 9):
        set_joint_positions(rig.armature, {"j0": float(asked)})
        assert_at(robot, rig, {"j0": float(asked)})
    if upper - lower < 6:
        for asked, held in ((upper + 0.1, upper), (lower - 0.1, lower)):
            set_joint_positions(rig.armature, {"j0": asked})
            assert_at(robot, rig, {"j0": held})


def test_sliding_joint_stops_at_its_limit():
    robot = Robot(
        name="lift",
        links=(Link(name="base"), Link(name="car")),
        joints=(
            Joint(name="lift", type="prismatic", parent="base", child="car", axis=(0, 0, 2.0),
                  limit=Limit(lower=-0.1, upper=0.5)),
        ),
    )  # fmt: skip
    _, rig = build(robot)
    for asked, held in ((0.3, 0.3), (0.9, 0.5), (-0.9, -0.1)):
        set_joint_positions(rig.armature, {"lift": asked})
        assert link_pose(rig.armature, "car")[:3, 3] == pytest.approx((0, 0, held), abs=1e-6)
        assert get_joint_positions(rig.armature)["lift"] == pytest.approx(held, abs=1e-6)


def gripper(source_limit, above=False):
    """A drive and a finger that follows it, beyond it or before it in the chain."""
    names = ("finger", "drive") if above else ("drive", "finger")
    joints = []
    for index, name in enumerate(names):
        mimic = Mimic(joint="drive", multiplier=-1.5, offset=0.2) if name == "finger" else None
        limit = source_limit if name == "drive" else Limit(lower=-9.0, upper=9.0)
        joints.append(
            Joint(name=name, type="revolute", parent=f"l{index}", child=f"l{index + 1}",
                  origin=Pose(xyz=(0.0, 0.1, 0.0)), axis=X, limit=limit, mimic=mimic)
        )  # fmt: skip
    links = tuple(Link(name=f"l{i}") for i in range(3))
    return Robot(name="gripper", links=links, joints=tuple(joints))


@pytest.mark.parametrize("above", [False, True])
def test_follower_follows_what_the_limit_leaves_of_its_source(above):
    robot = gripper(Limit(lower=-0.5, upper=0.8), above)
    _, rig = build(robot)
    for asked, held in ((0.3, 0.3), (1.4, 0.8), (-1.2, -0.5)):
        set_joint_positions(rig.armature, {"drive": asked, "finger": 99.0})
        assert_at(robot, rig, {"drive": held})
        read = get_joint_positions(rig.armature)
        assert read == pytest.approx({"drive": held, "finger": -1.5 * held + 0.2}, abs=1e-5)


def test_follower_follows_a_source_that_turns_on_and_on():
    robot = gripper(Limit(lower=-1e16, upper=1e16))
    _, rig = build(robot)
    for asked in (2.0, 4.0, 7.0, -20.0):
        set_joint_positions(rig.armature, {"drive": asked})
        assert_at(robot, rig, {"drive": asked})


def test_in_between_link_follows_ik():
    """The hidden bone copies what IK made of the combined bone, not the number set."""
    robot = hip(Z, X, lower=-2.0, upper=2.0)
    _, rig = build(robot)
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (0.15, 0.1, -0.3)
    bone = rig.armature.pose.bones["knee"]
    ik = bone.constraints.new("IK")
    ik.target, ik.chain_count, ik.use_tail = target, 2, False
    bpy.context.view_layer.update()
    read = get_joint_positions(rig.armature)
    assert abs(read["j0"]) + abs(read["j1"]) > 0.05
    positions = {name: read[name] for name in ("j0", "j1", "knee")}
    assert_at(robot, rig, positions, metres=1e-4, radians=1e-4)


def test_ik_works_through_bones_with_limit_bones(capfd):
    """Under a parent that IK turns, the limit bone would wait for what waits for it."""
    robot = read_robot(PANDA)
    _, rig = build(robot, ImportOptions(visuals=False, collisions=False))
    bones = rig.armature.pose.bones
    assert sum(bone.name.startswith("LIM-") for bone in bones) == 2
    set_joint_positions(rig.armature, {"panda_joint4": -1.5, "panda_joint6": 1.5})
    bpy.context.view_layer.update()
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = bones["panda_joint7"].tail + mathutils.Vector((0.05, 0.05, -0.05))
    ik = bones["panda_joint7"].constraints.new("IK")
    ik.target, ik.chain_count = target, 0
    bpy.context.view_layer.update()
    assert (bones["panda_joint7"].tail - target.location).length < 1e-3
    assert "cycle" not in "".join(capfd.readouterr()).lower()


def test_armature_may_stand_anywhere():
    robot = hip(Z, X)
    _, rig = build(robot)
    rig.armature.location = (1.0, 2.0, 3.0)
    rig.armature.rotation_quaternion = (0.5, 0.5, 0.5, 0.5)
    set_joint_positions(rig.armature, {"j0": 0.4, "knee": 1.0})
    wanted = forward_kinematics(robot, {"j0": 0.4, "knee": 1.0})
    shown = {name: link_pose(rig.armature, name) for name in wanted}
    assert_frames(shown, wanted, metres=1e-5, radians=1e-5)


@example((0.0, 0.0, 0.0, 0.0, 0.7071067811865476, 0.0, 0.7071067811865476))
@settings(max_examples=40)
@given(st.tuples(*[st.floats(-1, 1)] * 3, *[st.integers(-9, 9)] * 4).filter(lambda t: any(t[3:])))
def test_floating_joint_takes_any_orientation(pose):
    """Also gimbal lock, where angles worked out in single precision cost 2e-4."""
    quaternion = np.array(pose[3:]) / np.linalg.norm(pose[3:])
    position = (*pose[:3], *quaternion.tolist())
    joint = Joint(name="free", type="floating", parent="world", child="base",
                  origin=Pose(xyz=(0.1, 0.2, 0.3), rpy=(0.4, 0.5, 0.6)))  # fmt: skip
    robot = Robot(name="drone", links=(Link(name="world"), Link(name="base")), joints=(joint,))
    new_scene()
    _, rig = build(robot)
    set_joint_positions(rig.armature, {"free": position})
    assert_at(robot, rig, {"free": position})
    read = np.array(get_joint_positions(rig.armature)["free"])
    read[3:] *= np.sign(read[3:] @ quaternion)
    assert read == pytest.approx(np.array(position), abs=1e-5)


@pytest.mark.parametrize("axis", [Z, X, Y, (0.0, 0.0, -1.0), (0.3, 0.4, 0.5)])
def test_planar_joint_slides_then_turns(axis):
    joint = Joint(name="base", type="planar", parent="world", child="base", axis=axis)
    robot = Robot(name="base", links=(Link(name="world"), Link(name="base")), joints=(joint,))
    _, rig = build(robot)
    positions = {"base": (0.5, -0.25, 1.0)}
    set_joint_positions(rig.armature, positions)
    assert_at(robot, rig, positions)
    assert get_joint_positions(rig.armature)["base"] == pytest.approx(positions["base"], abs=1e-5)


def test_scene_frames_are_read_from_the_evaluated_depsgraph():
    robot = hip(Z)
    _, rig = build(robot)
    set_joint_positions(rig.armature, {"j0": 0.5})
    before = shown_frames(rig.links)
    set_joint_positions(rig.armature, {"j0": 1.0})
    assert not np.allclose(before["shank"], shown_frames(rig.links)["shank"])


@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_chain_of_thousands_of_links_builds(count: int) -> None:
    """More than Python's calls may go deep."""
    from support.strategies import chain

    robot = chain(count)
    _, rig = build(robot, ImportOptions(visuals=False, collisions=False, inertials=False))
    assert len(rig.links) == count and len(rig.armature.data.bones) >= count - 1


def test_angle_that_is_read_back_lies_within_the_limits():
    """Blender holds 2.8 at the end that is nearer around the circle; that is said as the limit."""
    robot = hip(Z, lower=-2.4, upper=1.5)
    _, rig = build(robot)
    for asked in (2.8, 9.0):
        set_joint_positions(rig.armature, {"j0": asked})
        assert get_joint_positions(rig.armature)["j0"] == pytest.approx(-2.4, abs=1e-5)
