# SPDX-License-Identifier: GPL-3.0-or-later
"""The handle at a tip, as lines of the world: three arrows, three arcs and a ball; which of them
the mouse is on; and its drawing, small or large."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import gpu
from bpy_extras import view3d_utils
from mathutils import Vector

from ...urdf_importer.features.ik.blender.tip_hand import Kind
from ...urdf_importer.features.ik.blender.tip_handles import (
    TipFrame,
    TipHandle,
    handles_in,
    read_frame,
)
from ..gizmos.bodies import measure_pixel
from ..gizmos.strokes import BEYOND, HELD, WHITE, Color, draw_lines, fill, turn

Part = tuple[Kind, int]
"""Its action, and the axis along or about which it acts."""
FREE: Part = ("free", 0)

_HOT = 7
"""Pixels, as all sizes here; they grow with the interface."""
_BALL = 5
_ARROW = (14, 74)
_HEAD = (16, 5)
_ARC = 50
_STUB = 15
_STEPS = 24
_ALONG = 0.97
"""Cosine from which on an arrow is seen from its end, and not drawn."""

_AXES: tuple[Color, ...] = (
    (1.0, 0.29, 0.33, 1.0), (0.55, 0.86, 0.15, 1.0), (0.25, 0.6, 1.0, 1.0),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Look:
    """The view of a tip: `frame` with the axes that are dragged along, `pixel` the length of a
    pixel there, `toward` the unit vector to the eye. `hold` is the reason why it cannot be
    dragged."""

    handle: TipHandle
    frame: TipFrame
    pixel: float
    toward: Any
    hold: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grip:
    """A part of a handle under the mouse, and the `point` of the world there."""

    look: Look
    part: Part
    point: Any


def look_at(context: Any, handle: TipHandle, *, hold: str = "") -> Look:
    """Reads the present view of a handle. Its axes are the world's, or the link's, by the scene's
    orientation of transforms."""
    frame = read_frame(handle)
    if context.scene.transform_orientation_slots[0].type == "GLOBAL":
        x, y, z = (Vector(row) for row in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
        frame = TipFrame(origin=frame.origin, axes=(x, y, z))
    pixel = measure_pixel(context.region, context.region_data, frame.origin)
    return Look(
        handle=handle,
        frame=frame,
        pixel=pixel * context.preferences.system.ui_scale,
        toward=_toward_eye(context.region_data, frame.origin),
        hold=hold,
    )


def visible_handles(context: Any) -> Iterator[TipHandle]:
    """Yields the tips of the robots that a view shows."""
    for handle in handles_in(context.scene):
        if handle.armature.visible_get(viewport=context.space_data):
            yield handle


def is_active(context: Any, handle: TipHandle) -> bool:
    """Whether a tip's robot is the active object, or holds it."""
    item = context.view_layer.objects.active
    while item is not None and item != handle.armature:
        item = item.parent
    return item is not None


def find_grip(context: Any, look: Look, mouse: tuple[float, float]) -> Grip | None:
    """Finds the part of a large handle that the mouse is on: the ball before all others."""
    region, view = context.region, context.region_data
    hot = _HOT * context.preferences.system.ui_scale
    best: Grip | None = None
    for part, line in outline(look):
        for point, away in _approach(region, view, line, Vector(mouse)):
            if away <= hot:
                hot, best = away, Grip(look=look, part=part, point=point)
        if best is not None and best.part == FREE:
            break
    return best


def draw_small(context: Any, looks: Iterable[tuple[Look, float]]) -> None:
    """Draws handles that the mouse is away from, each with how well it is seen, from 0 to 1."""
    _begin()
    for look, strength in looks:
        for axis, color in zip(look.frame.axes, _AXES, strict=True):
            end = look.frame.origin + _STUB * look.pixel * axis
            draw_lines([[look.frame.origin, end]], _faded(color, strength), 2.0)
        _draw_ball(context, look, _faded(WHITE, strength))
    _end()


