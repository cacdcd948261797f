# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's switches, lists and messages, on rigs that the library made."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.blender.sidebars import SAMPLES, activate, enforce, is_operator, load, sliders_of
from support.paths import ROOT
from urdf_importer import (
    ImportOptions,
    delete_robot,
    get_joint_positions,
    import_robot,
    save_blend,
    set_joint_positions,
)
from urdf_importer.core.blender.standing.display import enforces_limits

pytestmark = pytest.mark.usefixtures("extension", "scene")


# Switches


@pytest.mark.parametrize("name", ["two_link_arm", "gantry", "humanoid_arm", "messy", "gripper"])
def test_limits_are_switched_and_restored_exactly(name: str) -> None:
    robot = load(name)
    before = describe_limits(robot)
    assert enforces_limits(robot)
    enforce(robot, False)
    assert not enforces_limits(robot)
    assert describe_limits(robot) != before
    enforce(robot, True)
    assert enforces_limits(robot) and describe_limits(robot) == before


def describe_limits(robot: Any) -> list[Any]:
    return [
        (
            [(each.name, each.type, each.mute) for each in bone.constraints],
            [getattr(bone, f"use_ik_limit_{axis}") for axis in "xyz"],
            [(getattr(bone, f"ik_min_{axis}"), getattr(bone, f"ik_max_{axis}")) for axis in "xyz"],
        )
        for bone in robot.pose.bones
    ]


def test_constraints_of_the_user_and_other_robots_are_left_alone() -> None:
    other, robot = load("two_link_arm"), load("two_link_arm")
    own = robot.pose.bones["elbow"].constraints.new("LIMIT_ROTATION")
    own.owner_space, own.use_transform_limit = "LOCAL", True
    before = describe_limits(other)
    enforce(robot, False)
    assert not own.mute and not enforces_limits(robot)
    assert describe_limits(other) == before and enforces_limits(other)
    own.mute = True
    enforce(robot, True)
    assert own.mute and enforces_limits(robot)


def test_the_switch_says_what_is_the_case(extension: ModuleType) -> None:
    display = extension.urdf_importer.core.blender.standing.display
    robot = load("two_link_arm")
    robot.pose.bones["elbow"].constraints[0].mute = True
    assert not enforces_limits(robot) and display.has_limits(robot)
    free = load("two_link_arm", enforce_limits=False)
    assert not enforces_limits(free) and not display.has_limits(free)


