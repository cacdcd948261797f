# SPDX-License-Identifier: GPL-3.0-or-later
"""The windows that listing/ shows; tools/take-screenshots --listing plays them.

    blender --enable-event-simulate --python listing_plays.py -- PICTURE FOLDER ROBOTS

All of the window, with letters large enough for a picture that is shown small.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import pictures
from driver import Driver, Steps, unfold
from gizmo_plays import Hands

_ROBOTS = "workspace/src/example-robot-data/robots"
_PANDA = f"{_ROBOTS}/panda_description/urdf/panda.urdf"
_UR5 = f"{_ROBOTS}/ur_description/urdf/ur5_robot.urdf"
_TALOS = f"{_ROBOTS}/talos_data/robots/talos_full_v2.urdf"
_SCALE = 1.35
_BENT = {
    "shoulder_pan_joint": 0.5, "shoulder_lift_joint": -1.5, "elbow_joint": 1.3,
    "wrist_1_joint": -1.37, "wrist_2_joint": -1.57, "wrist_3_joint": 0.4,
}  # fmt: skip
_WALK = {
    1: {"arm_left_1_joint": 0.3, "arm_left_4_joint": -0.6, "leg_left_4_joint": 0.2},
    20: {
        "leg_left_3_joint": -0.75, "leg_left_4_joint": 1.1, "leg_left_5_joint": -0.35,
        "leg_right_3_joint": 0.15, "leg_right_4_joint": 0.3, "leg_right_5_joint": -0.4,
        "arm_left_1_joint": 0.2, "arm_left_2_joint": 0.25, "arm_left_4_joint": -0.5,
        "arm_right_1_joint": -0.9, "arm_right_2_joint": -0.4, "arm_right_4_joint": -1.5,
        "torso_1_joint": 0.25, "head_2_joint": -0.3,
    },
    40: {
        "leg_left_3_joint": -0.1, "leg_left_4_joint": 0.4, "leg_left_5_joint": -0.3,
        "leg_right_3_joint": -0.6, "leg_right_4_joint": 1.2, "leg_right_5_joint": -0.5,
        "arm_left_1_joint": 0.9, "arm_left_4_joint": -1.4, "torso_1_joint": -0.25,
    },
    60: {"arm_left_1_joint": 0.3, "arm_left_4_joint": -0.6, "leg_left_4_joint": 0.2},
}  # fmt: skip

_CURVED = {"leg_left_4_joint", "leg_right_4_joint", "arm_left_4_joint", "arm_right_4_joint"}
"""Bones whose curves are shown."""


def drag(driver: Driver) -> Steps:
    """The mouse is on its way with an arm's forearm, beside the sliders."""
    hands = _take(driver, _PANDA, pictures._REACHING, at=(0.48, 0.24, 0.41), distance=1.7)
    yield from _open(driver, "Joints")
    place = hands.find_body("panda_joint4")
    yield from hands.rest_on(place)
    driver.move(*place)
    driver.send("LEFTMOUSE", "PRESS")
    for step in range(1, 8):
        driver.move(place[0] + 3 * step, place[1] + 9 * step)
        yield 0.2
    yield 1.0
    _keep(driver, "drag")


def solutions(driver: Driver) -> Steps:
    """The ways to hold a hand where it is, as ghosts."""
    _take(driver, _UR5, _BENT, at=(0.4, 0.2, 0.32), distance=1.8)
    bpy.context.window_manager.urdf_ik.source = "gizmo"
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.urdf.find_ik()
    yield from _open(driver, "Inverse Kinematics")
    yield 1.0
    _keep(driver, "solutions")


def animate(driver: Driver) -> Steps:
    """A humanoid between keyframes of all its joints."""
    hands = _take(driver, _TALOS, {}, at=(0.28, 0.36, 0.93), distance=3.4)
    scene = bpy.context.scene
    scene.frame_end = 60
    yield from pictures._pull_up(driver, driver.viewport.y - 2, by=170)
    robot = hands.robot
    for frame, positions in _WALK.items():
        scene.frame_set(frame)
        hands.pose({**dict.fromkeys(_WALK[20], 0.0), **positions})
        with bpy.context.temp_override(window=driver.window, area=driver.viewport):
            assert bpy.ops.urdf.key_all() == {"FINISHED"}
    scene.frame_set(20)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in robot.pose.bones:
        bone.select = bone.name in _CURVED
    yield from _open(driver, "Joints")
    area = next(each for each in driver.window.screen.areas if each.type == "DOPESHEET_EDITOR")
    area.ui_type = "FCURVES"
    area.spaces.active.show_region_ui = False
    yield 0.5
    region = next(each for each in area.regions if each.type == "WINDOW")
    with bpy.context.temp_override(window=driver.window, area=area, region=region):
        bpy.ops.graph.view_all()
    yield 1.0
    _keep(driver, "animate")


def _take(
    driver: Driver, name: str, positions: Mapping[str, float], *, at: Any, distance: float
) -> Hands:
    """A robot in a pose, alone in the view."""
    bpy.context.preferences.view.ui_scale = _SCALE
    for item in ("Cube", "Camera", "Light"):
        bpy.data.objects.remove(bpy.data.objects[item])
    hands = Hands(driver)
    assert bpy.ops.import_scene.urdf(filepath=str(pictures._robots(driver) / name)) == {"FINISHED"}
    hands.name = bpy.context.view_layer.objects.active.name
    hands.pose(positions)
    pictures._look(driver, at=at, distance=distance, turn=52, tilt=74)
    driver.viewport.spaces.active.overlay.show_axis_x = False
    driver.viewport.spaces.active.overlay.show_axis_y = False
    return hands


def _open(driver: Driver, *labels: str) -> Steps:
    unfold(*labels)
    yield from driver.open_sidebar("Robot")
    pictures._rest(driver)
    yield 1.5


def _keep(driver: Driver, name: str) -> None:
    pictures._keep(driver, name, (0, 0, driver.window.width, driver.window.height))


if __name__ == "__main__":
    pictures.play(globals())
