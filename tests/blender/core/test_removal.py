# SPDX-License-Identifier: GPL-3.0-or-later
"""The removal of datablocks, past the notices of changes where no view knows them."""

from pathlib import Path
from typing import Any

import bpy
import pytest

from urdf_importer.core.blender.arrays import hide_in_renders
from urdf_importer.core.blender.ledger import Ledger, remove_datablocks

pytestmark = pytest.mark.usefixtures("scene")


def make(name: str, parent: Any = None) -> Any:
    ledger = Ledger()
    made = ledger.new_object(name, ledger.new_mesh(name))
    made.parent = parent
    return made


def test_parents_and_children_go_together() -> None:
    parent = make("parent")
    child = make("child", parent)
    remove_datablocks([parent, child])
    assert not bpy.data.objects
    assert [mesh.users for mesh in bpy.data.meshes] == [0, 0]
    remove_datablocks(list(bpy.data.meshes))
    assert not bpy.data.meshes


def test_objects_that_stay_lose_what_they_pointed_at() -> None:
    going, above = make("going"), make("above")
    going.parent = above
    child = make("child", going)
    follower = make("follower")
    follower.constraints.new("COPY_LOCATION").target = going
    holder = make("holder")
    holder["partner"] = above
    remove_datablocks([going, above])
    assert {item.name for item in bpy.data.objects} == {"child", "follower", "holder"}
    assert child.parent is None
    assert follower.constraints[0].target is None
    assert holder["partner"] is None
    bpy.context.view_layer.update()


def test_shown_objects_and_other_kinds_go_too() -> None:
    shown, hidden = make("shown"), make("hidden")
    bpy.context.scene.collection.objects.link(shown)
    hidden.parent = shown
    paint = bpy.data.materials.new("paint")
    shown.data.materials.append(paint)
    bpy.context.view_layer.update()
    remove_datablocks([shown, hidden, paint])
    assert not bpy.data.objects
    assert not bpy.data.materials
    bpy.context.view_layer.update()
    assert list(bpy.context.view_layer.objects) == []
    remove_datablocks([])


def test_objects_of_a_collection_that_is_gone_leave_the_view_layers() -> None:
    home = bpy.data.collections.new("home")
    bpy.context.scene.collection.children.link(home)
    items = [make("a"), make("b")]
    for item in items:
        home.objects.link(item)
    bpy.context.view_layer.update()
    bpy.data.collections.remove(home)
    remove_datablocks(items)
    bpy.context.view_layer.update()
    assert list(bpy.context.view_layer.objects) == []


def test_views_lose_the_objects_that_a_script_gave_them() -> None:
    looked_at, other = make("looked_at"), make("other")
    view = next(
        space
        for screen in bpy.data.screens
        for area in screen.areas
        for space in area.spaces
        if space.type == "VIEW_3D"
    )
    view.lock_object = looked_at
    remove_datablocks([looked_at, other])
    assert not bpy.data.objects
    assert view.lock_object is None


def test_objects_of_an_opened_file_and_objects_in_a_circle_go_too(tmp_path: Path) -> None:
    bpy.context.scene.collection.objects.link(make("kept"))
    path = str(tmp_path / "kept.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    one, two, below = make("one"), make("two"), make("below")
    one.constraints.new("COPY_LOCATION").target = two
    two.constraints.new("COPY_LOCATION").target = one
    below.parent = one
    remove_datablocks([*bpy.data.objects])
    assert not bpy.data.objects
    bpy.ops.wm.save_as_mainfile(filepath=path)


def test_all_objects_of_a_collection_are_hidden_in_renders() -> None:
    home = bpy.data.collections.new("home")
    for name in "ab":
        home.objects.link(make(name))
    hide_in_renders(home.objects)
    hide_in_renders(bpy.data.collections.new("empty").objects)
    assert [item.hide_render for item in home.objects] == [True, True]
