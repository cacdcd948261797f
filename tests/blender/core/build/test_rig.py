# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the scene: bones, locks, properties, physics; and what is left behind."""

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from support.blender.rigs import build, new_scene
from support.strategies import robots
from urdf_importer import (
    BuildError,
    KinematicsError,
    RobotError,
    get_joint_positions,
    link_pose,
    set_joint_positions,
)
from urdf_importer.core.blender.build.build import build_rig
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.meshes import RobotFiles
from urdf_importer.core.model import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Extra,
    Inertia,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mesh,
    Pose,
    Robot,
    Sphere,
    Visual,
)
from urdf_importer.core.options import ImportOptions
from urdf_importer.core.rig.plan import plan_rig

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
RED = Material(name="red", color=(1.0, 0.0, 0.0, 1.0))


@pytest.fixture(autouse=True)
def scene():
    new_scene()


def arm(**base):
    base.setdefault("visuals", (Visual(geometry=Box(size=(0.2, 0.2, 0.1)), material=RED),))
    hand = Link(
        name="hand",
        inertial=Inertial(
            origin=Pose(xyz=(0.1, 0.0, 0.0), rpy=(0.0, 0.0, np.pi / 2)),
            mass=2.5,
            inertia=Inertia(ixx=1.0, ixy=0.25, iyy=2.0, izz=3.0),
        ),
        visuals=(
            Visual(geometry=Cylinder(radius=0.1, length=0.4)),
            Visual(geometry=Sphere(radius=0.1)),
        ),
        collisions=(Collision(geometry=Capsule(radius=0.1, length=0.3), name="bumper"),),
        extras=(Extra(tag="gazebo", xml="<gazebo>x</gazebo>"),),
    )
    joint = Joint(
        name="wrist", type="revolute", parent="base", child="hand", axis=Y,
        origin=Pose(xyz=(0.0, 0.0, 0.5)), limit=Limit(lower=-1.0, upper=1.5, effort=7.0),
    )  # fmt: skip
    return Robot(name="arm", links=(Link(name="base", **base), hand), joints=(joint,))


def counts():
    kinds = ("objects", "meshes", "armatures", "collections", "materials", "actions", "texts")
    return {kind: len(getattr(bpy.data, kind)) for kind in kinds}


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(robots())
def test_every_exact_bone_has_x_on_its_axis(robot):
    new_scene()
    plan, rig = build(robot, ImportOptions(visuals=False, collisions=False))
    rests = {link.link.name: link.rest for link in plan.links}
    bones = rig.armature.data.bones
    for joint in plan.joints:
        bone = bones[joint.channels[0].bone]
        matrix = np.array(bone.matrix_local)
        child = rests[joint.joint.child]
        assert matrix[:3, 3] == pytest.approx(child[:3, 3], abs=1e-6 * (1 + plan.size))
        if joint.kind in ("revolute", "prismatic"):
            axis = np.array(joint.joint.axis or X)
            axis = child[:3, :3] @ axis / np.linalg.norm(axis)
            index = joint.channels[0].index
            within = 1e-5 if ">" in bone.name else 1e-5 if bone.length >= 0.05 else 2e-5
            assert joint.sign * matrix[:3, index] == pytest.approx(axis, abs=within)
            assert index == 0 or ">" in bone.name


def test_scene_collections_are_there_and_the_right_ones_hidden():
    _, rig = build(arm())
    children = {child["urdf_part"]: child for child in rig.collection.children}
    assert list(children) == ["Rig", "Links", "Visuals", "Collisions", "Inertials"]
    assert {child.name for child in children.values()} == {
        f"arm {part.lower()}" for part in children
    }
    hidden = [part for part, child in children.items() if child.hide_viewport]
    assert hidden == ["Collisions", "Inertials"]
    assert len(children["Visuals"].objects) == 3 and len(children["Collisions"].objects) == 1
    assert list(children["Rig"].objects) == [rig.armature] and not rig.collection.objects
    assert bpy.context.view_layer.objects.active == rig.armature


def test_the_armature_turns_as_blenders_objects_do():
    """By XYZ angles: quaternions, which importers often leave, take four curves."""
    _, rig = build(arm())
    assert rig.armature.rotation_mode == "XYZ"


