# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the documentation, taken of a real window; tools/take-screenshots plays them.

    blender --enable-event-simulate --python pictures.py -- PICTURE FOLDER ROBOTS

One generator function for each picture, as in scenarios.py. ROBOTS is the folder with the robots.
"""

import importlib
import math
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).parent))

from driver import Driver, Steps, run, unfold
from gizmo_plays import hold_forearm, rest_on_hand
from live_plays import Server

_FEW_COLORS = ("+dither", "-colors", "160", "-define", "png:compression-level=9")
"""Fewer show bands on round surfaces, more make the file large."""

_BOOKMARKS = 244
"""Pixels of the file browser's left side, which is about the machine."""
_ABOVE_COPY = 33
"""Pixels from a place on *Copy All* of the import report to above the panel's header."""
_ROW = 22
"""Pixels of a row in the file browser's list."""

_PANDA = "workspace/src/example-robot-data/robots/panda_description/urdf/panda.urdf"
_TALOS = "workspace/src/example-robot-data/robots/talos_data/robots/talos_full_v2.urdf"
_WAVING = 185
"""A frame of the sample's person."""
_REACHING = {
    "panda_joint1": 0.5, "panda_joint2": 0.35, "panda_joint3": -0.25, "panda_joint4": -1.9,
    "panda_joint5": 0.2, "panda_joint6": 2.3, "panda_joint7": 0.9, "panda_finger_joint1": 0.03,
}  # fmt: skip
_RAISED = {
    "shoulder_pitch": -0.9, "shoulder_roll": 0.5, "shoulder_yaw": 0.3, "elbow": -1.3,
    "forearm_yaw": 0.3, "wrist_pitch": 0.4, "wrist_roll": 0.3,
}  # fmt: skip


# What a picture shows: left, bottom, width, height, in pixels from the window's lower left corner.
Box = tuple[float, float, float, float]


def install(driver: Driver) -> Steps:
    """Preferences > Get Extensions > the menu at the right > Install from Disk."""
    area = yield from _show_preferences(driver, "EXTENSIONS")
    yield from driver.click(area.x + area.width - 20, area.y + area.height - 45)
    yield 0.8
    left, bottom, width, height = _box(area)
    _keep(driver, "install", (left, bottom + height - 310, width, 310))


def preferences(driver: Driver) -> Steps:
    """The extension's own settings, with a package folder."""
    bpy.context.window_manager.addon_search = "URDF"
    area = yield from _show_preferences(driver, "ADDONS")
    addon = bpy.context.preferences.addons["bl_ext.user_default.urdf_importer"]
    addon.preferences.package_folders.add().path = str(_robots(driver) / "workspace" / "src")
    with bpy.context.temp_override(window=driver.window, area=area):
        bpy.ops.preferences.addon_expand(module="bl_ext.user_default.urdf_importer")
    area.tag_redraw()
    yield 1.0
    # Without the path of the extension itself, which is above.
    left, bottom, width, height = _box(area)
    _keep(driver, "preferences", (left + 170, bottom + height - 622, width - 170, 345))


def file_menu(driver: Driver) -> Steps:
    """The mouse goes down the menu as a hand would: a slant would close it."""
    yield from driver.click(43, driver.window.height - 13)
    yield 0.3
    yield from driver.click(76, driver.window.height - 311)
    yield 0.5
    driver.move(300, driver.window.height - 311)
    yield 0.5
    driver.move(300, driver.window.height - 499)
    yield 0.8
    _keep(driver, "file_menu", (0, driver.window.height - 710, 920, 710))


def file_browser(driver: Driver) -> Steps:
    yield from _browse(driver, "humanoid_arm.urdf")
    left, bottom, width, height = _box(driver.browser)
    _keep(driver, "file_browser", (left + _BOOKMARKS, bottom, width - _BOOKMARKS, height))


def xacro_arguments(driver: Driver) -> Steps:
    yield from _browse(driver, "arm.urdf.xacro")
    area = driver.browser
    operator = area.spaces.active.active_operator
    yield from driver.wait_for("the file's arguments are fields", lambda: operator.xacro_fields)
    operator.xacro_fields["reach"].value = "0.8"
    area.tag_redraw()
    yield 0.6
    left, bottom, width, height = _box(area)
    top = bottom + height
    _keep(driver, "xacro_arguments", (left + _BOOKMARKS, top - 260, width - _BOOKMARKS, 260))


