# SPDX-License-Identifier: GPL-3.0-or-later
"""What hands do with the bodies of a robot in the 3D view. Plays of scenarios.py."""

import importlib
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d, region_2d_to_location_3d
from driver import Driver, Steps
from mathutils import Euler, Quaternion

Place = tuple[float, float]

JOINT = "panda_joint4"
_POSE = {"panda_joint2": 0.3, "panda_joint4": -1.8, "panda_joint6": 2.0}
_GRID = 12
_FAR = (130.0, 60.0)
"""A way of the mouse, in pixels, that every joint here can go some part of."""


def gizmo(driver: Driver) -> Steps:
    """Hovering and dragging bodies, then tips; undo, steps, taking back. ARGUMENTS: file."""
    (path,) = driver.arguments
    hands = Hands(driver)
    hands.prepare(path, _POSE)
    yield 0.5
    yield from _hover(hands)
    yield from _leave_for_the_sidebar(hands)
    yield from _move_by_key(hands)
    yield from _drag_and_undo(hands)
    yield from _steps_and_taking_back(hands)
    hands.pose(_POSE)
    yield 0.3
    yield from _hover_tip(hands)
    yield from _drag_tip(hands)
    yield from _tip_out_of_reach_and_back(hands)
    yield from _switch_tips_off(hands)
    yield from _show_ways(hands)


def hold_forearm(driver: Driver, path: Path, pose: Mapping[str, float]) -> Steps:
    """Takes an arm by its forearm and does not let go: for a picture."""
    hands = Hands(driver)
    hands.prepare(str(path), pose)
    space = driver.viewport.spaces.active
    space.lens, space.shading.show_cavity = 60, True
    space.overlay.show_relationship_lines = space.overlay.show_cursor = False
    hands.look(Euler((math.radians(76), 0, math.radians(60))).to_quaternion())
    hands.view.view_location, hands.view.view_distance = (0.22, 0.22, 0.1), 1.9
    hands.view.view_location.z += hands.robot.location.z
    yield 0.5
    place = hands.find_body("elbow")
    yield from hands.rest_on(place)
    driver.move(*place)
    driver.send("LEFTMOUSE", "PRESS")
    for step in range(1, 8):
        driver.move(place[0] + 6 * step, place[1] + 9 * step)
        yield 0.2
    yield 1.0


def rest_on_hand(driver: Driver, path: Path, pose: Mapping[str, float]) -> Steps:
    """Puts the mouse on an arrow of the handle at a hand: for a picture."""
    hands = Hands(driver)
    hands.prepare(str(path), pose)
    space = driver.viewport.spaces.active
    space.lens, space.shading.show_cavity = 60, True
    space.overlay.show_relationship_lines = space.overlay.show_cursor = False
    hands.look(Euler((math.radians(76), 0, math.radians(52))).to_quaternion())
    hands.view.view_location, hands.view.view_distance = (0.3, 0.15, 0.4), 1.75
    yield 0.5
    yield from hands.open_handle()
    yield from hands.rest_on(hands.find_part("slide", 2))
    yield 1.0


def _hover(hands: "Hands") -> Steps:
    with hands.watch_drawing() as drawn:
        yield from hands.rest_on(hands.find_body(JOINT))
        yield from hands.driver.wait_for("the joint is lit", lambda: JOINT in drawn)
        hands.driver.take_picture("hover")
        yield from hands.rest_on(hands.empty)
        drawn.clear()
        hands.redraw()
        yield 0.5
        assert not drawn, "it is lit although the mouse left it"


