# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of robots whose loops stay closed: where the joints of loops are while some of them go
where a recording says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ...core.kinematics.forward import Position, Positions
from ...core.kinematics.keys import Keys, evaluate
from ...core.kinematics.loops import LoopCloser
from .trajectory import Numbers

_SAME_FRAME = 1e-4
"""Of a frame: times that are nearer are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedMotion:
    """`poses` are the positions of the joints of loops at `times` (m,), in seconds. `missed` lists
    joints that could not go where the motion has them, with the first time and the count; `limited`
    the joints among them that a follower blocked, since it would pass its limits."""

    times: Numbers
    poses: tuple[Mapping[str, Position], ...]
    missed: Mapping[str, tuple[float, int]]
    limited: Mapping[str, str]


def close_motion(
    closer: LoopCloser, keys: Mapping[str, Keys], held: Positions, times: Numbers
) -> ClosedMotion:
    """Returns the closed poses of a motion: its free joints as `keys` have them, others as in
    `held`, each pose traced from the one before. The keys of followers choose among the ways to put
    the mechanism together, where they nearly close the loops."""
    given = {name: evaluate(each, times).tolist() for name, each in keys.items()}
    last: Positions = held
    poses = []
    missed: dict[str, tuple[float, int]] = {}
    limited: dict[str, str] = {}
    for place, time in enumerate(times.tolist()):
        asked = {**held, **{name: values[place] for name, values in given.items()}}
        found = closer.close(asked, start=last, gently=place > 0)
        last = found.positions
        poses.append(found.positions)
        for name in found.missed:
            if name not in missed and found.limited:
                limited[name] = found.limited[0]
            first, count = missed.get(name, (time, 0))
            missed[name] = (first, count + 1)
    return ClosedMotion(times=times, poses=tuple(poses), missed=missed, limited=limited)


def plan_closed_times(keys: Iterable[Keys], first: float, rate: float) -> Numbers:
    """Returns the times (m,) at which loops are closed: in every frame, frame 0 being at
    `first` seconds with `rate` frames a second, and at the keys too, unless these are much
    denser."""
    found = [each.times for each in keys]
    start = min(float(times[0]) for times in found)
    end = max(float(times[-1]) for times in found)
    low = np.ceil((start - first) * rate - _SAME_FRAME)
    high = np.floor((end - first) * rate + _SAME_FRAME)
    frames = np.arange(low, high + 1.0)
    own = np.unique(np.concatenate(found) - first) * rate
    if len(own) > 2 * len(frames) + 2:
        own = np.array([own[0], own[-1]])
    own = own[np.abs(own - np.round(own)) > _SAME_FRAME]
    times: Numbers = first + np.union1d(frames, own) / rate
    return times
