# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that survive single precision.

Blender keeps a bone as head, tail and roll in single precision and computes its axes from them: a
short bone far from the origin points a little elsewhere, and so do its axes. Among nearby tails
some round to the wanted direction almost exactly; these are taken.
"""

from itertools import combinations_with_replacement, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..geometry.transforms import Matrix, Vector

Columns: TypeAlias = tuple[Matrix, Matrix, Matrix]
"""Vectors: all first, all second and all third coordinates."""

GOOD = 1.5e-7
"""A direction this near (radians) is as good as single precision allows."""

# (stretch, turn): shares of the length, and turns about X in radians; the least changes first. A
# turn of 2 degrees, 4 at the worst, is not seen, and for a bone with one axis any direction
# orthogonal to it is as good.
_STRETCHES = np.array([0.0, 1, -1, 2, -2, 3, -3, 5, -5, 8, -8]) * 1e-3
_TURNS = np.array([0.0, 1, -1, 2, -2, 4, -4, 8, -8, 16, -16, 34, -34, 70, -70]) * 1e-3
_SINGLE = 6e-8
"""Single precision's last digit."""

_FOLDED = 0.9
"""Cosine beyond which bones are looked at one by one; at 0.9 the formula still has all digits."""

_SLIGHT = 3e-6
"""Error that is worth a turn by one radian."""

_CANDIDATES = np.array(
    sorted(product(_STRETCHES, _TURNS), key=lambda pair: 4 * abs(pair[0]) + abs(pair[1]))
)

TURNS = _CANDIDATES[:, 1]
"""(K,) by how much try_tails turns bones that may turn about X, radians."""

_COSINES, _SINES = np.cos(TURNS), np.sin(TURNS)

_FIRST = 15
"""Candidates among which most bones find a good one."""


def round_bones(
    heads: Matrix, axes: Matrix, lengths: Vector, free_turn: NDArray[np.bool_]
) -> tuple[Matrix, Vector]:
    """Axes (N, 3, 3) and lengths (N,) near the wanted ones that single precision keeps.

    `heads` (N, 3). Where `free_turn`, only X must be kept and Y may turn about it a little;
    else all axes must be kept and only the length gives.
    """
    toward, length, errors = _take_best(heads, axes, lengths, free_turn, _FIRST)
    poor = errors >= GOOD
    if poor.any():
        toward[poor], length[poor], _ = _take_best(
            heads[poor], axes[poor], lengths[poor], free_turn[poor], len(TURNS)
        )
    return _rebuild(axes, toward), length


def _take_best(
    heads: Matrix, axes: Matrix, lengths: Vector, free_turn: NDArray[np.bool_], count: int
) -> tuple[Matrix, Vector, Vector]:
    """Returns directions (N, 3), lengths (N,) and errors (N,) of the first good ones among as many
    candidates, or of the best where none is good."""
    toward, length, errors = _try_tails(heads, axes, lengths, free_turn, count)
    good = errors < GOOD
    best = np.where(good.any(axis=1), good.argmax(axis=1), errors.argmin(axis=1))
    row = np.arange(len(heads))
    return toward[row, best], length[row, best], errors[row, best]


def refine_folded(
    heads: Matrix,
    axes: Matrix,
    lengths: Vector,
    free_turn: NDArray[np.bool_],
    parents: NDArray[np.intp],
) -> None:
    """Changes `axes` and `lengths` of bones for which Blender's formula loses its precision.

    `parents` (N,) are indices of earlier bones, -1 for none. See rank_refinements.
    """
    own = axes[:, :, 1]
    above = np.where(parents[:, None, None] >= 0, axes[parents], np.eye(3))
    waiting = np.einsum("ni,ni->n", own, above[:, :, 1]) < -_FOLDED
    waiting |= own[:, 1] < -_FOLDED
    folded = np.flatnonzero(waiting)
    toward, tried, scores = _score_alone(
        heads[folded], axes[folded], lengths[folded], free_turn[folded]
    )
    while waiting.any():
        is_ready = waiting[folded] & ~(waiting[parents[folded]] & (parents[folded] >= 0))
        ready, rows = folded[is_ready], np.flatnonzero(is_ready)
        up = parents[ready]
        frames = np.where(up[:, None, None] >= 0, axes[up], np.eye(3))
        best = rows, _score_below(frames, toward[rows], tried[rows], scores[rows]).argmin(axis=1)
        axes[ready] = _rebuild(axes[ready], toward[best])
        lengths[ready] = tried[best]
        waiting[ready] = False


