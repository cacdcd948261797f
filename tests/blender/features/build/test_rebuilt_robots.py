# SPDX-License-Identifier: GPL-3.0-or-later
"""Public robots taken apart into loose meshes and rebuilt step by step; Pinocchio, MuJoCo and,
where $CHECK_URDF names it, the check_urdf of ROS are the judges."""

import os
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import bpy
import mathutils
import mujoco
import numpy as np
import pytest

from support.blender.rigs import new_scene
from support.pinocchio_truth import Truth
from support.real_robots import ROOT
from urdf_importer import (
    Limit,
    delete_robot,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    make_link,
    new_robot,
    read_robot,
    set_joint_positions,
    write_urdf,
)
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.tree import retrace_tree

ROBOTS = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "so_arm_description/urdf/so101.urdf",
    "go2_description/urdf/go2.urdf",
    "solo_description/robots/solo12.urdf",
    "kinova_description/robots/kinova.urdf",
    "double_pendulum_description/urdf/double_pendulum.urdf",
    "iris_description/robots/iris_simple.urdf",
    "finger_edu_description/robots/finger_edu.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "anymal_b_simple_description/robots/anymal.urdf",
    "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
)
CHECK_URDF = os.environ.get("CHECK_URDF", "")
EXACT = 1e-12
"""Places that are computed from the positions shown are kept to the last digits; link_pose, which
reads Blender's matrices, gives them in single precision: about 1e-7 of the robot's size a step."""
PRESENT = [each for each in ROBOTS if (ROOT / each).is_file()]


def take_apart(path: Path) -> tuple[Any, dict[str, list[Any]]]:
    """The description, and its visuals as loose objects of the scene, by links."""
    new_scene()
    made = import_robot(path)
    bpy.context.view_layer.update()
    loose: dict[str, list[Any]] = {}
    for link, items in made.visuals.items():
        for item in items:
            if item.type == "MESH" and len(item.data.polygons):
                copy = bpy.data.objects.new(f"{link}.part", item.data.copy())
                bpy.context.scene.collection.objects.link(copy)
                copy.matrix_world = item.matrix_world.copy()
                loose.setdefault(link, []).append(copy)
    delete_robot(made.armature)
    return made.robot, loose


def rebuild(robot: Any, loose: dict[str, list[Any]]) -> Any:
    """The robot, made link by link in poses that change from step to step."""
    tree = retrace_tree(robot)
    root = tree.links[0].name
    armature = new_robot(loose.get(root, ()), name=robot.name, link=root).armature
    chance = random.Random(1)
    posed: dict[str, float] = {}
    for place, motion in enumerate(tree.motions):
        if motion is None:
            continue
        joint = motion.joint
        shown = forward_kinematics(robot, get_joint_positions(armature))
        frame = shown[joint.parent] @ matrix_from_pose(joint.origin)
        items = loose.get(tree.links[place].name, [])
        for item in items:  # To where the link is in this pose.
            zero = forward_kinematics(robot, {})[joint.child]
            moved = frame @ np.linalg.inv(zero) @ np.array(item.matrix_world)
            item.matrix_world = mathutils.Matrix(moved.tolist())
        limit = Limit(lower=-3.0, upper=3.0, effort=1.0, velocity=1.0)
        kind = joint.type if joint.type in ("revolute", "continuous", "prismatic") else "fixed"
        has_axis = kind != "fixed" and joint.axis is not None
        axis = {"axis": frame[:3, :3] @ joint.axis} if has_axis else {}
        bounds = {"limit": limit} if kind in ("revolute", "prismatic") else {}
        make_link(
            armature, items, name=joint.child, parent=joint.parent, joint=joint.name,
            place=frame, type=kind, **axis, **bounds,
        )  # fmt: skip
        if kind != "fixed":
            posed[joint.name] = chance.uniform(-0.5, 0.5) * (0.1 if kind == "prismatic" else 1.0)
            set_joint_positions(armature, posed)
            bpy.context.view_layer.update()
    return armature


def test_there_are_ten_robots() -> None:
    assert len(PRESENT) >= 10, PRESENT


@pytest.mark.parametrize("name", PRESENT)
def test_rebuilt_robots_are_the_robots(name: str, tmp_path: Path) -> None:
    robot, loose = take_apart(ROOT / name)
    armature = rebuild(robot, loose)
    written = write_urdf(armature, tmp_path / "made.urdf").path
    made = read_robot(written)
    assert {each.name for each in made.links} == {each.name for each in robot.links}
    if CHECK_URDF:
        done = subprocess.run(
            [CHECK_URDF, str(written)], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Successfully Parsed XML" in done.stdout
    judge = Truth.of_file(written)
    chance = random.Random(2)
    moving = [each.name for each in made.joints if each.type in ("revolute", "prismatic")]
    followed = {each.name for each in robot.joints if each.mimic is not None}
    for _ in range(3):  # The steps make no followers: such robots are compared at zero.
        pose = {} if followed else {each: chance.uniform(-0.5, 0.5) for each in moving}
        wanted = forward_kinematics(robot, pose)
        for link, frame in judge.frames(pose).items():
            np.testing.assert_allclose(frame, wanted[link], rtol=0.0, atol=EXACT)
    model = mujoco.MjModel.from_xml_string(without_meshes(written.read_text()))
    assert model.njnt == len([each for each in made.joints if each.type != "fixed"])
    for items in loose.values():
        for item in items:
            assert item.parent is not None


def without_meshes(text: str) -> str:
    """MuJoCo is asked about joints here: it refuses meshes of more than 200,000 faces."""
    bare = re.sub(r"<visual\b.*?</visual>", "", text, flags=re.DOTALL)
    tensor = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    mass = f'<inertial><mass value="1"/>{tensor}</inertial>'
    bare = re.sub(r'<link name="([^"]*)"/>', rf'<link name="\1">{mass}</link>', bare)
    bare = re.sub(r'<link name="([^"]*)">\s*</link>', rf'<link name="\1">{mass}</link>', bare)
    compiler = '<mujoco><compiler fusestatic="false" balanceinertia="true"/></mujoco>'
    return bare.replace("</robot>", f"{compiler}</robot>")
