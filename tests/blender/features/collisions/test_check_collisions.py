# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of rigs: in the pose that the scene shows, and with objects of the scene."""

from pathlib import Path
from typing import Any

import bpy
import pytest

from urdf_importer import (
    ArgumentError,
    CheckOptions,
    Diagnostics,
    KinematicsError,
    check_collisions,
    import_robot,
    sample_trajectory,
    set_joint_positions,
)
from urdf_importer.features.collisions import disabled_pairs
from urdf_importer.features.collisions.blender import links as by_blender
from urdf_importer.features.collisions.blender.obstacles import may_move
from urdf_importer.features.collisions.testers import TriangleTester

ROBOT = """<robot name="arm">
  <link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="rod"><collision><origin xyz="0.5 0 0"/>
    <geometry><box size="0.6 0.02 0.02"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
</robot>"""


@pytest.fixture
def arm(scene: Any, tmp_path: Path) -> Any:
    (tmp_path / "arm.urdf").write_text(ROBOT)
    return import_robot(tmp_path / "arm.urdf").armature


def cube(name: str, location: tuple[float, float, float], scale: float = 0.1) -> Any:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=location, scale=(scale,) * 3)
    bpy.context.object.name = name
    return bpy.context.object


def test_links_touch_objects_of_the_scene_where_the_scene_shows_both(arm: Any) -> None:
    cube("Post", (0.0, 1.5, 0.0))
    assert not check_collisions(arm, objects=["Post"]).collides
    arm.location = (0.0, 1.0, 0.0)
    set_joint_positions(arm, {"turn": 1.5707963})
    bpy.context.view_layer.update()
    (contact,) = check_collisions(arm, objects=["Post"]).contacts
    assert (contact.link1, contact.link2) == ("rod", "Post")
    assert contact.point == pytest.approx((0.0, 1.5, 0.0), abs=0.1)
    assert not check_collisions(arm, {"turn": 0.0}, objects="visible").collides
    assert check_collisions(arm, objects="visible").links == {"base": False, "rod": True}
    far = CheckOptions(distances=True, allowed=(("rod", "Post"),))
    report = check_collisions(arm, objects=bpy.data.objects["Post"], options=far)
    assert report.nearest == ("base", "Post")
    assert report.distance == pytest.approx(0.5 - 0.05 - 0.05, abs=1e-6)


def test_objects_that_move_are_met_on_their_way(arm: Any) -> None:
    post = cube("Post", (0.5, 0.0, 1.0))
    post.keyframe_insert("location", frame=1)
    post.location.z = -1.0
    post.keyframe_insert("location", frame=13)
    for curve in _curves_of(post):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    bpy.context.scene.frame_set(3)
    motion = sample_trajectory(arm, frame_range=(1, 13))
    (contact,) = check_collisions(
        arm, motion, objects=["Post"], options=CheckOptions(start_frame=1)
    ).contacts
    assert contact.start == pytest.approx((1.0 - 0.06) / 2.0 * 0.5, abs=2e-3)
    assert contact.end == pytest.approx((1.0 + 0.06) / 2.0 * 0.5, abs=2e-3)
    assert bpy.context.scene.frame_current == 3


def test_objects_that_nothing_moves_rest(scene: Any) -> None:
    posts = [cube(name, (0.0, 0.0, 0.0)) for name in ("Bare", "Muted", "Wall", "Ball", "Hand")]
    bare, muted, wall, ball, hand = posts
    bare.animation_data_create()
    muted.animation_data_create().nla_tracks.new().mute = True
    for item, kind in ((wall, "PASSIVE"), (ball, "ACTIVE"), (hand, "PASSIVE")):
        with bpy.context.temp_override(object=item, active_object=item, selected_objects=[item]):
            bpy.ops.rigidbody.object_add(type=kind)
    hand.rigid_body.kinematic = True
    assert [item.name for item in posts if may_move(item)] == ["Ball", "Hand"]
    muted.animation_data.nla_tracks[0].mute = False
    bare.driver_add("location", 0)
    wall.parent = ball
    assert all(may_move(item) for item in posts)
    bare.driver_remove("location", 0)
    bare.constraints.new("COPY_LOCATION")
    assert may_move(bare)


def _curves_of(item: Any) -> Any:
    action = item.animation_data.action
    if hasattr(action, "layers") and action.layers:
        return action.layers[0].strips[0].channelbags[0].fcurves
    return action.fcurves


def test_shapes_of_a_rig_are_read_again_after_they_change(arm: Any) -> None:
    cube("Post", (0.5, 0.5, 0.0))
    before = {each.name for each in bpy.data.objects}
    assert not check_collisions(arm, objects=["Post"]).collides
    assert {each.name for each in bpy.data.objects} == before
    (shape,) = [each for each in bpy.data.objects if each.name.startswith("rod") and each.data]
    for vertex in shape.data.vertices:
        vertex.co.y += 0.5
    shape.data.update()
    bpy.context.view_layer.update()
    (contact,) = check_collisions(arm, objects=["Post"]).contacts
    assert contact.link1 == "rod"


def test_bad_objects_are_one_sentence(arm: Any) -> None:
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Empty", None))
    with pytest.raises(KinematicsError, match="the scene has no object 'Nothing'"):
        check_collisions(arm, objects=["Nothing"])
    with pytest.raises(ArgumentError, match="'Empty' has no faces"):
        check_collisions(arm, objects=["Empty"])
    with pytest.raises(ArgumentError, match="objects are given by name, not as 3"):
        check_collisions(arm, objects=3)
    cube("Post", (0.0, 0.5, 0.0))
    arm.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    with pytest.raises(KinematicsError, match="is scaled"):
        check_collisions(arm, objects=["Post"])


def test_blenders_trees_answer_without_coal(arm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disabled_pairs, "find_coal", lambda: None)
    said = Diagnostics()
    assert isinstance(disabled_pairs.find_tester(said), by_blender.BvhTester)
    assert issubclass(by_blender.BvhTester, TriangleTester)
    assert [each.code for each in said] == ["without-coal"]
    cube("Post", (0.5, 0.0, 0.0))
    report = check_collisions(arm, objects=["Post"], options=CheckOptions(margin=0.01))
    assert report.pairs == {frozenset(("rod", "Post"))}
