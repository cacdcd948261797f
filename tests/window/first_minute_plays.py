# SPDX-License-Identifier: GPL-3.0-or-later
"""From the zip to a joint that moves, as listing/description.md says. Plays of scenarios.py."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

import bpy
from driver import Driver, Steps
from gizmo_plays import Hands
from import_plays import _open_dialog, is_idle


class Watch:
    """Measures how long the program lets its user wait after each thing that the user does."""

    def __init__(self) -> None:
        self.waits: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        self.waits[name] = round(time.monotonic() - start, 2)


def anew(play: Callable[[Driver], Steps]) -> Callable[[Driver], Steps]:
    """Has a play begin in a profile that knows nothing, by a drop of the extension's zip, which is
    the first argument."""

    @wraps(play)
    def begin(driver: Driver) -> Steps:
        yield from _install(driver, driver.arguments.pop(0), Watch())
        yield from play(driver)

    return begin


def _install(driver: Driver, archive: str, watch: Watch) -> Steps:
    """Drops the zip on the view, and confirms."""
    hands = Hands(driver)
    assert hands.extension not in bpy.context.preferences.addons
    region = hands.region
    driver.move(region.x + region.width / 2, region.y + region.height / 2)
    yield 0.3
    with watch.step("drop the zip"):
        with bpy.context.temp_override(**hands.context()):
            bpy.ops.extensions.package_install_files("INVOKE_DEFAULT", url=archive)
        yield 0.5
        driver.take_picture("install")
    with watch.step("confirm"):
        driver.press("RET")
        yield from driver.wait_for(
            "the extension is enabled", lambda: hands.extension in bpy.context.preferences.addons
        )
        yield 0.3


def first_minute(driver: Driver) -> Steps:
    """Drops the extension's zip, then a robot, and drags one of its bodies; `steps.json` says what
    was done and how long each step took. ARGUMENTS: zip, robot, joint."""
    archive, path, joint = driver.arguments
    hands, watch = Hands(driver), Watch()
    yield from _install(driver, archive, watch)
    with watch.step("drop the robot"):
        yield from _open_dialog(driver, path)
    with watch.step("accept"):
        driver.press("RET")
        yield from driver.wait_for("a robot is there", lambda: bpy.data.armatures)
        yield from driver.wait_for("the import is over", is_idle)
        yield 0.5
    hands.name = bpy.context.view_layer.objects.active.name
    driver.take_picture("imported")
    before, place = hands.positions(), hands.find_body(joint)
    with watch.step("drag a body"):
        yield from hands.drag(place, (20.0, -70.0), picture="dragging")
    after = hands.positions()
    assert abs(after[joint] - before[joint]) > 0.05, (before, after)
    assert {name for name in after if after[name] != before[name]} == {joint}
    (driver.folder / "steps.json").write_text(json.dumps(watch.waits))
