# SPDX-License-Identifier: GPL-3.0-or-later
"""An arm of two joints made from three meshes with holes, by real clicks and keys. A play of
scenarios.py."""

import importlib
from typing import Any

import bpy
import mathutils
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Driver, Steps, unfold

_LIBRARY = "bl_ext.user_default.urdf_importer.urdf_importer"
_MOST = 25
"""Actions of the user: clicks, and keys in the view."""


class _Maker:
    """The user's hands; each use of them is one action."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.actions = 0
        self.sidebar: Any = None

    def click_at(self, place: Any, **held: bool) -> Steps:
        """A place in the world, seen in the view."""
        self.actions += 1
        area = self.driver.viewport
        region = next(each for each in area.regions if each.type == "WINDOW")
        view = area.spaces.active.region_3d
        found = location_3d_to_region_2d(region, view, mathutils.Vector(place))
        x, y = region.x + found.x, region.y + found.y
        self.driver.move(x, y)
        yield 0.3
        self.driver.send("LEFTMOUSE", "PRESS", **held)
        self.driver.send("LEFTMOUSE", "RELEASE", **held)
        yield 0.5

    def key(self, key: str, **held: bool) -> Steps:
        self.actions += 1
        self.driver.press(key, **held)
        yield 0.6

    def button(self, operator: str) -> Steps:
        self.actions += 1
        driver = self.driver
        for share in (0.25, 0.75):
            try:
                yield from driver.find_button(driver.viewport, self.sidebar, operator, share)
            except AssertionError:
                continue
            yield from driver.click(*driver.place)
            yield 0.8
            return
        raise AssertionError(f"there is no button for {operator}")


def build_arm(driver: Driver) -> Steps:
    """A base, an upper arm and a forearm become a robot that is weighed and has limits; undo takes
    the last step back. ARGUMENTS: file to write."""
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    for name, x, z, hole in (
        ("base", 0.0, 0.0, None),
        ("upper", 0.5, 0.1, 0.2),
        ("fore", 1.1, 0.2, 0.8),
    ):
        _make_plate(name, x, z, hole)
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
    yield from driver.wait_for("there is a robot", lambda: "robot" in bpy.data.objects)
    maker.sidebar = yield from driver.open_sidebar("Robot")
    yield from _add(maker, "upper", (0.6, 0.0), (0.2, 0.06), (0.0, -0.1, 0.05))
    yield from _add(maker, "fore", (1.2, 0.0), (0.8, 0.06), (0.5, -0.1, 0.15))
    driver.take_picture("arm")
    yield from _finish(maker)


def _add(maker: _Maker, name: str, body: Any, wall: Any, carrier: Any) -> Steps:
    """A click on the object, one in its hole, one on the link that carries it, one button."""
    z = bpy.data.objects[name].location.z
    yield from maker.click_at((*body, z + 0.04))
    assert _active() == name
    yield from maker.key("TAB")
    yield from maker.key("THREE")
    yield from maker.click_at((*wall, z + 0.01))
    yield from maker.key("TAB")
    yield from maker.click_at(carrier, shift=True)
    before = len(bpy.data.objects)
    yield from maker.button("urdf.make_link")
    yield from maker.driver.wait_for("there is a link", lambda: len(bpy.data.objects) > before)


def _finish(maker: _Maker) -> Steps:
    """Limits and masses; then the file, and undo."""
    library, driver = importlib.import_module(_LIBRARY), maker.driver
    robot = library.extract_robot(bpy.data.objects["robot"])
    assert [each.child for each in robot.joints] == ["upper", "fore"]
    for joint, x in zip(robot.joints, (0.2, 0.6), strict=True):
        assert abs(joint.origin.xyz[0] - x) < 1e-4 and abs(abs(joint.axis[2]) - 1.0) < 1e-4
    for operator in ("urdf.find_ranges", "urdf.compute_inertials"):
        yield from maker.button(operator)
        yield 1.5
    assert all(_masses(library))
    driver.take_picture("weighed")
    assert maker.actions + 5 <= _MOST, maker.actions  # Shapes, and four clicks of an export.
    library.write_urdf(bpy.data.objects["robot"], driver.arguments[0])
    assert len(library.read_robot(driver.arguments[0]).joints) == 2
    yield from driver.undo()
    assert not any(_masses(library))


def _active() -> str:
    active = bpy.context.view_layer.objects.active
    return "" if active is None else active.name


def _masses(library: Any) -> list[bool]:
    return [each.has_mass for each in library.extract_robot(bpy.data.objects["robot"]).links]


def _make_plate(name: str, x: float, z: float, hole: float | None) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(x, 0.0, z), scale=(0.8, 0.3, 0.08))
    item = bpy.context.object
    item.name = name
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    if hole is None:
        return
    bpy.ops.mesh.primitive_cylinder_add(radius=0.06, depth=1.0, location=(hole, 0.0, z))
    drill = bpy.context.object
    cut = item.modifiers.new("cut", "BOOLEAN")
    cut.operation, cut.object = "DIFFERENCE", drill
    bpy.context.view_layer.update()
    shown = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    item.data = bpy.data.meshes.new_from_object(shown)
    item.modifiers.clear()
    bpy.data.objects.remove(drill)


def _look(driver: Driver) -> None:
    """From the front and above, so that the far walls of the holes are seen."""
    view = driver.viewport.spaces.active.region_3d
    view.view_perspective = "ORTHO"
    view.view_rotation = mathutils.Euler((0.6, 0.0, 0.0)).to_quaternion()
    view.view_location, view.view_distance = (0.7, 0.0, 0.1), 4.0
    for item in bpy.data.objects:
        item.select_set(False)
    bpy.context.view_layer.objects.active = None
