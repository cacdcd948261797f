# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as an asset, and what becomes of it in other files: it is fully alive."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene, override_collection
from support.blender.sidebars import activate, load, sliders_of
from urdf_importer import (
    BuildError,
    extract_robot,
    get_joint_positions,
    link_pose,
    mark_as_asset,
    set_joint_positions,
)
from urdf_importer.core.blender.standing.display import enforces_limits, find_thumbnail
from urdf_importer.core.blender.standing.instances import make_posable
from urdf_importer.core.blender.standing.robot_table import find_robot

pytestmark = pytest.mark.usefixtures("extension", "scene")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A file with a marked robot."""
    robot = load("two_link_arm")
    activate(robot)
    assert bpy.ops.urdf.mark_asset() == {"FINISHED"}
    path = tmp_path / "robots.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_it_has_a_picture_and_one_line(library: Path) -> None:
    collection = bpy.data.collections["two_link_arm"]
    data = collection.asset_data
    assert data.description.startswith("2 moving joints") and data.description.endswith("kg")
    assert [tag.name for tag in data.tags] == ["two_link_arm"]
    assert tuple(collection.preview.image_size) == (256, 256)
    pixels = np.array(collection.preview.image_pixels_float[:]).reshape(-1, 4)[:, :3]
    assert pixels.std() > 0.05, "the picture shows nothing"
    assert not [image for image in bpy.data.images if "robot" in image.name]


def test_a_thumbnail_is_kept_in_the_file_and_taken_anew(tmp_path: Path) -> None:
    robot = load("two_link_arm")
    activate(robot)
    assert find_thumbnail(robot) is None
    shown = []
    for elbow in (0.0, 1.5):
        set_joint_positions(robot, {"elbow": elbow})
        assert bpy.ops.urdf.make_thumbnail() == {"FINISHED"}
        shown.append(np.array(find_thumbnail(robot).image_pixels_float[:]))
    assert np.abs(shown[0] - shown[1]).max() > 0.2, "it shows the pose"
    assert bpy.data.collections["two_link_arm"].asset_data is None, "it makes no asset"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "p.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "p.blend"))
    kept = find_thumbnail(bpy.data.objects["two_link_arm"])
    assert tuple(kept.image_size) == (256, 256)


def bring(library: Path, way: str) -> Any:
    """The robot in a new file, as Blender's asset browser brings it."""
    new_scene()
    with bpy.data.libraries.load(str(library), link=way == "override", assets_only=True) as (
        there,
        here,
    ):
        here.collections = list(there.collections)
    (collection,) = here.collections
    scene = bpy.context.scene
    if way == "append":
        scene.collection.children.link(collection)
    else:
        override_collection(collection)
    bpy.context.view_layer.update()
    return next(item for item in scene.objects if item.type == "ARMATURE")


@pytest.mark.parametrize("way", ["append", "override"])
def test_in_another_file_it_is_alive(library: Path, way: str, extension: ModuleType) -> None:
    before = extract_robot(bpy.data.objects["two_link_arm"])
    robot = bring(library, way)
    assert extract_robot(robot) == before
    assert all(find_robot(item) == robot for item in bpy.context.scene.objects)
    rest = link_pose(robot, "forearm")
    set_joint_positions(robot, {"shoulder": 0.5, "elbow": 99.0})
    bpy.context.view_layer.update()
    shown = get_joint_positions(robot)
    assert shown["shoulder"] == pytest.approx(0.5) and shown["elbow"] < 7.0
    assert np.abs(link_pose(robot, "forearm") - rest).max() > 0.1
    assert enforces_limits(robot)
    activate(robot)
    assert bpy.ops.urdf.zero_pose.poll() and bpy.ops.urdf.zero_pose() == {"FINISHED"}
    ((bone, slider),) = sliders_of(extension, robot)["shoulder"]
    setattr(bone, slider, 0.25)
    bpy.context.view_layer.update()
    assert get_joint_positions(robot)["shoulder"] == pytest.approx(0.25)
    hidden = [c for c in bpy.data.collections if c.get("urdf_part") in ("Collisions", "Inertials")]
    assert hidden and all(collection.hide_viewport for collection in hidden)


