# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds dropped on the 3D view, and written to files. Plays of scenarios.py."""

import importlib
from typing import Any

import bpy
from driver import Driver, Steps, unfold
from import_plays import _open_dialog, is_idle

_EXTENSION = "bl_ext.user_default.urdf_importer"
_LOCATE = "import_scene.urdf_with_folder"


def world_report(driver: Driver) -> Steps:
    """A world whose model lies elsewhere comes without it, and the sidebar says so although there
    is no robot: Locate Folder, its browser, Return bring the model. Then a world in Gazebo's usual
    layout, whose model is found. ARGUMENTS: world, folder of its models, the other world, model."""
    lonely, folder, usual, model = driver.arguments
    unfold("Import Report")
    yield from _drop_world(driver, lonely)
    assert model not in bpy.data.objects
    bar = yield from driver.open_sidebar("Robot")
    driver.take_picture("report")
    (group,) = _report().groups
    assert "there is no package" in group.title and "Sdf include" not in group.title, group.title
    yield from driver.find_button(driver.viewport, bar, _LOCATE)
    yield from driver.click(*driver.place)
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    yield from driver.choose_folder(folder)
    yield from driver.wait_for("the model is there", lambda: model in bpy.data.objects)
    yield 0.5
    driver.take_picture("located")
    assert _report() is None
    assert [each.name for each in bpy.data.lights].count("sun") == 1
    last = bpy.context.window_manager.operators[-1]
    assert last.bl_idname == "IMPORT_SCENE_OT_urdf_run" and last.name == "Import Robot", last.name
    yield from driver.undo()
    yield from driver.wait_for("one undo takes it back", lambda: model not in bpy.data.objects)
    yield from _drop_world(driver, usual)
    driver.take_picture("usual_layout")
    assert model in bpy.data.objects and _report() is None


def _drop_world(driver: Driver, path: str) -> Steps:
    yield from _open_dialog(driver, path)
    lights = len(bpy.data.lights)
    driver.press("RET")
    yield from driver.wait_for("the world is there", lambda: len(bpy.data.lights) > lights)
    yield from driver.wait_for("the import is over", is_idle)
    yield 0.5


def _report() -> Any:
    return importlib.import_module(f"{_EXTENSION}.operators.reports").recall_world_report()
