# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of collisions over the robot in the view: links that touch in red, and its shapes.

Both are only drawn. They are no objects, so none is saved, selected or left behind. Their content
is in the memory of rigs (urdf_importer/blender/memory.py), which forgets it in time; the session
keeps the switches alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import bpy
import gpu
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix

from ...urdf_importer.blender.link_bodies import bodies_of
from ...urdf_importer.blender.memory import forget, recall
from ...urdf_importer.blender.standing import properties
from ...urdf_importer.blender.standing.links import links_of, name_link
from ..active_robot import active_robot, redraw_views
from ..session import recall_state
from .touching import look_soon, recall_touching

Color = tuple[float, float, float, float]

_RED = (1.0, 0.06, 0.04, 0.6)
_OPACITY = 0.45
_NEARER = 5e-4
"""Share of the distance by which red is nearer than the surface that it covers."""
_COLORS = (
    (0.20, 0.65, 1.00), (1.00, 0.60, 0.10), (0.35, 0.85, 0.35), (0.95, 0.35, 0.75),
    (0.90, 0.85, 0.20), (0.55, 0.45, 1.00), (0.20, 0.85, 0.80), (0.75, 0.55, 0.40),
)  # fmt: skip


@dataclass(slots=True)
class _Shown:
    """The switches, and Blender's handles of the function that draws."""

    on: set[str] = field(default_factory=set)
    drawers: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """A shape, `item` in the scene, ready to be drawn: `place` in the frame of its link's empty."""

    item: Any
    link: str
    empty: Any
    place: Any
    batch: Any


def is_shown(switch: str) -> bool:
    """Whether a switch is on: "touching" or "shapes"."""
    return switch in recall_state(_Shown).on


def _draw() -> None:
    robot, view = active_robot(bpy.context), bpy.context.space_data
    if robot is None or not view.overlay.show_overlays:
        return
    try:
        if is_shown("touching"):
            _draw_touching(robot, view)
        if is_shown("shapes"):
            _draw_shapes(robot, view)
    except ReferenceError:
        forget()  # A part of the robot went, and the memory has not heard of it yet.
        look_soon(robot)


def _draw_touching(robot: Any, view: Any) -> None:
    touching = {name for pair in recall_touching(robot).pairs for name in pair}
    if not touching:
        return
    visuals = recall(robot, "drawn visuals", _read_visuals, shaped=True)
    bodies = [each for each in visuals if each.link in touching and _is_seen(each.item, view)]
    with _nearer(bpy.context.region_data), _paints("LESS_EQUAL") as shader:
        for each in bodies:
            _paint(shader, each, _RED)


def _draw_shapes(robot: Any, view: Any) -> None:
    visuals = recall(robot, "drawn visuals", _read_visuals, shaped=True)
    if not (_is_seen(robot, view) or any(_is_seen(each.item, view) for each in visuals)):
        return
    shapes = recall(robot, "drawn collisions", _read_collisions, shaped=True)
    with _paints("NONE") as shader:
        for number, each in enumerate(shapes):
            _paint(shader, each, (*_COLORS[number % len(_COLORS)], _OPACITY))


def _is_seen(item: Any, view: Any) -> bool:
    return bool(item.visible_get(viewport=view))


def _read_visuals(robot: Any) -> list[_Drawn]:
    return list(_make_batches(robot, properties.VISUALS))


def _read_collisions(robot: Any) -> list[_Drawn]:
    return list(_make_batches(robot, properties.COLLISIONS))


def _make_batches(robot: Any, part: str) -> Iterator[_Drawn]:
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    empties = {name_link(empty) or "": empty for empty in links_of(robot)}
    for body in bodies_of(robot, empties, part=part):
        content = {"pos": body.points}
        batch = batch_for_shader(shader, "TRIS", content, indices=body.triangles)
        empty = empties[body.link]
        yield _Drawn(item=body.item, link=body.link, empty=empty, place=body.place, batch=batch)


def _paint(shader: Any, each: _Drawn, color: Color) -> None:
    shader.uniform_float("color", color)
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(each.empty.matrix_world @ each.place)
        each.batch.draw(shader)


@contextmanager
def _paints(depth: str) -> Iterator[Any]:
    """Lets shapes be painted over the view, each side that is seen once."""
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set(depth)
    gpu.state.depth_mask_set(False)
    gpu.state.face_culling_set("BACK")
    shader.bind()
    yield shader
    gpu.state.face_culling_set("NONE")
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


@contextmanager
def _nearer(view: Any) -> Iterator[None]:
    """Brings drawings a little nearer, where they stay at their place of the picture."""
    near = Matrix.Translation((0.0, 0.0, _NEARER * view.view_distance))
    if view.is_perspective:
        near = Matrix.Scale(1.0 - _NEARER, 4)
    with gpu.matrix.push_pop():
        shown = near @ gpu.matrix.get_model_view_matrix()
        gpu.matrix.load_matrix(shown)
        yield


def _add_switch(name: str, label: str, text: str) -> Any:
    def get(manager: Any) -> bool:
        return is_shown(name)

    def change(manager: Any, on: bool) -> None:
        shown = recall_state(_Shown)
        (shown.on.add if on else shown.on.discard)(name)
        if shown.on and not shown.drawers and not bpy.app.background:
            add = bpy.types.SpaceView3D.draw_handler_add
            shown.drawers.append(add(_draw, (), "WINDOW", "POST_VIEW"))
        if not shown.on:
            _stop()
        redraw_views()

    return bpy.props.BoolProperty(name=label, description=text, get=get, set=change, options=set())


def _stop() -> None:
    drawers = recall_state(_Shown).drawers
    while drawers:
        bpy.types.SpaceView3D.draw_handler_remove(drawers.pop(), "WINDOW")


def register_switches() -> None:
    """Adds the switches, which are not kept in files."""
    bpy.types.WindowManager.urdf_show_touching = _add_switch(
        "touching",
        "Touching Links",
        "Show links of the active robot that touch each other in red, in each pose",
    )
    bpy.types.WindowManager.urdf_show_shapes = _add_switch(
        "shapes",
        "Show Shapes",
        "Show the collision shapes of the active robot through it, each in another colour",
    )


def unregister_switches() -> None:
    """Takes them out again."""
    _stop()
    del bpy.types.WindowManager.urdf_show_shapes, bpy.types.WindowManager.urdf_show_touching
