# SPDX-License-Identifier: GPL-3.0-or-later
"""What hands do with joints of all kinds, and where they find none. Plays of scenarios.py."""

import math

import bpy
from driver import Driver, Steps
from gizmo_plays import Hands


def all_hands(driver: Driver) -> Steps:
    """A robot of all kinds of joints: finely, with keyframes, in pose mode, behind other things,
    and switched off. Then one that floats. ARGUMENTS: two files."""
    path, flying = driver.arguments
    hands = Hands(driver)
    # Handles at the tips would take the mouse before small bodies do.
    bpy.context.preferences.addons[hands.extension].preferences.tip_handles = False
    hands.prepare(path, {"shoulder": 0.2, "elbow": 0.9, "lift": 0.1})
    hands.look(hands.start, at=(0.0, 0.0, 0.5))
    yield 0.5
    yield from _finely_and_keyed(hands)
    yield from _several_numbers(hands)
    yield from _pose_mode(hands)
    yield from _switched_off(hands)
    yield from _something_in_front(hands)
    hands.take(flying)
    yield 0.5
    yield from _floating(hands)


def _finely_and_keyed(hands: Hands) -> Steps:
    before = hands.positions()
    place = hands.find_body("elbow")
    ways = {}
    for shift in (False, True):
        yield from hands.drag(place, (40.0, 30.0), shift=shift)
        now = hands.positions()
        ways[shift] = now["elbow"] - before["elbow"]
        assert {name for name in now if now[name] != before[name]} == {"elbow"}
        yield from hands.undo_to(before)
    assert 0.0 < ways[True] / ways[False] < 0.3, ways
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    yield from hands.drag(hands.find_body("lift"), (10.0, 60.0))
    assert hands.positions()["lift"] != before["lift"]
    assert hands.keyed() == {('pose.bones["lift"].location', 0)}, hands.keyed()
    yield from hands.driver.undo()
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    yield from hands.driver.wait_for("no keyframe is left", lambda: not hands.keyed())
    assert hands.positions() == before


def _several_numbers(hands: Hands) -> Steps:
    """Two joints of one bone, and a joint of three numbers: moved, then turned."""
    before = hands.positions()
    assert hands.bone_of("pan") == hands.bone_of("tilt")
    yield from hands.drag(hands.find_body("tilt"), (30.0, 40.0))
    now = hands.positions()
    assert {name for name in now if now[name] != before[name]} == {"tilt"}
    ways = {}
    for key in ("", "R"):
        before = hands.positions()
        yield from hands.drag(
            hands.find_body("drive"), (60.0, 30.0), key=key, picture=f"drive{key}"
        )
        now = hands.positions()
        assert {name for name in now if now[name] != before[name]} == {"drive"}
        x, y, angle = (new - old for old, new in zip(before["drive"], now["drive"], strict=True))
        ways[key] = (math.hypot(x, y), abs(angle))
        yield from hands.undo_to(before)
    # The first pixels are gone when R is pressed, and stay.
    assert ways[""][0] > 2 * ways["R"][0] > 0.0, ways
    assert ways[""][1] == 0.0 and ways["R"][1] > 0.2, ways


def _pose_mode(hands: Hands) -> Steps:
    bpy.context.view_layer.objects.active = hands.robot
    with bpy.context.temp_override(**hands.context()):
        bpy.ops.object.mode_set(mode="POSE")
    yield 0.3
    before, place = hands.positions(), hands.find_body("elbow")
    yield from hands.driver.click(*place)
    yield from hands.driver.wait_for(
        "a bone is chosen", lambda: [each.name for each in bpy.context.selected_pose_bones or ()]
    )
    yield from hands.drag(place, (40.0, 20.0), picture="pose")
    now = hands.positions()
    assert {name for name in now if now[name] != before[name]} == {"elbow"}
    with bpy.context.temp_override(**hands.context()):
        bpy.ops.object.mode_set(mode="OBJECT")
    yield 0.3


def _switched_off(hands: Hands) -> Steps:
    preferences = bpy.context.preferences.addons[hands.extension].preferences
    before, place = hands.positions(), hands.find_body("elbow")
    preferences.joint_gizmo = False
    with hands.watch_drawing() as drawn:
        yield from hands.rest_on(place)
        yield from hands.drag(place, (40.0, 30.0))
        assert not drawn and hands.positions() == before
        preferences.joint_gizmo = True
        yield from hands.rest_on(hands.empty)
        yield from hands.rest_on(place)
        yield from hands.driver.wait_for("it is on again", lambda: drawn)


def _something_in_front(hands: Hands) -> Steps:
    """It is not the robot's: a click selects it, a drag does not reach the robot."""
    before, place = hands.positions(), hands.find_body("elbow", bare=True)
    origin, direction = hands.look_through(place)
    bpy.ops.mesh.primitive_cube_add(size=0.08, location=origin + 0.4 * direction)
    bpy.context.object.name = "In front"
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = hands.robot
    yield 0.4
    yield from hands.rest_on(place)
    with hands.watch_drawing() as drawn:
        yield from hands.drag(place, (40.0, 30.0), picture="in_front")
        assert not drawn and hands.positions() == before, drawn
    yield from hands.driver.click(*place)
    assert bpy.context.object.name == "In front", bpy.context.object
    bpy.data.objects.remove(bpy.data.objects["In front"])


def _floating(hands: Hands) -> Steps:
    for key in ("", "R"):
        before = hands.positions()["flight"]
        yield from hands.drag(hands.find_body("flight"), (50.0, 40.0), key=key, picture=f"fly{key}")
        now = hands.positions()["flight"]
        assert now[:3] != before[:3]
        assert (now[3:] != before[3:]) == bool(key), (key, before, now)
