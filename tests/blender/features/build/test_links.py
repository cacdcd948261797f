# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots made of objects: places, poses, keys and meshes stay, axes come from selections."""

import math
from pathlib import Path
from typing import Any

import bpy
import mathutils
import numpy as np
import pytest

from support.blender.rigs import new_scene
from urdf_importer import (
    CollisionOptions,
    FittedAxis,
    Mimic,
    RobotError,
    edit_joint,
    extract_robot,
    fit_axis,
    fit_collisions,
    forward_kinematics,
    get_joint_positions,
    link_pose,
    make_link,
    new_robot,
    read_robot,
    remove_link,
    set_joint_positions,
    split_object,
    update_robot,
    write_urdf,
)
from urdf_importer.core import reshape
from urdf_importer.core.blender.standing.joints import read_joints
from urdf_importer.core.blender.standing.keys import curves_of, insert_key
from urdf_importer.core.blender.standing.robot_table import recall_table
from urdf_importer.core.blender.standing.selection import select_link_visuals
from urdf_importer.core.pipeline.extracting import find_reshaped
from urdf_importer.features.build.blender.links import mirror_link
from urdf_importer.features.build.blender.missing import list_shown_missing


def make_box(name: str, place: Any, size: float = 0.2) -> Any:
    bpy.ops.mesh.primitive_cube_add(size=size, location=place)
    bpy.context.object.name = name
    return bpy.context.object


def make_tube(name: str, place: Any, turn: Any = (0.0, 0.0, 0.0), vertices: int = 24) -> Any:
    bpy.ops.mesh.primitive_cylinder_add(
        radius=0.03, depth=0.3, vertices=vertices, location=place, rotation=turn
    )
    bpy.context.object.name = name
    return bpy.context.object


def select_parts(item: Any, kind: str, *numbers: int) -> None:
    """Selects parts of a mesh as edit mode leaves them."""
    mesh = item.data
    for parts in (mesh.polygons, mesh.edges, mesh.vertices):
        parts.foreach_set("select", np.zeros(len(parts), bool))
    for number in numbers:
        part = getattr(mesh, kind)[number]
        part.select = True
        for vertex in getattr(part, "vertices", ()):
            mesh.vertices[vertex].select = True


def world_of(item: Any) -> Any:
    bpy.context.view_layer.update()
    return np.array(item.matrix_world)


@pytest.fixture
def arm() -> Any:
    """A base and an upper arm that is posed and keyed, on an armature that is moved and turned."""
    new_scene()
    made = new_robot([make_box("base", (0.0, 0.0, 0.1))], name="arm")
    armature = made.armature
    upper = make_box("upper", (0.5, 0.0, 0.3))
    make_link(armature, upper, place=(0.25, 0.0, 0.3), axis=(0, 1, 0))
    turn = mathutils.Matrix.Rotation(0.7, 4, (0.2, 0.3, 1.0))
    armature.matrix_world = mathutils.Matrix.Translation((1.0, 2.0, 3.0)) @ turn
    bpy.context.view_layer.update()
    set_joint_positions(armature, {"base_to_upper": 0.5})
    bone = armature.pose.bones[0]
    channel = read_joints(bone.bone)[0].channels[0]
    insert_key(bone, channel.prop, channel.index)
    bpy.context.view_layer.update()
    return armature


def test_a_robot_of_one_object() -> None:
    new_scene()
    box = make_box("base", (0.4, 0.0, 0.1))
    child = bpy.data.objects.new("child", None)
    bpy.context.scene.collection.objects.link(child)
    child.parent, mesh, before = box, box.data, world_of(box)
    made = new_robot(box, name="cart")
    assert [each.name for each in made.robot.links] == ["base"] and made.robot.name == "cart"
    assert (made.links["base"].name, box.name) == ("base", "base_visual")
    assert box.parent == made.links["base"] and box.data == mesh and child.parent == box
    np.testing.assert_array_equal(world_of(box), before)
    np.testing.assert_array_equal(np.array(made.armature.matrix_world), np.eye(4))


