# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator changed in Blender is written, nothing else: docs/how-to/urdf.md by row."""

import math
from pathlib import Path
from typing import Any

import bpy
import mathutils
import numpy as np
import pytest

import urdf_importer
from support.blender.rigs import new_scene
from support.real_robots import ROOT as ROBOTS
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    Robot,
    UrdfOptions,
    compare_with_description,
    extract_robot,
    forward_kinematics,
    link_pose,
    read_robot,
    set_joint_positions,
    write_urdf,
)
from urdf_importer.core.blender.modes import edit_bones_of
from urdf_importer.core.blender.standing import properties
from urdf_importer.core.blender.standing.armatures import armatures_of
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.geometry.primitives import make_box
from urdf_importer.core.geometry.triangles import make_triangles
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.meshes import load_mesh
from urdf_importer.core.meshes.write import write_stl
from urdf_importer.core.model import Box, Mesh
from urdf_importer_morse.split.split import split_armature

ARM = """<?xml version="1.0"?>
<!-- An arm, as a person would write it. -->
<robot name="arm">
  <material name="blue"><color rgba="0 0 0.8 1"/></material>
  <link name="base">
    <visual><geometry><box size="0.2 0.2 0.1"/></geometry><material name="blue"/></visual>
    <visual><origin xyz="0 0 0.06"/><geometry><box size="0.1 0.1 0.02"/></geometry><material name="blue"/></visual>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.15"/><mass value="2"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.001"/></inertial>
    <visual name="shell"><origin xyz="0 0 0.15"/><geometry><mesh filename="upper.stl"/></geometry></visual>
    <collision><geometry><mesh filename="upper.stl" scale="1 2 1"/></geometry></collision>
  </link>
  <link name="fore"><visual><geometry><cylinder radius="0.03" length="0.2"/></geometry></visual></link>
  <link name="hand"><visual><geometry><sphere radius="0.04"/></geometry></visual></link>
  <link name="finger"/>
  <link name="thumb"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.05"/> <!-- the table's height -->
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="10" velocity="1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <origin xyz="0 0 0.3" rpy="0 0 0.5"/><parent link="upper"/><child link="fore"/><axis xyz="0 -1 0"/>
    <limit lower="-0.5" upper="2" effort="10" velocity="1"/>
  </joint>
  <joint name="wrist" type="fixed"><origin xyz="0 0 0.2"/><parent link="fore"/><child link="hand"/></joint>
  <joint name="grip" type="prismatic">
    <origin xyz="0.02 0 0.03"/><parent link="hand"/><child link="finger"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.04" effort="5" velocity="0.1"/>
  </joint>
  <joint name="follow" type="prismatic">
    <origin xyz="-0.02 0 0.03"/><parent link="hand"/><child link="thumb"/><axis xyz="-1 0 0"/>
    <limit lower="0" upper="0.08" effort="5" velocity="0.1"/><mimic joint="grip" multiplier="2"/>
  </joint>
</robot>
"""  # noqa: E501


class Arm:
    """The arm in a new scene, imported from a folder of its own."""

    def __init__(self, folder: Path, **options: Any) -> None:
        new_scene()
        self.folder = folder
        self.file = folder / "arm.urdf"
        self.file.write_text(ARM)
        (folder / "upper.stl").write_bytes(write_stl(make_triangles(make_box((0.1, 0.1, 0.3)))[0]))
        self.rig = urdf_importer.import_robot(self.file, options=ImportOptions(**options))
        self.armature: Any = self.rig.armature

    def changes(self) -> list[str]:
        return [str(change) for change in compare_with_description(self.armature)]

    def write(self, name: str = "out.urdf", **options: Any) -> Robot:
        """Writes beside the source, so that no path changes, and reads what was written."""
        self.diagnostics = Diagnostics()
        self.result = write_urdf(
            self.armature,
            self.folder / name,
            options=UrdfOptions(**options),
            diagnostics=self.diagnostics,
        )
        found = read_robot(self.result.path)
        assert found == self.result.robot
        return found

    def codes(self) -> list[str]:
        return [item.code for item in self.diagnostics]

    def visual(self, link: str, index: int = 0) -> Any:
        return self.rig.visuals[link][index]

    def move_bone(self, name: str, head: tuple[float, ...], turn: float = 0.0) -> None:
        """Moves an edit bone, head and tail, and turns it about the armature's z."""
        bpy.context.view_layer.objects.active = self.armature
        bpy.ops.object.mode_set(mode="EDIT")
        bone = self.armature.data.edit_bones[name]
        shift = mathutils.Matrix.Translation(head)
        about = mathutils.Matrix.Translation(bone.head) @ mathutils.Matrix.Rotation(turn, 4, "Z")
        bone.matrix = shift @ about @ mathutils.Matrix.Translation(-bone.head) @ bone.matrix
        bpy.ops.object.mode_set(mode="OBJECT")