def test_links_are_empties_on_bones_and_shapes_hang_under_them():
    _, rig = build(arm())
    base, hand = rig.links["base"], rig.links["hand"]
    assert base.type == hand.type == "EMPTY"
    assert (base.parent, base.parent_type) == (rig.armature, "OBJECT")
    assert (hand.parent, hand.parent_type, hand.parent_bone) == (rig.armature, "BONE", "wrist")
    for shape in (*rig.visuals["hand"], *rig.collisions["hand"], rig.inertials["hand"]):
        assert shape.parent == hand
    assert rig.collisions["hand"][0].display_type == "WIRE"
    assert rig.collisions["hand"][0].name == "bumper"


def test_only_the_joint_itself_can_be_moved():
    _, rig = build(arm())
    bone = rig.armature.pose.bones["wrist"]
    assert bone.rotation_mode == "XYZ"
    assert list(bone.lock_rotation) == [False, True, True] and all(bone.lock_location)
    assert all(bone.lock_scale)
    assert (bone.lock_ik_x, bone.lock_ik_y, bone.lock_ik_z) == (False, True, True)
    assert bone.use_ik_limit_x and (bone.ik_min_x, bone.ik_max_x) == (-1.0, 1.5)


def test_limits_also_stop_the_transform_tools():
    _, rig = build(arm())
    (limit,) = rig.armature.pose.bones["wrist"].constraints
    assert limit.type == "LIMIT_ROTATION" and limit.owner_space == "LOCAL"
    assert limit.use_transform_limit and (limit.min_x, limit.max_x) == (-1.0, 1.5)


def test_bone_collections():
    joints = [
        Joint(name="glued", type="fixed", parent="a", child="b", origin=Pose(xyz=(0, 0, 0.1))),
        Joint(name="yaw", type="continuous", parent="b", child="c", axis=Z),
        Joint(name="roll", type="continuous", parent="c", child="d", axis=X),
    ]
    _, rig = build(Robot(name="r", links=tuple(Link(name=n) for n in "abcd"), joints=tuple(joints)))
    shown = {c.name: c.is_visible for c in rig.armature.data.collections}
    assert shown == {"Joints": True, "Fixed": False, "Mechanism": False}
    members = {c.name: [b.name for b in c.bones] for c in rig.armature.data.collections}
    assert members == {"Joints": ["yaw>roll"], "Fixed": ["glued"], "Mechanism": ["MCH-yaw"]}


def test_drivers_are_simple_expressions():
    joints = [
        Joint(name="yaw", type="continuous", parent="a", child="b", axis=Z),
        Joint(name="roll", type="continuous", parent="b", child="c", axis=X),
    ]
    _, rig = build(Robot(name="r", links=tuple(Link(name=n) for n in "abc"), joints=tuple(joints)))
    drivers = rig.armature.animation_data.drivers
    assert len(drivers) == 1
    assert all(curve.driver.is_simple_expression and curve.driver.is_valid for curve in drivers)


def test_physics_stands_on_the_link():
    _, rig = build(arm())
    hand = rig.links["hand"]
    assert hand["urdf_mass"] == 2.5
    assert list(hand["urdf_center_of_mass"]) == [0.1, 0.0, 0.0]
    tensor = np.array(hand["urdf_inertia"]).reshape(3, 3)
    assert tensor == pytest.approx(
        np.array([[2.0, -0.25, 0], [-0.25, 1.0, 0], [0, 0, 3.0]]), abs=1e-9
    )
    frame = rig.inertials["hand"]
    assert tuple(frame.location) == pytest.approx((0.1, 0.0, 0.0))
    assert "base" not in rig.inertials and "urdf_mass" not in rig.links["base"]


def test_description_is_kept_in_properties():
    _, rig = build(arm())
    assert rig.armature["urdf_schema"] == 1
    robot = rig.armature["urdf_robot"].to_dict()
    assert robot["name"] == "arm" and robot["links"] == ["base", "hand"]
    assert robot["joints"] == ["wrist"]
    hand = rig.links["hand"]["urdf_link"].to_dict()
    assert hand["name"] == "hand" and hand["inertial"]["inertia"]["ixy"] == 0.25
    assert dict(hand["extras"][0]) == {"tag": "gazebo", "xml": "<gazebo>x</gazebo>"}
    joint = rig.links["hand"]["urdf_joint"].to_dict()
    assert joint["limit"] == {"lower": -1.0, "upper": 1.5, "effort": 7.0}
    shape = rig.collisions["hand"][0]["urdf_shape"].to_dict()
    assert shape["geometry"] == {"type": "capsule", "radius": 0.1, "length": 0.3}
    (entry,) = rig.armature.data.bones["wrist"]["urdf_joints"]
    entry = entry.to_dict()
    assert entry["properties"] == ["rotation_euler"] and entry["indices"][:] == [0]
    assert (entry["name"], entry["sign"], entry["lower"], entry["upper"]) == ("wrist", 1, -1.0, 1.5)


