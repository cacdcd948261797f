# SPDX-License-Identifier: GPL-3.0-or-later
"""What users do, step by step; each yields how long it waits. Run by driver.py inside Blender."""

import importlib
import os
import pathlib
from typing import Any

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from build_plays import build_arm as build_arm
from button_plays import buttons as buttons
from collision_plays import collision_shapes as collision_shapes
from collision_plays import touching as touching
from drive_plays import drive_by_hand as drive_by_hand
from driver import Driver, Steps, unfold
from export_plays import engines as engines
from export_plays import export as export
from export_plays import frame_robot, import_robot, press_return_on_list
from first_minute_plays import first_minute as first_minute
from gizmo_plays import gizmo as gizmo
from hand_plays import all_hands as all_hands
from handle_plays import handles as handles
from import_plays import bare as bare
from import_plays import drop as drop
from import_plays import drop_loops as drop_loops
from import_plays import drop_motion as drop_motion
from import_plays import drop_several as drop_several
from import_plays import is_idle
from keeper_plays import five_minutes as five_minutes
from keeper_plays import keeper as keeper
from keeper_plays import playing as playing
from keeper_plays import stale as stale
from live_plays import follow as follow
from locate_plays import locate as locate
from locate_plays import open_line as open_line
from mathutils import Vector
from pose_plays import poses as poses
from retarget_plays import animator as animator
from retarget_plays import retarget as retarget
from sensor_plays import sensor_recording as sensor_recording
from sidebar_plays import sidebar as sidebar
from simulate_plays import simulate as simulate
from studio_plays import studio as studio
from world_plays import slow_exports as slow_exports
from world_plays import world_report as world_report


def file_import(driver: Driver) -> Steps:
    """File > Import, a click on the file, then Ctrl-Z and back. ARGUMENTS: file, armature."""
    path, name = driver.arguments
    yield from _choose_file(driver, path)
    driver.take_picture("chosen")
    driver.press("RET")
    yield from driver.wait_for("the robot is there", lambda: name in bpy.data.objects)
    yield from driver.wait_for("the import is over", is_idle)
    yield 1.0
    frame_robot(driver)
    yield 0.5
    driver.take_picture("imported")
    count = len(bpy.data.objects)
    assert bpy.context.view_layer.objects.active.name == name
    yield from driver.undo()
    yield from driver.wait_for("one undo took it back", lambda: name not in bpy.data.objects)
    assert [each.name for each in bpy.data.objects] == ["Camera", "Cube", "Light"]
    assert not bpy.data.armatures
    yield from driver.redo()
    yield from driver.wait_for("one redo brought it again", lambda: name in bpy.data.objects)
    assert len(bpy.data.objects) == count


def xacro_arguments(driver: Driver) -> Steps:
    """The fields of a xacro file in the browser's sidebar. ARGUMENTS: file, field, value."""
    path, field, value = driver.arguments
    yield from _choose_file(driver, path)
    area = driver.browser
    operator = area.spaces.active.active_operator
    yield from driver.wait_for("the file's arguments are fields", lambda: operator.xacro_fields)
    index = operator.xacro_fields.find(field)
    operator.xacro_fields[index].value = value
    area.tag_redraw()
    yield 0.6
    driver.take_picture("fields")
    press_return_on_list(driver)
    yield from driver.wait_for("the robot is there", lambda: bpy.data.armatures)
    yield from driver.wait_for("the import is over", is_idle)
    armature = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    assert f'["{field}", "{value}"]' in armature["urdf_import"]["options"]


def simmechanics(driver: Driver) -> Steps:
    """File > Import > SimMechanics; both files beside it are taken, and offered to be left out. The
    report lists the loop, and a click selects what it joins. ARGUMENTS: file, armature, loop."""
    path, name, joint = driver.arguments
    unfold("Import Report")
    yield from _choose_file(driver, path, "simmechanics", "IMPORT_SCENE_OT_simmechanics")
    area = driver.browser
    operator = area.spaces.active.active_operator
    assert operator.use_parameters and operator.use_joint_parameters
    region = next(each for each in area.regions if each.type == "TOOL_PROPS")
    top = region.y + region.height
    for taken in (False, True):
        yield from driver.click(region.x + 60, top - 45)
        yield from driver.wait_for("a click", lambda t=taken: operator.use_parameters == t, 5.0)
    driver.take_picture("offers")
    press_return_on_list(driver)
    yield from driver.wait_for("the robot is there", lambda: name in bpy.data.objects)
    yield from driver.wait_for("the import is over", is_idle)
    yield 0.5
    frame_robot(driver)
    robot = bpy.data.objects[name]
    assert [loop["name"] for loop in robot["urdf_robot"]["loops"]] == [joint]
    sidebar = yield from driver.open_sidebar("Robot")
    driver.take_picture("sidebar")
    share = 190 / sidebar.width
    yield from driver.find_button(driver.viewport, sidebar, "urdf.select_subject", share)
    yield from driver.click(*driver.place)
    yield 0.7
    driver.take_picture("report")
    (loop,) = robot["urdf_robot"]["loops"]
    assert {each.name for each in bpy.context.selected_objects} == {loop["link1"], loop["link2"]}


