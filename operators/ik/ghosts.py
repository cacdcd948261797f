# SPDX-License-Identifier: GPL-3.0-or-later
"""The other ways to be at a target, drawn as ghosts of the robot: elbow up, elbow down.

Ghosts are only drawn. No object stands for them, so none is saved, selected or left behind: they go
with their robot, with the file and with the extension.
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
from ..active_robot import active_robot
from ..gizmos.strokes import draw_lines

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


_ghosts: Ghosts | None = None
_drawers: list[Any] = []


def show_ghosts(robot: Any, ways: Ways) -> None:
    """Shows ways of a robot from now on, in the place of those that were shown."""
    global _ghosts
    _ghosts = Ghosts(uid=robot.session_uid, ways=ways, chosen=ways.shown)
    if not _drawers and not bpy.app.background:
        add = bpy.types.SpaceView3D.draw_handler_add
        _drawers.append(add(_draw_bodies, (), "WINDOW", "POST_VIEW"))
        _drawers.append(add(_draw_numbers, (), "WINDOW", "POST_PIXEL"))
    _redraw()


def hide_ghosts(*_: Any) -> None:
    """Shows no ghosts any more."""
    global _ghosts
    _ghosts = None
    while _drawers:
        bpy.types.SpaceView3D.draw_handler_remove(_drawers.pop(), "WINDOW")
    _redraw()


def find_ghosts(robot: Any) -> Ghosts | None:
    """Finds the ghosts of a robot; None where none are shown of it."""
    found = _ghosts
    if found is None or robot is None or found.uid != robot.session_uid:
        return None
    return found


def _home() -> Any | None:
    """The armature of the ghosts while it is the active robot."""
    found = active_robot(bpy.context)
    return None if find_ghosts(found) is None else found


def _draw_bodies() -> None:
    home = _home()
    if home is None or _ghosts is None:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    bodies = _ghosts.ways.bodies
    if not _ghosts.batches:
        _ghosts.batches = [
            batch_for_shader(shader, "TRIS", {"pos": body.points}, indices=body.triangles)
            for body in bodies
        ]
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(False)
    gpu.state.face_culling_set("BACK")
    for number, frames in enumerate(_ghosts.ways.frames):
        if number == _ghosts.chosen:
            continue
        color = COLORS[number % len(COLORS)]
        shader.bind()
        shader.uniform_float("color", (*color, _OPACITY))
        for body, batch in zip(bodies, _ghosts.batches, strict=True):
            with gpu.matrix.push_pop():
                gpu.matrix.multiply_matrix(home.matrix_world @ frames[body.link] @ body.place)
                batch.draw(shader)
        if not bodies:
            _draw_lines(home.matrix_world, frames, color)
    gpu.state.face_culling_set("NONE")
    gpu.state.depth_mask_set(True)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def _draw_lines(world: Any, frames: Mapping[str, Any], color: tuple[float, float, float]) -> None:
    """The bones of a ghost: all there is of robots without shapes."""
    assert _ghosts is not None
    lines = [
        [(world @ frames[link]).translation for link in pair] for pair in _ghosts.ways.lines
    ]  # fmt: skip
    draw_lines(lines, (*color, 0.9), 2.0)


def _draw_numbers() -> None:
    """Writes the numbers of the panel's buttons where the ways are furthest apart."""
    home, region, view = _home(), bpy.context.region, bpy.context.region_data
    if home is None or _ghosts is None or not _ghosts.ways.label:
        return
    scale = bpy.context.preferences.system.ui_scale
    blf.size(0, _TEXT * scale)
    for number, frames in enumerate(_ghosts.ways.frames):
        place = (home.matrix_world @ frames[_ghosts.ways.label]).translation
        spot = location_3d_to_region_2d(region, view, place)
        if spot is not None and number != _ghosts.chosen:
            blf.position(0, spot.x + 6.0 * scale, spot.y + 6.0 * scale, 0)
            blf.color(0, *COLORS[number % len(COLORS)], 1.0)
            blf.draw(0, str(number + 1))


def _redraw() -> None:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def register_ghosts() -> None:
    """Lets ghosts go with the file."""
    bpy.app.handlers.load_pre.append(bpy.app.handlers.persistent(hide_ghosts))


def unregister_ghosts() -> None:
    """Takes them away for good."""
    hide_ghosts()
    bpy.app.handlers.load_pre.remove(hide_ghosts)
