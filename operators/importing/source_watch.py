# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the files of a robot changed on disk since they were read.

Drawing only asks what is known. A thread looks at the files, every few seconds while Blender runs
with a robot in its sidebar: a network drive that does not answer holds up that thread, of which
there is one, and nothing else. It never touches Blender's data.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import bpy

from ...urdf_importer.blender.standing.record import find_changed
from ...urdf_importer.blender.standing.robot_table import RobotTable
from ..active_robot import redraw_views

SECONDS = 3.0
"""Between two looks at the files."""
_SOON = 0.3
_MOST_ROBOTS = 4
"""Robots that are watched: those that were drawn last."""

_Files = Mapping[str, tuple[int, int]]


@dataclass(slots=True)
class _Watched:
    """A robot's files, and which of them have changed, as far as is known."""

    files: _Files
    changed: tuple[str, ...] = ()


class _Look(threading.Thread):
    """One look at the files of some robots."""

    def __init__(self, watched: tuple[_Watched, ...]) -> None:
        super().__init__(name="urdf-importer files", daemon=True)
        self.watched = watched
        self.found: tuple[tuple[str, ...], ...] = ()

    def run(self) -> None:
        self.found = tuple(find_changed(each.files) for each in self.watched)


_watched: OrderedDict[int, _Watched] = OrderedDict()
_looks: list[_Look] = []


def recall_changed(robot: Any, table: RobotTable) -> tuple[str, ...]:
    """Recalls which files of a robot have changed since they were read; none as long as that is not
    known. For draw(): the robot is watched from now on."""
    key = robot.session_uid
    watched = _watched.get(key)
    if watched is None or watched.files != table.files:
        watched = _watched[key] = _Watched(files=table.files)
    _watched.move_to_end(key)
    while len(_watched) > _MOST_ROBOTS:
        _watched.popitem(last=False)
    if table.files and not bpy.app.timers.is_registered(_look_again):
        bpy.app.timers.register(_look_again, first_interval=_SOON)
    return watched.changed


def register() -> None:
    """Does nothing: watching begins with the first robot that is shown."""


def unregister() -> None:
    """Ends all watching."""
    if bpy.app.timers.is_registered(_look_again):
        bpy.app.timers.unregister(_look_again)
    _watched.clear()
    _looks.clear()


def _look_again() -> float | None:
    """Takes what the last look found, and sends the next."""
    if not _looks:
        _looks.append(_Look(tuple(_watched.values())))
        _looks[0].start()
        return _SOON
    if _looks[0].is_alive():
        return _SOON
    look = _looks.pop()
    news = False
    for watched, changed in zip(look.watched, look.found, strict=True):
        news = news or watched.changed != changed
        watched.changed = changed
    if news:
        redraw_views()
    return SECONDS
