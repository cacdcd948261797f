# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a program in pieces: the middles of its moves, and the blends between them.

At a corner c that is cut within a radius, the ways P1 to it and P2 from it go over into each other
as p(u) = P1(1 - e f(u)) + P2(x f(1 - u)) - c with f = 1 - 2 u + 2 u^3 - u^4, where e and x are the
shares of both within the radius. The blend joins with equal slope and curvature, and stays within
the sphere, since f(u) + f(1 - u) <= 1. Tools are blended in space, and corners with a move of
joints in joint space."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.geometry.transforms import Matrix, Vector
from .courses import ToolCourse, compose
from .follow import Followed
from .machine import PlannedArm

_SAMPLES = 65


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segment:
    """A move in numbers: from `start` to `end` (n,), by joints, or along a course. `size` is the
    length of its parameter."""

    start: Vector
    end: Vector
    course: ToolCourse | None
    followed: Followed | None
    size: float

    def seeds(self, shares: Vector) -> Matrix:
        """Returns positions (B, n) at shares (B,): exact ones of moves of joints."""
        if self.followed is None:
            return self.start + shares[:, None] * (self.end - self.start)
        return self.followed.at(shares)


def make_segment(
    machine: PlannedArm, start: Vector, end: Vector, way: tuple[ToolCourse | None, Followed | None]
) -> Segment | None:
    """Returns a move; None where nothing moves."""
    course, followed = way
    turned = float(np.linalg.norm((end - start) / machine.chain.units))
    size = turned if course is None else course.size
    if size < 1e-9 and turned < 1e-9:
        return None
    return Segment(
        start=start, end=end, course=course, followed=followed, size=max(size, 1e-6 * turned)
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PathPiece:
    """A part of the path over u from 0 to 1: of one segment from `first` to `last` share, or a
    blend, in which `then` is the second segment, `first` the share at which the first one is left,
    and `last` the share at which the second one is entered. `number` is the waypoint that it leads
    to, or passes. `stops` says that its end is at rest."""

    segment: Segment
    first: float
    last: float
    number: int
    then: Segment | None = None
    stops: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        """How fast the path's parameter grows with u at both ends."""
        if self.then is None:
            length = (self.last - self.first) * self.segment.size
            return length, length
        return 2.0 * (1.0 - self.first) * self.segment.size, 2.0 * self.last * self.then.size

    @property
    def length(self) -> float:
        """The length of the path's parameter."""
        return 0.5 * sum(self.ends)

    def parameter(self, u: Vector) -> Vector:
        """Returns the path's parameter from the start of the piece."""
        begin, end = self.ends
        found: Vector = begin * u + 0.5 * (end - begin) * u * u
        return found

    def rate(self, u: Vector) -> Vector:
        """Returns the derivative of the parameter."""
        begin, end = self.ends
        return begin + (end - begin) * u

    @property
    def in_space(self) -> bool:
        """Whether the tool's place is prescribed."""
        both = self.segment if self.then is None else self.then
        return self.segment.course is not None and both.course is not None


def evaluate(
    machine: PlannedArm, pieces: Sequence[PathPiece], shares: Sequence[Vector]
) -> list[Matrix]:
    """Returns the positions (B, n) of each piece at its shares (B,), exact: the tool is on its
    way."""
    seeds, frames = zip(*(_look(machine, *each) for each in zip(pieces, shares, strict=True)),
                        strict=True)  # fmt: skip
    spaced = [place for place, frame in enumerate(frames) if frame is not None]
    found = list(seeds)
    if spaced:
        goals = np.concatenate([frames[place] for place in spaced])
        values, _ = machine.solve(goals, np.concatenate([seeds[place] for place in spaced]))
        ends = np.cumsum([len(seeds[place]) for place in spaced])
        for place, own in zip(spaced, np.split(values, ends[:-1]), strict=True):
            found[place] = own
    return found


def _look(machine: PlannedArm, piece: PathPiece, u: Vector) -> tuple[Matrix, Matrix | None]:
    """Returns near positions, and frames of the tool where these are prescribed."""
    if piece.then is None:
        shares = piece.first + (piece.last - piece.first) * u
        course = piece.segment.course
        return piece.segment.seeds(shares), None if course is None else course.at(shares)
    left = 1.0 - (1.0 - piece.first) * _fade(u)
    entered = piece.last * _fade(1.0 - u)
    corner = piece.segment.end
    first, second = piece.segment.course, piece.then.course
    if first is None or second is None:
        both = [
            _exact(machine, segment, shares)
            for segment, shares in ((piece.segment, left), (piece.then, entered))
        ]
        return both[0] + both[1] - corner, None
    seeds = piece.segment.seeds(left) + piece.then.seeds(entered) - corner
    return seeds, compose(first.at(left), second.at(np.zeros(1))[0], second.at(entered))


def _exact(machine: PlannedArm, segment: Segment, shares: Vector) -> Matrix:
    seeds = segment.seeds(shares)
    return seeds if segment.course is None else machine.solve(segment.course.at(shares), seeds)[0]


def _fade(u: Vector) -> Vector:
    found: Vector = 1.0 - 2.0 * u + 2.0 * u**3 - u**4
    return found


def find_share(machine: PlannedArm, segment: Segment, radius: float, *, from_end: bool) -> float:
    """Returns the share of a segment, from one end, within which the tool is nearer to that end
    than a radius; at most 1."""
    shares = np.linspace(0.0, 1.0, _SAMPLES)
    low, high = 0.0, 1.0
    for _ in range(5):
        own = low + (high - low) * shares
        at = 1.0 - own if from_end else own
        if segment.course is not None:
            origins = segment.course.at(at)[:, :3, 3]
            end = segment.course.at(np.array([1.0 if from_end else 0.0]))[0, :3, 3]
        else:
            origins = machine.place(segment.seeds(at))[:, :3, 3]
            end = machine.place((segment.end if from_end else segment.start)[None])[0, :3, 3]
        beyond = np.linalg.norm(origins - end, axis=1) > radius
        if not beyond.any():
            return high
        first = max(int(beyond.argmax()), 1)
        low, high = float(own[first - 1]), float(own[first])
    return low
