# SPDX-License-Identifier: GPL-3.0-or-later
"""A standing rig takes over what functions of reshape make of its robot; the animator's work
stays."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

import urdf_importer
from support.blender.rigs import new_scene
from support.blender.snapshots import describe_scene, list_data
from support.paths import ROOT
from support.real_robots import ROOT as ROBOTS
from urdf_importer import (
    BuildError,
    KinematicsError,
    extract_robot,
    forward_kinematics,
    get_joint_positions,
    link_pose,
    plan_rig,
    update_robot,
)
from urdf_importer.core import reshape
from urdf_importer.core.blender.build import build
from urdf_importer.core.geometry.primitives import make_box
from urdf_importer.core.geometry.triangles import make_triangles
from urdf_importer.core.meshes.write import write_stl
from urdf_importer.core.model import Mesh
from urdf_importer.core.pipeline.extracting import find_reshaped
from urdf_importer.core.pipeline.updating import compare_with_robot

HUMANOID = ROOT / "sample_urdfs" / "humanoid_arm.urdf"


class Animated:
    """A rig with keyframes, an action that nothing plays, a driver, a constraint and an attached
    object."""

    def __init__(self, file: Path) -> None:
        new_scene()
        self.rig = urdf_importer.import_robot(file)
        self.armature: Any = self.rig.armature
        self.robot = self.rig.robot
        self.joint = next(j.name for j in self.robot.joints if j.type == "revolute")
        self.bone = self.rig.bones[self.joint]
        pose_bone = self.armature.pose.bones[self.bone]
        self.channel = pose_bone.bone["urdf_joints"][0]["indices"][0]
        pose_bone["mine"] = 3.0
        self.shelved = self._key(0.1)
        self.action = self._key(0.25)
        self.camera = bpy.data.objects.new("camera", None)
        bpy.context.scene.collection.objects.link(self.camera)
        copied = self.camera.constraints.new("COPY_ROTATION")
        copied.target, copied.subtarget = self.armature, self.bone
        driven = self.camera.driver_add("location", 0).driver
        variable = driven.variables.new()
        variable.targets[0].id = self.armature
        variable.targets[0].data_path = self.path()
        driven.expression = variable.name
        driven.type = "SCRIPTED"
        self.camera.update_tag()
        bpy.context.view_layer.update()
        self.attached = bpy.data.objects.new("attached", None)
        bpy.context.scene.collection.objects.link(self.attached)
        self.attached.parent = self.armature
        self.attached.parent_type, self.attached.parent_bone = "BONE", self.bone

    def path(self) -> str:
        return f'pose.bones["{self.bone}"].rotation_euler[{self.channel}]'

    def _key(self, value: float) -> Any:
        self.armature.animation_data_clear()
        bone = self.armature.pose.bones[self.bone]
        for frame, number in ((1, 0.0), (11, value)):
            bone.rotation_euler[self.channel] = number
            bone.keyframe_insert("rotation_euler", index=self.channel, frame=frame)
        action = self.armature.animation_data.action
        action.use_fake_user = True
        return action

    def paths(self, action: Any) -> set[str]:
        if hasattr(action, "layers"):
            bags = (bag for layer in action.layers for s in layer.strips for bag in s.channelbags)
            return {curve.data_path for bag in bags for curve in bag.fcurves}
        return {curve.data_path for curve in action.fcurves}

    def assert_at_work(self, joint: str) -> None:
        """All of it says the same of the joint under its name of today."""
        bone = next(
            bone
            for bone in self.armature.data.bones
            if any(each["name"] == joint for each in bone.get("urdf_joints", ()))
        )
        assert self.armature.pose.bones[bone.name]["mine"] == 3.0
        wanted = {f'pose.bones["{bone.name}"].rotation_euler'}
        assert self.paths(self.action) == self.paths(self.shelved) == wanted
        assert self.camera.constraints[0].subtarget == bone.name
        target = self.camera.animation_data.drivers[0].driver.variables[0].targets[0]
        assert target.data_path == f'pose.bones["{bone.name}"].rotation_euler[{self.channel}]'
        assert self.attached.parent_bone == bone.name
        bpy.context.scene.frame_set(11)
        assert abs(get_joint_positions(self.armature)[joint]) == pytest.approx(0.25, abs=1e-6)
        assert abs(self.camera.location.x) == pytest.approx(0.25, abs=1e-6)

    def assert_is(self, robot: Any) -> None:
        assert extract_robot(self.armature) == robot
        positions = get_joint_positions(self.armature)
        for link, frame in forward_kinematics(robot, positions).items():
            reach = 1.0 + np.abs(frame[:3, 3]).max()
            np.testing.assert_allclose(link_pose(self.armature, link), frame, atol=4e-6 * reach)


@pytest.fixture
def arm() -> Animated:
    return Animated(HUMANOID)


def test_renamed_joints_and_links_keep_their_animation(arm: Animated) -> None:
    names = {joint.name: f"{joint.name}_new" for joint in arm.robot.joints}
    names |= {link.name: f"big_{link.name}" for link in arm.robot.links}
    robot = reshape.rename(arm.robot, names)
    foreseen = compare_with_robot(arm.armature, robot, names)
    assert f"joint '{arm.joint}': name '{arm.joint}' -> '{arm.joint}_new'" in map(str, foreseen)
    result = update_robot(arm.armature, robot=robot, names=names)
    assert result.changes == foreseen
    assert result.armature == arm.armature and not result.diagnostics
    arm.assert_at_work(f"{arm.joint}_new")
    arm.assert_is(robot)
    assert {empty.name for empty in result.links.values()} == {link.name for link in robot.links}
    assert compare_with_robot(arm.armature, robot) == ()


def test_names_that_change_places(arm: Animated) -> None:
    first, second = [j.name for j in arm.robot.joints if j.type == "revolute"][:2]
    names = {first: second, second: first}
    robot = reshape.rename(arm.robot, names)
    update_robot(arm.armature, robot=robot, names=names)
    arm.assert_at_work(second)
    arm.assert_is(robot)


def test_there_and_back_is_the_rig_that_was(arm: Animated) -> None:
    robot = reshape.rename(arm.robot, prefix="left_")
    names = {part.name: f"left_{part.name}" for part in (*arm.robot.links, *arm.robot.joints)}
    update_robot(arm.armature, robot=robot, names=names)
    update_robot(arm.armature, robot=arm.robot, names={new: old for old, new in names.items()})
    arm.assert_at_work(arm.joint)
    arm.assert_is(arm.robot)


@pytest.mark.parametrize(
    "how", ["scale", "strip", "merge_fixed", "reroot", "attach", "axes", "prune"]
)
def test_animation_stays_under_every_function(how: str, arm: Animated) -> None:
    robot = arm.robot
    leaf = robot.joints[-1]
    changed = {
        "scale": lambda: reshape.resize(robot, scale=0.5),
        "strip": lambda: reshape.strip(robot, ["inertials", "collisions"]),
        "merge_fixed": lambda: reshape.merge_fixed(robot),
        "reroot": lambda: reshape.reroot(robot, robot.links[1].name),
        "attach": lambda: reshape.attach(robot, robot, leaf.child, prefix="second_"),
        "axes": lambda: reshape.convert_axes(robot, "zxy"),
        "prune": lambda: reshape.prune(robot, remove=[leaf.child]),
    }[how]()
    update_robot(arm.armature, robot=changed)
    arm.assert_is(changed)
    arm.assert_at_work(arm.joint)


def test_materials_and_edited_bones_stay(arm: Animated) -> None:
    visual = next(v for shapes in arm.rig.visuals.values() for v in shapes if v.material_slots)
    painted = bpy.data.materials.new("mine")
    visual.material_slots[0].material = painted
    bpy.context.view_layer.objects.active = arm.armature
    bpy.ops.object.mode_set(mode="EDIT")
    last = arm.rig.bones[[j.name for j in arm.robot.joints if j.type == "revolute"][-1]]
    edit = arm.armature.data.edit_bones[last]
    edit.head.z += 0.05
    edit.tail.z += 0.05
    bpy.ops.object.mode_set(mode="OBJECT")
    robot = find_reshaped(arm.armature)
    assert robot != arm.robot
    stripped = reshape.strip(robot, ["inertials"])
    update_robot(arm.armature, robot=stripped)
    arm.assert_is(stripped)
    assert visual.material_slots[0].material == painted


EDITED = """<robot name="r"><link name="base"/>
  <link name="plate"><visual><geometry><box size="1 2 3"/></geometry></visual>
    <visual><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="0.5"/></geometry></visual>
    <collision><geometry><mesh filename="m.stl" scale="1 2 1"/></geometry></collision></link>
  <joint name="fixed" type="fixed"><origin xyz="0 0 1"/><parent link="base"/><child link="plate"/>
  </joint></robot>"""


def test_meshes_that_were_edited_follow_what_happens_to_their_shapes(tmp_path: Path) -> None:
    new_scene()
    (tmp_path / "m.stl").write_bytes(write_stl(make_triangles(make_box((0.1, 0.1, 0.3)))[0]))
    (tmp_path / "r.urdf").write_text(EDITED)
    rig = urdf_importer.import_robot(tmp_path / "r.urdf")
    shapes = [*rig.visuals["plate"], *rig.collisions["plate"]]
    for shape in shapes:
        shape.data.vertices[0].co = (0.7, 0.8, 0.9)
    wanted = [[tuple(v.co) for v in shape.data.vertices] for shape in shapes]
    factors = {"plate": (2.0, 2.0, 0.5)}
    robot = reshape.resize(find_reshaped(rig.armature), factors=factors)
    update_robot(rig.armature, robot=robot)
    for shape, points in zip(shapes, wanted, strict=True):
        found = np.array([tuple(v.co) for v in shape.data.vertices])
        np.testing.assert_allclose(found, np.array(points) * factors["plate"], rtol=1e-6)
    # The link goes, its shapes are those of the one that it hung on; and it is written so.
    robot = reshape.merge_fixed(find_reshaped(rig.armature))
    result = update_robot(rig.armature, robot=robot)
    merged = [*result.visuals["base"], *result.collisions["base"]]
    for shape, points in zip(merged, wanted, strict=True):
        found = np.array([tuple(v.co) for v in shape.data.vertices])
        np.testing.assert_allclose(found, np.array(points) * factors["plate"], rtol=1e-6)
    written = urdf_importer.write_urdf(rig.armature, tmp_path / "out.urdf")
    assert len(written.files) == 4
    (link,) = written.robot.links
    assert all(isinstance(each.geometry, Mesh) for each in (*link.visuals, *link.collisions))


def test_what_is_not_a_tree_changes_nothing(arm: Animated) -> None:
    before = extract_robot(arm.armature)
    with pytest.raises(KinematicsError):
        update_robot(arm.armature, robot=replace(arm.robot, links=(), joints=()))
    arm.assert_is(before)
    assert arm.camera.constraints[0].subtarget == arm.bone


def test_a_failure_while_building_gives_the_bones_their_names_back(
    arm: Animated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a bone of the user, which had to make room for a new name."""
    first, second = [j.name for j in arm.robot.joints if j.type == "revolute"][:2]
    names = {first: second, second: first}
    names |= {j.name: f"new_{j.name}" for j in arm.robot.joints if j.name not in names}
    robot = reshape.rename(arm.robot, names)
    bones = plan_rig(robot).bones
    wanted = next(bone.name for bone in bones if bone.name not in arm.armature.data.bones)
    bpy.context.view_layer.objects.active = arm.armature
    bpy.ops.object.mode_set(mode="EDIT")
    arm.armature.data.edit_bones.new(wanted).tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    arm.camera.constraints.new("COPY_ROTATION").target = arm.armature
    arm.camera.constraints[-1].subtarget = wanted
    target = arm.camera.animation_data.drivers[0].driver.variables[0].targets[0]
    shown, listed = describe_scene(), list_data()
    paths = arm.paths(arm.action), arm.paths(arm.shelved), target.data_path

    def fail(*arguments: object) -> None:
        raise BuildError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(build, "build_drivers", fail)
        with pytest.raises(BuildError, match="no room"):
            update_robot(arm.armature, robot=robot, names=names)
    assert describe_scene() == shown and list_data() == listed
    assert (arm.paths(arm.action), arm.paths(arm.shelved), target.data_path) == paths
    assert [each.subtarget for each in arm.camera.constraints] == [arm.bone, wanted]
    assert arm.attached.parent_bone == arm.bone
    arm.assert_is(arm.robot)
    update_robot(arm.armature, robot=robot, names=names)
    assert arm.camera.constraints[-1].subtarget == f"{wanted}.user"
    arm.assert_at_work(names[arm.joint])
    arm.assert_is(robot)


def test_a_big_robot_made_small() -> None:
    """PR2 pruned, stripped and made shorter on the rig, in steps as a user would take them."""
    new_scene()
    rig = urdf_importer.import_robot(ROBOTS / "pr2_description" / "urdf" / "pr2.urdf")
    robot = reshape.strip(find_reshaped(rig.armature), ["gazebo", "transmission"])
    robot = reshape.prune(robot, remove=["head_pan_link", "laser_tilt_mount_link"])
    update_robot(rig.armature, robot=robot)
    robot = reshape.resize(
        find_reshaped(rig.armature),
        origins={"torso_lift_joint": (0.0, 0.0, 0.832)},
        lengths={"l_elbow_flex_joint": 0.176},
        symmetric=True,
    )
    update_robot(rig.armature, robot=robot)
    assert extract_robot(rig.armature) == robot
    origins = {joint.name: joint.origin.xyz for joint in robot.joints}
    assert origins["r_elbow_flex_joint"] == origins["l_elbow_flex_joint"] == (0.176, 0.0, 0.0)
