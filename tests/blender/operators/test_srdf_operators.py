# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF in Blender's interface: what operators do is what the library does."""

import math
from pathlib import Path
from typing import Any

import bpy
import pytest

import urdf_importer
from support.readable_robots import DATA
from urdf_importer.core.blender.semantics.apply import find_state
from urdf_importer.core.blender.semantics.blending import PoseBlend, _mix

pytestmark = pytest.mark.usefixtures("scene", "extension")

SRDF = DATA / "every_element.srdf"
LINKS = ("base", "upper", "forearm", "hand", "tip")
JOINTS = ("shoulder", "elbow", "wrist", "finger")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    shape = '<collision><geometry><box size="0.3 0.05 0.05"/></geometry></collision>'
    links = "".join(f'<link name="{name}">{shape}</link>' for name in LINKS)
    joints = "".join(
        f"""<joint name="{name}" type="revolute"><parent link="{LINKS[i]}"/>
        <child link="{LINKS[i + 1]}"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1"/></joint>"""
        for i, name in enumerate(JOINTS)
    )
    file = tmp_path / "arm.urdf"
    file.write_text(f'<robot name="arm">{links}{joints}</robot>')
    return file


@pytest.fixture
def arm(path: Path) -> Any:
    bpy.ops.import_scene.urdf(filepath=str(path))
    bpy.ops.urdf.import_srdf(filepath=str(SRDF))
    return bpy.context.view_layer.objects.active


def test_an_srdf_comes_in_and_goes_out_with_its_bytes(arm: Any, tmp_path: Path) -> None:
    assert {each.name for each in arm.data.collections["Groups"].children} == {"arm", "hand"}
    bpy.ops.export_scene.srdf(filepath=str(tmp_path / "out.srdf"))
    assert (tmp_path / "out.srdf").read_bytes() == SRDF.read_bytes()


def test_the_import_takes_one_with_the_robot(path: Path) -> None:
    beside = path.with_suffix(".srdf")
    beside.write_bytes(SRDF.read_bytes())
    bpy.ops.import_scene.urdf(filepath=str(path))
    assert "urdf_semantics" not in bpy.context.view_layer.objects.active
    bpy.ops.import_scene.urdf(filepath=str(path), use_srdf=True)
    armature = bpy.context.view_layer.objects.active
    assert armature["urdf_semantics"]["source"] == str(beside)
    bpy.ops.import_scene.urdf(filepath=str(path), srdf="auto")
    assert "urdf_semantics" in bpy.context.view_layer.objects.active


def test_groups_are_selected_and_keyed(arm: Any) -> None:
    bpy.ops.urdf.select_group(group="hand")
    assert bpy.context.mode == "POSE"
    holders = [bone if hasattr(bone, "select") else bone.bone for bone in arm.pose.bones]
    assert [holder.name for holder in holders if holder.select] == ["finger"]
    bpy.ops.urdf.key_group(group="hand")
    assert arm.animation_data.action is not None
    with pytest.raises(RuntimeError, match="no group 'nobody'"):
        bpy.ops.urdf.select_group(group="nobody")


def test_states_are_shown_and_kept(arm: Any) -> None:
    bpy.ops.urdf.show_state(group="arm", state="home")
    assert arm.pose.bones["shoulder"].rotation_euler.x == pytest.approx(0.5)
    arm.pose.bones["finger"].rotation_euler.x = 0.25
    bpy.context.view_layer.update()
    bpy.ops.urdf.new_state(group="hand", state="closed")
    assert bpy.data.actions["hand: closed"].asset_data is not None
    state = urdf_importer.extract_semantics(arm).group_states[1]
    assert (state.name, state.group) == ("closed", "hand")
    assert dict(state.positions)["finger"] == pytest.approx((0.25,))
    arm.pose.bones["finger"].rotation_euler.x = 0.75
    bpy.context.view_layer.update()
    bpy.ops.urdf.new_state(group="hand", state="closed")
    assert len(urdf_importer.extract_semantics(arm).group_states) == 2
    with pytest.raises(RuntimeError, match="needs a name"):
        bpy.ops.urdf.new_state(group="hand", state=" ")
    with pytest.raises(RuntimeError, match="no state 'away'"):
        bpy.ops.urdf.show_state(group="arm", state="away")


def test_a_share_of_a_state_is_shown_and_keyed_with_auto_keying(arm: Any) -> None:
    shoulder, elbow = (arm.pose.bones[name] for name in ("shoulder", "elbow"))
    shoulder.rotation_euler.x, elbow.rotation_euler.x = 0.1, -0.5
    bpy.context.view_layer.update()
    goal = dict(find_state(arm, "arm", "home").positions)
    bpy.ops.urdf.show_state(group="arm", state="home", share=0.25)
    assert shoulder.rotation_euler.x == pytest.approx(0.1 + 0.25 * (goal["shoulder"][0] - 0.1))
    assert "elbow" not in goal and elbow.rotation_euler.x == -0.5
    assert arm.animation_data is None
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.ops.urdf.show_state(group="arm", state="home")
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    assert shoulder.rotation_euler.x == pytest.approx(goal["shoulder"][0])
    assert arm.animation_data.action is not None


def test_a_pose_is_taken_back_to_the_last_bit(arm: Any) -> None:
    arm.pose.bones["shoulder"].rotation_euler.x = 0.1
    arm.pose.bones["elbow"].rotation_euler.x = 3.0  # Beyond its limit.
    bpy.context.view_layer.update()
    before = [tuple(bone.rotation_euler) for bone in arm.pose.bones]
    blend = PoseBlend(arm, dict(find_state(arm, "arm", "home").positions))
    for share in (0.3, 1.0, 0.6):
        blend.show(share)
    assert [tuple(bone.rotation_euler) for bone in arm.pose.bones] != before
    blend.take_back()
    assert [tuple(bone.rotation_euler) for bone in arm.pose.bones] == before


def test_turns_of_free_joints_and_root_controls_go_the_short_way() -> None:
    ball = (0.0, 0.0, math.sin(1.5), math.cos(1.5))
    half = _mix((0.0, 0.0, 0.0, 1.0), tuple(-each for each in ball), 0.5)
    assert [-each for each in half] == pytest.approx([0.0, 0.0, math.sin(0.75), math.cos(0.75)])
    flight = _mix((0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0), (4.0, 2.0, 0.0, *ball), 0.25)
    assert flight[:3] == pytest.approx((1.0, 2.0, 0.0))
    assert flight[3:] == pytest.approx((0.0, 0.0, math.sin(0.375), math.cos(0.375)))


def test_disabled_collisions_go_into_the_srdf(arm: Any) -> None:
    bpy.ops.urdf.find_disabled_collisions(samples=40, seed=2)
    kept = urdf_importer.extract_semantics(arm)
    wanted = urdf_importer.find_disabled_collisions(arm, samples=40, seed=2)
    assert {(p.link1, p.link2) for p in wanted} >= {("base", "upper"), ("base", "forearm")}
    names = {frozenset((pair.link1, pair.link2)) for pair in kept.disabled_collisions}
    assert names == {frozenset((pair.link1, pair.link2)) for pair in wanted}
    assert kept.groups[0].name == "arm"


def test_a_file_that_is_no_srdf_is_refused(arm: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.srdf"
    bad.write_text("<robot")
    before = urdf_importer.extract_semantics(arm)
    with pytest.raises(RuntimeError, match=r"bad\.srdf"):
        bpy.ops.urdf.import_srdf(filepath=str(bad))
    assert urdf_importer.extract_semantics(arm) == before