def progress(driver: Driver) -> Steps:
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.import_scene.urdf_run("INVOKE_DEFAULT", filepath=str(_robots(driver) / _TALOS))
    yield from driver.wait_for("half of it is there", lambda: len(bpy.data.meshes) > 40)
    _keep(driver, "progress", (0, 0, driver.window.width, 24))


def panel(driver: Driver) -> Steps:
    """A real robot in pose mode, its limits, and its sliders."""
    robot = _import(driver, _PANDA, limit_arcs=True)
    _set_positions(robot, _REACHING)
    bpy.ops.urdf.make_thumbnail()
    bpy.ops.object.mode_set(mode="POSE")
    _look(driver, at=(0.34, 0.18, 0.36), distance=1.55, turn=52, tilt=72)
    yield from driver.open_sidebar("Robot")
    _rest(driver)
    yield 1.0
    _keep(driver, "panel", _box(driver.viewport))


def joint_gizmo(driver: Driver) -> Steps:
    """The mouse is on its way with a forearm."""
    yield from hold_forearm(driver, _robots(driver) / "humanoid_arm.urdf", _RAISED)
    _keep(driver, "joint_gizmo", _box(driver.viewport))


def tip_handle(driver: Driver) -> Steps:
    """The mouse is on an arrow of the handle at a hand."""
    yield from rest_on_hand(driver, _robots(driver) / _PANDA, _REACHING)
    _keep(driver, "tip_handle", _box(driver.viewport))


def groups(driver: Driver) -> Steps:
    """A robot with its SRDF."""
    _import(driver, _PANDA, srdf="auto")
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.urdf.show_state(group="arm_and_hand", state="default")
        bpy.ops.urdf.new_state(group="arm", state="ready")
        bpy.ops.urdf.new_state(group="hand", state="open")
        bpy.ops.urdf.select_group(group="arm")
    _look(driver, at=(0.34, 0.1, 0.4), distance=1.75, turn=52, tilt=72)
    unfold("Joints", "Poses")
    yield from driver.open_sidebar("Robot")
    _rest(driver)
    yield 3.0
    _keep(driver, "groups", _box(driver.viewport))


def motion(driver: Driver) -> Steps:
    """A motion that is too fast for an arm, listed and marked, at its worst frame."""
    _import(driver, _PANDA)
    table = Path(driver.folder, "wave.csv")
    joints = [name for name in _REACHING if "finger" not in name]
    rows = [["time", *joints]]
    for step in range(61):
        share = 0.5 - 0.5 * math.cos(math.pi * min(step / 36, 1.0))
        rows.append([str(step / 60), *(f"{share * _REACHING[name]:.5f}" for name in joints)])
    table.write_text("\n".join(",".join(row) for row in rows))
    bpy.context.scene.frame_end = 25
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.urdf.import_motion(filepath=str(table))
        bpy.ops.urdf.check_motion()
        bpy.ops.urdf.go_to_violation(frame=8.0)
    _look(driver, at=(0.34, 0.1, 0.4), distance=1.75, turn=52, tilt=72)
    unfold("Joints", "Motion")
    yield from driver.open_sidebar("Robot")
    left, bottom, width, height = _box(driver.viewport)
    _rest(driver)
    yield 3.0
    _keep(driver, "motion", (left, 0, width, bottom + height))


def simulate(driver: Driver) -> Steps:
    """An arm whose motors are off has sunk, and the panel."""
    robot = _import(driver, _PANDA)
    _set_positions(robot, _REACHING)
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.urdf.simulate(engine="bullet", seconds=1.0)
        bpy.context.scene.frame_set(16)
    _look(driver, at=(0.34, 0.18, 0.36), distance=1.55, turn=52, tilt=72)
    unfold("Simulate")
    yield from driver.open_sidebar("Robot")
    _rest(driver)
    yield 3.0
    _keep(driver, "simulate", _box(driver.viewport))


