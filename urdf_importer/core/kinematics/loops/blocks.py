# SPDX-License-Identifier: GPL-3.0-or-later
"""A linkage in parts that can be solved one after the other, and the numbers that a rig needs.

Loops share joints, so that a leg is one linkage; but the loop of its spring alone determines its
joint's position, whatever the others do. Each part has fewer free joints than the whole.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations

import numpy as np

from ...geometry.transforms import Matrix, Vector, rotation_from_quaternion, rotations_about
from ..motion import JointMotion
from ..tree import KinematicTree
from .freedom import PER_RANK, find_general_jacobian
from .linkage import Linkage, Variable
from .newton import Closed, find_rank
from .plan import plan_linkage

_PER_TRY = 3e-5
"""Seconds of looking whether loops determine their followers."""
_STEP = 1e-5
"""Radians: how far rotations are turned to see how their angles change."""
ORDERS = ("XYZ", *("".join(each) for each in permutations("XYZ") if "".join(each) != "XYZ"))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoopBlock:
    """`linkage` holds the loops of the part and of earlier parts; `follows` marks the variables
    that are not free, `inputs` the free ones that may move, `bounds` their ranges. `outputs` are
    the followers that this part adds. `loops` are the names of its own loops."""

    linkage: Linkage
    follows: tuple[bool, ...]
    inputs: tuple[Variable, ...]
    bounds: tuple[tuple[float | None, float | None], ...]
    outputs: tuple[Variable, ...]
    loops: tuple[str, ...]


def split_linkage(
    tree: KinematicTree, linkage: Linkage, follows: Sequence[bool]
) -> Iterator[LoopBlock]:
    """Yields the parts of a linkage, prerequisites first."""
    splitter = _Splitter(linkage, follows)
    for own, names in splitter.split():
        needed = splitter.needed_by(own, names)
        loops = [linkage.closures[index].joint for index in sorted(needed)]
        part = plan_linkage(tree, loops, linkage.budget)
        assert part is not None
        moved = tuple(v.motion.joint.name in splitter.followers for v in part.variables)
        pairs = list(zip(part.variables, moved, strict=True))
        inputs = tuple(v for v, each in pairs if not each and not v.motion.is_locked)
        yield LoopBlock(
            linkage=part,
            follows=moved,
            inputs=inputs,
            bounds=tuple(_find_bounds(tree, each.motion) for each in inputs),
            outputs=tuple(v for v, each in pairs if each and v.motion.joint.name in names),
            loops=tuple(linkage.closures[index].joint.name for index in own),
        )


def _find_bounds(tree: KinematicTree, motion: JointMotion) -> tuple[float | None, float | None]:
    """Returns how far a free joint may go: by its limits, else by the limits of joints behind a
    gear."""
    low, high = motion.lower, motion.upper
    if low is not None or high is not None:
        return low, high
    for follower, mimic in tree.masters.items():
        geared = tree.motion_of[follower]
        if mimic.joint != motion.joint.name or mimic.multiplier == 0.0:
            continue
        if geared.lower is None or geared.upper is None:
            continue
        ends = [(end - mimic.offset) / mimic.multiplier for end in (geared.lower, geared.upper)]
        low = min(ends) if low is None else max(low, min(ends))
        high = max(ends) if high is None else min(high, max(ends))
    return low, high


class _Splitter:
    """Takes loops, or pairs of them, that determine all followers that they touch."""

    def __init__(self, linkage: Linkage, follows: Sequence[bool]) -> None:
        self._linkage = linkage
        self._jacobian = find_general_jacobian(linkage)
        self._columns = {
            variable.motion.joint.name: variable.columns
            for variable, each in zip(linkage.variables, follows, strict=True)
            if each
        }
        self.followers = frozenset(self._columns)
        ends = np.cumsum([0, *(len(closure.blocked) for closure in linkage.closures)])
        self._rows = [range(*each) for each in pairwise(ends.tolist())]
        mixing = np.abs(linkage.mixing)
        self._touched = [self._touch(np.abs(each.signs) @ mixing) for each in linkage.closures]
        self._solved_by: dict[str, frozenset[int]] = {}
        self._uses = Counter(name for touched in self._touched for name in touched)

    def split(self) -> Iterator[tuple[tuple[int, ...], frozenset[str]]]:
        """Yields places of closures and the followers that they determine."""
        waiting = [index for index, touched in enumerate(self._touched) if touched]
        while waiting:
            own = self._choose(waiting)
            names = self._unknown(own)
            self._uses.subtract(name for index in own for name in self._touched[index])
            yield own, names
            needed = self.needed_by(own, names)
            self._solved_by |= dict.fromkeys(names, needed)
            waiting = [each for each in waiting if each not in own and self._unknown((each,))]

    def needed_by(self, own: Sequence[int], names: frozenset[str]) -> frozenset[int]:
        """Returns the closures that followers depend on, through other followers too."""
        touched = frozenset[str]().union(*(self._touched[index] for index in own)) - names
        before = (self._solved_by.get(name, frozenset[int]()) for name in touched)
        return frozenset(own).union(*before)

    def _touch(self, weights: Vector) -> frozenset[str]:
        return frozenset(n for n, columns in self._columns.items() if weights[columns].any())

    def _unknown(self, own: Sequence[int]) -> frozenset[str]:
        touched = frozenset[str]().union(*(self._touched[index] for index in own))
        return touched - self._solved_by.keys()

    def _choose(self, waiting: Sequence[int]) -> tuple[int, ...]:
        for size in (1, 2):
            for own in combinations(waiting, size):
                if self._is_determined(own):
                    return own
        return tuple(waiting)

    def _is_determined(self, own: tuple[int, ...]) -> bool:
        names = self._unknown(own)
        uses = Counter(name for index in own for name in self._touched[index])
        if all(uses[name] == self._uses[name] for name in names):
            return True
        rows = [row for index in own for row in self._rows[index]]
        columns = [
            column
            for name in names
            for column in range(self._columns[name].start, self._columns[name].stop)
        ]
        self._linkage.budget.spend(_PER_TRY + PER_RANK * len(rows) * len(columns) ** 2)
        return find_rank(self._jacobian[np.ix_(rows, columns)]) == len(columns)


class AngleReader:
    """Reads the numbers of a rig from closed poses: one for each joint with one degree of freedom,
    three angles for each ball joint, in an order of Blender's by `orders` (joint -> order)."""

    def __init__(self, outputs: Sequence[Variable], orders: Mapping[str, str]) -> None:
        self._outputs = outputs
        self._orders = orders
        self.names = tuple(
            (each.motion.joint.name, number)
            for each in outputs
            for number in range(1 if each.is_single else 3)
        )
        self.turning = np.array(
            [each.motion.kind != "prismatic" for each in outputs for _ in range(_count(each))]
        )

    def read(self, closed: Closed, near: Vector | None) -> Vector:
        """Returns (m,) the numbers; angles of balls are the nearest to `near` (m,)."""
        found: list[Vector] = []
        for each in self._outputs:
            if each.is_single:
                found.append(closed.pose.values[each.columns])
                continue
            start = sum(map(len, found))
            wanted = np.zeros(3) if near is None else near[start : start + 3]
            found.append(angles_of(self._rotation(each, closed), self._order(each), wanted))
        return np.concatenate(found)

    def rates(self, closed: Closed, near: Vector, speeds: Vector) -> Vector:
        """Returns (m,) how fast the numbers change where variables do by `speeds` (n,)."""
        found: list[Vector] = []
        for each in self._outputs:
            speed = speeds[each.columns]
            start = sum(map(len, found))
            angles = near[start : start + _count(each)]
            found.append(speed if each.is_single else self._turn(each, closed, angles, speed))
        return np.concatenate(found)

    def _turn(self, each: Variable, closed: Closed, angles: Vector, speed: Vector) -> Vector:
        fast = float(np.linalg.norm(speed))
        if fast == 0.0:
            return np.zeros(3)
        rotation, axes = self._rotation(each, closed), np.tile(speed / fast, (2, 1))
        ahead, behind = rotation @ rotations_about(axes, np.array([_STEP, -_STEP]))
        order = self._order(each)
        change = angles_of(ahead, order, angles) - angles_of(behind, order, angles)
        return change * (fast / (2.0 * _STEP))

    def _rotation(self, each: Variable, closed: Closed) -> Matrix:
        return rotation_from_quaternion(closed.pose.several[each.motion.joint.name])

    def _order(self, each: Variable) -> str:
        return self._orders.get(each.motion.joint.name, "XYZ")


