# SPDX-License-Identifier: GPL-3.0-or-later
"""A person in motion: points over time, and nothing of how they were recorded."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...core.diagnostics import Diagnostics, KinematicsError
from ..motion.trajectory import Numbers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Person:
    """names (n) of bones, empty where a bone ends; parents (n), -1 for roots, parents first; points
    (m, n, 3) where each bone begins, in one unit of length, z up; turns (m, n, 3, 3) of the bones,
    each against some pose of its own; rate in frames per second; source, which errors name;
    name, after which keys are called; first_frame where the motion begins in its scene; whether it
    is shown there."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    points: Numbers
    turns: Numbers
    rate: float
    source: str = ""
    name: str = ""
    first_frame: float = 1.0
    is_shown: bool = False

    def start(self, frame: float | None) -> float:
        """Returns the frame in which a robot begins to follow, where one is asked for or not."""
        return self.first_frame if frame is None else frame


def bridge_frames(person: Person, diagnostics: Diagnostics) -> Person:
    """Returns the person with frames that have numbers that are not finite in between their
    neighbours, which is one warning. Raises KinematicsError where no frame has all its numbers."""
    good = _find_sound(person.points)
    if good.all() and len(good):
        return person
    if not good.any():
        raise KinematicsError("no frame of the motion has finite numbers", source=person.source)
    frames = np.arange(len(good))
    points, turns = person.points.copy(), person.turns.copy()
    for columns in (points.reshape(len(good), -1), turns.reshape(len(good), -1)):
        between = [np.interp(frames[~good], frames[good], column) for column in columns[good].T]
        columns[~good] = np.stack(between, axis=1)
    what = f"{int((~good).sum())} of {len(good)} frames have numbers that are not finite"
    diagnostics.warning("motion-bridged", f"{what}; they are taken between their neighbours")
    return replace(person, points=points, turns=turns)


def stand_up(person: Person) -> Person:
    """Returns the person of a file without a scene with z up: y is up where people extend farther
    along y than along z, as in most files. A root that stays behind does not count."""
    sound = person.points[_find_sound(person.points)]
    if not len(sound):
        return person
    low, high = np.percentile(sound, (10, 90), axis=1)
    spread = np.median(high - low, axis=0)
    if spread[1] < spread[2]:
        return person
    order, signs = [0, 2, 1], np.array([1.0, -1.0, 1.0])
    points, turns = person.points[:, :, order] * signs, person.turns[:, :, order] * signs[:, None]
    return replace(person, points=points, turns=turns)


def _find_sound(points: Numbers) -> NDArray[np.bool_]:
    """Returns which frames (n,) of points (n, bones, 3) are finite, and no farther than a stray
    number would put them."""
    near = np.abs(points).max(axis=(1, 2), initial=0.0) < 1e9
    return np.isfinite(points).all(axis=(1, 2)) & near
