# SPDX-License-Identifier: GPL-3.0-or-later
"""Many postures of a chain at once, each led down to the nearest place where the error is least.

Levenberg and Marquardt's method on the vector (position / reach, logarithm of the rotation), damped
in proportion to the error as Sugihara does (Solvability-Unconcerned Inverse Kinematics by the
Levenberg-Marquardt Method, 2011), within limits by an active set: a joint that is at its limit and
is pushed outwards does not take part in the step.

A chain is short and its matrices small, so that the number of calls of numpy decides the time:
whatever is linear in the last frame is read off it by one product.
"""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.geometry.transforms import Matrix, Vector
from .chain import IkChain
from .goals import Goals

_LONGEST_STEP = 1.0
"""In units of the variables: 1 rad."""
_LEAST_DAMPING = 1e-13
_CAUTION, _LEAST_CAUTION = 0.1, 1e-3
"""The damping is so many times the error, less after each step that helped."""
_STALLED = 1e-5
"""A posture that a step of this size, in units, does not make better has come to rest."""
_FLIPPED = -0.999
"""Turns whose cosine is less need their axis from the symmetric part."""
_CROWDED = 16
"""Above this number of postures the finished ones are laid aside."""

_FAR, _CLOSER = 0.1, 0.6
"""Half the square of an error that is too far when patience ends, and by how much less each
iteration after it."""
_ENDLESS = 1 << 30

Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]


class Gauge:
    """Reads how far the point of a chain is from T goals.

    weights  (T, 16, 11): a last frame's numbers times these are the way that is missing over reach
             (3,), the axis of the missing turn times its sine (3,), its cosine, the point (3,), 2
    turns    (T, 3, 3): these times the transpose of the last frame's rotation are the missing turns
    """

    def __init__(self, chain: IkChain, goals: Goals) -> None:
        self.chain, self.goals = chain, goals
        self.columns = slice(0 if goals.position else 3, 6 if goals.orientation else 3)
        self.levers = np.ascontiguousarray(chain.levers[..., self.columns])
        self.mixing = np.ascontiguousarray((chain.mixing * chain.units).T)
        self.near = goals.near * abs(goals.near) / chain.reach**2
        last = chain.last
        self.turns = goals.frames[:, :3, :3] @ last[:3, :3].T
        still = np.zeros((4, 4, 11))
        still[3, 3, 6], still[3, 3, 10] = -0.5, 2.0
        for axis in range(3):
            still[axis, :, 7 + axis] = last[:, 3]
            if goals.position:
                still[axis, :, axis] = last[:, 3] / -chain.reach
        count = len(self.turns)
        given = np.zeros((count, 12))
        given[:, :9] = self.turns.reshape(count, 9)
        if goals.position:
            given[:, 9:] = goals.frames[:, :3, 3] / chain.reach
        self.weights = (given @ _SPREAD).reshape(count, 16, 11) + still.reshape(16, 11)
        self.damping = _LEAST_DAMPING * (1.0 + 2.0 * float((chain.mixing**2).sum()))


def _spread() -> Matrix:
    """(12, 176): where in the weights a turn (3, 3) and a place over reach (3,) go."""
    spread = np.zeros((3, 3, 4, 4, 11))
    for d in range(3):
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            # The missing turn m = turns @ R^T has sine * axis = (m[b, a] - m[a, b]) / 2 at c.
            spread[b, d, a, d, 3 + c], spread[a, d, b, d, 3 + c] = 0.5, -0.5
            spread[a, d, a, d, 6] = 0.5
    places = np.zeros((3, 4, 4, 11))
    places[:, 3, 3, :3] = np.eye(3)
    return np.concatenate([spread.reshape(9, -1), places.reshape(3, -1)])


_SPREAD = _spread()


@dataclass(slots=True)
class Postures:
    """B postures and how far each is from its goal.

    values (B, n); owners (B,) which goal each is for, and its weights (B, 16, 11), or (16, 11)
    where there is one goal for all
    frames (E, B, 4, 4) as Chain.place returns them; signs (B, 11) the gauge's, with the rotation's
    logarithm in the place of its axis; costs (B,) half the squares of both errors
    solved (B,) whether both are within tolerance
    """

    values: Matrix
    owners: Indices
    weights: Matrix
    frames: Matrix
    signs: Matrix
    costs: Vector
    solved: Mask

    def select(self, chosen: Indices) -> "Postures":
        """Returns some of them."""
        return Postures(
            self.values[chosen],
            self.owners[chosen],
            self.weights if self.weights.ndim == 2 else self.weights[chosen],
            self.frames[:, chosen],
            self.signs[chosen],
            self.costs[chosen],
            self.solved[chosen],
        )

    def put(self, chosen: Mask, other: "Postures") -> None:
        """Takes the chosen postures over from as many others."""
        np.copyto(self.values, other.values, where=chosen[:, None])
        np.copyto(self.frames, other.frames, where=chosen[:, None, None])
        np.copyto(self.signs, other.signs, where=chosen[:, None])
        np.copyto(self.costs, other.costs, where=chosen)
        np.copyto(self.solved, other.solved, where=chosen)


