# SPDX-License-Identifier: GPL-3.0-or-later
"""The moving pictures of docs/images, which loop; tools/take-screenshots plays them.

blender --enable-event-simulate --python moving_pictures.py -- PICTURE FOLDER ROBOTS
"""

import math
import subprocess
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import pictures
from driver import Driver, Steps
from gizmo_plays import Hands, Place
from import_plays import _open_dialog, is_idle

_POINTER = "0,0 0,17 4,13 7,20 10,19 7,12 12,12"
"""The mouse, which a picture of the display does not have."""
_WIDTH = 720
_WAY = (
    *("-coalesce", "-resize", f"{_WIDTH}x", "-define", "webp:lossless=false"),
    *("-define", "webp:method=6", "-quality", "62", "-loop", "0"),
)
_MOVES = 14


class Film:
    """Frames of the window from the timeline's lower edge to the 3D view's upper one."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.frames: list[tuple[str, int]] = []

    def take(self, hundredths: int = 8, *, pointer: bool = True) -> None:
        """Takes a frame that is shown so long."""
        name = f"frame{len(self.frames):03}"
        self.driver.take_picture(name)
        self.frames.append((f"{name}.png", hundredths))
        if pointer:
            x, y = self.driver.place[0], self.driver.window.height - self.driver.place[1]
            draw = f"fill white stroke black translate {x},{y} polygon {_POINTER}"
            path = self.driver.folder / f"{name}.png"
            subprocess.run(["magick", path, "-draw", draw, path], check=True)

    def keep(self, name: str, *, timeline: bool = False) -> None:
        """Writes NAME.webp of all frames."""
        left, bottom, width, height = pictures._box(self.driver.viewport)
        low = 24 if timeline else bottom
        top = self.driver.window.height - bottom - height
        box = f"{width}x{bottom + height - low}+{left}+{top}"
        shown: list[str] = []
        for frame, hundredths in self.frames:
            path = str(self.driver.folder / frame)
            shown += ["(", "-delay", str(hundredths), path, "-crop", box, "+repage", ")"]
        target = self.driver.folder / f"{name}.webp"
        subprocess.run(["magick", *shown, *_WAY, str(target)], check=True)


def drop_robot(driver: Driver) -> Steps:
    """A file dropped on the view, Return, and a forearm that follows the mouse."""
    film, hands = Film(driver), Hands(driver)
    for item in ("Cube", "Camera", "Light"):
        bpy.data.objects.remove(bpy.data.objects[item])
    driver.viewport.spaces.active.show_region_toolbar = False
    path = str(pictures._robots(driver) / pictures._PANDA)
    yield from _open_dialog(driver, path)
    film.take(140)
    driver.press("RET")
    yield from driver.wait_for("a robot is there", lambda: bpy.data.armatures)
    yield from driver.wait_for("the import is over", is_idle)
    yield 1.5
    hands.name = bpy.context.view_layer.objects.active.name
    film.take(100)
    place = hands.find_body("panda_joint2")
    yield from hands.rest_on(place)
    film.take(60)
    yield from _pull(film, place, [(5.0 * step, 3.0 * step) for step in range(1, _MOVES + 1)])
    place = hands.find_body("panda_joint4")
    yield from hands.rest_on(place)
    film.take(50)
    yield from _pull(film, place, [(2.5 * step, -3.0 * step) for step in range(1, _MOVES + 1)])
    yield 0.5
    film.take(180)
    film.keep("drop_robot", timeline=True)


def drag_hand(driver: Driver) -> Steps:
    """A hand on its way around, by the ball of its handle, and all the arm with it."""
    film, hands = Film(driver), Hands(driver)
    hands.prepare(str(pictures._robots(driver) / pictures._PANDA), pictures._REACHING)
    pictures._look(driver, at=(0.46, 0.3, 0.4), distance=1.75, turn=52, tilt=74)
    yield from driver.open_sidebar("Robot")
    place = hands.find_part("free", 0)
    yield from hands.rest_on(place)
    film.take(40)
    turns = [math.tau * step / (2 * _MOVES) for step in range(1, 2 * _MOVES + 1)]
    ways = [(-70 * math.sin(turn), 60 * (1 - math.cos(turn))) for turn in turns]
    yield from _pull(film, place, ways)
    film.keep("drag_hand")


def play_keyframes(driver: Driver) -> Steps:
    """Three keyed poses, played: the bones, the sliders and the timeline move."""
    film = Film(driver)
    yield from pictures.key_poses(driver)
    scene = bpy.context.scene
    for frame in range(1, scene.frame_end, 3):
        scene.frame_set(frame)
        driver.viewport.tag_redraw()
        yield 0.4
        film.take(12, pointer=False)
    film.keep("play_keyframes", timeline=True)


def _pull(film: Film, place: Place, ways: list[Place]) -> Steps:
    """Drags from a place, a frame for each step."""
    driver = film.driver
    driver.move(*place)
    driver.send("LEFTMOUSE", "PRESS")
    yield 0.2
    driver.move(place[0] - 4, place[1] + 4)  # The drag begins on what was pressed.
    yield 0.2
    for way in ways:
        driver.move(place[0] + way[0], place[1] + way[1])
        yield 0.35
        film.take()
    driver.send("LEFTMOUSE", "RELEASE")
    yield 0.4


if __name__ == "__main__":
    pictures.play(globals())
