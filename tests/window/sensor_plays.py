# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors that are recorded beside the window. A play of scenarios.py."""

import importlib
from pathlib import Path

import bpy
from driver import Driver, Steps
from export_plays import frame_robot, import_robot

_EXTENSION = "bl_ext.user_default.urdf_importer"


def sensor_recording(driver: Driver) -> Steps:
    """A recording that Esc ends, which leaves no file and the frame as it was, one to its end, one
    of a script, and one to a frame that is no number. ARGUMENTS: file, an empty folder."""
    is_busy = importlib.import_module(f"{_EXTENSION}.operators.stepping").is_busy
    robot = import_robot(driver.arguments[0])
    folder = Path(driver.arguments[1])
    frame_robot(driver)
    bpy.context.scene.frame_set(7)
    yield from _begin(driver, robot.name, "20000")
    yield from driver.wait_for("it runs", is_busy)
    yield from driver.wait_for("it writes", lambda: list(folder.iterdir()))
    yield 1.0
    driver.take_picture("running")
    driver.press("ESC")
    yield from driver.wait_for("Esc ended it", lambda: not is_busy())
    assert not list(folder.iterdir())
    assert bpy.context.scene.frame_current == 7
    yield from _begin(driver, robot.name, "10")
    yield from driver.wait_for("it is written", lambda: list(folder.glob("*.mcap")))
    yield from driver.wait_for("it ended", lambda: not is_busy())
    assert [each.name for each in folder.iterdir()] == [f"{robot.name}.mcap"]
    assert bpy.context.scene.frame_current == 7
    driver.take_picture("recorded")
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        path = folder / "script.mcap"
        done = bpy.ops.urdf.record_sensors(filepath=str(path), end_frame="3")
    assert done == {"FINISHED"} and path.stat().st_size and not is_busy()
    path.unlink()
    yield from _begin(driver, robot.name, "soon")
    yield from driver.wait_for("the browser is gone", lambda: driver.browser is None)
    yield 1.0
    driver.take_picture("refused")
    assert not is_busy()
    assert [each.name for each in folder.iterdir()] == [f"{robot.name}.mcap"]


def _begin(driver: Driver, name: str, last: str) -> Steps:
    frame = {"start_frame": "1", "end_frame": last}
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        path = str(Path(driver.arguments[1], f"{name}.mcap"))
        bpy.ops.urdf.record_sensors("INVOKE_DEFAULT", filepath=path, **frame)
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    yield 1.0
    yield from driver.choose_folder(driver.arguments[1])
    yield 0.5
