# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that a user put on links, and keyframes of joints that move in another way for a while."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import mathutils
import numpy as np
import pytest

from support.blender.rigs import new_scene
from urdf_importer import (
    CollisionOptions,
    extract_robot,
    find_reshaped,
    fit_collisions,
    import_robot,
    read_robot,
    set_joint_positions,
    update_robot,
    write_urdf,
)
from urdf_importer.core.blender.standing.joints import read_joints
from urdf_importer.core.blender.standing.keys import curves_of, insert_key
from urdf_importer.core.meshes import load_mesh
from urdf_importer.core.model import Box, Inertial, Mesh, Robot

URDF = """<robot name="arm">
<link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
<link name="hand"/>
<joint name="elbow" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/>
<origin xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>"""


@pytest.fixture
def rig(tmp_path: Path) -> Any:
    new_scene()
    (tmp_path / "arm.urdf").write_text(URDF)
    return import_robot(tmp_path / "arm.urdf")


def refuse(code: str, message: str) -> None:
    raise AssertionError(code)


def key_elbow(rig: Any) -> Any:
    """Inserts a key; returns its curve."""
    bone = rig.armature.pose.bones[rig.bones["elbow"]]
    channel = read_joints(bone.bone)[0].channels[0]
    insert_key(bone, channel.prop, channel.index)
    (curve,) = curves_of(rig.armature.animation_data.action)
    return curve