def retarget_panel(driver: Driver) -> Steps:
    """A robot that follows the sample's person, both in a colour for each limb."""
    extension = "bl_ext.user_default.urdf_importer"
    files = importlib.import_module(f"{extension}.urdf_importer.features.retargeting.retarget")
    person = files.open_person(str(_robots(driver) / "walk_and_wave.bvh"))
    person.location, person.show_in_front = (0.7, 1.1, 0.0), True
    robot = _import(driver, _TALOS)
    robot.select_set(False)
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.urdf.retarget("EXEC_DEFAULT", person=person.name)
    bpy.context.scene.frame_set(_WAVING)
    pairs = importlib.import_module(f"{extension}.operators.retargeting.limb_pairs")
    _look(driver, at=(1.7, -0.75, -0.1), distance=4.0, turn=80, tilt=82)
    unfold("Retarget")
    yield from driver.open_sidebar("Robot")
    yield from driver.wait_for("limbs are found", lambda: pairs.recall_limbs(robot, person))
    _rest(driver)
    yield 2.0
    _keep(driver, "retarget_panel", _box(driver.viewport))


def channels(driver: Driver) -> Steps:
    """What of a joint's bone is free to move."""
    robot = _import(driver, "humanoid_arm.urdf")
    bpy.ops.object.mode_set(mode="POSE")
    _choose_bone(robot, "elbow")
    yield from driver.open_sidebar("Item")
    _rest(driver)
    yield 0.6
    left, bottom, width, height = _box(driver.viewport)
    _keep(driver, "channels", (left + width - 300, bottom + height - 430, 300, 380))


def keyframes(driver: Driver) -> Steps:
    """Three poses, keyed in the sidebar."""
    yield from key_poses(driver)
    bpy.context.scene.frame_set(30)
    yield 1.0
    left, _, width, _ = _box(driver.viewport)
    _keep(driver, "keyframes", (left, 22, width, driver.window.height - 48))


def key_poses(driver: Driver) -> Steps:
    """Keys an arm at rest, raised and at rest, and shows its bones' keyframes."""
    robot = _import(driver, "humanoid_arm.urdf")
    scene = bpy.context.scene
    scene.frame_end = 60
    yield from _pull_up(driver, driver.viewport.y - 2, by=70)
    yield from driver.open_sidebar("Robot")
    for frame, positions in ((1, {}), (30, _RAISED), (60, {"elbow": -0.4})):
        scene.frame_set(frame)
        _set_positions(robot, positions)
        with bpy.context.temp_override(window=driver.window, area=driver.viewport):
            assert bpy.ops.urdf.key_all() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="POSE")
    for bone in robot.pose.bones:
        bone.select = True
    _look_at_arm(driver)
    _rest(driver)
    yield 1.0


def inverse_kinematics(driver: Driver) -> Steps:
    """Blender's own constraint on the last bone of an arm, pulled by an empty."""
    robot = _import(driver, _PANDA, combine_joints="never")
    _set_positions(robot, {**_REACHING, "panda_joint1": 0.0})
    bpy.context.view_layer.update()
    target = bpy.data.objects.new("Target", None)
    target.empty_display_type = "PLAIN_AXES"
    target.empty_display_size = 0.15
    target.location = (0.45, 0.35, 0.35)
    bpy.context.scene.collection.objects.link(target)
    bpy.ops.object.mode_set(mode="POSE")
    bone = _choose_bone(robot, "panda_joint7")
    constraint = bone.constraints.new("IK")
    constraint.target = target
    _look(driver, at=(0.25, 0.15, 0.36), distance=1.6, turn=40, tilt=72)
    _rest(driver)
    yield 1.0
    _keep(driver, "inverse_kinematics", _box(driver.viewport))


def ik_ways(driver: Driver) -> Steps:
    """The ways to hold the hand where it is, as ghosts, and the panel that chooses."""
    robot = _import(driver, _PANDA)
    _set_positions(robot, {**_REACHING, "panda_joint1": 0.0})
    bpy.context.view_layer.update()
    bpy.context.window_manager.urdf_ik.source = "gizmo"
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.urdf.find_ik()
    _look(driver, at=(0.32, 0.0, 0.4), distance=1.9, turn=20, tilt=74)
    unfold("Inverse Kinematics")
    yield from driver.open_sidebar("Robot")
    _rest(driver)
    yield 2.0
    _keep(driver, "ik_ways", _box(driver.viewport))


