# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a joint over the view: its axis, the range of its limits with a needle, its name and
value."""

import math
from dataclasses import dataclass, replace
from typing import Any

from mathutils import Matrix

from ...urdf_importer.core.blender.standing.handles import JointFrame, JointHandle, read_frame
from ...urdf_importer.core.blender.standing.joints import JointChannel
from .bodies import Eye
from .strokes import (
    BEYOND,
    HELD,
    WARNING,
    WHITE,
    Color,
    Pen,
    describe_angle,
    describe_length,
    drawing,
    make_lines,
    make_place,
    make_plane,
    recall_shape,
    shade,
    turn_unit,
    write_lines,
)

_RADIUS = 62
"""Pixels, as the sizes of all that follows; they grow with the resolution of the interface."""
_AXIS = 1.35
"""Half the length of the axis, in radii."""
_NEAR_LIMIT = 0.05
"""Share of the range within which the needle warns."""
_SHADED = 1.9
"""Radius of the shade behind it, in radii."""
_STEPS_OF_TURN = 96
_FREE_SLIDE = 1.2
"""In radii: the drawn length of a line that has no end."""
_CENTER = (0.0, 0.0, 0.0)
_SQUARE = tuple((x, y, 0.0) for x, y in ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)))

_TURN = (0.62, 1.0, 0.25, 1.0)
_SLIDE = (0.2, 0.72, 1.0, 1.0)
_FOLLOWER = (0.72, 0.56, 0.95, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The drawing of a joint. `hold` is the reason why it cannot be dragged, empty where it can;
    `mouse` is a place in the region; `start` are the joint's numbers when a drag began. `turning`
    is whether a joint that moves freely would be turned, or moved."""

    handle: JointHandle
    hold: str
    mouse: tuple[float, float]
    turning: bool
    start: tuple[float, ...] | None = None


def draw_joint(picture: Picture, eye: Eye) -> None:
    """Draws the lines and planes, in the world that an eye sees, before the shaded rings of
    bones."""
    frame = read_frame(picture.handle.carrier, picture.handle.mover)
    origin, radius = frame.origin, _RADIUS * eye.measure_pixel(frame.origin) * eye.scale
    size = _SHADED * radius
    with drawing() as pen:
        shade(pen, make_place(origin, size * eye.right, size * eye.up, size * eye.back))
        if picture.handle.mover.kind == "revolute":
            _draw_turn(pen, picture, frame, radius)
        elif picture.handle.mover.kind == "prismatic":
            _draw_slide(pen, picture, frame, radius)
        else:
            _draw_free(pen, picture, frame, radius)


def draw_text(picture: Picture, context: Any) -> None:
    """Writes name and value beside the mouse, in the 3D view of a context."""
    write_lines(_describe(picture), picture.mouse, context)


def describe_position(handle: JointHandle, channel: JointChannel, position: float) -> str:
    """Writes a number of a joint in the units of the scene."""
    if channel.turns:
        return describe_angle(position)
    return describe_length(position, handle.armature.matrix_world.median_scale)


def _describe(picture: Picture) -> list[tuple[str, Color]]:
    handle = picture.handle
    title = handle.joint.name
    if handle.mover.name != title:
        title = f"{handle.mover.name} follows {title}"
    lines = [(title, WHITE)]
    if handle.is_free:
        lines += [(text, WHITE) for text in _describe_free(handle)]
    else:
        lines.append((_describe_value(picture), _needle_color(picture)))
    if picture.hold:
        lines.append((picture.hold, WARNING))
    return lines


def _describe_value(picture: Picture) -> str:
    handle = picture.handle
    channel, position = handle.channel, handle.shown()
    value = describe_position(handle, channel, position)
    if picture.start is not None:
        way = position - picture.start[0]
        value += f"   ({'+' if way >= 0 else ''}{describe_position(handle, channel, way)})"
    if handle.mover.name != handle.joint.name:
        value = f"{handle.joint.name} {value}"
    share = _nearness(handle, position)
    return value + ("   limit" if share is not None and share <= 1e-4 else "")


def _describe_free(handle: JointHandle) -> list[str]:
    """Places on one line, angles on another."""
    texts = {False: "", True: ""}
    for channel in handle.joint.channels:
        value = describe_position(handle, channel, handle.shown(channel))
        texts[channel.turns] += f"{channel.label} {value}   "
    return [text.rstrip() for text in texts.values() if text]


def _choose_color(picture: Picture) -> Color:
    if picture.hold:
        return HELD
    if picture.handle.mover.name != picture.handle.joint.name:
        return _FOLLOWER
    turns = picture.turning if picture.handle.is_free else picture.handle.channel.turns
    return _TURN if turns else _SLIDE


def _nearness(handle: JointHandle, position: float) -> float | None:
    """Returns how near a position is to a limit, as a share of the range; negative beyond it, None
    where there is no range."""
    lower, upper = handle.joint.limits
    if lower is None or upper is None or upper <= lower:
        return None
    return min(position - lower, upper - position) / (upper - lower)


def _needle_color(picture: Picture) -> Color:
    handle = picture.handle
    share = _nearness(handle, handle.shown())
    if share is None or share > _NEAR_LIMIT:
        return WHITE
    return WARNING if share > 1e-4 else BEYOND


