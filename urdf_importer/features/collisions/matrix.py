# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pairs of links need no look for collisions, as MoveIt's setup assistant finds them.

1. Adjacent: joined by a joint, or through links without shapes; such a link joins all that it
   borders on.
2. Default: touching while every joint is at zero, or in the middle of its range where that leaves
   zero out.
3. Always: touching in more than 95 % of 200 poses drawn at random; repeated with other poses until
   no pair is found.
4. Never: not touching in any of these poses and of as many more as are asked for.

The first reason counts. A pair seen touching once is not asked for again in 4. The remaining pairs
must be looked at by a planner.
"""

from collections.abc import Generator, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...core.diagnostics import KinematicsError
from ...core.kinematics.tree import KinematicTree
from ...core.model import CollisionPair
from ...core.progress import Progress
from .pairs import Pair, PairTester, Parts
from .sampling import Frames, Sampler
from .separation import relate
from .testers import Tester

MOST_SAMPLES = 10_000_000
MOST_PAIRS = 2_000_000
_TRIAL = 200
_ALWAYS = 190
_AT_ONCE = 1000
_MOST_NUMBERS = 4_000_000


def find_pairs(
    tree: KinematicTree, parts: Parts, tester: Tester, samples: int, seed: int
) -> Generator[Progress, None, tuple[CollisionPair, ...]]:
    """Finds the pairs in steps, for progress bars; returns them in alphabetical order, the names of
    each sorted. The same seed gives the same pairs.

    Raises KinematicsError for a number of samples that makes no sense, and for too many links.
    """
    if not 0 <= samples <= MOST_SAMPLES:
        raise KinematicsError(f"the number of poses must be between 0 and {MOST_SAMPLES:,}")
    names = sorted(parts)
    if len(names) * (len(names) - 1) // 2 > MOST_PAIRS:
        raise KinematicsError(f"{len(names)} links have shapes, which is too many to try all pairs")
    search = PairSearch(tree, parts, tester)
    reasons = dict.fromkeys(find_adjacent(tree, parts), "Adjacent")
    left = [pair for pair in combinations(names, 2) if pair not in reasons]
    yield Progress(share=0.0, text=f"{len(left)} pairs of links")
    touching = yield from search.count(
        left, search.sampler.find_frames(search.sampler.start()), 1, 0.02
    )
    reasons |= {pair: "Default" for pair in left if touching[pair]}
    left = [pair for pair in left if pair not in reasons]
    # Rigidly joined links that do not touch now never do.
    reasons |= {pair: "Never" for pair in left if search.is_rigid(pair)}
    left = [pair for pair in left if pair not in reasons]
    generator = np.random.default_rng(seed)
    seen: set[Pair] = set()
    always = yield from _find_always(search, left, generator, seen)
    reasons |= dict.fromkeys(always, "Always")
    unseen = [pair for pair in left if pair not in reasons and pair not in seen]
    never = yield from _find_never(search, unseen, generator, samples)
    reasons |= dict.fromkeys(never, "Never")
    return tuple(CollisionPair(link1=a, link2=b, reason=reasons[a, b]) for a, b in sorted(reasons))


def find_adjacent(tree: KinematicTree, parts: Parts) -> list[Pair]:
    """Finds the pairs of links with shapes that a joint joins, or a chain of links without any.
    Takes time for the links and for the pairs that there are."""
    holder = list(range(len(tree.links)))
    for place, parent in enumerate(tree.parents):
        # Bare links are one with the bare links that carry them.
        bare = tree.links[place].name not in parts
        if bare and parent >= 0 and tree.links[parent].name not in parts:
            holder[place] = holder[parent]
    borders: dict[int, set[str]] = {}
    found: set[Pair] = set()
    for place, parent in enumerate(tree.parents):
        if parent < 0:
            continue
        upper, lower = tree.links[parent].name, tree.links[place].name
        if upper in parts and lower in parts:
            found.add((min(upper, lower), max(upper, lower)))
        elif upper in parts:
            borders.setdefault(holder[place], set()).add(upper)
        elif lower in parts:
            borders.setdefault(holder[parent], set()).add(lower)
    for names in borders.values():
        found.update(combinations(sorted(names), 2))
    return sorted(found)


def _find_always(
    search: "PairSearch", left: list[Pair], generator: np.random.Generator, seen: set[Pair]
) -> Generator[Progress, None, list[Pair]]:
    """Rounds of poses; `seen` takes the pairs that touch in one of them and are not found."""
    always: list[Pair] = []
    found = list(left)
    while found:
        frames = search.sampler.find_frames(search.sampler.draw(generator, _TRIAL))
        known = set(always)
        left = [pair for pair in left if pair not in known]
        counts = yield from search.count(left, frames, _ALWAYS + 1, 0.05, seen)
        seen.update(pair for pair, count in counts.items() if count)
        found = [pair for pair, count in counts.items() if count > _ALWAYS]
        always += found
    seen.difference_update(always)
    return always


def _find_never(
    search: "PairSearch", left: list[Pair], generator: np.random.Generator, samples: int
) -> Generator[Progress, None, list[Pair]]:
    done = 0
    while left and done < samples:
        # Of the pairs, not of the draws: the same seed gives the same poses however many are left.
        count = min(_AT_ONCE, samples - done)
        frames = search.sampler.find_frames(search.sampler.draw(generator, count))
        counts = yield from search.count(left, frames, 1, 0.1 + 0.9 * done / samples)
        left = [pair for pair in left if not counts[pair]]
        done += count
        text = f"{done:,} of {samples:,} poses, {len(left)} pairs never touch"
        yield Progress(share=0.1 + 0.9 * done / samples, text=text)
    return left


class PairSearch:
    """Tests pairs of links at many poses: provably separate ones first, then the tester."""

    def __init__(self, tree: KinematicTree, parts: Parts, tester: Tester) -> None:
        self.sampler = Sampler(tree)
        self._index = tree.index
        self._bodies = _find_bodies(tree)
        self._tester = PairTester(parts, tester)

    def is_rigid(self, pair: Pair) -> bool:
        """Whether two links never move against each other."""
        first, second = (self._bodies[self._index[name]] for name in pair)
        return first == second

    def count(
        self,
        pairs: list[Pair],
        frames: Frames,
        enough: int,
        share: float,
        seen: set[Pair] | frozenset[Pair] = frozenset(),
    ) -> Generator[Progress, None, dict[Pair, int]]:
        """Counts in how many poses each pair touches; no further than up to `enough`, and to 1
        where `enough` cannot be reached any more, or to nothing for pairs `seen` before."""
        counts = dict.fromkeys(pairs, 0)
        near = self._find_close(pairs, frames)
        for number, (pair, poses) in enumerate(near):
            if number % 20 == 0:
                yield Progress(share=share, text=f"pair {number + 1} of up to {len(pairs)}")
            counts[pair] = self._count_one(pair, frames, poses, enough, pair in seen)
        return counts

    def _count_one(
        self, pair: Pair, frames: Frames, poses: NDArray[np.intp], enough: int, seen: bool
    ) -> int:
        total = frames.places.shape[1]
        relation = relate(frames, self._index[pair[0]], self._index[pair[1]], poses)
        near = self._tester.find_near(pair, *relation)
        misses, count = total - len(near), 0
        for place in near.tolist():
            possible = total - misses >= enough
            if count >= enough or (not possible and (count or seen)):
                break
            if self._tester.touch(pair, relation[0][place], relation[1][place]):
                count += 1
            else:
                misses += 1
        return count

    def _find_close(
        self, pairs: list[Pair], frames: Frames
    ) -> Iterator[tuple[Pair, NDArray[np.intp]]]:
        """Yields the pairs whose balls meet in some poses, and these."""
        total, balls = frames.places.shape[1], self._tester.balls
        centers = {
            name: frames.rotations[self._index[name]] @ ball.center
            + frames.places[self._index[name]]
            for name, ball in balls.items()
        }
        step = max(1, _MOST_NUMBERS // (3 * total))
        for start in range(0, len(pairs), step):
            chosen = pairs[start : start + step]
            between = np.array([centers[a] - centers[b] for a, b in chosen])
            reach = np.array([balls[a].radius + balls[b].radius for a, b in chosen])
            close = np.einsum("psi,psi->ps", between, between) <= (reach * reach)[:, None]
            for pair, row in zip(chosen, close, strict=True):
                if row.any():
                    yield pair, np.flatnonzero(row)


def _find_bodies(tree: KinematicTree) -> list[int]:
    """Returns for each link the uppermost link rigidly joined with it."""
    bodies: list[int] = []
    for place, (parent, motion) in enumerate(zip(tree.parents, tree.motions, strict=True)):
        stays = motion is not None and motion.kind in ("fixed", "planar", "floating")
        bodies.append(bodies[parent] if stays else place)
    return bodies
