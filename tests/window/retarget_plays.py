# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot follows a person, from the panel. Plays of scenarios.py."""

import importlib
from typing import Any

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Driver, Steps, unfold
from export_plays import import_robot

_EXTENSION = "bl_ext.user_default.urdf_importer"
_LOOKED_AT = (0.0, 0.5, 0.5)
_PICK, _JUMP = "urdf.pick_pair", "urdf.go_to_violation"


def retarget(driver: Driver) -> Steps:
    """The found limbs, a pair corrected by two clicks, Esc, the motion, a jump to the worst frame,
    and the undo; the undo of a script's. ARGUMENTS: robot, person."""
    path, motion = driver.arguments
    pipeline = importlib.import_module(f"{_EXTENSION}.urdf_importer.pipeline.retargeting")
    person = pipeline.open_person(motion)
    person.location.y, person.show_in_front = 1.2, True
    robot = import_robot(path)
    name = robot.name
    bpy.context.scene.frame_set(1)
    bpy.ops.ed.undo_push(message="Both are there")
    unfold("Retarget")
    bar = yield from driver.open_sidebar("Robot")
    _look(driver)
    pairs = importlib.import_module(f"{_EXTENSION}.operators.motion.limb_pairs")
    yield from driver.wait_for("limbs are found", lambda: _rows(pairs, robot, person))
    yield 1.0
    driver.take_picture("found")
    assert [row.link for row in _rows(pairs, robot, person)] == ["LEFT_FOOT", "RIGHT_FOOT"]
    before = [(row.bones, row.color) for row in _rows(pairs, robot, person)]
    yield from _pick(driver, bar, (person, "RightLeg"), (robot, "LEFT_KNEE_Y"))
    yield from driver.wait_for("the pair is corrected", lambda: pairs.given_pairs(robot, person))
    yield 0.7
    driver.take_picture("corrected")
    assert pairs.given_pairs(robot, person)[0][0] == "RightFoot"
    rows = _rows(pairs, robot, person)
    assert [(row.bones, row.color) for row in rows] == before, "rows stay, and their colours"
    assert [row.link for row in rows] == ["", "LEFT_FOOT"], "one has no partner now"
    yield from driver.find_button(driver.viewport, bar, "urdf.set_pair", 0.83)
    yield from driver.click(*driver.place)
    yield from driver.wait_for("it is taken back", lambda: not pairs.given_pairs(robot, person))
    yield from driver.find_button(driver.viewport, bar, _PICK)
    yield from driver.click(*driver.place)
    driver.press("ESC")
    yield 0.5
    assert not pairs.given_pairs(robot, person)
    yield from _follow(driver, bar, person, name)


def _follow(driver: Driver, bar: Any, person: Any, name: str) -> Steps:
    stepping = importlib.import_module(f"{_EXTENSION}.operators.stepping")
    source = person.name
    yield from _ask(driver, bar)
    driver.take_picture("asked")
    driver.press("RET")
    yield from driver.wait_for("the bar is shown", stepping.is_busy)
    driver.press("ESC")
    yield from driver.wait_for("Esc ended it", lambda: not stepping.is_busy())
    assert not _keys(name)
    yield from _ask(driver, bar)
    driver.press("RET")
    yield from driver.wait_for("the robot follows", lambda: _keys(name))
    assert bpy.data.objects[name].animation_data.action["urdf_retarget"]["source"] == person.name
    view = driver.viewport.spaces.active.region_3d
    yield from driver.wait_for(
        "the robot is framed", lambda: tuple(view.view_location) != _LOOKED_AT
    )
    bpy.context.scene.frame_set(40)
    yield 1.0
    driver.take_picture("followed")
    yield from driver.find_button(driver.viewport, bar, _JUMP, 0.82)
    yield from driver.click(*driver.place)
    action = bpy.data.objects[name].animation_data.action
    worst = action["urdf_retarget"]["frames"][0]
    yield from driver.wait_for("the worst frame", lambda: bpy.context.scene.frame_current == worst)
    driver.take_picture("worst")
    yield from driver.undo()
    yield from driver.undo()
    yield from driver.wait_for("undo took it back", lambda: not _keys(name))
    bpy.context.scene.frame_set(55)
    bpy.ops.ed.undo_push(message="Frame")
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.urdf.retarget("EXEC_DEFAULT", True, person=source)
    assert _keys(name)
    yield from driver.undo()
    yield from driver.wait_for("one undo takes a script's back", lambda: not _keys(name))
    assert bpy.context.scene.frame_current == 55


def _ask(driver: Driver, bar: Any) -> Steps:
    yield from driver.find_button(driver.viewport, bar, "urdf.retarget")
    x, y = driver.place
    yield from driver.click(x, y)
    yield 0.7
    driver.move(x - 60, y + 38)  # On the title: Return confirms there.
    yield 0.3


def _pick(driver: Driver, bar: Any, theirs: tuple[Any, str], ours: tuple[Any, str]) -> Steps:
    yield from driver.find_button(driver.viewport, bar, _PICK)
    yield from driver.click(*driver.place)
    yield 0.3
    for item, bone in (theirs, ours):
        pose = item.pose.bones[bone]
        middle = item.matrix_world @ ((pose.head + pose.tail) / 2)
        area = driver.viewport
        region = next(each for each in area.regions if each.type == "WINDOW")
        at = location_3d_to_region_2d(region, area.spaces.active.region_3d, middle)
        yield from driver.click(region.x + at.x, region.y + at.y)
        yield 0.3


def _look(driver: Driver) -> None:
    view = driver.viewport.spaces.active
    view.region_3d.view_location = _LOOKED_AT
    view.region_3d.view_distance = 4.5
    view.region_3d.view_rotation = (0.53, 0.47, 0.47, 0.53)


def _rows(pairs: Any, robot: Any, person: Any) -> Any:
    found = pairs.recall_limbs(robot, person)
    return found.rows if found is not None else ()


def _keys(name: str) -> bool:
    animation = bpy.data.objects[name].animation_data
    return animation is not None and animation.action is not None
