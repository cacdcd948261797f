# SPDX-License-Identifier: GPL-3.0-or-later
"""All panels of the sidebar in three widths. Plays of scenarios.py."""

from typing import Any

import bpy
import numpy as np
from driver import Driver, Steps, _copy_command, unfold
from export_plays import import_robot

_POINTS = {"narrow": 14.0, "usual": 11.0, "wide": 8.0}
"""Sizes of letters: simulated events do not reach the edge of a sidebar, and the larger its letters
the narrower it is for them. At 14 points it is as one of 200 pixels."""
_ASK = {
    "urdf.delete_robot", "urdf.range_test", "urdf.live_connect", "urdf.make_poses",
    "urdf.make_thumbnail", "urdf.mark_asset", "urdf.fit_collisions", "urdf.simulate",
}  # fmt: skip
"""Buttons that other plays press: what they begin takes long, or takes the robot away."""
_STEP = 10
_BRIGHT = 0.45
_CUT = 2
"""Cut labels that are let pass: names of robots, joints and files are of any length."""


def sidebar(driver: Driver) -> Steps:
    """Every button of some panels is pressed, in a narrow, a usual and a wide sidebar: no label of
    the interface is cut, and no slider moves under the mouse when a body is clicked. ARGUMENTS:
    file, labels of the panels."""
    path, *labels = driver.arguments
    name = import_robot(path).name
    assert _count_cuts(driver, driver.window.screen.areas, "start") > 0, "it finds no cut label"
    unfold(*labels)
    bar = yield from driver.open_sidebar("Robot")
    for width, points in _POINTS.items():
        bpy.context.preferences.ui_styles[0].widget.points = points
        driver.move(driver.viewport.x + 100, driver.viewport.y + 100)
        yield 0.7
        driver.take_picture(width)
        cuts = _count_cuts(driver, [bar], width)
        assert cuts <= _CUT, (width, cuts)
    bpy.context.preferences.ui_styles[0].widget.points = _POINTS["usual"]
    if "Joints" in labels:
        yield from _click_bodies(driver, bar, name)
    yield from _press_all(driver, bar, name)


def _press_all(driver: Driver, bar: Any, robot: str) -> Steps:
    """Presses each operator that the mouse meets, once; what opens is closed by Esc."""
    pressed: set[str] = set(_ASK)
    for share in (0.2, 0.45, 0.7):
        y = bar.y + bar.height - 5
        while y > bar.y + 5:
            driver.move(bar.x + share * bar.width, y)
            yield 0.04
            with bpy.context.temp_override(window=driver.window, area=driver.viewport, region=bar):
                found = _copy_command()
            if found.startswith(("urdf.", "export_scene.")) and found not in pressed:
                pressed.add(found)
                yield from driver.click(*driver.place)
                driver.press("ESC")
                yield 0.3
                if driver.browser is not None:
                    driver.press("ESC")
                    yield 0.5
                assert robot in bpy.data.objects, f"{found} took the robot away"
                bpy.context.view_layer.objects.active = bpy.data.objects[robot]
            y -= _STEP


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
        yield 0.6
        picture = f"body_{len(rows)}"
        driver.take_picture(picture)
        pixels = _read(driver, picture)[bar.y : bar.y + bar.height, bar.x : bar.x + 60]
        rows.append(np.flatnonzero(np.diff((pixels.max(axis=1) > _BRIGHT).astype(int))))
    assert rows[0].tolist() == rows[1].tolist(), "something above the sliders moved"


def _read(driver: Driver, picture: str) -> Any:
    """The brightness of a picture, from 0 to 1, its lowest row first."""
    image = bpy.data.images.load(str(driver.folder / f"{picture}.png"))
    pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
    image.pixels.foreach_get(pixels)
    bright = pixels.reshape(image.size[1], image.size[0], 4)[..., :3].max(axis=2)
    bpy.data.images.remove(image)
    return bright


def _count_cuts(driver: Driver, places: Any, picture: str) -> int:
    """Counts the dots that Blender ends a cut label by: three bright pixels, evenly spaced, with
    nothing above and below them."""
    if picture == "start":
        driver.take_picture(picture)
    bright = _read(driver, picture)
    count = 0
    for place in places:
        low, left = place.y, place.x
        part = bright[low : low + place.height, left : left + place.width]
        count += len(find_dots(part))
    return count


def find_dots(pixels: Any) -> list[tuple[int, int]]:
    """Finds dots of cut labels in a picture (n, m): rows and columns of the first of three."""
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
