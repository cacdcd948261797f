# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF on a rig: groups are bone collections, states poses; what the user changes is written."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import mathutils
import numpy as np
import pytest

from support.readable_robots import DATA
from support.real_robots import ROOT
from urdf_importer import (
    BuildError,
    ImportOptions,
    ReadError,
    add_ik,
    apply_srdf,
    compare_with_source,
    delete_robot,
    duplicate_robot,
    extract_robot,
    extract_semantics,
    find_robots,
    find_srdf,
    get_joint_positions,
    import_robot,
    link_pose,
    open_blend,
    read_robot,
    read_srdf,
    remove_ik,
    save_blend,
    set_joint_positions,
    update_robot,
    write_srdf,
)
from urdf_importer.core.blender.modes import leave_modes
from urdf_importer.core.blender.semantics.apply import show_state
from urdf_importer.core.blender.semantics.control import key_control
from urdf_importer.core.blender.semantics.groups import joints_of_group, select_group
from urdf_importer.core.blender.standing.pose import key_joints, random_pose
from urdf_importer.core.blender.standing.robot_table import find_robot
from urdf_importer.core.model import Chain, EndEffector, Group, GroupState

pytestmark = pytest.mark.usefixtures("scene")

SRDF = DATA / "every_element.srdf"
PANDA = ROOT / "panda_description"
LINKS = ("base", "upper", "forearm", "hand", "tip")
JOINTS = ("shoulder", "elbow", "wrist", "finger")


def make_urdf(names: tuple[str, ...] = JOINTS, length: float = 0.5) -> str:
    """An arm that turns about y and, at the wrist, about x; its finger slides."""
    links = "".join(f'<link name="{name}"/>' for name in LINKS)
    joints = ""
    for i, name in enumerate(names):
        kind = "prismatic" if i == 3 else "revolute"
        axis = "1 0 0" if i == 2 else "0 1 0"
        joints += f"""<joint name="{name}" type="{kind}">
          <parent link="{LINKS[i]}"/><child link="{LINKS[i + 1]}"/>
          <origin xyz="{length if i else 0} 0 0.1"/><axis xyz="{axis}"/>
          <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>"""
    return f'<robot name="arm">{links}{joints}</robot>'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "arm.urdf"
    file.write_text(make_urdf(), encoding="utf-8")
    return file


@pytest.fixture
def arm(path: Path) -> Any:
    return import_robot(path, options=ImportOptions(srdf=str(SRDF))).armature


def collections_of(armature: Any) -> dict[str, set[str]]:
    above = armature.data.collections["Groups"]
    return {each["urdf_group"]: {bone.name for bone in each.bones} for each in above.children}


def actions() -> dict[str, Any]:
    return {action.name: action for action in bpy.data.actions}


def test_groups_are_bone_collections_beside_those_of_the_rig(arm: Any) -> None:
    assert collections_of(arm) == {"arm": set(JOINTS), "hand": {"finger"}}
    assert {bone.name for bone in arm.data.collections["Joints"].bones} == set(JOINTS)


def test_a_state_is_a_pose_asset_and_poses_the_robot(arm: Any) -> None:
    action = actions()["arm: home"]
    assert action.asset_data is not None
    assert action.use_fake_user
    assert tuple(action.frame_range) == (1.0, 1.0)
    set_joint_positions(arm, {"shoulder": -0.3, "elbow": 0.7})
    show_state(arm, "arm", "home")
    bpy.context.view_layer.update()
    shown = get_joint_positions(arm)
    assert shown["shoulder"] == pytest.approx(0.5)
    # What the state does not name stays.
    assert shown["elbow"] == pytest.approx(0.7)
    with pytest.raises(BuildError, match="no state 'away'"):
        show_state(arm, "arm", "away")


def test_the_root_control_is_a_bone_that_carries_the_robot_and_leaves_it_exact(arm: Any) -> None:
    control = arm.parent
    assert control["urdf_virtual_joint"]["name"] == "world_joint"
    assert control["urdf_virtual_joint"]["properties"]["motion_model"] == "diff_drive"
    (bone,) = control.pose.bones
    assert (bone.name, arm.parent_bone) == ("world_joint", "world_joint")
    assert tuple(bone.lock_location) == (False, False, True)
    assert tuple(bone.lock_rotation) == (True, True, False)
    assert bone.custom_shape is not None
    # At rest the robot is where it was, to the last bit.
    bpy.context.view_layer.update()
    assert arm.matrix_world == mathutils.Matrix()
    show_state(arm, "arm", "home")
    bpy.context.view_layer.update()
    assert np.allclose(arm.matrix_world.translation, (1.0, 2.0, 0.0))
    assert arm.matrix_world.to_euler().z == pytest.approx(0.25)
    # However it moves, nothing changes within the robot's armature but rounding.
    there = {link: link_pose(arm, link) for link in LINKS}
    bone.location[0], bone.rotation_euler[2] = -3.7, 2.0
    bpy.context.view_layer.update()
    for link, frame in there.items():
        assert np.allclose(link_pose(arm, link), frame, atol=4e-6)


