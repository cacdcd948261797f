# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot that is ready to be checked: its shapes, its tester, its pairs."""

from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..diagnostics import Diagnostic
from ..kinematics.tree import KinematicTree
from ..progress import Progress, finish
from .course import Course, Moments, Way
from .matrix import PairSearch, find_adjacent
from .pairs import Pair, PairTester, Parts
from .report import CollisionReport, LinkContact
from .sampling import Array
from .separation import relate
from .sweep import Sweep
from .testers import Nearest, Tester


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

    def with_objects(self, objects: Parts) -> "Checker":
        return replace(self, parts={**self.parts, **objects})

    def list_pairs(self, objects: Collection[str], allowed: Sequence[Pair]) -> list[Pair]:
        """Lists the pairs to look at: of links, and of links with objects."""
        left_out = {*self.disabled, *(frozenset(pair) for pair in allowed)}
        names = sorted(name for name in self.parts if name not in objects)
        pairs = [(a, b) for i, a in enumerate(names) for b in [*names[i + 1 :], *sorted(objects)]]
        return [pair for pair in pairs if frozenset(pair) not in left_out]

    def check(self, asked: Request) -> Generator[Progress, None, CollisionReport]:
        """Checks a way in steps."""
        pairs = PairTester(self.parts, self.tester)
        course = Course(self.tree, pairs.balls, asked.way)
        intervals = yield from Sweep(course, pairs, asked.pairs, asked.margin).run()
        gauge = _Gauge(course, pairs)
        contacts = [
            gauge.describe(pair, start, end, asked.margin)
            for pair, found in intervals.items()
            for start, end in found
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
    search = PairSearch(tree, parts, tester)
    found = {frozenset(pair) for pair in find_adjacent(tree, parts)}
    names = sorted(parts)
    every = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    left = [pair for pair in every if frozenset(pair) not in found]
    steps = search.count(left, search.sampler.place(search.sampler.start()), 1, 0.0)
    return found | {frozenset(pair) for pair, count in finish(steps).items() if count}


class _Gauge:
    """Distances along a course."""

    def __init__(self, course: Course, tester: PairTester) -> None:
        self._course = course
        self._tester = tester

    def describe(self, pair: Pair, start: float, end: float, margin: float) -> LinkContact:
        """Returns a contact with its point, and its distance, which without a margin is 0."""
        times = self._course.way.times
        moment = self._at(np.array([start]), np.zeros(1))
        found = self._measure(pair, moment, 0)
        one = self._course.index[pair[0]]
        frames, least = moment.frames, 0.0
        if margin > 0.0:
            inner = times[(times > start) & (times < end)]
            least = self.find_nearest([pair], np.unique([start, *inner, end]))[0]
        return LinkContact(
            link1=pair[0], link2=pair[1], start=start, end=end, distance=least,
            point=frames.rotations[one, 0] @ found.point + frames.places[one, 0],
        )  # fmt: skip

    def find_nearest(self, pairs: Sequence[Pair], times: Array | None = None) -> tuple[float, Pair]:
        """Returns the least distance at these times, rising, and whose it is; at all samples by
        default. Balls bound it first, and then each distance those before and after, by how far
        the links get from each other meanwhile."""
        times = self._course.way.times if times is None else times
        here = self._at(times, np.zeros(len(times)))
        halves = np.diff(times) / 2.0
        ways = self._at(times[:-1] + halves, halves) if len(halves) else None
        bounds = np.array([self._bound(pair, here) for pair in pairs])
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

    def _bound(self, pair: Pair, moments: Moments) -> Array:
        """Returns how far the balls of two links are apart (M,), less than 0 where they meet."""
        frames, balls = moments.frames, self._tester.balls
        places = [self._course.index[name] for name in pair]
        one, other = (
            frames.rotations[place] @ balls[name].center + frames.places[place]
            for place, name in zip(places, pair, strict=True)
        )
        apart = np.linalg.norm(one - other, axis=1)
        return np.asarray(apart - balls[pair[0]].radius - balls[pair[1]].radius)

    def _at(self, times: Array, reach: Array) -> Moments:
        """The moments at times; `reach` in seconds."""
        samples = self._course.way.times
        spans = np.clip(np.searchsorted(samples, times, "right") - 1, 0, max(len(samples) - 2, 0))
        lengths = np.diff(samples)[spans] if len(samples) > 1 else np.ones(len(times))
        return self._course.at(spans, (times - samples[spans]) / lengths, reach / lengths)

    def _measure(self, pair: Pair, moments: Moments, k: int) -> Nearest:
        one, other = (self._course.index[name] for name in pair)
        rotation, place = relate(moments.frames, one, other, np.array([k]))
        return self._tester.measure(pair, rotation[0], place[0])
