# SPDX-License-Identifier: GPL-3.0-or-later
"""The handle at a tip, as lines of the world: three arrows, three arcs and a ball; which of them
the mouse is on; and its drawing, small or large."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bpy_extras import view3d_utils
from mathutils import Vector

from ...urdf_importer.features.ik.blender.tip_hand import Kind
from ...urdf_importer.features.ik.blender.tip_handles import (
    TipFrame,
    TipHandle,
    handles_in,
    read_frame,
)
from ..gizmos.bodies import Eye, read_eye
from ..gizmos.strokes import (
    BEYOND,
    HELD,
    WHITE,
    Color,
    Pen,
    drawing,
    list_fan,
    make_lines,
    make_place,
    make_plane,
    make_triangles,
    recall_shape,
    turn,
    turn_unit,
)

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
_CORNERS = 16
_RIM = (0.06, 0.06, 0.07)
_ALONG = 0.97
"""Cosine from which on an arrow is seen from its end, and not drawn."""

_AXES: tuple[Color, ...] = (
    (1.0, 0.29, 0.33, 1.0), (0.55, 0.86, 0.15, 1.0), (0.25, 0.6, 1.0, 1.0),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Look:
    """The view of a tip by an `eye`: `frame` with the axes that are dragged along, `pixel` the
    length of a pixel there, `toward` the unit vector to the eye. `hold` is the reason why it cannot
    be dragged."""

    handle: TipHandle
    frame: TipFrame
    eye: Eye
    pixel: float
    toward: Any
    hold: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grip:
    """A part of a handle under the mouse, and the `point` of the world there."""

    look: Look
    part: Part
    point: Any


def look_at(context: Any, handle: TipHandle, *, hold: str = "", eye: Eye | None = None) -> Look:
    """Reads the present view of a handle, by the eye of the context. Its axes are the world's, or
    the link's, by the scene's orientation of transforms."""
    eye, frame = eye or read_eye(context), read_frame(handle)
    if context.scene.transform_orientation_slots[0].type == "GLOBAL":
        x, y, z = (Vector(row) for row in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
        frame = TipFrame(origin=frame.origin, axes=(x, y, z))
    return Look(
        handle=handle,
        frame=frame,
        eye=eye,
        pixel=eye.measure_pixel(frame.origin) * eye.scale,
        toward=eye.point_from(frame.origin),
        hold=hold,
    )


def visible_handles(context: Any) -> Iterator[TipHandle]:
    """Yields the tips of the robots that a view shows."""
    for handle in handles_in(context.scene):
        if handle.armature.visible_get(viewport=context.space_data):
            yield handle


def list_active(context: Any) -> list[Any]:
    """Lists the active object and its parents, with the active robot among them."""
    found, item = [], context.view_layer.objects.active
    while item is not None:
        found.append(item)
        item = item.parent
    return found


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


def draw_small(looks: Sequence[Look], strength: float) -> None:
    """Draws handles that the mouse is away from; `strength` is how well they are seen, from 0 to
    1."""
    with drawing() as pen:
        stubs = [
            make_place(look.frame.origin, *(_STUB * look.pixel * axis for axis in look.frame.axes))
            for look in looks
        ]
        pen.stroke(recall_shape(_make_stubs, strength), None, 2.0, stubs)
        _draw_balls(pen, looks, _faded(WHITE, strength))


def draw_large(look: Look, lit: Part | None, *, alone: bool = False) -> None:
    """Draws the handle near the mouse with one part highlighted, or that part alone."""
    with drawing() as pen:
        for part, line in outline(look):
            if (alone and part != lit) or part == FREE:
                continue
            kind, axis = part
            color = WHITE if part == lit else (HELD if look.hold else _AXES[axis])
            faded, width = (color, 3.5) if part == lit else (_faded(color, 0.85), 2.5)
            pen.stroke(make_lines([line]), faded, width)
            if kind == "slide":
                _draw_head(pen, look, axis, color)
        color = HELD if look.hold else (WHITE if lit == FREE else _faded(WHITE, 0.7))
        _draw_balls(pen, [look], color)


def draw_miss(look: Look, goal: Any) -> None:
    """Draws how far a tip is from where the mouse wants it."""
    with drawing() as pen:
        pen.stroke(make_lines([[look.frame.origin, goal]]), BEYOND, 2.0)


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


def _draw_head(pen: Pen, look: Look, axis: int, color: Color) -> None:
    along = look.frame.axes[axis]
    aside = along.cross(look.toward).normalized()
    origin, pixel = look.frame.origin, look.pixel
    place = make_place(origin, pixel * aside, pixel * along, pixel * look.toward)
    pen.fill(recall_shape(_make_head), color, [place])


def _make_head() -> Any:
    foot, (high, wide) = _ARROW[1], _HEAD
    return make_plane([(wide, foot, 0.0), (-wide, foot, 0.0), (0.0, foot + high, 0.0)])


def _draw_balls(pen: Pen, looks: Sequence[Look], color: Color) -> None:
    places = []
    for look in looks:
        size, eye = _BALL * look.pixel, look.eye
        places.append(
            make_place(look.frame.origin, *(size * x for x in (eye.right, eye.up, eye.back)))
        )
    if looks:
        pixel = 1.0 / (_BALL * looks[0].eye.scale)
        pen.fill(recall_shape(_make_ball, color, 1.5 * pen.wide * pixel, pixel), None, places)


def _make_ball(color: Color, width: float, soft: float) -> Any:
    """A disc with a dark line around it, which fades over `soft` at both sides as lines do."""
    reaches = (-width - soft, soft - width, width - soft, width + soft)
    rim = turn_unit(math.tau * step / _CORNERS for step in range(_CORNERS + 1))
    points, colors, count = [*rim], [color] * len(rim), len(rim)
    triangles = list_fan(count)
    for reach, strength in zip(reaches, (0.0, color[3], color[3], 0.0), strict=True):
        points += [((1.0 + 0.5 * reach) * x, (1.0 + 0.5 * reach) * y, 0.0) for x, y, _ in rim]
        colors += [(*_RIM, strength)] * count
    for first in range(count, 4 * count):
        if first % count < _CORNERS:
            corners = (first, first + 1, first + count, first + count + 1)
            triangles += [corners[:3], corners[1:]]
    return make_triangles(points, triangles, colors)


def _make_stubs(strength: float) -> Any:
    """A line along each axis, in its colour."""
    ends = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    colors = [_faded(color, strength) for color in _AXES for _ in range(2)]
    return make_lines([[(0.0, 0.0, 0.0), end] for end in ends], colors)


def _faded(color: Color, strength: float) -> Color:
    return (color[0], color[1], color[2], color[3] * strength)
