# SPDX-License-Identifier: GPL-3.0-or-later
"""What is left behind by an update, by undo and by Blender's own Delete and Duplicate, and in the
windows of a scene with several robots. Plays of scenarios.py."""

import importlib
import json
import pathlib
import time
from typing import Any

import bpy
import numpy as np
from driver import Driver, Steps, unfold
from export_plays import import_robot
from first_minute_plays import anew
from gizmo_plays import Hands
from import_plays import _open_dialog, is_idle
from surroundings import assert_same, note_surroundings

_EXTENSION = "bl_ext.user_default.urdf_importer"
_SCALE = 1.5
_MANY = 6
"""More steps of undo than there are."""


@anew
def keeper(driver: Driver) -> Steps:
    """A scene with three robots, one of them linked and overridden, in two windows at one and a
    half times the size: an armature deleted and one duplicated in the other window, the ways out of
    both, and undo to the beginning and back, as fast as keys come, from the zip on.
    ARGUMENTS: file, another file, library to write."""
    path, other, library = driver.arguments
    bpy.context.preferences.view.ui_scale = _SCALE
    _write_library(other, library)
    names = [import_robot(path).name]
    names.append(_import(other))
    names.append(_override(library))
    bpy.ops.ed.undo_push(message="Three robots")
    bpy.ops.wm.window_new()
    yield 1.0
    bars = []
    for driver.number in (1, 0):
        bars.append((yield from driver.open_sidebar("Robot")))
    other_bar, bar = bars
    before = note_surroundings()
    parts = len(bpy.data.objects[names[0]].children_recursive)
    _activate(names[0])
    bpy.ops.object.delete()
    bpy.ops.ed.undo_push(message="Delete")
    yield 0.6
    driver.take_picture("deleted")
    assert names[0] not in bpy.data.objects and len(_leftovers()[names[0]]) == parts
    yield from driver.find_button(driver.viewport, bar, "urdf.delete_leftovers")
    yield from driver.click(*driver.place)
    yield from driver.wait_for("the parts are gone", lambda: not _leftovers())
    yield from _storm(driver, names)
    assert_same(before, "selected", "active")
    driver.number = 1
    yield from _copy_whole(driver, other_bar, names[1])
    driver.number = 0
    assert_same(before, "selected", "active")
    yield from _pose_override(driver, names[2])
    mine = (f"window 0 view {n} {what}" for n in range(9) for what in ("region", "show_region_ui"))
    assert_same(before, "selected", "active", *mine)


def _storm(driver: Driver, names: list[str]) -> Steps:
    """From a deleted robot to the beginning, where the library is not linked, and back, twice;
    then to the three robots."""
    for _ in range(2):
        yield from driver.storm(_MANY)
        yield from driver.wait_for("the beginning", _is_empty)
        yield from driver.storm(_MANY, shift=True)
        yield from driver.wait_for(
            "the end", lambda: [each in bpy.data.objects for each in names] == [False, True, True]
        )
        yield 1.0
        assert not _leftovers()
        assert bpy.data.objects[names[2]].override_library is not None
    yield from driver.storm(2)
    yield from driver.wait_for("three robots", lambda: names[0] in bpy.data.objects)
    yield 0.5
    assert not _leftovers()


def _is_empty() -> bool:
    """Whether no robot is there; Blender 4's undo keeps the data of libraries loaded."""
    kept = bpy.app.version < (5, 0)
    return not [each for each in bpy.data.armatures if each.library is None or not kept]


def _copy_whole(driver: Driver, bar: Any, name: str) -> Steps:
    _activate(name)
    count = len(bpy.data.objects[name].children_recursive)
    bpy.ops.object.duplicate()
    bpy.ops.ed.undo_push(message="Duplicate")
    copy = bpy.context.view_layer.objects.active.name
    yield 0.6
    driver.take_picture("duplicated")
    yield from driver.find_button(driver.viewport, bar, "urdf.complete_copy")
    yield from driver.click(*driver.place)
    yield from driver.wait_for(
        "it has its links", lambda: len(bpy.data.objects[copy].children_recursive) == count
    )
    yield from driver.undo()
    yield from driver.undo()
    assert copy not in bpy.data.objects


def _pose_override(driver: Driver, name: str) -> Steps:
    """The overridden robot is posed by hand in the first window."""
    hands = Hands(driver)
    hands.name = name
    _activate(name)
    with bpy.context.temp_override(**hands.context()):
        bpy.ops.urdf.frame_robot()
    driver.viewport.spaces.active.show_region_ui = False
    yield 0.7
    before = hands.positions()
    yield from hands.drag(hands.find_body("elbow"), (-60.0, 60.0), picture="override")
    yield 0.3
    driver.take_picture("posed")
    assert hands.positions() != before
    yield from driver.undo()
    yield from driver.wait_for("undone", lambda: hands.positions() == before)


