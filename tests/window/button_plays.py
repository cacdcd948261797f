# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons that are pressed by hand, each once, and what is written beside them. Plays of
scenarios.py."""

import importlib
from typing import Any

import bpy
import numpy as np
from driver import Driver, Steps
from locate_plays import find_meshes

_EXTENSION = "bl_ext.user_default.urdf_importer"
_LIBRARY = f"{_EXTENSION}.urdf_importer"
_LINES = 24
_BRIGHT = 0.55
"""Text is brighter than all else of a panel."""
_SPECK = 3
"""Pixels: what is narrower is no text, but the robot or an edge below the panel."""


def buttons(driver: Driver) -> Steps:
    """An import without its meshes, done again with a folder; then a real robot and all that is
    done with it as one thing; then the sidebar at twice its size. ARGUMENTS: file, folder, robot;
    file of the real robot, a joint, its partner on the other side or the same again."""
    lonely, folder, name, path, joint, partner = driver.arguments
    yield from _import_again(driver, lonely, folder, name)
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    with bpy.context.temp_override(**_view(driver)):
        assert bpy.ops.import_scene.urdf(filepath=path) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Import")
    hands = _Hands(driver, bpy.context.view_layer.objects.active)
    hands.sidebar = yield from driver.open_sidebar("Robot")
    driver.take_picture("sidebar")
    yield from _whole(hands)
    # Software draws meshes slowly; what follows is about the robot and its panels.
    space = driver.viewport.spaces.active
    space.show_object_viewport_mesh = space.show_object_viewport_armature = False
    yield from _poses(hands, joint, partner)
    yield from _ranges(hands)
    yield from _pictures(hands)
    if partner != joint:  # Once is enough: it renders.
        yield from _pose_pictures(hands)
    yield from _read_lines(hands, 2.0)


def _import_again(driver: Driver, path: str, folder: str, name: str) -> Steps:
    """The panel of the last operation: unfolded, then its group Files."""
    area = driver.viewport
    with bpy.context.temp_override(**_view(driver)):
        bpy.ops.import_scene.urdf_run("INVOKE_DEFAULT", filepath=path)
    yield from driver.wait_for("the robot is there", lambda: name in bpy.data.objects)
    yield 0.5
    assert not find_meshes(name)
    panel = next(each for each in area.regions if each.type == "HUD")
    yield from driver.click(panel.x + 20, panel.y + panel.height - 12)
    yield from driver.wait_for("the panel is unfolded", lambda: panel.height > 100)
    yield 0.4
    yield from driver.click(panel.x + 60, panel.y + 18)
    yield from driver.wait_for("its files are unfolded", lambda: panel.height > 250)
    yield 0.4
    share = 1.0 - 18 / panel.width
    yield from driver.find_button(area, panel, "import_scene.urdf_with_folder", share)
    yield from driver.click(*driver.place)
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    yield from driver.choose_folder(folder)
    yield from driver.wait_for("the meshes are there", lambda: len(find_meshes(name)) > 0)
    yield 0.5
    driver.take_picture("again")
    assert [each.name for each in bpy.data.objects if each.type == "ARMATURE"] == [name]
    yield from driver.undo()
    yield from driver.wait_for("one undo takes it back", lambda: name not in bpy.data.objects)


class _Hands:
    """A robot and its sidebar."""

    sidebar: Any

    def __init__(self, driver: Driver, robot: Any) -> None:
        self.driver = driver
        self.name = robot.name
        self.library = importlib.import_module(_LIBRARY)

    @property
    def robot(self) -> Any:
        return bpy.data.objects[self.name]

    def press(self, operator: str, x: float, y: float | None = None) -> Steps:
        """A button of the sidebar, x pixels from its left edge, or from its right one; at the
        height y, if that is known."""
        driver, bar = self.driver, self.sidebar
        across = x if x >= 0 else bar.width + x
        if y is None:
            yield from driver.find_button(driver.viewport, bar, operator, across / bar.width)
            y = driver.place[1]
        yield from driver.click_button(driver.viewport, bar, operator, bar.x + across, y)

    def search(self, words: str) -> Steps:
        """F3 in the 3D view, these words, Return."""
        region = _view(self.driver)["region"]
        self.driver.move(region.x + region.width / 3, region.y + region.height / 2)
        yield 0.2
        self.driver.press("F3")
        yield 0.4
        yield from self.driver.type(words)
        yield 0.5
        self.driver.press("RET")
        yield 0.4

    def positions(self) -> Any:
        return self.library.get_joint_positions(self.robot)

    def module(self, name: str) -> Any:
        return importlib.import_module(f"{_LIBRARY}.{name}")


def _whole(hands: _Hands) -> Steps:
    """The icons beside the name, select and frame; by the menu: duplicate, delete."""
    driver, robot = hands.driver, hands.robot
    parts = robot.children_recursive
    view = driver.viewport.spaces.active.region_3d
    before = view.view_distance
    view.view_distance = 20 * before
    yield from hands.press("urdf.frame_robot", -104)
    yield from driver.wait_for("the view is near", lambda: view.view_distance < 2 * before)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = parts[0]
    row = driver.place[1]
    yield from hands.press("urdf.select_robot", -126, row)
    yield from driver.wait_for("it is selected", lambda: bpy.context.selected_objects == [robot])
    assert bpy.context.view_layer.objects.active == robot
    count = len(bpy.data.objects)
    yield from hands.search("duplicate robot")
    yield from driver.wait_for("there is another", lambda: len(_armatures()) == 2)
    yield 0.4
    (copy,) = set(_armatures()) - {hands.robot}
    assert len(copy.children_recursive) == len(parts)
    assert bpy.context.view_layer.objects.active == copy
    yield from hands.search("delete robot")
    yield from driver.wait_for("it is gone", lambda: _armatures() == [hands.robot])
    assert len(bpy.data.objects) == count


def _poses(hands: _Hands, joint: str, partner: str) -> Steps:
    """The buttons of the joints, in one row."""
    start = hands.positions()
    width = hands.sidebar.width - 24
    yield from hands.press("urdf.zero_pose", 0.31 * width)
    row = hands.driver.place[1]
    zero = hands.positions()
    yield from hands.press("urdf.ready_pose", 0.54 * width, row)
    ready = hands.positions()
    yield from hands.press("urdf.home_pose", 0.1 * width, row)
    home = hands.positions()
    assert ready != zero and ready != home
    assert all(np.allclose(home[name], start[name], atol=1e-6) for name in start)
    hands.library.set_joint_positions(hands.robot, {joint: start[joint] - 0.3})
    moved = hands.positions()
    yield from hands.press("urdf.mirror_pose", 0.75 * width, row)
    mirrored = hands.positions()
    if partner == joint:
        assert mirrored == moved, "it is its own partner"
    else:
        assert abs(abs(mirrored[partner]) - abs(moved[joint])) < 1e-4
        assert abs(mirrored[joint] - start[joint]) < 1e-4
    recall = hands.module("core.blender.standing.robot_table").recall_table
    for name, row in recall(hands.robot).joints.items():
        lower, upper = row.limits
        if lower is not None and upper is not None and not row.mimics and lower <= 0 <= upper:
            assert np.allclose(zero[name], 0.0, atol=1e-6), name


def _pictures(hands: _Hands) -> Steps:
    """A picture of the robot, and the studio, by F3."""
    display = hands.module("core.blender.standing.display")
    yield from hands.search("picture of robot")
    yield from hands.driver.wait_for(
        "it has a picture", lambda: display.find_thumbnail(hands.robot)
    )
    stage = hands.module("features.studio.blender.stage")
    scene, camera = bpy.context.scene, bpy.context.scene.camera
    space = hands.driver.viewport.spaces.active
    view, overlay = space.region_3d, space.overlay
    before = [*view.view_rotation, *view.view_location, view.view_distance]
    yield from hands.search("studio")
    yield from hands.driver.wait_for("the studio is there", lambda: stage.find_studio(scene))
    yield 0.3
    assert scene.camera != camera and view.view_perspective == "CAMERA"
    assert not (overlay.show_bones or overlay.show_extras or overlay.show_relationship_lines)
    hands.driver.take_picture("studio")
    assert bpy.ops.urdf.remove_studio() == {"FINISHED"}
    yield 0.3
    assert scene.camera == camera and view.view_perspective == "PERSP"
    assert overlay.show_bones and overlay.show_extras and overlay.show_relationship_lines
    after = [*view.view_rotation, *view.view_location, view.view_distance]
    assert np.allclose(before, after, atol=1e-5), "the view is where it was"


def _ranges(hands: _Hands) -> Steps:
    """The range test by F3: the robot moves, keys do nothing, Esc brings its pose back."""
    driver, before = hands.driver, hands.positions()
    scene = bpy.context.scene
    scene.tool_settings.use_keyframe_insert_auto = True
    yield from hands.search("range test")
    yield from driver.wait_for("the robot moves", lambda: hands.positions() != before)
    driver.take_picture("range")
    driver.press("Z", ctrl=True)
    yield 0.5
    assert hands.positions() != before
    driver.press("ESC")
    yield from driver.wait_for("it is as it was", lambda: hands.positions() == before)
    yield 0.3
    assert not driver.window.modal_operators
    scene.tool_settings.use_keyframe_insert_auto = False
    assert hands.robot.animation_data is None or hands.robot.animation_data.action is None


def _pose_pictures(hands: _Hands) -> Steps:
    poses = hands.module("core.blender.standing.poses")
    described = hands.robot["urdf_robot"]["name"]
    yield from hands.search("poses with")
    yield from hands.driver.wait_for(
        "there are poses", lambda: len(dict(poses.whole_poses_of(described))) == 3
    )


def _read_lines(hands: _Hands, scale: float) -> Steps:
    """Lines of a panel are drawn to their last letter: the bright pixels of each are as wide as its
    letters. Blender ends a line that is too long for its place by dots."""
    driver, area = hands.driver, hands.driver.viewport
    bpy.context.preferences.view.ui_scale = scale
    yield 0.7
    kind = _make_panel(hands)
    bpy.utils.register_class(kind)
    sidebar = yield from driver.open_sidebar("Lines")
    driver.move(area.x + 60, area.y + 60)
    yield 0.7
    driver.take_picture(f"lines{scale:g}")
    drawn = _measure_rows(driver, sidebar, f"lines{scale:g}", scale)
    assert len(kind.lines) > 8 and len(drawn) > len(kind.lines), (drawn, kind.lines)
    for (line, wanted), width in zip(kind.lines, drawn[-len(kind.lines) :], strict=True):
        assert abs(width - wanted) <= 2 * scale, (line, width, wanted)
    bpy.utils.unregister_class(kind)
    sidebar.active_panel_category = "Robot"


def _make_panel(hands: _Hands) -> Any:
    """Lines of all lengths, where texts of reports stand: in a box, beside an icon."""
    import blf

    text = importlib.import_module(f"{_EXTENSION}.operators.wrapped_text")
    words = [f"{'nmuw'[number % 4] * (number % 13 + 1)}" for number in range(34)]

    class Lines(bpy.types.Panel):
        bl_idname, bl_label = "VIEW3D_PT_window_lines", "Lines"
        bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Lines"
        lines: tuple[tuple[str, float], ...] = ()

        def draw(self, context: Any) -> None:
            lines = text.wrap(context, " ".join(words))
            Lines.lines = tuple((line, blf.dimensions(0, line)[0]) for line in lines)
            text.draw_wrapped(self.layout.box(), context, " ".join(words), icon="BLANK1")

    return Lines


def _measure_rows(driver: Driver, sidebar: Any, picture: str, scale: float) -> list[int]:
    """How wide the text of each row of the sidebar is, from the top; without the names of tabs."""
    image = bpy.data.images.load(str(driver.folder / f"{picture}.png"))
    pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
    image.pixels.foreach_get(pixels)
    dark = pixels.reshape(image.size[1], image.size[0], 4)[..., :3].min(axis=2)
    bpy.data.images.remove(image)
    right = sidebar.x + sidebar.width - int(26 * scale)
    text = dark[sidebar.y : sidebar.y + sidebar.height, sidebar.x : right][::-1] > _BRIGHT
    inked = np.concatenate([[False], text.any(axis=1), [False]])
    starts, ends = (np.flatnonzero(np.diff(inked.astype(int)) == way) for way in (1, -1))
    columns = [np.flatnonzero(text[i:j].any(axis=0)) for i, j in zip(starts, ends, strict=True)]
    widths = [int(each[-1] - each[0] + 1) for each in columns]
    return [width for width in widths if width > _SPECK * scale]


def _armatures() -> list[Any]:
    return [each for each in bpy.data.objects if each.type == "ARMATURE"]


def _view(driver: Driver) -> dict[str, Any]:
    area = driver.viewport
    region = next(each for each in area.regions if each.type == "WINDOW")
    return {"window": driver.window, "area": area, "region": region}