def rank_refinements(
    head: Vector, axes: Matrix, length: float, *, free_turn: bool, parent: Matrix
) -> list[tuple[Matrix, float]]:
    """Returns other axes (3, 3) and lengths for one bone that Blender made inexact, best guess
    first.

    `parent` (3, 3) are its parent's axes as Blender made them. Blender works a bone's axes out in
    the armature's frame and again in the parent's, by a formula that loses its precision for bones
    along -Y there (by 1e-4 to 0.2 radians), such as bones that fold back on their parent. How much
    it loses is chance, so it is tried out here. Blender's result for the guess must be checked: its
    last digits are its own.
    """
    toward, lengths, alone = _score_alone(
        head[None], axes[None], np.array([length]), np.array([free_turn])
    )
    scores = _score_below(parent[None], toward, lengths, alone)[0]
    ranked = np.argsort(scores, kind="stable")
    refined = _rebuild(np.repeat(axes[None], len(ranked), axis=0), toward[0])
    return [(refined[i], float(lengths[0, i])) for i in ranked]


def _score_alone(
    heads: Matrix, axes: Matrix, lengths: Vector, free_turn: NDArray[np.bool_]
) -> tuple[Matrix, Matrix, Matrix]:
    """Returns directions (N, K, 3), lengths (N, K) and errors (N, K) of bones by themselves."""
    toward, tried, errors = _try_tails(heads, axes, lengths, free_turn, len(TURNS))
    along = (toward * tried[..., None]).astype(np.float32)
    return toward, tried, errors + _folding_errors(along)


def _score_below(parents: Matrix, toward: Matrix, lengths: Matrix, errors: Matrix) -> Matrix:
    """Returns scores (N, K) of the results of _score_alone under parents with these axes (N, 3, 3);
    the least score is best."""
    along = (toward * lengths[..., None] @ parents).astype(np.float32)
    return errors + _folding_errors(along) + _SLIGHT * np.abs(TURNS)


def try_tails(
    axes: Matrix, lengths: Vector, free_turn: NDArray[np.bool_]
) -> tuple[Columns, Matrix]:
    """Returns per bone all directions, as columns (N * K,), and lengths (N, K) near the wanted ones
    that are worth trying, the least changes first. Where `free_turn` (N,), they are turned about
    X."""
    y, z = _columns(axes[:, None, :, 1]), _columns(axes[:, None, :, 2])
    free = free_turn[:, None]
    cosine, sine = np.where(free, _COSINES, 1.0), np.where(free, _SINES, 0.0)
    u, v, w = ((cosine * a + sine * b).ravel() for a, b in zip(y, z, strict=True))
    return (u, v, w), _stretch(lengths, free, len(TURNS))


def _stretch(lengths: Vector, free: NDArray[np.bool_], count: int) -> Matrix:
    stretches, turns = _CANDIDATES[:count].T
    changed: Matrix = lengths[:, None] * (1.0 + (stretches + np.where(free, 0.0, 0.37 * turns)))
    return changed


def _try_tails(
    heads: Matrix, axes: Matrix, lengths: Vector, free_turn: NDArray[np.bool_], count: int
) -> tuple[Matrix, Matrix, Matrix]:
    """Per bone and candidate: direction (N, K, 3), length (N, K), error in radians (N, K)."""
    near, free = _single(heads)[:, None], free_turn[:, None]
    cosine = np.where(free, _COSINES[:count], 1.0)[..., None]
    sine = np.where(free, _SINES[:count], 0.0)[..., None]
    toward = cosine * axes[:, None, :, 1] + sine * axes[:, None, :, 2]
    wanted = _stretch(lengths, free, count)
    along = _single(near + wanted[..., None] * toward) - near
    made = np.linalg.norm(along, axis=-1)
    off_x = np.abs((along * axes[:, None, :, 0]).sum(-1))
    errors = np.where(free, off_x / made, 0.0)
    bound = ~free_turn
    across = np.cross(along[bound], toward[bound])
    errors[bound] = np.linalg.norm(across, axis=-1) / made[bound]
    return toward, wanted, errors


