# SPDX-License-Identifier: GPL-3.0-or-later
"""The limbs of a person among nameless points: by lengths, heights and where the feet point.

Bones of no length belong to their parents. Two branches of one bone that are alike are a pair of
limbs; the lowest pair are legs. Elbow and wrist are the last two joints of a limb behind long
pieces: some collarbones are longer than forearms. Names decide only where this finds nothing, and
which side is the left one.
"""

import re
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from .person import Person
from .solve import unit

LimbKind = Literal["leg", "arm"]
_BRANCH, _ALIKE, _FIRST, _LONG = 0.15, 0.12, 0.15, 0.62
_MOST_FRAMES = 120
"""Lengths are medians of so many frames."""
_MIDDLE = {
    "arm": re.compile(r"fore_?arm|lower_?arm|elbow", re.IGNORECASE),
    "leg": re.compile(r"knee|shin|calf|lower_?leg|(?<!up)(?<!upper)(?<!upper_)leg", re.IGNORECASE),
}
_END = {
    "arm": re.compile(r"hand|wrist", re.IGNORECASE),
    "leg": re.compile(r"foot|ankle", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonLimb:
    """Places of points: `root` is the shoulder or hip, `middle` the elbow or knee, `end` the wrist
    or ankle, `tip` beyond it, -1 where there is none; `bones` all bones of the limb."""

    kind: LimbKind
    side: str
    root: int
    middle: int
    end: int
    tip: int
    bones: frozenset[int]

    @property
    def last(self) -> int:
        """The last of its points."""
        return self.tip if self.tip >= 0 else self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonBody:
    """The limbs of a person, in pairs, left first; a dog has its hind legs before its front
    legs. `spine` are the points from the hips to the chest, without both."""

    legs: tuple[PersonLimb, ...]
    arms: tuple[PersonLimb, ...]
    spine: tuple[int, ...]

    @property
    def limbs(self) -> tuple[PersonLimb, ...]:
        return self.legs + self.arms


class _Skeleton:
    """Lengths and branches of a person's bones, without bones of no length."""

    def __init__(self, person: Person) -> None:
        self.person = person
        step = max(len(person.points) // _MOST_FRAMES, 1)
        self.points = person.points[::step]
        count = len(person.names)
        parents = np.array(person.parents)
        apart = self.points - self.points[:, np.maximum(parents, 0)]
        lengths = np.median(np.linalg.norm(apart, axis=2), axis=0)
        lengths[parents < 0] = 0.0
        self.size = float(np.ptp(self.points, axis=1).max(initial=1e-9))
        self.children: list[list[int]] = [[] for _ in range(count)]
        self.above = [-1] * count
        self.lengths = lengths
        stands_for = list(range(count))
        for bone in range(count):
            parent = person.parents[bone]
            if parent < 0:
                continue
            if lengths[bone] < 1e-3 * self.size:
                stands_for[bone] = stands_for[parent]
            else:
                self.above[bone] = stands_for[parent]
                self.children[stands_for[parent]].append(bone)
        self.reach = np.zeros(count)
        for bone in range(count - 1, -1, -1):
            if self.above[bone] >= 0:
                up = self.above[bone]
                self.reach[up] = max(self.reach[up], self.reach[bone] + lengths[bone])

    def length(self, branch: int) -> float:
        return float(self.lengths[branch] + self.reach[branch])

    def follow(self, branch: int) -> list[int]:
        """Returns the longest chain of a branch."""
        chain = [branch]
        while self.children[chain[-1]]:
            chain.append(max(self.children[chain[-1]], key=self.length))
        return chain

    def below(self, branch: int) -> frozenset[int]:
        found = {branch}
        for bone, parent in enumerate(self.person.parents):
            if parent in found:
                found.add(bone)
        return frozenset(found)

    def height(self, bone: int) -> float:
        return float(np.median(self.points[:, bone, 2]))


def find_body(person: Person) -> PersonBody:
    """Finds the limbs of a person; none where no two branches are alike."""
    bones = _Skeleton(person)
    pairs = _find_pairs(bones)
    legs = min(pairs, key=lambda pair: _lowest(bones, pair), default=None)
    others = [pair for pair in pairs if pair is not legs and not _holds(bones, legs, pair)]
    arms = max(others, key=lambda pair: bones.length(pair[0]), default=None)
    if legs is not None and arms is None and not _are_low(bones, legs):
        legs, arms = None, legs
    found = {
        "leg": _make_pair(bones, "leg", legs) or _find_named(bones, "leg"),
        "arm": _make_pair(bones, "arm", arms) or _find_named(bones, "arm"),
    }
    left = _find_left(person, *found.values())
    both = {kind: _name_sides(person, pair, left) for kind, pair in found.items()}
    body = PersonBody(legs=both["leg"], arms=both["arm"], spine=_find_spine(bones, both))
    if is_on_four(person, body) and _goes_backward(person, body):
        hind = tuple(replace(limb, kind="leg") for limb in body.arms)
        front = tuple(replace(limb, kind="arm") for limb in body.legs)
        body = PersonBody(legs=hind, arms=front, spine=body.spine[::-1])
    return body


def is_on_four(person: Person, body: PersonBody) -> bool:
    """Whether the person is an animal on four legs: both pairs end next to the ground."""
    if not body.legs or not body.arms:
        return False
    heights = np.median(person.points[:, :, 2], axis=0)
    low, high = float(heights.min()), float(heights.max())
    return bool((heights[[limb.last for limb in body.arms]] < low + 0.25 * (high - low)).all())


def _goes_backward(person: Person, body: PersonBody) -> bool:
    """Whether the arms of an animal on four legs are its hind legs, as paws point."""
    forward = np.zeros((len(person.points), 2))
    for limb in body.limbs:
        a, b = (limb.end, limb.tip) if limb.tip >= 0 else (limb.middle, limb.end)
        forward += (person.points[:, b] - person.points[:, a])[:, :2]
    legs, arms = (
        person.points[:, [limb.root for limb in pair], :2].mean(axis=1)
        for pair in (body.legs, body.arms)
    )
    return float(np.median(((arms - legs) * forward).sum(axis=1))) < 0.0


def list_chains(person: Person, bone: int) -> list[list[int]]:
    """Returns the longest chain of each branch of a bone."""
    bones = _Skeleton(person)
    return [bones.follow(branch) for branch in bones.children[bone]]


def _find_pairs(bones: _Skeleton) -> list[tuple[int, int]]:
    """Pairs of branches of one bone, all that are alike."""
    body, pairs = float(bones.reach.max()), []
    for children in bones.children:
        long = [each for each in children if bones.length(each) > _BRANCH * body]
        pairs += [pair for pair in combinations(long, 2) if _are_alike(bones, *pair)]
    return pairs


def _are_alike(bones: _Skeleton, one: int, other: int) -> bool:
    a, b = bones.length(one), bones.length(other)
    first, second = float(bones.lengths[one]), float(bones.lengths[other])
    return abs(a - b) <= _ALIKE * max(a, b) and abs(first - second) <= _FIRST * max(first, second)


def _lowest(bones: _Skeleton, pair: tuple[int, int]) -> float:
    return sum(bones.height(bones.follow(each)[-1]) for each in pair)


def _are_low(bones: _Skeleton, pair: tuple[int, int]) -> bool:
    """Whether the ends of a lone pair are the lowest points: legs without arms."""
    floor = float(np.median(bones.points[:, :, 2].min(axis=1)))
    return _lowest(bones, pair) / 2 < floor + 0.1 * bones.size


def _holds(bones: _Skeleton, legs: tuple[int, int] | None, pair: tuple[int, int]) -> bool:
    return legs is not None and any(pair[0] in bones.below(leg) for leg in legs)


def _make_pair(
    bones: _Skeleton, kind: LimbKind, pair: tuple[int, int] | None
) -> tuple[PersonLimb, ...]:
    limbs = [] if pair is None else [_make_limb(bones, kind, each) for each in pair]
    return tuple(each for each in limbs if each is not None) if None not in limbs else ()


def _make_limb(bones: _Skeleton, kind: LimbKind, branch: int) -> PersonLimb | None:
    chain = _straighten(bones, [bones.above[branch], *bones.follow(branch)])
    joints = [each for each in chain[1:] if bones.person.names[each]]
    if len(joints) < 3:
        joints = chain[1:]
    spans = [_span(bones, chain, each) for each in joints]
    long = [each for each, span in zip(joints, spans, strict=True) if span >= _LONG * max(spans)]
    if kind == "arm":  # Some forearms are short beside a long upper arm.
        found = (
            next((each for each in joints if name.search(bones.person.names[each])), -1)
            for name in (_MIDDLE[kind], _END[kind])
        )
        named = [each for each in found if each >= 0]
        long = named if len(named) == 2 and named[0] < named[1] else long
    if len(long) < 2:
        return None
    middle, end = long[-2:]
    return _limb(bones, kind, (chain[chain.index(middle) - 1], middle, end), branch)


def _limb(
    bones: _Skeleton, kind: LimbKind, places: tuple[int, int, int], branch: int
) -> PersonLimb:
    root, middle, end = places
    tip = next(iter(bones.follow(end)[1:]), -1)
    return PersonLimb(
        kind=kind, side="", root=root, middle=middle, end=end, tip=tip, bones=bones.below(branch)
    )


def _span(bones: _Skeleton, chain: list[int], bone: int) -> float:
    before = chain[chain.index(bone) - 1]
    away = np.median(np.linalg.norm(bones.points[:, bone] - bones.points[:, before], axis=1))
    return float(away)


def _straighten(bones: _Skeleton, chain: list[int]) -> list[int]:
    """Leaves out points in the middle of pieces, such as bones for twist: they never bend. Hands
    may not bend either: they carry fingers, or end.
    """
    if len(bones.points) < 5:
        return chain
    kept = chain
    for bone in chain[1:-1]:
        place = kept.index(bone)
        before, here, after = (bones.points[:, each] for each in kept[place - 1 : place + 2])
        one, other = unit(here - before), unit(after - here)
        inside = len(bones.children[bone]) == 1 and bool(bones.children[kept[place + 1]])
        if inside and len(kept) > 5 and (one * other).sum(axis=1).min() > 0.9998:
            kept = [each for each in kept if each != bone]
    return kept


def _find_named(bones: _Skeleton, kind: LimbKind) -> tuple[PersonLimb, ...]:
    """Finds a pair of limbs by the names of elbow and wrist, or knee and ankle."""
    names, found = bones.person.names, []
    for middle, name in enumerate(names):
        root = bones.above[middle]
        if not _MIDDLE[kind].search(name) or root < 0 or _MIDDLE[kind].search(names[root]):
            continue
        ends = [b for b in sorted(bones.below(middle)) if _END[kind].search(names[b])]
        if not ends or ends[0] == middle:
            continue
        found.append(_limb(bones, kind, (root, middle, ends[0]), root))
    return tuple(found) if len(found) == 2 else ()


def _find_left(person: Person, *pairs: tuple[PersonLimb, ...]) -> dict[tuple[int, int], int]:
    """Returns for each pair, by the ends of its limbs, 1 where its first limb is on the left, seen
    in the direction in which feet, else knees point; -1 where the second is."""
    forward = np.zeros((len(person.points), 2))
    for limb in pairs[0]:
        a, b = (limb.end, limb.tip) if limb.tip >= 0 else (limb.root, limb.middle)
        forward += (person.points[:, b] - person.points[:, a])[:, :2]
    found = {}
    for pair in pairs:
        if len(pair) == 2:
            across = (person.points[:, pair[0].root] - person.points[:, pair[1].root])[:, :2]
            left = forward[:, 0] * across[:, 1] - forward[:, 1] * across[:, 0]
            found[pair[0].end, pair[1].end] = 1 if np.sign(left).sum() >= 0 else -1
    return found


def _name_sides(
    person: Person, pair: tuple[PersonLimb, ...], left: dict[tuple[int, int], int]
) -> tuple[PersonLimb, ...]:
    """Returns a pair with its sides, the left limb first. Names win where they tell sides."""
    if len(pair) != 2:
        return ()
    one, other = pair
    told = 0
    for places in ((one.middle, other.middle), (one.root, other.root)):
        told = told or compare_sides(*(person.names[place] for place in places))
    ordered = pair if (told or left[one.end, other.end]) > 0 else pair[::-1]
    return tuple(replace(limb, side=s) for s, limb in zip(("left", "right"), ordered, strict=True))


def compare_sides(one: str, other: str) -> int:
    """Returns 1 where the one name is the left one's and the other the right one's, -1 where it is
    the other way round, and 0 where the names do not tell: by the part in which they differ."""
    pairs = zip(one, other, strict=False)
    differing = next((a + b for a, b in pairs if a != b), "")
    return {"lr": 1, "rl": -1}.get(differing.lower(), 0)


def _find_spine(bones: _Skeleton, pairs: dict[str, tuple[PersonLimb, ...]]) -> tuple[int, ...]:
    if not pairs["leg"] or not pairs["arm"]:
        return ()
    ways = [_way_up(bones, pair[0].root) for pair in (pairs["leg"], pairs["arm"])]
    shared = set(ways[0]) & set(ways[1])
    others = {each for pair in pairs.values() for limb in pair for each in limb.bones}
    return tuple(each for each in reversed(ways[1]) if each not in shared and each not in others)


def _way_up(bones: _Skeleton, bone: int) -> list[int]:
    way = []
    while bone >= 0:
        way.append(bone)
        bone = bones.above[bone]
    return way
