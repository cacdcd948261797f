# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that touch in a series of poses: for views that are drawn, and for searches."""

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...core.diagnostics import quote
from ...core.geometry.transforms import Matrix, make_frame
from ...core.kinematics.tree import KinematicTree
from .pairs import Pair, PairTester, Parts
from .sampling import Array, Frames, Placer
from .separation import ROUNDING, Places, keep_near
from .testers import Tester

_SAME = 1e-5
"""Frames that are nearer to each other show the same pose: moving a robot does not pose it."""


class PoseTester:
    """Tests pairs of links in one pose after another: balls of all pairs at once, then the hulls of
    all close parts side by side, as separation.find_near does; then the tester, pairs that touched
    last first. `names` are the links, in the order of their frames."""

    def __init__(self, parts: Parts, pairs: Sequence[Pair], tester: Tester) -> None:
        self.names = tuple(dict.fromkeys(name for pair in pairs for name in pair))
        self.touching: tuple[Pair, ...] = ()
        self._pairs, self._tester = tuple(pairs), tester
        self._parts = [part for name in self.names for part in parts[name]]
        counts = [len(parts[name]) for name in self.names]
        index = {name: place for place, name in enumerate(self.names)}
        spans = list(pairwise(np.cumsum([0, *counts]).tolist()))
        self._links = _whole([[index[a], index[b]] for a, b in pairs], 2)
        rows = [
            [i, k, number]
            for number, (a, b) in enumerate(self._links.tolist())
            for i in range(*spans[a])
            for k in range(*spans[b])
        ]
        self._first, self._second, self._pair_of = _whole(rows, 3).T
        self._link_of = np.repeat(np.arange(len(counts)), counts)
        balls = PairTester({name: parts[name] for name in self.names}, tester).balls.values()
        self._balls = np.array([[*ball.center, ball.radius] for ball in balls]).reshape(-1, 4)
        own = [[*part.center, part.radius, part.margin] for part in self._parts]
        self._own = np.array(own).reshape(-1, 5)
        most = max((len(part.hull) for part in self._parts), default=1)
        hulls = [part.hull[np.minimum(np.arange(most), len(part.hull) - 1)] for part in self._parts]
        self._hulls = np.array(hulls).reshape(-1, most, 3)
        self._left: list[int] = []
        self._found: set[int] = set()

    def find_touching(self, tree: KinematicTree, frames: Frames) -> tuple[Pair, ...]:
        """Returns the touching pairs of the first pose that has some."""
        places = [tree.index[name] for name in self.names]
        self.begin(frames.rotations[places, 0], frames.places[places, 0])
        self.go_on()
        return self.touching

    def begin(self, rotations: Array, places: Array) -> None:
        """Begins with a pose: the frames (N, 3, 3) and (N, 3) of the links."""
        self._rotations, self._places = rotations, places
        before = set(self.touching)
        self._left = self._find_near().tolist()
        self._left.sort(key=lambda row: self._pairs[self._pair_of[row]] in before)
        self._found = set()

    def go_on(self, seconds: float = np.inf) -> bool:
        """Works for some time, but tests one pair of parts at least. Returns whether the pose is
        done: then `touching` are its pairs."""
        until = time.perf_counter() + seconds
        while self._left:
            row = self._left.pop()
            pair = int(self._pair_of[row])
            if pair not in self._found and self._touch(row):
                self._found.add(pair)
            if time.perf_counter() > until:
                break
        if not self._left:
            self.touching = tuple(self._pairs[number] for number in sorted(self._found))
        return not self._left

    def _touch(self, row: int) -> bool:
        first, second = self._first[row], self._second[row]
        one, other = self._link_of[first], self._link_of[second]
        back = self._rotations[one].T
        point = back @ (self._places[other] - self._places[one])
        pose = make_frame(back @ self._rotations[other], point)
        return self._tester.touches(self._parts[first], self._parts[second], pose)

    def _find_near(self) -> Places:
        """Returns the pairs of parts that neither balls nor planes prove to be apart."""
        centers = _move(self._rotations, self._balls[:, None, :3], self._places)[:, 0]
        close = _meet(centers, self._balls[:, 3], *self._links.T)
        left = np.flatnonzero(close[self._pair_of])
        turned, moved = self._rotations[self._link_of], self._places[self._link_of]
        centers = _move(turned, self._own[:, None, :3], moved)[:, 0]
        left = left[_meet(centers, self._own[:, 3], self._first[left], self._second[left])]
        ones, others = self._first[left], self._second[left]
        between = centers[ones] - centers[others]
        margins = self._own[ones, 4] + self._own[others, 4] + ROUNDING
        used, places = np.unique([ones, others], return_inverse=True)
        hulls = _move(turned[used], self._hulls[used], moved[used])
        ones, others = places.reshape(2, -1)

        def support(rows: Places, between: Array) -> Array:
            one, other = ones[rows], others[rows]
            here = np.einsum("khi,ki->kh", hulls[one], between).argmin(axis=1)
            there = np.einsum("khi,ki->kh", hulls[other], between).argmax(axis=1)
            return np.asarray(hulls[one, here] - hulls[other, there])

        near: Places = left[keep_near(between, margins, support)]
        return near


