# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons for whole robots, and the way from a body to its joint."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.sidebars import activate, load
from urdf_importer import (
    delete_robot,
    duplicate_robot,
    find_robots,
    get_joint_positions,
    set_joint_positions,
)
from urdf_importer.core.blender.standing.display import find_parts
from urdf_importer.core.blender.standing.placing import find_lowest, measure
from urdf_importer.core.blender.standing.selection import find_moving_joint
from urdf_importer.core.blender.standing.whole import find_leftovers

pytestmark = pytest.mark.usefixtures("extension", "scene")


def a_shape(robot: Any) -> Any:
    return find_parts(robot)["Visuals"][0].objects[-1]


def test_from_any_part_the_whole_robot() -> None:
    robot = load("quadruped_leg")
    activate(a_shape(robot))
    assert bpy.ops.urdf.select_robot() == {"FINISHED"}
    assert bpy.context.object == robot and list(bpy.context.selected_objects) == [robot]
    activate(a_shape(robot))
    bpy.ops.urdf.select_robot(parts=True)
    assert bpy.context.object == robot and a_shape(robot).select_get()
    assert not any(item.select_get() for item in find_parts(robot)["Collisions"][0].objects)


def test_duplicate_and_delete() -> None:
    robot = load("quadruped_leg")
    activate(a_shape(robot))
    bpy.ops.urdf.duplicate_robot()
    copy = bpy.context.object
    assert copy != robot and measure(copy)[0][0] > measure(robot)[1][0]
    assert not any(item.visible_get() for item in find_parts(copy)["Collisions"][0].objects)
    bpy.ops.urdf.duplicate_robot(beside=False)
    assert tuple(bpy.context.object.location) == tuple(copy.location)
    assert bpy.ops.urdf.delete_robot() == {"FINISHED"} and len(find_robots()) == 2
    activate(robot)
    bpy.ops.urdf.delete_robot()
    assert list(find_robots().values()) == [copy]


def test_a_copy_is_called_as_the_outliner_calls_it_too(extension: ModuleType) -> None:
    name = extension.operators.sidebar.panel._name_robot
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table
    robot = load("quadruped_leg")
    copy = duplicate_robot(robot)
    assert name(robot, table(robot)) == "quadruped_leg"
    assert name(copy, table(copy)) == f"quadruped_leg ({copy.name})" != name(robot, table(robot))


def test_a_displaced_part_goes_back() -> None:
    robot = load("quadruped_leg")
    shape = a_shape(robot)
    place = tuple(shape.location)
    activate(shape)
    assert bpy.ops.urdf.reset_parts() == {"CANCELLED"}
    shape.location.x += 1.0
    assert bpy.ops.urdf.reset_parts() == {"FINISHED"} and tuple(shape.location) == place
    shape.location.x += 1.0
    assert bpy.ops.urdf.update() == {"FINISHED"} and tuple(shape.location) == place
    assert bpy.ops.urdf.update() == {"CANCELLED"}
    shape.lock_location = (False, False, False)
    shape.location.x += 1.0
    assert bpy.ops.urdf.update() == {"CANCELLED"} and tuple(shape.location) != place


def test_the_ground() -> None:
    robot = load("quadruped_leg")
    activate(a_shape(robot))
    bpy.ops.urdf.stand_on_ground()
    assert find_lowest(robot) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("name", ["humanoid_arm", "gripper", "planar_base"])
def test_every_body_leads_to_the_joint_that_moves_it(name: str) -> None:
    robot = load(name)
    for empty in find_parts(robot)["Links"][0].objects:
        joint = find_moving_joint(empty)
        assert all(find_moving_joint(item) == joint for item in empty.children)
        activate(empty)
        assert bpy.ops.urdf.pose_body.poll() == bool(joint)
        if joint:
            bpy.ops.urdf.pose_body()
            assert bpy.context.mode == "POSE" and bpy.context.object == robot
            bone = robot.data.bones.active
            assert joint in [each["name"] for each in bone["urdf_joints"]]
            assert find_moving_joint(robot) == bone["urdf_joints"][0]["name"]
            bpy.ops.object.mode_set(mode="OBJECT")
    assert find_moving_joint(robot) == ""


def test_short_travels_are_set_in_millimetres(extension: ModuleType) -> None:
    robot = load("gripper")
    module = extension.operators.sidebar.sliders
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
    joint = next(each for each in table.joints.values() if each.kind == "prismatic")
    (channel,) = joint.channels
    scene = bpy.context.scene
    assert module.counts_millimetres(channel, scene)
    module._make([(channel, True)])
    slider = module.find_slider(channel, millimetres=True)
    bone = robot.pose.bones[joint.bone]
    setattr(bone, slider, 5.0)
    assert channel.get(bone) == pytest.approx(0.005, abs=1e-7)
    assert getattr(bone, slider) == pytest.approx(5.0, abs=1e-4)
    for setting, value in (("length_unit", "MILLIMETERS"), ("system", "IMPERIAL")):
        scene.unit_settings.system = "METRIC"
        setattr(scene.unit_settings, setting, value)
        assert not module.counts_millimetres(channel, scene)


def test_links_are_indented_by_what_is_above_them(extension: ModuleType) -> None:
    robot = load("two_link_arm")
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
    depths = list(table.depths.values())
    assert depths[0] == 0 and max(depths) >= 2 and len(depths) == table.link_count


