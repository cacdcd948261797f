# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots that drive by two wheel speeds: their wheels, found in the description, and where they
come, in arcs of closed form.

Formulas: Siegwart, Nourbakhsh and Scaramuzza, Introduction to Autonomous Mobile Robots, 5.2.4,
with the chord of an arc in the place of its two sines, which has no quotient by zero.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import choice_of, number_of, texts_of
from ..diagnostics import KinematicsError, quote, unknown_name
from ..geometry.transforms import Matrix, Vector
from ..model import Box, Cylinder, Link, Mesh, Sphere
from .conventions import Convention
from .forward import place_joints
from .motion import JointMotion
from .tree import KinematicTree

_PARALLEL = 1e-3
"""Sine of the angle between a wheel's axis and the robot's y up to which it rolls forward."""
_MIRRORED = 1e-3
"""Share of the distance between two wheels by which they may miss their mirror images."""
_ALIKE = 1e-2
"""Share of a radius or a distance by which the wheels of one side may differ."""


Commands = ArrayLike
"""Rows of a time and two speeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A wheel that rolls along the x axis of the base. `axis` has unit length, in its joint's own
    frame; `place` is the joint's position in the base's frame, in metres; `sign` is -1 where it
    rolls backward when its position grows. `radius` in metres, None where its shapes give none."""

    joint: str
    link: str
    axis: tuple[float, float, float]
    place: tuple[float, float, float]
    sign: int
    radius: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveWheels:
    """The wheels on the left and on the right, which share a speed on each side."""

    left: tuple[Wheel, ...]
    right: tuple[Wheel, ...]

    @property
    def distance(self) -> float:
        """Metres between the wheels, along the axle."""
        return self.left[0].place[1] - self.right[0].place[1]

    @property
    def axle(self) -> tuple[float, float]:
        """The middle between the wheels in the base's frame, of all axles."""
        places = np.array([each.place for each in self.left + self.right])
        return float(places[:, 0].mean()), float(places[:, 1].mean())

    @property
    def radius(self) -> float | None:
        """Metres; taken from the first wheel whose shapes give it."""
        return next((each.radius for each in self.left + self.right if each.radius), None)

    @property
    def are_alike(self) -> bool:
        """Whether all pairs have one distance and one radius."""
        gaps = [a.place[1] - b.place[1] for a, b in zip(self.left, self.right, strict=True)]
        radii = [each.radius for each in self.left + self.right if each.radius is not None]
        return all(_spread(sizes) <= _ALIKE for sizes in (gaps, radii))

    def roll(self, ride: "Ride") -> dict[str, Vector]:
        """Returns the positions (N,) of each wheel's joint on a ride, from 0 on."""
        sides = ((self.left, ride.left), (self.right, ride.right))
        return {each.joint: each.sign * angles for side, angles in sides for each in side}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheels:
    """The wheels that drive, their radius and the distance between left and right, in metres."""

    found: DriveWheels
    radius: float
    distance: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ride:
    """Where a robot is at N times, in the frame in which it started: `x` and `y` (N,) in metres,
    `heading` (N,), and how far the wheels have turned, `left` and `right` (N,), in radians that
    never wrap."""

    x: Vector
    y: Vector
    heading: Vector
    left: Vector
    right: Vector


DriveKind = Literal["wheels", "twist"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DriveOptions:
    """How bake_drive reads commands, and which joints drive the robot.

    kind             "wheels": rows are speeds of the left and the right; "twist": ahead and turning
    left, right      joints of the wheels; found where none are named
    radius, distance of the wheels; None to measure their shapes and joints
    base             the joint that moves the robot, or "armature" for the object; None for the
                     existing one
    convention       has the unit of lengths; metres without

    Raises ArgumentError for values of wrong kinds.
    """

    kind: DriveKind = "wheels"
    left: str | Collection[str] = ()
    right: str | Collection[str] = ()
    radius: float | None = None
    distance: float | None = None
    base: str | None = None
    convention: Convention | None = None

    def __post_init__(self) -> None:
        choice_of(self.kind, "kind", get_args(DriveKind))
        object.__setattr__(self, "left", texts_of(self.left, "left"))
        object.__setattr__(self, "right", texts_of(self.right, "right"))
        for name in ("radius", "distance"):
            if getattr(self, name) is not None:
                number_of(getattr(self, name), name)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveResult:
    """How bake_drive moved a robot: the joints of the wheels, their `radius` and `distance` in
    metres, and the robot's final `x`, `y` in metres and `heading` in radians,
    relative to the first frame."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    radius: float
    distance: float
    x: float
    y: float
    heading: float


def drive_path(
    commands: Matrix,
    times: Vector,
    *,
    radius: float,
    distance: float,
    heading: float = 0.0,
    axle: tuple[float, float] = (0.0, 0.0),
) -> Ride:
    """Returns where a robot is at `times` (N,) in seconds. `commands` (M, 3) are rows of a time and
    the speeds of the left and the right wheel in rad/s, held until the next row; the last says when
    the ride ends. It starts at x = y = 0 with `heading`. `axle` is the middle between the wheels in
    the robot's own frame: the point that goes straight ahead."""
    starts = commands[:, 0]
    left, right = commands[:, 1], commands[:, 2]
    ahead, turn = radius * (left + right) / 2.0, radius * (right - left) / distance
    lasting = np.diff(starts)
    before = [
        np.concatenate([[0.0], np.cumsum(speed[:-1] * lasting)]) for speed in (turn, left, right)
    ]
    headings = heading + before[0]
    steps = _chords(ahead[:-1], turn[:-1], headings[:-1], lasting)
    corners = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    at = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, len(starts) - 1)
    since = np.clip(times, starts[0], starts[-1]) - starts[at]
    place = corners[at] + _chords(ahead[at], turn[at], headings[at], since)
    faced = headings[at] + turn[at] * since
    place += _turn(axle, np.array([heading])) - _turn(axle, faced)
    return Ride(
        x=place[:, 0],
        y=place[:, 1],
        heading=faced,
        left=before[1][at] + left[at] * since,
        right=before[2][at] + right[at] * since,
    )


