# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs whose links go where they are wanted, or that stay as they were to the last bit."""

import math

import bpy
import mathutils
import numpy as np
import pytest

from support.arm_chains import ARMS
from support.blender.snapshots import describe_scene, list_data
from support.paths import ROOT
from urdf_importer import (
    ArgumentError,
    BuildError,
    Convention,
    Diagnostics,
    IKOptions,
    ImportOptions,
    KinematicsError,
    RigIKOptions,
    add_ik,
    apply_srdf,
    bake_ik,
    extract_robot,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    inverse_kinematics,
    link_pose,
    open_blend,
    save_blend,
    set_joint_positions,
    solve_ik,
)
from urdf_importer.core.blender.standing.armatures import pose_bones_of
from urdf_importer.core.blender.standing.joints import posed_joints_of
from urdf_importer.core.blender.standing.keys import find_curves
from urdf_importer.features.ik.blender.solve import suggest_link
from urdf_importer_morse.split.split import split_armature

pytestmark = pytest.mark.usefixtures("scene")

BARE = ImportOptions(visuals=False, collisions=False)
BY_NAME = {arm.name: arm for arm in ARMS}
PLENTY = 20.0
ARM = """
<robot name="arm">
  <link name="base"/><link name="upper"/><link name="lower"/><link name="hand"/>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
    <safety_controller k_velocity="0" soft_lower_limit="0.5" soft_upper_limit="1.5"/>
  </joint>
  <joint name="bend" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
    <limit lower="0.2" upper="2.2" effort="1" velocity="1"/>
  </joint>
  <joint name="reach" type="prismatic">
    <parent link="lower"/><child link="hand"/><origin xyz="0.3 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-0.1" upper="0.1" effort="1" velocity="1"/>
  </joint>
</robot>
"""


def import_arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return import_robot(path)


def import_panda():
    return import_robot(BY_NAME["panda"].path, options=BARE).armature


def check(armature, link, target, angle=True):
    """Blender shows the link there."""
    shown = link_pose(armature, link)
    near = 1e-5 * (1.0 + np.linalg.norm(target[:3, 3])) + 1e-6
    assert np.linalg.norm(shown[:3, 3] - target[:3, 3]) <= near
    if angle:
        assert shown[:3, :3] == pytest.approx(target[:3, :3], abs=3e-5)


def raw_channels(armature):
    """Every number of every bone, and where every object stands, as they are stored."""
    bpy.context.view_layer.update()
    numbers = [
        (bone.id_data.name, bone.name, *bone.location, *bone.rotation_euler)
        for bone in pose_bones_of(armature)
    ]
    return numbers, [tuple(map(tuple, each.matrix_world)) for each in bpy.data.objects]


@pytest.mark.parametrize("name", ["panda", "pr2", "tiago"])
def test_real_arms_go_where_pinocchio_says(name):
    arm = BY_NAME[name]
    armature = import_robot(arm.path, options=BARE).armature
    for _, target in arm.draw(4):
        base = link_pose(armature, arm.base)
        result = solve_ik(
            armature, arm.link, target=base @ target, options=RigIKOptions(seconds=PLENTY)
        )
        assert result.success, result.message
        check(armature, arm.link, base @ target)
        shown = get_joint_positions(armature)
        for joint, position in result.positions.items():
            assert shown[joint] == pytest.approx(position, abs=2e-6)


@pytest.mark.parametrize(
    ("sample", "link"),
    [
        ("humanoid_arm", "hand"),
        ("quadruped_leg", "foot"),
        ("gripper", "right_tip"),
        ("gantry", "tool_tip"),
    ],
)
def test_combined_bones_followers_and_slides(sample, link):
    """Whole rigs of samples: bones of several joints, joints that mimic others, a gantry."""
    result = import_robot(ROOT / f"sample_urdfs/{sample}.urdf", options=BARE)
    armature = result.armature
    chance = np.random.default_rng(4)
    limits = {j.name: j.limit for j in result.robot.joints if j.limit and j.mimic is None}
    for _ in range(4):
        positions = {
            name: float(chance.uniform(limit.lower or 0.0, limit.upper or 0.0))
            for name, limit in limits.items()
        }
        target = forward_kinematics(result.robot, positions)[link]
        answer = solve_ik(armature, link, target=target, options=RigIKOptions(seconds=PLENTY))
        assert answer.success, answer.message
        check(armature, link, target)


