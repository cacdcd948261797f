# SPDX-License-Identifier: GPL-3.0-or-later
"""All panels of the sidebar in three widths. Plays of scenarios.py."""

import importlib
from collections.abc import Generator
from typing import Any

import bpy
import numpy as np
from drawn import NAMELESS, note_buttons
from driver import Driver, Steps, _copy_command, list_panels, unfold
from export_plays import import_robot

_LIBRARY = "bl_ext.user_default.urdf_importer.urdf_importer"
_POINTS = {"narrow": 14.0, "usual": 11.0, "wide": 8.0}
"""Sizes of letters: simulated events do not reach the edge of a sidebar, and the larger its letters
the narrower it is for them. At 14 points it is as one of 200 pixels."""
_LONG = {
    "urdf.range_test", "urdf.live_connect", "urdf.live_import", "urdf.make_poses",
    "urdf.fit_collisions", "urdf.simulate", "urdf.open_line", "wm.url_open", "urdf_shows_limbs",
}  # fmt: skip
"""Buttons that other plays press, since they begin long work, or open an editor or a list of
buttons; and the web's."""
_LAST = {
    "urdf.hide_ik", "urdf.check_motion", "urdf.show_messages", "urdf.remove_waypoint",
    "urdf.remove_link",
}  # fmt: skip
"""Buttons that take others away."""
_UNDONE = {"urdf.remove_link"}
"""Buttons that take away what the next width needs: Ctrl+Z brings it back."""
_SWAPS = {"urdf.remove_studio": "urdf.build_studio"}
"""Buttons in whose place another one comes, which takes back what they did."""
_COLUMNS = (0.08, 0.25, 0.42, 0.58, 0.64, 0.7, 0.76, 0.82, 0.86)
"""Shares of the sidebar's width at which buttons are looked for: its last buttons are icons."""
_STEP = 19
"""Pixels between the rows that are looked at: less than the height of a button."""
_SWEEPS = 2
_GAP = 250
"""Pixels without a button below which there is none."""
_ASIDE = (0, 0, 25, -25, 45, -45, 70, -70, 100, -100)
"""Pixels above the button from which what opened is asked to close."""
_BRIGHT = 0.45
_MOST_PICTURES = 20
_NAMES = {"urdf.open_line", "urdf.select_subject"}
"""Buttons whose labels may be cut: names of joints and files are of any length."""


def sidebar(driver: Driver) -> Steps:
    """Every button of some panels is pressed, in a narrow, a usual and a wide sidebar: no label of
    the interface is cut, no other button comes under the mouse, and no slider moves when a body is
    clicked. ARGUMENTS: file, a person, labels of all panels, labels of these panels."""
    path, person, all_labels, *labels = driver.arguments
    assert set(all_labels.split(",")) == {
        kind.bl_label for kind in list_panels() if hasattr(kind, "bl_parent_id")
    }, "a panel has no play"
    name = import_robot(path).name
    for label in labels:
        if label in _PREPARATIONS:
            _PREPARATIONS[label](bpy.data.objects[name], person)
    bpy.ops.ed.undo_push(message="All is there")
    driver.take_picture("start")
    assert find_dots(_read(driver, "start")), "it finds no cut label"
    unfold(*labels)
    yield from _draw_little(driver)
    hand = _Hand(driver, name, note_buttons(set(labels)))
    hand.bar = yield from driver.open_sidebar("Robot")
    for width, points in _POINTS.items():
        bpy.context.preferences.ui_styles[0].widget.points = points
        driver.move(driver.viewport.x + 100, driver.viewport.y + 100)
        yield from hand.look_for_cuts(width)
        if width == "narrow" and "Joints" in labels:
            yield from _click_bodies(driver, hand.bar, name)
        yield from hand.press_all()
    assert not hand.jumps, f"other buttons came under the mouse: {hand.jumps}"


def _draw_little(driver: Driver) -> Steps:
    """Leaves the sidebar alone in the window: software draws all else slowly."""
    with bpy.context.temp_override(window=driver.window, area=driver.viewport):
        bpy.ops.screen.screen_full_area()
    yield 0.5
    space = driver.viewport.spaces.active
    space.show_object_viewport_mesh = space.show_object_viewport_armature = False
    space.overlay.show_overlays = space.show_gizmo = False
    space.show_region_toolbar = space.show_region_header = space.show_region_tool_header = False
    space.show_region_hud = driver.window.screen.show_statusbar = False
    bpy.context.preferences.system.viewport_aa = "OFF"