def ride_wheels(wheels: Wheels | None, speeds: Matrix, times: Vector, heading: float) -> Ride:
    """Returns where a robot is by the speeds of its wheels, as drive_path does; one without wheels
    glides."""
    axle = (0.0, 0.0) if wheels is None else wheels.found.axle
    return drive_path(speeds, times, **sizes_of(wheels), heading=heading, axle=axle)


def sizes_of(wheels: Wheels | None) -> dict[str, float]:
    """Returns the radius of wheels and their distance; of none, such that they do not count."""
    if wheels is None:
        return {"radius": 1.0, "distance": 1.0}
    return {"radius": wheels.radius, "distance": wheels.distance}


def measure_reach(points: Matrix, axis: Sequence[float]) -> float:
    """Returns how far points (k, 3) reach from an axis of unit length through the origin."""
    across = points - np.outer(points @ np.array(axis), axis)
    return float(np.linalg.norm(across, axis=1).max(initial=0.0))


def wheel_speeds(twists: Matrix, *, radius: float, distance: float) -> Matrix:
    """Returns (M, 3) rows of time, left and right wheel speed in rad/s, of `twists` (M, 3): rows of
    time, speed ahead in m/s, and turning speed in rad/s."""
    times, ahead, turn = twists.T
    aside = turn * distance / 2.0
    return np.stack([times, (ahead - aside) / radius, (ahead + aside) / radius], axis=1)


def check_commands(commands: ArrayLike, unit: float = 1.0) -> Matrix:
    """Returns commands as (M, 3), their first speeds times `unit`. Raises KinematicsError where
    they are not two rows or more of three finite numbers, whose times grow."""
    try:
        rows: Matrix = np.array(commands, dtype=np.float64)
    except (TypeError, ValueError):
        raise KinematicsError("commands are rows of a time and two speeds") from None
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise KinematicsError(
            f"commands are rows of a time and two speeds, not of shape {rows.shape}"
        )
    if len(rows) < 2:
        raise KinematicsError("commands need at least two rows: the last one ends the ride")
    if not np.isfinite(rows).all():
        raise KinematicsError("a number of the commands is not finite")
    late = np.flatnonzero(np.diff(rows[:, 0]) <= 0.0)
    if len(late):
        raise KinematicsError(f"the times of the commands do not grow at row {late[0] + 2}")
    rows[:, 1] *= unit
    return rows


def find_wheels(
    tree: KinematicTree,
    *,
    base: str,
    left: Collection[str] = (),
    right: Collection[str] = (),
    passive: Collection[str] = (),
) -> DriveWheels:
    """Finds the wheels of a differential drive on the link `base`: pairs of joints that turn
    without bounds about its y axis and mirror each other in y; or takes the joints that are named.

    Raises KinematicsError that lists the candidates where there is no pair, or where pairs differ
    in distance or radius; for unknown names, and for wheels that do not roll along the base's x.
    """
    wheels = {each.joint: each for each in _find_candidates(tree, base, passive)}
    if left or right:
        return _take_named(tree, wheels, left, right)
    found = _pair(wheels.values())
    names = ", ".join(map(quote, wheels)) or "none"
    if found is None:
        raise KinematicsError(
            "no two wheels were found that turn without bounds about the y axis of link "
            f"{quote(base)} and mirror each other; joints that roll along it: {names}; name "
            "the left and the right ones"
        )
    if not found.are_alike:
        raise KinematicsError(
            f"it is not clear which wheels drive: joints {names} roll, but in different "
            "distances or radii; name the left and the right ones"
        )
    return found


