# SPDX-License-Identifier: GPL-3.0-or-later
"""The gaps of loops as formulas of their joints' positions.

The same gaps as Linkage.measure has, but for a turn: only their zeros count, so axes are compared
by products of vectors, without an angle.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ...geometry.transforms import Matrix, Vector
from .formulas import Sheet, Sum, add, number, scale, times, weigh
from .linkage import Closure, Linkage

Named = tuple[str, int]
"""A joint and which of its numbers: of ball joints the angle about X, Y or Z."""
_Vector = list[Sum]

_SHARED = 4
"""Where more vectors than this go through a joint, its link's axes and origin go instead."""
_SHORT = 5
"""Sums of more products get a line of their own before they are multiplied on."""


def write_gaps(
    sheet: Sheet, linkage: Linkage, numbers: Mapping[Named, Sum], orders: Mapping[str, str]
) -> list[Sum]:
    """Returns the gaps of all loops, shifts over the size, where joints are at `numbers`."""
    writer = _Writer(sheet, linkage, numbers, orders)
    return [gap for closure in linkage.closures for gap in writer.measure(closure)]


class _Writer:
    def __init__(
        self,
        sheet: Sheet,
        linkage: Linkage,
        numbers: Mapping[Named, Sum],
        orders: Mapping[str, str],
    ) -> None:
        self._sheet = sheet
        self._linkage = linkage
        self._turns = [
            _find_turns(sheet, linkage, place, numbers, orders)
            for place in range(len(linkage.parents))
        ]
        self._passing = _count_passing(linkage)
        self._frames: dict[int, list[_Vector]] = {}

    def measure(self, closure: Closure) -> list[Sum]:
        """Returns the gaps of one loop."""
        first, second = closure.frames
        one, other = closure.ends
        turn, back = first[:3, :3], second[:3, :3]
        apart = [
            add(there, scale(here, -1.0))
            for here, there in zip(
                self._carry(one, first[:3, 3], 1.0), self._carry(other, second[:3, 3], 1.0),
                strict=True,
            )
        ]  # fmt: skip
        shifts = [row[:3] for row in closure.blocked if row[:3].any()]
        turns = [row[3:] for row in closure.blocked if row[3:].any()]
        size = 1.0 / self._linkage.size
        if len(shifts) == 3:
            gaps = [scale(each, size) for each in apart]
        else:
            gaps = [scale(self._dot(self._carry(one, turn @ row, 0.0), apart), size)
                    for row in shifts]  # fmt: skip
        for row in turns:
            across, along = _find_square(row, closure.axis)
            here, there = (
                self._carry(one, turn @ across, 0.0),
                self._carry(other, back @ along, 0.0),
            )
            gaps.append(self._dot(here, there))
        return gaps

    def _dot(self, one: _Vector, other: _Vector) -> Sum:
        pairs = zip(one, other, strict=True)
        return add(*(times(self._shorten(a), self._shorten(b)) for a, b in pairs))

    def _shorten(self, total: Sum, most: int = 1) -> Sum:
        return self._sheet.write(total) if len(total) > most else total

    def _carry(self, place: int, vector: Vector, point: float) -> _Vector:
        """Takes a point (1.0) or a direction (0.0) from a link to the frame of the root."""
        found = [number(each) for each in vector]
        while place >= 0:
            if self._passing[place] > _SHARED:
                return self._express(place, found, point)
            found = [self._shorten(each, _SHORT) for each in self._move(place, found, point)]
            place = self._linkage.parents[place]
        return found

    def _express(self, place: int, vector: _Vector, point: float) -> _Vector:
        *axes, origin = self._frame(place)
        return [
            add(
                *(times(axis[row], each) for axis, each in zip(axes, vector, strict=True)),
                scale(origin[row], point),
            )
            for row in range(3)
        ]

    def _frame(self, place: int) -> list[_Vector]:
        """Returns the axes of a link and its origin, in the frame of the root."""
        if place not in self._frames:
            parent = self._linkage.parents[place]
            made = []
            for vector, point in zip(
                np.vstack([np.eye(3), np.zeros(3)]), (0, 0, 0, 1), strict=True
            ):
                moved = self._move(place, [number(each) for each in vector], point)
                if parent >= 0:
                    moved = self._express(
                        parent, [self._shorten(each, _SHORT) for each in moved], point
                    )
                made.append([self._shorten(each) for each in moved])
            self._frames[place] = made
        return self._frames[place]

    def _move(self, place: int, vector: _Vector, point: float) -> _Vector:
        """Takes a vector from a link to the link above."""
        linkage = self._linkage
        moved = _transform(linkage.after[place], vector, point)
        for axis, amount, turning in self._turns[place]:
            if turning:
                moved = _turn(axis, amount, moved)
            elif point:
                moved = [add(each, scale(amount[1], float(a)))
                         for each, a in zip(moved, axis, strict=True)]  # fmt: skip
        return _transform(linkage.before[place], moved, point)


