# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives a real Blender window with real events; runs inside the program.

    blender --enable-event-simulate --python driver.py -- SCENARIO FOLDER ARGUMENT...

SCENARIO is a generator function of scenarios.py that yields how many seconds to wait before it goes
on. Pictures and `result.json` go to FOLDER. The exit status is 0 if it ran to its end.
"""

import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import bpy

Steps = Generator[float, None, None]

_KEYS = {
    " ": "SPACE", ".": "PERIOD", "/": "SLASH", "_": "MINUS", "-": "MINUS", "=": "EQUAL",
    "0": "ZERO", "1": "ONE", "2": "TWO", "3": "THREE", "4": "FOUR",
    "5": "FIVE", "6": "SIX", "7": "SEVEN", "8": "EIGHT", "9": "NINE",
}  # fmt: skip
_ROW = 6
"""Pixels between places where a button is looked for, less than its height; at a scale of 1."""
_SECONDS = 30.0
_ROUNDS = 2
TAB = "Robot"
_WITHOUT_ROBOT = "VIEW3D_PT_urdf_world_report"
"""The panel that is there where no robot is; another one has its name."""


class Driver:
    """A window, of this number. Places count in pixels from its lower left corner."""

    def __init__(self, folder: Path, arguments: list[str]) -> None:
        self.folder = folder
        self.arguments = arguments
        self.place = (640, 400)
        self.number = 0

    # What a user sees

    @property
    def window(self) -> Any:
        return bpy.context.window_manager.windows[self.number]

    @property
    def viewport(self) -> Any:
        return next(area for area in self.window.screen.areas if area.type == "VIEW_3D")

    @property
    def browser(self) -> Any | None:
        """The file browser that an operator opened."""
        for area in self.window.screen.areas:
            if area.type == "FILE_BROWSER" and area.spaces.active.active_operator:
                return area
        return None

    def take_picture(self, name: str) -> None:
        """Of the whole display: Blender's own screenshot is black under software OpenGL."""
        path = self.folder / f"{name}.png"
        subprocess.run(["import", "-window", "root", str(path)], check=True)

    def wait_for(self, what: str, is_so: Callable[[], Any], seconds: float = _SECONDS) -> Steps:
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                raise AssertionError(f"never happened: {what}")
            yield 0.05

    # What a user does

    def move(self, x: float, y: float, **held: bool) -> None:
        self.place = (int(x), int(y))
        self.send("MOUSEMOVE", "NOTHING", **held)

    def click(self, x: float, y: float) -> Steps:
        self.move(x, y)
        yield 0.1
        self.press("LEFTMOUSE")
        yield 0.3

    def drag(self, by: int) -> Steps:
        """Sideways from where the mouse is."""
        x, y = self.place
        self.send("LEFTMOUSE", "PRESS")
        yield 0.1
        for step in range(1, 11):
            self.move(x + by * step / 10, y)
            yield 0.05
        self.send("LEFTMOUSE", "RELEASE")
        yield 0.3

    def notice(self) -> Steps:
        """Waits until Blender knows what is under the mouse: it first leaves a button, then looks
        for another one. In rounds of its loop, which are slow on a busy machine."""
        for _ in range(_ROUNDS):
            yield 0.0

    def press(self, key: str, **held: bool) -> None:
        self.send(key, "PRESS", **held)
        self.send(key, "RELEASE", **held)

    def type(self, text: str) -> Steps:
        for letter in text:
            key = _KEYS.get(letter, letter.upper())
            self.send(key, "PRESS", unicode=letter)
            self.send(key, "RELEASE")
            yield 0.02

    def undo(self) -> Steps:
        self.rest_on_viewport()
        yield 0.2
        self.press("Z", ctrl=True)
        yield 0.5

    def redo(self) -> Steps:
        self.rest_on_viewport()
        yield 0.2
        self.press("Z", ctrl=True, shift=True)
        yield 0.5

    def open_menu_entry(self, words: str) -> Steps:
        """File, then Blender's search in that menu, as a user without a mouse would."""
        yield from self.click(43, self.window.height - 13)
        self.press("SPACE")
        yield 0.3
        yield from self.type(words)
        yield 0.5
        self.press("RET")
        yield 0.3

    def open_sidebar(self, category: str) -> Generator[float, None, Any]:
        """The sidebar of the 3D view, at one of its tabs."""
        area = self.viewport
        area.spaces.active.show_region_ui = True
        yield 0.4
        sidebar = next(region for region in area.regions if region.type == "UI")
        sidebar.active_panel_category = category
        area.tag_redraw()
        yield 0.6
        return sidebar

    def choose_folder(self, folder: str) -> Steps:
        """In the file browser that an operator opened, by Return."""
        browser: Any = self.browser
        browser.spaces.active.params.directory = folder.encode()
        yield 1.0
        region = next(each for each in browser.regions if each.type == "WINDOW")
        self.move(region.x + 60, region.y + region.height / 2)
        self.press("RET")

    def find_property(self, area: Any, region: Any, part: str, x: float = 0.5) -> Steps:
        """Puts the mouse on the first button of a property whose path has this part."""

        def shows() -> bool:
            found = bpy.context.property
            return found is not None and part in found[1]

        yield from self._find(area, region, part, x, shows)

    def find_button(self, area: Any, region: Any, operator: str, x: float = 0.5) -> Steps:
        """Puts the mouse on the first button of an operator, such as "urdf.zero_pose"."""
        yield from self._find(area, region, operator, x, lambda: _copy_command() == operator)

    def find_switch(self, region: Any, y: float, part: str) -> Steps:
        """Puts the mouse on the property whose path has this part, in a row, from its right end."""
        for x in range(int(region.x + region.width) - 4, int(region.x), -6):
            self.move(x, y)
            yield from self.notice()
            with bpy.context.temp_override(window=self.window, area=self.viewport, region=region):
                found = bpy.context.property
            if found is not None and part in found[1]:
                return
        raise AssertionError(f"there is no button for {part}")

    def click_button(self, area: Any, region: Any, operator: str, x: float, y: float) -> Steps:
        """Clicks a button whose place is known, if it is that operator's."""
        self.move(x, y)

        def is_there() -> bool:
            with bpy.context.temp_override(window=self.window, area=area, region=region):
                return _copy_command() == operator

        yield from self.wait_for(f"{operator} is under the mouse", is_there, 5.0)
        yield from self.click(x, y)

    def _find(
        self, area: Any, region: Any, what: str, share: float, shows: Callable[[], bool]
    ) -> Steps:
        """Moves the mouse down the region; Blender says what lies under it. Twice, since a region
        may not be drawn yet."""
        x = region.x + share * region.width
        row = round(_ROW * bpy.context.preferences.view.ui_scale)
        for _ in range(2):
            for y in range(region.y + region.height - 4, region.y, -row):
                self.move(x, y)
                yield from self.notice()
                with bpy.context.temp_override(window=self.window, area=area, region=region):
                    if shows():
                        yield 0.1
                        return
        raise AssertionError(f"there is no button for {what}")

    def storm(self, count: int, **held: bool) -> Steps:
        """Ctrl+Z so many times, faster than Blender draws; with `shift` the other way."""
        self.rest_on_viewport()
        yield 0.2
        for _ in range(count):
            self.press("Z", ctrl=True, **held)
            yield 0.02

    def rest_on_viewport(self) -> None:
        region = next(each for each in self.viewport.regions if each.type == "WINDOW")
        self.move(region.x + region.width / 2, region.y + region.height / 2)

    def send(self, key: str, value: str, **held: Any) -> None:
        x, y = self.place
        self.window.event_simulate(type=key, value=value, x=x, y=y, **held)