def live(driver: Driver) -> Steps:
    """A robot that follows a server in another process, while it is recorded."""
    _import(driver, "two_link_arm.urdf")
    unfold("Joints", "Live")
    script = str(Path(__file__).parents[1] / "support" / "live_server.py")
    server = Server(script, ["shoulder", "elbow"], 9090)
    try:
        bpy.ops.urdf.live_connect()
        _look(driver, at=(0.1, 0.0, 0.25), distance=2.2, turn=40, tilt=72)
        yield from driver.open_sidebar("Robot")
        yield 1.0
        bpy.ops.urdf.live_record()
        _rest(driver)
        yield 2.0
        _keep(driver, "live", _box(driver.viewport))
    finally:
        server.end()


def sensors_panel(driver: Driver) -> Steps:
    """The sensors of a robot in a room: a camera, a scanner, its points, and the panel."""
    _import(driver, "scout.urdf", sensors=True)
    robot = bpy.context.view_layer.objects.active
    for x, y, width, depth in ((0.0, 1.6, 3.6, 0.1), (1.8, 0.0, 0.1, 3.2), (1.0, -0.6, 0.3, 0.3)):
        bpy.ops.mesh.primitive_cube_add(size=1, location=(x, y, 0.25), scale=(width, depth, 0.5))
    bpy.context.view_layer.objects.active = robot
    unfold("Sensors")
    _look(driver, at=(0.4, 0.2, 0.1), distance=5.0, turn=-25, tilt=55)
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.urdf.sense(sensor="scan")
        bpy.ops.object.select_all(action="DESELECT")
        bpy.data.objects["scout scan"].select_set(True)
    yield from driver.open_sidebar("Robot")
    _rest(driver)
    yield 2.0
    _keep(driver, "sensors_panel", _box(driver.viewport))


def engine_export(driver: Driver) -> Steps:
    """The options for Isaac Sim, which sets the others."""
    _import(driver, "humanoid_arm.urdf")
    region = yield from _open_export(driver, "robot_for_engines", engine="isaac", kind="USDA")
    _keep(driver, "engine_export", _box(region))


def export_changes(driver: Driver) -> Steps:
    """What was changed in Blender, below the options, before it is written."""
    _import(driver, "two_link_arm.urdf")
    body = next(each for each in bpy.data.objects if each.get("urdf_part") == "Visuals")
    body.location.x += 0.25
    yield from _open_export(driver, "urdf")
    area = driver.browser
    left, bottom, width, height = _box(area)
    _keep(driver, "export_changes", (left + _BOOKMARKS, bottom, width - _BOOKMARKS, height))


def _open_export(driver: Driver, name: str, **options: Any) -> Generator[float, None, Any]:
    """An export's file browser; returns the region with its options."""
    path = str(_robots(driver) / "arm")
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        getattr(bpy.ops.export_scene, name)("INVOKE_DEFAULT", filepath=path, **options)
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    area = driver.browser
    driver.move(area.x + area.width / 2, area.y + 90)
    yield 1.5
    return _region(area, "TOOL_PROPS")


def render(driver: Driver) -> Steps:
    """Studio and Render, as a still picture; its size aside, all is as in a new file."""
    robot = _import(driver, "humanoid_arm.urdf")
    _set_positions(robot, _RAISED)
    _look(driver, at=(0.22, 0.22, 0.14), distance=2.4, turn=60, tilt=76)
    yield 0.5
    area = driver.viewport
    with bpy.context.temp_override(window=driver.window, area=area, region=_region(area, "WINDOW")):
        bpy.ops.urdf.build_studio(turntable="none")
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = 640, 360
    scene.render.filepath = str(driver.folder / "render.png")
    bpy.ops.render.render(write_still=True)
    subprocess.run(
        ["magick", scene.render.filepath, *_FEW_COLORS, scene.render.filepath],
        check=True,
    )


def report(driver: Driver) -> Steps:
    """A file with faults."""
    _import(driver, "messy.urdf")
    unfold("Import Report")
    sidebar = yield from driver.open_sidebar("Robot")
    yield from driver.find_button(driver.viewport, sidebar, "urdf.copy_report")
    top = driver.place[1] + _ABOVE_COPY
    _rest(driver)
    yield 1.0
    left, _, width, _ = _box(driver.viewport)
    _keep(driver, "report", (left + width - 290, top - 514, 290, 514))


