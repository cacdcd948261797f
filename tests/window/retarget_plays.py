# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot follows a person, from the panel. Plays of scenarios.py."""

import csv
import importlib
import os
import pathlib
from typing import Any

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Driver, Steps, unfold
from export_plays import import_robot, press_return_on_list
from first_minute_plays import anew
from gizmo_plays import Hands
from import_plays import _drop, _open_dialog, is_idle
from surroundings import Surroundings, assert_same, note_surroundings

_EXTENSION = "bl_ext.user_default.urdf_importer"
_LOOKED_AT = (0.0, 0.5, 0.5)
_PICK, _JUMP = "urdf.pick_pair", "urdf.go_to_violation"


def retarget(driver: Driver) -> Steps:
    """The found limbs, a pair corrected by two clicks, Esc, the motion, a jump to the worst frame,
    and the undo; the undo of a script's. ARGUMENTS: robot, person."""
    path, motion = driver.arguments
    pipeline = importlib.import_module(f"{_EXTENSION}.urdf_importer.features.retargeting.retarget")
    person = pipeline.open_person(motion)
    person.location.y, person.show_in_front = 1.2, True
    robot = import_robot(path)
    name = robot.name
    bpy.context.scene.frame_set(1)
    bpy.ops.ed.undo_push(message="Both are there")
    unfold("Retarget")
    bar = yield from driver.open_sidebar("Robot")
    _look(driver)
    pairs = importlib.import_module(f"{_EXTENSION}.operators.retargeting.limb_pairs")
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


@anew
def animator(driver: Driver) -> Steps:
    """An animator's, from the zip on: a robot and a person are dropped, the robot follows, its keys
    are shifted in the timeline, played, baked and written as a table. Then undo to the beginning,
    redo to the end and undo again, as fast as keys come; each step is as it was. ARGUMENTS: robot,
    person, table to write."""
    path, motion, table = driver.arguments
    unfold("Retarget")
    bar = yield from driver.open_sidebar("Robot")
    noted = [note_surroundings()]
    yield from _drop(driver, path)
    yield from driver.wait_for("the import is over", is_idle)
    hands = Hands(driver)
    hands.name = bpy.context.view_layer.objects.active.name
    noted.append(note_surroundings())
    yield from _open_dialog(driver, motion)
    driver.press("RET")
    yield from driver.wait_for("a person is there", lambda: len(bpy.data.armatures) == 2)
    yield from _meet(driver, hands.robot)
    noted.append(note_surroundings())
    yield from _ask(driver, bar)
    driver.press("RET")
    yield from driver.wait_for("the robot follows", hands.keyed)
    yield 0.7
    noted.append(note_surroundings())
    driver.take_picture("followed")
    yield from _shift_keys(driver, hands, 5)
    noted.append(noted[-1])  # The choice of keys is a step of its own.
    noted.append(note_surroundings())
    yield from _play_a_while(driver, hands)
    assert_same(noted[-1])
    first, last = _span(hands)
    assert bpy.ops.nla.bake(
        "EXEC_DEFAULT", True, frame_start=first, frame_end=last, only_selected=False,
        visual_keying=True, bake_types={"POSE"},
    ) == {"FINISHED"}  # fmt: skip
    noted.append(note_surroundings())
    yield from _write_table(driver, hands, table)
    assert_same(noted[-1])
    driver.take_picture("written")
    yield from _storm(driver, hands, noted)


def _meet(driver: Driver, robot: Any) -> Steps:
    """The person has its own rate and is as tall as people are; Retarget is open."""
    (person,) = (each for each in bpy.data.objects if each.type == "ARMATURE" and each != robot)
    render = bpy.context.scene.render
    assert abs(render.fps / render.fps_base - 60.0) < 0.01
    assert 1.0 < person.dimensions.z < 2.2 or 1.0 < person.dimensions.y < 2.2, person.dimensions
    pairs = importlib.import_module(f"{_EXTENSION}.operators.retargeting.limb_pairs")
    session = importlib.import_module(f"{_EXTENSION}.operators.session")
    yield from driver.wait_for(
        "Retarget is open", lambda: session.session_state(pairs._Pairs).is_open
    )
    yield from driver.wait_for("limbs are found", lambda: pairs.recall_limbs(robot, person))
    yield 0.7
    driver.take_picture("person")