def draw_large(context: Any, look: Look, lit: Part | None, *, alone: bool = False) -> None:
    """Draws the handle near the mouse with one part highlighted, or that part alone."""
    _begin()
    for part, line in outline(look):
        if (alone and part != lit) or part == FREE:
            continue
        kind, axis = part
        color = WHITE if part == lit else (HELD if look.hold else _AXES[axis])
        draw_lines([line], _faded(color, 1.0 if part == lit else 0.85), 3.5 if part == lit else 2.5)
        if kind == "slide":
            _draw_head(look, axis, color)
    _draw_ball(context, look, HELD if look.hold else (WHITE if lit == FREE else (1, 1, 1, 0.7)))
    _end()


def draw_miss(look: Look, goal: Any) -> None:
    """Draws how far a tip is from where the mouse wants it."""
    _begin()
    draw_lines([[look.frame.origin, goal]], BEYOND, 2.0)
    _end()


def outline(look: Look) -> Iterator[tuple[Part, list[Any]]]:
    """Yields the parts of a handle with their lines, rows of points of the world."""
    origin, pixel = look.frame.origin, look.pixel
    yield FREE, [origin, origin]
    for index, axis in enumerate(look.frame.axes):
        if abs(axis.dot(look.toward)) < _ALONG:
            yield ("slide", index), [origin + size * pixel * axis for size in _ARROW]
    for index, axis in enumerate(look.frame.axes):
        yield ("turn", index), _arc(look, axis)


def _arc(look: Look, axis: Any) -> list[Any]:
    """The half of a circle that is nearer to the eye; all of it where it is seen from a side."""
    radius = _ARC * look.pixel
    ahead = look.toward - axis.dot(look.toward) * axis
    whole = ahead.length < 0.15
    ahead = axis.orthogonal() if ahead.length < 1e-6 else ahead
    ahead = ahead.normalized()
    aside = axis.cross(ahead)
    most = math.pi if whole else 0.5 * math.pi
    angles = [most * (2.0 * step / _STEPS - 1.0) for step in range(_STEPS + 1)]
    return turn(look.frame.origin, radius * ahead, radius * aside, angles)


def _approach(
    region: Any, view: Any, line: Sequence[Any], mouse: Any
) -> Iterator[tuple[Any, float]]:
    """Yields for each stretch of a line its point nearest to the mouse in the view, and its
    distance in pixels."""
    seen = [view3d_utils.location_3d_to_region_2d(region, view, point) for point in line]
    for at in range(len(line) - 1):
        start, end = seen[at], seen[at + 1]
        if start is None or end is None:
            continue
        way = end - start
        share = (mouse - start).dot(way) / way.length_squared if way.length_squared else 0.0
        share = min(max(share, 0.0), 1.0)
        yield line[at].lerp(line[at + 1], share), (start + share * way - mouse).length


def _toward_eye(view: Any, place: Any) -> Any:
    back = view.view_matrix.inverted_safe()
    if view.is_perspective:
        return (back.translation - place).normalized()
    return back.col[2].to_3d().normalized()


def _draw_head(look: Look, axis: int, color: Color) -> None:
    along = look.frame.axes[axis]
    aside = along.cross(look.toward).normalized() * look.pixel * _HEAD[1]
    foot = look.frame.origin + _ARROW[1] * look.pixel * along
    fill([foot + aside, foot - aside, foot + _HEAD[0] * look.pixel * along], color)


def _draw_ball(context: Any, look: Look, color: Color) -> None:
    view = context.region_data.view_matrix.inverted_safe()
    right, up = (view.col[axis].to_3d().normalized() * _BALL * look.pixel for axis in (0, 1))
    angles = [math.tau * step / 16 for step in range(16)]
    rim = turn(look.frame.origin, right, up, angles)
    fill(rim, color)
    draw_lines([[*rim, rim[0]]], (0.06, 0.06, 0.07, color[3]), 1.5)


def _faded(color: Color, strength: float) -> Color:
    return (color[0], color[1], color[2], color[3] * strength)


def _begin() -> None:
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")


def _end() -> None:
    gpu.state.blend_set("NONE")