_Turn = tuple[Vector, tuple[Sum, Sum], bool]
"""An axis; the sine and cosine of the angle about it, or how far along it, twice; whether it
turns."""


def _find_turns(
    sheet: Sheet,
    linkage: Linkage,
    place: int,
    numbers: Mapping[Named, Sum],
    orders: Mapping[str, str],
) -> list[_Turn]:
    """Returns how a joint moves its link, the movement next to the link first."""
    motion = linkage.motions[place]
    if motion is None:
        return []
    name = motion.joint.name
    if motion.kind == "spherical":
        letters = ["XYZ".index(letter) for letter in orders.get(name, "XYZ")]
        return [
            (np.eye(3)[index], _sine_of(sheet, numbers[name, index]), True) for index in letters
        ]
    (column,) = np.flatnonzero(linkage.movers == place)
    weights = linkage.mixing[column]
    singles = [v for v in linkage.variables if v.is_single and weights[v.columns.start]]
    amount = add(
        number(float(linkage.offsets[column])),
        weigh(
            (float(weights[v.columns.start]) for v in singles),
            (numbers[v.motion.joint.name, 0] for v in singles),
        ),
    )
    axis = linkage.axes[column]
    if linkage.turning[column]:
        return [(axis, _sine_of(sheet, amount), True)]
    return [(axis, (amount, amount), False)]


def _sine_of(sheet: Sheet, angle: Sum) -> tuple[Sum, Sum]:
    """Returns the sine and cosine of an angle."""
    if list(angle) in ([], [()]):
        value = angle.get((), 0.0)
        return number(float(np.sin(value))), number(float(np.cos(value)))
    sign = 1.0
    if len(angle) == 1 and next(iter(angle.values())) == -1.0:
        sign, angle = -1.0, scale(angle, -1.0)
    line = sheet.name_line(angle)
    return {((line, "sin"),): sign}, {((line, "cos"),): 1.0}


def _turn(axis: Vector, angle: tuple[Sum, Sum], vector: _Vector) -> _Vector:
    """Turns a vector about an axis by Rodrigues' formula."""
    sine, cosine = angle
    along = np.outer(axis, axis)
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return [
        add(
            weigh(along[row], vector),
            times(cosine, weigh((np.eye(3) - along)[row], vector)),
            times(sine, weigh(cross[row], vector)),
        )
        for row in range(3)
    ]


def _transform(frame: Matrix, vector: _Vector, point: float) -> _Vector:
    return [
        add(weigh(frame[row, :3], vector), number(float(frame[row, 3]) * point)) for row in range(3)
    ]


def _find_square(row: Vector, axis: Vector | None) -> tuple[Vector, Vector]:
    """Returns two directions, one on either side of a loop's joint, that are square to each other
    where it is not turned about `row` (3,); beside its axis, if it may turn about that."""
    if axis is not None:
        return np.cross(row, axis), axis
    index = int(np.argmax(np.abs(row)))
    return np.eye(3)[(index + 2) % 3], np.eye(3)[(index + 1) % 3]


def _count_passing(linkage: Linkage) -> Sequence[int]:
    """Counts the vectors of loops that go through each joint on their way to the root."""
    counts = [0] * len(linkage.parents)
    for closure in linkage.closures:
        turns = int(closure.blocked[:, 3:].any(axis=1).sum())
        shifts = len(closure.blocked) - turns
        own = (1 + turns + (shifts if shifts < 3 else 0), 1 + min(turns, 1))
        for place, count in zip(closure.ends, own, strict=True):
            while place >= 0:
                counts[place] += count
                place = linkage.parents[place]
    return counts