def test_robots_of_several_armatures():
    bare = ImportOptions(visuals=False, collisions=False, profile="morse")
    armature = import_robot(BY_NAME["panda"].path, options=bare).armature
    split_armature(armature, "wrist", ["panda_joint5", "panda_joint6", "panda_joint7"])
    for _, target in BY_NAME["panda"].draw(3):
        assert solve_ik(
            armature, "panda_hand", target=target, options=RigIKOptions(seconds=PLENTY)
        ).success
        check(armature, "panda_hand", target)
    before = raw_channels(armature)
    assert not solve_ik(armature, "panda_hand", target=(3.0, 0.0, 0.0)).success
    assert raw_channels(armature) == before


def test_a_reopened_file(tmp_path):
    import_arm(tmp_path)
    save_blend(tmp_path / "arm.blend")
    open_blend(tmp_path / "arm.blend")
    armature = bpy.data.objects["arm"]
    answer = solve_ik(
        armature, "hand", target=(0.3, 0.5, 0.0), options=RigIKOptions(orientation="free")
    )
    assert answer.success
    assert link_pose(armature, "hand")[:3, 3] == pytest.approx([0.3, 0.5, 0.0], abs=1e-5)


def test_absolute_relative_and_default(tmp_path):
    """The three modes, with the soft limits of the default pose: turn at 1, bend in its middle."""
    result = import_arm(tmp_path)
    armature, robot = result.armature, result.robot
    set_joint_positions(armature, {"turn": 0.4, "bend": 1.0})
    there = link_pose(armature, "hand")
    step = (0.02, -0.03, 0.0)
    assert solve_ik(
        armature, "hand", target=step, options=RigIKOptions(mode="relative", orientation="free")
    ).success
    moved = link_pose(armature, "hand")
    assert moved[:3, 3] == pytest.approx(there[:3, 3] + step, abs=1e-5)
    start = {"turn": 1.0, "bend": 1.2, "reach": 0.0}
    default = forward_kinematics(robot, start)["hand"]
    answer = solve_ik(
        armature, "hand", target=(0.0, 0.0, 0.0), options=RigIKOptions(mode="default")
    )
    assert answer.positions == pytest.approx(start, abs=1e-5)
    check(armature, "hand", default)
    set_joint_positions(armature, {"turn": -0.5})
    some = {"mode": "default", "orientation": "free", "group": ("bend", "reach")}
    step = np.array((0.0, 0.01, 0.0))
    assert solve_ik(armature, "hand", target=step, options=RigIKOptions(**some)).success
    held = forward_kinematics(robot, start | {"turn": -0.5})["hand"][:3, 3]
    assert link_pose(armature, "hand")[:3, 3] == pytest.approx(held + step, abs=1e-5)


def test_a_relative_frame_turns_too():
    armature = import_panda()
    set_joint_positions(armature, {"panda_joint4": -1.5, "panda_joint6": 1.6})
    there = link_pose(armature, "panda_hand")
    turn = np.eye(4)
    turn[:3, :3] = mathutils.Matrix.Rotation(0.2, 3, "Z")
    turn[:3, 3] = 0.0, 0.05, -0.05
    assert solve_ik(
        armature, "panda_hand", target=turn, options=RigIKOptions(mode="relative", seconds=PLENTY)
    ).success
    wanted = np.eye(4)
    wanted[:3, :3] = turn[:3, :3] @ there[:3, :3]
    wanted[:3, 3] = there[:3, 3] + turn[:3, 3]
    check(armature, "panda_hand", wanted)


def test_frames_of_the_world_and_of_links():
    armature = import_panda()
    set_joint_positions(armature, {"panda_joint4": -1.5, "panda_joint6": 1.6})
    armature.location, armature.scale = (1.0, 2.0, 3.0), (2.0, 2.0, 2.0)
    armature.rotation_euler = (0.3, -0.2, 1.0)
    bpy.context.view_layer.update()
    hand = next(each for each in armature.children if each.name.startswith("panda_hand"))
    world = np.array(hand.matrix_world)
    target = world[:3, 3] + [0.05, 0.02, -0.04]
    options = RigIKOptions(in_frame="world", orientation="keep", seconds=PLENTY)
    assert solve_ik(armature, "panda_hand", target=target, options=options).success
    assert np.array(hand.matrix_world)[:3, 3] == pytest.approx(target, abs=5e-5)
    shown = np.array(hand.matrix_world.to_quaternion())
    assert abs(shown @ np.array(mathutils.Matrix(world).to_quaternion())) == pytest.approx(
        1, abs=1e-6
    )
    wrist = link_pose(armature, "panda_link1")
    wanted = wrist @ np.array([0.4, 0.1, 0.2, 1.0])
    answer = solve_ik(
        armature, "panda_hand", target=(0.4, 0.1, 0.2),
        options=RigIKOptions(
            in_frame="panda_link1", orientation="free", seconds=PLENTY,
            group=("panda_joint2", "panda_joint3", "panda_joint4", "panda_joint5"),
        ),
    )  # fmt: skip
    assert answer.success, answer.message
    assert link_pose(armature, "panda_hand")[:3, 3] == pytest.approx(wanted[:3], abs=2e-5)