@pytest.fixture
def arm(tmp_path: Path) -> Arm:
    return Arm(tmp_path)


def assert_shown(arm: Arm, robot: Robot, positions: dict[str, float]) -> None:
    """The robot that was written stands as the rig does."""
    set_joint_positions(arm.armature, positions)
    bpy.context.view_layer.update()
    for link, frame in forward_kinematics(robot, positions).items():
        np.testing.assert_allclose(link_pose(arm.armature, link), frame, atol=3e-6)


# Nothing


def test_an_untouched_rig_is_the_source(arm: Arm) -> None:
    assert arm.changes() == []
    arm.write()
    assert arm.result.path.read_text() == ARM
    assert arm.result.changes == () and arm.codes() == []


def test_poses_and_animation_are_nothing(arm: Arm) -> None:
    set_joint_positions(arm.armature, {"shoulder": 0.7, "grip": 0.03})
    arm.armature.pose.bones["shoulder"].keyframe_insert("rotation_euler", frame=1)
    arm.armature.location = (1.0, 2.0, 3.0)
    arm.armature.rotation_mode = "XYZ"
    arm.armature.rotation_euler = (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    assert arm.changes() == []
    assert arm.write() == read_robot(arm.file)


@pytest.mark.parametrize(
    "robot",
    [
        "panda_description/urdf/panda.urdf",
        "pr2_description/urdf/pr2.urdf",
        "romeo_description/urdf/romeo.urdf",
    ],
)
def test_real_robots_have_no_edits(robot: str, tmp_path: Path) -> None:
    new_scene()
    rig = urdf_importer.import_robot(ROBOTS / robot)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "robot.blend"), compress=False)
    urdf_importer.open_blend(tmp_path / "robot.blend")
    (armature,) = urdf_importer.find_robots().values()
    diagnostics = Diagnostics()
    result = write_urdf(
        armature, tmp_path / "out.urdf", options=UrdfOptions(meshes="keep"), diagnostics=diagnostics
    )
    assert result.path.read_bytes() == (ROBOTS / robot).read_bytes()
    assert not {item.code for item in diagnostics} - {"incomplete-for-others"}
    assert extract_robot(armature, edits=True) == rig.robot


# Bones and links


def test_a_moved_limb_is_one_number(arm: Arm) -> None:
    for bone in arm.armature.data.bones.keys():  # noqa: SIM118
        if bone != "shoulder":
            arm.move_bone(bone, (0.0, 0.0, 0.05))
    assert arm.changes() == ["joint 'elbow': origin 0 0 0.3 -> 0 0 0.35"]
    lines = zip(ARM.splitlines(), _written(arm).splitlines(), strict=True)
    changed = [(old, new) for old, new in lines if old != new]
    assert changed == [
        (
            '    <origin xyz="0 0 0.3" rpy="0 0 0.5"/><parent link="upper"/><child link="fore"/>'
            '<axis xyz="0 -1 0"/>',
            '    <origin xyz="0 0 0.35" rpy="0 0 0.5"/><parent link="upper"/><child link="fore"/>'
            '<axis xyz="0 -1 0"/>',
        )
    ]


def _written(arm: Arm) -> str:
    arm.write()
    return arm.result.path.read_text()


def test_bones_below_stay_where_they_are(arm: Arm) -> None:
    arm.move_bone("shoulder", (0.1, 0.0, 0.0))
    assert arm.changes() == [
        "joint 'shoulder': origin 0 0 0.05 -> 0.1 0 0.05",
        "joint 'elbow': origin 0 0 0.3 -> -0.1 0 0.3",
    ]
    assert_shown(arm, arm.write(), {"shoulder": 0.4, "elbow": 0.3, "grip": 0.01})


