# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a joint over the view: its axis, the range of its limits with a needle, its name and
value."""

import math
from dataclasses import dataclass, replace
from typing import Any

import bpy
import gpu

from ...urdf_importer.core.blender.standing.handles import JointFrame, JointHandle
from ...urdf_importer.core.blender.standing.joints import JointChannel
from .strokes import (
    BEYOND,
    HELD,
    WARNING,
    WHITE,
    Color,
    describe_angle,
    describe_length,
    draw_lines,
    fill,
    shade,
    turn,
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

_TURN = (0.62, 1.0, 0.25, 1.0)
_SLIDE = (0.2, 0.72, 1.0, 1.0)
_FOLLOWER = (0.72, 0.56, 0.95, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The drawing of a joint. `hold` is the reason why it cannot be dragged, empty where it can;
    `mouse` is a place in the region; `start` are the joint's numbers when a drag began. `turning`
    is whether a joint that moves freely would be turned, or moved."""

    handle: JointHandle
    frame: JointFrame
    hold: str
    mouse: tuple[float, float]
    turning: bool
    start: tuple[float, ...] | None = None


def draw_joint(picture: Picture, pixel: float, view: Any) -> None:
    """Draws the lines and planes, in the world of a 3D view, before the shaded rings of bones;
    `pixel` is the length of a pixel at the joint."""
    radius = _RADIUS * pixel * bpy.context.preferences.system.ui_scale
    color = _choose_color(picture)
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    shade(picture.frame.origin, _SHADED * radius, view)
    if picture.handle.mover.kind == "revolute":
        _draw_turn(picture, radius, color)
    elif picture.handle.mover.kind == "prismatic":
        _draw_slide(picture, radius, color)
    else:
        _draw_free(picture, radius, color)
    gpu.state.blend_set("NONE")


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


def _draw_turn(picture: Picture, radius: float, color: Color) -> None:
    frame, mover = picture.frame, picture.handle.mover
    position = mover.channels[0].get(picture.handle.carrier.pose.bones[mover.bone])
    if mover.name == picture.handle.joint.name:
        position = picture.handle.shown()
    lower, upper = mover.limits
    start, end = (lower or 0.0), (upper or 0.0)
    whole = lower is None or upper is None or end - start >= math.tau
    if whole:
        start, end = 0.0, math.tau
    arc = _arc(frame, radius, start, end)
    fill([frame.origin, *arc], (*color[:3], 0.14))
    draw_lines([arc], color, 2.5)
    marks = [] if whole else [arc[0], arc[-1]]
    draw_lines([[frame.origin, mark] for mark in marks], (*color[:3], 0.6), 1.5)
    draw_lines([_axis(frame, radius)], (*color[:3], 0.9), 1.5)
    if picture.start is not None and mover.name == picture.handle.joint.name:
        swept = _arc(frame, 0.8 * radius, picture.start[0], position)
        fill([frame.origin, *swept], (1.0, 1.0, 1.0, 0.22))
    needle = _arc(frame, 1.08 * radius, position, position)[0]
    draw_lines([[frame.origin, needle]], _needle_color(picture), 3.0)


def _draw_slide(picture: Picture, radius: float, color: Color) -> None:
    frame, mover = picture.frame, picture.handle.mover
    bone = picture.handle.carrier.pose.bones[mover.bone]
    position = mover.channels[0].get(bone)
    if mover.name == picture.handle.joint.name:
        position = picture.handle.shown()
    lower, upper = mover.limits
    free = _FREE_SLIDE * radius
    back = free if lower is None else (position - lower) * frame.scale
    ahead = free if upper is None else (upper - position) * frame.scale
    ends = [frame.origin - back * frame.axis, frame.origin + ahead * frame.axis]
    side = 0.16 * radius * frame.zero
    draw_lines([_axis(frame, radius)], (*color[:3], 0.35), 1.0)
    draw_lines([ends], color, 3.0)
    draw_lines([[end - side, end + side] for end in ends], color, 2.5)
    aside = 0.16 * radius * frame.axis.cross(frame.zero)
    diamond = [frame.origin + part for part in (1.6 * side, 1.6 * aside, -1.6 * side, -1.6 * aside)]
    draw_lines([[*diamond, diamond[0]]], _needle_color(picture), 2.5)


def _draw_free(picture: Picture, radius: float, color: Color) -> None:
    """Movable directions as crossed arrows, turns as rings."""
    frame = picture.frame
    ways = [frame.axis, frame.zero, frame.axis.cross(frame.zero)]
    flat = picture.handle.joint.kind == "planar"
    if picture.turning:
        for number, way in enumerate(ways[2:] if flat else ways):
            ring = replace(frame, axis=way, zero=ways[number - 2])
            draw_lines([_arc(ring, radius, 0.0, math.tau)], color, 2.5)
        return
    ways = ways[:2] if flat else ways
    if flat:
        sides = ((1, 1), (-1, 1), (-1, -1), (1, -1))
        corners = [radius * (x * ways[0] + y * ways[1]) + frame.origin for x, y in sides]
        fill(corners, (*color[:3], 0.14))
        draw_lines([[*corners, corners[0]]], (*color[:3], 0.6), 1.5)
    for number, way in enumerate(ways):
        draw_lines(_arrows(frame.origin, _AXIS * radius * way, ways[number - 1]), color, 2.5)


def _arrows(origin: Any, reach: Any, beside: Any) -> list[list[Any]]:
    """Returns a line with an arrow at both ends."""
    side = 0.12 * reach.length * beside
    lines = [[origin - reach, origin + reach]]
    for end in (reach, -reach):
        back = origin + 0.85 * end
        lines.append([back - side, origin + end, back + side])
    return lines


def _axis(frame: JointFrame, radius: float) -> list[Any]:
    reach = _AXIS * radius * frame.axis
    return [frame.origin - reach, frame.origin + reach]


def _arc(frame: JointFrame, radius: float, start: float, end: float) -> list[Any]:
    side = frame.axis.cross(frame.zero)
    count = max(1, round(abs(end - start) / math.tau * _STEPS_OF_TURN))
    angles = [start + (end - start) * step / count for step in range(count + 1)]
    return turn(frame.origin, radius * frame.zero, radius * side, angles)
