# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that stand away from their joints' frames: empties where they are, bones at the joints, and
out again as they were."""

from dataclasses import replace

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.blender.rigs import assert_at, build, new_scene, valid_positions
from support.paths import ROOT
from support.strategies import Wishes, chain, unseated
from urdf_importer import (
    export_robot,
    extract_robot,
    find_reshaped,
    forward_kinematics,
    import_robot,
    link_pose,
    read_robot,
    set_joint_positions,
    update_robot,
    write_urdf,
)
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.forward import joint_frames, zero_frames
from urdf_importer.core.model import Pose
from urdf_importer.core.options import ImportOptions

options = st.builds(
    ImportOptions,
    combine_joints=st.sampled_from(["never", "exact"]),
    fixed_joints=st.sampled_from(["bones", "fold"]),
)


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(unseated(Wishes(most_links=12)), options)
def test_empties_stand_at_links_and_bones_at_joints(robot_and_positions, options):
    robot, positions = robot_and_positions
    new_scene()
    plan, rig = build(robot, options)
    tree = plan.tree
    joints = joint_frames(tree, zero_frames(tree))
    for joint in plan.joints:
        if plan.bone_of_joint[joint.joint.name] == joint.joint.name:
            head = rig.armature.data.bones[joint.joint.name].head_local
            wanted = joints[tree.joint_index[joint.joint.name], :3, 3]
            assert np.array(head) == pytest.approx(wanted, abs=1e-5)
    positions = valid_positions(plan, positions)
    set_joint_positions(rig.armature, positions)
    assert_at(robot, rig, positions, metres=2e-5, radians=2e-5)
    assert extract_robot(rig.armature) == robot


def test_edits_and_text_of_a_rig(tmp_path):
    """Nothing was edited, so nothing changes; what is written stands where the rig does."""

    @settings(max_examples=8, suppress_health_check=list(HealthCheck))
    @given(unseated(Wishes(most_links=8, shapes=False, free_joints=False)))
    def check(robot_and_positions):
        robot, positions = robot_and_positions
        new_scene()
        plan, rig = build(robot)
        assert find_reshaped(rig.armature).joints == robot.joints
        written = read_robot(write_urdf(rig.armature, tmp_path / "robot.urdf").path)
        positions = valid_positions(plan, positions)
        leaves = {link.name for link in robot.links} - {joint.parent for joint in robot.joints}
        seated = forward_kinematics(written, positions)
        frames = forward_kinematics(robot, positions)
        children = {joint.child: joint.child_origin for joint in robot.joints}
        for name in leaves & children.keys():
            found = seated[name] @ matrix_from_pose(children[name])
            assert found == pytest.approx(frames[name], abs=1e-9)

    check()


def test_a_moved_bone_changes_the_origin_alone(tmp_path):
    robot = chain(3)
    away = Pose(xyz=(0.1, -0.2, 0.3), rpy=(0.5, 0.0, 1.0))
    robot = replace(
        robot, joints=tuple(replace(joint, child_origin=away) for joint in robot.joints)
    )
    new_scene()
    _, rig = build(robot, ImportOptions(combine_joints="never"))
    bpy.context.view_layer.objects.active = rig.armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.armature.data.edit_bones[robot.joints[-1].name]
    bone.head.x += 0.25
    bone.tail.x += 0.25
    bpy.ops.object.mode_set(mode="OBJECT")
    found = find_reshaped(rig.armature)
    assert found.joints[:-1] == robot.joints[:-1]
    last, before = found.joints[-1], robot.joints[-1]
    assert last.child_origin == away
    moved = forward_kinematics(found)[last.child] - forward_kinematics(robot)[before.child]
    assert moved[:3, 3] == pytest.approx((0.25, 0.0, 0.0), abs=2e-6)


def test_a_gate_of_sdf_moves_comes_out_and_is_updated(tmp_path):
    new_scene()
    result = import_robot(ROOT / "sample_urdfs" / "gate.sdf")
    assert not result.diagnostics
    set_joint_positions(result.armature, {"spin": -16.0})
    wanted = forward_kinematics(result.robot, {"spin": -16.0})
    for name, frame in wanted.items():
        assert np.array(link_pose(result.armature, name)) == pytest.approx(frame, abs=2e-5)
    head = result.armature.data.bones["swing"].head_local
    assert np.array(head) == pytest.approx((0.06, 0.0, 0.8), abs=1e-6)
    assert extract_robot(result.armature) == result.robot
    assert not update_robot(result.armature).changes
    written = export_robot(result.armature, tmp_path / "Gate.proto")
    assert written.path.read_text().count("HingeJoint {") == 2


def joint(name, x, z, parent, child):
    return (
        f'<joint name="{name}" type="revolute"><pose relative_to="__model__">{x} 0 {z} 0 0 0</pose>'
        f"<parent>{parent}</parent><child>{child}</child>"
        '<axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint>'
    )


def test_a_four_bar_of_links_away_from_their_joints_stays_closed(tmp_path):
    poses = {
        "crank": "0 0 0.1 0.2 0 0.3",
        "rocker": "1 0 0.3 0 0.4 0",
        "coupler": "0.5 0 0.5 0 0 1",
    }
    links = "".join(f'<link name="{n}"><pose>{pose}</pose></link>' for n, pose in poses.items())
    joints = (
        joint("a", 0, 0, "ground", "crank")
        + joint("b", 0, 0.4, "crank", "coupler")
        + joint("c", 1.2, 0, "ground", "rocker")
        + joint("d", 1.1, 0.7, "rocker", "coupler")
    )
    path = tmp_path / "bar.sdf"
    text = (
        f'<sdf version="1.7"><model name="bar"><link name="ground"/>{links}{joints}</model></sdf>'
    )
    path.write_text(text)
    new_scene()
    result = import_robot(path)
    (loop,) = result.robot.loops
    for angle in (0.3, 0.6, -0.4):
        set_joint_positions(result.armature, {"a": angle})
        ends = [
            np.array(link_pose(result.armature, link)) @ matrix_from_pose(origin)
            for link, origin in ((loop.link1, loop.origin1), (loop.link2, loop.origin2))
        ]
        assert ends[0][:3, 3] == pytest.approx(ends[1][:3, 3], abs=1e-5)