def check_report(driver: Driver) -> Steps:
    """A forearm in grams and a wrist in degrees: the findings, and the joint that the button of the
    first of them selects."""
    robot = _import(driver, "grams.urdf")
    _set_positions(robot, _RAISED)
    _look(driver, at=(0.3, 0.3, 0.15), distance=1.7, turn=60, tilt=76)
    assert bpy.ops.urdf.check_robot() == {"FINISHED"}
    unfold("Import Report")
    sidebar = yield from driver.open_sidebar("Robot")
    yield from driver.find_button(driver.viewport, sidebar, "urdf.select_subject", 0.75)
    yield from driver.click(*driver.place)
    _rest(driver)
    yield 1.0
    assert "wrist_pitch" in bpy.context.active_pose_bone.name
    _keep(driver, "check_report", _box(driver.viewport))


def reshape_dialog(driver: Driver) -> Steps:
    """What a resize of half will change, before it does."""
    robot = _import(driver, "humanoid_arm.urdf")
    _set_positions(robot, _RAISED)
    _look_at_arm(driver)
    yield from driver.open_sidebar("Robot")
    area = driver.viewport
    driver.move(area.x + area.width * 0.36, area.y + area.height * 0.6)
    yield 0.5
    with bpy.context.temp_override(window=driver.window, area=area, region=_region(area, "WINDOW")):
        bpy.ops.urdf.reshape_resize("INVOKE_DEFAULT", scale=0.5)
    yield 1.0
    # Beside the fields, which light up under the mouse.
    driver.move(area.x + 60, driver.place[1])
    yield 0.5
    # All of the window's height: the dialog stands over the timeline too.
    _keep(driver, "reshape_dialog", (area.x, 0, area.width, driver.window.height - 26))


def update(driver: Driver) -> Steps:
    """A file that changed after its import: what the update will do."""
    path = _robots(driver) / "humanoid_arm.urdf"
    original = path.read_text("utf-8")
    robot = _import(driver, path.name)
    _set_positions(robot, _RAISED)
    _look_at_arm(driver)
    path.write_text(_change(original), "utf-8")
    yield from driver.open_sidebar("Robot")
    area = driver.viewport
    driver.move(area.x + area.width * 0.36, area.y + area.height * 0.2)
    yield 0.5
    with bpy.context.temp_override(window=driver.window, area=area, region=_region(area, "WINDOW")):
        bpy.ops.urdf.update("INVOKE_DEFAULT")
    yield 1.0
    _keep(driver, "update", _box(area))
    path.write_text(original, "utf-8")


def error(driver: Driver) -> Steps:
    driver.viewport.spaces.active.show_region_toolbar = False
    bpy.data.objects["Camera"].hide_set(True)
    left, bottom, _, height = _box(driver.viewport)
    # Blender's popup comes to the mouse.
    driver.move(left + 200, bottom + height / 2)
    yield 0.5
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.import_scene.urdf_run(
            "INVOKE_DEFAULT", filepath=str(_robots(driver) / "broken.urdf")
        )
    yield from driver.wait_for(
        "the import failed", lambda: bpy.context.window_manager.urdf_last_failure
    )
    yield 1.0
    _keep(driver, "error", (left, bottom + height / 2 - 120, 620, 240))


def _change(text: str) -> str:
    """Three things that change in real descriptions: a limit, a mass, a new frame."""
    text = text.replace('lower="-2.4" upper="0"', 'lower="-2.6" upper="0"')
    text = text.replace('lower="-0.7" upper="0.7"', 'lower="-0.9" upper="0.9"')
    added = (
        '<link name="camera"/>\n<joint name="camera_mount" type="fixed">\n'
        '<parent link="head"/><child link="camera"/><origin xyz="0.08 0 0.05"/></joint>\n'
    )
    return text.replace("</robot>", f"{added}</robot>")


def _robots(driver: Driver) -> Path:
    return Path(driver.arguments[0])


def _import(driver: Driver, name: str, **options: Any) -> Any:
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    path = str(_robots(driver) / name)
    assert bpy.ops.import_scene.urdf(filepath=path, **options) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def _set_positions(robot: Any, positions: Mapping[str, float]) -> None:
    library = importlib.import_module("bl_ext.user_default.urdf_importer.urdf_importer")
    library.set_joint_positions(robot, positions)


def _choose_bone(robot: Any, name: str) -> Any:
    for bone in robot.pose.bones:
        bone.select = bone.name == name
    robot.data.bones.active = robot.data.bones[name]
    return robot.pose.bones[name]