@anew
def stale(driver: Driver) -> Steps:
    """A roboticist's: solutions and a check, then the file gets another name for a joint: the
    dialog of Update holds the new name, keyframes follow, and what was found before is dropped; so
    it is by undo. ARGUMENTS: file, joint, its new name."""
    path, joint, new = driver.arguments
    robot = import_robot(path)
    name = robot.name
    unfold("Inverse Kinematics", "Motion")
    yield from driver.open_sidebar("Robot")
    before = note_surroundings()
    with bpy.context.temp_override(**Hands(driver).context()):
        assert bpy.ops.urdf.key_all() == {"FINISHED"}
        assert bpy.ops.urdf.check_motion() == {"FINISHED"}
        assert bpy.ops.urdf.find_ik() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Found")
    yield 0.5
    driver.take_picture("found")
    assert _found(name) == (True, True)
    file = pathlib.Path(path)
    file.write_text(file.read_text().replace(f'joint name="{joint}"', f'joint name="{new}"'))
    region = Hands(driver).region
    driver.move(region.x + region.width / 3, region.y + region.height / 2)
    yield 0.2
    with bpy.context.temp_override(**Hands(driver).context()):
        bpy.ops.urdf.update("INVOKE_DEFAULT")
    yield 0.8
    driver.take_picture("dialog")
    driver.press("RET")
    yield from driver.wait_for("it is updated", lambda: new in _joints(name))
    yield 0.5
    driver.take_picture("updated")
    assert _found(name) == (False, False)
    action = bpy.data.objects[name].animation_data.action
    paths = {curve.data_path for curve in _module("core.blender.standing.keys").curves_of(action)}
    assert any(new in each for each in paths), paths
    yield from driver.undo()
    yield from driver.wait_for("one undo took it back", lambda: joint in _joints(name))
    assert _found(name) == (False, False)
    assert_same(before, "scene Scene markers")


def playing(driver: Driver) -> Steps:
    """A drag while the animation plays says why nothing is dragged; the sidebar opens once for a
    file, and a simulation leaves all but the keys as it was. ARGUMENTS: file, joint."""
    path, joint = driver.arguments
    hands = Hands(driver)
    space = driver.viewport.spaces.active
    for wanted in (True, False):
        space.show_region_ui = False
        yield from _drop_one(driver, path)
        assert space.show_region_ui == wanted, "the sidebar opens once"
    bpy.ops.wm.read_homefile()
    yield 1.0
    yield from _drop_one(driver, path)
    assert driver.viewport.spaces.active.show_region_ui, "once for each file"
    driver.viewport.spaces.active.show_region_ui = False
    hands.name = bpy.context.view_layer.objects.active.name
    yield 0.5
    place, positions = hands.find_body(joint), hands.positions()
    with bpy.context.temp_override(**hands.context()):
        bpy.ops.screen.animation_play()
    yield 0.5
    yield from hands.drag(place, (20.0, -60.0), picture="playing")
    reports = _read_reports(driver)
    assert "Stop the animation (Space) to drag this body" in reports, reports
    with bpy.context.temp_override(**hands.context()):
        bpy.ops.screen.animation_cancel(restore_frame=True)
    yield 0.5
    assert hands.positions() == positions
    _activate(hands.name)
    before = note_surroundings()
    with bpy.context.temp_override(**hands.context()):
        assert bpy.ops.urdf.simulate(engine="bullet", seconds=0.4, drops=True) == {"FINISHED"}
    yield 0.3
    assert_same(before, "scene Scene frame_end")


def five_minutes(driver: Driver) -> Steps:
    """From the drop to the first dragged body, and the cost of panel and gizmos on many joints;
    numbers go to `measured.json`. ARGUMENTS: file, joint."""
    path, joint = driver.arguments
    start = time.monotonic()
    yield from _drop_one(driver, path)
    hands = Hands(driver)
    hands.name = bpy.context.view_layer.objects.active.name
    ready, before = time.monotonic(), hands.positions()
    yield from hands.drag(hands.find_body(joint), (20.0, -70.0), picture="dragged")
    dragged = time.monotonic()
    assert hands.positions() != before
    bar = next(each for each in driver.viewport.regions if each.type == "UI")
    yield 0.5
    driver.take_picture("rows")
    costs = _time_draws()
    for step in range(30):
        driver.move(bar.x - 20 - step, bar.y + bar.height / 2)
        driver.viewport.tag_redraw()
        yield 0.05
    measured = {"waiting": round(ready - start, 2), "hands": round(dragged - ready, 2)}
    measured |= {name: round(1e3 * np.median(each), 3) for name, each in costs.items() if each}
    (driver.folder / "measured.json").write_text(json.dumps(measured))