@pytest.mark.parametrize("option", ["visuals", "collisions", "inertials"])
def test_what_is_not_wanted_is_not_built(option):
    _, rig = build(arm(), ImportOptions(**{option: False}))
    assert getattr(rig, option) == {}
    assert rig.links["hand"]["urdf_link"]["visuals"]


def test_equal_shapes_share_a_mesh_but_visuals_and_collisions_do_not():
    box = Box(size=(1.0, 1.0, 1.0))
    robot = Robot(
        name="boxes",
        links=(
            Link(
                name="a",
                visuals=(Visual(geometry=box), Visual(geometry=box, material=RED)),
                collisions=(Collision(geometry=box),),
            ),
        ),
    )
    _, rig = build(robot)
    first, second = rig.visuals["a"]
    assert first.data == second.data != rig.collisions["a"][0].data
    assert first.material_slots[0].material is None
    assert second.material_slots[0].material.name == "red"


def test_colours_are_converted_from_srgb():
    gray = Material(name="gray", color=(0.5, 0.5, 0.5, 0.25))
    _, rig = build(arm(visuals=(Visual(geometry=Sphere(radius=1.0), material=gray),)))
    shader = rig.visuals["base"][0].material_slots[0].material.node_tree.nodes["Principled BSDF"]
    assert shader.inputs["Base Color"].default_value[0] == pytest.approx(0.2140, abs=1e-4)
    assert shader.inputs["Alpha"].default_value == 0.25


@pytest.mark.parametrize(
    ("geometry", "size"),
    [
        (Box(size=(1.0, 2.0, 3.0)), (1, 2, 3)),
        (Cylinder(radius=0.5, length=2.0), (1, 1, 2)),
        (Sphere(radius=0.5), (1, 1, 1)),
        (Capsule(radius=0.5, length=2.0), (1, 1, 3)),
    ],
)
def test_primitives_have_their_size_and_valid_meshes(geometry, size):
    _, rig = build(arm(visuals=(Visual(geometry=geometry),)))
    (shape,) = rig.visuals["base"]
    bpy.context.view_layer.update()
    assert tuple(shape.dimensions) == pytest.approx(size, rel=1e-5)
    assert not shape.data.validate()


def test_broken_mesh_leaves_an_empty_in_its_place_and_a_warning(tmp_path):
    (tmp_path / "a.stl").write_bytes(b"")
    diagnostics = Diagnostics()
    files = RobotFiles(PackageResolver(tmp_path / "robot.urdf"), diagnostics)
    visual = Visual(geometry=Mesh(filename="a.stl"), origin=Pose(xyz=(1.0, 0.0, 0.0)), line=12)
    robot = Robot(name="r", links=(Link(name="base", visuals=(visual, visual)),))
    _, rig = build(robot, files=files, diagnostics=diagnostics)
    (item,) = diagnostics
    assert (item.code, item.line, item.subject) == ("unreadable-mesh", 12, "base")
    placeholder = rig.visuals["base"][0]
    assert placeholder.type == "EMPTY" and tuple(placeholder.location) == (1.0, 0.0, 0.0)
    assert placeholder["urdf_shape"]["geometry"]["filename"] == "a.stl"


@pytest.mark.parametrize("end", ["exception", "close"])
@pytest.mark.parametrize("after", [1, 2, 3, 4])
def test_failed_or_cancelled_build_leaves_nothing_behind(end, after):
    cube = bpy.data.objects.new("mine", bpy.data.meshes.new("mine"))
    bpy.context.scene.collection.objects.link(cube)
    bpy.context.view_layer.objects.active = cube
    cube.select_set(True)
    before = counts()
    steps = build_rig(plan_rig(arm()), ImportOptions(), ExplodingLate())
    if end == "close":
        for _ in range(after):
            next(steps)
        steps.close()
    else:
        with pytest.raises(ZeroDivisionError):
            for _ in steps:
                pass
    assert counts() == before
    assert bpy.context.view_layer.objects.active == cube and cube.select_get()


class ExplodingLate(RobotFiles):
    def __init__(self):
        super().__init__(PackageResolver(""), Diagnostics())

    def load(self, shape, link):
        if isinstance(shape.geometry, Sphere):
            raise ZeroDivisionError
        return super().load(shape, link)