def test_the_root_control_is_selected_and_keyed_with_its_groups(path: Path, tmp_path: Path) -> None:
    text = """<robot name="arm">
      <group name="base"><joint name="world"/></group>
      <group name="all"><joint name="world"/><joint name="elbow"/></group>
      <virtual_joint name="world" type="floating" parent_frame="map" child_link="base"/>
      <group_state name="there" group="base"><joint name="world" value="1 2 3 0 0 0.6 0.8"/>
      </group_state></robot>"""
    (tmp_path / "arm.srdf").write_text(text)
    arm = import_robot(path, options=ImportOptions(srdf=str(tmp_path / "arm.srdf"))).armature
    control = arm.parent
    assert find_robot(control) == arm
    select_group(arm, "all")
    assert {item.name for item in bpy.context.selected_pose_bones} == {"world", "elbow"}
    joints = joints_of_group(arm, "all")
    assert joints == ("world", "elbow")
    assert key_joints(arm, joints) + key_control(arm, joints) == 2
    assert control.animation_data.action is not None
    leave_modes()
    show_state(arm, "base", "there")
    bpy.context.view_layer.update()
    wanted = mathutils.Matrix.LocRotScale((1, 2, 3), mathutils.Quaternion((0.8, 0, 0, 0.6)), None)
    assert np.allclose(np.array(arm.matrix_world), np.array(wanted), atol=1e-6)
    assert write_srdf(arm, tmp_path / "out.srdf").read_text() == text
    # Taken out of a group and put into another, it is written so.
    groups = {each["urdf_group"]: each for each in control.data.collections_all if each.parent}
    groups["all"].unassign(control.data.bones["world"])
    control.data.collections.new("roots", parent=groups["base"].parent).assign(
        control.data.bones["world"]
    )
    changed = {group.name: group for group in extract_semantics(arm).groups}
    assert changed["all"].joints == ("elbow",)
    assert changed["roots"].joints == changed["base"].joints == ("world",)


def test_the_root_control_comes_and_goes(path: Path, arm: Any) -> None:
    """With the SRDF, with the robot, and with copies of it."""
    arm.parent.location = (1.0, 0.0, 0.5)
    arm.parent.pose.bones[0].location[0] = 2.0
    bpy.context.view_layer.update()
    copy = duplicate_robot(arm)
    bpy.context.view_layer.update()
    assert copy.parent != arm.parent and copy.parent.data != arm.parent.data
    assert copy.matrix_world == arm.matrix_world
    delete_robot(copy)
    before = extract_semantics(arm)
    apply_srdf(arm, replace(before, virtual_joints=()))
    bpy.context.view_layer.update()
    assert arm.parent is None
    assert np.allclose(arm.matrix_world.translation, (3.0, 0.0, 0.5))
    assert [item for item in bpy.data.armatures if item.users] == [arm.data]
    apply_srdf(arm, before)
    bpy.context.view_layer.update()
    assert np.allclose(arm.matrix_world.translation, (3.0, 0.0, 0.5))
    delete_robot(arm)
    assert not bpy.data.objects and not bpy.data.armatures


def test_an_end_effector_is_a_target_in_the_frame_of_its_link(arm: Any) -> None:
    target = bpy.data.objects["grip_target"]
    kept = target["urdf_ik"].to_dict()
    assert kept == {"effector": "grip", "hand": "hand", "group": "arm", "link": "hand"}
    bpy.context.view_layer.update()
    there = np.linalg.solve(np.array(arm.matrix_world), np.array(target.matrix_world))
    assert np.allclose(there, link_pose(arm, "hand"), atol=1e-6)
    set_joint_positions(arm, {"shoulder": 0.4})
    bpy.context.view_layer.update()
    # It is where the hand is to go, so it does not go with it.
    assert not np.allclose(np.array(target.matrix_world)[:3, 3], link_pose(arm, "hand")[:3, 3])


