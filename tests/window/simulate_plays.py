# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot is dropped by physics, from the panel. Plays of scenarios.py."""

from typing import Any

import bpy
from driver import Driver, Steps, unfold
from export_plays import import_robot
from first_minute_plays import anew
from surroundings import assert_same, note_surroundings

_BUTTON = "urdf.simulate"


@anew
def simulate(driver: Driver) -> Steps:
    """One who simulates, from the zip on: the panel, a run that Esc ends, one to its end, its undo
    and redo. ARGUMENTS: file."""
    (path,) = driver.arguments
    robot = import_robot(path)
    unfold("Simulate")
    bar = yield from driver.open_sidebar("Robot")
    chosen = bpy.context.window_manager.operator_properties_last(_BUTTON)
    chosen.engine, chosen.drops = "bullet", True
    chosen.motors, chosen.seconds = "hold", 30.0
    yield 1.0
    driver.take_picture("panel")
    before, place = _census(), robot.matrix_world.copy()
    around = note_surroundings()
    yield from driver.find_button(driver.viewport, bar, _BUTTON)
    yield from driver.click(*driver.place)
    yield from driver.wait_for("it runs", lambda: len(bpy.data.scenes) == 2)
    yield from driver.wait_for("the view shows it", lambda: robot.matrix_world != place)
    yield 0.5
    driver.take_picture("running")
    driver.press("ESC")
    yield from driver.wait_for("Esc took it back", lambda: len(bpy.data.scenes) == 1)
    assert _census() == before and not _keys(robot.name)
    yield from driver.wait_for("it is back", lambda: robot.matrix_world == place)
    assert_same(around)
    chosen.seconds = 1.0
    yield 0.3
    yield from driver.find_button(driver.viewport, bar, _BUTTON)
    yield from driver.click(*driver.place)
    yield from driver.wait_for("it is keyed", lambda: _keys(robot.name))
    yield 1.0
    name = robot.name
    assert len(bpy.data.scenes) == 1
    assert bpy.context.window_manager.operators[-1].bl_idname == "URDF_OT_simulate"
    driver.take_picture("keyed")
    yield from driver.undo()
    yield from driver.wait_for("one undo took it back", lambda: not _keys(name))
    assert _census() == before
    assert_same(around)
    yield from driver.redo()
    yield from driver.wait_for("one redo brought it again", lambda: _keys(name))
    assert_same(around, "scene Scene frame_end")


def _census() -> tuple[int, ...]:
    data: Any = bpy.data
    return tuple(len(each) for each in (data.scenes, data.objects, data.meshes, data.collections))


def _keys(name: str) -> bool:
    animation = bpy.data.objects[name].animation_data
    return animation is not None and animation.action is not None