def test_orientations():
    armature = import_panda()
    set_joint_positions(armature, {"panda_joint4": -1.5, "panda_joint6": 1.6})
    there = link_pose(armature, "panda_hand")
    place = there[:3, 3] + [0.0, 0.0, 0.03]
    options = RigIKOptions(orientation="keep", seconds=PLENTY)
    assert solve_ik(armature, "panda_hand", target=place, options=options).success
    assert link_pose(armature, "panda_hand")[:3, :3] == pytest.approx(there[:3, :3], abs=2e-5)
    down = (1.0, 0.0, 0.0, 0.0)
    for wanted in (down, mathutils.Quaternion((0.0, 1.0, 0.0, 0.0))):
        answer = solve_ik(
            armature,
            "panda_hand",
            target=(0.5, 0.1, 0.3),
            options=RigIKOptions(orientation=wanted, seconds=PLENTY),
        )
        assert answer.success
        shown = link_pose(armature, "panda_hand")
        assert shown[:3, :3] == pytest.approx(np.diag([1.0, -1.0, -1.0]), abs=2e-5)
    assert solve_ik(
        armature,
        "panda_hand",
        target=(0.4, 0.1, 0.5),
        options=RigIKOptions(orientation="free", seconds=PLENTY),
    ).success


def test_other_axes_and_units():
    """Her simulator: y-up, centimetres, from where the hand is."""
    armature = import_panda()
    there = link_pose(armature, "panda_hand")[:3, 3]
    hers = Convention("zxy", 0.01)
    answer = solve_ik(
        armature,
        "panda_hand",
        target=(0.0, 5.0, 2.0),
        options=RigIKOptions(mode="relative", convention=hers, seconds=PLENTY, orientation="free"),
    )
    assert answer.success, answer.message
    shown = link_pose(armature, "panda_hand")[:3, 3]
    assert shown - there == pytest.approx([0.02, 0.0, 0.05], abs=1e-5)


@pytest.mark.parametrize(
    "target",
    [(3.0, 0.0, 0.0), (math.nan, 0.0, 0.0), (0.0, 0.0, 1e30), np.zeros((4, 4))],
    ids=["far", "nan", "absurd", "no rotation"],
)
def test_a_failure_leaves_everything_bit_for_bit(target):
    armature = import_panda()
    set_joint_positions(armature, {"panda_joint2": 0.3123, "panda_joint4": -1.7})
    armature.keyframe_insert("location", frame=1)
    before = raw_channels(armature), describe_scene(), list_data()
    answer = solve_ik(armature, "panda_hand", target=target, key=True)
    assert not answer.success
    assert answer.message
    assert answer.positions["panda_joint2"] == pytest.approx(0.3123, abs=1e-6)
    assert (raw_channels(armature), describe_scene(), list_data()) == before


def test_what_the_scene_does_not_show_is_taken_back(tmp_path):
    """A user's constraint holds the elbow: the solver has an answer, the scene does not take it."""
    armature = import_arm(tmp_path).armature
    bone = next(each for each in armature.pose.bones if each.name == "bend")
    constraint = bone.constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    constraint.use_limit_x, constraint.min_x, constraint.max_x = True, 0.3, 0.3
    bpy.context.view_layer.update()
    before = raw_channels(armature)
    answer = solve_ik(
        armature, "hand", target=(0.2, 0.6, 0.0), options=RigIKOptions(orientation="free"), key=True
    )
    assert not answer.success
    assert "something else moves the rig" in answer.message
    assert answer.positions["bend"] == pytest.approx(0.3, abs=1e-6)
    assert raw_channels(armature) == before
    assert not bpy.data.actions


