# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of two numbers as sums of products of functions of one, and these as curves.

Trefethen, Approximation Theory and Approximation Practice, 2013, chapters 3 to 8; the sum of
products follows Townsend and Trefethen, An extension of Chebfun to two dimensions, 2013.
"""

import numpy as np
from numpy.polynomial import chebyshev

from ...geometry.transforms import Matrix, Vector

FINE = 4e-6
"""How far sums may be off, in radians and sizes of the linkage."""
MOST_TERMS = 24
"""A driver's expression has 256 characters, and its variables are letters."""
_KEYS = (9, 17, 33, 65, 129, 257)


def fit_polynomials(numbers: Matrix) -> Matrix:
    """Returns Chebyshev's coefficients (m, A, B) of numbers (m, A, B) at the nodes."""
    first, second = (
        np.linalg.inv(chebyshev.chebvander(chebyshev.chebpts1(count), count - 1))
        for count in numbers.shape[1:]
    )
    found: Matrix = np.einsum("ia,mab,jb->mij", first, numbers, second)
    return found


def count_nodes(coefficients: Matrix) -> list[int]:
    """Returns how many nodes along either axis are enough, by how fast coefficients (m, A, B) fall:
    as many as there are, or more."""
    needed = []
    for axis in (1, 2):
        most = np.abs(np.moveaxis(coefficients, axis, 0)).max(axis=(1, 2))
        count, last = len(most), float(most[-2:].max())
        if last <= FINE / 2.0:
            needed.append(count)
            continue
        fall = np.log(max(float(most.max()) / last, 1.01)) / count
        more = np.log(2.0 * last / FINE) / fall
        needed.append(count + 2 + int(np.ceil(1.2 * more)))
    return needed


def split_products(coefficients: Matrix) -> tuple[Matrix, Matrix] | None:
    """Returns coefficients of own curves (m, R, A) and of shared ones (R, B), whose products add up
    to these (m, A, B); None where too many are needed."""
    count, rows, columns = coefficients.shape
    left, sizes, shared = np.linalg.svd(
        coefficients.reshape(count * rows, columns), full_matrices=False
    )
    rest = np.cumsum(sizes[::-1])[::-1]
    terms = int((rest > FINE / 2.0).sum())
    if terms > MOST_TERMS:
        return None
    own = (left[:, :terms] * sizes[:terms]).reshape(count, rows, terms)
    return own.transpose(0, 2, 1), shared[:terms]


def draw_curve(coefficients: Vector, ends: Vector) -> Matrix:
    """Returns (K, 3) places, values and slopes of a polynomial, with as many as it needs."""
    slopes = chebyshev.chebder(coefficients) * 2.0 / (ends[1] - ends[0])
    for count in _KEYS:
        at = np.linspace(-1.0, 1.0, count)
        curve = np.column_stack(
            [stretch(at, ends), chebyshev.chebval(at, coefficients), chebyshev.chebval(at, slopes)]
        )
        middles = (at[1:] + at[:-1]) / 2.0
        width = np.diff(curve[:, 0])
        guess = (curve[1:, 1] + curve[:-1, 1]) / 2.0 - width / 8.0 * np.diff(curve[:, 2])
        if np.abs(guess - chebyshev.chebval(middles, coefficients)).max() < FINE / 100.0:
            break
    return curve


def evaluate_curve(curve: Matrix, place: float) -> float:
    """Returns the value of a cubic Hermite curve."""
    index = int(np.clip(np.searchsorted(curve[:, 0], place) - 1, 0, len(curve) - 2))
    (x0, y0, s0), (x1, y1, s1) = curve[index], curve[index + 1]
    width = x1 - x0
    t = (place - x0) / width
    u = 1.0 - t
    ends = y0 * u * u * (1.0 + 2.0 * t) + y1 * t * t * (3.0 - 2.0 * t)
    return float(ends + width * t * u * (s0 * u - s1 * t))


def stretch(places: Vector, ends: Vector) -> Vector:
    """Maps places between -1 and 1 to places between two ends."""
    found: Vector = ends[0] + (places + 1.0) / 2.0 * (ends[1] - ends[0])
    return found