def _leave_for_the_sidebar(hands: "Hands") -> Steps:
    """The label keeps clear of the sidebar, and goes when the mouse goes there."""
    driver, region = hands.driver, hands.region
    sidebar = yield from driver.open_sidebar("Robot")
    place = hands.find_body(JOINT)
    centre = (sidebar.x - 90.0, region.y + region.height / 2)
    hands.view.view_location = hands.view.view_location.copy() + hands.way(centre, place)
    yield 0.5
    with hands.watch_drawing() as drawn:
        yield from hands.rest_on(hands.find_body(JOINT))
        yield from driver.wait_for("the joint is lit", lambda: JOINT in drawn)
        driver.take_picture("hover_beside_sidebar")
        driver.move(sidebar.x + sidebar.width / 2, sidebar.y + sidebar.height / 2)
        yield 0.5
        driver.take_picture("in_sidebar")
        drawn.clear()
        hands.redraw()
        yield 0.5
        assert not drawn, "it is lit although the mouse is in the sidebar"
    driver.viewport.spaces.active.show_region_ui = False
    hands.look(hands.start)
    yield 0.5


def _move_by_key(hands: "Hands") -> Steps:
    """While Blender's own move runs, no joint is lit."""
    with hands.watch_drawing() as drawn:
        place = hands.find_body(JOINT)
        yield from hands.rest_on(place)
        yield from hands.driver.wait_for("the joint is lit", lambda: JOINT in drawn)
        hands.driver.press("G")
        yield 0.3
        drawn.clear()
        hands.driver.move(place[0] + 30, place[1] + 5)
        yield 0.5
        assert not drawn, "it is lit while G runs"
        hands.driver.press("ESC")
        yield 0.3


def _drag_and_undo(hands: "Hands") -> Steps:
    before = hands.positions()
    yield from hands.drag(hands.find_body(JOINT), _FAR, picture="dragging")
    after = hands.positions()
    assert abs(after[JOINT] - before[JOINT]) > 0.1
    assert {name for name in after if after[name] != before[name]} == {JOINT}
    yield from hands.driver.undo()
    yield from hands.driver.wait_for("undone", lambda: hands.positions() == before)
    yield from hands.driver.redo()
    yield from hands.driver.wait_for("redone", lambda: hands.positions() == after)


def _steps_and_taking_back(hands: "Hands") -> Steps:
    yield from hands.drag(hands.find_body("panda_joint6"), (25, -15), ctrl=True)
    degrees = math.degrees(hands.positions()["panda_joint6"])
    assert abs(degrees - 5 * round(degrees / 5)) < 1e-3, degrees
    before, raw = hands.positions(), hands.raw(JOINT)
    for key in ("ESC", "RIGHTMOUSE"):
        yield from hands.drag(hands.find_body(JOINT), _FAR, end=key)
        assert hands.raw(JOINT) == raw
    # They left no undo step: the next undo is that of the drag before.
    yield from hands.driver.undo()
    yield from hands.driver.wait_for("the drag before", lambda: hands.positions() != before)


def _hover_tip(hands: "Hands") -> Steps:
    """The handle takes the mouse on its lines, and the joint is not lit there."""
    place = hands.find_part("slide", 2)
    with hands.watch_drawing() as drawn:
        yield from hands.rest_on(hands.empty)
        yield from hands.open_handle()
        drawn.clear()
        yield from hands.rest_on(place)
        hands.driver.take_picture("tip_hover")
        assert not drawn, drawn


def _drag_tip(hands: "Hands") -> Steps:
    """The hand goes up, as it is turned; the sliders show it; keyframes; one undo step."""
    settings = bpy.context.scene.tool_settings
    before, start = hands.positions(), hands.tip()
    settings.use_keyframe_insert_auto = True
    yield from hands.open_handle()
    yield from hands.drag(hands.find_part("slide", 2), (0.0, 90.0), picture="tip_dragging")
    settings.use_keyframe_insert_auto = False
    after, end = hands.positions(), hands.tip()
    way = end.translation - start.translation
    assert way.z > 0.05, way
    assert abs(way.x) < 1e-4 and abs(way.y) < 1e-4, way
    assert end.to_quaternion().rotation_difference(start.to_quaternion()).angle < 1e-3
    moved = {name for name in after if abs(after[name] - before[name]) > 1e-3}
    assert JOINT in moved and "panda_finger_joint1" not in moved, moved
    keyed = {curve.data_path for curve in hands.curves()}
    assert len(keyed) >= len(moved), keyed
    yield from hands.driver.undo()
    yield from hands.driver.wait_for("undone", lambda: hands.positions() == before)
    yield from hands.driver.redo()
    yield from hands.driver.wait_for("redone", lambda: hands.positions() == after)


