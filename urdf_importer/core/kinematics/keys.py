# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of one number over time -> the keys of a curve.

A line between samples is a line between keys. A cubic between two samples with velocities is
exactly a Bezier segment whose handles are a third of the segment away (t +- h/3, q +- v h/3).
Quintics become lines that stay within the tolerance.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

MOST_PIECES = 1000
"""Lines for one quintic segment at most."""


_PIECES = 16
"""Cubics in the place of one quintic: with its values and slopes at their ends, they are off by
less than 1e-5 of its range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """(m,) times in seconds and values; `slopes` (m,) of cubics, None where lines join the keys."""

    times: Numbers
    values: Numbers
    slopes: Numbers | None = None


def plan_keys(
    times: Numbers,
    values: Numbers,
    velocities: Numbers | None,
    accelerations: Numbers | None,
    tolerance: float | None,
) -> Keys:
    """Returns the keys of a spline, cubic or quintic where all samples have the derivatives for it,
    else of lines. In the place of quintics are cubics, or lines with `tolerance`, the greatest
    distance of these."""
    if velocities is None or len(times) < 2 or np.isnan(velocities).any():
        return Keys(times=times, values=values)
    if accelerations is None or np.isnan(accelerations).any():
        return Keys(times=times, values=values, slopes=velocities)
    return _cut_quintics(times, values, velocities, accelerations, tolerance)


def _cut_quintics(
    times: Numbers, values: Numbers, slopes: Numbers, bends: Numbers, tolerance: float | None
) -> Keys:
    """A line is off a curve by its second derivative times its length squared by 8 at most."""
    parts: list[tuple[Numbers, Numbers, Numbers]] = []
    for i, h in enumerate(np.diff(times)):
        polynomial = _quintic(h, values[i : i + 2], slopes[i : i + 2], bends[i : i + 2])
        pieces = _PIECES
        if tolerance is not None:
            sampled = float(np.abs(polynomial.deriv(2)(np.linspace(0.0, h, 33))).max())
            count = h * math.sqrt(1.2 * sampled / (8 * max(tolerance, 1e-9)))
            pieces = min(max(math.ceil(count), 1), MOST_PIECES)
        inner = np.linspace(0.0, h, pieces + 1)[:-1]
        parts.append((times[i] + inner, polynomial(inner), polynomial.deriv()(inner)))
    parts.append((times[-1:], values[-1:], slopes[-1:]))
    joined = [np.concatenate(each) for each in zip(*parts, strict=True)]
    is_cubic = tolerance is None
    return Keys(times=joined[0], values=joined[1], slopes=joined[2] if is_cubic else None)


def _quintic(h: float, q: Numbers, v: Numbers, a: Numbers) -> np.polynomial.Polynomial:
    """Returns the polynomial of degree five over h seconds with these values, slopes and second
    derivatives (2,) at its ends (Craig, Introduction to Robotics, 7.3)."""
    (q0, q1), (v0, v1), (a0, a1) = q, v, a
    d = q1 - q0
    return np.polynomial.Polynomial(
        [
            q0,
            v0,
            a0 / 2,
            (20 * d - (8 * v1 + 12 * v0) * h - (3 * a0 - a1) * h**2) / (2 * h**3),
            (-30 * d + (14 * v1 + 16 * v0) * h + (3 * a0 - 2 * a1) * h**2) / (2 * h**4),
            (12 * d - 6 * (v1 + v0) * h - (a0 - a1) * h**2) / (2 * h**5),
        ]
    )


def follow(keys: Keys, multiplier: float, offset: float = 0.0) -> Keys:
    """Returns the keys of a joint that follows another."""
    slopes = None if keys.slopes is None else keys.slopes * multiplier
    return Keys(times=keys.times, values=keys.values * multiplier + offset, slopes=slopes)


def evaluate(keys: Keys, times: Numbers) -> Numbers:
    """Returns the values at times; before and after the keys the values of the first and last."""
    if keys.slopes is None or len(keys.times) < 2:
        between: Numbers = np.interp(times, keys.times, keys.values)
        return between
    places = np.clip(np.searchsorted(keys.times, times, side="right") - 1, 0, len(keys.times) - 2)
    h = np.diff(keys.times)[places]
    s = np.clip((times - keys.times[places]) / h, 0.0, 1.0)
    q0, q1 = keys.values[places], keys.values[places + 1]
    v0, v1 = keys.slopes[places] * h, keys.slopes[places + 1] * h
    return np.asarray(
        (1 + 2 * s) * (1 - s) ** 2 * q0
        + s * (1 - s) ** 2 * v0
        + s * s * (3 - 2 * s) * q1
        - s * s * (1 - s) * v1
    )


def unwrap(times: Numbers, values: Numbers, velocities: Numbers | None) -> Numbers:
    """Returns angles without the jumps of a full turn that a recorder makes at half a turn: where
    two samples are more than half a turn apart and their velocities do not explain it."""
    steps = np.diff(values)
    turns = np.where(np.abs(steps) > np.pi, np.round(steps / (2 * np.pi)), 0.0)
    if velocities is not None and turns.any():
        moved = (velocities[1:] + velocities[:-1]) / 2 * np.diff(times)
        explained = np.abs(moved - steps) < np.abs(moved - (steps - 2 * np.pi * turns))
        turns[explained] = 0.0
    unwound: Numbers = values - 2 * np.pi * np.concatenate([[0.0], np.cumsum(turns)])
    return unwound


def reduce_keys(keys: Keys, tolerance: float) -> Keys:
    """Returns fewer keys, joined by lines, that are never further than `tolerance` from the lines
    or cubics of `keys`.

    From each key on, the slopes that pass all later samples within the tolerance are kept; where
    none is left, the sample before becomes a key (a cone, as in O'Rourke 1981).
    """
    if keys.slopes is not None:
        keys = _straighten(keys, tolerance / 2)
        tolerance /= 2
    times, values = keys.times.tolist(), keys.values.tolist()
    kept, start = [0], 0
    low, high = -math.inf, math.inf
    for i in range(1, len(times)):
        span = times[i] - times[start]
        slope = (values[i] - values[start]) / span
        if low <= slope <= high:
            margin = tolerance / span
            low, high = max(low, slope - margin), min(high, slope + margin)
            continue
        start = i - 1
        kept.append(start)
        span = times[i] - times[start]
        slope, margin = (values[i] - values[start]) / span, tolerance / span
        low, high = slope - margin, slope + margin
    if len(times) > 1:
        kept.append(len(times) - 1)
    return Keys(times=keys.times[kept], values=keys.values[kept])


def _straighten(keys: Keys, tolerance: float) -> Keys:
    """Returns lines within the tolerance of cubics."""
    assert keys.slopes is not None
    ends = np.abs(np.diff(keys.values)), np.diff(keys.times)
    bend = 6 * ends[0] + 4 * (np.abs(keys.slopes[1:]) + np.abs(keys.slopes[:-1])) * ends[1]
    counts = np.clip(np.ceil(np.sqrt(bend / (8 * max(tolerance, 1e-9)))), 1, MOST_PIECES)
    times = [
        np.linspace(one, other, int(count) + 1)[:-1]
        for one, other, count in zip(keys.times[:-1], keys.times[1:], counts, strict=True)
    ]
    fine = np.concatenate([*times, keys.times[-1:]])
    return Keys(times=fine, values=evaluate(keys, fine))


def sample_keys(keys: Keys, times: Numbers) -> Keys:
    """Returns keys at other times, joined by lines."""
    return Keys(times=times, values=evaluate(keys, times))


def cut_keys(keys: Keys, start: float, end: float) -> Keys:
    """Returns the keys between two times, with one at each of these where the curve continues."""
    if not len(keys.times):
        return keys
    chosen = (keys.times >= start) & (keys.times <= end)
    ends = [each for each in (start, end) if keys.times[0] < each < keys.times[-1]]
    added = np.setdiff1d(ends, keys.times)
    times = np.concatenate([keys.times[chosen], added])
    order = np.argsort(times, kind="stable")
    values = np.concatenate([keys.values[chosen], evaluate(keys, added)])
    slopes = None
    if keys.slopes is not None:
        shift = 1e-6
        more = (evaluate(keys, added + shift) - evaluate(keys, added - shift)) / (2 * shift)
        slopes = np.concatenate([keys.slopes[chosen], more])[order]
    return Keys(times=times[order], values=values[order], slopes=slopes)
