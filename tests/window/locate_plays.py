# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot that came without its meshes: what is said, and how they come. Plays of scenarios.py."""

import importlib
from typing import Any

import bpy
from driver import Driver, Steps, unfold

_EXTENSION = "bl_ext.user_default.urdf_importer"


def locate(driver: Driver) -> Steps:
    """The report has one line for them all; Locate Folder, its browser, Return: the meshes are
    there, where the robot stands. One undo takes them out. ARGUMENTS: file, folder, robot."""
    path, folder, name = driver.arguments
    unfold("Import Report")
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    assert bpy.ops.import_scene.urdf(filepath=path) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Import")
    count = len(bpy.data.objects[name]["urdf_import"]["diagnostics"])
    assert count > 1 and not find_meshes(name)
    yield from driver.open_sidebar("Robot")
    driver.take_picture("missing")
    area = driver.viewport
    region = next(each for each in area.regions if each.type == "WINDOW")
    with bpy.context.temp_override(window=driver.window, area=area, region=region):
        bpy.ops.urdf.show_messages("INVOKE_DEFAULT", group=_group(name))
    yield 0.7
    driver.take_picture("each")
    with bpy.context.temp_override(window=driver.window, area=area, region=region):
        bpy.ops.urdf.locate_package("INVOKE_DEFAULT", package="harbour")
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    browser = driver.browser
    assert browser.spaces.active.active_operator.bl_idname == "URDF_OT_locate_package"
    browser.spaces.active.params.directory = folder.encode()
    yield 1.0
    driver.take_picture("browser")
    region = next(each for each in browser.regions if each.type == "WINDOW")
    driver.move(region.x + 60, region.y + region.height / 2)
    driver.press("RET")
    yield from driver.wait_for("the meshes are there", lambda: len(find_meshes(name)) == count)
    yield 0.5
    driver.take_picture("located")
    assert not list(bpy.data.objects[name]["urdf_import"].get("diagnostics", ()))
    yield from driver.undo()
    yield from driver.wait_for("one undo took them out", lambda: not find_meshes(name))


def open_line(driver: Driver) -> Steps:
    """The button with file and line opens a text editor there. ARGUMENTS: file, line."""
    path, line = driver.arguments
    unfold("Import Report")
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    assert bpy.ops.import_scene.urdf(filepath=path) == {"FINISHED"}
    sidebar = yield from driver.open_sidebar("Robot")
    yield from driver.find_button(driver.viewport, sidebar, "urdf.open_line", 0.25)
    driver.press("LEFTMOUSE")
    yield from driver.wait_for("a text editor shows it", _shown_lines)
    yield 0.5
    driver.take_picture("opened")
    assert _shown_lines() == [(path, int(line))]


def _shown_lines() -> list[tuple[str, int]]:
    return [
        (area.spaces.active.text.filepath, area.spaces.active.text.current_line_index + 1)
        for window in bpy.context.window_manager.windows
        for area in window.screen.areas
        if area.type == "TEXT_EDITOR" and area.spaces.active.text is not None
    ]


def _group(name: str) -> str:
    """The key of the only group of messages."""
    table = importlib.import_module(f"{_EXTENSION}.urdf_importer.core.blender.standing.robot_table")
    (group,) = table.recall_table(bpy.data.objects[name]).groups
    return str(group.key)


def find_meshes(name: str) -> list[Any]:
    """The visuals and collisions of a robot that are of files."""
    robot = bpy.data.objects[name]
    return [
        item
        for item in robot.children_recursive
        if item.type == "MESH" and item.get("urdf_part") in ("Visuals", "Collisions")
    ]