class _Hand:
    """Presses buttons of the sidebar. `drawn` are those that its panels have."""

    bar: Any

    def __init__(self, driver: Driver, robot: str, drawn: set[str]) -> None:
        self.driver, self.robot, self.drawn = driver, robot, drawn
        self.jumps: list[str] = []
        self.active = bpy.context.view_layer.objects.active.name

    def look_for_cuts(self, picture: str) -> Steps:
        """Asserts that no label is cut, but for names of any length."""
        bar = self.bar
        bright = yield from _settle(self.driver, bar, picture)
        for row, column in find_dots(bright):
            found = yield from self._see(bar.x + column, bar.y + row)
            assert found in _NAMES, f"a label is cut in {picture}.png: {found or row}"

    def press_all(self) -> Steps:
        """Presses each button once, and asserts that the mouse met all that were drawn."""
        self.drawn.clear()
        self.bar.tag_redraw()
        yield from self.driver.notice()
        pressed: set[str] = set()
        for _ in range(_SWEEPS):
            yield from self._look_for_others(pressed)
            named = {each for each in self.drawn if not each.startswith(NAMELESS)}
            missing = named - pressed
            if not missing:
                break
        assert not missing, f"the mouse met none of {sorted(missing)}"
        settings = sum(each.startswith(NAMELESS) for each in pressed)
        assert settings >= len(self.drawn - named), (settings, self.drawn)

    def _look_for_others(self, pressed: set[str]) -> Steps:
        """Goes down the sidebar and presses what was not pressed yet."""
        bar, last = self.bar, {}
        lowest = bar.y + bar.height
        for y in range(bar.y + bar.height - 5, bar.y + 5, -_STEP):
            if lowest - y > _GAP:
                break
            for share in _COLUMNS:
                found = yield from self._see(bar.x + share * bar.width, y)
                lowest = y if found else lowest
                wanted = found in self.drawn or found.startswith(NAMELESS)
                if not wanted or found in pressed:
                    continue
                pressed.add(found)
                if found in _LAST:
                    last[found] = self.driver.place
                else:
                    yield from self._press(found)
        for button, place in last.items():
            yield from self._see(*place)
            yield from self._press(button)

    def _see(self, x: float, y: float) -> Generator[float, None, str]:
        """The button at a place of the window: the name of its operator or property."""
        driver = self.driver
        driver.move(x, y)
        yield from driver.notice()
        with bpy.context.temp_override(window=driver.window, area=driver.viewport, region=self.bar):
            of = bpy.context.property
            if of:
                name: str = of[1].rpartition(".")[2].partition("[")[0] or of[1]
                return NAMELESS + name if NAMELESS + name in self.drawn else name
            is_setting = bpy.ops.ui.reset_default_button.poll()
            return f"{NAMELESS}{y // _STEP}" if is_setting else _copy_command()

    def _press(self, button: str) -> Steps:
        """Presses a button; a property twice, so that switches are as they were. What opens is
        closed by Esc."""
        driver = self.driver
        place = driver.place
        if button in _LONG:
            return
        for _ in range(1 if "." in button else 2):
            driver.press("LEFTMOUSE")
            yield 0.0
            found = yield from self._close(place)
            name = button[:1] if button.startswith(NAMELESS) else button
            if not found.startswith(name) and found not in ("", _SWAPS.get(button)):
                driver.take_picture("jumped")
                self.jumps.append(f"{found} for {button}")
        assert self.robot in bpy.data.objects, f"{button} took the robot away"
        if button in _UNDONE:
            yield from driver.undo()
        bpy.context.view_layer.objects.active = bpy.data.objects[self.active]

    def _close(self, place: tuple[int, int]) -> Generator[float, None, str]:
        """Closes what opened, by Esc; returns the button that is under the mouse then."""
        found = ""
        for aside in _ASIDE:
            # A dialog does not hear of Esc while the mouse is on some of its fields.
            if aside:
                self.driver.move(place[0], place[1] + aside)
                yield from self.driver.notice()
            self.driver.press("ESC")
            yield 0.0
            found = yield from self._see(*place)
            if found:
                break
        return found


def _move_too_fast(robot: Any, _person: str) -> None:
    library = importlib.import_module(_LIBRARY)
    for frame, share in ((1, 0.0), (2, 0.5)):
        bpy.context.scene.frame_set(frame)
        positions = library.get_joint_positions(robot)
        library.set_joint_positions(robot, dict.fromkeys(positions, share))
        assert bpy.ops.urdf.key_all() == {"FINISHED"}
    assert bpy.ops.urdf.check_motion() == {"FINISHED"}