def cancel(driver: Driver) -> Steps:
    """A big robot: the bar moves, Esc leaves nothing. ARGUMENTS: file."""
    (path,) = driver.arguments
    before = _count_data()
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.import_scene.urdf_run("INVOKE_DEFAULT", filepath=path)
    yield from driver.wait_for("its bones are there", lambda: bpy.data.armatures)
    yield 0.2
    driver.take_picture("progress")
    assert not is_idle()
    driver.press("ESC")
    yield from driver.wait_for("Esc ended it", is_idle)
    yield 0.3
    assert _count_data() == before
    driver.take_picture("cancelled")


def broken_file(driver: Driver) -> Steps:
    """One sentence in a popup, the scene as it was. ARGUMENTS: file."""
    (path,) = driver.arguments
    before = _count_data()
    yield from _choose_file(driver, path)
    driver.press("RET")
    yield from driver.wait_for("the browser closed", lambda: driver.browser is None)
    yield from driver.wait_for("the import is over", is_idle)
    yield 0.7
    driver.take_picture("popup")
    after = _count_data()
    assert after.pop("texts") == before.pop("texts") + 1
    assert after == before
    assert os.path.basename(path) in bpy.context.window_manager.urdf_last_failure


def sliders(driver: Driver) -> Steps:
    """A joint moves with its slider, and back with Ctrl-Z. ARGUMENTS: file, joint."""
    path, joint = driver.arguments
    robot = import_robot(path)
    name = robot.name
    yield 0.5
    frame_robot(driver)
    sidebar = yield from driver.open_sidebar("Robot")
    driver.take_picture("panel")
    yield from driver.wait_for("there are sliders", lambda: _sliders_of(robot, joint))
    yield 0.5
    yield from driver.find_property(driver.viewport, sidebar, _slider_of(robot, joint), x=0.4)
    before = _position(robot, joint)
    yield from driver.drag(-60)
    moved = _position(robot, joint)
    assert abs(moved - before) > 0.05, f"{joint} stays at {moved}"
    driver.take_picture("moved")
    yield from driver.undo()
    yield from driver.wait_for(
        "one undo moved it back",
        lambda: abs(_position(bpy.data.objects[name], joint) - before) < 1e-6,
    )


def motion(driver: Driver) -> Steps:
    """A motion that is too fast is listed in the sidebar and red while it is shown; retimed it is
    not, and Ctrl-Z takes that back. ARGUMENTS: file, table, joint."""
    path, table, joint = driver.arguments
    robot = import_robot(path)
    name = robot.name
    yield 0.5
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        assert bpy.ops.urdf.import_motion(filepath=table) == {"FINISHED"}
        bpy.context.scene.frame_end = 25
        assert bpy.ops.urdf.check_motion() == {"FINISHED"}
    assert [each.name for each in bpy.context.scene.timeline_markers] == [f"! {joint} velocity"]
    yield from driver.open_sidebar("Robot")
    for frame in (1, 8, 15):  # As scrubbing does: whatever the panel draws is drawn.
        bpy.context.scene.frame_set(frame)
        yield 0.3
    driver.take_picture("fast")
    region = next(each for each in driver.viewport.regions if each.type == "WINDOW")
    driver.move(region.x + region.width / 3, region.y + region.height / 2)
    with bpy.context.temp_override(window=driver.window, area=driver.viewport, region=region):
        bpy.ops.ed.undo_push(message="Motion")
        bpy.ops.urdf.retime_motion("INVOKE_DEFAULT")
    yield 1.0
    driver.take_picture("dialog")
    driver.press("RET")
    yield from driver.wait_for(
        "it is retimed",
        lambda: bpy.data.objects[name].animation_data.action.name.endswith(" retimed"),
    )
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.context.scene.frame_end = 60
        assert bpy.ops.urdf.check_motion() == {"FINISHED"}
    assert not bpy.context.scene.timeline_markers
    driver.take_picture("retimed")
    yield from driver.undo()
    yield from driver.wait_for(
        "undo brought the first motion back",
        lambda: not bpy.data.objects[name].animation_data.action.name.endswith(" retimed"),
    )