def _count(variable: Variable) -> int:
    return 1 if variable.is_single else 3


def choose_orders(outputs: Sequence[Variable], poses: Sequence[Closed]) -> dict[str, str]:
    """Returns ball joint -> the order of angles that keeps farthest from gimbal lock, which is
    where the middle angle is a right one. Blender's own comes first."""
    found = {}
    for each in outputs:
        if each.is_single:
            continue
        name = each.motion.joint.name
        turns = np.array([rotation_from_quaternion(pose.pose.several[name]) for pose in poses])
        room = [float(_find_room(turns, order).min()) for order in ORDERS]
        found[name] = "XYZ" if room[0] > 0.5 else ORDERS[int(np.argmax(room))]
    return found


def _find_room(rotations: Matrix, order: str) -> Vector:
    """Returns (N,) the cosines of the middle angles of rotations (N, 3, 3)."""
    first, _, last = ("XYZ".index(letter) for letter in order)
    return np.sqrt(np.clip(1.0 - rotations[:, last, first] ** 2, 0.0, 1.0))


def angles_of(rotation: Matrix, order: str, near: Vector) -> Vector:
    """Returns (3,) the angles about X, Y and Z of a rotation (3, 3), in Blender's order, whose
    first letter turns first: of all equivalent ones, the nearest to `near`."""
    i, j, k = ("XYZ".index(letter) for letter in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    r = rotation
    cosine = float(np.hypot(r[i, i], r[j, i]))
    first, last = np.arctan2(sign * r[k, j], r[k, k]), np.arctan2(sign * r[j, i], r[i, i])
    middle = np.arctan2(-sign * r[k, i], cosine)
    solutions = []
    for angles in ((first, middle, last), (first + np.pi, np.pi - middle, last + np.pi)):
        placed = np.zeros(3)
        placed[[i, j, k]] = angles
        solutions.append(placed + 2.0 * np.pi * np.round((near - placed) / (2.0 * np.pi)))
    return min(solutions, key=lambda each: float(np.abs(each - near).sum()))