def _folding_errors(directions: NDArray[np.float32]) -> Matrix:
    """(N, K) how far from orthonormal Blender's frame of a bone along (N, K, 3) is, in its parent's
    frame: the formula of its vec_roll_to_mat3, step by step in single precision, and the effect of
    a direction's last digit near -Y on the angle about it."""
    one = np.float32(1)
    lengths = np.sqrt((directions * directions).sum(-1))
    x, y, z = np.moveaxis(directions * (one / lengths)[..., None], -1, 0)
    flat = x * x + z * z
    below = one + y
    series = flat * np.float32(0.5) + flat * flat * np.float32(0.125)
    below = np.where(below > np.float32(6.1e-3), below, np.where(flat > 6.25e-8, series, one))
    numbers = (one - x * x / below, -x * z / below, one - z * z / below, x, y, z)
    a, b, c, x, y, z = np.array(numbers, np.float64)
    rows = (a, x, b), (-x, y, -z), (b, z, c)
    products = [
        rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1] + rows[i][2] * rows[j][2] - (i == j)
        for i, j in combinations_with_replacement(range(3), 2)
    ]
    errors = np.abs(products).max(axis=0)
    azimuth = np.where(y < 0, _SINGLE / np.sqrt(np.maximum(flat, 6.25e-8)), 0.0)
    return np.where(flat > 6.25e-8, errors + azimuth, 0.0)


def _rebuild(axes: Matrix, toward: Matrix) -> Matrix:
    x = axes[:, :, 0]
    return np.stack([x, toward, np.cross(x, toward)], axis=-1)


def edit_numbers(heads: Matrix, axes: Matrix, lengths: Vector) -> tuple[Matrix, Vector]:
    """Returns the numbers for edit mode: tails (..., 3) and rolls (...)."""
    x, y = _columns(axes[..., 0]), _columns(axes[..., 1])
    tails, rolls = edit_columns(_columns(heads), x, y, lengths)
    return np.stack(tails, axis=-1), rolls


def edit_columns(
    heads: Columns | Matrix, toward_x: Columns | Matrix, toward_y: Columns, lengths: Matrix
) -> tuple[Columns, Matrix]:
    """Does as edit_numbers, on the columns of vectors; `toward_x` and `toward_y` are axes.

    Roll is the turn about Y from Blender's frame without roll, which comes from the shortest turn
    of the Y axis onto the bone (for a bone along -Y: half a turn about Z). Near -Y that frame turns
    fast, so Y here is the direction between head and tail as single precision leaves them.
    """
    u, v, w = (_single(h + axis * lengths) for h, axis in zip(heads, toward_y, strict=True))
    x, y, z = (tail - _single(head) for tail, head in zip((u, v, w), heads, strict=True))
    made = np.sqrt(x * x + y * y + z * z)
    x, y, z = x / made, y / made, z / made
    flat = x * x + z * z
    down = (y < 0) & (flat < 2.5e-4**2)
    one_plus_y = np.where(down, 1.0, np.where(y < 0, flat / (1.0 - np.minimum(y, 0.0)), 1.0 + y))
    skew = -x * z / one_plus_y
    a, b, c = toward_x
    along_x = (1 - x * x / one_plus_y) * a - x * b + skew * c
    along_z = skew * a - z * b + (1 - z * z / one_plus_y) * c
    rolls = np.arctan2(-np.where(down, c, along_z), np.where(down, -a, along_x))
    return (u, v, w), rolls


def _columns(vectors: Matrix) -> Columns:
    return vectors[..., 0], vectors[..., 1], vectors[..., 2]


def _single(values: Matrix) -> Matrix:
    return values.astype(np.float32).astype(np.float64)