def _copy_command() -> str:
    """Which operator the button under the mouse calls: Blender copies its command."""
    copy = bpy.ops.ui.copy_python_command_button
    if not copy.poll():
        return ""
    bpy.context.window_manager.clipboard = ""  # Some buttons have no command to copy.
    copy()
    copied: str = bpy.context.window_manager.clipboard
    return copied.removeprefix("bpy.ops.").partition("(")[0]


def list_panels() -> list[Any]:
    """The classes of the robot's panels, those that hold others first."""
    kinds = [
        kind for kind in bpy.types.Panel.__subclasses__() if getattr(kind, "bl_category", "") == TAB
    ]
    return sorted(kinds, key=lambda kind: hasattr(kind, "bl_parent_id"))


def unfold(*labels: str) -> None:
    """Lets these of the robot's panels stand open, with those that they are in, and no others.
    Before the sidebar is shown: Blender remembers how it drew a panel first."""
    kinds = list_panels()
    named = [each for each in kinds if each.bl_label in labels and each.bl_idname != _WITHOUT_ROBOT]
    wanted = {_WITHOUT_ROBOT, *(kind.bl_idname for kind in named)}
    wanted |= {getattr(kind, "bl_parent_id", "") for kind in named}
    for kind in reversed(kinds):
        bpy.utils.unregister_class(kind)
    for kind in kinds:
        kind.bl_options = set() if kind.bl_idname in wanted else {"DEFAULT_CLOSED"}
        bpy.utils.register_class(kind)


def run(scenario: Callable[[Driver], Steps], driver: Driver) -> None:
    """Steps the scenario from a timer, then ends Blender at once: nothing asks whether to save."""
    steps = scenario(driver)

    def step() -> float:
        error = ""
        try:
            return next(steps)
        except StopIteration:
            pass
        except BaseException:  # noqa: BLE001  # it goes into the result
            error = traceback.format_exc()
            driver.take_picture("failed")
        (driver.folder / "result.json").write_text(json.dumps({"error": error}))
        sys.stdout.flush()
        os._exit(1 if error else 0)

    bpy.app.timers.register(step, first_interval=1.0, persistent=True)


def main() -> None:
    name, folder, *arguments = sys.argv[sys.argv.index("--") + 1 :]
    sys.path.insert(0, str(Path(__file__).parent))
    import scenarios

    view = bpy.context.preferences.view
    view.show_splash = False
    # The browser in the same window: other windows need a window manager.
    view.filebrowser_display_type = "SCREEN"
    run(getattr(scenarios, name), Driver(Path(folder), arguments))


if __name__ == "__main__":
    main()
