# SPDX-License-Identifier: GPL-3.0-or-later
"""The marks of joints as points and lines."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from .limit_marks import pointer_axis
from .rig_plan import LimitMarkPlan, Mark
from .transforms import Matrix

Edge = tuple[int, int]
Lines = tuple[Matrix, list[Edge]]
"""Points (n, 3), and the pairs of them that are joined."""

_SIDES = 48
_INNER = 0.17
"""By how much each further joint's mark of one bone is smaller, so that rings do not merge."""

_STEP = math.radians(5)
_TICK, _SPOKE = 0.25, 0.4
"""Length of what ends a line or an arc, as a share of the mark's radius: all of it would hide the
bone's own marks."""


def draw_marks(marks: Sequence[Mark]) -> Lines:
    """A bone's marks in the bone's frame, the outermost joint's of radius one."""
    parts = []
    for place, (kind, axis) in enumerate(marks):
        # A carriage says which way a slider lies, but hides what other joints show.
        points, edges = _ARROWS if kind == "slide" and len(marks) > 1 else _DRAWN[kind]
        pointer = pointer_axis(axis)
        order = np.argsort((axis, pointer, 3 - axis - pointer))
        parts.append(((1 - _INNER * place) * points[:, order], edges))
    return _join(parts)


def draw_limits(plan: LimitMarkPlan) -> Lines:
    """A joint's range in the frame `plan.place`, in metres: an arc about X, or a line along X, with
    a line across each end."""
    ends = [end for end in (plan.lower, plan.upper) if end is not None]
    if plan.kind == "prismatic":
        parts = [_tick(end, plan.radius) for end in ends]
        if len(ends) == 2:
            parts.append(_path([(end, plan.radius, 0.0) for end in ends]))
        return _join(parts)
    inner = (1 - _SPOKE) * plan.radius
    parts = [_path([_on_circle(end, inner), _on_circle(end, plan.radius)]) for end in ends]
    if len(ends) == 2:
        last = min(ends[1], ends[0] + 2 * math.pi)
        count = max(2, math.ceil((last - ends[0]) / _STEP) + 1)
        angles = np.linspace(ends[0], last, count).tolist()
        parts.append(_path([_on_circle(angle, plan.radius) for angle in angles]))
    return _join(parts)


def _tick(place: float, radius: float) -> Lines:
    """A cross at the end of a line."""
    reach = _TICK * radius
    across = _path([(place, radius - reach, 0.0), (place, radius + reach, 0.0)])
    return _join([across, _path([(place, radius, -reach), (place, radius, reach)])])


def _on_circle(angle: float, radius: float = 1.0) -> tuple[float, float, float]:
    """A point of the circle about X; angle zero lies on Y."""
    return (0.0, radius * math.cos(angle), radius * math.sin(angle))


def _join(parts: Iterable[Lines]) -> Lines:
    points: list[Matrix] = []
    edges: list[Edge] = []
    count = 0
    for more, pairs in parts:
        edges += [(count + a, count + b) for a, b in pairs]
        points.append(more)
        count += len(more)
    return np.concatenate(points), edges


def _path(points: Sequence[tuple[float, float, float]], *, closed: bool = False) -> Lines:
    count = len(points)
    edges = [(i, i + 1) for i in range(count - 1)]
    return np.array(points, float), edges + ([(count - 1, 0)] if closed else [])


def _arc(first: float, last: float) -> Lines:
    """Angles in turns."""
    count = math.ceil(_SIDES * (last - first)) + 1
    angles = np.linspace(2 * math.pi * first, 2 * math.pi * last, count).tolist()
    return _path([_on_circle(angle) for angle in angles])


def _ring() -> Lines:
    return _path([_on_circle(2 * math.pi * i / _SIDES) for i in range(_SIDES)], closed=True)


def _turn() -> Lines:
    """A ring with a pointer, and a pin along the axis."""
    pointer = _path([_on_circle(-0.13), (0.0, 1.4, 0.0), _on_circle(0.13)])
    return _join([_ring(), pointer, _pin()])


def _pin() -> Lines:
    return _path([(-0.45, 0.0, 0.0), (0.45, 0.0, 0.0)])


def _spin() -> Lines:
    """Two arrows that go around."""
    arcs = [_arc(start + 0.03, start + 0.46) for start in (0.0, 0.5)]
    heads = [_head_on_circle(2 * math.pi * (start + 0.46)) for start in (0.0, 0.5)]
    return _join([*arcs, *heads, _pin()])


def _head_on_circle(angle: float) -> Lines:
    back = angle - 0.3
    return _path([_on_circle(back, 1.17), _on_circle(angle), _on_circle(back, 0.83)])


def _slide() -> Lines:
    """A double arrow along the axis through a square, its carriage."""
    return _join([_path([(0.0, a, b) for a, b in _CORNERS], closed=True), _double_arrow()])


def _double_arrow() -> Lines:
    line = _path([(-1.5, 0.0, 0.0), (1.5, 0.0, 0.0)])
    return _join([line, *(_slide_head(1.5 * side, side) for side in (-1, 1))])


_CORNERS = ((0.6, 0.6), (-0.6, 0.6), (-0.6, -0.6), (0.6, -0.6))


def _slide_head(tip: float, side: int) -> Lines:
    back = tip - 0.4 * side
    flat = _path([(back, 0.25, 0.0), (tip, 0.0, 0.0), (back, -0.25, 0.0)])
    return _join([flat, _path([(back, 0.0, 0.25), (tip, 0.0, 0.0), (back, 0.0, -0.25)])])


def _plane() -> Lines:
    """A square in the plane with four arrows."""
    square = _path([(0.0, a / 0.6, b / 0.6) for a, b in _CORNERS], closed=True)
    return _join([square, *_four_arrows()])


def _free() -> Lines:
    """A ring with four arrows."""
    return _join([_ring(), *_four_arrows()])


def _four_arrows() -> list[Lines]:
    arrow = [(0.0, 1.12, 0.16), (0.0, 1.4, 0.0), (0.0, 1.12, -0.16)]
    quarter = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    points, edges = _path(arrow, closed=True)
    return [(points @ np.linalg.matrix_power(quarter, i), edges) for i in range(4)]


def _diamond() -> Lines:
    corners = np.concatenate([np.eye(3), -np.eye(3)])
    edges = [(a, b) for a in range(6) for b in range(a + 1, 6) if b != a + 3]
    return corners, edges


_ARROWS = _double_arrow()
_DRAWN: dict[str, Lines] = {
    "turn": _turn(),
    "spin": _spin(),
    "slide": _slide(),
    "plane": _plane(),
    "free": _free(),
    "fixed": _diamond(),
}
