# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds dropped on the 3D view, and written to files. Plays of scenarios.py."""

import importlib
import shutil
from pathlib import Path
from typing import Any

import bmesh
import bpy
from driver import Driver, Steps
from export_plays import import_robot, press_return_on_list
from import_plays import _open_dialog, is_idle

_EXTENSION = "bl_ext.user_default.urdf_importer"
_LOCATE = "import_scene.urdf_with_folder"


def world_report(driver: Driver) -> Steps:
    """A world whose model lies elsewhere comes without it, and the sidebar says so although there
    is no robot: Locate Folder, its browser, Return bring the model. Then a world in Gazebo's usual
    layout, whose model is found. ARGUMENTS: world, folder of its models, the other world, model."""
    lonely, folder, usual, model = driver.arguments
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


def slow_exports(driver: Driver) -> Steps:
    """A world of many objects and an engine's file of a long animation: a bar in the status bar,
    Esc leaves no file and nothing in the scene, and the second time they are written. ARGUMENTS:
    robot, folder for the files."""
    path, folder = driver.arguments
    robot = import_robot(path)
    bone = robot.pose.bones[0]
    for frame in (1, 8000):
        bone.rotation_euler.x = 0.00005 * frame
        bone.keyframe_insert("rotation_euler", frame=frame)
    _make_many(200)
    bpy.ops.ed.undo_push(message="All is there")
    before = _census()
    for entry, name in (("world .wbt", "hall.sdf"), ("engines", "leg.glb")):
        target = Path(folder) / name
        yield from _export(driver, entry, target)
        yield from driver.wait_for("it runs", _is_busy)
        yield 0.3
        driver.take_picture(f"{target.stem}_running")
        driver.press("ESC")
        yield from driver.wait_for("Esc ended it", lambda: not _is_busy())
        yield 0.3
        left = [each.name for each in Path(folder).iterdir()]
        assert not left and _census() == before, (left, before, _census())
        yield from _export(driver, entry, target)
        yield from driver.wait_for("it is written", target.exists, 120.0)
        yield from driver.wait_for("it is over", lambda: not _is_busy())
        yield 0.5
        driver.take_picture(f"{target.stem}_written")
        if target.suffix == ".sdf":
            assert "<parent>world</parent>" in target.read_text(), "the option base is lost"
        assert _census() == before
        for each in Path(folder).iterdir():
            shutil.rmtree(each) if each.is_dir() else each.unlink()


def _make_many(number: int) -> None:
    mesh = bpy.data.meshes.new("ball")
    shape = bmesh.new()
    bmesh.ops.create_icosphere(shape, subdivisions=5, radius=0.1)
    shape.to_mesh(mesh)
    for index in range(number):
        item = bpy.data.objects.new(f"ball {index}", mesh.copy())
        item.location = (index % 20, index // 20, 0.0)
        bpy.context.scene.collection.objects.link(item)


def _export(driver: Driver, entry: str, target: Path) -> Steps:
    """An entry of File > Export, a name in the browser, Return."""
    yield from driver.open_menu_entry(entry)
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    area: Any = driver.browser
    operator = area.spaces.active.active_operator
    operator.kind = target.suffix[1:].upper()
    if target.suffix == ".sdf":
        operator.sdf.base = "fixed"
    area.spaces.active.params.directory = str(target.parent).encode()
    area.spaces.active.params.filename = target.name
    yield 0.5
    area.tag_redraw()
    yield 0.5
    press_return_on_list(driver)


def _is_busy() -> bool:
    return bool(importlib.import_module(f"{_EXTENSION}.operators.stepping").is_busy())


def _census() -> tuple[int, ...]:
    data: Any = bpy.data
    return tuple(len(each) for each in (data.scenes, data.objects, data.meshes, data.actions))


def _drop_world(driver: Driver, path: str) -> Steps:
    yield from _open_dialog(driver, path)
    lights = len(bpy.data.lights)
    driver.press("RET")
    yield from driver.wait_for("the world is there", lambda: len(bpy.data.lights) > lights)
    yield from driver.wait_for("the import is over", is_idle)
    yield 0.5


def _report() -> Any:
    return importlib.import_module(f"{_EXTENSION}.operators.reports").recall_world_report()
