# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user did to a rig stays when its source is read again."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.snapshots import describe_scene, list_data
from urdf_importer import (
    BuildError,
    ImportOptions,
    KinematicsError,
    ReadError,
    compare_with_source,
    get_joint_positions,
    import_robot,
    link_pose,
    set_joint_positions,
    update_robot,
)
from urdf_importer.core.blender.standing.keys import find_curves
from urdf_importer.core.pipeline.updating import preview_update

pytestmark = pytest.mark.usefixtures("scene")

# Shoulder and swing are one bone: their axes are at right angles in one point.
ARM = """
<robot name="arm">
  <material name="red"><color rgba="0.8 0.1 0.1 1"/></material>
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"><visual><geometry><box size="1 1 1"/></geometry><material name="grey"/></visual>
  </link>
  <link name="hub"/>
  <link name="upper">
    <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual name="shell"><geometry><box size="0.2 0.2 1"/></geometry><material name="red"/></visual>
    <visual><geometry><sphere radius="0.2"/></geometry><material name="red"/></visual>
  </link>
  <link name="fore"/>
  <link name="hand"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="hub"/>
    <origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="swing" type="revolute"><parent link="hub"/><child link="upper"/>
    <axis xyz="0 0 -1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
    <origin xyz="1 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint>
  <joint name="wrist" type="revolute"><parent link="fore"/><child link="hand"/>
    <origin xyz="0.5 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint>
</robot>
"""
POSE = {"shoulder": 0.5, "swing": -0.75, "elbow": 0.25, "wrist": 1.25}
APART = ImportOptions(combine_joints=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def change(path: Path, *replacements: tuple[str, str]) -> None:
    text = path.read_text()
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def drop_link(path: Path, link: str, joint: str) -> None:
    text = path.read_text().replace(f'<link name="{link}"/>', "")
    before, _, rest = text.partition(f'<joint name="{joint}"')
    path.write_text(before + rest.partition("</joint>")[2])


def new_object(name: str, parent: Any = None, bone: str = "") -> Any:
    made = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(made)
    made.parent = parent
    if bone:
        made.parent_type, made.parent_bone = "BONE", bone
    made.location = (0.125, 0.25, 0.5)
    return made


def world(item: Any) -> Any:
    bpy.context.view_layer.update()
    return np.array(item.matrix_world)


def told(armature: Any, **arguments: Any) -> list[str]:
    return [str(item) for item in compare_with_source(armature, **arguments)]


def test_the_summary_comes_first_and_touches_nothing(path: Path) -> None:
    armature = import_robot(path).armature
    shown, listed = describe_scene(), list_data()
    change(path, ('upper="1.5"', 'upper="2"'), ('<mass value="2"/>', '<mass value="3"/>'))
    change(path, ('<link name="hub"/>', '<link name="hub"/><link name="camera"/>'))
    assert told(armature) == [
        "link 'camera' added",
        "link 'upper': mass 2 -> 3",
        "joint 'elbow': upper limit 1.5 -> 2",
        "joint 'wrist': upper limit 1.5 -> 2",
    ]
    assert describe_scene() == shown and list_data() == listed


@pytest.mark.parametrize("options", [ImportOptions(), APART], ids=["combined", "apart"])
def test_poses_stay(path: Path, options: ImportOptions) -> None:
    armature = import_robot(path, options=options).armature
    set_joint_positions(armature, POSE)
    change(path, ('<origin xyz="1 0 0"/>', '<origin xyz="1.5 0 0.25"/>'), ('"0 0 -1"', '"0 0 1"'))
    update_robot(armature)
    assert get_joint_positions(armature) == pytest.approx(POSE, abs=1e-6)
    update_robot(armature, options=ImportOptions(fixed_joints="fold"))
    assert get_joint_positions(armature) == pytest.approx(POSE, abs=1e-6)


def test_limits_hold_what_is_shown_and_the_number_stays(path: Path) -> None:
    armature = import_robot(path).armature
    set_joint_positions(armature, POSE)
    change(path, ('upper="1.5"', 'upper="1"'))
    update_robot(armature)
    assert get_joint_positions(armature)["wrist"] == pytest.approx(1.0, abs=1e-6)
    bone = next(b for b in armature.pose.bones if b.name == "wrist")
    assert bone.rotation_euler.x == pytest.approx(1.25)


@pytest.mark.parametrize("order", [(ImportOptions(), APART), (APART, ImportOptions())])
def test_keyframes_go_on_with_their_joints(
    path: Path, order: tuple[ImportOptions, ImportOptions]
) -> None:
    result = import_robot(path, options=order[0])
    armature = result.armature
    for frame, factor in ((1, 0.0), (11, 1.0)):
        set_joint_positions(armature, {name: factor * value for name, value in POSE.items()})
        for bone in set(result.bones.values()):
            armature.pose.bones[bone].keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(7)
    before, hand = get_joint_positions(armature), link_pose(armature, "hand")
    action = armature.animation_data.action
    update_robot(armature, options=order[1])
    assert armature.animation_data.action == action
    for frame in (1, 7):
        bpy.context.scene.frame_set(frame)
    assert get_joint_positions(armature) == pytest.approx(before, abs=1e-5)
    assert link_pose(armature, "hand") == pytest.approx(hand, abs=1e-5)


def test_keyframes_of_another_kind_of_motion_are_muted_and_named(path: Path) -> None:
    armature = import_robot(path).armature
    armature.pose.bones["wrist"].keyframe_insert("rotation_euler", index=0, frame=1)
    change(path, ('name="wrist" type="revolute"', 'name="wrist" type="prismatic"'))
    result = update_robot(armature)
    assert [(d.code, d.subject) for d in result.diagnostics] == [("muted-keyframes", "wrist")]


def test_keyframes_follow_new_names_of_a_file_or_are_named(path: Path) -> None:
    armature = import_robot(path).armature
    armature.pose.bones["wrist"].keyframe_insert("rotation_euler", index=0, frame=1)
    change(path, ('joint name="wrist"', 'joint name="hand_turn"'))
    seen = preview_update(armature)
    assert (seen.lost, seen.names) == (("wrist",), {"wrist": "hand_turn"})
    seen = preview_update(armature, names=seen.names)
    names = {"wrist": "hand_turn"}
    assert seen.lost == () and [str(each) for each in seen.changes] == [
        "joint 'wrist': name 'wrist' -> 'hand_turn'"
    ]
    assert compare_with_source(armature, names=names) == seen.changes
    assert update_robot(armature, names=names).diagnostics == ()
    (curve,) = find_curves(armature)
    assert armature.path_resolve(curve.data_path) is not None and "hand_turn" in curve.data_path
    assert compare_with_source(armature) == ()
    change(path, ('joint name="hand_turn"', 'joint name="twist"'))
    result = update_robot(armature)
    assert [(d.code, d.subject) for d in result.diagnostics] == [("lost-keyframes", "hand_turn")]


def test_keyframes_of_a_joint_that_is_fixed_now_are_named(path: Path) -> None:
    """Also in an action that is kept for later."""
    armature = import_robot(path).armature
    armature.pose.bones["wrist"].keyframe_insert("rotation_euler", index=0, frame=1)
    armature.animation_data.action.use_fake_user = True
    armature.animation_data.action = None
    change(path, ('name="wrist" type="revolute"', 'name="wrist" type="fixed"'))
    result = update_robot(armature)
    assert [(d.code, d.subject) for d in result.diagnostics] == [("lost-keyframes", "wrist")]


def test_drivers_of_the_user_go_on(path: Path) -> None:
    result = import_robot(path)
    armature = result.armature
    armature["wish"] = 0.5
    curve = armature.pose.bones["wrist"].driver_add("rotation_euler", 0)
    variable = curve.driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = armature, '["wish"]'
    curve.driver.expression = variable.name
    reader = new_object("Reader")
    curve = reader.driver_add("location", 0)
    variable = curve.driver.variables.new()
    swing = next(
        (bone.name, j["properties"][0], j["indices"][0], j["sign"])
        for bone in armature.data.bones
        for j in bone.get("urdf_joints", ())
        if j["name"] == "swing"
    )
    variable.targets[0].id = armature
    variable.targets[0].data_path = f'pose.bones["{swing[0]}"].{swing[1]}[{swing[2]}]'
    curve.driver.expression = f"{swing[3]} * {variable.name}"
    set_joint_positions(armature, {"swing": 0.75})
    update_robot(armature, options=APART)
    bpy.context.view_layer.update()
    assert get_joint_positions(armature)["wrist"] == pytest.approx(0.5)
    assert reader.location.x == pytest.approx(0.75)


def test_constraints_and_bones_of_the_user_stay(path: Path) -> None:
    armature = import_robot(path, options=APART).armature
    target = new_object("Target")
    for name in ("swing", "elbow"):
        constraint = armature.pose.bones[name].constraints.new("DAMPED_TRACK")
        constraint.name, constraint.target, constraint.mute = "mine", target, True
    follower = new_object("Follower")
    copied = follower.constraints.new("COPY_TRANSFORMS")
    copied.target, copied.subtarget = armature, "swing"
    armature.pose.bones["elbow"].constraints["Limit Rotation"].mute = True
    change(path, ('lower="-1.5"', 'lower="-1"'))
    update_robot(armature, options=ImportOptions())
    bone = armature.pose.bones["elbow"]
    assert [(c.name, c.mute) for c in bone.constraints] == [
        ("Limit Rotation", True),
        ("mine", True),
    ]
    assert bone.constraints["Limit Rotation"].min_x == pytest.approx(-1)
    assert armature.pose.bones["shoulder>swing"].constraints["mine"].target == target
    assert copied.subtarget == "shoulder>swing"


def test_attached_objects_follow_their_link(path: Path) -> None:
    result = import_robot(path)
    armature = result.armature
    bones = result.bones
    on_empty = new_object("Hat", result.links["fore"])
    on_bone = new_object("Sleeve", armature, bones["elbow"])
    set_joint_positions(armature, POSE)

    def places() -> list[Any]:
        shown = np.linalg.inv(world(result.links["fore"]))
        return [shown @ world(item) for item in (on_empty, on_bone)]

    before = places()
    change(path, ('<origin xyz="0.5 0 0"/>', '<origin xyz="0 0.75 0.25"/>'))
    change(path, ('<origin xyz="1 0 0"/>', '<origin xyz="2 0 0"/>'))
    assert update_robot(armature).diagnostics == ()
    assert np.allclose(places(), before, atol=1e-5)
    update_robot(armature, options=APART)
    assert np.allclose(places(), before, atol=1e-5)


def test_attachments_of_what_is_gone_keep_their_place(path: Path) -> None:
    result = import_robot(path)
    armature = result.armature
    set_joint_positions(armature, POSE)
    ring = new_object("Ring", result.links["hand"])
    glove = new_object("Glove", armature, result.bones["wrist"])
    before = world(ring), world(glove)
    drop_link(path, "hand", "wrist")
    found = update_robot(armature)
    assert {(d.code, d.subject) for d in found.diagnostics} == {
        ("moved-attachment", "Ring"),
        ("moved-attachment", "Glove"),
    }
    assert "hand" not in bpy.data.objects and "wrist" not in armature.data.bones
    assert ring.parent == glove.parent == found.links["fore"]
    assert np.allclose((world(ring), world(glove)), before, atol=1e-5)


def test_materials_of_the_user_stay_and_others_follow(path: Path) -> None:
    result = import_robot(path)
    base, (shell, ball) = result.visuals["base"][0], result.visuals["upper"]
    bpy.data.materials["grey"].node_tree.nodes["Principled BSDF"].inputs[
        "Metallic"
    ].default_value = 1
    glass = bpy.data.materials.new("glass")
    ball.material_slots[0].material = glass
    change(path, ("0.8 0.1 0.1 1", "0.1 0.8 0.1 1"), ("0.5 0.5 0.5 1", "0.1 0.1 0.1 1"))
    update_robot(result.armature)
    assert base.material_slots[0].material.diffuse_color[0] == pytest.approx(0.2140, abs=1e-3)
    assert shell.material_slots[0].material.diffuse_color[1] == pytest.approx(0.6038, abs=1e-3)
    assert ball.material_slots[0].material == glass
    assert sorted(bpy.data.materials.keys()) == ["glass", "grey", "red"]


def test_objects_keep_what_the_user_set(path: Path) -> None:
    result = import_robot(path)
    shell, ball = result.visuals["upper"]
    shell.name, shell["note"], shell.hide_render = "Mine", 7, True
    shell.modifiers.new("Bevel", "BEVEL")
    shell.lock_location = (False, False, False)
    shell.location.x += 1.0
    bpy.data.objects.remove(ball)
    result.armature.location = (1.0, 2.0, 3.0)
    change(path, ('size="0.2 0.2 1"', 'size="0.3 0.3 1"'))
    found = update_robot(result.armature)
    assert found.visuals["upper"] == [shell]
    assert (shell.name, shell["note"], shell.hide_render) == ("Mine", 7, True)
    assert shell.modifiers.keys() == ["Bevel"] and shell.location.x == pytest.approx(1.0)
    assert shell.dimensions.x == pytest.approx(0.3)
    assert tuple(result.armature.location) == (1.0, 2.0, 3.0)


def test_bones_of_the_user_stay(path: Path) -> None:
    armature = import_robot(path).armature
    bpy.ops.object.mode_set(mode="EDIT")
    made = armature.data.edit_bones.new("Pole")
    made.head, made.tail = (0, 0, 3), (0, 0, 4)
    made.parent = armature.data.edit_bones["wrist"]
    bpy.ops.object.mode_set(mode="POSE")
    drop_link(path, "hand", "wrist")
    update_robot(armature)
    pole = armature.data.bones["Pole"]
    assert pole.parent.name == "elbow" and tuple(pole.head_local) == (0.0, 0.0, 3.0)
    assert armature.mode == "POSE"


def test_a_hidden_rig_is_updated_too(path: Path) -> None:
    armature = import_robot(path).armature
    armature.hide_viewport = True
    armature.users_collection[0].hide_viewport = True
    change(path, ('<origin xyz="1 0 0"/>', '<origin xyz="2 0 0"/>'))
    update_robot(armature)
    assert armature.hide_viewport and len(armature.users_collection) == 1
    assert armature.data.bones["elbow"].head_local.x == pytest.approx(2)


@pytest.mark.parametrize(
    ("text", "kind"),
    [(None, ReadError), ("<robot", ReadError), (ARM.replace('"fore"', '"base"'), KinematicsError)],
    ids=["missing", "broken", "no robot"],
)
def test_what_cannot_be_read_leaves_the_rig_as_it_was(
    path: Path, text: str | None, kind: type[Exception]
) -> None:
    armature = import_robot(path).armature
    shown, listed = describe_scene(), list_data()
    path.unlink() if text is None else path.write_text(
        text
        if kind is ReadError
        else '<robot name="r"><link name="a"/><joint name="j" '
        'type="fixed"><parent link="a"/><child link="a"/><origin xyz="1e9 0 0"/></joint>'
        '<link name="b"/><joint name="k" type="fixed"><parent link="a"/><child link="b"/>'
        '<origin xyz="1e9 0 0"/></joint></robot>'
    )
    with pytest.raises(kind):
        update_robot(armature)
    assert describe_scene() == shown and list_data() == listed


def test_a_failure_while_building_leaves_the_rig_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from urdf_importer.core.blender.build import build

    armature = import_robot(path).armature
    shown, listed = describe_scene(), list_data()
    change(path, ('<origin xyz="1 0 0"/>', '<origin xyz="2 0 0"/>'))

    def fail(*arguments: object) -> None:
        raise BuildError("no room")

    monkeypatch.setattr(build, "build_drivers", fail)
    with pytest.raises(BuildError, match="no room"):
        update_robot(armature)
    assert describe_scene() == shown and list_data() == listed


def test_another_file(path: Path, tmp_path: Path) -> None:
    armature = import_robot(path).armature
    other = tmp_path / "other.urdf"
    other.write_text(ARM)
    path.unlink()
    assert told(armature, path=other) == [f"source: {path} -> {other}"]
    update_robot(armature, path=other)
    assert update_robot(armature).changes == ()


def test_other_objects_are_refused() -> None:
    with pytest.raises(BuildError, match="'Thing' has no record of its import"):
        update_robot(bpy.data.objects.new("Thing", None))


def test_actions_kept_for_later_go_on(path: Path) -> None:
    armature = import_robot(path, options=APART).armature
    set_joint_positions(armature, POSE)
    for name in ("shoulder", "swing"):
        armature.pose.bones[name].keyframe_insert("rotation_euler", frame=1)
    action = armature.animation_data.action
    slot = getattr(armature.animation_data, "action_slot", None)
    action.use_fake_user = True
    armature.animation_data.action = None
    update_robot(armature, options=ImportOptions())
    set_joint_positions(armature, {"shoulder": 0.0, "swing": 0.0})
    armature.animation_data.action = action
    if slot is not None:
        armature.animation_data.action_slot = slot
    bpy.context.scene.frame_set(1)
    assert get_joint_positions(armature) == pytest.approx(POSE, abs=1e-5)