def test_keys_go_on_the_joints_that_moved(tmp_path):
    armature = import_arm(tmp_path).armature
    bpy.context.scene.frame_set(12)
    goal = (0.3, 0.5, 0.0)
    assert solve_ik(
        armature,
        "hand",
        target=goal,
        options=RigIKOptions(orientation="free", group=("turn", "bend")),
        key=True,
    ).success
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(12)
    assert link_pose(armature, "hand")[:3, 3] == pytest.approx(goal, abs=1e-5)
    paths = {curve.data_path for curve in find_curves(armature)}
    assert paths == {f'pose.bones["{name}"].rotation_euler' for name in ("turn", "bend")}


def test_a_robot_that_drives_stays_where_it_stands():
    armature = import_robot(ROOT / "sample_urdfs/planar_base.urdf", options=BARE).armature
    diagnostics = Diagnostics()
    link = next(
        each["urdf_link"]["name"] for each in armature.children if each.get("urdf_link") is not None
    )
    solve_ik(armature, link, target=link_pose(armature, link), diagnostics=diagnostics)
    assert all(item.code == "ik-joint-held" for item in diagnostics)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"orientation": (0.0, 0.0, 0.0)}, "four numbers"),
        ({"orientation": (0.0, 0.0, 0.0, 0.0)}, "no direction"),
        ({"in_frame": "ghost"}, "no link 'ghost'"),
        ({"group": ("ghost",)}, "no joint 'ghost'"),
        ({"target": (1.0,)}, "target must be"),
        ({"link": "ghost"}, "no link 'ghost'"),
    ],
)
def test_wrong_questions_are_refused(tmp_path, arguments, message):
    armature = import_arm(tmp_path).armature
    asked = {"link": "hand", "target": (0.3, 0.5, 0.0)} | arguments
    with pytest.raises(KinematicsError, match=message):
        solve_ik(
            armature, asked.pop("link"), target=asked.pop("target"), options=RigIKOptions(**asked)
        )


def test_a_point_means_the_same_as_without_blender():
    """It frees the turn, unless the orientation says else."""
    armature = import_panda()
    there, robot = link_pose(armature, "panda_hand"), extract_robot(armature)
    shown = get_joint_positions(armature)
    point = there[:3, 3] + (-0.1, 0.2, -0.2)
    answer = solve_ik(armature, "panda_hand", target=point, options=RigIKOptions(seconds=PLENTY))
    alone = inverse_kinematics(
        robot, "panda_hand", target=point, start_positions=shown, options=IKOptions(seconds=PLENTY)
    )
    assert answer.success and answer.positions == pytest.approx(alone.positions, abs=1e-4)
    turned = link_pose(armature, "panda_hand")[:3, :3]
    assert not np.allclose(turned, there[:3, :3], atol=1e-2)
    kept = RigIKOptions(orientation="keep", seconds=PLENTY)
    assert solve_ik(armature, "panda_hand", target=there[:3, 3], options=kept).success
    assert np.allclose(link_pose(armature, "panda_hand")[:3, :3], turned, atol=1e-4)


@pytest.mark.parametrize(
    "wrong",
    [{"mode": "sideways"}, {"orientation": "up"}, {"seconds": -1.0}, {"restarts": 1.5},
     {"seed": -1}, {"group": 3}],
)  # fmt: skip
def test_wrong_options_are_refused_when_they_are_made(wrong):
    with pytest.raises(ArgumentError, match="it must be"):
        RigIKOptions(**wrong)


def test_other_objects_are_refused():
    with pytest.raises(BuildError, match="not an imported robot"):
        solve_ik(bpy.data.objects.new("Thing", None), "hand", target=(0.0, 0.0, 0.0))


PANDA_SRDF = """
<robot name="panda">
  <group name="arm"><chain base_link="panda_link0" tip_link="panda_hand"/></group>
  <group name="wrist">
    <joint name="panda_joint5"/><joint name="panda_joint6"/><joint name="panda_joint7"/>
  </group>
  <group_state name="ready" group="arm">
    <joint name="panda_joint1" value="0"/><joint name="panda_joint2" value="-0.785"/>
    <joint name="panda_joint3" value="0"/><joint name="panda_joint4" value="-2.356"/>
    <joint name="panda_joint5" value="0"/><joint name="panda_joint6" value="1.571"/>
    <joint name="panda_joint7" value="0.785"/>
  </group_state>
  <passive_joint name="panda_joint3"/>
</robot>
"""


