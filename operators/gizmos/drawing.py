# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a joint over the view: its axis, the range of its limits with a needle, its name and
value."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import blf
import bpy
import gpu
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix, Vector

from ...urdf_importer.blender.standing.handles import JointFrame, JointHandle

Color = tuple[float, float, float, float]

_RADIUS = 62
"""Pixels, as the sizes of all that follows; they grow with the resolution of the interface."""
_AXIS = 1.35
"""Half the length of the axis, in radii."""
_TEXT = 13
_GAP = 16
"""Between the mouse and the text."""
_NEAR_LIMIT = 0.05
"""Share of the range within which the needle warns."""
_STEPS_OF_TURN = 96
_FREE_SLIDE = 1.2
"""In radii: what is drawn of a line that has no end."""

_WHITE = (1.0, 1.0, 1.0, 1.0)
_TURN = (1.0, 0.72, 0.13, 1.0)
_SLIDE = (0.2, 0.72, 1.0, 1.0)
_FOLLOWER = (0.72, 0.56, 0.95, 1.0)
_HELD = (0.62, 0.62, 0.62, 1.0)
_WARNING = (1.0, 0.62, 0.1, 1.0)
_BEYOND = (1.0, 0.27, 0.22, 1.0)
_BACK = (0.06, 0.06, 0.07, 0.82)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What is drawn of a joint. `hold` says why it cannot be dragged, empty where it can; `mouse`
    is a place in the region; `start` the position at which a drag began."""

    handle: JointHandle
    frame: JointFrame
    hold: str
    mouse: tuple[float, float]
    start: float | None = None


def draw_joint(picture: Picture, pixel: float) -> None:
    """Draws the lines and planes, in the world; `pixel` is the length of a pixel at the joint."""
    radius = _RADIUS * pixel * bpy.context.preferences.system.ui_scale
    color = _choose_color(picture)
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    if picture.handle.mover.kind == "revolute":
        _draw_turn(picture, radius, color)
    elif picture.handle.mover.kind == "prismatic":
        _draw_slide(picture, radius, color)
    else:
        _draw_lines([_axis(picture.frame, radius)], color, 1.5)
    gpu.state.blend_set("NONE")


def draw_text(picture: Picture, width: int, height: int) -> None:
    """Writes name and value beside the mouse, in a region of this size."""
    lines = _describe(picture)
    scale = bpy.context.preferences.system.ui_scale
    blf.size(0, _TEXT * scale)
    sizes = [blf.dimensions(0, text) for text, _ in lines]
    row, pad = 1.5 * _TEXT * scale, 0.5 * _TEXT * scale
    wide = max(size[0] for size in sizes) + 2 * pad
    high = row * len(lines) + pad
    left = min(picture.mouse[0] + _GAP * scale, width - wide)
    low = min(picture.mouse[1] + _GAP * scale, height - high)
    with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_matrix(Matrix.Identity(4))
        gpu.matrix.load_projection_matrix(_pixels(width, height))
        gpu.state.blend_set("ALPHA")
        box = [(left, low), (left + wide, low), (left + wide, low + high), (left, low + high)]
        _fill([(*corner, 0.0) for corner in box], _BACK)
        for index, (text, color) in enumerate(lines):
            place = low + high - row * (index + 1) + 0.25 * row - 0.5 * pad
            blf.position(0, left + pad, place, 0)
            blf.color(0, *color)
            blf.draw(0, text)
        gpu.state.blend_set("NONE")


def describe_position(handle: JointHandle, position: float) -> str:
    """Writes a position in the units of the scene."""
    units = bpy.context.scene.unit_settings
    if handle.channel.turns:
        if units.system_rotation == "RADIANS":
            return f"{position:.3f} rad"
        return f"{round(math.degrees(position), 1) + 0.0:.1f}\N{DEGREE SIGN}"
    if units.system == "NONE":
        return f"{position:.4f}"
    length = position * units.scale_length * handle.armature.matrix_world.median_scale
    return str(
        bpy.utils.units.to_string(
            units.system, "LENGTH", length, precision=4, compatible_unit=False
        )
    )


def _describe(picture: Picture) -> list[tuple[str, Color]]:
    handle = picture.handle
    title = handle.joint.name
    if handle.mover.name != title:
        title = f"{handle.mover.name} follows {title}"
    lines = [(title, _WHITE)]
    if len(handle.joint.channels) == 1:
        position = handle.shown()
        value = describe_position(handle, position)
        if picture.start is not None:
            way = position - picture.start
            value += f"   ({'+' if way >= 0 else ''}{describe_position(handle, way)})"
        share = _nearness(handle, position)
        if share is not None and share <= 1e-4:
            value += "   limit"
        lines.append((value, _needle_color(picture)))
    if picture.hold:
        lines.append((picture.hold, _WARNING))
    return lines


def _choose_color(picture: Picture) -> Color:
    if picture.hold:
        return _HELD
    if picture.handle.mover.name != picture.handle.joint.name:
        return _FOLLOWER
    return _TURN if picture.handle.channel.turns else _SLIDE


def _nearness(handle: JointHandle, position: float) -> float | None:
    """Returns how near a position is to a limit, as a share of the range; negative beyond it, None
    where there is no range."""
    lower, upper = handle.joint.limits
    if lower is None or upper is None or upper <= lower:
        return None
    return min(position - lower, upper - position) / (upper - lower)


def _needle_color(picture: Picture) -> Color:
    handle = picture.handle
    if len(handle.joint.channels) > 1:
        return _WHITE
    share = _nearness(handle, handle.shown())
    if share is None or share > _NEAR_LIMIT:
        return _WHITE
    return _WARNING if share > 1e-4 else _BEYOND


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
    _fill([frame.origin, *arc], (*color[:3], 0.14))
    _draw_lines([arc], color, 2.5)
    marks = [] if whole else [arc[0], arc[-1]]
    _draw_lines([[frame.origin, mark] for mark in marks], (*color[:3], 0.6), 1.5)
    _draw_lines([_axis(frame, radius)], (*color[:3], 0.9), 1.5)
    if picture.start is not None and mover.name == picture.handle.joint.name:
        swept = _arc(frame, 0.8 * radius, picture.start, position)
        _fill([frame.origin, *swept], (1.0, 1.0, 1.0, 0.22))
    needle = _arc(frame, 1.08 * radius, position, position)[0]
    _draw_lines([[frame.origin, needle]], _needle_color(picture), 3.0)


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
    _draw_lines([_axis(frame, radius)], (*color[:3], 0.35), 1.0)
    _draw_lines([ends], color, 3.0)
    _draw_lines([[end - side, end + side] for end in ends], color, 2.5)
    aside = 0.16 * radius * frame.axis.cross(frame.zero)
    diamond = [frame.origin + part for part in (1.6 * side, 1.6 * aside, -1.6 * side, -1.6 * aside)]
    _draw_lines([[*diamond, diamond[0]]], _needle_color(picture), 2.5)


def _axis(frame: JointFrame, radius: float) -> list[Any]:
    reach = _AXIS * radius * frame.axis
    return [frame.origin - reach, frame.origin + reach]


def _arc(frame: JointFrame, radius: float, start: float, end: float) -> list[Any]:
    side = frame.axis.cross(frame.zero)
    count = max(1, round(abs(end - start) / math.tau * _STEPS_OF_TURN))
    angles = [start + (end - start) * step / count for step in range(count + 1)]
    return [
        frame.origin + radius * (math.cos(angle) * frame.zero + math.sin(angle) * side)
        for angle in angles
    ]


def _draw_lines(lines: Sequence[Sequence[Any]], color: Color, width: float) -> None:
    points: list[Any] = []
    pairs: list[tuple[int, int]] = []
    for line in lines:
        pairs += [(len(points) + step, len(points) + step + 1) for step in range(len(line) - 1)]
        points += [tuple(point) for point in line]
    if not pairs:
        return
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    batch = batch_for_shader(shader, "LINES", {"pos": points}, indices=pairs)
    shader.bind()
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", width * bpy.context.preferences.system.pixel_size)
    shader.uniform_float("color", color)
    batch.draw(shader)


def _fill(corners: Sequence[Any], color: Color) -> None:
    """A polygon, as triangles that all start at its first corner."""
    points = [tuple(corner) for corner in corners]
    triangles = [(0, index, index + 1) for index in range(1, len(points) - 1)]
    if not triangles:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, "TRIS", {"pos": points}, indices=triangles)
    shader.bind()
    shader.uniform_float("color", color)
    batch.draw(shader)


def _pixels(width: int, height: int) -> Matrix:
    """Returns the projection in which a place is counted in pixels from the lower left corner."""
    scale = Matrix.Diagonal(Vector((2.0 / width, 2.0 / height, -1.0, 1.0)))
    return Matrix.Translation((-1.0, -1.0, 0.0)) @ scale