def test_new_links_stand_where_their_objects_do(arm: Any, tmp_path: Path) -> None:
    item = make_tube("fore.001", (2.0, 2.5, 3.0), (0.3, 0.4, 0.5))
    item.scale = (1.0, -1.0, 2.0)
    before, frames = world_of(item), {name: link_pose(arm, name) for name in ("base", "upper")}
    positions, keys = get_joint_positions(arm), len(curves_of(arm.animation_data.action))
    result = make_link(arm, item, parent="upper", joint="elbow", axis="x")
    np.testing.assert_allclose(world_of(item), before, atol=1e-5)
    for name, frame in frames.items():
        np.testing.assert_allclose(link_pose(arm, name), frame, atol=1e-6)
    assert get_joint_positions(arm) == positions | {"elbow": 0.0}
    assert len(curves_of(arm.animation_data.action)) == keys
    joint = result.robot.joints[-1]
    assert (joint.child, joint.origin.rpy, joint.axis) == ("fore", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    write_urdf(arm, tmp_path / "arm.urdf")
    robot = read_robot(tmp_path / "arm.urdf")
    shown = forward_kinematics(robot, get_joint_positions(arm))
    for name in ("upper", "fore"):
        np.testing.assert_allclose(link_pose(arm, name), shown[name], atol=2e-6)


def test_places_and_axes_are_in_the_world(arm: Any) -> None:
    item = make_tube("fore", (2.0, 2.5, 3.0), (0.3, 0.4, 0.5))
    select_parts(item, "polygons", 3)
    axis = fit_axis(item)
    assert axis.kind == "cylinder" and axis.count == 24
    make_link(arm, item, parent="upper", place=axis)
    world = np.array(arm.matrix_world) @ link_pose(arm, "fore")
    np.testing.assert_allclose(world[:3, 3], axis.point, atol=3e-6)
    joint = find_reshaped(arm).joints[-1]
    assert joint.axis is not None
    turned = world[:3, :3] @ joint.axis
    assert np.linalg.norm(np.cross(turned, axis.direction)) < 1e-5
    empty = next(each for each in arm.children if each.name == "fore")
    assert empty["urdf_axis_from"].startswith("cylinder of 24, radius 30 mm")
    # It stays through updates, and a typed axis has none.
    edit_joint(arm, "base_to_upper", type="continuous")
    assert "urdf_axis_from" in empty
    edit_joint(arm, "upper_to_fore", axis=(0, 0, 1))
    assert "urdf_axis_from" not in empty
    frame = np.array(mathutils.Matrix.Rotation(0.4, 4, "X"))
    frame[:3, 3] = (1.5, 2.5, 3.5)
    make_link(arm, name="frame", parent="upper", place=frame, type="fixed")
    shown = np.array(arm.matrix_world) @ link_pose(arm, "frame")
    np.testing.assert_allclose(shown, frame, atol=2e-6)


def test_an_edited_joint_leaves_objects_at_their_places(arm: Any) -> None:
    set_joint_positions(arm, {"base_to_upper": 0.0})
    arm.animation_data_clear()
    item = make_box("hand", (2.0, 2.0, 3.5))
    make_link(arm, item, parent="upper", place=(2.0, 2.1, 3.5))
    upper = bpy.data.objects["upper_visual"]
    before = world_of(item), world_of(upper)
    edit_joint(arm, "base_to_upper", place=(1.1, 2.2, 3.3), axis=(1, 1, 0))
    np.testing.assert_allclose(world_of(upper), before[1], atol=1e-5)
    np.testing.assert_allclose(world_of(item), before[0], atol=1e-5)
    place = np.array(arm.matrix_world) @ link_pose(arm, "upper")
    np.testing.assert_allclose(place[:3, 3], (1.1, 2.2, 3.3), atol=3e-6)
    edit_joint(arm, "base_to_upper", place=(1.1, 2.2, 4.3), keep="frame")
    np.testing.assert_allclose(world_of(upper)[2, 3], before[1][2, 3] + 1.0, atol=1e-5)
    edit_joint(arm, "upper_to_hand", parent="base", mimic=Mimic(joint="base_to_upper"))
    robot = find_reshaped(arm)
    assert robot.joints[1].parent == "base" and robot.joints[1].mimic is not None
    np.testing.assert_allclose(world_of(item)[2, 3], before[0][2, 3] + 1.0, atol=1e-5)


@pytest.mark.parametrize("objects", ["free", "parent", "delete"])
def test_removed_links(arm: Any, objects: Any) -> None:
    item = make_box("hand", (2.0, 2.0, 3.5))
    make_link(arm, item, parent="upper")
    world = world_of(item)
    result = remove_link(arm, "hand", objects=objects)
    assert [each.name for each in result.robot.links] == ["base", "upper"]
    assert "hand" not in bpy.data.objects
    if objects == "delete":
        assert "hand_visual" not in bpy.data.objects
        return
    upper = next(each for each in arm.children if each.name == "upper")
    assert item.parent == (upper if objects == "parent" else None)
    np.testing.assert_allclose(world_of(item), world, atol=1e-5)
    assert [each.code for each in result.diagnostics] == (
        ["moved-attachment"] if objects == "parent" else []
    )


def test_impossible_steps_change_nothing(arm: Any) -> None:
    lamp = bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", "POINT"))
    empty = bpy.data.objects.new("bare", bpy.data.meshes.new("bare"))
    box = make_box("box", (0, 0, 0))
    for item in (lamp, empty):
        bpy.context.scene.collection.objects.link(item)
    other = new_robot(make_box("cart", (5, 5, 5))).armature
    names = list(bpy.data.objects.keys())
    before = extract_robot(arm)
    upper = next(each for each in arm.children if each.name == "upper")
    for sentence, make in (
        ("'lamp' has no faces", lambda: make_link(arm, lamp, parent="upper")),
        ("'bare' has no faces", lambda: make_link(arm, empty, parent="upper")),
        ("belongs to robot 'robot' already", lambda: make_link(arm, other.children[0].children)),
        ("belongs to robot 'arm' already", lambda: new_robot(upper)),
        ("did you mean 'upper'", lambda: make_link(arm, box, parent="uppre")),
        ("a link 'upper' already", lambda: make_link(arm, box, name="upper", parent="base")),
        ("name the parent", lambda: make_link(arm, box)),
        ("length above zero", lambda: make_link(arm, box, parent="base", axis=(0, 0, 0))),
        ("axis is 'w'", lambda: make_link(arm, box, parent="base", axis="w")),
        ("place is", lambda: make_link(arm, box, parent="base", place=(0, math.nan, 0))),
        ("not flat", lambda: make_link(arm, box, parent="base", place=np.zeros((4, 4)))),
        ("type is 'hinge'", lambda: make_link(arm, box, parent="base", type="hinge")),
        ("itself or below itself", lambda: edit_joint(arm, "base_to_upper", parent="upper")),
        ("no joint 'x'", lambda: edit_joint(arm, "x", type="fixed")),
        ("no link 'x'", lambda: edit_joint(arm, "base_to_upper", parent="x", place=(0, 0, 0))),
        ("nothing would be left", lambda: remove_link(arm, "base")),
        ("objects is 'all'", lambda: remove_link(arm, "upper", objects="all")),  # type: ignore[arg-type]
    ):
        with pytest.raises(RobotError) as caught:
            make()
        assert sentence in str(caught.value)
    assert list(bpy.data.objects.keys()) == names
    assert extract_robot(arm) == before and box.parent is None


# fit_axis


def test_selections_mean_axes() -> None:
    new_scene()
    tube = make_tube("tube", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    world = world_of(tube)
    select_parts(tube, "polygons")
    assert fit_axis(tube).kind == "object"
    mesh = tube.data
    caps = [face.index for face in mesh.polygons if len(face.vertices) > 4]
    walls = [face.index for face in mesh.polygons if len(face.vertices) == 4]
    z = world[:3, 2] * np.sign(world[:3, 2][np.abs(world[:3, 2]).argmax()])
    for numbers, wanted in (
        (caps[:1], "face"),
        (walls, "cylinder"),
        (walls[:3], "cylinder"),
        (walls[5:6], "cylinder"),
    ):
        select_parts(tube, "polygons", *numbers)
        found = fit_axis(tube)
        assert found.kind == wanted
        np.testing.assert_allclose(found.direction, z, atol=1e-5)
    cap = set(mesh.polygons[caps[0]].vertices)
    ring = [edge.index for edge in mesh.edges if set(edge.vertices) <= cap]
    select_parts(tube, "edges", *ring)
    found = fit_axis(tube)
    assert (found.kind, found.count) == ("circle", 24)
    assert found.radius == pytest.approx(0.03, abs=1e-6)
    upright = next(edge.index for edge in mesh.edges if edge.index not in ring and edge.vertices)
    select_parts(tube, "edges", upright)
    assert fit_axis(tube).kind == "edge"
    assert fit_axis(tube, source="cursor") == FittedAxis(
        kind="cursor", point=(0.0, 0.0, 0.0), direction=(0.0, 0.0, 1.0)
    )
    select_parts(tube, "vertices", 0, 1)
    assert fit_axis(tube).kind == "vertices"
    for source, sentence in (("face", "select at least one face"), ("edge", "select an edge")):
        with pytest.raises(RobotError, match=sentence):
            fit_axis(tube, source=source)  # type: ignore[arg-type]


@pytest.mark.parametrize("segments", [6, 8, 16, 64])
def test_holes_that_a_boolean_cuts(segments: int) -> None:
    new_scene()
    plate = make_box("plate", (0.3, 0.1, 0.2), size=0.4)
    plate.scale = (1.0, 1.0, 0.1)
    plate.rotation_euler = (0.2, 0.3, 0.4)
    bpy.context.view_layer.update()
    frame = plate.matrix_world.copy()
    drill = make_tube("drill", (0, 0, 0), vertices=segments)
    place = mathutils.Matrix.Translation(frame @ mathutils.Vector((0.05, 0.04, 0.0)))
    drill.matrix_world = place @ frame.to_3x3().normalized().to_4x4()
    cut = plate.modifiers.new("cut", "BOOLEAN")
    cut.operation, cut.object, cut.solver = "DIFFERENCE", drill, "EXACT"
    bpy.context.view_layer.update()
    shown = plate.evaluated_get(bpy.context.evaluated_depsgraph_get())
    holed = bpy.data.meshes.new_from_object(shown)
    plate.modifiers.clear()
    plate.data = holed
    center = np.array(drill.matrix_world)[:3, 3]
    direction = np.array(drill.matrix_world)[:3, 2]
    middles = {face.index: np.array(face.center)[:2] - (0.05, 0.04) for face in holed.polygons}
    across = [face.index for face in holed.polygons if abs(face.normal[2]) < 0.1]
    walls = [face for face in across if np.linalg.norm(middles[face]) < 0.031]
    assert len(walls) >= segments
    for start in walls[:: max(len(walls) // 3, 1)]:
        select_parts(plate, "polygons", start)
        found = fit_axis(plate)
        assert found.kind == "cylinder"
        between = np.array(found.point) - center
        assert np.linalg.norm(between - (between @ direction) * direction) < 1e-5
        assert np.linalg.norm(np.cross(found.direction, direction)) < 1e-4
    top = next(face.index for face in holed.polygons if abs(face.normal[2]) > 0.9)
    select_parts(plate, "polygons", top)
    assert fit_axis(plate).kind == "face"


# split_object


def test_loose_parts_become_objects() -> None:
    new_scene()
    one = make_box("a", (3, 0, 0))
    make_box("b", (4, 0, 0))
    group = one.vertex_groups.new(name="group")
    group.add([0, 1], 1.0, "REPLACE")
    one.data.materials.append(bpy.data.materials.new("paint"))
    one.select_set(True)
    bpy.context.view_layer.objects.active = one
    bpy.ops.object.join()
    child = bpy.data.objects.new("child", None)
    bpy.context.scene.collection.objects.link(child)
    child.parent = one
    place = world_of(child)
    parts = split_object(one)
    assert len(parts) == 2 and parts[0] == one
    assert sorted(round(world_of(each)[0, 3], 5) for each in parts) == [3.0, 4.0]
    np.testing.assert_allclose(world_of(child), place, atol=1e-6)
    for each in parts:
        assert "paint" in [each.name for each in each.data.materials if each is not None]
        assert "group" in each.vertex_groups and len(each.data.polygons) == 6
    select_parts(one, "polygons", 0, 1)
    assert [len(each.data.polygons) for each in split_object(one, by="selection")] == [4, 2]
    for sentence, by in (("is one part", "material"), ("not all", "selection")):
        select_parts(parts[1], "polygons")
        with pytest.raises(RobotError, match=sentence):
            split_object(parts[1], by=by)  # type: ignore[arg-type]


def test_faces_between_selected_ones_are_not_split_off(arm: Any) -> None:
    """The sides of a cube have all its vertices; whatever parts edit mode selected last."""
    bpy.context.tool_settings.mesh_select_mode = (True, False, False)
    ring = make_box("ring", (5, 0, 0))
    flat = [each.index for each in ring.data.polygons if abs(each.normal.z) < 0.5]
    select_parts(ring, "polygons", *flat)
    parts = split_object(ring, by="selection")
    assert [len(each.data.polygons) for each in parts] == [2, 4]
    assert tuple(bpy.context.tool_settings.mesh_select_mode) == (True, False, False)


def test_objects_get_their_numbers_back_to_the_last_digit(arm: Any) -> None:
    turn, place = (0.1, 0.2, 0.3), (1.1, 2.2, -0.7)
    item = make_tube("fore", place, turn)
    before = [tuple(item.location), tuple(item.rotation_euler), tuple(item.scale)]
    make_link(arm, item, parent="upper", name="lower")
    remove_link(arm, "lower")
    assert item.parent is None and item.matrix_parent_inverse == mathutils.Matrix()
    assert [tuple(item.location), tuple(item.rotation_euler), tuple(item.scale)] == before


# The list of what is missing, and thirty links


def test_objects_count_as_visuals(arm: Any) -> None:
    codes = {(each.code, each.subject) for each in list_shown_missing(arm)}
    assert ("missing-visual", "upper") not in codes and ("missing-mass", "upper") in codes
    make_link(arm, name="bare", parent="upper")
    assert ("missing-visual", "bare") in {(e.code, e.subject) for e in list_shown_missing(arm)}


def test_collision_shapes_stay_hidden_behind_objects(arm: Any) -> None:
    """The description has no visuals: the objects are what is seen, also when shapes are fitted
    twice."""
    for shape in ("box", "hull"):
        fitted = fit_collisions(arm, options=CollisionOptions(shape=shape))
        made = update_robot(arm, robot=fitted.robot)
        shapes = [item for items in made.collisions.values() for item in items]
        assert shapes and all(item.hide_render and item.display_type == "WIRE" for item in shapes)
        for home in {home for item in shapes for home in item.users_collection}:
            assert home.hide_viewport and home.hide_render


def test_mirrored_limbs_of_objects(arm: Any) -> None:
    robot = reshape.mirror_limb(find_reshaped(arm), "upper")
    update_robot(arm, robot=robot)
    assert "upper_mirrored" in {each.name for each in arm.children}


def test_an_axis_in_the_world_holds_under_another_parent(arm: Any) -> None:
    """The hand hangs on the turned upper arm, then on the base: the axis is the typed one."""
    make_link(arm, make_box("hand", (1.0, 2.0, 3.5)), parent="upper", axis=(0, 0, 1))
    set_joint_positions(arm, {"base_to_upper": 0.0})
    edit_joint(arm, "base_to_upper", place=turned_frame(arm))
    axis = np.array((0.36, 0.48, 0.8))
    edit_joint(arm, "upper_to_hand", parent="base", axis=axis)
    joint = next(each for each in extract_robot(arm).joints if each.name == "upper_to_hand")
    shown = np.array(arm.matrix_world)[:3, :3] @ link_pose(arm, "hand")[:3, :3] @ joint.axis
    assert joint.parent == "base"
    assert shown == pytest.approx(axis, abs=2e-6)


def turned_frame(arm: Any) -> Any:
    """The frame of the upper arm in the world, turned by a quarter about x."""
    frame = np.array(arm.matrix_world) @ link_pose(arm, "upper")
    frame[:3, :3] = frame[:3, :3] @ np.array(mathutils.Matrix.Rotation(math.pi / 2, 3, "X"))
    return frame


def test_a_mirrored_limb_takes_objects_below_objects_along(arm: Any) -> None:
    upper = bpy.data.objects["upper_visual"]
    bolt = make_box("bolt", (0.0, 0.0, 0.0), 0.02)
    bolt.parent, bolt.location = upper, (0.1, 0.2, 0.3)
    _, copies = mirror_link(arm, "upper")
    (copy,) = (each for each in bpy.data.objects if each.name == "bolt_mirrored")
    assert copies == 2 and copy.data == bolt.data and copy.parent.name == "upper_visual_mirrored"
    set_joint_positions(arm, {"base_to_upper": 0.0})
    into = np.linalg.inv(np.array(arm.matrix_world))
    here, there = ((into @ world_of(each))[:3, 3] for each in (bolt, copy))
    assert there == pytest.approx(here * (1, -1, 1), abs=2e-6)


def test_split_meshes_keep_their_shape_keys_in_place() -> None:
    new_scene()
    item = make_box("part", (0.0, 0.0, 0.0))
    other = make_box("other", (2.0, 1.0, 0.0))
    with bpy.context.temp_override(active_object=item, selected_editable_objects=[item, other]):
        bpy.ops.object.join()
    item.shape_key_add(name="Basis")
    item.shape_key_add(name="grown").data[0].co.x -= 0.5
    before = sorted(corner for each in [item] for corner in shown_corners(each))
    parts = split_object(item)
    after = sorted(corner for each in parts for corner in shown_corners(each))
    assert len(parts) == 2 and np.array(after) == pytest.approx(np.array(before), abs=1e-5)


def shown_corners(item: Any) -> list[Any]:
    """The vertices in the world as they are shown, rounded so that they sort."""
    bpy.context.view_layer.update()
    shown = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [[round(x, 4) for x in item.matrix_world @ each.co] for each in shown.data.vertices]


def test_one_part_that_is_not_split_shares_its_mesh_still() -> None:
    new_scene()
    item = make_box("part", (0.0, 0.0, 0.0))
    other = item.copy()
    with pytest.raises(RobotError, match="'part' is one part"):
        split_object(item)
    assert item.data == other.data and len(bpy.data.meshes) == 1


def test_objects_count_among_the_triangles_of_the_robot_at_once(arm: Any) -> None:
    assert recall_table(arm).triangles == 24
    lamp = make_box("lamp", (0.0, 0.0, 3.0))
    make_link(arm, lamp, parent="upper")
    assert recall_table(arm).triangles == 36
    aside = make_box("aside", (0.0, 0.0, 4.0))
    aside.parent = arm
    bpy.context.view_layer.update()
    assert recall_table(arm).triangles == 36
    select_link_visuals(arm, "lamp")
    assert bpy.context.selected_objects == [lamp]