def look_at(gauge: Gauge, values: Matrix, owners: Indices) -> Postures:
    """Returns how (B, n) values do, each at the goal of its owner (B,)."""
    weights = gauge.weights[0] if len(gauge.weights) == 1 else gauge.weights[owners]
    return _look(gauge, values, owners, weights)


def _look(gauge: Gauge, values: Matrix, owners: Indices, weights: Matrix) -> Postures:
    frames = gauge.chain.find_frames(values)
    ends = frames[-1].reshape(len(values), 16)
    signs = ends @ weights if weights.ndim == 2 else (ends[:, None, :] @ weights)[:, 0, :]
    missing = signs[:, :3]
    squares = np.add.reduce(missing * missing, axis=1)
    solved = squares <= gauge.near
    if gauge.goals.orientation:
        axes, cosines = signs[:, 3:6], signs[:, 6]
        sines = np.sqrt(np.add.reduce(axes * axes, axis=1))
        angles = np.arctan2(sines, cosines)
        axes *= (angles / np.maximum(sines, 1e-300))[:, None]
        if np.minimum.reduce(cosines, initial=1.0) < _FLIPPED:
            flipped = cosines < _FLIPPED
            turned = gauge.turns[owners[flipped]] @ frames[-1, flipped, :3, :3].transpose(0, 2, 1)
            axes[flipped] = _far_logarithms(turned, cosines[flipped], angles[flipped])
        squares = squares + angles * angles
        solved &= angles <= gauge.goals.turned
    return Postures(values, owners, weights, frames, signs, 0.5 * squares, solved)


def logarithms(rotations: Matrix) -> Matrix:
    """Returns the rotation vectors (B, 3) of rotations (B, 3, 3), of length 0 to pi.

    Near half a turn the axis comes from the symmetric part, since the other one vanishes.
    """
    axes = 0.5 * _skew(rotations)
    sines = np.sqrt((axes * axes).sum(1))
    cosines = 0.5 * (np.trace(rotations, axis1=1, axis2=2) - 1.0)
    angles = np.arctan2(sines, cosines)
    result: Matrix = axes * (angles / np.maximum(sines, 1e-300))[:, None]
    flipped = cosines < _FLIPPED
    if flipped.any():
        result[flipped] = _far_logarithms(rotations[flipped], cosines[flipped], angles[flipped])
    return result


def _skew(m: Matrix) -> Matrix:
    """(B, 3): twice the axis of each rotation times its sine."""
    return np.stack(
        [m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]], axis=1
    )


def _far_logarithms(m: Matrix, cosines: Vector, angles: Vector) -> Matrix:
    symmetric = 0.5 * (m + m.transpose(0, 2, 1)) - cosines[:, None, None] * np.eye(3)
    largest = np.argmax(np.diagonal(symmetric, axis1=1, axis2=2), axis=1)
    axes = symmetric[np.arange(len(m)), :, largest]
    axes = axes / np.sqrt((axes * axes).sum(1))[:, None]
    signs = np.where((axes * _skew(m)).sum(1) < 0.0, -1.0, 1.0)
    return axes * (signs * angles)[:, None]


