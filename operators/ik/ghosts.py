# SPDX-License-Identifier: GPL-3.0-or-later
"""The other ways to be at a target, drawn as ghosts of the robot: elbow up, elbow down.

Ghosts are only drawn. They are no objects, so none is saved, selected or left behind: they go with
their robot, with the file and with the extension.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import blf
import bpy
import gpu
from bpy_extras.view3d_utils import location_3d_to_region_2d
from gpu_extras.batch import batch_for_shader

from ...urdf_importer.blender.ik.ways import Ways
from ..active_robot import active_robot, redraw_views
from ..gizmos.strokes import draw_lines
from ..session import recall_state

COLORS = (
    (0.20, 0.65, 1.00), (1.00, 0.60, 0.10), (0.35, 0.85, 0.35), (0.95, 0.35, 0.75),
    (0.90, 0.85, 0.20), (0.55, 0.45, 1.00), (0.20, 0.85, 0.80), (1.00, 0.35, 0.30),
)  # fmt: skip
_OPACITY = 0.2
_TEXT = 15


@dataclass(slots=True, kw_only=True, eq=False)
class Ghosts:
    """Ways of one robot, by its session's number; `chosen` is the way that it has taken, -1 for
    none. Batches of bodies are made when they are drawn."""

    uid: int
    ways: Ways
    chosen: int
    batches: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class _Shown:
    """The displayed ghosts, and Blender's handles of the functions that draw them."""

    ghosts: Ghosts | None = None
    drawers: list[Any] = field(default_factory=list)


def show_ghosts(robot: Any, ways: Ways) -> None:
    """Shows ways of a robot from now on, in place of the earlier ones."""
    shown = recall_state(_Shown)
    shown.ghosts = Ghosts(uid=robot.session_uid, ways=ways, chosen=ways.shown)
    if not shown.drawers and not bpy.app.background:
        add = bpy.types.SpaceView3D.draw_handler_add
        shown.drawers.append(add(_draw_bodies, (), "WINDOW", "POST_VIEW"))
        shown.drawers.append(add(_draw_numbers, (), "WINDOW", "POST_PIXEL"))
    redraw_views()


def hide_ghosts(*_: Any) -> None:
    """Shows no ghosts any more."""
    shown = recall_state(_Shown)
    shown.ghosts = None
    while shown.drawers:
        bpy.types.SpaceView3D.draw_handler_remove(shown.drawers.pop(), "WINDOW")
    redraw_views()


def find_ghosts(robot: Any) -> Ghosts | None:
    """Finds the ghosts of a robot; None where none are shown of it."""
    found = recall_state(_Shown).ghosts
    if found is None or robot is None or found.uid != robot.session_uid:
        return None
    return found


def _home() -> Any | None:
    """The armature of the ghosts while it is the active robot."""
    found = active_robot(bpy.context)
    return None if find_ghosts(found) is None else found


def _draw_bodies() -> None:
    home, ghosts = _home(), recall_state(_Shown).ghosts
    if home is None or ghosts is None:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    bodies = ghosts.ways.bodies
    if not ghosts.batches:
        ghosts.batches = [
            batch_for_shader(shader, "TRIS", {"pos": body.points}, indices=body.triangles)
            for body in bodies
        ]
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(False)
    gpu.state.face_culling_set("BACK")
    for number, frames in enumerate(ghosts.ways.frames):
        if number == ghosts.chosen:
            continue
        color = COLORS[number % len(COLORS)]
        shader.bind()
        shader.uniform_float("color", (*color, _OPACITY))
        for body, batch in zip(bodies, ghosts.batches, strict=True):
            with gpu.matrix.push_pop():
                gpu.matrix.multiply_matrix(home.matrix_world @ frames[body.link] @ body.place)
                batch.draw(shader)
        if not bodies:
            _draw_lines(ghosts.ways, home.matrix_world, frames, color)
    gpu.state.face_culling_set("NONE")
    gpu.state.depth_mask_set(True)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def _draw_lines(
    ways: Ways, world: Any, frames: Mapping[str, Any], color: tuple[float, float, float]
) -> None:
    """The bones of a ghost: the only visible part of robots without shapes."""
    lines = [[(world @ frames[link]).translation for link in pair] for pair in ways.lines]
    draw_lines(lines, (*color, 0.9), 2.0)


def _draw_numbers() -> None:
    """Writes the numbers of the panel's buttons where the ways are furthest apart."""
    home, region, view = _home(), bpy.context.region, bpy.context.region_data
    ghosts = recall_state(_Shown).ghosts
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


def register_ghosts() -> None:
    """Lets ghosts go with the file."""
    bpy.app.handlers.load_pre.append(bpy.app.handlers.persistent(hide_ghosts))


def unregister_ghosts() -> None:
    """Takes them away for good."""
    hide_ghosts()
    bpy.app.handlers.load_pre.remove(hide_ghosts)
