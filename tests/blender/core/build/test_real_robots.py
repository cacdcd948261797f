# SPDX-License-Identifier: GPL-3.0-or-later
"""Every robot of example-robot-data, with its meshes, in Blender, held against Pinocchio.

One test in the usual run, all in the slow one.
"""

import bpy
import numpy as np
import pytest

from support.blender.rigs import assert_frames, new_scene, shown_frames
from support.pinocchio_truth import Truth
from support.real_robots import descriptions, name_of
from urdf_importer import (
    Diagnostics,
    ReadError,
    forward_kinematics,
    import_robot,
    link_pose,
    plan_rig,
    set_joint_positions,
)
from urdf_importer.core.blender.extract.fingerprints import fingerprint_content
from urdf_importer.core.blender.standing import properties
from urdf_importer.core.kinematics.forward import complete_positions
from urdf_importer.core.kinematics.tree import plan_tree

METRES = RADIANS = 1e-5
USUAL = {"panda", "talos_full_v2", "icub", "xarm7", "g1_29dof_rev_1_0", "tiago"}

cases = [
    pytest.param(path, id=name_of(path), marks=[] if path.stem in USUAL else pytest.mark.slow)
    for path in descriptions()
]


@pytest.fixture(autouse=True)
def scene():
    new_scene()


@pytest.mark.parametrize("path", cases)
def test_robot_stands_as_pinocchio_says_also_when_opened_again(path, tmp_path):
    try:
        result = import_robot(path)
    except ReadError as error:
        assert path.stem == "ur3" and "no links" in str(error)
        return
    truth = Truth.of_file(path)
    assert_bones_on_axes(result)
    assert_masses(result, truth)
    for mesh in bpy.data.meshes:
        if properties.CONTENT in mesh:  # As it is found when the user has edited nothing.
            assert mesh[properties.CONTENT] == fingerprint_content(mesh)
    configurations = choose_configurations(result.robot, 6)
    for positions in configurations:
        assert_stands(result, truth, positions)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "robot.blend"))
    names = {link: empty.name for link, empty in result.links.items()}
    armature_name = result.armature.name
    new_scene()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "robot.blend"))
    set_joint_positions(bpy.data.objects[armature_name], configurations[-2])
    shown = shown_frames({link: bpy.data.objects[name] for link, name in names.items()})
    assert_frames_known(shown, truth, result.robot, configurations[-2])
    link = result.robot.links[-1].name
    pose = link_pose(bpy.data.objects[armature_name], link)
    assert pose == pytest.approx(shown[link], abs=1e-6)


def choose_configurations(robot, count):
    """Zero, or the valid positions next to it, and random ones within limits."""
    generator = np.random.default_rng(1)
    motions = [
        m for m in plan_tree(robot, Diagnostics()).joint_motions if m.is_scalar and not m.mimic
    ]
    chosen = [{m.joint.name: m.nearest_valid(0.0) for m in motions}]
    for _ in range(count - 1):
        chosen.append(
            {
                m.joint.name: float(
                    generator.uniform(
                        max(-7.0, m.lower if m.lower is not None else -7.0),
                        min(7.0, m.upper if m.upper is not None else 7.0),
                    )
                )
                for m in motions
            }
        )
    return chosen


def assert_stands(result, truth, positions):
    set_joint_positions(result.armature, positions)
    assert_frames_known(shown_frames(result.links), truth, result.robot, positions)


def assert_frames_known(shown, truth, robot, positions):
    """All links against our own forward kinematics, and those that Pinocchio knows against its."""
    everything = complete_positions(plan_tree(robot, Diagnostics()).joint_motions, positions)
    wanted = truth.frames(everything)
    assert len(wanted) >= len(robot.links)
    known = {name: frame for name, frame in shown.items() if name in wanted}
    assert_frames(known, {name: wanted[name] for name in known}, metres=METRES, radians=RADIANS)
    ours = forward_kinematics(robot, positions)
    assert_frames(shown, ours, metres=METRES, radians=RADIANS)


def assert_bones_on_axes(result):
    plan = plan_rig(result.robot)
    rests = {link.link.name: link.rest for link in plan.links}
    for joint in plan.joints:
        if joint.kind not in ("revolute", "prismatic"):
            continue
        bone = result.armature.data.bones[result.bones[joint.joint.name]]
        axis = np.array(joint.joint.axis or (1.0, 0.0, 0.0))
        axis = rests[joint.joint.child][:3, :3] @ axis / np.linalg.norm(axis)
        index = joint.channels[0].index
        made = joint.sign * np.array(bone.matrix_local)[:3, index]
        if ">" not in bone.name:
            assert index == 0 and joint.sign == 1
        within = 5e-6 if ">" in bone.name else 1e-6 if bone.length >= 0.05 else 2e-5
        assert made == pytest.approx(axis, abs=within), bone.name


def assert_masses(result, truth):
    """Each link's mass, centre of mass and tensor, where Pinocchio takes them as they are."""
    total = sum(empty.get("urdf_mass", 0.0) for empty in result.links.values())
    root = result.robot.links[0]
    known = truth.body_inertias()
    for link, (mass, center, tensor) in known.items():
        empty = result.links.get(link)
        if empty is None or link == root.name:
            continue
        assert empty["urdf_mass"] == pytest.approx(mass)
        assert list(empty["urdf_center_of_mass"]) == pytest.approx(center, abs=1e-9)
        made = np.array(empty["urdf_inertia"]).reshape(3, 3)
        assert made == pytest.approx(tensor, abs=1e-9 + 1e-6 * abs(tensor).max())
    assert total == pytest.approx(truth.total_mass() + root_mass(result, truth), rel=1e-6)


def root_mass(result, truth):
    """Pinocchio leaves out what is fixed to the world."""
    heavy = {joint.child for joint in result.robot.joints if joint.type != "fixed"}
    fixed = {joint.child: joint.parent for joint in result.robot.joints if joint.type == "fixed"}
    left_out = 0.0
    for name, empty in result.links.items():
        top = name
        while top in fixed:
            top = fixed[top]
        if top not in heavy:
            left_out += empty.get("urdf_mass", 0.0)
    return left_out