class PoseFilter:
    """Says which links of a robot touch in a pose; `complete` returns all joints' positions."""

    def __init__(
        self,
        tester: PoseTester,
        tree: KinematicTree,
        complete: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    ) -> None:
        self._tester, self._complete = tester, complete
        self._tree, self._placer = tree, Placer(tree)

    @property
    def touching(self) -> tuple[Pair, ...]:
        """The pairs of links that touched in the last pose."""
        return self._tester.touching

    def __call__(self, positions: Mapping[str, Any]) -> str:
        """Returns "'a' touches 'b'", and nothing where no links touch. `positions` are as
        forward_kinematics takes them; joints that they leave out are at zero, or as an armature
        shows them. Raises KinematicsError for wrong positions."""
        complete = self._complete(positions)
        values = {name: np.array([position]) for name, position in complete.items()}
        found = self._tester.find_touching(self._tree, self._placer.find_frames(values, 1))
        return f"{quote(found[0][0])} touches {quote(found[0][1])}" if found else ""


class ShownContacts:
    """Links that touch each other in the shown pose. `places` are objects of the scene whose
    matrix_world is the frame of a link, for each of the tester's names; `seats` are the frames
    (4, 4) of the tester's links in these, where they differ."""

    def __init__(
        self, tester: PoseTester, places: Sequence[Any], seats: Mapping[str, Matrix]
    ) -> None:
        self._tester, self._places = tester, tuple(places)
        self._seats = np.array([seats.get(name, np.eye(4)) for name in tester.names])
        self._shown: Array | None = None
        self._done = True

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of links that touched when a look was last done."""
        return self._tester.touching

    def look(self, world: Any, seconds: float = np.inf) -> bool:
        """Looks at the pose that is shown, for some time. Returns whether that is done. `world` is
        the robot's own frame, whose scale the links share."""
        if not self._places:
            return True
        shown = np.array([each.matrix_world for each in self._places])
        shown = np.array(world.inverted_safe()) @ shown @ self._seats
        if self._shown is None or np.abs(shown - self._shown).max() > _SAME:
            self._shown, self._done = shown, False
            self._tester.begin(shown[:, :3, :3], shown[:, :3, 3])
        self._done = self._done or self._tester.go_on(seconds)
        return self._done


def _whole(rows: list[list[int]], width: int) -> Places:
    return np.array(rows, dtype=np.intp).reshape(-1, width)


def _move(rotations: Array, points: Array, places: Array) -> Array:
    """Returns points (N, H, 3) of links in their frames (N) as points of the root."""
    moved: Array = np.einsum("nij,nhj->nhi", rotations, points) + places[:, None]
    return moved


def _meet(centers: Array, radii: Array, ones: Places, others: Places) -> Array:
    """Returns which pairs of balls meet."""
    between, reach = centers[ones] - centers[others], radii[ones] + radii[others]
    meets: Array = np.einsum("ki,ki->k", between, between) <= reach * reach
    return meets