def test_a_link_is_indented_below_one_of_a_later_name(
    extension: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "backwards.urdf"
    joints = "".join(
        f"<joint name='{child}' type='continuous'><parent link='{parent}'/><child link='{child}'/>"
        "</joint>"
        for parent, child in ("dc", "cb", "da", "ce")
    )
    links = "".join(f"<link name='{name}'/>" for name in "abcde")
    path.write_text(f"<robot name='backwards'>{links}{joints}</robot>")
    bpy.ops.import_scene.urdf(filepath=str(path))
    robot = bpy.context.view_layer.objects.active
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
    assert dict(table.depths) == {"d": 0, "c": 1, "a": 1, "b": 2, "e": 2}


def test_the_label_of_a_follower_gives_its_leaders_name_beside_the_value(
    extension: ModuleType,
) -> None:
    robot = load("gripper")
    drawing = extension.operators.gizmos.drawing
    handles = extension.urdf_importer.core.blender.standing.handles
    handle = handles.make_handle(robot, "jaw_right")
    picture = drawing.Picture(handle=handle, hold="", mouse=(0, 0), turning=False)
    title, value = (text for text, _ in drawing._describe(picture))
    assert title == "jaw_right follows jaw_left" and value.startswith("jaw_left 0")


def test_collisions_are_shown_by_a_switch_that_says_so(extension: ModuleType) -> None:
    robot = load("two_link_arm")
    display = extension.urdf_importer.core.blender.standing.display
    (collection,) = display.find_parts(robot)["Collisions"]
    assert not collection.urdf_shown and collection.hide_viewport
    collection.urdf_shown = True
    assert not collection.hide_viewport
    text = collection.bl_rna.properties["urdf_shown"].description
    assert text.startswith("Show these parts")


def leftovers() -> dict[str, int]:
    return {name: len(parts) for name, parts in find_leftovers(bpy.context.scene).items()}


def data_of_all() -> dict[str, set[str]]:
    kinds = ("objects", "meshes", "armatures", "materials", "collections")
    found = {kind: [each for each in getattr(bpy.data, kind) if each.users] for kind in kinds}
    return {
        kind: {each.name for each in group if not each.name.startswith("WGT")}
        for kind, group in found.items()
    }


@pytest.mark.parametrize("selection", ["armature", "with the visible parts"])
def test_parts_of_a_deleted_armature_are_deleted(selection: str) -> None:
    """Another robot, a mug on a link, and a shape that a user took off stay where they are."""
    other = load("two_link_arm")
    kept = data_of_all()
    robot = load("quadruped_leg")
    assert leftovers() == {}
    mug = bpy.data.objects.new("mug", None)
    bpy.context.scene.collection.objects.link(mug)
    mug.parent = next(item for item in robot.children_recursive if "urdf_link" in item)
    mug.location.x = 0.25
    bpy.context.view_layer.update()
    spare = find_parts(other)["Visuals"][0].objects[0]
    spare.parent = None
    activate(robot)
    bpy.ops.urdf.select_robot(parts=selection != "armature")
    mug.select_set(False)
    bpy.ops.object.delete()
    (name,) = leftovers()
    assert name == "quadruped_leg" and leftovers()[name] > 3
    bpy.context.view_layer.update()
    place = mug.matrix_world.copy()
    assert bpy.ops.urdf.delete_leftovers(robot=name) == {"FINISHED"}
    assert leftovers() == {} and np.allclose(mug.matrix_world, place, atol=1e-6)
    kept["objects"].add("mug")
    assert data_of_all() == kept
    assert bpy.ops.urdf.delete_leftovers(robot=name) == {"CANCELLED"}


def test_parts_out_of_their_collections_are_left_too() -> None:
    robot = load("quadruped_leg")
    for part in [each for parts in find_parts(robot).values() for each in parts]:
        for item in part.objects:
            bpy.context.scene.collection.objects.link(item)
        bpy.data.collections.remove(part)
    bpy.data.objects.remove(robot)
    assert list(leftovers()) == [""]
    assert bpy.ops.urdf.delete_leftovers(robot="") == {"FINISHED"}
    assert not data_of_all()["objects"]


@pytest.mark.parametrize("linked", [False, True])
def test_a_rig_duplicated_by_itself_becomes_a_whole_robot(linked: bool) -> None:
    robot = load("quadruped_leg")
    set_joint_positions(robot, {"hip_pitch": 0.3})
    activate(robot)
    bpy.ops.object.duplicate(linked=linked)
    bare = bpy.context.object
    assert bare != robot and not bare.children
    bare.location.y += 2.0
    if not linked:
        set_joint_positions(bare, {"hip_pitch": 0.1})
    name, wanted = bare.name, get_joint_positions(bare)
    assert bpy.ops.urdf.complete_copy() == {"FINISHED"}
    whole = bpy.context.object
    assert whole.name == name and tuple(whole.location) == (0.0, 2.0, robot.location.z)
    assert len(whole.children_recursive) == len(robot.children_recursive)
    assert get_joint_positions(whole) == pytest.approx(wanted)
    assert whole.data != robot.data
    set_joint_positions(whole, {"hip_pitch": 0.2})
    assert get_joint_positions(robot)["hip_pitch"] == pytest.approx(0.3)
    with pytest.raises(RuntimeError, match="has its links"):
        bpy.ops.urdf.complete_copy()
    assert list(find_robots().values()) == [robot, whole]


def test_a_copy_keeps_its_animation_and_needs_its_robot() -> None:
    robot = load("quadruped_leg")
    activate(robot)
    assert bpy.ops.urdf.key_all() == {"FINISHED"}
    bpy.ops.object.duplicate()
    action = bpy.context.object.animation_data.action
    assert bpy.ops.urdf.complete_copy() == {"FINISHED"}
    assert bpy.context.object.animation_data.action == action
    bpy.ops.object.duplicate()
    bare = bpy.context.object
    for each in [item for item in find_robots().values() if item != bare]:
        delete_robot(each)
    with pytest.raises(RuntimeError, match=r"the original of .* is not in this file"):
        activate(bare)
        bpy.ops.urdf.complete_copy()