def split(driver: Driver) -> Steps:
    """A robot of several armatures is drawn as one; a slider moves a joint of one split off.
    ARGUMENTS: file, joint, first joint of another armature."""
    path, joint, other = driver.arguments
    robot = import_robot(path, profile="morse")
    morse = "bl_ext.user_default.urdf_importer.urdf_importer.formats.morse"
    split_armature = importlib.import_module(f"{morse}.split.split").split_armature

    part = split_armature(robot, "part", [joint])
    split_armature(robot, "other", [other])
    bpy.ops.ed.undo_push(message="Split")
    yield 0.5
    frame_robot(driver)
    sidebar = yield from driver.open_sidebar("Robot")
    driver.take_picture("panel")
    yield from driver.wait_for("there are sliders", lambda: _sliders_of(part, joint))
    yield 0.5
    yield from driver.find_property(driver.viewport, sidebar, _slider_of(part, joint), x=0.4)
    before = _position(part, joint)
    yield from driver.drag(-60)
    moved = _position(part, joint)
    assert abs(moved - before) > 0.05, f"{joint} stays at {moved}"
    bpy.context.view_layer.objects.active = part
    yield 0.5
    driver.take_picture("moved")
    yield from driver.undo()
    yield from driver.wait_for(
        "one undo moved it back",
        lambda: abs(_position(bpy.data.objects["part"], joint) - before) < 1e-6,
    )


def update(driver: Driver) -> Steps:
    """The file changes; the dialog says how; Return, then Ctrl-Z. ARGUMENTS: file, what to replace
    in it, by what, link that has a new mass then."""
    path, before, after, link = driver.arguments
    robot = import_robot(path)
    name = robot.name
    old = bpy.data.objects[link]["urdf_mass"]
    yield 0.5
    frame_robot(driver)
    yield from driver.open_sidebar("Robot")
    from bl_ext.user_default.urdf_importer.operators.importing.source_watch import Watch
    from bl_ext.user_default.urdf_importer.operators.session import session_state

    def changed() -> list[str]:
        return [file for each in session_state(Watch).robots.values() for file in each.changed]

    yield from driver.wait_for("its files are watched", lambda: session_state(Watch).robots)
    text = pathlib.Path(path).read_text()
    assert before in text and not changed()
    pathlib.Path(path).write_text(text.replace(before, after))
    yield from driver.wait_for("the change is noticed", changed)
    assert changed() == [path]
    yield 0.5
    driver.take_picture("noticed")
    area = driver.viewport
    region = next(each for each in area.regions if each.type == "WINDOW")
    driver.move(region.x + region.width / 3, region.y + region.height / 2)
    yield 0.2
    with bpy.context.temp_override(window=driver.window, area=area, region=region):
        bpy.ops.urdf.update("INVOKE_DEFAULT")
    yield 0.8
    driver.take_picture("dialog")
    assert bpy.data.objects[link]["urdf_mass"] == old
    driver.press("RET")
    yield from driver.wait_for(
        "the mass is new", lambda: bpy.data.objects[link]["urdf_mass"] != old
    )
    yield from driver.wait_for("it is up to date", lambda: not changed())
    yield 0.5
    driver.take_picture("updated")
    assert bpy.context.view_layer.objects.active.name == name
    yield from driver.undo()
    yield from driver.wait_for(
        "one undo took it back", lambda: bpy.data.objects[link]["urdf_mass"] == old
    )


def reshape(driver: Driver) -> Steps:
    """The panel, the dialog of Resize with what will change, Return, Ctrl-Z; then what was changed
    beside the file browser of an export. ARGUMENTS: file, factor, joint, folder."""
    path, factor, joint, folder = driver.arguments
    robot = import_robot(path)
    name = robot.name
    yield 0.5
    frame_robot(driver)
    yield from driver.open_sidebar("Robot")
    area = driver.viewport
    region = next(each for each in area.regions if each.type == "WINDOW")
    driver.move(region.x + region.width / 3, region.y + region.height / 2)
    yield 0.2
    before = _origin_of(name, joint)
    with bpy.context.temp_override(window=driver.window, area=area, region=region):
        bpy.ops.urdf.reshape_resize("INVOKE_DEFAULT", scale=float(factor))
    yield 0.8
    driver.take_picture("dialog")
    assert _origin_of(name, joint) == before
    driver.press("RET")
    yield from driver.wait_for("the robot is resized", lambda: _origin_of(name, joint) != before)
    yield 0.5
    driver.take_picture("resized")
    yield from driver.undo()
    yield from driver.wait_for("one undo took it back", lambda: _origin_of(name, joint) == before)
    shape = next(each for each in bpy.data.objects if each.get("urdf_part") == "Visuals")
    shape.location.x += 0.25
    yield 0.5
    with bpy.context.temp_override(window=driver.window, area=area, region=region):
        bpy.ops.export_scene.urdf("INVOKE_DEFAULT")
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    driver.browser.spaces.active.params.directory = folder.encode()
    yield 0.5
    driver.browser.tag_redraw()
    yield 0.5
    driver.take_picture("changes")
    press_return_on_list(driver)
    yield from driver.wait_for("the file is there", lambda: os.listdir(folder))
    assert 'xyz="0.25' in (pathlib.Path(folder) / os.listdir(folder)[0]).read_text()


