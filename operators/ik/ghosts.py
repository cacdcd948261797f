# SPDX-License-Identifier: GPL-3.0-or-later
"""The other ways to be at a target, drawn as ghosts of the robot: elbow up, elbow down.

Ghosts are only drawn. They are not objects, so none is saved, selected or left behind: they go with
their robot, with the file and with the extension.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import blf
import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d

from ...urdf_importer.core.blender.memory import count_changes
from ...urdf_importer.features.ik.blender.ways import Ways
from ..active_robot import active_robot, redraw_views
from ..gizmos.strokes import draw_lines, make_batch, paint, painting
from ..registration import Drawers
from ..session import session_state

COLORS = (
    (0.20, 0.65, 1.00), (1.00, 0.60, 0.10), (0.35, 0.85, 0.35), (0.95, 0.35, 0.75),
    (0.90, 0.85, 0.20), (0.55, 0.45, 1.00), (0.20, 0.85, 0.80), (1.00, 0.35, 0.30),
)  # fmt: skip
_OPACITY = 0.2
_TEXT = 15


@dataclass(slots=True, kw_only=True, eq=False)
class Ghosts:
    """Ways of one robot, by its session's number, as it was after so many `changes`; `chosen` is
    the way that it has taken, -1 for none. Batches of bodies are made when they are drawn."""

    uid: int
    changes: int
    ways: Ways
    chosen: int
    batches: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class _Shown:
    """The displayed ghosts, and the functions that draw them."""

    ghosts: Ghosts | None = None
    drawers: Drawers = field(default_factory=Drawers)


def show_ghosts(robot: Any, ways: Ways) -> None:
    """Shows ways of a robot from now on, in place of the earlier ones."""
    shown = session_state(_Shown)
    shown.ghosts = Ghosts(
        uid=robot.session_uid, changes=count_changes(), ways=ways, chosen=ways.shown
    )
    shown.drawers.start(POST_VIEW=_draw_bodies, POST_PIXEL=_draw_numbers)
    redraw_views()


def hide_ghosts(*_: Any) -> None:
    """Shows no ghosts any more."""
    shown = session_state(_Shown)
    shown.ghosts = None
    shown.drawers.stop()
    redraw_views()


def find_ghosts(robot: Any) -> Ghosts | None:
    """Finds the ghosts of a robot; None where none are shown of it, as it is now."""
    found = session_state(_Shown).ghosts
    if found is None or robot is None or found.changes != count_changes():
        return None
    return found if found.uid == robot.session_uid else None


def _home() -> Any | None:
    """The armature of the ghosts while it is the active robot."""
    found = active_robot(bpy.context)
    return None if find_ghosts(found) is None else found


def _draw_bodies() -> None:
    home, ghosts = _home(), session_state(_Shown).ghosts
    if home is None or ghosts is None:
        return
    bodies = ghosts.ways.bodies
    ghosts.batches = ghosts.batches or [make_batch(body) for body in bodies]
    with painting("LESS_EQUAL") as shader:
        for number, frames in enumerate(ghosts.ways.frames):
            if number == ghosts.chosen:
                continue
            color = COLORS[number % len(COLORS)]
            for body, batch in zip(bodies, ghosts.batches, strict=True):
                place = home.matrix_world @ frames[body.link] @ body.place
                paint(shader, batch, place, (*color, _OPACITY))
            if not bodies:
                _draw_lines(ghosts.ways, home.matrix_world, frames, color)


def _draw_lines(
    ways: Ways, world: Any, frames: Mapping[str, Any], color: tuple[float, float, float]
) -> None:
    """The bones of a ghost: the only visible part of robots without shapes."""
    lines = [[(world @ frames[link]).translation for link in pair] for pair in ways.lines]
    draw_lines(lines, (*color, 0.9), 2.0)


def _draw_numbers() -> None:
    """Writes the numbers of the panel's buttons where the ways are furthest apart."""
    home, region, view = _home(), bpy.context.region, bpy.context.region_data
    ghosts = session_state(_Shown).ghosts
    if home is None or ghosts is None or not ghosts.ways.label:
        return
    scale = bpy.context.preferences.system.ui_scale
    blf.size(0, _TEXT * scale)
    for number, frames in enumerate(ghosts.ways.frames):
        place = (home.matrix_world @ frames[ghosts.ways.label]).translation
        spot = location_3d_to_region_2d(region, view, place)
        if spot is not None and number != ghosts.chosen:
            blf.position(0, spot.x + 6.0 * scale, spot.y + 6.0 * scale, 0)
            blf.color(0, *COLORS[number % len(COLORS)], 1.0)
            blf.draw(0, str(number + 1))