def pair_wheels(
    tree: KinematicTree, *, base: str, passive: Collection[str] = ()
) -> DriveWheels | None:
    """Finds the pairs of wheels on the link `base`, as find_wheels does, alike or not; None where
    there is none. Raises KinematicsError for an unknown link."""
    return _pair(_find_candidates(tree, base, passive))


def _pair(wheels: Collection[Wheel]) -> DriveWheels | None:
    pairs = [
        (one, other)
        for one in wheels
        for other in wheels
        if one.place[1] > 0.0 and _mirror(one, other)
    ]
    if not pairs:
        return None
    return DriveWheels(left=tuple(p[0] for p in pairs), right=tuple(p[1] for p in pairs))


def _chords(ahead: Vector, turn: Vector, headings: Vector, lasting: Vector) -> Matrix:
    """Returns (M, 2), from the start of each arc to its end."""
    half = 0.5 * turn * lasting
    length = ahead * lasting * np.sinc(half / np.pi)
    return np.stack([length * np.cos(headings + half), length * np.sin(headings + half)], axis=1)


def _turn(point: tuple[float, float], headings: Vector) -> Matrix:
    """Returns (M, 2), a point turned by each heading."""
    x, y = point
    sine, cosine = np.sin(headings), np.cos(headings)
    return np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=1)


def _find_candidates(tree: KinematicTree, base: str, passive: Collection[str]) -> list[Wheel]:
    """The joints that turn without bounds about the base's y axis, with nothing that moves between
    them and the base."""
    if base not in tree.index:
        raise unknown_name("the robot has no link", base, tree.index)
    stiff = _find_stiff(tree, base)
    rolling = [
        place
        for place, (parent, motion) in enumerate(zip(tree.parents, tree.motions, strict=True))
        if motion is not None and motion.is_endless and motion.mimic is None and parent in stiff
    ]
    found = []
    for place, motion, frame in place_joints(tree, base, rolling):
        axis = frame[:3, :3] @ motion.axis
        if motion.joint.name not in passive and math.hypot(axis[0], axis[2]) <= _PARALLEL:
            found.append(_make_wheel(tree.links[place], motion, frame, axis))
    return found


def _make_wheel(link: Link, motion: JointMotion, frame: Matrix, axis: Vector) -> Wheel:
    x, y, z = frame[:3, 3].tolist()
    return Wheel(
        joint=motion.joint.name,
        link=link.name,
        axis=motion.axis,
        place=(x, y, z),
        sign=1 if axis[1] > 0.0 else -1,
        radius=_measure_radius(link),
    )


def _find_stiff(tree: KinematicTree, base: str) -> set[int]:
    """The links that are attached to the base without anything that moves between."""
    stiff = {tree.index[base]}
    for place in tree.subtree(tree.index[base]):
        motion = tree.motions[place]
        if motion is not None and not motion.moves and tree.parents[place] in stiff:
            stiff.add(place)
    return stiff


def _measure_radius(link: Link) -> float | None:
    """Of the largest cylinder or sphere of the collisions, else of the visuals; else half the
    height of the largest box. Beside a mesh they are hubs."""
    for shapes in (link.collisions, link.visuals):
        shown = [each.geometry for each in shapes]
        if any(isinstance(each, Mesh) for each in shown):
            continue
        round_ones = [each.radius for each in shown if isinstance(each, Cylinder | Sphere)]
        boxes = [0.5 * each.size[2] for each in shown if isinstance(each, Box)]
        if round_ones or boxes:
            return max(round_ones or boxes)
    return None


def _mirror(one: Wheel, other: Wheel) -> bool:
    near = _MIRRORED * 2.0 * one.place[1]
    x, y, z = (a - b for a, b in zip(one.place, other.place, strict=True))
    return abs(x) <= near and abs(z) <= near and abs(y - 2.0 * one.place[1]) <= near


def _spread(sizes: Sequence[float]) -> float:
    return (max(sizes) - min(sizes)) / max(sizes) if sizes else 0.0


def _take_named(
    tree: KinematicTree, wheels: dict[str, Wheel], left: Collection[str], right: Collection[str]
) -> DriveWheels:
    if not (left and right):
        raise KinematicsError("name the wheels of both sides, or of none")
    for name in (*left, *right):
        tree.motion_named(name)
        if name not in wheels:
            raise KinematicsError(
                f"joint {quote(name)} does not roll along the x axis of the robot's base: it must "
                "turn without bounds about the y axis, on a link that does not move against it"
            )
    found = DriveWheels(
        left=tuple(wheels[name] for name in left), right=tuple(wheels[name] for name in right)
    )
    if found.distance <= 0.0:
        raise KinematicsError("the left wheels must be on the side of +y of the robot's base")
    return found
