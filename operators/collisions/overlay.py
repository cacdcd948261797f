# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of collisions over the robot in the view: links that touch in red, and its shapes.

Both are only drawn. They are not objects, so none is saved, selected or left behind. Their content
is in the memory of rigs (core/blender/memory.py), which forgets it in time; the session keeps the
switches alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import bpy
import gpu
from mathutils import Matrix

from ...urdf_importer.core.blender.link_bodies import bodies_of
from ...urdf_importer.core.blender.memory import forget, recall
from ...urdf_importer.core.blender.standing import properties
from ...urdf_importer.core.blender.standing.links import links_of, name_link
from ..active_robot import active_robot, redraw_views
from ..gizmos.strokes import make_batch, paint, painting
from ..registration import Drawers, add_property
from ..session import session_state
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
    """The switches, and the function that draws."""

    on: set[str] = field(default_factory=set)
    drawers: Drawers = field(default_factory=Drawers)


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
    return switch in session_state(_Shown).on


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
    visuals = _recall_batches(robot, properties.VISUALS)
    bodies = [each for each in visuals if each.link in touching and _is_seen(each.item, view)]
    with _nearer(bpy.context.region_data), painting("LESS_EQUAL") as shader:
        for each in bodies:
            paint(shader, each.batch, each.empty.matrix_world @ each.place, _RED)


def _draw_shapes(robot: Any, view: Any) -> None:
    visuals = _recall_batches(robot, properties.VISUALS)
    if not (_is_seen(robot, view) or any(_is_seen(each.item, view) for each in visuals)):
        return
    shapes = _recall_batches(robot, properties.COLLISIONS)
    with painting("NONE") as shader:
        for number, each in enumerate(shapes):
            color = (*_COLORS[number % len(_COLORS)], _OPACITY)
            paint(shader, each.batch, each.empty.matrix_world @ each.place, color)


def _is_seen(item: Any, view: Any) -> bool:
    return bool(item.visible_get(viewport=view))


def _recall_batches(robot: Any, part: str) -> list[_Drawn]:
    return recall(robot, f"drawn {part}", lambda each: list(_make_batches(each, part)), shaped=True)


def _make_batches(robot: Any, part: str) -> Iterator[_Drawn]:
    empties = {name_link(empty) or "": empty for empty in links_of(robot)}
    for body in bodies_of(robot, empties, part=part):
        batch = make_batch(body)
        empty = empties[body.link]
        yield _Drawn(item=body.item, link=body.link, empty=empty, place=body.place, batch=batch)


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


def _make_switch(name: str, label: str, text: str) -> Any:
    def get(manager: Any) -> bool:
        return is_shown(name)

    def change(manager: Any, on: bool) -> None:
        shown = session_state(_Shown)
        (shown.on.add if on else shown.on.discard)(name)
        if shown.on:
            shown.drawers.start(POST_VIEW=_draw)
        else:
            shown.drawers.stop()
        redraw_views()

    return bpy.props.BoolProperty(name=label, description=text, get=get, set=change, options=set())


def register() -> None:
    """Adds the switches, which are not kept in files."""
    add_property(
        bpy.types.WindowManager, "urdf_show_touching", _make_switch(
            "touching", "Touching Links",
            "Show links of the active robot that touch each other in red, in each pose",
        ),
    )  # fmt: skip
    add_property(
        bpy.types.WindowManager, "urdf_show_shapes", _make_switch(
            "shapes", "Show Shapes",
            "Show the collision shapes of the active robot through it, each in another colour",
        ),
    )  # fmt: skip