def _tip_out_of_reach_and_back(hands: "Hands") -> Steps:
    """In pose mode: far away the hand comes near, within limits; Esc takes all of it back. Turning
    leaves the hand where it is."""
    with bpy.context.temp_override(**hands.context()):
        bpy.ops.object.mode_set(mode="POSE")
    yield 0.3
    before = {name: hands.raw(name) for name in hands.positions() if "finger" not in name}
    far = hands.drag(hands.find_part("free", 0), (-10.0, 420.0), picture="tip_far", end="ESC")
    seen = []
    for pause in far:
        seen.append(hands.raw(JOINT))
        yield pause
    assert max(seen) - min(seen) > 0.1
    assert {name: hands.raw(name) for name in before} == before
    start = hands.tip()
    yield from hands.open_handle()
    yield from hands.drag(hands.find_part("turn", 2), (14.0, 5.0), picture="tip_turning")
    end = hands.tip()
    assert (end.translation - start.translation).length < 1e-4
    assert end.to_quaternion().rotation_difference(start.to_quaternion()).angle > 0.1


def _switch_tips_off(hands: "Hands") -> Steps:
    preferences = bpy.context.preferences.addons[hands.extension].preferences
    place, before = hands.find_part("slide", 0), hands.tip()
    preferences.tip_handles = preferences.joint_gizmo = False
    hands.redraw()
    yield 0.5
    hands.driver.take_picture("tips_off")
    yield from hands.drag(place, _FAR)
    assert hands.tip() == before
    preferences.tip_handles = preferences.joint_gizmo = True


def _show_ways(hands: "Hands") -> Steps:
    """Ghosts of other ways to hold the hand are seen, and nothing of them stays."""
    hands.pose(_POSE)
    yield from hands.rest_on(hands.empty)
    bpy.context.window_manager.urdf_ik.source = "gizmo"
    names, seen = set(bpy.data.objects.keys()), []
    for shown in (False, True, False):
        with bpy.context.temp_override(**hands.context()):
            if shown:
                assert bpy.ops.urdf.find_ik() == {"FINISHED"}
            else:
                bpy.ops.urdf.hide_ik()
        hands.redraw()
        yield 0.8
        picture = f"ways_{len(seen)}"
        hands.driver.take_picture(picture)
        seen.append(_measure_colors(hands.driver.folder / f"{picture}.png"))
    before, ghosts, after = seen
    assert ghosts > before + 0.008 and abs(after - before) < 0.001, seen
    assert set(bpy.data.objects.keys()) == names


def _measure_colors(path: Path) -> float:
    """The share of pixels that are not grey."""
    image = bpy.data.images.load(str(path))
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return float((np.ptp(pixels.reshape(-1, 4)[:, :3], axis=1) > 0.2).mean())