def _group_bones(robot: Any, _person: str) -> None:
    robot.data.collections.new("some").assign(robot.data.bones[-1])
    assert bpy.ops.urdf.new_state(group="some", state="here") == {"FINISHED"}


def _ask_all(_robot: Any, _person: str) -> None:
    """Simulate shows all of its settings."""
    chosen = bpy.context.window_manager.operator_properties_last("urdf.simulate")
    chosen.drops = chosen.pushes = True


def _bring_person(robot: Any, person: str) -> None:
    retarget = importlib.import_module(f"{_LIBRARY}.features.retargeting.retarget")
    retarget.open_person(person)
    bpy.context.view_layer.objects.active = robot


def _teach(robot: Any, _person: str) -> None:
    """Two waypoints, the chosen one on an arc: it has a via point."""
    library = importlib.import_module(_LIBRARY)
    for share in (0.3, 0.8):
        positions = library.get_joint_positions(robot)
        library.set_joint_positions(robot, dict.fromkeys(positions, share))
        assert bpy.ops.urdf.record_waypoint() == {"FINISHED"}
    assert bpy.ops.urdf.set_waypoint_move(move="circular") == {"FINISHED"}
    bpy.context.view_layer.objects.active = robot


def _choose_last_link(robot: Any, _person: str) -> None:
    """The panel shows the joint of an active link."""
    bodies = [each for each in robot.children_recursive if each.get("urdf_part") == "Visuals"]
    bpy.context.view_layer.objects.active = bodies[-1]


_PREPARATIONS = {
    "Motion": _move_too_fast, "Poses": _group_bones, "Retarget": _bring_person,
    "Simulate": _ask_all, "Waypoints": _teach, "Build": _choose_last_link,
}  # fmt: skip


def _click_bodies(driver: Driver, bar: Any, robot: str) -> Steps:
    """The picture of the sliders differs by lit rows alone: none moved."""
    bodies = [
        item
        for item in bpy.data.objects[robot].children_recursive
        if item.get("urdf_part") == "Visuals"
    ]
    rows = []
    for body in (bodies[0], bodies[-1]):
        bpy.context.view_layer.objects.active = body
        driver.viewport.tag_redraw()
        pixels = (yield from _settle(driver, bar, f"body_{len(rows)}"))[:, :60]
        rows.append(np.flatnonzero(np.diff((pixels.max(axis=1) > _BRIGHT).astype(int))))
    assert rows[0].tolist() == rows[1].tolist(), "something above the sliders moved"


def _settle(driver: Driver, bar: Any, name: str) -> Generator[float, None, Any]:
    """The brightness of the sidebar after its panels have slid to their places."""
    pictures: list[Any] = []
    for _ in range(_MOST_PICTURES):
        yield 0.3
        driver.take_picture(name)
        pictures.append(_read(driver, name)[bar.y :, bar.x :][: bar.height, : bar.width])
        if len(pictures) > 1 and np.array_equal(*pictures[-2:]):
            return pictures[-1]
    raise AssertionError(f"the panels never rest: {name}.png")


def _read(driver: Driver, picture: str) -> Any:
    """The brightness of a picture, from 0 to 1, its lowest row first."""
    image = bpy.data.images.load(str(driver.folder / f"{picture}.png"))
    pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
    image.pixels.foreach_get(pixels)
    bright = pixels.reshape(image.size[1], image.size[0], 4)[..., :3].max(axis=2)
    bpy.data.images.remove(image)
    return bright


def find_dots(pixels: Any) -> list[tuple[int, int]]:
    """Finds the dots that Blender ends a cut label by in a picture (n, m): three bright pixels,
    evenly spaced, with nothing above and below them. Rows and columns of the first of three."""
    base = np.median(pixels)
    ink = pixels > base + 0.18
    found = []
    for row in range(6, len(ink) - 4):
        columns = np.flatnonzero(ink[row])
        starts = columns[np.flatnonzero(np.diff(columns, prepend=-9) > 1)]
        ends = columns[np.flatnonzero(np.diff(columns, append=10**6) > 1)]
        for i in range(len(starts) - 2):
            gaps = np.diff(starts[i : i + 3])
            small = (ends[i : i + 3] - starts[i : i + 3] <= 1).all()
            if not (small and gaps[0] == gaps[1] and 3 <= gaps[0] <= 5):
                continue
            box = slice(max(starts[i] - 1, 0), ends[i + 2] + 2)
            if not (ink[row - 3 : row - 1, box].any() or ink[row + 2 : row + 7, box].any()):
                found.append((row, int(starts[i])))
    return found