def _draw_turn(pen: Pen, picture: Picture, frame: JointFrame, radius: float) -> None:
    mover, color = picture.handle.mover, _choose_color(picture)
    place, position = _place(frame, radius), _read_position(picture)
    lower, upper = mover.limits
    start, end = (lower or 0.0), (upper or 0.0)
    whole = lower is None or upper is None or end - start >= math.tau
    if whole:
        start, end = 0.0, math.tau
    pen.fill(recall_shape(_make_fan, start, end), (*color[:3], 0.14), [place])
    pen.stroke(recall_shape(_make_arc, start, end), color, 2.5, [place])
    if not whole:
        pen.stroke(recall_shape(_make_spokes, start, end), (*color[:3], 0.6), 1.5, [place])
    pen.stroke(recall_shape(_make_axis), (*color[:3], 0.9), 1.5, [place])
    if picture.start is not None and mover.name == picture.handle.joint.name:
        swept = _make_fan(picture.start[0], position)
        pen.fill(swept, (1.0, 1.0, 1.0, 0.22), [place @ Matrix.Scale(0.8, 4)])
    needle = place @ Matrix.Rotation(position, 4, "Z") @ Matrix.Scale(1.08, 4)
    pen.stroke(recall_shape(_make_spokes, 0.0), _needle_color(picture), 3.0, [needle])


def _draw_slide(pen: Pen, picture: Picture, frame: JointFrame, radius: float) -> None:
    color = _choose_color(picture)
    place, position = _place(frame, radius), _read_position(picture)
    lower, upper = picture.handle.mover.limits
    free = _FREE_SLIDE * radius
    back = free if lower is None else (position - lower) * frame.scale
    ahead = free if upper is None else (upper - position) * frame.scale
    ends = [frame.origin - back * frame.axis, frame.origin + ahead * frame.axis]
    side = 0.16 * radius * frame.zero
    pen.stroke(recall_shape(_make_axis), (*color[:3], 0.35), 1.0, [place])
    pen.stroke(make_lines([ends]), color, 3.0)
    pen.stroke(make_lines([[end - side, end + side] for end in ends]), color, 2.5)
    diamond = place @ Matrix.Scale(1.6 * 0.16, 4)
    pen.stroke(recall_shape(_make_diamond), _needle_color(picture), 2.5, [diamond])


def _draw_free(pen: Pen, picture: Picture, frame: JointFrame, radius: float) -> None:
    """Movable directions as crossed arrows, turns as rings."""
    color = _choose_color(picture)
    ways = [frame.axis, frame.zero, frame.axis.cross(frame.zero)]
    flat = picture.handle.joint.kind == "planar"
    if picture.turning:
        for number, way in enumerate(ways[2:] if flat else ways):
            ring = _place(replace(frame, axis=way, zero=ways[number - 2]), radius)
            pen.stroke(recall_shape(_make_arc, 0.0, math.tau), color, 2.5, [ring])
        return
    ways = ways[:2] if flat else ways
    if flat:
        square = make_place(frame.origin, radius * ways[0], radius * ways[1], radius * frame.axis)
        pen.fill(recall_shape(_make_square), (*color[:3], 0.14), [square])
        pen.stroke(recall_shape(_make_border), (*color[:3], 0.6), 1.5, [square])
    for number, way in enumerate(ways):
        reach, beside = _AXIS * radius * way, _AXIS * radius * ways[number - 1]
        place = make_place(frame.origin, reach, beside, reach)
        pen.stroke(recall_shape(_make_arrows), color, 2.5, [place])


def _read_position(picture: Picture) -> float:
    """Reads where the joint that moves the body is shown."""
    handle = picture.handle
    if handle.mover.name == handle.joint.name:
        return handle.shown()
    return handle.mover.channels[0].get(handle.carrier.pose.bones[handle.mover.bone])


def _place(frame: JointFrame, radius: float) -> Matrix:
    """Returns the place of shapes of radius 1: angles count from x, about z."""
    side = frame.axis.cross(frame.zero)
    return make_place(frame.origin, radius * frame.zero, radius * side, radius * frame.axis)


def _make_axis() -> Any:
    return make_lines([[(0.0, 0.0, -_AXIS), (0.0, 0.0, _AXIS)]])


def _make_spokes(*angles: float) -> Any:
    return make_lines([[_CENTER, point] for point in turn_unit(angles)])


def _make_arc(start: float, end: float) -> Any:
    return make_lines([_arc(start, end)])


def _make_fan(start: float, end: float) -> Any:
    return make_plane([_CENTER, *_arc(start, end)])


def _arc(start: float, end: float) -> list[tuple[float, float, float]]:
    count = max(1, round(abs(end - start) / math.tau * _STEPS_OF_TURN))
    return turn_unit(start + (end - start) * step / count for step in range(count + 1))


def _make_diamond() -> Any:
    return make_lines([turn_unit(0.5 * math.pi * step for step in range(5))])


def _make_square() -> Any:
    return make_plane(_SQUARE)


def _make_border() -> Any:
    return make_lines([[*_SQUARE, _SQUARE[0]]])


def _make_arrows() -> Any:
    """A line along x with an arrow at both ends."""
    ends = [[(0.85 * x, -0.12, 0.0), (x, 0.0, 0.0), (0.85 * x, 0.12, 0.0)] for x in (1.0, -1.0)]
    return make_lines([[(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)], *ends])
