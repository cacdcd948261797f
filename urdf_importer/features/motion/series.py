# SPDX-License-Identifier: GPL-3.0-or-later
"""One joint of a trajectory as lines or cubics, and the peaks of these."""

from dataclasses import dataclass

import numpy as np

from ...core.kinematics.keys import Keys, plan_keys, unwrap
from .trajectory import Numbers, Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Cubics:
    """Segments q0 + v0 t + c2 t^2 + c3 t^3 over `lengths` seconds from `starts` on; (m,) each."""

    starts: Numbers
    lengths: Numbers
    values: Numbers
    slopes: Numbers
    second: Numbers
    third: Numbers


def series_of(
    trajectory: Trajectory, column: int, *, turns: bool, tolerance: float | None = None
) -> Keys:
    """Returns a joint's own samples: as plan_keys does where they are commands, lines otherwise.
    Where it `turns`, the jumps of a full turn that recorders make are taken out."""
    positions = trajectory.positions[:, column]
    own = ~np.isnan(positions)
    times, values = trajectory.times[own], positions[own]
    velocities, accelerations = (
        None if array is None else array[own, column]
        for array in (trajectory.velocities, trajectory.accelerations)
    )
    if turns:
        values = unwrap(times, values, velocities)
    if trajectory.interpolation == "linear":
        return Keys(times=times, values=values)
    return plan_keys(times, values, velocities, accelerations, tolerance)


Ends = tuple[Numbers, Numbers]
"""Of segments: at their starts, at their ends."""


def cubics_of(keys: Keys) -> Cubics:
    """Returns the segments of cubics."""
    assert keys.slopes is not None
    values, slopes = keys.values, keys.slopes
    return make_cubics(
        keys.times[:-1], np.diff(keys.times), (values[:-1], values[1:]), (slopes[:-1], slopes[1:])
    )


def make_cubics(starts: Numbers, lengths: Numbers, values: Ends, slopes: Ends) -> Cubics:
    """Returns the segments with these values and slopes at their ends (Hermite)."""
    (q0, q1), (v0, v1) = values, slopes
    chord = (q1 - q0) / lengths
    second = (3 * chord - 2 * v0 - v1) / lengths
    third = (v0 + v1 - 2 * chord) / lengths**2
    return Cubics(starts=starts, lengths=lengths, values=q0, slopes=v0, second=second, third=third)


def extreme_values(cubics: Cubics) -> tuple[Numbers, Numbers]:
    """Returns times after the starts and values (m, 2) of the lowest and highest points inside each
    segment; its start where it has none."""
    a, b, c = 3 * cubics.third, 2 * cubics.second, cubics.slopes
    root = np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))
    # In the form that also holds where the segment is a parabola (Press et al., 5.6).
    q = -0.5 * (b + np.where(b >= 0, root, -root))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.stack([q / a, c / q], axis=-1)
    inside = np.isfinite(found) & (found > 0) & (found < cubics.lengths[..., None])
    t = np.where(inside, found, 0.0)
    return t, values_after(cubics, t)


def values_after(cubics: Cubics, t: Numbers) -> Numbers:
    """Returns the values (..., m) at times (..., m) after each segment's start."""
    parts = (cubics.third, cubics.second, cubics.slopes, cubics.values)
    third, second, slopes, values = (part[..., None] for part in parts)
    found: Numbers = ((third * t + second) * t + slopes) * t + values
    return found


def fastest(cubics: Cubics) -> tuple[Numbers, Numbers]:
    """Returns times after the starts and slopes (m,) where each segment is fastest."""
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = -cubics.second / (3 * cubics.third)
    turn = np.where(np.isfinite(turn), np.clip(turn, 0.0, cubics.lengths), 0.0)
    ends = np.broadcast_to(cubics.lengths, turn.shape)
    t = np.stack([np.zeros_like(turn), turn, ends], axis=-1)
    slopes = (3 * cubics.third[..., None] * t + 2 * cubics.second[..., None]) * t
    slopes = slopes + cubics.slopes[..., None]
    best = np.abs(slopes).argmax(axis=-1)[..., None]
    return np.take_along_axis(t, best, -1)[..., 0], np.take_along_axis(slopes, best, -1)[..., 0]


def slopes_at(keys: Keys, times: Numbers) -> Numbers:
    """Returns the slopes of cubics at times; the outermost cubics go on before and after."""
    assert keys.slopes is not None
    cubics = cubics_of(keys)
    places = np.clip(np.searchsorted(keys.times, times, side="right") - 1, 0, len(keys.times) - 2)
    t = times - cubics.starts[places]
    second, third = cubics.second[places], cubics.third[places]
    found: Numbers = (3 * third * t + 2 * second) * t + cubics.slopes[places]
    return found