class Hands:
    """A robot, a view on it, and a mouse that finds its bodies. Places are the window's."""

    extension = "bl_ext.user_default.urdf_importer"

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.name = ""
        self.start = Quaternion()

    def prepare(self, path: str, pose: Mapping[str, float]) -> None:
        bpy.data.objects.remove(bpy.data.objects["Cube"])
        assert bpy.ops.import_scene.urdf(filepath=path) == {"FINISHED"}
        self.name = bpy.context.view_layer.objects.active.name
        self.start = self.view.view_rotation.copy()
        self.look(self.start)
        self.driver.viewport.spaces.active.show_region_toolbar = False
        self.pose(pose)

    @property
    def robot(self) -> Any:
        return bpy.data.objects[self.name]

    @property
    def region(self) -> Any:
        return next(each for each in self.driver.viewport.regions if each.type == "WINDOW")

    @property
    def view(self) -> Any:
        return self.driver.viewport.spaces.active.region_3d

    @property
    def empty(self) -> Place:
        """A place that no object is at."""
        return self.region.x + 40.0, self.region.y + 40.0

    def module(self, name: str) -> Any:
        return importlib.import_module(f"{self.extension}.{name}")

    def context(self) -> dict[str, Any]:
        area = self.driver.viewport
        return {"window": self.driver.window, "area": area, "region": self.region}

    def take(self, path: str) -> None:
        """Takes another robot in hand, and goes where that is."""
        assert bpy.ops.import_scene.urdf(filepath=path) == {"FINISHED"}
        robot = bpy.context.view_layer.objects.active
        self.name = robot.name
        robot.location.x = 3.0
        self.look(self.start, at=(3.0, 0.0, 0.1))
        bpy.ops.ed.undo_push(message="Import")

    def undo_to(self, positions: Mapping[str, Any]) -> Steps:
        yield from self.driver.undo()
        yield from self.driver.wait_for("undone", lambda: self.positions() == positions)

    def keyed(self) -> set[tuple[str, int]]:
        """The channels of the robot that have keyframes."""
        find = self.module("urdf_importer.core.blender.standing.keys").find_curves
        return {(curve.data_path, curve.array_index) for curve in find(self.robot) or ()}

    def bone_of(self, joint: str) -> str:
        return str(self._handle(joint).joint.bone)

    def look_through(self, place: Place) -> Any:
        """The ray of a place: where it starts and goes."""
        region = self.region
        look = self.module("operators.gizmos.bodies").look_through
        return look(region, self.view, (place[0] - region.x, place[1] - region.y))

    def way(self, start: Place, end: Place) -> Any:
        """The way in the world, in the plane of the view's centre, from one place to another."""
        region, depth = self.region, self.view.view_location
        ends = [
            region_2d_to_location_3d(region, self.view, (x - region.x, y - region.y), depth)
            for x, y in (start, end)
        ]
        return ends[1] - ends[0]

    def look(
        self, rotation: Quaternion, *, flat: bool = False, at: Any = (0.25, 0.0, 0.45)
    ) -> None:
        self.view.view_perspective = "ORTHO" if flat else "PERSP"
        self.view.view_rotation = rotation
        self.view.view_location = at
        self.view.view_distance = 1.7

    def redraw(self) -> None:
        self.driver.viewport.tag_redraw()

    def pose(self, positions: Mapping[str, float]) -> None:
        self.module("urdf_importer").set_joint_positions(self.robot, positions)
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message="Pose")

    def positions(self) -> dict[str, float]:
        found: dict[str, float] = self.module("urdf_importer").get_joint_positions(self.robot)
        return found

    def raw(self, joint: str) -> float:
        """The number of the channel, to the last bit."""
        handle = self._handle(joint)
        channel = handle.channel
        return float(getattr(handle.pose_bone, channel.prop)[channel.index])

    def joint_at(self, place: Place) -> str:
        """The joint of the body there; none where the mouse is on a handle."""
        hit = None if self._is_on_handle(place) else self._hit(place)
        find = self.module("urdf_importer.core.blender.standing.handles").find_handle
        handle = find(hit.item) if hit is not None else None
        return "" if handle is None else str(handle.mover.name)

    def find_body(self, *joints: str, bare: bool = False) -> Place:
        """Finds a place well inside what is seen of the bodies of joints; `bare` of the rings and
        frames that a click would find before."""
        region = self.region
        grid = {
            (x, y)
            for x in range(region.x + 30, region.x + region.width - 30, _GRID)
            for y in range(region.y + 30, region.y + region.height - 60, _GRID)
            if self.joint_at((x, y)) in joints
        }
        assert grid, f"no body of {joints} is seen"
        if bare:
            self.driver.viewport.spaces.active.show_object_select_empty = False
            self.robot.show_in_front = False
            for bone in self.robot.pose.bones:
                bone.custom_shape_scale_xyz = (1e-3, 1e-3, 1e-3)
        return max(grid, key=lambda place: self._count_around(grid, place))

    def tip(self) -> Any:
        """Where the hand is, in the world."""
        return bpy.data.objects["panda_hand"].matrix_world.copy()

    def curves(self) -> Any:
        find = self.module("urdf_importer.core.blender.standing.keys").find_curves
        return find(self.robot) or ()

    def find_part(self, kind: str, axis: int) -> Place:
        """Finds a place on a part of the handle at the hand."""
        shape, region = self.module("operators.ik.tip_shape"), self.region
        with bpy.context.temp_override(**self.context()):
            (handle,) = shape.visible_handles(bpy.context)
            look = shape.look_at(bpy.context, handle)
        line = dict(shape.outline(look))[kind, axis]
        place = line[len(line) // 3] if kind == "turn" else line[-1]
        x, y = location_3d_to_region_2d(region, self.view, place)
        return region.x + x, region.y + y

    def open_handle(self) -> Steps:
        """Comes to the ball at the hand: the handle is large then, as long as the mouse is near."""
        yield from self.rest_on(self.find_part("free", 0))

    def rest_on(self, place: Place) -> Steps:
        """Blender looks what is under a mouse that stands still when it moves next."""
        for step in range(3):
            self.driver.move(place[0] + step % 2, place[1])
            yield 0.15

    def drag(
        self,
        place: Place,
        way: Place,
        *,
        key: str = "",
        end: str = "",
        picture: str = "",
        **held: bool,
    ) -> Steps:
        """Presses there, and a `key`, goes that way, and lets go, or presses `end` before."""
        yield from self.rest_on(place)
        self.driver.move(*place)
        self.driver.send("LEFTMOUSE", "PRESS")
        yield 0.1
        for step in range(1, 7):
            if key and step == 2:
                self.driver.press(key)
            x, y = place[0] + way[0] * step / 6, place[1] + way[1] * step / 6
            self.driver.move(x, y, **held)
            yield 0.08
        if picture:
            yield 0.3
            self.driver.take_picture(picture)
        if end:
            self.driver.press(end)
            yield 0.1
        self.driver.send("LEFTMOUSE", "RELEASE", **held)
        yield 0.4

    @contextmanager
    def watch_drawing(self) -> Iterator[list[str]]:
        """Gives the joints that are drawn, as they are."""
        module, drawn = self.module("operators.gizmos.joint_gizmo"), []
        draw = module.draw_joint

        def note(picture: Any, *rest: Any) -> None:
            drawn.append(picture.handle.mover.name)
            draw(picture, *rest)

        module.draw_joint = note
        yield drawn
        module.draw_joint = draw

    def _handle(self, joint: str) -> Any:
        return self.module("urdf_importer.core.blender.standing.handles").make_handle(
            self.robot, joint
        )

    def _is_on_handle(self, place: Place) -> bool:
        if not bpy.context.preferences.addons[self.extension].preferences.tip_handles:
            return False
        opening = self.module("operators.ik.tip_opening")
        mouse = (place[0] - self.region.x, place[1] - self.region.y)
        with bpy.context.temp_override(**self.context()):
            return opening.take_part(bpy.context, mouse) is not None

    def _hit(self, place: Place) -> Any | None:
        region = self.region
        with bpy.context.temp_override(**self.context()):
            find = self.module("operators.gizmos.bodies").find_hit
            return find(bpy.context, (place[0] - region.x, place[1] - region.y))

    @staticmethod
    def _count_around(grid: set[Place], place: Place) -> int:
        x, y = place
        ways = range(-2, 3)
        return sum((x + _GRID * i, y + _GRID * j) in grid for i in ways for j in ways)