def test_parts_are_found_whatever_they_are_named(extension: ModuleType, tmp_path: Path) -> None:
    display = extension.urdf_importer.core.blender.standing.display
    first, second = load("two_link_arm"), load("two_link_arm")
    for collection in bpy.data.collections:
        collection.name = f"Stuff {collection.name}"
    save_blend(tmp_path / "two.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "two.blend"))
    first, second = (bpy.data.objects[name] for name in ("two_link_arm", "two_link_arm.001"))
    layer = bpy.context.view_layer
    shown = {}
    for robot in (first, second):
        found = display.find_parts(robot)
        assert {"Links", "Visuals"} <= set(found)
        for collections in found.values():
            assert len(collections) == 1
        (eye,) = display.find_layers(layer, found["Visuals"])
        shown[robot.name] = eye
    shown["two_link_arm"].hide_viewport = True
    hidden = {item.name for item in bpy.data.objects if not item.visible_get()}
    first_visuals = set(display.find_parts(first)["Visuals"][0].objects.keys())
    second_visuals = set(display.find_parts(second)["Visuals"][0].objects.keys())
    assert first_visuals <= hidden and not second_visuals & hidden
    shown["two_link_arm.001"].exclude = True
    assert display.find_layers(layer, display.find_parts(second)["Visuals"]) == []


# The active robot


def test_any_part_of_a_robot_is_the_robot(extension: ModuleType) -> None:
    robot, other = load("two_link_arm"), load("gantry")
    find = extension.operators.active_robot.active_robot
    for armature in (robot, other):
        for item in (armature, *armature.children_recursive):
            activate(item)
            assert find(bpy.context) == armature
    # What belongs to no robot leaves the sidebar with the one that it had.
    lamp = bpy.data.objects.new("Lamp", None)
    bpy.context.scene.collection.objects.link(lamp)
    for item in (lamp, None):
        activate(item)
        assert find(bpy.context) == other
    extension.operators.active_robot.pin_robot(robot)
    activate(other)
    assert find(bpy.context) == robot
    extension.operators.active_robot.pin_robot(None)
    assert find(bpy.context) == other


def test_the_only_robot_is_the_active_one(extension: ModuleType) -> None:
    find = extension.operators.active_robot.active_robot
    assert find(bpy.context) is None
    robot = load("two_link_arm")
    activate(None)
    assert find(bpy.context) == robot
    delete_robot(robot)
    assert find(bpy.context) is None
    load("gantry")
    load("gripper")
    activate(None)
    assert find(bpy.context) is None


@pytest.mark.parametrize("name", ["zero_pose", "random_pose", "nearest_valid", "key_all"])
def test_without_a_robot_the_buttons_say_why(name: str) -> None:
    lamp = bpy.data.objects.new("Lamp", None)
    bpy.context.scene.collection.objects.link(lamp)
    activate(lamp)
    operator = getattr(bpy.ops.urdf, name)
    assert not operator.poll()
    with pytest.raises(RuntimeError, match="Select a robot first"):
        operator()
    robot = load("two_link_arm")
    activate(robot)
    assert operator.poll()
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Leave the mode"):
        operator()


# Selecting


def selected() -> set[str]:
    return {item.name for item in bpy.context.selected_objects}


def test_a_link_is_selected_by_its_empty_bone_or_visuals() -> None:
    robot = load("two_link_arm")
    bpy.ops.urdf.select_link(link="forearm" if "forearm" in links(robot) else links(robot)[-1])
    name = bpy.context.object["urdf_link"]["name"]
    assert selected() == {bpy.context.object.name} and bpy.context.object.type == "EMPTY"
    bpy.ops.urdf.select_link(link=name, what="VISUALS")
    assert bpy.context.object.type == "MESH" and bpy.context.object["urdf_part"] == "Visuals"
    bpy.ops.urdf.select_link(link=name, what="BONE")
    assert bpy.context.object == robot and bpy.context.mode == "POSE"
    assert [bone.name for bone in bpy.context.selected_pose_bones]
    assert bpy.ops.urdf.select_link(link="nobody") == {"CANCELLED"}


def links(robot: Any) -> list[str]:
    return list(robot["urdf_robot"]["links"])


def test_every_joint_can_be_selected() -> None:
    robot = load("humanoid_arm")
    moving = get_joint_positions(robot)
    for joint in robot["urdf_robot"]["joints"]:
        activate(robot)
        assert bpy.ops.urdf.select_joint(joint=joint) == {"FINISHED"}
        if joint in moving:
            (bone,) = bpy.context.selected_pose_bones
            assert joint in [each["name"] for each in bone.bone["urdf_joints"]]
            assert bpy.context.active_pose_bone == bone
        else:
            assert bpy.context.object["urdf_joint"]["name"] == joint


def test_the_list_selects_and_follows_the_selection(extension: ModuleType) -> None:
    robot, other = load("two_link_arm"), load("two_link_arm")
    manager = bpy.context.window_manager
    for armature in (robot, other):
        activate(armature)
        ((collection,)) = extension.urdf_importer.core.blender.standing.display.find_parts(
            armature
        )["Links"]
        for place, item in enumerate(collection.objects):
            manager.urdf_select_what = "LINK"
            collection.urdf_shown_link = place
            assert bpy.context.object == item and selected() == {item.name}
            assert collection.urdf_shown_link == place
            manager.urdf_select_what = "BONE"
            collection.urdf_shown_link = place
            assert bpy.context.object == armature
            assert collection.urdf_shown_link == place
            bpy.ops.object.mode_set(mode="OBJECT")
        activate(collection.objects[1].children[0])
        assert collection.urdf_shown_link == 1


# The report


def test_every_message_selects_what_it_is_about() -> None:
    robot = load("messy")
    messages = robot["urdf_import"]["diagnostics"]
    found = 0
    for place, item in enumerate(messages):
        activate(robot)
        if bpy.ops.urdf.select_subject(index=place) == {"CANCELLED"}:
            continue
        found += 1
        chosen = bpy.context.object
        if bpy.context.mode == "POSE":
            joints = bpy.context.active_pose_bone.bone["urdf_joints"]
            assert item["subject"] in [each["name"] for each in joints]
            continue
        kept = [chosen.get("urdf_link", {}).get("name"), chosen.get("urdf_joint", {}).get("name")]
        material = chosen.get("urdf_shape", {}).get("material", {}).get("name")
        assert item["subject"] in [*kept, material]
    assert found > len(messages) / 2
    activate(robot)
    with pytest.raises(RuntimeError, match=f"The report has {len(messages)} messages"):
        bpy.ops.urdf.select_subject(index=len(messages))


def test_the_report_can_be_copied_where_there_is_one() -> None:
    load("two_link_arm")
    assert not bpy.ops.urdf.copy_report.poll()
    load("messy")
    assert bpy.ops.urdf.copy_report() == {"FINISHED"}


def test_the_line_of_a_message_is_copied_where_there_is_no_window() -> None:
    robot = load("messy")
    item = robot["urdf_import"]["diagnostics"][0]
    assert bpy.ops.urdf.open_line(index=0) == {"FINISHED"}
    copied = bpy.context.window_manager.clipboard
    # Without a window there may be no clipboard either.
    assert copied in ("", f"{item['source']}:{item['line']}")
    with pytest.raises(RuntimeError, match="not there any more"):
        bpy.ops.urdf.open_line(index=len(robot["urdf_import"]["diagnostics"]))


def test_a_failure_can_be_dismissed() -> None:
    with pytest.raises(RuntimeError):
        bpy.ops.import_scene.urdf(filepath=str(ROOT / "nothing.urdf"))
    manager = bpy.context.window_manager
    assert manager.urdf_last_failure
    bpy.ops.urdf.dismiss_failure()
    assert manager.urdf_last_failure == ""


# What is remembered


def test_the_table_is_what_the_description_says(extension: ModuleType) -> None:
    result = import_robot(SAMPLES / "gripper.urdf")
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(result.armature)
    assert table.name == result.robot.name
    assert table.link_count == len(result.robot.links)
    assert table.joint_count == len(result.robot.joints)
    assert set(table.joints) == set(get_joint_positions(result.armature))
    masses = [link.inertial.mass or 0.0 for link in result.robot.links if link.inertial]
    assert table.mass == pytest.approx(sum(masses))
    triangles = 0
    for visual in (item for each in result.visuals.values() for item in each):
        visual.data.calc_loop_triangles()
        triangles += len(visual.data.loop_triangles)
    assert table.triangles == triangles > 0
    assert sorted(name for chain in table.chains for name in chain.joints) == sorted(table.joints)


def test_chains_pass_over_fixed_joints(extension: ModuleType) -> None:
    table = extension.urdf_importer.core.blender.standing.robot_table
    for name in ("humanoid_arm", "quadruped_leg"):
        assert len(table.read_table(load(name)).chains) == 1


def test_a_changed_rig_is_read_again_but_not_a_posed_one(extension: ModuleType) -> None:
    module = extension.urdf_importer.core.blender.standing.robot_table
    robot = load("two_link_arm")
    bpy.context.view_layer.update()
    table = module.recall_table(robot)
    assert module.recall_table(robot) is table
    set_joint_positions(robot, {"elbow": 0.5})
    bpy.context.view_layer.update()
    assert module.recall_table(robot) is table
    bpy.ops.object.mode_set(mode="EDIT")
    robot.data.edit_bones.new("own").tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    table = module.recall_table(robot)
    bpy.data.objects.remove(robot.children[0])
    bpy.context.view_layer.update()
    assert module.recall_table(robot).link_count == table.link_count - 1
    table = module.recall_table(robot)
    extension.urdf_importer.core.blender.standing.record.record_import(
        robot, "x", ImportOptions(), ()
    )
    assert module.recall_table(robot) is not table


# Texts


def sidebar_classes(extension: ModuleType) -> list[Any]:
    parts = [each for each in extension.operators.PARTS if ".sidebar." in each.__name__]
    return [kind for part in parts for kind in extension.operators.registration.list_classes(part)]


def test_every_button_that_changes_something_can_be_undone(extension: ModuleType) -> None:
    operators = [each for each in sidebar_classes(extension) if is_operator(each)]
    harmless = {
        "urdf.frame_robot",
        "urdf.pin_robot",
        "urdf.copy_report",
        "urdf.dismiss_failure",
        "urdf.open_line",
        "urdf.show_messages",
    }
    assert {each.bl_idname for each in operators if "UNDO" not in each.bl_options} == harmless


def test_everything_explains_itself(extension: ModuleType) -> None:
    for kind in sidebar_classes(extension):
        if not is_operator(kind):
            continue
        assert len(kind.bl_description) > 40 and not kind.bl_description.endswith(".")
        shown = getattr(bpy.ops.urdf, kind.bl_idname.split(".")[1]).get_rna_type()
        for name in inspect.get_annotations(kind):
            assert shown.properties[name].description
    owners = (
        (
            bpy.types.WindowManager,
            "urdf_joint_filter urdf_select_what urdf_report_page urdf_report_group "
            "urdf_shows_limbs",
        ),
        (bpy.types.Collection, "urdf_shown_link"),
    )
    for owner, names in owners:
        for name in names.split():
            assert owner.bl_rna.properties[name].description


def test_panels_stand_in_one_tab(extension: ModuleType) -> None:
    """Two parents; of all panels two are open at first sight."""
    found = [
        kind
        for kind in all_below(bpy.types.Panel)
        if kind.__module__.startswith(extension.__name__)
    ]
    assert {kind.bl_category for kind in found} == {"Robot"}
    parents = [kind for kind in found if not hasattr(kind, "bl_parent_id")]
    assert {kind.bl_idname for kind in parents} == {"VIEW3D_PT_urdf", "VIEW3D_PT_urdf_data"}
    for parent in parents:
        below = [kind for kind in found if getattr(kind, "bl_parent_id", "") == parent.bl_idname]
        orders = [kind.bl_order for kind in below]
        assert len(below) >= 4 and len(set(orders)) == len(orders)
    shown = [kind for kind in found if "DEFAULT_CLOSED" not in getattr(kind, "bl_options", ())]
    names = ("urdf", "urdf_joints", "urdf_world_report")
    assert {kind.bl_idname for kind in shown} == {f"VIEW3D_PT_{name}" for name in names}


def all_below(kind: type) -> Iterator[Any]:
    for child in kind.__subclasses__():
        yield child
        yield from all_below(child)


@pytest.fixture
def disabled(extension: ModuleType) -> Iterator[None]:
    import addon_utils

    sliders_of(extension, load("two_link_arm"))
    addon_utils.disable(extension.__name__)
    yield
    addon_utils.enable(extension.__name__, default_set=True, persistent=True)


@pytest.mark.usefixtures("disabled")
def test_disabling_leaves_nothing(extension: ModuleType) -> None:
    assert not [name for name in dir(bpy.ops.urdf) if not name.startswith("_")]
    for owner in ("PoseBone", "Object", "Collection", "WindowManager"):
        kind = getattr(bpy.types, owner)
        assert not [name for name, _ in kind.bl_rna.properties.items() if name.startswith("urdf_")]
    for handlers in (bpy.app.handlers.load_post, bpy.app.handlers.depsgraph_update_post):
        assert not [each for each in handlers if each.__module__.startswith(extension.__name__)]
