# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot is driven by the arrow keys. Plays of scenarios.py."""

from typing import Any

import bpy
from driver import Driver, Steps, unfold
from export_plays import import_robot

_BUTTON = "urdf.steer"


def drive_by_hand(driver: Driver) -> Steps:
    """From the panel: a ride that Esc takes back, one that is kept, its undo. ARGUMENTS: file."""
    (path,) = driver.arguments
    name = import_robot(path).name
    unfold("Motion")
    bar = yield from driver.open_sidebar("Robot")
    start = _place(name)
    yield from _begin(driver, bar)
    yield from _hold(driver, "UP_ARROW", 0.6)
    assert _place(name)[0] > start[0] + 0.05, _place(name)
    driver.take_picture("driving")
    driver.press("ESC")
    yield from driver.wait_for("Esc took it back", lambda: _place(name) == start)
    assert not _keys(name)
    driver.move(300, 400)  # Off the button, which Blender else takes for the one under the mouse.
    yield 0.5
    yield from _begin(driver, bar)
    yield from _hold(driver, "UP_ARROW", 0.5)
    yield from _hold(driver, "LEFT_ARROW", 0.5)
    yield from _hold(driver, "UP_ARROW", 0.5, shift=True)
    driver.press("RET")
    yield from driver.wait_for("it is keyed", lambda: _keys(name))
    yield 0.5
    scene = bpy.context.scene
    last = bpy.data.objects[name].animation_data.action.frame_range[1]
    assert scene.frame_current == last > 20, (scene.frame_current, last)
    end = _place(name)
    assert end[0] > start[0] + 0.1 and end[2] > start[2] + 0.1, (start, end)
    driver.take_picture("kept")
    yield from driver.undo()
    yield from driver.wait_for("one undo took it back", lambda: not _keys(name))
    yield from driver.redo()
    yield from driver.wait_for("one redo brought it again", lambda: _keys(name))


def _begin(driver: Driver, bar: Any) -> Steps:
    yield from driver.find_button(driver.viewport, bar, _BUTTON)
    yield from driver.click(*driver.place)


def _hold(driver: Driver, key: str, seconds: float, **held: bool) -> Steps:
    driver.send(key, "PRESS", **held)
    yield seconds
    driver.send(key, "RELEASE")
    yield 0.1


def _place(name: str) -> tuple[float, ...]:
    robot = bpy.data.objects[name]
    return (*robot.location[:2], robot.rotation_euler.z)


def _keys(name: str) -> bool:
    animation = bpy.data.objects[name].animation_data
    return animation is not None and animation.action is not None