def _origin_of(name: str, joint: str) -> list[float]:
    robot = bpy.data.objects[name]
    empties = (each for each in robot.children_recursive if "urdf_joint" in each)
    packed = next(each["urdf_joint"] for each in empties if each["urdf_joint"]["name"] == joint)
    return list(packed["origin"]["xyz"])


def whole_robot(driver: Driver) -> Steps:
    """The robot as one thing, from the start scene on: it is seen whole, a click on a body and G or
    R do not tear it off, Ctrl+Tab leads to its joint. ARGUMENTS: file, armature."""
    path, name = driver.arguments
    area = driver.viewport
    region = next(each for each in area.regions if each.type == "WINDOW")
    view = area.spaces.active.region_3d
    with bpy.context.temp_override(window=driver.window, area=area, region=region):
        bpy.ops.import_scene.urdf(filepath=path)
    yield 1.0
    driver.take_picture("framed")
    robot = bpy.data.objects[name]
    seen = [
        location_3d_to_region_2d(region, view, item.matrix_world @ Vector(corner))
        for item in robot.children_recursive
        if item.get("urdf_part") == "Visuals"
        for corner in item.bound_box
    ]
    assert all(0 < x < region.width and 0 < y < region.height for x, y in seen)
    assert max(y for _, y in seen) - min(y for _, y in seen) > 0.5 * region.height
    assert not bpy.data.objects["Cube"].visible_get()
    middle = sum(seen, Vector((0.0, 0.0))) / len(seen)
    yield from driver.click(region.x + middle.x, region.y + middle.y)
    body = bpy.context.view_layer.objects.active
    assert body.get("urdf_part") == "Visuals", body.name
    before = body.matrix_world.copy()
    for key in "GR":
        driver.press(key)
        yield 0.2
        driver.move(region.x + middle.x + 90, region.y + middle.y + 40)
        yield 0.2
        driver.press("LEFTMOUSE")
        yield 0.4
    assert body.matrix_world == before
    driver.press("TAB", ctrl=True)
    yield from driver.wait_for("the joint is posed", lambda: bpy.context.mode == "POSE")
    assert bpy.context.object == robot and robot.data.bones.active is not None
    driver.take_picture("posed")


def _choose_file(
    driver: Driver,
    path: str,
    entry: str = "robot description",
    operator: str = "IMPORT_SCENE_OT_urdf",
) -> Steps:
    """File > Import > an entry, then a click on the file's row."""
    yield from driver.open_menu_entry(entry)
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    area = driver.browser
    assert area.spaces.active.active_operator.bl_idname == operator
    folder, name = os.path.split(path)
    parameters = area.spaces.active.params
    parameters.directory = folder.encode()
    # The list shows this file alone, so its row is the first.
    parameters.filter_search = name
    yield 1.0
    region = next(each for each in area.regions if each.type == "WINDOW")
    yield from driver.click(region.x + 60, region.y + region.height - 38)
    yield from driver.wait_for("the click chose it", lambda: parameters.filename == name, 5.0)
    yield 0.5


def _count_data() -> dict[str, int]:
    kinds = ("objects", "meshes", "armatures", "materials", "images", "collections", "texts")
    return {kind: len(getattr(bpy.data, kind)) for kind in kinds}


def _described(robot: Any, joint: str) -> tuple[Any, Any]:
    for bone in robot.pose.bones:
        for described in bone.bone.get("urdf_joints", ()):
            if described["name"] == joint:
                return bone, described
    raise AssertionError(f"there is no joint {joint}")


def _slider_of(robot: Any, joint: str) -> str:
    """The name of the slider's property."""
    (name,) = _sliders_of(robot, joint)
    return name


def _sliders_of(robot: Any, joint: str) -> list[str]:
    """The properties for this joint's range: one, or none yet."""
    bone, described = _described(robot, joint)
    return [
        key
        for key, item in bone.bl_rna.properties.items()
        if key.startswith("urdf_")
        and abs(item.soft_min - described["lower"]) < 1e-6
        and abs(item.soft_max - described["upper"]) < 1e-6
    ]


def _position(robot: Any, joint: str) -> float:
    bone, described = _described(robot, joint)
    channel = getattr(bone, described["properties"][0])
    return float(described["sign"] * channel[described["indices"][0]])