def test_a_turned_bone_turns_its_joint(arm: Arm) -> None:
    arm.move_bone("elbow", (0.0, 0.0, 0.0), math.radians(30.0))
    found = {joint.name: joint for joint in arm.write().joints}
    assert found["elbow"].origin.xyz == (0.0, 0.0, 0.3)
    assert found["elbow"].origin.rpy == pytest.approx((0.0, 0.0, 0.5 + math.pi / 6.0), abs=2e-6)
    assert found["elbow"].axis == (0.0, -1.0, 0.0)
    assert found["wrist"].origin.rpy == pytest.approx((0.0, 0.0, -math.pi / 6.0), abs=2e-6)
    assert found["grip"] == read_robot(arm.file).joints[3]
    assert_shown(arm, arm.write(), {"shoulder": -0.4, "elbow": 0.7, "grip": 0.02})


def test_the_empty_of_a_fixed_leaf_moves_its_joint(arm: Arm, tmp_path: Path) -> None:
    text = ARM.replace('<joint name="grip" type="prismatic">', '<joint name="grip" type="fixed">')
    (tmp_path / "leaf").mkdir()
    leaf = Arm(tmp_path / "leaf")
    leaf.file.write_text(text)
    new_scene()
    leaf.rig = urdf_importer.import_robot(leaf.file)
    leaf.armature = leaf.rig.armature
    bpy.context.view_layer.update()
    shown = leaf.rig.links["finger"].matrix_world.copy()
    leaf.rig.links["finger"].matrix_world = shown @ mathutils.Matrix.Translation((0.0, 0.0, 0.01))
    assert leaf.changes() == ["joint 'grip': origin 0.02 0 0.03 -> 0.02 0 0.04"]


def test_the_empty_of_another_link_moves_its_shapes(arm: Arm) -> None:
    bpy.context.view_layer.update()
    empty = arm.rig.links["upper"]
    empty.matrix_world = empty.matrix_world @ mathutils.Matrix.Translation((0.0, 0.02, 0.0))
    assert arm.changes() == [
        "link 'upper': centre of mass 0 0 0.15 -> 0 0.02 0.15",
        "link 'upper': visual 'shell': origin 0 0 0.15 -> 0 0.02 0.15",
        "link 'upper': collision: origin 0 0 0 -> 0 0.02 0",
    ]


# Shapes


def test_moved_scaled_deleted_and_added_shapes(arm: Arm) -> None:
    arm.visual("base").location.x += 0.25
    arm.visual("base", 1).scale = (1.5, 1.0, 1.0)
    arm.visual("upper").scale = (1.0, 1.0, 2.0)
    bpy.data.objects.remove(arm.visual("hand"))
    added = bpy.data.objects.new("knob", arm.visual("base").data.copy())
    added.data.pop("urdf_fingerprint")
    bpy.context.scene.collection.objects.link(added)
    added.parent = arm.rig.links["fore"]
    assert arm.changes() == [
        "link 'base': visual 1: origin 0 0 0 -> 0.25 0 0",
        "link 'base': visual 2: size 0.1 0.1 0.02 -> 0.15 0.1 0.02",
        "link 'upper': visual 'shell': scale 1 1 1 -> 1 1 2",
        "link 'fore': visual 'knob' added",
        "link 'hand': visual removed",
    ]
    robot = arm.write()
    knob = robot.links[2].visuals[1]
    assert knob.geometry == Mesh(filename="meshes/visual/fore.stl")
    assert (arm.folder / "meshes/visual/fore.stl").is_file()


def load(path: Path) -> MeshData:
    return load_mesh(path, (1.0, 1.0, 1.0), lambda *_: None, lambda uri, kind: path.parent / uri)


