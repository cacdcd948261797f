# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports by the menu and the file browser, and what plays share. Plays of scenarios.py."""

import os
import pathlib
from typing import Any

import bpy
from driver import Driver, Steps


def export(driver: Driver) -> Steps:
    """File > Export > Webots, another kind, then Return. ARGUMENTS: file, world to write."""
    path, world = driver.arguments
    import_robot(path)
    yield 0.5
    frame_robot(driver)
    yield from driver.open_sidebar("Robot")
    driver.take_picture("sidebar")
    yield from driver.open_menu_entry("webots")
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    area = driver.browser
    operator = area.spaces.active.active_operator
    assert operator.bl_idname == "EXPORT_SCENE_OT_webots"
    parameters = area.spaces.active.params
    suggested = parameters.filename
    assert suggested == "two_link_arm.proto", suggested
    parameters.directory = os.path.dirname(world).encode()
    parameters.filename = os.path.basename(world)
    yield 0.5
    area.tag_redraw()
    yield 0.5
    driver.take_picture("chosen")
    press_return_on_list(driver)
    yield from driver.wait_for("the world is there", lambda: os.path.exists(world))
    yield 0.5
    driver.take_picture("exported")


def engines(driver: Driver) -> Steps:
    """File > Export > Game Engines: the name follows the kind, each engine's files are
    there after Return, and the scene is as before. ARGUMENTS: file, folder."""
    path, folder = driver.arguments
    robot = import_robot(path)
    bone = robot.pose.bones[0]
    for frame, angle in ((1, 0.0), (25, 0.5)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    yield 0.5
    frame_robot(driver)
    before = _count_all()
    for kind, engine, suffix in (("FBX", "unreal", ".fbx"), ("USDA", "isaac", ".usda")):
        yield from driver.open_menu_entry("game engines")
        yield from driver.wait_for("the file browser is there", lambda: driver.browser)
        area = driver.browser
        operator, parameters = area.spaces.active.active_operator, area.spaces.active.params
        assert operator.bl_idname == "EXPORT_SCENE_OT_robot_for_engines"
        parameters.directory = folder.encode()
        operator.kind, operator.engine = kind, engine
        name = os.path.splitext(parameters.filename)[0]
        parameters.filename = name + suffix
        yield 0.5
        area.tag_redraw()
        yield 0.5
        driver.take_picture(engine)
        target = os.path.join(folder, name + suffix)
        press_return_on_list(driver)
        yield from driver.wait_for("the file is there", lambda at=target: os.path.exists(at))
        yield 0.5
        assert _count_all() == before
    driver.take_picture("exported")
    assert "PhysicsArticulationRootAPI" in pathlib.Path(target).read_text("utf-8")


def _count_all() -> dict[str, int]:
    kinds = ("actions", "armatures", "collections", "materials", "meshes", "objects", "scenes")
    return {kind: len(getattr(bpy.data, kind)) for kind in kinds}


def press_return_on_list(driver: Driver) -> None:
    region = next(each for each in driver.browser.regions if each.type == "WINDOW")
    driver.move(region.x + 60, region.y + region.height / 2)
    driver.press("RET")


def import_robot(path: str, **options: Any) -> Any:
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    assert bpy.ops.import_scene.urdf(filepath=path, **options) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Import")
    return bpy.context.view_layer.objects.active


def frame_robot(driver: Driver) -> None:
    area = driver.viewport
    region = next(each for each in area.regions if each.type == "WINDOW")
    with bpy.context.temp_override(window=driver.window, area=area, region=region):
        if "Cube" in bpy.data.objects:
            bpy.data.objects["Cube"].hide_set(True)
        bpy.ops.view3d.view_selected()