def jacobians(gauge: Gauge, shown: Postures) -> Matrix:
    """Returns (B, n, r): how the point moves, position over reach and rotation, r of them, for a
    unit of each variable."""
    z = shown.frames[:, :, :3, 2]
    # The last number of both frames and point is 1 and 2, so an arm's is 1.
    arms = shown.signs[:, 7:] - shown.frames[..., 3]
    products = (z[..., :, None] * arms[..., None, :]).reshape(*z.shape[:2], 12)
    moved = products @ gauge.levers
    return gauge.mixing @ moved.transpose(1, 0, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """When postures stop: after so many `iterations`, or at the `deadline`; where of each
    goal's `enough` are solved, or one since `grace` iterations. Postures still far away
    after `patience` iterations are given up."""

    iterations: int
    deadline: float
    enough: int
    grace: int = _ENDLESS
    patience: int = _ENDLESS


@dataclass(slots=True)
class Descent:
    """Where postures came: values (B, n), costs (B,) and solved (B,); in so many iterations."""

    values: Matrix
    costs: Vector
    solved: Mask
    iterations: int = 0

    def keep(self, rows: Indices, shown: Postures) -> None:
        """Notes where some rows are."""
        self.values[rows], self.costs[rows] = shown.values, shown.costs
        self.solved[rows] = shown.solved


def descend(gauge: Gauge, values: Matrix, owners: Indices, pace: Pace) -> Descent:
    """Leads (B, n) values, within limits, down to where the error is least, or all have come to
    rest."""
    going = _Going(gauge, values, owners, pace)
    most = pace.iterations if gauge.chain.variables and len(values) else 0
    while going.found.iterations < most and not going.is_over():
        if time.perf_counter() > pace.deadline:
            break
        going.step()
    return going.end()


class _Going:
    """Postures on their way down: `rows` are the indices of the ones still moving."""

    def __init__(self, gauge: Gauge, values: Matrix, owners: Indices, pace: Pace) -> None:
        self._gauge, self._owners, self._pace = gauge, owners, pace
        self._shown = look_at(gauge, values.copy(), owners)
        self.found = Descent(values.copy(), self._shown.costs.copy(), self._shown.solved.copy())
        self._rows, self._caution = np.arange(len(values)), np.full(len(values), _CAUTION)
        self._idle = self._shown.solved.copy()
        # Whether any posture is at rest, which others go on without.
        self._waiting = bool(np.count_nonzero(self._idle))
        self._last = np.full(len(gauge.weights), _ENDLESS)

    def is_over(self) -> bool:
        """Whether none continues. Lays the finished ones aside."""
        if not self._waiting:
            return False
        shown, rows = self._shown, self._rows
        self.found.solved[rows] = shown.solved
        if np.count_nonzero(self._idle) == len(rows):
            return True
        self._idle |= self._list_met()[shown.owners]
        going = np.flatnonzero(~self._idle)
        if len(rows) > _CROWDED and len(going) < 0.8 * len(rows):
            self.found.keep(rows, shown)
            self._shown, self._rows = shown.select(going), rows[going]
            self._caution = self._caution[going]
            self._idle, self._waiting = np.zeros(len(going), dtype=bool), False
        return not len(going)

    def _list_met(self) -> Mask:
        """Returns which goals (T,) need no more."""
        found = self.found
        counts = np.bincount(self._owners, found.solved, len(self._last))
        last = np.minimum(self._last, found.iterations + self._pace.grace)
        self._last = np.where(counts > 0.0, last, _ENDLESS)
        return (counts >= self._pace.enough) | (self._last <= found.iterations)

    def step(self) -> None:
        """Takes the moving postures a step further, where that makes them better."""
        shown, found = self._shown, self.found
        found.iterations += 1
        tried, longest = _try(self._gauge, shown, self._caution)
        gained = shown.costs - tried.costs
        better = gained > 0.0
        # Small steps, or hardly a lower error, though the error is large.
        rest = (longest < _STALLED) | (better & (gained < 1e-3 * shown.costs))
        rest &= tried.costs > 1e-9
        if self._waiting:
            better &= ~self._idle
        self._caution = np.where(
            better, np.maximum(self._caution * 0.3, _LEAST_CAUTION), self._caution * 8.0
        )
        count = np.count_nonzero(better)
        if count == len(better):
            self._shown = shown = tried
        elif count:
            shown.put(better, tried)
        rest |= shown.solved
        if found.iterations >= self._pace.patience:
            rest |= shown.costs > _FAR * _CLOSER ** (found.iterations - self._pace.patience)
        if np.count_nonzero(rest):
            self._idle |= rest
            self._waiting = True

    def end(self) -> Descent:
        """Returns where all are."""
        self.found.keep(self._rows, self._shown)
        return self.found


def _try(gauge: Gauge, shown: Postures, caution: Vector) -> tuple[Postures, Vector]:
    """Returns the postures a step further, within limits, and how long the longest part of each
    step would have been (B,)."""
    chain = gauge.chain
    steps, longest = _steps(gauge, shown, caution)
    moved = np.minimum(np.maximum(shown.values + steps, chain.lower), chain.upper)
    return _look(gauge, moved, shown.owners, shown.weights), longest


def _steps(gauge: Gauge, shown: Postures, caution: Vector) -> tuple[Matrix, Vector]:
    """Returns (B, n), at most _LONGEST_STEP for each variable, and the size of the longest before
    clipping (B,)."""
    chain, values = gauge.chain, shown.values
    matrices = jacobians(gauge, shown)
    slopes = matrices @ shown.signs[:, gauge.columns, None]
    at_lower, at_upper = values <= chain.lower, values >= chain.upper
    if np.count_nonzero(at_lower | at_upper):
        stuck = (at_lower & (slopes[..., 0] < 0.0)) | (at_upper & (slopes[..., 0] > 0.0))
        moves = ~stuck[..., None]
        matrices = matrices * moves
        slopes = slopes * moves
    normal = matrices @ matrices.transpose(0, 2, 1)
    count = normal.shape[1]
    normal.reshape(len(normal), count * count)[:, :: count + 1] += (
        caution * shown.costs + gauge.damping
    )[:, None]
    steps = _solve(normal, slopes)[..., 0]
    longest = np.maximum.reduce(np.abs(steps), axis=1)
    steps *= (_LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))[:, None]
    return steps * chain.units, longest


def _solve(normal: Matrix, slopes: Matrix) -> Matrix:
    try:
        return np.linalg.solve(normal, slopes)
    except np.linalg.LinAlgError:
        # Numbers beyond all measure: postures that are there stay there.
        if len(normal) == 1:
            return np.zeros_like(slopes)
        return np.concatenate(
            [_solve(normal[row : row + 1], slopes[row : row + 1]) for row in range(len(normal))]
        )