@pytest.mark.parametrize("format", ["stl", "obj", "glb", "dae"])
def test_an_edited_mesh_is_a_file_of_its_own(format: str, arm: Arm) -> None:
    item = arm.visual("upper")
    item.data.vertices[0].co.x -= 0.05
    item.scale = (1.0, -1.0, 1.0)
    robot = arm.write(mesh_format=format)
    (shape,) = robot.links[1].visuals
    assert shape.geometry == Mesh(filename=f"meshes/visual/shell.{format}")
    (collision,) = robot.links[1].collisions
    assert collision.geometry == Mesh(filename="upper.stl", scale=(1.0, 2.0, 1.0))
    assert [file.name for file in arm.result.files if file.suffix == ".stl"] == (
        ["shell.stl"] if format == "stl" else []
    )
    found = load(arm.folder / shape.geometry.filename)
    points = np.array([vertex.co for vertex in item.data.vertices]) * (1.0, -1.0, 1.0)
    written = make_triangles(found)[0]
    diagonal = np.linalg.norm(np.ptp(points, axis=0))
    np.testing.assert_allclose(found.vertices.min(0), points.min(0), atol=1e-6 * diagonal)
    np.testing.assert_allclose(found.vertices.max(0), points.max(0), atol=1e-6 * diagonal)
    corners = written.vertices[written.corners].reshape(-1, 3, 3).astype(np.float64)
    volume = np.linalg.det(corners).sum() / 6.0
    assert len(corners) == 12 and volume > 0.0  # Mirrored, and not inside out.


@pytest.mark.parametrize("part", ["visuals", "collisions"])
def test_a_shape_added_to_a_rig_without_shapes_is_written(part: str, tmp_path: Path) -> None:
    arm = Arm(tmp_path, **{part: False})
    described = [getattr(link, part) for link in arm.rig.robot.links]
    mesh = bpy.data.meshes.new("cube")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    mesh.materials.append(bpy.data.materials.new("red"))
    added = bpy.data.objects.new("plate", mesh)
    bpy.context.scene.collection.objects.link(added)
    added.parent = arm.rig.links["upper"]
    if part == "collisions":
        added[properties.PART] = properties.COLLISIONS
    robot = arm.write()
    found = [getattr(link, part) for link in robot.links]
    upper = [link.name for link in robot.links].index("upper")
    *before, plate = found[upper]
    assert isinstance(plate.geometry, Mesh) and "upper" in plate.geometry.filename
    found[upper] = tuple(before)
    assert found == described


def test_modifiers_count(arm: Arm) -> None:
    arm.visual("upper").modifiers.new("Array", "ARRAY")
    arm.write()
    assert arm.result.robot.links[1].visuals[0].geometry != Mesh(filename="upper.stl")
    assert len(make_triangles(load(arm.folder / "meshes/visual/shell.stl"))[0].faces) == 24


def test_an_export_does_not_replace_files_of_the_robot(arm: Arm, tmp_path: Path) -> None:
    home = tmp_path / "meshes" / "visual"
    home.mkdir(parents=True)
    (tmp_path / "upper.stl").rename(home / "shell.stl")
    arm.file.write_text(ARM.replace("upper.stl", "meshes/visual/shell.stl"))
    before = (home / "shell.stl").read_bytes()
    new_scene()
    arm.rig = urdf_importer.import_robot(arm.file)
    arm.armature = arm.rig.armature
    arm.visual("upper").data.vertices[0].co.x -= 0.05
    robot = arm.write()
    assert robot.links[1].visuals[0].geometry == Mesh(filename="meshes/visual/shell_2.stl")
    assert (home / "shell.stl").read_bytes() == before
    assert arm.write() == robot


def test_a_changed_colour_changes_its_material(arm: Arm) -> None:
    shader = _shader(arm.visual("base").material_slots[0].material)
    shader.inputs["Base Color"].default_value = (1.0, 0.0, 0.0, 1.0)
    assert arm.changes() == [
        "robot: materials (name 'blue', color 0 0 0.8 1) -> (name 'blue', color 1 0 0 1)"
    ]
    lines = zip(ARM.splitlines(), _written(arm).splitlines(), strict=True)
    assert [new.strip() for old, new in lines if old != new] == [
        '<material name="blue"><color rgba="1 0 0 1"/></material>'
    ]


def test_one_of_several_gets_a_material_of_its_own(arm: Arm) -> None:
    slot = arm.visual("base").material_slots[0]
    slot.material = slot.material.copy()
    slot.material.name = "blue"
    _shader(slot.material).inputs["Base Color"].default_value = (0.0, 1.0, 0.0, 1.0)
    robot = arm.write()
    first, second = (visual.material for visual in robot.links[0].visuals)
    assert first is not None and second is not None
    assert first.color == (0.0, 1.0, 0.0, 1.0) and first.name not in ("", "blue")
    assert second.name == "blue" and second.is_reference
    assert robot.materials == read_robot(arm.file).materials