def make_wedge(name: str) -> Any:
    """A tetrahedron of different lengths along its axes."""
    mesh = bpy.data.meshes.new(name)
    corners = [(0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0, 0, 0.1)]
    mesh.from_pydata(corners, [], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
    return mesh


def hang(rig: Any, link: str, data: Any, name: str) -> Any:
    item = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(item)
    item.parent = rig.links[link]
    return item


def change(rig: Any, robot: Robot | None = None) -> None:
    """An update that changes a link's mass, or to `robot`."""
    robot = robot or find_reshaped(rig.armature)
    inertial = Inertial(mass=1.0 + robot.total_mass())
    links = tuple(replace(each, inertial=inertial) for each in robot.links)
    update_robot(rig.armature, robot=replace(robot, links=links))


def read_back(rig: Any, tmp_path: Path, link: str) -> tuple[Robot, Any]:
    path = write_urdf(rig.armature, tmp_path / "out.urdf").path
    robot = read_robot(path)
    return robot, next(each for each in robot.links if each.name == link)


def test_a_mesh_in_the_place_of_an_imported_one_stays(rig: Any) -> None:
    item, mine = rig.visuals["base"][0], make_wedge("mine")
    item.data = mine
    change(rig)
    assert item.data == mine


def test_collisions_are_fitted_around_shapes_that_were_put_on_a_link(rig: Any) -> None:
    item = hang(rig, "hand", make_wedge("wedge"), "wedge")
    item.location = (0.0, 0.0, 0.5)
    fitted = fit_collisions(rig, options=CollisionOptions(shape="box", links=("hand",)))
    (shape,) = fitted.links["hand"].collisions
    assert isinstance(shape.geometry, Box) and shape.origin.xyz[2] > 0.5
    assert extract_robot(rig.armature).links[1].collisions == ()
    update_robot(rig.armature, robot=fitted.robot)
    assert len(extract_robot(rig.armature).links[1].collisions) == 1
    assert item.parent == rig.links["hand"]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_mirrored_objects_keep_their_rotation(rig: Any, tmp_path: Path, axis: int) -> None:
    item = hang(rig, "hand", make_wedge("wedge"), "wedge")
    item.scale[axis] = -2.0
    _, hand = read_back(rig, tmp_path, "hand")
    (visual,) = hand.visuals
    assert visual.origin.rpy == (0.0, 0.0, 0.0)
    assert isinstance(visual.geometry, Mesh)
    shown = np.array([corner.co[:] for corner in item.data.vertices]) * np.array(item.scale)
    made = load_mesh(tmp_path / visual.geometry.filename, (1.0, 1.0, 1.0), refuse)
    one, other = (np.unique(np.round(each, 6), axis=0) for each in (made.vertices, shown))
    np.testing.assert_allclose(one, other, atol=2e-6)


def test_a_collection_on_a_link_is_written(rig: Any, tmp_path: Path) -> None:
    inner, outer = (bpy.data.collections.new(name) for name in ("inner", "outer"))
    inner.instance_offset = (0.0, 0.0, 0.25)
    for place, collection in ((1.0, inner), (2.0, outer)):
        item = bpy.data.objects.new("wedge", make_wedge("wedge"))
        item.location.x = place
        collection.objects.link(item)
    nested = bpy.data.objects.new("nested", None)
    nested.instance_type, nested.instance_collection = "COLLECTION", inner
    nested.location.y = 3.0
    outer.objects.link(nested)
    shown = hang(rig, "hand", None, "shown")
    shown.instance_type, shown.instance_collection = "COLLECTION", outer
    shown.matrix_basis = mathutils.Matrix.Translation((0.0, 0.0, 5.0))
    _, hand = read_back(rig, tmp_path, "hand")
    places = sorted(each.origin.xyz for each in hand.visuals)
    np.testing.assert_allclose(places, [(1.0, 3.0, 4.75), (2.0, 0.0, 5.0)], atol=1e-6)


def test_keyframes_come_back_where_a_joint_turns_again(rig: Any) -> None:
    for frame, angle in ((1, 0.0), (20, 1.0)):
        bpy.context.scene.frame_set(frame)
        set_joint_positions(rig.armature, {"elbow": angle})
        curve = key_elbow(rig)
    before = [point.co[:] for point in curve.keyframe_points]
    turning = find_reshaped(rig.armature)
    sliding = replace(turning, joints=(replace(turning.joints[0], type="prismatic"),))
    result = update_robot(rig.armature, robot=sliding)
    assert [each.code for each in result.diagnostics] == ["muted-keyframes"]
    assert curve.mute
    update_robot(rig.armature, robot=turning)
    assert not curve.mute and not curve.modifiers
    assert [point.co[:] for point in curve.keyframe_points] == before
    turned = replace(turning.joints[0], axis=(0.0, 0.0, -1.0))
    update_robot(rig.armature, robot=sliding)
    update_robot(rig.armature, robot=replace(turning, joints=(turned,)))
    (curve,) = curves_of(rig.armature.animation_data.action)
    assert not curve.mute


def test_curves_that_the_user_muted_stay_muted(rig: Any) -> None:
    curve = key_elbow(rig)
    curve.mute = True
    turning = find_reshaped(rig.armature)
    sliding = replace(turning, joints=(replace(turning.joints[0], type="prismatic"),))
    for robot in (sliding, turning):
        update_robot(rig.armature, robot=robot)
    assert curve.mute


def test_joints_whose_names_begin_alike_keep_their_own_curves(tmp_path: Path) -> None:
    names = [f"{'arm_of_the_robot_' * 4}{side}" for side in ("left", "right")]
    links = "".join(f'<link name="{each}"/>' for each in ("base", "left", "right"))
    joints = "".join(
        f'<joint name="{name}" type="revolute"><parent link="base"/><child link="{child}"/>'
        '<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>'
        for name, child in zip(names, ("left", "right"), strict=True)
    )
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm">{links}{joints}</robot>')
    new_scene()
    rig = import_robot(tmp_path / "arm.urdf")
    for name in names:
        bone = rig.armature.pose.bones[rig.bones[name]]
        channel = read_joints(bone.bone)[0].channels[0]
        insert_key(bone, channel.prop, channel.index)
    turning = find_reshaped(rig.armature)
    sliding = [replace(each, type="prismatic") for each in turning.joints]
    update_robot(rig.armature, robot=replace(turning, joints=tuple(sliding)))
    half = (sliding[0], turning.joints[1])
    update_robot(rig.armature, robot=replace(turning, joints=half))
    muted = {curve.data_path: curve.mute for curve in curves_of(rig.armature.animation_data.action)}
    assert muted == {
        f'pose.bones["{rig.bones[name]}"].rotation_euler': name == names[0] for name in names
    }