def test_groups_states_and_passive_joints_of_an_srdf(tmp_path):
    armature = import_panda()
    (tmp_path / "panda.srdf").write_text(PANDA_SRDF)
    apply_srdf(armature, tmp_path / "panda.srdf")
    robot = BY_NAME["panda"].robot
    ready = dict(
        zip(
            [f"panda_joint{i}" for i in range(1, 8)],
            (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785),
            strict=True,
        )
    )
    options = RigIKOptions(
        mode="default", state="ready", group="arm", orientation="keep", seconds=PLENTY
    )
    answer = solve_ik(armature, "panda_hand", target=(0.0, 0.05, 0.0), options=options)
    assert answer.success, answer.message
    assert "panda_joint3" not in answer.positions
    target = forward_kinematics(robot, ready)["panda_hand"]
    target[1, 3] += 0.05
    check(armature, "panda_hand", target)
    assert solve_ik(
        armature,
        "panda_hand",
        target=(0.0, 0.0, 0.0),
        options=RigIKOptions(mode="relative", group="wrist"),
    ).success
    with pytest.raises(KinematicsError, match="no group 'leg'"):
        solve_ik(armature, "panda_hand", target=(0.0, 0.0, 0.0), options=RigIKOptions(group="leg"))
    with pytest.raises(BuildError, match="no state 'asleep'"):
        solve_ik(
            armature,
            "panda_hand",
            target=(0.0, 0.0, 0.0),
            options=RigIKOptions(mode="default", group="arm", state="asleep"),
        )


@pytest.mark.parametrize(
    ("path", "hand"),
    [
        (BY_NAME["panda"].path, "panda_hand"),
        (BY_NAME["ur5"].path, "wrist_3_link"),
        (ROOT / "sample_urdfs/humanoid_arm.urdf", "hand"),
    ],
    ids=["fingers", "no fingers", "no gripper"],
)
def test_the_hand_is_what_fingers_branch_off(path, hand):
    armature = import_robot(path, options=BARE).armature
    assert suggest_link(armature) == hand


def lock(armature, *names):
    for pose_bone, joint in posed_joints_of(armature):
        if joint.name in names:
            pose_bone.lock_rotation = pose_bone.lock_location = (True, True, True)


def test_locked_joints_stay_for_solver_targets_and_baking():
    armature = import_robot(ROOT / "sample_urdfs/humanoid_arm.urdf", options=BARE).armature
    set_joint_positions(armature, {"elbow": -0.7, "shoulder_roll": 0.2})
    lock(armature, "elbow")
    robot, link = extract_robot(armature), "tool0"
    wanted = {"shoulder_pitch": -0.4, "shoulder_roll": 0.3, "elbow": -0.7, "forearm_yaw": 0.3}
    goal = forward_kinematics(robot, wanted)[link]
    found = solve_ik(armature, link, goal)
    assert found.success and "elbow" not in found.positions
    assert np.abs(link_pose(armature, link) - goal).max() < 1e-4
    assert get_joint_positions(armature)["elbow"] == pytest.approx(-0.7, abs=1e-6)

    diagnostics = Diagnostics()
    target = add_ik(armature, link, diagnostics=diagnostics)
    assert [item.code for item in diagnostics] == ["ik-not-native"]
    target.location.x += 0.02
    bpy.context.view_layer.update()
    shown = get_joint_positions(armature)
    assert shown["elbow"] == pytest.approx(-0.7, abs=1e-6)
    assert shown["shoulder_pitch"] != pytest.approx(-0.4, abs=1e-3)
    # A lock that is set while the target is there holds from then on.
    lock(armature, "shoulder_roll")
    before = get_joint_positions(armature)["shoulder_roll"]
    target.location.y += 0.01
    bpy.context.view_layer.update()
    baked = bake_ik(armature, target, frame_range=(1, 2))
    assert not {"elbow", "shoulder_roll"} & baked.positions.keys()
    assert get_joint_positions(armature)["shoulder_roll"] == before


def test_joints_that_are_named_are_fewer_but_no_locked_ones():
    armature = import_robot(ROOT / "sample_urdfs/humanoid_arm.urdf", options=BARE).armature
    lock(armature, "elbow")
    options = RigIKOptions(group=("shoulder_pitch", "elbow"))
    goal = forward_kinematics(extract_robot(armature), {"shoulder_pitch": -0.4})["tool0"]
    found = solve_ik(armature, "tool0", goal, options=options)
    assert found.success
    assert found.positions == {"shoulder_pitch": pytest.approx(-0.4, abs=1e-5)}
    lock(armature, "shoulder_pitch")
    set_joint_positions(armature, {"shoulder_pitch": 0.0})
    found = solve_ik(armature, "tool0", goal, options=options)
    assert (found.success, found.positions) == (False, {})
    assert "no joint that may move" in found.message