def _shader(material: Any) -> Any:
    return next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")


def test_stl_warns_of_lost_colours(arm: Arm) -> None:
    item = arm.visual("upper")
    for color in ((1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0)):
        material = bpy.data.materials.new("paint")
        if material.node_tree is None:
            material.use_nodes = True
        _shader(material).inputs["Base Color"].default_value = color
        item.data.materials.append(material)
    item.data.polygons[0].material_index = 1
    arm.write(mesh_format="stl")
    assert arm.codes() == ["color-lost"]
    arm.write()
    assert arm.codes() == []
    assert len(load(arm.folder / "meshes/visual/shell.dae").materials) == 2


# Masses, limits


def test_masses(arm: Arm) -> None:
    empty = arm.rig.links["upper"]
    empty["urdf_mass"] = 3.5
    empty["urdf_center_of_mass"] = (0.0, 0.0, 0.2)
    assert arm.changes() == [
        "link 'upper': centre of mass 0 0 0.15 -> 0 0 0.2",
        "link 'upper': mass 2 -> 3.5",
    ]
    empty["urdf_inertia"] = [0.1, 0.01, 0.0, 0.01, 0.2, 0.0, 0.0, 0.0, 0.3]
    inertial = arm.write().links[1].inertial
    assert inertial is not None and inertial.inertia is not None
    assert inertial.origin.rpy == (0.0, 0.0, 0.0)
    assert (inertial.inertia.ixx, inertial.inertia.ixy, inertial.inertia.izz) == (0.1, 0.01, 0.3)


def test_the_inertial_empty(arm: Arm) -> None:
    inertial = next(
        item for item in arm.rig.links["upper"].children if item.get("urdf_part") == "Inertials"
    )
    inertial.location.y += 0.01
    assert arm.changes() == ["link 'upper': centre of mass 0 0 0.15 -> 0 0.01 0.15"]


def test_limits_of_constraints(arm: Arm) -> None:
    bones = arm.armature.pose.bones
    elbow = next(c for c in bones["elbow"].constraints if c.type == "LIMIT_ROTATION")
    axis = next(a for a in "xyz" if getattr(elbow, f"use_limit_{a}"))
    setattr(elbow, f"max_{axis}", math.radians(90.0))
    slide = next(c for c in bones["grip"].constraints if c.type == "LIMIT_LOCATION")
    along = next(a for a in "xyz" if getattr(slide, f"use_max_{a}") and getattr(slide, f"max_{a}"))
    setattr(slide, f"max_{along}", 0.05)
    found = {joint.name: joint.limit for joint in arm.write().joints}
    elbow_limit, grip = found["elbow"], found["grip"]
    assert elbow_limit is not None and grip is not None
    assert (grip.lower, grip.upper, grip.effort) == (0.0, 0.05, 5.0)
    kept, changed = -0.5, math.pi / 2.0
    if elbow_limit.upper == 2.0:  # The bone turns the other way.
        kept, changed = 2.0, -math.pi / 2.0
    assert {elbow_limit.lower, elbow_limit.upper} == {kept, changed}
    bones["elbow"].constraints.remove(elbow)
    arm.write()


def test_limits_of_ik(arm: Arm) -> None:
    bone = arm.armature.pose.bones["shoulder"]
    axis = next(a for a in "xyz" if getattr(bone, f"use_ik_limit_{a}"))
    setattr(bone, f"ik_min_{axis}", -0.25)
    limit = next(joint.limit for joint in arm.write().joints if joint.name == "shoulder")
    assert limit is not None
    assert sorted(map(abs, (limit.lower or 0.0, limit.upper or 0.0))) == [0.25, 1.5]


# Properties


