# SPDX-License-Identifier: GPL-3.0-or-later
"""The other ways to be at a target, drawn as ghosts of the robot: elbow up, elbow down.

Ghosts are only drawn. No object stands for them, so none is saved, selected or left behind: they go
with their robot, with the file and with the extension.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix, Vector

from ...urdf_importer import forward_kinematics
from ...urdf_importer.blender.ik.solve import recall_rig
from ...urdf_importer.blender.ik.targets import Solved
from ...urdf_importer.blender.standing import properties
from ...urdf_importer.blender.standing.links import links_of, name_link
from ...urdf_importer.blender.standing.pose import get_joint_positions
from ..active_robot import active_robot

COLORS = (
    (0.20, 0.65, 1.00), (1.00, 0.60, 0.10), (0.35, 0.85, 0.35), (0.95, 0.35, 0.75),
    (0.90, 0.85, 0.20), (0.55, 0.45, 1.00), (0.20, 0.85, 0.80), (1.00, 0.35, 0.30),
)  # fmt: skip
_OPACITY = 0.2
_MOST_TRIANGLES = 60_000
"""Of a mesh: a larger one is drawn as the box around it."""
_TEXT = 15


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """A shape of a link: `place` (4, 4) in the link's frame, `points` (N, 3), `triangles`
    (T, 3)."""

    link: str
    place: Any
    points: Any
    triangles: Any


@dataclass(slots=True, kw_only=True, eq=False)
class Ghosts:
    """Ways of one robot. `frames` are of each way the frames (4, 4) of links in the armature's;
    `label` is the link that tells the ways apart best; `lines` are pairs of links; `chosen` is the
    way that the robot has taken, -1 for none. Batches of bodies are made when they are drawn."""

    uid: int
    link: str
    ways: tuple[Solved, ...]
    frames: tuple[Mapping[str, Any], ...]
    bodies: tuple[Body, ...]
    lines: tuple[tuple[str, str], ...]
    label: str
    chosen: int = -1
    batches: list[Any] = field(default_factory=list)


_ghosts: Ghosts | None = None
_drawers: list[Any] = []


def show_ghosts(robot: Any, link: str, ways: Sequence[Solved]) -> None:
    """Shows ways of a robot from now on, in the place of those that were shown."""
    global _ghosts
    rig, shown = recall_rig(robot), get_joint_positions(robot)
    frames = tuple(forward_kinematics(rig.robot, shown | way) for way in ways)
    moved = _moved_links(frames)
    _ghosts = Ghosts(
        uid=robot.session_uid, link=link, ways=tuple(ways), frames=frames,
        bodies=tuple(_bodies_of(robot, moved)), label=_find_label(frames, moved),
        lines=tuple((each.parent, each.child) for each in rig.robot.joints if each.child in moved),
    )  # fmt: skip
    first = ways[0]
    if np.allclose([first[name] for name in first], [shown[name] for name in first], atol=1e-3):
        _ghosts.chosen = 0
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


def _moved_links(frames: Sequence[Mapping[str, Any]]) -> set[str]:
    """The links that do not stand in the same frame in all ways, or all of them where there is only
    one way."""
    first = frames[0]
    moved = {
        link for link in first for other in frames[1:]
        if np.abs(other[link] - first[link]).max() > 1e-4
    }  # fmt: skip
    return moved if len(frames) > 1 else set(first)


def _find_label(frames: Sequence[Mapping[str, Any]], moved: set[str]) -> str:
    def spread(link: str) -> float:
        places = np.array([each[link][:3, 3] for each in frames])
        return float(np.ptp(places, axis=0).max())

    return max(sorted(moved), key=spread, default="")


def _bodies_of(robot: Any, links: set[str]) -> list[Body]:
    found = []
    for empty in links_of(robot):
        name = name_link(empty) or ""
        if name not in links:
            continue
        back = empty.matrix_world.inverted_safe()
        for item in empty.children_recursive:
            if item.type == "MESH" and item.get(properties.PART) == properties.VISUALS:
                found.append(_read_body(name, back @ item.matrix_world, item))
    return found


def _read_body(link: str, place: Any, item: Any) -> Body:
    mesh = item.data
    mesh.calc_loop_triangles()
    if len(mesh.loop_triangles) > _MOST_TRIANGLES:
        points = np.array(item.bound_box, np.float32)
        triangles = np.array(_BOX, np.int32)
    else:
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        triangles = np.empty(3 * len(mesh.loop_triangles), np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
    return Body(
        link=link, place=np.array(place), points=points.reshape(-1, 3),
        triangles=triangles.reshape(-1, 3),
    )  # fmt: skip


_BOX = (
    (0, 1, 2), (0, 2, 3), (4, 6, 5), (4, 7, 6), (0, 4, 5), (0, 5, 1),
    (1, 5, 6), (1, 6, 2), (2, 6, 7), (2, 7, 3), (3, 7, 4), (3, 4, 0),
)  # fmt: skip


def _draw_bodies() -> None:
    home = _home()
    if home is None or _ghosts is None:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    if not _ghosts.batches:
        _ghosts.batches = [
            batch_for_shader(shader, "TRIS", {"pos": body.points}, indices=body.triangles)
            for body in _ghosts.bodies
        ]
    world = np.array(home.matrix_world)
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(False)
    gpu.state.face_culling_set("BACK")
    for number, frames in enumerate(_ghosts.frames):
        if number == _ghosts.chosen:
            continue
        shader.bind()
        shader.uniform_float("color", (*COLORS[number % len(COLORS)], _OPACITY))
        for body, batch in zip(_ghosts.bodies, _ghosts.batches, strict=True):
            with gpu.matrix.push_pop():
                place = world @ frames[body.link] @ body.place
                gpu.matrix.multiply_matrix(Matrix(place.tolist()))
                batch.draw(shader)
        if not _ghosts.bodies:
            _draw_lines(world, frames, COLORS[number % len(COLORS)])
    gpu.state.face_culling_set("NONE")
    gpu.state.depth_mask_set(True)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def _draw_lines(world: Any, frames: Mapping[str, Any], color: tuple[float, float, float]) -> None:
    """The bones of a ghost: all there is of robots without shapes."""
    assert _ghosts is not None
    points = [
        tuple((world @ frames[link])[:3, 3]) for pair in _ghosts.lines for link in pair
    ]  # fmt: skip
    if not points:
        return
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    batch = batch_for_shader(shader, "LINES", {"pos": points})
    shader.bind()
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", 2.0 * bpy.context.preferences.system.pixel_size)
    shader.uniform_float("color", (*color, 0.9))
    batch.draw(shader)


def _draw_numbers() -> None:
    """Writes the numbers of the panel's buttons where the ways are furthest apart."""
    home, region, view = _home(), bpy.context.region, bpy.context.region_data
    if home is None or _ghosts is None or not _ghosts.label:
        return
    scale = bpy.context.preferences.system.ui_scale
    blf.size(0, _TEXT * scale)
    for number, frames in enumerate(_ghosts.frames):
        place = home.matrix_world @ Vector(frames[_ghosts.label][:3, 3])
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
