# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth curves through positions at uneven shares."""

import numpy as np

from ...core.geometry.transforms import Matrix, Vector


def spline_slopes(knots: Vector, values: Matrix) -> Matrix:
    """Returns the slopes (k, n) at knots (k,) of the cubic spline through values (k, n), with a
    constant second derivative in its first and last pieces (de Boor, A Practical Guide to Splines,
    IV)."""
    steps = np.diff(knots)
    if len(steps) == 1:
        return np.repeat(np.diff(values, axis=0) / steps[0], 2, axis=0)
    chords = np.diff(values, axis=0) / steps[:, None]
    weights = 1.0 / steps
    below, above = np.append(weights[:-1], 1.0), np.append(1.0, weights[1:])
    middle = np.concatenate([[1.0], 2.0 * (weights[:-1] + weights[1:]), [1.0]])
    right = np.empty_like(values)
    right[0], right[-1] = 2.0 * chords[0], 2.0 * chords[-1]
    right[1:-1] = 3.0 * (chords[:-1] * weights[:-1, None] + chords[1:] * weights[1:, None])
    # Elimination from the top; the matrix is dominated by its diagonal but for the ends.
    for row in range(1, len(knots)):
        factor = below[row - 1] / middle[row - 1]
        middle[row] -= factor * above[row - 1]
        right[row] -= factor * right[row - 1]
    right[-1] /= middle[-1]
    for row in range(len(knots) - 2, -1, -1):
        right[row] = (right[row] - above[row] * right[row + 1]) / middle[row]
    return right


def interpolate(knots: Vector, values: Matrix, slopes: Matrix, at: Vector) -> Matrix:
    """Returns the cubics' values (B, n) at shares (B,), which may be a little outside."""
    place = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(knots) - 2)
    step = (knots[place + 1] - knots[place])[:, None]
    t = (at - knots[place])[:, None]
    chord = (values[place + 1] - values[place]) / step
    begin, end = slopes[place], slopes[place + 1]
    second = (3 * chord - 2 * begin - end) / step
    third = (begin + end - 2 * chord) / step**2
    found: Matrix = ((third * t + second) * t + begin) * t + values[place]
    return found