def test_properties_win_over_the_scene(arm: Arm) -> None:
    arm.move_bone("elbow", (0.0, 0.0, 0.05))
    arm.rig.links["fore"]["urdf_joint"]["origin"]["xyz"] = (0.0, 0.0, 0.4)
    arm.rig.links["fore"]["urdf_joint"]["limit"]["effort"] = 99.0
    arm.armature["urdf_robot"]["name"] = "longer"
    assert arm.changes() == [
        "robot: name 'arm' -> 'longer'",
        "joint 'elbow': origin 0 0 0.3 -> 0 0 0.4",
        "joint 'elbow': effort limit 10 -> 99",
        "joint 'wrist': origin 0 0 0.2 -> 0 0 0.15",
    ]


# Names, and what is no part of a robot


def test_renamed_bones_and_empties_are_nothing(arm: Arm) -> None:
    arm.armature.data.bones["elbow"].name = "Ellbogen"
    arm.rig.links["hand"].name = "Hand"
    arm.visual("upper").name = "Schale"
    assert arm.changes() == []
    assert arm.write() == read_robot(arm.file)
    assert arm.codes() == ["renamed-in-scene"]


def test_a_deleted_leaf_goes_with_its_joint(arm: Arm) -> None:
    bpy.data.objects.remove(arm.rig.links["thumb"])
    assert arm.changes() == ["link 'thumb' removed", "joint 'follow' removed"]


def test_a_deleted_link_in_the_middle_stays_bare(arm: Arm) -> None:
    bpy.data.objects.remove(arm.visual("fore"))
    bpy.data.objects.remove(arm.rig.links["fore"])
    arm.move_bone("elbow", (0.0, 0.0, 0.05))
    assert arm.changes() == [
        "link 'fore': visual removed",
        "joint 'elbow': origin 0 0 0.3 -> 0 0 0.35",
        "joint 'wrist': origin 0 0 0.2 -> 0 0 0.15",
    ]
    robot = arm.write()
    assert arm.codes() == ["bare-link"]
    assert len(retrace_tree(robot).links) == 6


def test_a_scaled_armature(arm: Arm) -> None:
    arm.armature.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    assert arm.write() == read_robot(arm.file)
    assert arm.codes() == ["scaled-rig"]
    robot = arm.write(apply_scale=True)
    assert arm.codes() == []
    assert robot.joints[1].origin.xyz == (0.0, 0.0, 0.6)
    assert robot.links[0].visuals[0].geometry == Box(size=(0.4, 0.4, 0.2))
    inertial = robot.links[1].inertial
    assert inertial is not None and inertial.mass == 16.0


def test_added_bones_and_empties(arm: Arm) -> None:
    bpy.context.view_layer.objects.active = arm.armature
    bpy.ops.object.mode_set(mode="EDIT")
    arm.armature.data.edit_bones.new("mine").tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    empty = bpy.data.objects.new("note", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.parent = arm.rig.links["hand"]
    assert arm.write() == read_robot(arm.file)
    assert arm.codes() == ["added-bone"]


# Options


def test_without_edits(arm: Arm) -> None:
    arm.move_bone("elbow", (0.0, 0.0, 0.05))
    arm.visual("base").location.x += 1.0
    arm.write(edits=False)
    assert arm.result.path.read_text() == ARM


def test_the_pose_becomes_the_zero(arm: Arm) -> None:
    shown = {"shoulder": 0.5, "elbow": 0.25, "grip": 0.01}
    set_joint_positions(arm.armature, shown)
    robot = arm.write(poses="start")
    limits = {joint.name: joint.limit for joint in robot.joints}
    assert limits["shoulder"] is not None and limits["shoulder"].lower == -2.0
    zero = forward_kinematics(robot)
    for link, frame in forward_kinematics(read_robot(arm.file), shown).items():
        np.testing.assert_allclose(zero[link], frame, atol=1e-12)
    moved = forward_kinematics(robot, {"elbow": 0.2, "grip": 0.02})
    there = forward_kinematics(
        read_robot(arm.file), shown | {"elbow": 0.25 + 0.2, "grip": 0.01 + 0.02}
    )
    for link, frame in there.items():
        np.testing.assert_allclose(moved[link], frame, atol=1e-12)


def test_a_session_from_the_blend_alone(arm: Arm, tmp_path: Path) -> None:
    """The page's own example, with the description gone."""
    arm.move_bone("elbow", (0.0, 0.0, 0.05))
    arm.visual("upper").data.vertices[0].co.x -= 0.05
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "arm.blend"), compress=False)
    arm.file.unlink()
    urdf_importer.open_blend(tmp_path / "arm.blend")
    armature = urdf_importer.find_robots()["arm"]
    assert [str(change) for change in compare_with_description(armature)] == [
        "link 'upper': visual 'shell': mesh file 'upper.stl' -> 'meshes/visual/shell.stl'",
        "joint 'elbow': origin 0 0 0.3 -> 0 0 0.35",
        "joint 'wrist': origin 0 0 0.2 -> 0 0 0.15",
    ]
    out = tmp_path / "out"
    out.mkdir()
    write_urdf(armature, out / "arm.urdf", options=UrdfOptions(meshes="copy"))
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*.*")) == [
        "arm.urdf",
        "meshes/collision/upper.stl",
        "meshes/visual/shell.stl",
    ]
    assert "<!-- the table's height -->" in (out / "arm.urdf").read_text()


