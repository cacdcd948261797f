# SPDX-License-Identifier: GPL-3.0-or-later
"""Two links: provably apart by balls and planes, or asked of a tester."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.geometry.transforms import make_frame
from .parts import TestedPart
from .sampling import Array
from .separation import find_near
from .testers import Nearest, Tester

Parts = Mapping[str, tuple[TestedPart, ...]]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Ball:
    """A ball around all parts of a link, in the link's frame."""

    center: Array
    radius: float


class PairTester:
    """Tests pairs of links. Everywhere `rotation(s)` and `place(s)` are the second link's frame in
    the first one's."""

    def __init__(self, parts: Parts, tester: Tester) -> None:
        self._parts = parts
        self._tester = tester
        self.balls = {name: _enclose(own) for name, own in parts.items()}

    def find_near(
        self, pair: Pair, rotations: Array, places: Array, margins: Array | float = 0.0
    ) -> NDArray[np.intp]:
        """Returns which poses (S) leave some parts not provably further apart than `margins`."""
        near = np.zeros(len(places), bool)
        margins = np.broadcast_to(margins, len(places))
        for first in self._parts[pair[0]]:
            for second in self._parts[pair[1]]:
                left = np.flatnonzero(~near)
                found = find_near(first, second, rotations[left], places[left], margins[left])
                near[left[found]] = True
        return np.flatnonzero(near)

    def touch(self, pair: Pair, rotation: Array, place: Array, margin: float = 0.0) -> bool:
        """Whether two links touch, or are as near as `margin`."""
        pose = make_frame(rotation, place)
        for second in self._parts[pair[1]]:
            center = rotation @ second.center + place
            for first in self._parts[pair[0]]:
                apart = float(np.linalg.norm(center - first.center))
                if apart <= first.radius + second.radius + margin and self._tester.touches(
                    first, second, pose, margin
                ):
                    return True
        return False

    def measure(self, pair: Pair, rotation: Array, place: Array, most: float = np.inf) -> Nearest:
        """Returns the distance of two links, 0 where they touch, and where it is, in the first
        link's frame: the nearest parts by their balls first. Of links that are further apart than
        `most` the distance is `most`."""
        pose = make_frame(rotation, place)
        ones, others = (self._parts[name] for name in pair)
        if len(ones) == len(others) == 1:
            return self._tester.measure(ones[0], others[0], pose, most)
        order = sorted(
            (
                float(np.linalg.norm(rotation @ second.center + place - first.center))
                - first.radius
                - second.radius,
                i,
                k,
            )
            for i, first in enumerate(ones)
            for k, second in enumerate(others)
        )
        best = Nearest(most, np.zeros(3))
        for least, i, k in order:
            if least < best.distance and best.distance > 0.0:
                found = self._tester.measure(ones[i], others[k], pose, best.distance)
                best = found if found.distance < best.distance else best
        return best


def _enclose(parts: tuple[TestedPart, ...]) -> Ball:
    center = (
        np.min([part.lower for part in parts], axis=0)
        + np.max([part.upper for part in parts], axis=0)
    ) / 2.0
    radius = max(float(np.linalg.norm(part.center - center)) + part.radius for part in parts)
    return Ball(center, radius)
