# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the files of a robot changed on disk since they were read.

Drawing only uses known states. A timer looks at the files, every few seconds while Blender runs
with a robot in its sidebar, for some milliseconds at a time. One file on a network drive that does
not answer holds up Blender as long as the system waits for it; so after a look that took long the
next one comes that much later.
"""

import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...urdf_importer.core.blender.standing.record import look_for_changed
from ...urdf_importer.core.blender.standing.robot_table import RobotTable
from ..active_robot import redraw_views
from ..registration import call_later
from ..session import session_state

SECONDS = 3.0
"""Between two looks at the files."""
_SOON = 0.3
_STEP, _REST = 0.002, 0.05
"""Seconds that a look takes at a time, and between two such times."""
_PATIENCE = 100.0
"""How many times as long as the longest step the next look waits."""
_MOST_ROBOTS = 4
"""Robots that are watched: the last drawn ones."""

_Files = Mapping[str, tuple[int, int]]


@dataclass(slots=True)
class _Watched:
    """A robot's files, and which of them have changed, as far as is known."""

    files: _Files
    changed: tuple[str, ...] = ()


@dataclass(slots=True)
class Watch:
    """The robots that are watched, by their session's numbers; the look that continues, if any, and
    the longest of its steps, in seconds."""

    robots: OrderedDict[int, _Watched] = field(default_factory=OrderedDict)
    look: Iterator[None] | None = None
    longest: float = 0.0


def recall_changed(robot: Any, table: RobotTable) -> tuple[str, ...]:
    """Recalls which files of a robot have changed since they were read; none as long as that is not
    known. For draw(): the robot is watched from now on."""
    robots = session_state(Watch).robots
    key = robot.session_uid
    watched = robots.get(key)
    if watched is None or watched.files != table.files:
        watched = robots[key] = _Watched(files=table.files)
    robots.move_to_end(key)
    while len(robots) > _MOST_ROBOTS:
        robots.popitem(last=False)
    if table.files:
        call_later(look_on, _SOON)
    return watched.changed


def look_on() -> float:
    """Continues with the look at the files; returns the seconds until it wants to be called
    again.
    """
    watch = session_state(Watch)
    look = watch.look = watch.look or _look(tuple(watch.robots.values()))
    began = before = time.monotonic()
    for _ in look:
        now = time.monotonic()
        watch.longest = max(watch.longest, now - before)
        before = now
        if now - began > _STEP:
            return _REST
    rest = max(SECONDS, _PATIENCE * watch.longest)
    watch.look, watch.longest = None, 0.0
    return rest


def _look(robots: tuple[_Watched, ...]) -> Iterator[None]:
    """Looks at one file of some robots with each step."""
    for watched in robots:
        changed = []
        for path in look_for_changed(watched.files):
            changed += [path] * bool(path)
            yield
        if watched.changed != tuple(changed):
            watched.changed = tuple(changed)
            redraw_views()
