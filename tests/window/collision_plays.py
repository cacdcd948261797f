# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that touch in red, and collision shapes that are fitted. Plays of scenarios.py."""

import importlib
import os
from typing import Any

import bpy
import numpy as np
from driver import Driver, Steps, unfold
from export_plays import frame_robot, import_robot

_EXTENSION = "bl_ext.user_default.urdf_importer"
_FOLDED = {"panda_joint4": -3.0, "panda_joint6": 0.0}
"""The hand touches two links of the arm's foot."""
_LEAST = 800
"""Red pixels of links that touch, beside those of Blender's own axes."""


def touching(driver: Driver) -> Steps:
    """The switch, red links while frames are scrubbed; undo, deletion, its undo, a save and a
    reload. ARGUMENTS: file."""
    robot = import_robot(driver.arguments[0])
    name = robot.name
    _key(robot)
    frame_robot(driver)
    unfold("Look")
    bar = yield from driver.open_sidebar("Robot")
    yield from driver.find_property(driver.viewport, bar, "urdf_show_touching")
    yield from driver.click(*driver.place)
    assert bpy.context.window_manager.urdf_show_touching
    yield 1.5
    least = _LEAST + _count_red(driver, "apart")
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        yield 0.05
    yield from _see_red(driver, "touching", least)
    bpy.ops.ed.undo_push(message="Scrub")
    bpy.data.objects[name].location.z = 0.3
    bpy.ops.ed.undo_push(message="Move")
    yield from driver.undo()
    yield from _see_red(driver, "undone", least)
    for item in [*bpy.data.objects[name].children_recursive, bpy.data.objects[name]]:
        bpy.data.objects.remove(item)
    bpy.ops.ed.undo_push(message="Delete")
    yield 1.0
    assert _count_red(driver, "deleted") < least
    yield from driver.undo()
    yield from _see_red(driver, "back", least)
    yield from _reload(driver, least)


def _reload(driver: Driver, least: int) -> Steps:
    """What is switched on stays so in the next file."""
    path = str(driver.folder / "touching.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    yield 1.0
    bpy.ops.wm.open_mainfile(filepath=path)
    yield from _see_red(driver, "reloaded", least)
    bpy.context.window_manager.urdf_show_touching = False
    yield 0.5
    assert _count_red(driver, "off") < least


def _key(robot: Any) -> None:
    """Stretched until frame 10, folded from frame 20 on."""
    library = importlib.import_module(f"{_EXTENSION}.urdf_importer")
    for frame, share in ((10, 0.5), (20, 1.0)):
        bpy.context.scene.frame_set(frame)
        library.set_joint_positions(robot, {name: share * end for name, end in _FOLDED.items()})
        assert bpy.ops.urdf.key_all() == {"FINISHED"}
    bpy.context.scene.frame_set(1)


def _see_red(driver: Driver, picture: str, least: int) -> Steps:
    """A picture that is read makes Blender forget, so it is taken once."""
    module = importlib.import_module(f"{_EXTENSION}.operators.collisions.touching")

    def is_known() -> bool:
        robots = module.list_robots()
        return bool(robots and module.find_touching(robots[0]).pairs)

    yield 0.5
    yield from driver.wait_for(f"{picture}: known", is_known)
    yield 1.0
    assert _count_red(driver, picture) > least


def _count_red(driver: Driver, picture: str) -> int:
    driver.take_picture(picture)
    image = bpy.data.images.load(str(driver.folder / f"{picture}.png"))
    pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    red, green, blue = pixels.reshape(-1, 4)[:, :3].T
    return int(((red > 0.5) & (green < 0.45 * red) & (blue < 0.45 * red)).sum())


def collision_shapes(driver: Driver) -> Steps:
    """The panel: a fit that Esc ends, one to its end, the shapes through the robot, one link alone,
    and the undo of both. ARGUMENTS: file, an empty folder. Shapes that another play left in the
    cache would be there before Esc is."""
    os.environ["XDG_CACHE_HOME"] = driver.arguments[1]
    robot = import_robot(driver.arguments[0])
    name = robot.name
    frame_robot(driver)
    unfold("Collision Shapes")
    bar = yield from driver.open_sidebar("Robot")
    chosen = bpy.context.window_manager.operator_properties_last("urdf.fit_collisions")
    chosen.shape = "decomposed"
    chosen.parts = 4
    before = _shapes(name)
    yield from driver.find_button(driver.viewport, bar, "urdf.fit_collisions", 0.3)
    button = driver.place
    yield from _end_by_esc(driver, *button)
    assert _shapes(name) == before
    yield from driver.click(*button)
    yield from driver.wait_for("shapes are fitted", lambda: _shapes(name) != before, 120.0)
    fitted = _shapes(name)
    assert len(fitted) > len(before)
    bpy.context.window_manager.urdf_show_shapes = True
    yield 1.0
    driver.take_picture("fitted")
    bpy.ops.urdf.select_link(link="upper_arm_link")
    chosen = bpy.context.window_manager.operator_properties_last("urdf.fit_collisions")
    chosen.shape = "box"
    chosen.source = "visuals"  # Boxes are fitted around each of its parts else.
    driver.viewport.tag_redraw()
    driver.move(driver.viewport.x + 100, driver.viewport.y + 100)
    yield 0.5
    yield from driver.find_button(driver.viewport, bar, "urdf.fit_collisions", 0.8)
    yield from driver.click(*driver.place)
    yield from driver.wait_for("one link has a box", lambda: len(_shapes(name)) < len(fitted))
    yield 1.0
    driver.take_picture("selected")
    yield from driver.undo()
    yield from driver.wait_for("one undo took it back", lambda: _shapes(name) == fitted)
    yield 0.5
    driver.take_picture("undone")


def _end_by_esc(driver: Driver, x: float, y: float) -> Steps:
    """Presses the button, and Esc once the work runs."""
    is_busy = importlib.import_module(f"{_EXTENSION}.operators.stepping").is_busy
    yield from driver.click(x, y)
    yield from driver.wait_for("it runs", is_busy)
    driver.take_picture("running")
    driver.press("ESC")
    yield from driver.wait_for("Esc ended it", lambda: not is_busy())


def _shapes(name: str) -> set[tuple[str, int]]:
    items = bpy.data.objects[name].children_recursive
    return {
        (item.name, len(item.data.vertices))
        for item in items
        if item.get("urdf_part") == "Collisions"
    }
