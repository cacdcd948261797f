# SPDX-License-Identifier: GPL-3.0-or-later
"""Proofs that shapes are apart, over many poses at once.

Balls first, then hulls: a plane between two of them is looked for by going from point to point of
their difference (Gilbert 1966), in all poses side by side. A pair without a proof after some steps
is near or touches, and a tester decides. A proof is never wrong, so no collision is missed; hulls
of many triangles are replaced by larger hulls of few.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .parts import TestedPart
from .sampling import Array, Frames

Places = NDArray[np.intp]

_STEPS = 24
ROUNDING = 1e-9


def relate(frames: Frames, first: int, second: int, poses: Places) -> tuple[Array, Array]:
    """Returns the frames of the second link in the first one's at these poses: rotations (S, 3, 3)
    and places (S, 3)."""
    turned = frames.rotations[first, poses].transpose(0, 2, 1)
    shift = frames.places[second, poses] - frames.places[first, poses]
    return turned @ frames.rotations[second, poses], np.einsum("sij,sj->si", turned, shift)


def find_near(
    first: TestedPart,
    second: TestedPart,
    rotations: Array,
    places: Array,
    margins: Array | float = 0.0,
) -> Places:
    """Returns which of the poses (S) leave the parts nearer than `margins` (S,), in metres, or
    touching; in all others they are further apart. `rotations` (S, 3, 3) and `places` (S, 3) are
    the second link's frame in the first one's."""
    centers = rotations @ second.center + places - first.center
    margins = np.broadcast_to(margins, len(places))
    reach = first.radius + second.radius + margins
    left = np.flatnonzero(np.einsum("si,si->s", centers, centers) <= reach * reach)
    points = first.hull.T

    def support(rows: Places, between: Array) -> Array:
        turns, own = rotations[left[rows]], places[left[rows]]
        turned = np.einsum("sij,si->sj", turns, between)
        nearest = first.hull[(between @ points).argmin(axis=1)]
        farthest = second.hull[(turned @ second.hull.T).argmax(axis=1)]
        return np.asarray(nearest - np.einsum("sij,sj->si", turns, farthest) - own)

    margin = first.margin + second.margin + ROUNDING + margins[left]
    return left[keep_near(-centers[left], margin, support)]


def keep_near(between: Array, margins: Array, support: Callable[[Places, Array], Array]) -> Places:
    """Returns the rows (K) of differences of hulls that no plane proves to be further than
    `margins` (K,) from the origin. `between` (K, 3) are points of them; `support` returns, for some
    rows and directions of these, the point that is farthest back."""
    rows = np.arange(len(between))
    for _ in range(_STEPS):
        if not len(rows):
            break
        points = support(rows, between)
        gaps = np.einsum("si,si->s", points, between)
        open_ = gaps <= margins[rows] * np.sqrt(np.einsum("si,si->s", between, between))
        rows, start, way = rows[open_], between[open_], (points - between)[open_]
        squares = np.maximum(np.einsum("si,si->s", way, way), 1e-300)
        shares = np.clip(-np.einsum("si,si->s", start, way) / squares, 0.0, 1.0)
        between = start + way * shares[:, None]
    return rows
