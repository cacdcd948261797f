# SPDX-License-Identifier: GPL-3.0-or-later
"""Files dropped on the 3D view, and what is there then. Plays of scenarios.py."""

import importlib
import os
from itertools import pairwise
from typing import Any

import bpy
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Driver, Steps
from export_plays import import_robot
from gizmo_plays import Hands

_PLACING = "bl_ext.user_default.urdf_importer.urdf_importer.core.blender.standing.placing"


def drop(driver: Driver) -> Steps:
    """A popup with options; Return. The start cube is out of the way, in renders too; one undo
    takes all back. ARGUMENTS: file, armature."""
    path, name = driver.arguments
    yield from _drop(driver, path)
    yield from driver.wait_for("the robot is there", lambda: name in bpy.data.objects)
    driver.take_picture("dropped")
    cube = bpy.data.objects["Cube"]
    assert cube.hide_get() and cube.hide_render
    yield from driver.undo()
    yield from driver.wait_for("one undo took it back", lambda: name not in bpy.data.objects)
    cube = bpy.data.objects["Cube"]
    assert not cube.hide_get() and not cube.hide_render


def drop_loops(driver: Driver) -> Steps:
    """A robot on loops, with more drivers than one step makes, follows the hand at once.
    ARGUMENTS: file, armature, joint."""
    path, name, joint = driver.arguments
    yield from _drop(driver, path)
    hands = Hands(driver)
    hands.name = name
    before = hands.positions()
    with hands.watch_drawing() as drawn:
        yield from hands.rest_on(hands.find_body(joint))
        yield from driver.wait_for("the joint is lit", lambda: joint in drawn)
    driver.take_picture("lit")
    yield from hands.drag(hands.find_body(joint), (40.0, 30.0), picture="dragging")
    after = hands.positions()
    assert abs(after[joint] - before[joint]) > 0.01, after[joint]
    moved = [name for name in after if not np.allclose(after[name], before[name], atol=1e-3)]
    assert len(moved) > 5, moved


def bare(driver: Driver) -> Steps:
    """A robot without its meshes is in view, on the ground. ARGUMENTS: file, armature, link."""
    path, name, link = driver.arguments
    yield from _drop(driver, path)
    driver.take_picture("bare")
    assert abs(bpy.data.objects[link].matrix_world.translation.z) < 1e-5
    assert _is_in_view(driver, bpy.data.objects[name])


def drop_several(driver: Driver) -> Steps:
    """Several files at once, then one of them again: nobody hides another. ARGUMENTS: files."""
    yield from _drop(driver, *driver.arguments)
    driver.take_picture("several")
    yield from _drop(driver, driver.arguments[0])
    driver.take_picture("one_more")
    robots = [each for each in bpy.data.objects if each.type == "ARMATURE"]
    assert len(robots) == len(driver.arguments) + 1
    right = _view(driver).view_matrix.inverted().col[0].to_3d()
    outline = importlib.import_module(_PLACING).outline
    sides = sorted(
        (float(seen.min()), float(seen.max()))
        for seen in (outline(robot)[:, :2] @ np.array(right)[:2] for robot in robots)
    )
    for (_, end), (begin, _) in pairwise(sides):
        assert end < begin, sides


def drop_motion(driver: Driver) -> Steps:
    """A recording on a robot: its dialog has folded groups, and fits into the window with one of
    them open. ARGUMENTS: robot, recording."""
    path, recording = driver.arguments
    robot = import_robot(path)
    yield from _open_dialog(driver, recording)
    x, y = driver.place
    # The dialog is left of the mouse, its first group a little below.
    yield from driver.click(x - 330, y - 62)
    yield 0.7
    driver.take_picture("open_group")
    driver.press("RET")
    yield from driver.wait_for(
        "it moves", lambda: robot.animation_data and robot.animation_data.action
    )


def is_idle() -> bool:
    """Whether no import runs: its operator would be among the window's modal ones."""
    running = bpy.context.window_manager.windows[0].modal_operators
    return not any(each.bl_idname.startswith("IMPORT_SCENE") for each in running)


def _drop(driver: Driver, *paths: str) -> Steps:
    """Drops descriptions on the viewport, then Return."""
    count = len(bpy.data.armatures)
    yield from _open_dialog(driver, *paths)
    driver.press("RET")
    yield from driver.wait_for(
        "the robots are there", lambda: len(bpy.data.armatures) >= count + len(paths)
    )
    yield from driver.wait_for("the import is over", is_idle)
    yield 0.5


def _open_dialog(driver: Driver, *paths: str) -> Steps:
    """What a drop on the viewport calls: a popup with options."""
    area = driver.viewport
    region = next(each for each in area.regions if each.type == "WINDOW")
    driver.move(region.x + region.width / 2, region.y + region.height / 2)
    yield 0.2
    with bpy.context.temp_override(window=driver.window, area=area, region=region):
        files = [{"name": os.path.basename(path)} for path in paths]
        folder = os.path.dirname(paths[0])
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=folder, files=files)
    yield 0.8
    driver.take_picture("popup")


def _view(driver: Driver) -> Any:
    return driver.viewport.spaces.active.region_3d


def _is_in_view(driver: Driver, robot: Any) -> bool:
    region = next(each for each in driver.viewport.regions if each.type == "WINDOW")
    points = importlib.import_module(_PLACING).outline(robot)
    seen = [location_3d_to_region_2d(region, _view(driver), point) for point in points]
    return all(
        each is not None and 0 < each.x < region.width and 0 < each.y < region.height
        for each in seen
    )
