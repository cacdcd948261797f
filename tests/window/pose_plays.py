# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses and limbs by the sidebar. Plays of scenarios.py."""

import importlib
from typing import Any

import bpy
from driver import Driver, Steps, unfold
from gizmo_plays import Hands

_EXTENSION = "bl_ext.user_default.urdf_importer"


def poses(driver: Driver) -> Steps:
    """A pose comes in by a drag from it, by shares; Esc gives it back, and one undo. A click shows
    all of it. Bones of a limb alone. The line under the sliders goes with the first drag.
    ARGUMENTS: robot, SRDF, joint."""
    path, srdf, joint = driver.arguments
    steps = _forget_first_steps()
    hands = Hands(driver)
    hands.prepare(path, {joint: -1.8})
    assert bpy.ops.urdf.import_srdf(filepath=srdf) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="SRDF")
    unfold("Joints", "Poses")
    bar = yield from driver.open_sidebar("Robot")
    _change_the_pie_key(hands)
    before = hands.positions()
    driver.take_picture("start")
    yield from driver.find_button(driver.viewport, bar, "urdf.show_state", x=0.3)
    place = driver.place
    for end in ("ESC", ""):
        yield from _drag_from(driver, place, end)
        now = hands.positions()
        if end:
            assert now == before, now
            continue
        share = {
            name: (now[name] - before[name]) / (_goal(hands)[name] - before[name])
            for name in now
            if name in _goal(hands) and abs(_goal(hands)[name] - before[name]) > 0.01
        }
        assert share and all(0.45 < each < 0.55 for each in share.values()), share
        yield from hands.undo_to(before)
    yield from driver.click(*place)
    yield from driver.wait_for(
        "the whole pose",
        lambda: all(abs(hands.positions()[n] - x) < 1e-3 for n, x in _goal(hands).items()),
    )
    yield from hands.undo_to(before)
    yield from _show_a_limb(driver, hands, bar)
    assert not steps._has_dragged()
    yield from hands.drag(hands.find_body(joint), (40.0, 30.0))
    assert hands.positions() != before
    driver.take_picture("dragged")
    assert steps._has_dragged()


def _change_the_pie_key(hands: Hands) -> None:
    """The line says the key that the user has set, and none where that is switched off."""
    menu = hands.module("operators.sidebar.robot_menu")
    assert menu.find_pie_key(bpy.context) == "Shift Alt R"
    keys = bpy.context.window_manager.keyconfigs.user.keymaps["Object Mode"].keymap_items
    (item,) = (each for each in keys if menu._opens_pie(each))
    item.type = "Y"
    assert menu.find_pie_key(bpy.context) == "Shift Alt Y"
    item.active = False
    assert menu.find_pie_key(bpy.context) == ""


def _drag_from(driver: Driver, place: tuple[int, int], end: str) -> Steps:
    """Clicks the pose with Shift, goes half of the way to it, and clicks or presses `end`."""
    scale = bpy.context.preferences.system.ui_scale
    driver.move(*place)
    yield 0.3
    driver.send("LEFT_SHIFT", "PRESS", shift=True)
    yield 0.1
    driver.send("LEFTMOUSE", "PRESS", shift=True)
    yield 0.1
    driver.send("LEFTMOUSE", "RELEASE", shift=True)
    yield 0.3
    driver.send("LEFT_SHIFT", "RELEASE")
    for step in range(1, 6):
        driver.move(place[0] + 20 * scale * step, place[1] + 3)
        yield 0.1
    driver.take_picture(f"half{end}")
    driver.press(end or "LEFTMOUSE")
    yield 0.5


def _goal(hands: Hands) -> dict[str, float]:
    """The positions of the state of Panda's own SRDF."""
    apply = hands.module("urdf_importer.core.blender.semantics.apply")
    state = apply.find_state(hands.robot, "arm_and_hand", "default")
    return {joint: numbers[0] for joint, numbers in state.positions}


def _show_a_limb(driver: Driver, hands: Hands, bar: Any) -> Steps:
    """Unfolds the buttons by the switch beside the search field, and presses the first."""
    yield from driver.find_property(driver.viewport, bar, "urdf_joint_filter")
    row = driver.place[1]
    yield from driver.find_switch(bar, row, "urdf_shows_limbs")
    yield from driver.click(*driver.place)
    yield 0.5
    driver.take_picture("limbs")
    yield from driver.find_property(driver.viewport, bar, "is_solo", x=0.3)
    yield from driver.click(*driver.place)
    collections = hands.robot.data.collections
    yield from driver.wait_for("a limb is alone", lambda: collections.is_solo_active)
    driver.take_picture("alone")
    yield from driver.undo()
    yield from driver.wait_for(
        "one undo shows all", lambda: not hands.robot.data.collections.is_solo_active
    )


def _forget_first_steps() -> Any:
    """Makes the user a new one: other plays drag as well."""
    kept = importlib.import_module(f"{_EXTENSION}.operators.preferences")
    kept.save({name: text for name, text in kept.load().items() if name != "dragged"})
    return importlib.import_module(f"{_EXTENSION}.operators.first_steps")
