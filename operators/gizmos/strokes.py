# SPDX-License-Identifier: GPL-3.0-or-later
"""Strokes of the pen, the elements of drawn gizmos: lines, planes, and words beside the mouse.

Making a batch takes longer than drawing it: shapes that look the same at each redraw are made once,
in a frame of their own, and drawn where a matrix has them.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import blf
import bpy
import gpu
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix, Vector

from ..session import session_state

Color = tuple[float, float, float, float]

WHITE: Color = (1.0, 1.0, 1.0, 1.0)
WARNING: Color = (1.0, 0.62, 0.1, 1.0)
BEYOND: Color = (1.0, 0.27, 0.22, 1.0)
HELD: Color = (0.62, 0.62, 0.62, 1.0)
_BACK = (0.06, 0.06, 0.07, 0.82)
_SHADE = (0.0, 0.0, 0.0, 0.65)
_ROUND = 48
_WORLD = (Matrix.Identity(4),)
_MOST_SHAPES = 128
"""Batches; the oldest go first: a joint with limits has three of its own."""

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
        box = make_place((left, low, 0.0), (wide, 0.0, 0.0), (0.0, high, 0.0), (0.0, 0.0, 1.0))
        Pen().fill(recall_shape(_make_box), _BACK, [box])
        for index, (text, color) in enumerate(lines):
            place = low + high - row * (index + 1) + 0.25 * row - 0.5 * pad
            blf.position(0, left + pad, place, 0)
            blf.color(0, *color)
            blf.draw(0, text)
        gpu.state.blend_set("NONE")


def _make_box() -> Any:
    return make_plane([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)])


@dataclass(slots=True)
class _Shapes:
    """Batches by the functions that made them, and the sizes given to these."""

    batches: dict[tuple[Callable[..., Any], tuple[Hashable, ...]], Any] = field(
        default_factory=dict
    )


def recall_shape(make: Callable[..., Any], *sizes: Hashable) -> Any:
    """Returns the batch that `make` makes of sizes and colours, and of nothing else: it is made
    once."""
    kept = session_state(_Shapes).batches
    found = kept.get((make, sizes))
    if found is None:
        while len(kept) >= _MOST_SHAPES:
            del kept[next(iter(kept))]
        found = kept[make, sizes] = make(*sizes)
    return found


class Pen:
    """Draws shapes in a 3D view, during one redraw, at `places`: the shape's frames in the world,
    the world itself by default. `wide` is how many pixels a line of width 1 has."""

    def __init__(self) -> None:
        self._viewport = gpu.state.viewport_get()[2:]
        self.wide = bpy.context.preferences.system.pixel_size

    def stroke(
        self, batch: Any, color: Color | None, width: float, places: Iterable[Any] = _WORLD
    ) -> None:
        """Draws lines so many pixels wide; without a colour, in the colours of their points."""
        kind = "SMOOTH" if color is None else "UNIFORM"
        shader = gpu.shader.from_builtin(f"POLYLINE_{kind}_COLOR")
        shader.bind()
        shader.uniform_float("viewportSize", self._viewport)
        shader.uniform_float("lineWidth", width * self.wide)
        _draw(batch, shader, color, places)

    def fill(self, batch: Any, color: Color | None, places: Iterable[Any] = _WORLD) -> None:
        """Fills triangles; without a colour, in the colours of their corners."""
        shader = gpu.shader.from_builtin("SMOOTH_COLOR" if color is None else "UNIFORM_COLOR")
        shader.bind()
        _draw(batch, shader, color, places)


def _draw(batch: Any, shader: Any, color: Color | None, places: Iterable[Any]) -> None:
    if color is not None:
        shader.uniform_float("color", color)
    for place in places:
        with gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(place)
            batch.draw(shader)


@contextmanager
def drawing() -> Iterator[Pen]:
    """Lets shapes be drawn over all of the view; yields the pen."""
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    try:
        yield Pen()
    finally:  # A robot may be gone in the middle of it.
        gpu.state.blend_set("NONE")


def make_place(origin: Any, x: Any, y: Any, z: Any) -> Matrix:
    """Makes the matrix of a frame with these axes."""
    place = Matrix((x, y, z)).transposed().to_4x4()
    place.translation = origin
    return place


def make_lines(lines: Sequence[Sequence[Any]], colors: Sequence[Color] = ()) -> Any:
    """Makes the batch of rows of points, of two at least; `colors` has one for each point."""
    points: list[Any] = []
    pairs: list[tuple[int, int]] = []
    for line in lines:
        pairs += [(len(points) + step, len(points) + step + 1) for step in range(len(line) - 1)]
        points += [tuple(point) for point in line]
    kind = "SMOOTH" if colors else "UNIFORM"
    shader = gpu.shader.from_builtin(f"POLYLINE_{kind}_COLOR")
    return batch_for_shader(shader, "LINES", _describe(points, colors), indices=pairs)


def make_plane(corners: Sequence[Any], colors: Sequence[Color] = ()) -> Any:
    """Makes the batch of a polygon, of triangles that all start at its first corner; `colors` has
    one for each corner."""
    points = [tuple(corner) for corner in corners]
    return make_triangles(points, list_fan(len(points)), colors)


def list_fan(count: int) -> list[tuple[int, int, int]]:
    """Lists the triangles of a polygon of so many corners, which all start at its first one."""
    return [(0, index, index + 1) for index in range(1, count - 1)]


def make_triangles(
    points: Sequence[Any], triangles: Sequence[tuple[int, int, int]], colors: Sequence[Color]
) -> Any:
    """Makes the batch of triangles, given by their corners' indices; `colors` has one for each
    point, or none."""
    shader = gpu.shader.from_builtin("SMOOTH_COLOR" if colors else "UNIFORM_COLOR")
    return batch_for_shader(shader, "TRIS", _describe(points, colors), indices=triangles)


def _describe(points: Sequence[Any], colors: Sequence[Color]) -> dict[str, Any]:
    return {"pos": points, "color": colors} if colors else {"pos": points}


def draw_lines(lines: Sequence[Sequence[Any]], color: Color, width: float) -> None:
    """Draws rows of points, in the world, as lines so many pixels wide."""
    if any(len(line) > 1 for line in lines):
        Pen().stroke(make_lines(lines), color, width)


def shade(pen: Pen, place: Any) -> None:
    """Darkens a round place, of radius 1 across the z axis of its frame, ever less towards its
    edge: the rings of bones there stay behind the lines that follow."""
    pen.fill(recall_shape(_make_shade), None, [place])


def _make_shade() -> Any:
    edge = turn_unit(math.tau * step / _ROUND for step in range(_ROUND + 1))
    return make_plane([(0.0, 0.0, 0.0), *edge], [_SHADE] + [(*_SHADE[:3], 0.0)] * len(edge))


def turn_unit(angles: Iterable[float]) -> list[tuple[float, float, float]]:
    """Returns points of the unit circle across z by their angles in radians, from x on."""
    return [(math.cos(angle), math.sin(angle), 0.0) for angle in angles]


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
    return make_triangles(body.points, body.triangles, ())


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