def _browse(driver: Driver, name: str) -> Steps:
    """File > Import > Robot Description; the folder of the robots, and a click on this file."""
    yield from driver.open_menu_entry("robot description")
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    area = driver.browser
    parameters = area.spaces.active.params
    parameters.directory = str(_robots(driver)).encode()
    yield 1.0
    folders = sorted(each.name for each in _robots(driver).iterdir() if each.is_dir())
    files = sorted(each.name for each in _robots(driver).iterdir() if each.is_file())
    row = len(folders) + files.index(name)
    region = _region(area, "WINDOW")
    yield from driver.click(region.x + 60, region.y + region.height - 38 - _ROW * row)
    yield from driver.wait_for("the click chose it", lambda: parameters.filename == name, 5.0)
    # Away from the file, where a tooltip would come up.
    driver.move(region.x + region.width / 2, region.y + 60)
    yield 1.0


def _show_preferences(driver: Driver, section: str) -> Generator[float, None, Any]:
    """In the place of the 3D view: a window of its own would need a window manager."""
    area = driver.viewport
    area.ui_type = "PREFERENCES"
    bpy.context.preferences.active_section = section
    with bpy.context.temp_override(window=driver.window, area=area):
        bpy.ops.screen.screen_full_area()
    yield 1.0
    return driver.window.screen.areas[0]


def _look(
    driver: Driver, *, at: tuple[float, float, float], distance: float, turn: float, tilt: float
) -> None:
    """`turn` about the vertical and `tilt` from straight above, in degrees."""
    from mathutils import Euler

    space = driver.viewport.spaces.active
    space.lens = 60
    space.shading.show_cavity = True
    view = space.region_3d
    # Robots stand on the ground: their roots may be above the origin.
    height = next((each.location.z for each in bpy.data.objects if each.type == "ARMATURE"), 0.0)
    view.view_location = (at[0], at[1], at[2] + height)
    view.view_distance = distance
    view.view_rotation = Euler((math.radians(tilt), 0, math.radians(turn))).to_quaternion()
    space.show_region_toolbar = False
    space.overlay.show_relationship_lines = False
    space.overlay.show_cursor = False


def _look_at_arm(driver: Driver) -> None:
    """The arm left of the sidebar."""
    _look(driver, at=(0.3, 0.36, 0.3), distance=2.2, turn=60, tilt=76)


def _pull_up(driver: Driver, edge: float, by: int) -> Steps:
    """An edge between two areas, at this height."""
    x = driver.viewport.x + driver.viewport.width / 2
    driver.move(x, edge)
    yield 0.3
    _send(driver, "PRESS", x, edge)
    for step in range(1, 11):
        driver.move(x, edge + by * step / 10)
        yield 0.05
    _send(driver, "RELEASE", x, edge + by)
    yield 0.5


def _send(driver: Driver, value: str, x: float, y: float) -> None:
    driver.window.event_simulate(type="LEFTMOUSE", value=value, x=int(x), y=int(y))


def _rest(driver: Driver) -> None:
    """Puts the mouse where it points at nothing: in a corner, far from robots in the middle."""
    region = _region(driver.viewport, "WINDOW")
    driver.move(region.x + region.width / 10, region.y + region.height / 12)


def _region(area: Any, kind: str) -> Any:
    return next(each for each in area.regions if each.type == kind)


def _box(area: Any) -> Box:
    return area.x, area.y, area.width, area.height


def _keep(driver: Driver, name: str, box: Box) -> None:
    """Takes the picture, cut to the box and with fewer colours."""
    driver.take_picture(name)
    path = driver.folder / f"{name}.png"
    left, bottom, width, height = map(round, box)
    top = driver.window.height - bottom - height
    subprocess.run(
        ["magick", path, "-crop", f"{width}x{height}+{left}+{top}", "+repage", *_FEW_COLORS, path],
        check=True,
    )


def play(scenarios: Mapping[str, Any]) -> None:
    """Plays the scenario that the command line names."""
    name, folder, *arguments = sys.argv[sys.argv.index("--") + 1 :]
    view = bpy.context.preferences.view
    view.show_splash = False
    view.filebrowser_display_type = "SCREEN"
    scenario: Callable[[Driver], Steps] = scenarios[name]
    run(scenario, Driver(Path(folder), arguments))


if __name__ == "__main__":
    play(globals())
