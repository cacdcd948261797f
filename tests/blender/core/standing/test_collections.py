# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot's collections: the armature comes first, and what is hidden stays so wherever it goes."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene, override_collection
from support.blender.sidebars import SAMPLES, activate, load
from urdf_importer import import_robot, save_blend, update_robot
from urdf_importer.core.blender.standing.display import (
    find_collection,
    find_layers,
    find_parts,
    find_switch,
)
from urdf_importer.core.blender.standing.robot_table import list_robots

pytestmark = pytest.mark.usefixtures("scene")

HIDDEN = ("Collisions", "Inertials")


def hidden_shapes(robot: Any) -> tuple[list[Any], list[Any]]:
    """Objects of a robot that are to be hidden, and those of them that are seen."""
    bpy.context.view_layer.update()
    parts = find_parts(robot)
    found = [item for part in HIDDEN for home in parts[part] for item in home.objects]
    return found, [item for item in found if item.visible_get()]


def assert_hidden(robot: Any) -> None:
    found, seen = hidden_shapes(robot)
    assert len(found) == 14 and seen == []
    visuals = [item for home in find_parts(robot)["Visuals"] for item in home.objects]
    assert visuals and all(item.visible_get() for item in visuals)


def save_leg(tmp_path: Path) -> Path:
    load("quadruped_leg")
    path = tmp_path / "leg.blend"
    save_blend(path)
    return path


def take_collection(path: Path, *, link: bool) -> Any:
    new_scene()
    with bpy.data.libraries.load(str(path), link=link) as (_, wanted):
        wanted.collections = ["quadruped_leg"]
    return wanted.collections[0]


def test_the_armature_is_the_first_thing() -> None:
    """An outliner shows collections in this order, and objects after them."""
    first, second = load("quadruped_leg"), load("quadruped_leg")
    for robot, end in ((first, ""), (second, ".001")):
        home = find_collection(robot)
        assert home.name == f"quadruped_leg{end}" and not home.objects
        names = [child.name for child in home.children]
        parts = ("rig", "links", "visuals", "collisions", "inertials")
        assert names == [f"quadruped_leg {part}{end}" for part in parts]
        assert list(home.children[0].objects) == [robot]


@pytest.mark.parametrize("way", ["appended", "overridden"])
def test_what_is_hidden_stays_so_in_other_files(tmp_path: Path, way: str) -> None:
    collection = take_collection(save_leg(tmp_path), link=way != "appended")
    if way == "appended":
        bpy.context.scene.collection.children.link(collection)
    else:
        override_collection(collection, fully=False)
    (robot,) = list_robots()
    assert robot.library is None
    assert_hidden(robot)


def test_what_is_hidden_stays_so_in_other_scenes() -> None:
    robot = load("quadruped_leg")
    home = find_collection(robot)
    scene = bpy.data.scenes.new("other")
    bpy.context.window.scene = scene
    scene.collection.children.link(home)
    assert_hidden(robot)


def test_linked_instances_hide_it_too(tmp_path: Path) -> None:
    """An instance shows what its collection shows."""
    collection = take_collection(save_leg(tmp_path), link=True)
    holder = bpy.data.objects.new("leg", None)
    holder.instance_type, holder.instance_collection = "COLLECTION", collection
    bpy.context.scene.collection.objects.link(holder)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shown = {each.object.original for each in depsgraph.object_instances if each.is_instance}
    parts = {item.get("urdf_part") for item in shown}
    assert "Visuals" in parts and not parts & set(HIDDEN)


def test_bodies_move_although_they_are_hidden() -> None:
    robot = load("quadruped_leg", rigid_bodies=True)
    bodies = [item for item in hidden_shapes(robot)[0] if item.rigid_body is not None]
    assert bodies
    scene = bpy.context.scene
    before = {}
    for frame, turned in ((1, 0.0), (2, 0.5)):
        robot.pose.bones["knee"].rotation_euler.x = turned
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for body in bodies:
            world = np.array(body.evaluated_get(depsgraph).matrix_world)
            wanted = np.array(body.parent.matrix_world) @ np.array(body.matrix_basis)
            assert world == pytest.approx(wanted, abs=1e-5)
            before.setdefault(body, world)
    assert any(np.abs(before[body] - body.matrix_world).max() > 0.01 for body in bodies)


def hide_as_before(robot: Any) -> None:
    """Makes of a new rig what an import of before left: hidden by the eye, the armature and parts
    without a name of their own in one collection."""
    home = find_collection(robot)
    rig = home.children[0]
    home.objects.link(robot)
    bpy.data.collections.remove(rig)
    layer = bpy.context.view_layer.layer_collection.children[home.name]
    for child in home.children:
        child.name = child["urdf_part"]
        if child.hide_viewport:
            child.hide_viewport = False
            layer.children[child.name].hide_viewport = True


@pytest.mark.parametrize("part", HIDDEN)
@pytest.mark.parametrize("old", [False, True])
def test_the_switch_shows_and_hides(part: str, old: bool) -> None:
    robot = load("quadruped_leg")
    if old:
        hide_as_before(robot)
    (home,) = find_parts(robot)[part]
    for shown in (True, False, True):
        (layer,) = find_layers(bpy.context.view_layer, [home])
        switch = find_switch(layer, part)
        assert switch.hide_viewport == shown
        switch.hide_viewport = not shown
        bpy.context.view_layer.update()
        assert all(item.visible_get() == shown for item in home.objects)


def test_a_file_of_before_is_updated_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "leg.urdf"
    path.write_bytes((SAMPLES / "quadruped_leg.urdf").read_bytes())
    robot = import_robot(path).armature
    hide_as_before(robot)
    home = find_collection(robot)
    assert list(home.objects) == [robot]
    text = path.read_text()
    path.write_text(text.replace("</robot>", '<link name="more"/></robot>'))
    count = len(bpy.data.collections)
    activate(robot)
    update_robot(robot)
    assert len(bpy.data.collections) == count and list(robot.users_collection) == [home]
    assert [child["urdf_part"] for child in home.children] == ["Links", "Visuals", *HIDDEN]
    assert home.children[0].name == "quadruped_leg links" and "more" in home.children[0].objects
    assert_hidden(robot)