def test_a_target_is_shown_while_something_follows_it(arm: Any) -> None:
    """Hidden it still knows its place, for scripts that solve and bake for it; an update and a file
    opened again leave it as it is."""
    target = bpy.data.objects["grip_target"]
    assert not target.visible_get()
    target.location.z += 1.0
    before = target.matrix_world.translation.z
    bpy.context.view_layer.update()
    assert target.matrix_world.translation.z == pytest.approx(before + 1.0)
    assert add_ik(arm, "arm", live=True) == target and target.visible_get()
    update_robot(arm)
    assert target.visible_get()
    remove_ik(target)
    assert not target.visible_get()
    apply_srdf(arm, extract_semantics(arm))
    assert not bpy.data.objects["grip_target"].visible_get()


def test_passive_joints_are_marked_and_left_alone_by_random_poses(arm: Any) -> None:
    assert list(arm.data.bones["finger"]["urdf_passive"]) == ["finger"]
    random_pose(arm, 3)
    bpy.context.view_layer.update()
    shown = get_joint_positions(arm)
    assert shown["finger"] == 0.0
    assert abs(shown["shoulder"]) > 1e-3


def test_spheres_are_hidden_empties_on_their_links(arm: Any) -> None:
    (sphere,) = (item for item in bpy.data.objects if item.name == "hand_sphere")
    assert sphere.parent["urdf_link"]["name"] == "hand"
    assert sphere.empty_display_size == pytest.approx(0.05)
    assert not sphere.visible_get()


def test_everything_comes_back_from_the_blend_alone(arm: Any, path: Path, tmp_path: Path) -> None:
    wanted = read_srdf(SRDF, robot=read_robot(path))
    save_blend(tmp_path / "arm.blend")
    path.unlink()
    open_blend(tmp_path / "arm.blend")
    again = find_robots()["arm"]
    assert extract_semantics(again) == wanted
    assert write_srdf(again, tmp_path / "out.srdf").read_bytes() == SRDF.read_bytes()
    assert extract_robot(again).name == "arm"
    assert collections_of(again) == {"arm": set(JOINTS), "hand": {"finger"}}


def test_what_the_user_changes_is_written_and_nothing_else(arm: Any, tmp_path: Path) -> None:
    before = extract_semantics(arm)
    hand = arm.data.collections_all["hand"]
    hand.assign(arm.data.bones["wrist"])
    arm.data.collections.new("lower", parent=arm.data.collections["Groups"]).assign(
        arm.data.bones["elbow"]
    )
    curve = next(c for c in curves_of(actions()["arm: home"]) if "shoulder" in c.data_path)
    curve.keyframe_points[0].co[1] = 0.75
    now = extract_semantics(arm)
    assert now.groups[0] == before.groups[0]
    # All that moves between two links is a chain.
    assert now.groups[1].chains == (Chain(base_link="forearm", tip_link="tip"),)
    assert now.groups[3] == Group(name="lower", joints=("elbow",))
    (state,) = now.group_states
    assert state.positions == (("shoulder", (0.75,)), ("world_joint", (1.0, 2.0, 0.25)))
    assert now.disabled_collisions == before.disabled_collisions
    lines = write_srdf(arm, tmp_path / "new.srdf").read_text().splitlines()
    old = SRDF.read_text().splitlines()
    assert [line for line in old if line not in lines] == [
        '  <group name="hand"><joint name="finger"/></group>',
        '    <joint name="shoulder" value="0.5"/>',
    ]


def curves_of(action: Any) -> list[Any]:
    if not hasattr(action, "slots"):
        return list(action.fcurves)
    strips = (strip for layer in action.layers for strip in layer.strips)
    return [curve for strip in strips for bag in strip.channelbags for curve in bag.fcurves]


def test_a_rig_without_srdf_gives_one_of_what_the_user_made(path: Path, tmp_path: Path) -> None:
    arm = import_robot(path).armature
    assert extract_semantics(arm).groups == ()
    mine = arm.data.collections.new("reach")
    for name in JOINTS[:3]:
        mine.assign(arm.data.bones[name])
    pose = bpy.data.actions.new("waving")
    arm.animation_data_create().action = pose
    arm.pose.bones["elbow"].rotation_euler.x = 0.25
    arm.pose.bones["elbow"].keyframe_insert("rotation_euler", index=0, frame=1)
    pose.asset_mark()
    made = extract_semantics(arm)
    assert made.name == "arm"
    assert made.groups == (Group(name="reach", chains=(Chain(base_link="base", tip_link="hand"),)),)
    assert made.group_states == (
        GroupState(name="waving", group="reach", positions=(("elbow", (0.25,)),)),
    )
    file = write_srdf(arm, tmp_path / "made.srdf")
    assert read_srdf(file, robot=extract_robot(arm)) == made


