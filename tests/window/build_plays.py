# SPDX-License-Identifier: GPL-3.0-or-later
"""An arm of two joints made from three meshes with holes, by real clicks and keys. A play of
scenarios.py; its pictures are those of docs/how-to/authoring.md."""

import importlib
import os
from typing import Any

import bpy
import mathutils
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Driver, Steps, unfold
from export_plays import press_return_on_list

_LIBRARY = "bl_ext.user_default.urdf_importer.urdf_importer"
_MOST = 25
"""Actions of the user: clicks, keys in the view, and words that are typed."""
_COLORS = {"base": (0.5, 0.53, 0.58), "upper": (0.16, 0.36, 0.72), "fore": (0.85, 0.45, 0.12)}
_HAND = (1.2, 0.0, 0.24)
"""On the forearm, whose joint shows its limits there."""
_POSE = {"base_to_upper": 0.5, "upper_to_fore": -0.9}


class _Maker:
    """The user's hands; each use of them is one action."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.actions = 0
        self.sidebar: Any = None

    def click_at(self, place: Any, **held: bool) -> Steps:
        """A place in the world, seen in the view."""
        self.actions += 1
        yield from self.move_to(place)
        self.driver.send("LEFTMOUSE", "PRESS", **held)
        self.driver.send("LEFTMOUSE", "RELEASE", **held)
        yield 0.5

    def move_to(self, place: Any) -> Steps:
        area = self.driver.viewport
        region = next(each for each in area.regions if each.type == "WINDOW")
        view = area.spaces.active.region_3d
        found = location_3d_to_region_2d(region, view, mathutils.Vector(place))
        x, y = region.x + found.x, region.y + found.y
        self.driver.move(x, y)
        yield 0.3

    def key(self, key: str, **held: bool) -> Steps:
        self.actions += 1
        self.driver.press(key, **held)
        yield 0.6

    def button(self, operator: str, share: float) -> Steps:
        """In the sidebar, at this share of its width."""
        self.actions += 1
        yield from self.driver.find_button(self.driver.viewport, self.sidebar, operator, share)
        yield from self.driver.click(*self.driver.place)
        yield 0.8

    def turn_back(self, before: Any) -> Steps:
        """One undo takes the step back, whole; one redo brings it again."""
        driver, after = self.driver, _note()
        assert after != before
        yield from driver.undo()
        yield from driver.wait_for("one undo took it back", lambda: _note() == before)
        yield from driver.redo()
        yield from driver.wait_for("one redo brought it again", lambda: _note() == after)
        yield 0.5


def build_arm(driver: Driver) -> Steps:
    """A base, an upper arm and a forearm become a robot with limits, masses and collision shapes,
    and a file; each step is undone and done again. ARGUMENTS: file to write."""
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    for name, x, z, hole, post in (
        ("base", 0.0, 0.0, None, -0.3),
        ("upper", 0.5, 0.1, 0.2, 0.36),
        ("fore", 1.1, 0.2, 0.8, None),
    ):
        _make_plate(name, x, z, hole, post)
    _look(driver)
    bpy.ops.ed.undo_push(message="Meshes")
    unfold("Robot Data", "Build", "Collision Shapes")
    maker = _Maker(driver)
    yield 1.0
    driver.take_picture("meshes")
    yield from maker.click_at((0.0, 0.0, 0.05))
    assert _active() == "base"
    yield from maker.key("A", shift=True)
    yield from driver.type("robot from")
    yield 0.5
    yield from maker.key("RET")
    maker.actions += 1  # The words.
    yield from driver.wait_for("there is a robot", lambda: "robot" in bpy.data.objects)
    yield from maker.turn_back(None)
    maker.sidebar = yield from driver.open_sidebar("Robot")
    driver.take_picture("robot")
    yield from _add(maker, "upper", (0.6, 0.0), (0.2, 0.06), (0.0, -0.1, 0.05))
    yield from _add(maker, "fore", (1.2, 0.0), (0.8, 0.06), (0.5, -0.1, 0.15))
    yield from _finish(maker)
    yield from _export(maker)


def _add(maker: _Maker, name: str, body: Any, wall: Any, carrier: Any) -> Steps:
    """A click on the object, one in its hole, one on the link that carries it, one button."""
    z = bpy.data.objects[name].location.z
    yield from maker.click_at((*body, z + 0.04))
    assert _active() == name
    yield from maker.key("TAB")
    yield from maker.key("THREE")
    yield from maker.click_at((*wall, z + 0.01))
    maker.driver.take_picture(f"hole_{name}")
    yield from maker.key("TAB")
    yield from maker.click_at(carrier, shift=True)
    before = _note()
    yield from maker.button("urdf.make_link", 0.3)
    yield from maker.driver.wait_for("there is a link", lambda: _note() != before)
    yield from maker.turn_back(before)
    yield from maker.move_to((*body, z + 0.04))
    yield 0.7
    maker.driver.take_picture(f"link_{name}")


def _finish(maker: _Maker) -> Steps:
    """Limits, masses, and shapes that collide."""
    library, driver = _library(), maker.driver
    robot = library.extract_robot(bpy.data.objects["robot"])
    assert [each.child for each in robot.joints] == ["upper", "fore"]
    for joint, x in zip(robot.joints, (0.2, 0.6), strict=True):
        assert abs(joint.origin.xyz[0] - x) < 1e-4 and abs(abs(joint.axis[2]) - 1.0) < 1e-4
    for operator, share, picture in (
        ("urdf.find_ranges", 0.75, "limits"),
        ("urdf.compute_inertials", 0.25, "weighed"),
        ("urdf.fit_collisions", 0.25, "shapes"),
    ):
        before = _note()
        yield from maker.button(operator, share)
        yield from driver.wait_for(f"{operator} ended", lambda note=before: _note() != note)
        yield 1.0
        driver.take_picture(picture)
        yield from maker.turn_back(before)
    yield from maker.move_to(_HAND)
    yield 0.7
    driver.take_picture("ranges")
    bpy.context.window_manager.urdf_show_shapes = True
    yield 0.5
    driver.take_picture("shapes_shown")
    bpy.context.window_manager.urdf_show_shapes = False
    library.set_joint_positions(bpy.data.objects["robot"], _POSE)
    yield 1.0
    driver.take_picture("posed")
    library.set_joint_positions(bpy.data.objects["robot"], dict.fromkeys(_POSE, 0.0))
    yield 0.5


def _export(maker: _Maker) -> Steps:
    """The menu, the words, Return, and Return in the file browser."""
    driver, path = maker.driver, maker.driver.arguments[0]
    yield from driver.open_menu_entry("urdf")
    yield from driver.wait_for("the file browser is there", lambda: driver.browser)
    parameters: Any = driver.browser and driver.browser.spaces.active
    assert parameters.active_operator.bl_idname == "EXPORT_SCENE_OT_urdf"
    parameters.params.directory = os.path.dirname(path).encode()
    parameters.params.filename = os.path.basename(path)
    yield 0.5
    press_return_on_list(driver)
    maker.actions += 4
    yield from driver.wait_for("the file is there", lambda: os.path.exists(path))
    assert maker.actions <= _MOST, maker.actions
    made = _library().read_robot(path)
    assert all(each.has_mass and each.visuals and each.collisions for each in made.links)
    for joint in made.joints:
        assert -3.0 < joint.limit.lower < -1.0 and 1.0 < joint.limit.upper < 3.0


def _active() -> str:
    active = bpy.context.view_layer.objects.active
    return "" if active is None else active.name


def _library() -> Any:
    return importlib.import_module(_LIBRARY)


def _note() -> Any:
    """The robot as it would be written, and the parents of all objects; None without a robot."""
    robot = bpy.data.objects.get("robot")
    if robot is None:
        return None
    parents = {each.name: each.parent and each.parent.name for each in bpy.data.objects}
    return _library().extract_robot(robot), parents


def _make_plate(name: str, x: float, z: float, hole: float | None, post: float | None) -> None:
    """A plate with a hole to turn about, and a post to stop the next one."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(x, 0.0, z), scale=(0.8, 0.3, 0.08))
    item = bpy.context.object
    item.name, item.color = name, (*_COLORS[name], 1.0)
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    if post is not None:
        bpy.ops.mesh.primitive_cube_add(
            size=1.0, location=(post, 0.0, z + 0.06), scale=(0.08, 0.08, 0.12)
        )
        _combine(item, bpy.context.object, "UNION")
    if hole is not None:
        bpy.ops.mesh.primitive_cylinder_add(radius=0.06, depth=1.0, location=(hole, 0.0, z))
        _combine(item, bpy.context.object, "DIFFERENCE")


def _combine(item: Any, tool: Any, operation: Any) -> None:
    change = item.modifiers.new("change", "BOOLEAN")
    change.operation, change.object = operation, tool
    bpy.context.view_layer.update()
    shown = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    item.data = bpy.data.meshes.new_from_object(shown)
    item.modifiers.clear()
    bpy.data.objects.remove(tool)


def _look(driver: Driver) -> None:
    """From the front and above, so that the far walls of the holes are seen."""
    space = driver.viewport.spaces.active
    space.shading.color_type = "OBJECT"
    view = space.region_3d
    view.view_perspective = "ORTHO"
    view.view_rotation = mathutils.Euler((0.6, 0.0, 0.0)).to_quaternion()
    view.view_location, view.view_distance = (0.885, 0.0, 0.1), 2.15
    for item in bpy.data.objects:
        item.select_set(False)
    bpy.context.view_layer.objects.active = None
