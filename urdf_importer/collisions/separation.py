# SPDX-License-Identifier: GPL-3.0-or-later
"""Proofs that shapes are apart, over many poses at once.

Balls first, then hulls: a plane between two of them is looked for by going from point to point of
their difference (Gilbert 1966), in all poses side by side. A pair without a proof after some steps
is near or touches, and a tester decides. A proof is never wrong, so no collision is missed; hulls
of many triangles are replaced by larger hulls of few.
"""

import numpy as np
from numpy.typing import NDArray

from .parts import Part
from .sampling import Frames

Array = NDArray[np.float64]
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
    first: Part, second: Part, rotations: Array, places: Array, margins: Array | float = 0.0
) -> Places:
    """Returns which of the poses (S) leave the parts nearer than `margins` (S,), in metres, or
    touching; in all others they are further apart. `rotations` (S, 3, 3) and `places` (S, 3) are
    the second link's frame in the first one's."""
    centers = rotations @ second.center + places - first.center
    margins = np.broadcast_to(margins, len(places))
    reach = first.radius + second.radius + margins
    left = np.flatnonzero(np.einsum("si,si->s", centers, centers) <= reach * reach)
    margin = first.margin + second.margin + ROUNDING + margins[left]
    points = first.hull.T
    between = -centers[left]
    for _ in range(_STEPS):
        if not len(left):
            break
        turned = np.einsum("sij,si->sj", rotations[left], between)
        nearest = first.hull[(between @ points).argmin(axis=1)]
        farthest = second.hull[(turned @ second.hull.T).argmax(axis=1)]
        there = np.einsum("sij,sj->si", rotations[left], farthest) + places[left]
        support = nearest - there
        gaps = np.einsum("si,si->s", support, between)
        open_ = gaps <= margin * np.sqrt(np.einsum("si,si->s", between, between))
        left, between, support = left[open_], between[open_], support[open_]
        margin = margin[open_]
        between = nearest_to_origin(between, support)
    return left


def nearest_to_origin(start: Array, end: Array) -> Array:
    """Returns the points (S, 3) of segments that are nearest to the origin."""
    way = end - start
    squares = np.maximum(np.einsum("si,si->s", way, way), 1e-300)
    shares = np.clip(-np.einsum("si,si->s", start, way) / squares, 0.0, 1.0)
    nearest: Array = start + way * shares[:, None]
    return nearest
