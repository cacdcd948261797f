# SPDX-License-Identifier: GPL-3.0-or-later
"""From a mouse that drags a body to the position of the joint that moves the body.

A point of the body is grabbed. It moves on a circle about a turning joint, on a line along a
sliding one; the mouse is a ray. The joint goes where the point comes to lie under the mouse. Seen
from some sides that is not enough, since a small way of the mouse would be a long way of the point:
there the point goes as far as the mouse does along the visible direction of its way. Which of the
two it is depends on the side from which the point was grabbed, and does not change while it is
dragged.

A point of a body that moves freely is slid in a plane, or turned about a ball's middle.

All is in metres and radians, in one frame in which the joint's parent rests.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from ..geometry.transforms import (
    Matrix,
    Vector,
    cross,
    plane_axes,
    quaternion_from_rotation,
    rotations_about,
    unit,
)

FINE = 0.1
"""How far the joint moves while the mouse is precise, as a share of its usual way."""

_FLAT = math.sin(math.radians(20))
"""A circle whose axis is this near to lying across the view is seen from its edge."""
_STEEP = math.sin(math.radians(15))
"""A line that is this near to the line of sight is seen from its end."""
_NO_DIRECTION = 0.02
"""Under this share of a line's length nothing is seen of where it goes."""
_HORIZON = math.sin(math.radians(3))
"""A ray that is this near to running along a plane meets it too far away to be followed."""
_EDGE = math.sin(math.radians(75))
"""Share of the radius up to which the point stays under the mouse on a circle that is seen from its
edge. Beyond it turns on evenly: the circle ends there, but hands go on."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ray:
    """`origin` (3,) and unit `direction` (3,), away from the eye."""

    origin: Vector
    direction: Vector


def make_ray(origin: Vector, direction: Vector) -> Ray:
    """Makes a ray of a direction of any length but zero."""
    return Ray(origin=np.asarray(origin, float), direction=unit(np.asarray(direction, float)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TurnGrip:
    """A point that is held on its circle: `center` (3,); `axes` (3, 3) whose rows lead from there
    to the point, onward on the circle, and along the axis; `radius` is the circle's radius, or the
    radius of one that a hand can follow. `behind` says that the point was on the far side of a
    circle seen from its edge; None where the circle is seen from a side. `shift` is the position
    read at the grab."""

    center: Vector
    axes: Vector
    radius: float
    inset: float
    behind: bool | None
    shift: float = 0.0

    def follow(self, ray: Ray, near: float) -> float:
        """Returns the angle from where the point was grabbed to where it is under the ray: of all
        whole turns more or less, the one nearest to `near`."""
        origin, direction = self.axes @ (ray.origin - self.center), self.axes @ ray.direction
        if self.behind is None:
            angle = self._meet_plane(origin, direction)
        else:
            angle = self._meet_edge(origin, direction, self.behind)
        angle -= self.shift
        return angle + math.tau * round((near - angle) / math.tau)

    def _meet_plane(self, origin: Vector, direction: Vector) -> float:
        """Beyond the horizon of the circle's plane the ray's own direction is used."""
        ahead = -origin[2] / direction[2] if direction[2] else -1.0
        x, y = (origin + ahead * direction if ahead > 0 else direction)[:2]
        return math.atan2(y, x + (self.inset if ahead > 0 else 0.0))

    def _meet_edge(self, origin: Vector, direction: Vector, behind: bool) -> float:
        """The ray is a line in the plane of the circle, after all is moved there along the axis."""
        toward = math.atan2(-direction[1], -direction[0])
        aside = float(origin[1] * math.cos(toward) - origin[0] * math.sin(toward))
        angle = _arc_of(aside / self.radius)
        return toward + (math.pi - angle if behind else angle)


def grip_turn(origin: Vector, axis: Vector, point: Vector, ray: Ray, least: float) -> TurnGrip:
    """Grabs a point (3,), under the ray, of a body that turns about a unit axis (3,) through
    `origin` (3,). Within `least` (metres) of the axis the hand turns it as if it were that far."""
    along = axis * (axis @ (point - origin))
    center = origin + along
    arm = point - center
    reach = float(np.linalg.norm(arm))
    first = arm / reach if reach > 1e-9 else plane_axes(axis)[0]
    first = unit(first - axis * (axis @ first))
    axes = np.array([first, cross(axis, first), axis])
    flat = abs(axis @ ray.direction) < _FLAT
    grip = TurnGrip(
        center=center,
        axes=axes,
        radius=max(reach, least, 1e-9),
        inset=max(0.0, least - reach),
        behind=bool(first @ ray.direction > 0) if flat else None,
    )
    return replace(grip, shift=grip.follow(ray, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlideGrip:
    """A point (3,) that is held on its line along a unit `axis` (3,). `across` is the visible
    direction of the axis, of unit length, where the line is seen from its end; None elsewhere.
    `view` (3,) is where the eye looked when the point was grabbed."""

    point: Vector
    axis: Vector
    view: Vector
    across: Vector | None
    shift: float = 0.0

    def follow(self, ray: Ray, near: float) -> float:
        """Returns the way in metres from where the point was grabbed to where it is under the ray;
        `near` where the ray does not tell."""
        offset = ray.origin - self.point
        if self.across is not None:
            toward = float(ray.direction @ self.view)
            if toward < 1e-3:
                return near
            met = offset - ray.direction * (offset @ self.view) / toward
            return float(met @ self.across) - self.shift
        slant = float(self.axis @ ray.direction)
        if 1.0 - slant * slant < 1e-4:
            return near
        along = self.axis @ offset - slant * (ray.direction @ offset)
        return float(along) / (1.0 - slant * slant) - self.shift


def grip_slide(axis: Vector, point: Vector, ray: Ray, up: Vector) -> SlideGrip:
    """Grabs a point (3,), under the ray, of a body that slides along a unit axis (3,). Where the
    axis is the line of sight, pushing the mouse along `up` (3,) pushes the body away."""
    view, slant = ray.direction, float(axis @ ray.direction)
    across = None
    if 1.0 - slant * slant < _STEEP * _STEEP:
        seen = axis - slant * view
        if np.linalg.norm(seen) < _NO_DIRECTION:
            seen = math.copysign(1.0, slant) * (up - (up @ view) * view)
        across = unit(seen)
    grip = SlideGrip(point=point, axis=axis, view=view, across=across)
    return replace(grip, shift=grip.follow(ray, 0.0))


@dataclass(slots=True, kw_only=True)
class Drag:
    """A joint that is being dragged. `position` is where the mouse has it, beyond limits too, so
    that it comes back from there only when the mouse does. `ratio` is how far the held body goes
    when the joint goes by one: it is another than 1 where the body follows the joint."""

    grip: TurnGrip | SlideGrip
    position: float
    ratio: float = 1.0
    _last: float = 0.0

    def move(self, ray: Ray, *, fine: bool = False) -> float:
        """Moves the mouse; returns the joint's position, before limits."""
        now = self.grip.follow(ray, self._last)
        share = FINE if fine else 1.0
        self.position += share * (now - self._last) / self.ratio
        self._last = now
        return self.position


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlaneGrip:
    """A point (3,) that is held in the plane across a unit `normal` (3,). `view` (3,) is where the
    eye looked when it was grabbed. `ways` is None but for a plane that is seen from its edge: there
    it is (2, 2, 3), the visible sideways and upward directions, and the matching directions in the
    plane.
    """

    point: Vector
    normal: Vector
    view: Vector
    ways: Matrix | None
    shift: Vector

    def follow(self, ray: Ray, near: Vector) -> Vector:
        """Returns the way (3,) from where the point was grabbed to where it is under the ray;
        `near` where the ray does not tell."""
        across = self.normal if self.ways is None else self.view
        slant = float(ray.direction @ across)
        ahead = float((self.point - ray.origin) @ across) / slant if slant else -1.0
        if ahead <= 0 or abs(slant) < _HORIZON:
            return near
        met: Vector = ray.origin + ahead * ray.direction - self.point
        if self.ways is not None:
            met = (self.ways[0] @ met) @ self.ways[1]
        return met - self.shift


