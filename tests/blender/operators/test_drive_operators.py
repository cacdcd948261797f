# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of rides and grasps: its operators do what the library does."""

from typing import Any

import bpy
import pytest

from support.blender.sidebars import activate, load
from urdf_importer.core.blender.standing.keys import find_curves

pytestmark = pytest.mark.usefixtures("extension", "scene")


@pytest.fixture
def cart() -> Any:
    robot = load("differential_drive")
    activate(robot)
    return robot


def test_a_table_becomes_a_ride(cart: Any, tmp_path: Any) -> None:
    table = tmp_path / "ride.csv"
    table.write_text("time,v,w\n0,1,0\n1,0,0\n")
    assert bpy.ops.urdf.bake_drive(filepath=str(table), start=11) == {"FINISHED"}
    bpy.context.scene.frame_set(35)
    assert cart.location.x == pytest.approx(1.0, abs=1e-5)
    words = {"left": "left_wheel_joint", "right": "right_wheel_joint", "radius": 0.2}
    assert bpy.ops.urdf.bake_drive(filepath=str(table), **words) == {"FINISHED"}


def test_what_cannot_be_is_said(cart: Any, tmp_path: Any) -> None:
    assert bpy.ops.urdf.bake_drive(filepath="") == {"CANCELLED"}
    assert bpy.ops.urdf.bake_drive(filepath=str(tmp_path / "ghost.csv")) == {"CANCELLED"}
    assert bpy.ops.urdf.grasp() == {"CANCELLED"}
    assert bpy.ops.urdf.release() == {"CANCELLED"}
    assert not find_curves(cart)


def test_selected_objects_are_grasped_and_released(cart: Any) -> None:
    box = bpy.data.objects.new("box", None)
    bpy.context.scene.collection.objects.link(box)
    box.select_set(True)
    cart.select_set(True)
    bpy.context.window_manager.urdf_ik.link = "base_link"
    assert bpy.ops.urdf.grasp() == {"FINISHED"}
    assert [each.target.name for each in box.constraints] == ["base_link"]
    bpy.context.scene.frame_set(9)
    assert bpy.ops.urdf.release() == {"FINISHED"}
    assert bpy.ops.urdf.release() == {"CANCELLED"}
    bpy.context.window_manager.urdf_ik.link = ""