def test_several_robots_do_not_interfere():
    _, first = build(arm())
    _, second = build(arm())
    set_joint_positions(first.armature, {"wrist": 1.0})
    assert get_joint_positions(second.armature) == {"wrist": 0.0}
    assert link_pose(second.armature, "hand")[:3, :3] == pytest.approx(np.eye(3), abs=1e-6)
    assert (
        second.links["hand"].name != "hand" and second.links["hand"]["urdf_link"]["name"] == "hand"
    )


def test_rig_works_after_saving_and_opening_again(tmp_path):
    _, rig = build(arm())
    set_joint_positions(rig.armature, {"wrist": 0.5})
    frame = link_pose(rig.armature, "hand")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "arm.blend"))
    new_scene()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "arm.blend"))
    armature = bpy.data.objects["arm"]
    assert get_joint_positions(armature)["wrist"] == pytest.approx(0.5, abs=1e-6)
    assert link_pose(armature, "hand") == pytest.approx(frame, abs=1e-6)
    set_joint_positions(armature, {"wrist": -0.25})
    assert get_joint_positions(armature)["wrist"] == pytest.approx(-0.25, abs=1e-6)


def test_wrong_positions_move_nothing():
    _, rig = build(arm())
    for positions in ({"wrist": 0.5, "ghost": 1.0}, {"wrist": (1.0, 2.0)}, {"wrist": float("nan")}):
        with pytest.raises(KinematicsError):
            set_joint_positions(rig.armature, positions)
    assert get_joint_positions(rig.armature) == {"wrist": 0.0}
    with pytest.raises(KinematicsError, match="no link 'ghost'"):
        link_pose(rig.armature, "ghost")


def test_other_objects_are_no_robots():
    empty = bpy.data.objects.new("empty", None)
    with pytest.raises(BuildError, match="'empty' is not an imported robot"):
        set_joint_positions(empty, {})
    assert issubclass(BuildError, RobotError)


def test_robot_of_one_link_has_no_bones():
    _, rig = build(Robot(name="stone", links=(Link(name="stone"),)))
    assert len(rig.armature.data.bones) == 0
    assert get_joint_positions(rig.armature) == {}
    assert link_pose(rig.armature, "stone") == pytest.approx(np.eye(4))


def test_rigid_bodies_share_the_mass_and_follow_the_rig():
    link = Link(
        name="base",
        inertial=Inertial(mass=3.0, inertia=Inertia(ixx=1, iyy=1, izz=1)),
        collisions=(
            Collision(geometry=Box(size=(1.0, 1.0, 1.0))),
            Collision(geometry=Box(size=(1.0, 1.0, 2.0))),
        ),
    )
    _, rig = build(Robot(name="r", links=(link,)), ImportOptions(rigid_bodies=True))
    bodies = [shape.rigid_body for shape in rig.collisions["base"]]
    assert [body.mass for body in bodies] == pytest.approx([1.0, 2.0])
    assert all(body.kinematic and body.collision_shape == "BOX" for body in bodies)


def test_rigid_bodies_without_collisions_are_none():
    _, rig = build(arm(), ImportOptions(rigid_bodies=True, collisions=False))
    assert rig.collisions == {}


NAMES = [
    'quo"te', "brack[et]", "back\\slash", "new\nline", "\u202eright to left", "dots.and/slashes",
    '"]; import os; os.system("true") #', "__import__('os')", "日本語" * 30, " blanks ", ".001",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_are_harmless_wherever_they_come_from(name):
    """In data paths, driver expressions, object and bone names."""
    links = tuple(Link(name=f"{name}{i}") for i in range(5))
    joints = tuple(
        Joint(name=f"{name}{i}", type="continuous", parent=links[i].name, child=links[i + 1].name,
              axis=(Z, X, X, X)[i], origin=Pose(xyz=(0.0, 0.1 * (i > 1), 0.0)))
        for i in range(4)
    )  # fmt: skip
    robot = Robot(name=name, links=links, joints=joints)
    _, rig = build(robot)
    positions = {joint.name: 0.2 for joint in joints}
    set_joint_positions(rig.armature, positions)
    read = get_joint_positions(rig.armature)
    assert read == pytest.approx(positions)
    assert all(curve.driver.is_valid for curve in rig.armature.animation_data.drivers)
    assert link_pose(rig.armature, links[-1].name).shape == (4, 4)
    assert len(rig.armature.data.bones) == 4  # first two combined, and the bone between