def _drop_one(driver: Driver, path: str) -> Steps:
    count = len(bpy.data.armatures)
    yield from _open_dialog(driver, path)
    driver.press("RET")
    yield from driver.wait_for("the robot is there", lambda: len(bpy.data.armatures) > count)
    yield from driver.wait_for("the import is over", is_idle)
    yield 0.5


def _time_draws() -> dict[str, list[float]]:
    """Measures the Python of panels and gizmos from now on: seconds of this thread, since software
    OpenGL draws in others; a list for each method that Blender calls."""
    methods = {
        bpy.types.Panel: ("draw", "draw_header", "draw_header_preset"),
        bpy.types.Gizmo: ("draw", "test_select"),
    }
    spent: dict[str, list[float]] = {}
    for base, names in methods.items():
        for kind in base.__subclasses__():
            own = [name for name in names if name in vars(kind)]
            for name in own if kind.__module__.startswith(_EXTENSION) else ():
                _time_method(kind, name, spent.setdefault(f"{kind.__name__}.{name}", []))
    return spent


def _time_method(kind: Any, name: str, spent: list[float]) -> None:
    inner = getattr(kind, name)

    # Blender counts the arguments that a method takes.
    def timed(self: Any, context: Any) -> Any:
        begin = time.thread_time()
        try:
            return inner(self, context)
        finally:
            spent.append(time.thread_time() - begin)

    def timed_at(self: Any, context: Any, location: Any) -> Any:
        begin = time.thread_time()
        try:
            return inner(self, context, location)
        finally:
            spent.append(time.thread_time() - begin)

    setattr(kind, name, timed_at if name == "test_select" else timed)


def _write_library(path: str, library: str) -> None:
    """A file of its own with a robot in it, whose collection is linked from here."""
    robot = bpy.data.objects[_import(path)]
    home = _module("core.blender.standing.display").find_collection(robot)
    bpy.data.libraries.write(library, {home}, fake_user=True)
    _activate(robot.name)
    assert bpy.ops.urdf.delete_robot() == {"FINISHED"}


def _override(library: str) -> str:
    with bpy.data.libraries.load(library, link=True) as (have, wanted):
        wanted.collections = [each for each in have.collections if each == "two_link_arm"]
    (home,) = wanted.collections
    made = home.override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
    )
    robot = next(each for each in made.all_objects if each.type == "ARMATURE")
    robot.location.x = 3.0  # Else the others are before it.
    return str(robot.name)


def _import(path: str) -> str:
    assert bpy.ops.import_scene.urdf(filepath=path) == {"FINISHED"}
    return str(bpy.context.view_layer.objects.active.name)


def _activate(name: str) -> None:
    layer = bpy.context.window_manager.windows[0].view_layer
    for each in layer.objects:
        each.select_set(each.name == name)
    layer.objects.active = layer.objects[name]


def _read_reports(driver: Driver) -> str:
    """Returns all that was reported, as the editor Info lists it."""
    area = driver.window.screen.areas[-1]
    kind, area.type = area.type, "INFO"
    region = next(each for each in area.regions if each.type == "WINDOW")
    with bpy.context.temp_override(window=driver.window, area=area, region=region):
        bpy.ops.info.select_all(action="SELECT")
        bpy.ops.info.report_copy()
    area.type = kind
    return str(bpy.context.window_manager.clipboard)


def _found(name: str) -> tuple[bool, bool]:
    """Whether solutions are shown, and a check."""
    robot = bpy.data.objects[name]
    ghosts = importlib.import_module(f"{_EXTENSION}.operators.ik.ghosts")
    panel = importlib.import_module(f"{_EXTENSION}.operators.motion.panel")
    return ghosts.find_ghosts(robot) is not None, panel.find_checked(robot) is not None


def _leftovers() -> dict[str, Any]:
    found: dict[str, Any] = _module("core.blender.standing.whole").find_leftovers(bpy.context.scene)
    return found


def _joints(name: str) -> list[str]:
    return list(bpy.data.objects[name]["urdf_robot"]["joints"])


def _module(name: str) -> Any:
    return importlib.import_module(f"{_EXTENSION}.urdf_importer.{name}")