def _shift_keys(driver: Driver, hands: Hands, frames: int) -> Steps:
    """In the timeline: all keys, those of bones that are not selected too, G, the number."""
    areas = driver.window.screen.areas
    area = next(each for each in areas if each.type == "DOPESHEET_EDITOR")
    region = next(each for each in area.regions if each.type == "WINDOW")
    bpy.context.scene.show_keys_from_selected_only = False
    goal = tuple(each + frames for each in _span(hands))
    driver.move(region.x + region.width / 2, region.y + region.height / 2)
    yield 0.2
    driver.press("A")
    yield 0.2
    driver.press("G")
    yield 0.2
    yield from driver.type(str(frames))
    driver.press("RET")
    yield from driver.wait_for("keys are shifted", lambda: _span(hands) == goal)
    yield 0.3


def _play_a_while(driver: Driver, hands: Hands) -> Steps:
    before = hands.positions()
    driver.rest_on_viewport()
    driver.press("SPACE")
    yield from driver.wait_for("it moves", lambda: hands.positions() != before)
    driver.press("ESC")
    yield from driver.wait_for("Esc brings it back", lambda: hands.positions() == before)


def _write_table(driver: Driver, hands: Hands, table: str) -> Steps:
    """File > Export; its rows are the robot's poses."""
    yield from driver.open_menu_entry("motion .json")
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    area = driver.browser
    operator = area.spaces.active.active_operator
    assert operator.bl_idname == "EXPORT_SCENE_OT_robot_motion", operator.bl_idname
    parameters = area.spaces.active.params
    parameters.directory = os.path.dirname(table).encode()
    parameters.filename = os.path.basename(table)
    yield 0.5
    press_return_on_list(driver)
    yield from driver.wait_for("the table is there", lambda: os.path.exists(table))
    yield 0.5
    rows = list(csv.DictReader(pathlib.Path(table).read_text().splitlines()))
    first, last = _span(hands)
    assert len(rows) == last - first + 1, (len(rows), first, last)
    scene = bpy.context.scene
    shown = scene.frame_current
    for frame in (first, (first + last) // 2, last):
        scene.frame_set(frame)
        now = hands.positions()
        wrong = {
            joint: (written, now[joint])
            for joint, written in rows[frame - first].items()
            if joint in now and abs(float(written) - now[joint]) > 1e-4
        }
        assert not wrong and now.keys() & rows[0].keys(), (wrong, rows[0])
    scene.frame_set(shown)


def _storm(driver: Driver, hands: Hands, noted: list[Surroundings]) -> Steps:
    """The view is where the drops led it: undo moves no view."""
    views = tuple(f"window 0 view {n} region" for n in range(9))
    for back in range(len(noted) - 2, -1, -1):
        yield from driver.undo()
        assert_same(noted[back], *views)
    assert not bpy.data.armatures
    for armatures, end, held in ((2, noted[-1], {"shift": True}), (0, noted[0], {})):
        yield from driver.storm(len(noted) - 1, **held)
        yield from driver.wait_for(
            "the storm is over", lambda n=armatures: len(bpy.data.armatures) == n
        )
        yield 1.0
        assert_same(end, *views)


def _span(hands: Hands) -> tuple[int, int]:
    """The first and the last frame with keys."""
    curves = hands.module("urdf_importer.core.blender.standing.keys").find_curves(hands.robot)
    frames = [point.co.x for curve in curves for point in curve.keyframe_points]
    return round(min(frames)), round(max(frames))


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