def grip_plane(normal: Vector, point: Vector, ray: Ray, up: Vector) -> PlaneGrip:
    """Grabs a point (3,), under the ray, of a body that slides across a unit normal (3,). Where
    that plane is seen from its edge, pushing the mouse along its visible direction, or along `up`
    (3,), pushes the body away."""
    view, ways = ray.direction, None
    slant = float(normal @ view)
    if abs(slant) < _STEEP:
        side = unit(cross(normal, view))
        away = cross(side, normal)
        seen = away - float(away @ view) * view
        if np.linalg.norm(seen) < _NO_DIRECTION:
            seen = normal - slant * view
            seen = math.copysign(1.0, float(seen @ up)) * seen
        ways = np.array([[side, unit(seen)], [side, away]])
    grip = PlaneGrip(point=point, normal=normal, view=view, ways=ways, shift=np.zeros(3))
    return replace(grip, shift=grip.follow(ray, np.zeros(3)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BallGrip:
    """A point that is held on its sphere about `center` (3,). `behind` is set if it was on the far
    side; `toward` (3,) is where the near or far side was, `home` (3, 3) the rotation read at the
    grab."""

    center: Vector
    radius: float
    behind: bool
    toward: Vector
    home: Matrix

    def follow(self, ray: Ray) -> Matrix:
        """Returns the turn (3, 3) from where the point was grabbed to where it is under the ray.
        Beyond the edge of the sphere it turns on."""
        direction = ray.direction if self.behind else -ray.direction
        offset = ray.origin - self.center
        aside = offset - float(offset @ ray.direction) * ray.direction
        arc = _arc_of(float(np.linalg.norm(aside)) / self.radius)
        tilt = _turn_about(cross(direction, aside), arc) @ _turn_between(self.toward, direction)
        return tilt @ self.home.T


def grip_ball(center: Vector, point: Vector, ray: Ray, least: float) -> BallGrip:
    """Grabs a point (3,), under the ray, of a body that turns as it likes about `center` (3,).
    Within `least` (metres) of the centre the hand turns it as if it were that far."""
    arm = point - center
    reach = float(np.linalg.norm(arm))
    behind = bool(arm @ ray.direction > 0) and reach > least
    grip = BallGrip(
        center=center,
        radius=max(reach, least, 1e-9),
        behind=behind,
        toward=ray.direction if behind else -ray.direction,
        home=np.eye(3),
    )
    return replace(grip, home=grip.follow(ray))


@dataclass(slots=True, kw_only=True)
class PlaneDrag:
    """A body that is slid. `way` (3,) is how far the mouse has it."""

    grip: PlaneGrip
    way: Vector = field(default_factory=lambda: np.zeros(3))
    _last: Vector = field(default_factory=lambda: np.zeros(3))

    def move(self, ray: Ray, *, fine: bool = False) -> Vector:
        """Moves the mouse; returns the way (3,) in metres since the grab."""
        now = self.grip.follow(ray, self._last)
        self.way = self.way + (FINE if fine else 1.0) * (now - self._last)
        self._last = now
        return self.way


@dataclass(slots=True, kw_only=True)
class BallDrag:
    """A body that is turned as one likes. `turn` (3, 3) is how far the mouse has it."""

    grip: BallGrip
    turn: Matrix = field(default_factory=lambda: np.eye(3))
    _last: Matrix = field(default_factory=lambda: np.eye(3))

    def move(self, ray: Ray, *, fine: bool = False) -> Matrix:
        """Moves the mouse; returns the turn (3, 3) since the grab."""
        now = self.grip.follow(ray)
        step = now @ self._last.T
        self.turn = (_shorten(step, FINE) if fine else step) @ self.turn
        self._last = now
        return self.turn


def snap(position: float, step: float) -> float:
    """Returns the multiple of `step` that is nearest to a position."""
    return round(position / step) * step


def _arc_of(share: float) -> float:
    """Returns the angle of a point that is seen at this share of the radius."""
    if abs(share) <= _EDGE:
        return math.asin(share)
    beyond = (abs(share) - _EDGE) / math.sqrt(1.0 - _EDGE * _EDGE)
    return math.copysign(math.asin(_EDGE) + beyond, share)


def _turn_about(axis: Vector, angle: float) -> Matrix:
    """Returns (3, 3); none about an axis of no length."""
    length = float(np.linalg.norm(axis))
    return np.eye(3) if length < 1e-12 else rotations_about(axis / length, np.array(angle))


def _turn_between(start: Vector, end: Vector) -> Matrix:
    """Returns the shortest turn (3, 3) from one unit vector to another that is not its opposite."""
    axis = cross(start, end)
    return _turn_about(axis, math.atan2(float(np.linalg.norm(axis)), float(start @ end)))


def _shorten(turn: Matrix, share: float) -> Matrix:
    x, y, z, w = quaternion_from_rotation(turn)
    axis = np.array((x, y, z))
    return _turn_about(axis, share * 2.0 * math.atan2(float(np.linalg.norm(axis)), w))
