# SPDX-License-Identifier: GPL-3.0-or-later
"""CAD mates as conditions on the relative twist of two bodies."""

from dataclasses import dataclass, field

import numpy as np

from .freedom import slide_row, turn_row
from .graph import NO_AXIS, Matrix, Vector

_LINES = frozenset({"line", "cylinder", "circle", "cone", "axis", "edge"})
_POINTS = frozenset({"point", "vertex", "sphere"})
_ALONG = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entity:
    """One side of a mate: a plane with its normal, something with an axis, or a point; all in the
    world. `shape` is the file's word in lower case; `axis` of unit length, or of none."""

    shape: str
    point: Vector
    axis: Vector = field(default_factory=NO_AXIS.copy)

    @property
    def has_axis(self) -> bool:
        return bool(self.axis.any())

    @property
    def is_plane(self) -> bool:
        return self.shape == "plane" and self.has_axis

    @property
    def is_line(self) -> bool:
        return self.shape in _LINES and self.has_axis

    @property
    def is_point(self) -> bool:
        return self.shape in _POINTS

    @property
    def is_known(self) -> bool:
        return self.is_plane or self.is_line or self.is_point


def rows_of_mate(kind: str, one: Entity, other: Entity) -> Matrix | None:
    """Returns (N, 6) conditions of a mate; None for a mate that is unknown between these two."""
    if not one.is_known or not other.is_known:
        return None
    rule = _RULES.get(kind)
    return _directions(kind, one, other) if rule is None else rule(one, other)


def _coincident(one: Entity, other: Entity) -> Matrix | None:
    if one.is_point or other.is_point:
        point, on = (one, other) if one.is_point else (other, one)
        return _point_on(point, on)
    if one.is_plane or other.is_plane:
        plane, on = (one, other) if one.is_plane else (other, one)
        if on.is_plane or on.shape == "circle":
            return _planes(plane)
        return _line_on_plane(on, plane)
    return _coaxial(one)


def _concentric(one: Entity, other: Entity) -> Matrix | None:
    """Axes on one another; spheres have only their centre."""
    if one.is_point or other.is_point:
        point, on = (one, other) if one.is_point else (other, one)
        return _point_on(point, on)
    return None if one.is_plane or other.is_plane else _coaxial(one)


def _distance(one: Entity, other: Entity) -> Matrix | None:
    """As coincident, with an entity at a distance."""
    if one.is_plane or other.is_plane:
        return _coincident(one, other)
    between = other.point - one.point
    for entity in (one, other):
        between = between - entity.axis * float(entity.axis @ between)
    length = float(np.linalg.norm(between))
    if length < 1e-12:
        return _coincident(one, other)
    rows = [slide_row(other.point, between / length)]
    if one.has_axis and other.has_axis:
        rows.append(_fixed_direction(one.axis))
    return np.vstack(rows)


_RULES = {"coincident": _coincident, "concentric": _concentric, "distance": _distance}
# Whether the mate holds a direction between two planes or two axes, or between a plane and an axis.
_HOLDS_ALIKE = {"parallel": True, "perpendicular": False, "angle": None}


def _directions(kind: str, one: Entity, other: Entity) -> Matrix | None:
    """Two directions that are parallel, perpendicular or at another angle."""
    if kind not in _HOLDS_ALIKE or not (one.has_axis and other.has_axis):
        return None
    if (one.is_plane == other.is_plane) == _HOLDS_ALIKE[kind]:
        return _fixed_direction(one.axis)
    return _turn_across(one.axis, other.axis)


def _turn_across(one: Vector, other: Vector) -> Matrix:
    """The angle between two directions stays; where it is 0 or 180 degrees, the direction."""
    across = np.cross(one, other)
    length = float(np.linalg.norm(across))
    return _fixed_direction(one) if length < _ALONG else turn_row(across / length)


def _point_on(point: Entity, on: Entity) -> Matrix:
    if on.is_plane:
        return slide_row(point.point, on.axis)
    if on.is_line:
        return np.vstack([slide_row(point.point, side) for side in _sides(on.axis)])
    return np.vstack([slide_row(point.point, side) for side in np.eye(3)])


def _planes(plane: Entity) -> Matrix:
    return np.vstack([_fixed_direction(plane.axis), slide_row(plane.point, plane.axis)])


def _coaxial(line: Entity) -> Matrix:
    slides = [slide_row(line.point, side) for side in _sides(line.axis)]
    return np.vstack([_fixed_direction(line.axis), *slides])


def _line_on_plane(line: Entity, plane: Entity) -> Matrix:
    turn = _turn_across(line.axis, plane.axis)
    return np.vstack([turn, slide_row(line.point, plane.axis)])


def _fixed_direction(axis: Vector) -> Matrix:
    """Nothing turns but about the axis itself."""
    return np.vstack([turn_row(side) for side in _sides(axis)])


def _sides(axis: Vector) -> tuple[Vector, Vector]:
    start = np.eye(3)[int(np.argmin(np.abs(axis)))]
    one = np.cross(axis, start)
    one = one / np.linalg.norm(one)
    return one, np.cross(axis, one)