def test_what_belongs_to_another_file_is_marked_there(library: Path) -> None:
    robot = bring(library, "override")
    with pytest.raises(BuildError, match="belongs to another file"):
        mark_as_asset(robot)


# Instances: what the asset browser may make instead


def bring_instance(library: Path, *, link: bool) -> Any:
    """An empty that shows the robot, somewhere else."""
    new_scene()
    with bpy.data.libraries.load(str(library), link=link) as (_, here):
        here.collections = ["two_link_arm"]
    return show(here.collections[0])


def show(collection: Any) -> Any:
    holder = bpy.data.objects.new("dragged in", None)
    holder.instance_type, holder.instance_collection = "COLLECTION", collection
    holder.location, holder.rotation_euler = (1.0, 2.0, 0.5), (0.0, 0.0, 0.7)
    bpy.context.scene.collection.objects.link(holder)
    bpy.context.view_layer.update()
    activate(holder)
    return holder


def shown_at() -> dict[str, list[np.ndarray]]:
    """Where the depsgraph shows the robot's visuals, instances or not."""
    places: dict[str, list[np.ndarray]] = {}
    for each in bpy.context.evaluated_depsgraph_get().object_instances:
        if each.object.original.get("urdf_part") == "Visuals":
            name = each.object.data.name.split(".")[0]
            places.setdefault(name, []).append(np.array(each.matrix_world))
    return places


def assert_same_places(before: dict[str, list[np.ndarray]]) -> None:
    after = shown_at()
    assert after.keys() == before.keys()
    for name, places in before.items():
        for one in places:
            assert min(np.abs(one - other).max() for other in after[name]) < 1e-5, name


@pytest.mark.parametrize("link", [True, False])
def test_an_instance_becomes_a_robot_in_its_place(library: Path, link: bool) -> None:
    bring_instance(library, link=link)
    before = shown_at()
    assert before and bpy.ops.urdf.zero_pose.poll() is False
    assert bpy.ops.urdf.make_posable() == {"FINISHED"}
    assert "dragged in" not in bpy.data.objects
    robot = bpy.context.view_layer.objects.active
    assert (robot.override_library is not None) == link and robot.is_editable
    assert_same_places(before)
    set_joint_positions(robot, {"shoulder": 0.5})
    bpy.context.view_layer.update()
    assert get_joint_positions(robot)["shoulder"] == pytest.approx(0.5)
    assert bpy.ops.urdf.zero_pose.poll() and not bpy.ops.urdf.make_posable.poll()


@pytest.mark.parametrize("link", [True, False])
def test_each_of_two_instances_is_posed_alone(library: Path, link: bool) -> None:
    first = bring_instance(library, link=link)
    second = show(first.instance_collection)
    second.location.x = -3.0
    bpy.context.view_layer.update()
    before = shown_at()
    activate(first)
    bpy.ops.urdf.make_posable()
    one = bpy.context.view_layer.objects.active
    activate(second)
    bpy.ops.urdf.make_posable()
    other = bpy.context.view_layer.objects.active
    assert one != other
    assert_same_places(before)
    set_joint_positions(one, {"shoulder": 0.5})
    assert get_joint_positions(other)["shoulder"] == 0.0


def test_what_moves_an_instance_moves_the_robot(library: Path) -> None:
    holder = bring_instance(library, link=True)
    holder.keyframe_insert("location", frame=1)
    before = shown_at()
    bpy.ops.urdf.make_posable()
    robot = bpy.context.view_layer.objects.active
    assert robot.parent == holder and holder.instance_collection is None
    assert_same_places(before)


def test_an_instance_of_anything_else_is_left_alone() -> None:
    holder = show(bpy.data.collections.new("props"))
    assert not bpy.ops.urdf.make_posable.poll()
    with pytest.raises(BuildError, match="not an instance of a robot"):
        make_posable(holder)
