# SPDX-License-Identifier: GPL-3.0-or-later
"""Strokes of the pen, the elements of drawn gizmos: lines, planes, and words beside the mouse."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import blf
import bpy
import gpu
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix, Vector

Color = tuple[float, float, float, float]

WHITE: Color = (1.0, 1.0, 1.0, 1.0)
WARNING: Color = (1.0, 0.62, 0.1, 1.0)
BEYOND: Color = (1.0, 0.27, 0.22, 1.0)
HELD: Color = (0.62, 0.62, 0.62, 1.0)
_BACK = (0.06, 0.06, 0.07, 0.82)
_SHADE = (0.0, 0.0, 0.0, 0.65)
_ROUND = 48

_TEXT = 13
"""Pixels; they grow with the resolution of the interface."""
_GAP = 16
"""Between the mouse and the text."""


def write_lines(
    lines: Sequence[tuple[str, Color]], mouse: tuple[float, float], context: Any
) -> None:
    """Writes lines beside the mouse, each in its colour, in the 3D view of a context: to the right
    of the mouse, or to its left where the view or its sidebar leaves too little space."""
    width, height = context.region.width, context.region.height
    scale = bpy.context.preferences.system.ui_scale
    blf.size(0, _TEXT * scale)
    sizes = [blf.dimensions(0, text) for text, _ in lines]
    row, pad = 1.5 * _TEXT * scale, 0.5 * _TEXT * scale
    wide = max(size[0] for size in sizes) + 2 * pad
    high = row * len(lines) + pad
    left = mouse[0] + _GAP * scale
    if left + wide > _free_width(context):
        left = max(0.0, mouse[0] - _GAP * scale - wide)
    low = min(mouse[1] + _GAP * scale, height - high)
    with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_matrix(Matrix.Identity(4))
        gpu.matrix.load_projection_matrix(_pixels(width, height))
        gpu.state.blend_set("ALPHA")
        box = [(left, low), (left + wide, low), (left + wide, low + high), (left, low + high)]
        fill([(*corner, 0.0) for corner in box], _BACK)
        for index, (text, color) in enumerate(lines):
            place = low + high - row * (index + 1) + 0.25 * row - 0.5 * pad
            blf.position(0, left + pad, place, 0)
            blf.color(0, *color)
            blf.draw(0, text)
        gpu.state.blend_set("NONE")


def draw_lines(lines: Sequence[Sequence[Any]], color: Color, width: float) -> None:
    """Draws rows of points, in the world, as lines so many pixels wide."""
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


def fill(corners: Sequence[Any], color: Color) -> None:
    """Fills a polygon, as triangles that all start at its first corner."""
    points = [tuple(corner) for corner in corners]
    triangles = [(0, index, index + 1) for index in range(1, len(points) - 1)]
    if not triangles:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, "TRIS", {"pos": points}, indices=triangles)
    shader.bind()
    shader.uniform_float("color", color)
    batch.draw(shader)


def shade(center: Any, radius: float, view: Any) -> None:
    """Darkens a round place of the world, ever less towards its edge, in a 3D view: the rings
    of bones there stay behind the lines that follow."""
    right, up = (column.to_3d() for column in view.view_matrix.inverted_safe().col[:2])
    steps = [math.tau * step / _ROUND for step in range(_ROUND + 1)]
    edge = turn(center, radius * right, radius * up, steps)
    points = [tuple(point) for point in (center, *edge)]
    colors = [_SHADE] + [(*_SHADE[:3], 0.0)] * len(edge)
    triangles = [(0, index, index + 1) for index in range(1, len(edge))]
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    batch_for_shader(shader, "TRIS", {"pos": points, "color": colors}, indices=triangles).draw(
        shader
    )


def turn(center: Any, right: Any, up: Any, angles: Iterable[float]) -> list[Any]:
    """Returns points of a circle, or an ellipse, by their angles in radians, from `right` on."""
    return [center + math.cos(angle) * right + math.sin(angle) * up for angle in angles]


def describe_length(length: float, size: float = 1.0) -> str:
    """Writes a length in metres in the units of the scene, grown by the size of its robot."""
    units = bpy.context.scene.unit_settings
    if units.system == "NONE":
        return f"{length:.4f}"
    length *= units.scale_length * size
    text = bpy.utils.units.to_string(
        units.system, "LENGTH", length, precision=4, compatible_unit=False
    )
    return str(text)


def describe_angle(angle: float) -> str:
    """Writes an angle in radians in the unit of the scene."""
    if bpy.context.scene.unit_settings.system_rotation == "RADIANS":
        return f"{angle:.3f} rad"
    return f"{round(math.degrees(angle), 1) + 0.0:.1f}\N{DEGREE SIGN}"


@contextmanager
def painting(depth: str) -> Iterator[Any]:
    """Lets bodies be painted over the view, each side that is seen once; yields the shader."""
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set(depth)
    gpu.state.depth_mask_set(False)
    gpu.state.face_culling_set("BACK")
    yield shader
    gpu.state.face_culling_set("NONE")
    gpu.state.depth_mask_set(True)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def make_batch(body: Any) -> Any:
    """Makes the batch of a body: of its points and triangles."""
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    return batch_for_shader(shader, "TRIS", {"pos": body.points}, indices=body.triangles)


def paint(shader: Any, batch: Any, place: Any, color: Color) -> None:
    """Paints a body at a place of the world, a matrix."""
    shader.bind()
    shader.uniform_float("color", color)
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(place)
        batch.draw(shader)


def _free_width(context: Any) -> int:
    """Returns how many pixels of a 3D view are left of its sidebar, which may lie over it."""
    region = context.region
    edges = [each.x for each in context.area.regions if each.type == "UI" and each.width > 1]
    return int(min([region.width, *(edge - region.x for edge in edges)]))


def _pixels(width: int, height: int) -> Matrix:
    """Returns the projection in which a place is counted in pixels from the lower left corner."""
    scale = Matrix.Diagonal(Vector((2.0 / width, 2.0 / height, -1.0, 1.0)))
    return Matrix.Translation((-1.0, -1.0, 0.0)) @ scale
