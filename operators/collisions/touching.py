# SPDX-License-Identifier: GPL-3.0-or-later
"""The links that touch each other as the scene shows a robot, found beside the window: shapes are
loaded, and slow poses tested, in slices between two redraws."""

import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from ...urdf_importer import Progress, RobotError
from ...urdf_importer.core.blender.memory import forget, recall
from ...urdf_importer.core.blender.standing.robot_table import list_robots
from ...urdf_importer.features.collisions.check import watch_steps
from ..active_robot import redraw_views
from ..registration import call_later
from ..session import session_state
from ..stepping import is_busy

_SLICE, _LOADING = 0.006, 0.05
"""Seconds of work at a redraw and between two, and while shapes are loaded, which is done once."""
_PAUSE = 0.001
_REST = 0.3
"""Seconds between two looks at whether other work is over."""


class Touching:
    """The contacts of a robot: `pairs` of links that touch, `why` where nothing can be known."""

    def __init__(self, robot: Any) -> None:
        self.why = ""
        self._contacts: Any = None
        self._steps: Generator[Progress, None, Any] = watch_steps(robot)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return self._contacts.pairs if self._contacts is not None else ()

    @property
    def is_loading(self) -> bool:
        return self._contacts is None and not self.why

    def look(self, robot: Any) -> bool:
        """Works for a slice. Returns whether the displayed pose is known."""
        end = time.perf_counter() + (_LOADING if self.is_loading else _SLICE)
        while self.is_loading and time.perf_counter() < end:
            try:
                next(self._steps)
            except StopIteration as finished:
                self._contacts = finished.value
            except RobotError as error:
                self.why = str(error)
        if self._contacts is None:
            return bool(self.why)
        left = max(0.0, end - time.perf_counter())
        return bool(self._contacts.look(robot.matrix_world, left))


@dataclass(slots=True)
class _Work:
    """Robots, by their session's numbers, that are not looked at to the end."""

    robots: set[int] = field(default_factory=set)


def find_touching(robot: Any) -> Touching:
    """Finds the contacts of a robot as far as they are known."""
    return recall(robot, "touching", Touching, shaped=True)


def recall_touching(robot: Any) -> Touching:
    """Returns the known contacts of a robot while it is drawn, and has the rest found out."""
    found = find_touching(robot)
    before = found.pairs
    if found.is_loading or not found.look(robot) or found.pairs != before:
        look_soon(robot)
    return found


def look_soon(robot: Any) -> None:
    """Has a robot looked at beside the window, and the views drawn after that."""
    session_state(_Work).robots.add(robot.session_uid)
    call_later(_go_on)


def _go_on() -> float | None:
    """Works on, and draws the new contacts: panels are drawn before the view, too."""
    if is_busy():
        return _REST
    work = session_state(_Work).robots
    for robot in list_robots():
        if robot.session_uid in work:
            try:
                if not find_touching(robot).look(robot):
                    return _PAUSE
            except ReferenceError:
                forget()
                return _REST
    work.clear()
    redraw_views()
    return None