def test_an_update_begins_anew(arm: Arm) -> None:
    """After an update the rig is what the file says: moved bones are put back."""
    arm.move_bone("elbow", (0.0, 0.0, 0.05))
    arm.file.write_text(ARM.replace('"0 0 0.05"', '"0 0 0.06"'))
    urdf_importer.update_robot(arm.armature)
    assert arm.changes() == []


# Robots of several armatures


@pytest.fixture
def split_arm(tmp_path: Path) -> Arm:
    """The arm, whose elbow and what is below have armatures of their own."""
    arm = Arm(tmp_path, profile="morse")
    split_armature(arm.armature, "lower", ["elbow"])
    bpy.context.view_layer.update()
    return arm


def move_part_bone(armature: Any, name: str, by: tuple[float, ...]) -> None:
    """Moves a bone within its own armature."""
    with edit_bones_of(armature) as edit_bones:
        edit_bones[name].head += mathutils.Vector(by)
        edit_bones[name].tail += mathutils.Vector(by)
    bpy.context.view_layer.update()


def test_a_split_alone_changes_nothing(split_arm: Arm) -> None:
    assert len(armatures_of(split_arm.armature)) > 2
    assert split_arm.changes() == []
    split_arm.write()
    assert split_arm.result.path.read_text() == ARM


def test_bones_of_parts_are_read(split_arm: Arm) -> None:
    lower = next(each for each in armatures_of(split_arm.armature) if each.name == "lower")
    move_part_bone(lower, "elbow", (0.0, 0.0, 0.05))
    robot = split_arm.write()
    assert_changed(read_robot(split_arm.file), robot, {"elbow"})
    for link, frame in forward_kinematics(robot).items():
        np.testing.assert_allclose(link_pose(split_arm.armature, link), frame, atol=3e-6)
    bounds = next(iter(lower.pose.bones["elbow"].constraints))
    axis = next(a for a in "xyz" if getattr(bounds, f"use_limit_{a}"))
    setattr(bounds, f"max_{axis}", 0.25)
    limits = {joint.name: joint.limit for joint in split_arm.write().joints}
    assert limits["elbow"] is not None and limits["elbow"].upper == 0.25


def test_a_bone_that_carries_a_part_takes_it_along(split_arm: Arm) -> None:
    (upper, *_) = armatures_of(split_arm.armature)
    move_part_bone(upper, "shoulder", (0.0, 0.0, 0.1))
    robot = split_arm.write()
    assert_changed(read_robot(split_arm.file), robot, {"shoulder"})
    assert {j.name: j.origin.xyz for j in robot.joints}["shoulder"] == (0.0, 0.0, 0.15)


def test_what_was_moved_before_a_split_stays_moved(tmp_path: Path) -> None:
    arm = Arm(tmp_path, profile="morse")
    for bone in ("elbow", "grip", "follow"):
        arm.move_bone(bone, (0.0, 0.0, 0.05))
    wanted = arm.changes()
    assert wanted
    split_armature(arm.armature, "lower", ["elbow"])
    bpy.context.view_layer.update()
    assert arm.changes() == wanted


def assert_changed(before: Robot, after: Robot, names: set[str]) -> None:
    joints = {joint.name: joint for joint in before.joints}
    assert {joint.name for joint in after.joints if joint != joints[joint.name]} == names
    assert after.links == before.links
