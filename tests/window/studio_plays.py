# SPDX-License-Identifier: GPL-3.0-or-later
"""A studio, and all the ways out of it. Plays of scenarios.py."""

import importlib
import os
from typing import Any

import bpy
from driver import Driver, Steps
from first_minute_plays import anew
from gizmo_plays import Hands
from surroundings import assert_same, note_surroundings

_STAGE = "bl_ext.user_default.urdf_importer.urdf_importer.features.studio.blender.stage"
_OVERLAYS = ("show_bones", "show_extras", "show_relationship_lines")


@anew
def studio(driver: Driver) -> Steps:
    """An artist's, from the zip on, in a light theme and a small window, with lines hidden by the
    artist: the studio is left by undo, by orbiting, by removal, after a reload and by a new file,
    and each time the view shows what it showed before. ARGUMENTS: file, file to save."""
    path, saved = driver.arguments
    _use_light_theme()
    with bpy.context.temp_override(**Hands(driver).context()):
        assert bpy.ops.import_scene.urdf(filepath=path) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Import")
    yield 0.5
    driver.viewport.spaces.active.overlay.show_relationship_lines = False
    yield from _leave_by_undo(driver)
    yield from _leave_by_orbit(driver)
    yield from _leave_by_removal(driver)
    yield from _leave_after_reload(driver, saved)
    yield from _leave_by_new_file(driver)


def _leave_by_undo(driver: Driver) -> Steps:
    before = note_surroundings()
    for _ in range(2):  # There, back, and there again.
        yield from _enter(driver)
        yield from driver.undo()
        yield from driver.wait_for("bones are back", lambda: _shown(driver) == (1, 1, 0))
        assert _find_studio() is None
        assert_same(before)
        yield from driver.redo()
        assert _find_studio() is not None and _shown(driver) == (1, 1, 0)
        yield from driver.undo()
        yield 0.3
        assert_same(before)


def _leave_by_orbit(driver: Driver) -> Steps:
    """In pose mode bones are seen at once; the view stays where it was orbited to."""
    before = note_surroundings()
    yield from _enter(driver)
    driver.take_picture("studio")
    yield from _orbit(driver)
    yield from driver.wait_for("bones are back", lambda: _shown(driver) == (1, 1, 0))
    driver.press("TAB", ctrl=True)
    yield 0.5
    driver.take_picture("orbited")
    assert bpy.ops.urdf.remove_studio() == {"FINISHED"}
    if bpy.context.mode == "POSE":
        bpy.ops.object.mode_set(mode="OBJECT")
    yield 0.3
    assert _shown(driver) == (1, 1, 0)
    assert_same(before, *(f"window 0 view {n} region" for n in range(9)), "active", "selected")


def _orbit(driver: Driver) -> Steps:
    region = Hands(driver).region
    driver.move(region.x + region.width / 2, region.y + region.height / 2)
    driver.send("MIDDLEMOUSE", "PRESS")
    for step in range(1, 6):
        yield 0.1
        driver.move(region.x + region.width / 2 + 20 * step, region.y + region.height / 2)
    driver.send("MIDDLEMOUSE", "RELEASE")


def _leave_by_removal(driver: Driver) -> Steps:
    """Built twice, and removed once: the second did not take the first's view for the user's."""
    before = note_surroundings()
    yield from _enter(driver)
    yield from _enter(driver)
    with bpy.context.temp_override(**Hands(driver).context()):
        assert bpy.ops.urdf.remove_studio() == {"FINISHED"}
    yield 0.3
    assert_same(before)


def _leave_after_reload(driver: Driver, saved: str) -> Steps:
    before = note_surroundings()
    yield from _enter(driver)
    bpy.ops.wm.save_as_mainfile(filepath=saved)
    bpy.ops.wm.open_mainfile(filepath=saved)
    yield 1.0
    assert os.path.samefile(bpy.data.filepath, saved) and _shown(driver) == (0, 0, 0)
    with bpy.context.temp_override(**Hands(driver).context()):
        assert bpy.ops.urdf.remove_studio() == {"FINISHED"}
    yield 0.3
    driver.take_picture("reloaded")
    assert_same(before)
    bpy.ops.wm.open_mainfile(filepath=saved)
    yield 1.0
    yield from _orbit(driver)
    yield from driver.wait_for("bones are back", lambda: _shown(driver) == (1, 1, 0))
    assert bpy.ops.urdf.remove_studio() == {"FINISHED"}


def _leave_by_new_file(driver: Driver) -> Steps:
    """With the windows as they are, by the preference *Load UI*."""
    overlays = _shown(driver)
    yield from _enter(driver)
    bpy.context.preferences.filepaths.use_load_ui = False
    bpy.ops.wm.read_homefile(load_ui=False)
    yield from driver.wait_for("bones are back", lambda: _shown(driver) == overlays)
    yield 0.3
    driver.take_picture("new_file")


def _enter(driver: Driver) -> Steps:
    with bpy.context.temp_override(**Hands(driver).context()):
        assert bpy.ops.urdf.build_studio("EXEC_DEFAULT", True) == {"FINISHED"}
    yield 0.6
    assert _shown(driver) == (0, 0, 0)
    assert driver.viewport.spaces.active.region_3d.view_perspective == "CAMERA"


def _shown(driver: Driver) -> tuple[int, ...]:
    overlay = driver.viewport.spaces.active.overlay
    return tuple(int(getattr(overlay, each)) for each in _OVERLAYS)


def _find_studio() -> Any:
    return importlib.import_module(_STAGE).find_studio(bpy.context.scene)


def _use_light_theme() -> None:
    light = bpy.utils.preset_paths("interface_theme")
    for folder in light:
        path = os.path.join(folder, "Blender_Light.xml")
        if os.path.exists(path):
            bpy.ops.script.execute_preset(
                filepath=path, menu_idname="USERPREF_MT_interface_theme_presets"
            )
            return
    raise AssertionError(f"there is no light theme in {light}")
