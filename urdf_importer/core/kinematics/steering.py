# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints by which a car is steered, and the wheels that drive it."""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations

from .drive import DriveWheels, pair_wheels
from .forward import place_joints
from .tree import KinematicTree

_STRAIGHT = 1e-3
"""Sine of the angle between a steering axis and the base's z; metres by which two may miss their
mirror images."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SteeredAxle:
    """`right` and `left` are the joints that steer, `track` metres apart; `driven` are the wheels
    `wheelbase` metres behind them."""

    right: str
    left: str
    track: float
    driven: DriveWheels
    wheelbase: float


def find_steering(
    tree: KinematicTree, *, base: str, passive: Collection[str] = ()
) -> SteeredAxle | None:
    """Finds two limited joints about the z axis of the link `base` that mirror each other in y,
    each with one free wheel, and one driven pair behind them, which is not `passive`; None where
    there are none."""
    knuckles = sorted(_find_knuckles(tree, base))
    driven = pair_wheels(tree, base=base, passive=passive) if len(knuckles) > 1 else None
    if driven is None or len(driven.left) != 1:
        return None
    for (y, x, right), (y2, x2, left) in combinations(knuckles, 2):
        mirrored = abs(x - x2) <= _STRAIGHT and abs(y + y2) <= _STRAIGHT and y2 > 0.0
        if mirrored and driven.axle[0] < x:
            wheelbase = x - driven.axle[0]
            return SteeredAxle(
                right=right, left=left, track=y2 - y, driven=driven, wheelbase=wheelbase
            )
    return None


def _find_knuckles(tree: KinematicTree, base: str) -> Iterator[tuple[float, float, str]]:
    """Yields y and x in the base's frame, and the name, of limited joints about z with a single
    wheel."""
    places = [place for place in range(len(tree.motions)) if _carries_a_wheel(tree, place)]
    for _, motion, frame in place_joints(tree, base, places):
        axis = frame[:3, :3] @ motion.axis
        if math.hypot(axis[0], axis[1]) <= _STRAIGHT and axis[2] > 0.0:
            yield float(frame[1, 3]), float(frame[0, 3]), motion.joint.name


def _carries_a_wheel(tree: KinematicTree, place: int) -> bool:
    """Whether the joint turns within limits, and all that moves on its link is a wheel."""
    motion = tree.motions[place]
    if motion is None or motion.kind != "revolute" or motion.lower is None or motion.mimic:
        return False
    below = (tree.motions[each] for each in tree.subtree(place)[1:])
    moving = [each for each in below if each is not None and each.moves]
    return len(moving) == 1 and moving[0].is_endless
