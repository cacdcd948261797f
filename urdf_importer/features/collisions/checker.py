# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot that is ready to be checked: its shapes, its tester, its pairs."""

from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from ...core.diagnostics import Diagnostic
from ...core.kinematics.tree import KinematicTree
from ...core.progress import Progress
from .link_motion import Course, Moments, Way
from .matrix import find_adjacent
from .pairs import Pair, PairTester, Parts
from .poses import PoseTester
from .report import CollisionReport, LinkContact
from .sampling import Array, Sampler
from .sweep import Sweep
from .testers import Nearest, Tester

_AT_ONCE = 1000
"""Contacts whose frames of links are found at a time."""
_NEAR = 1e-3
"""Metres beyond the margin at which links that begin to touch are found."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Request:
    """A request about a way: which `pairs`, from which `margin` on they touch, whether `distances`
    are wanted too."""

    way: Way
    pairs: Sequence[Pair]
    margin: float = 0.0
    distances: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checker:
    """The parts of a robot that are loaded, and the tester that knows them. `disabled` pairs are
    not looked at; `found` was reported when it was made."""

    tree: KinematicTree
    parts: Parts
    tester: Tester
    disabled: Collection[frozenset[str]]
    found: tuple[Diagnostic, ...] = ()

    def list_pairs(self, objects: Collection[str], allowed: Sequence[Pair]) -> list[Pair]:
        """Lists the pairs to look at: of links, and of links with objects."""
        left_out = {*self.disabled, *(frozenset(pair) for pair in allowed)}
        names = sorted(name for name in self.parts if name not in objects)
        pairs = [*combinations(names, 2), *product(names, sorted(objects))]
        return [pair for pair in pairs if frozenset(pair) not in left_out]

    def check(self, asked: Request) -> Generator[Progress, None, CollisionReport]:
        """Checks a way in steps."""
        pairs = PairTester(self.parts, self.tester)
        course = Course(self.tree, pairs.balls, asked.way)
        intervals = yield from Sweep(course, pairs, asked.pairs, asked.margin).run()
        gauge = _Gauge(course, pairs)
        found = [(pair, *times) for pair, own in intervals.items() for times in own]
        contacts = [
            contact
            for first in range(0, len(found), _AT_ONCE)
            for contact in gauge.describe(found[first : first + _AT_ONCE], asked.margin)
        ]
        contacts.sort(key=lambda each: (each.start, each.link1, each.link2))
        touching = {name for each in contacts for name in (each.link1, each.link2)}
        report = CollisionReport(
            contacts=tuple(contacts),
            links={link.name: link.name in touching for link in self.tree.links},
            diagnostics=self.found,
        )
        if asked.distances and asked.pairs:
            yield Progress(share=1.0, text="distances")
            best, pair = gauge.find_nearest(asked.pairs)
            report = replace(report, distance=best, nearest=pair)
        return report


def find_standing(tree: KinematicTree, parts: Parts, tester: Tester) -> set[frozenset[str]]:
    """Finds the pairs of links that are neighbours, or touch with all joints at zero."""
    found = {frozenset(pair) for pair in find_adjacent(tree, parts)}
    left = [pair for pair in combinations(sorted(parts), 2) if frozenset(pair) not in found]
    poses, sampler = PoseTester(parts, left, tester), Sampler(tree)
    touching = poses.find_touching(tree, sampler.find_frames(sampler.start()))
    return found | set(map(frozenset, touching))


class _Gauge:
    """Distances along a course."""

    def __init__(self, course: Course, tester: PairTester) -> None:
        self._course = course
        self._tester = tester

    def describe(
        self, found: Sequence[tuple[Pair, float, float]], margin: float
    ) -> Iterator[LinkContact]:
        """Yields the contacts of pairs with their beginnings and ends, with their points, and their
        distances, which without a margin are 0."""
        times = self._course.way.times
        moments = self._at(np.array([start for _, start, _ in found]), np.zeros(len(found)))
        for k, (pair, start, end) in enumerate(found):
            # Links that touch are this near, and looking no further takes a tenth of the time.
            most = margin + _NEAR
            nearest = self._measure(pair, moments, k, most)
            if nearest.distance >= most:
                nearest = self._measure(pair, moments, k)
            point = nearest.point
            one, frames, least = self._course.index[pair[0]], moments.frames, 0.0
            if margin > 0.0:
                inner = times[(times > start) & (times < end)]
                least = self.find_nearest([pair], np.unique([start, *inner, end]))[0]
            yield LinkContact(
                link1=pair[0], link2=pair[1], start=start, end=end, distance=least,
                point=frames.rotations[one, k] @ point + frames.places[one, k],
            )  # fmt: skip

    def find_nearest(self, pairs: Sequence[Pair], times: Array | None = None) -> tuple[float, Pair]:
        """Returns the least distance at these times, rising, and whose it is; at all samples by
        default. Balls bound it first, and then each distance those before and after, by how far
        the links get from each other meanwhile."""
        times = self._course.way.times if times is None else times
        here = self._at(times, np.zeros(len(times)))
        halves = np.diff(times) / 2.0
        ways = self._at(times[:-1] + halves, halves) if len(halves) else None
        every = np.arange(len(times))
        bounds = np.array([here.gaps(pair, every) for pair in pairs])
        best, whose = np.inf, pairs[0]
        for number in bounds.min(axis=1).argsort().tolist():
            pair, own = pairs[number], bounds[number]
            travel = np.zeros(len(times))
            if ways is not None and own.min() < best:
                travel[1:] = np.cumsum(2.0 * ways.sway(pair))
            while own.min() < best and best > 0.0:
                k = int(own.argmin())
                distance = self._measure(pair, here, k).distance
                if distance < best:
                    best, whose = distance, pair
                own = np.maximum(own, distance - np.abs(travel - travel[k]))
                own[k] = np.inf
        return best, whose

    def _at(self, times: Array, reach: Array) -> Moments:
        """The moments at times; `reach` in seconds."""
        samples = self._course.way.times
        spans = np.clip(np.searchsorted(samples, times, "right") - 1, 0, max(len(samples) - 2, 0))
        lengths = np.diff(samples)[spans] if len(samples) > 1 else np.ones(len(times))
        return self._course.at(spans, (times - samples[spans]) / lengths, reach / lengths)

    def _measure(self, pair: Pair, moments: Moments, k: int, most: float = np.inf) -> Nearest:
        rotation, place = moments.relate(pair, np.array([k]))
        return self._tester.measure(pair, rotation[0], place[0], most)
