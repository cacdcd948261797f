# SPDX-License-Identifier: GPL-3.0-or-later
"""Which motion several joints or mates of one pair of bodies leave: the null-space rule.

Each joint and each mate is a set of linear conditions on the relative twist (w, v) of the two
bodies in the assembled pose: w the angular velocity, v the velocity of the point that lies at the
origin. The twists that fulfil all of them are the joint. Exact to first order; in a pose in which a
mechanism is singular it may leave more than there is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .graph import Matrix, Primitive, Vector

TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Freedom:
    """The joint that is left: its primitives from the first body to the second, and a point on its
    axes, which counts as exact within `slack`. `is_known` is False for a motion that no chain of
    primitives makes, such as a screw."""

    primitives: tuple[Primitive, ...]
    point: Vector
    slack: float
    is_known: bool = True


def slide_row(point: Vector, direction: Vector) -> Matrix:
    """Returns (1, 6): the bodies may not slide along a unit direction at a point."""
    return np.concatenate([np.cross(point, direction), direction])[None, :]


def turn_row(direction: Vector) -> Matrix:
    """Returns (1, 6): the bodies may not turn about a unit direction."""
    return np.concatenate([direction, np.zeros(3)])[None, :]


def rows_of_primitives(primitives: Sequence[Primitive], point: Vector) -> Matrix:
    """Returns (N, 6) conditions of a joint at a point, orthogonal to the allowed twists (w, v)."""
    twists: list[Vector] = []
    for primitive in primitives:
        if primitive.kind == "prismatic":
            twists.append(np.concatenate([np.zeros(3), primitive.axis]))
        elif primitive.kind == "revolute":
            twists.append(_turn(primitive.axis, point))
        elif primitive.kind == "spherical":
            twists += [_turn(axis, point) for axis in np.eye(3)]
    return null_space(np.array(twists)) if twists else np.eye(6)


def _turn(axis: Vector, point: Vector) -> Vector:
    return np.concatenate([axis, np.cross(point, axis)])


def null_space(rows: Matrix, tolerance: float = TOLERANCE) -> Matrix:
    """Returns (K, N) orthonormal rows that all given rows (M, N) are orthogonal to."""
    _, values, right = np.linalg.svd(rows, full_matrices=True)
    largest = values[0] if len(values) else 0.0
    rank = int((values > tolerance * max(largest, 1.0)).sum())
    basis: Matrix = right[rank:]
    return basis


def freedom_of_pair(
    rows: Sequence[Matrix],
    points: Sequence[Vector],
    places: Sequence[Vector],
    tolerance: float = TOLERANCE,
) -> Freedom:
    """Returns the freedom that conditions (N, 6) about the world's origin leave two bodies.

    `points` (3,) of the joints and mates and `places` (3,) of the bodies make the numbers sound and
    choose the point. Conditions that agree within `tolerance` are one.
    """
    size = max(float(np.ptp([*points, *places], axis=0).max()), 1e-6)
    center = np.mean(points or places, axis=0)
    twists = null_space(_move_rows(np.vstack([np.zeros((1, 6)), *rows]), center, size), tolerance)
    turns, slides = _split(twists)
    primitives, point, is_known = _as_primitives(turns, slides, tolerance)
    slack = 100 * tolerance * size
    return Freedom(
        primitives=primitives, point=center + size * point, slack=slack, is_known=is_known
    )


def _move_rows(rows: Matrix, center: Vector, size: float) -> Matrix:
    """The same conditions with the origin at `center` and `size` as the unit of length, each of
    unit length."""
    moved = rows.copy()
    # n . (v + w x (x - o)): the moment of the direction n about the new origin.
    moved[:, :3] -= np.cross(np.broadcast_to(center, (len(rows), 3)), rows[:, 3:])
    moved[:, 3:] *= size
    lengths = np.linalg.norm(moved, axis=1)
    kept = lengths > 1e-12
    result: Matrix = moved[kept] / lengths[kept, None]
    return result


def _split(twists: Matrix) -> tuple[Matrix, Matrix]:
    """A basis (R, 6) of twists that turn about independent directions, and one (T, 3) of slides."""
    if not len(twists):
        return np.zeros((0, 6)), np.zeros((0, 3))
    left, values, right = np.linalg.svd(twists[:, :3], full_matrices=True)
    rank = int((values > TOLERANCE).sum())
    mixed = left.T @ twists
    turns = mixed[:rank] / values[:rank, None]
    turns[:, :3] = right[:rank]
    slides = mixed[rank:, 3:]
    slides = slides / np.linalg.norm(slides, axis=1, keepdims=True) if len(slides) else slides
    return turns, _tidy_axes(slides)


def _as_primitives(
    turns: Matrix, slides: Matrix, tolerance: float
) -> tuple[tuple[Primitive, ...], Vector, bool]:
    """Slides first, then turns: in this order a chain of them is exact for all poses."""
    axes = _tidy_axes(turns[:, :3])
    if len(turns):
        # The twists of the same space whose angular parts are these axes.
        turns = axes @ np.linalg.pinv(turns[:, :3]) @ turns
    point, is_known = _common_point(turns, slides, tolerance)
    slid = tuple(Primitive(kind="prismatic", axis=axis, word="prismatic") for axis in slides)
    if len(turns) == 3:
        turned: tuple[Primitive, ...] = (Primitive(kind="spherical", word="spherical"),)
    else:
        turned = tuple(Primitive(kind="revolute", axis=axis, word="revolute") for axis in axes)
    return slid + turned, point, is_known


def _common_point(turns: Matrix, slides: Matrix, tolerance: float) -> tuple[Vector, bool]:
    """The point nearest to the origin about which all turns turn, where slides may supply the rest:
    v = p x w + slides. False where there is none."""
    if not len(turns):
        return np.zeros(3), True
    count = len(slides)
    unknowns = 3 + count * len(turns)
    system = np.zeros((3 * len(turns), unknowns))
    for index, turn in enumerate(turns):
        rows = slice(3 * index, 3 * index + 3)
        x, y, z = turn[:3]
        # p x w as a matrix that acts on p
        system[rows, :3] = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        columns = slice(3 + count * index, 3 + count * (index + 1))
        system[rows, columns] = slides.T
    wanted = turns[:, 3:].ravel()
    solution, _, _, _ = np.linalg.lstsq(system, wanted, rcond=1e-9)
    gap = float(np.abs(system @ solution - wanted).max())
    point: Vector = solution[:3]
    return point, gap < 1e2 * tolerance


def _tidy_axes(axes: Matrix) -> Matrix:
    """An orthonormal basis of the same directions, along the world's axes where these lie in them;
    a single axis points the way in which its largest part is positive."""
    if not len(axes):
        return axes
    _, _, basis = np.linalg.svd(axes, full_matrices=False)
    chosen: list[Vector] = []
    candidates = [*np.eye(3), *basis]
    for candidate in candidates:
        inside = basis.T @ (basis @ candidate)
        if abs(float(inside @ inside) - 1.0) > TOLERANCE or len(chosen) == len(basis):
            continue
        rest = _rest_of(inside, chosen)
        length = float(np.linalg.norm(rest))
        if length > 0.5:
            chosen.append(rest / length)
    while len(chosen) < len(basis):
        rests = [_rest_of(axis, chosen) for axis in basis]
        best = max(rests, key=lambda rest: float(rest @ rest))
        chosen.append(best / np.linalg.norm(best))
    return np.array([_positive(axis) for axis in chosen])


def _rest_of(axis: Vector, chosen: list[Vector]) -> Vector:
    """The part of a direction that is orthogonal to the chosen ones."""
    return axis - sum((other * float(other @ axis) for other in chosen), np.zeros(3))


def _positive(axis: Vector) -> Vector:
    largest = int(np.argmax(np.abs(np.round(axis, 9))))
    return -axis if axis[largest] < 0.0 else axis