def test_an_update_takes_the_srdf_along(arm: Any, path: Path) -> None:
    before = extract_semantics(arm)
    path.write_text(make_urdf(length=0.6), encoding="utf-8")
    update_robot(arm)
    assert extract_semantics(arm) == before
    assert collections_of(arm)["arm"] == set(JOINTS)
    assert len([item for item in bpy.data.objects if "urdf_ik" in item]) == 1
    bpy.context.view_layer.update()
    target = bpy.data.objects["grip_target"]
    there = np.linalg.solve(np.array(arm.matrix_world), np.array(target.matrix_world))
    assert np.allclose(there, link_pose(arm, "hand"), atol=1e-6)
    path.write_text(make_urdf(names=("shoulder", "elbow", "wrist", "thumb")), encoding="utf-8")
    result = update_robot(arm)
    assert "srdf-empty-group" in {item.code for item in result.diagnostics}
    assert [group.name for group in extract_semantics(arm).groups] == ["arm"]
    assert collections_of(arm) == {"arm": {"shoulder", "elbow", "wrist"}}
    assert compare_with_source(arm) == ()


def test_a_copy_keeps_it(arm: Any) -> None:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.duplicate()
    (copy,) = (item for item in find_robots().values() if item != arm)
    assert extract_semantics(copy) == extract_semantics(arm)
    assert collections_of(copy) == collections_of(arm)


def test_putting_it_on_again_changes_nothing(arm: Any) -> None:
    def describe() -> tuple[Any, ...]:
        return (
            collections_of(arm),
            sorted(actions()),
            sorted(item.name for item in bpy.data.objects),
            sorted(item.name for item in bpy.data.collections),
            arm.parent,
        )

    before, semantics = describe(), extract_semantics(arm)
    apply_srdf(arm, semantics)
    assert describe() == before
    assert extract_semantics(arm) == semantics


def test_a_target_that_the_user_made_is_a_new_end_effector(arm: Any) -> None:
    mine = bpy.data.objects["grip_target"].copy()
    mine["urdf_ik"] = {"effector": "poke", "hand": "hand", "link": "tip"}
    next(each for each in bpy.data.collections if each.get("urdf_part") == "Targets").objects.link(
        mine
    )
    effectors = extract_semantics(arm).end_effectors
    assert effectors[1] == EndEffector(name="poke", group="hand", parent_link="tip")


def test_an_end_effector_without_a_group_comes_back(arm: Any) -> None:
    hand = EndEffector(name="poke", group="", parent_link="tip")
    semantics = extract_semantics(arm)
    apply_srdf(arm, replace(semantics, end_effectors=(*semantics.end_effectors, hand)))
    assert extract_semantics(arm).end_effectors[1] == hand


def test_a_missing_srdf_stops_the_import(path: Path) -> None:
    for srdf in ("auto", str(path.with_name("gone.srdf"))):
        with pytest.raises(ReadError):
            import_robot(path, options=ImportOptions(srdf=srdf))
    assert not bpy.data.objects


def test_a_real_robot_finds_its_own() -> None:
    urdf = PANDA / "urdf" / "panda.urdf"
    found = find_srdf(urdf)
    assert found == PANDA / "srdf" / "panda.srdf"
    options = ImportOptions(srdf="auto", visuals=False, collisions=False)
    arm = import_robot(urdf, options=options).armature
    assert extract_semantics(arm) == read_srdf(found, robot=read_robot(urdf))
    (target,) = (item for item in bpy.data.objects if "urdf_ik" in item)
    assert target.parent["urdf_link"]["name"] == "panda_link0"
    bpy.context.view_layer.update()
    assert np.allclose(np.array(target.matrix_world), link_pose(arm, "panda_hand_tcp"), atol=1e-6)
    show_state(arm, "arm_and_hand", "default")
    bpy.context.view_layer.update()
    wanted = dict(extract_semantics(arm).group_states[0].positions)
    shown = get_joint_positions(arm)
    for joint, numbers in wanted.items():
        assert shown[joint] == pytest.approx(numbers[0], abs=1e-6)
