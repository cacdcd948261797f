# SPDX-License-Identifier: GPL-3.0-or-later
"""Many postures of a chain at once, each led down to the nearest place where the error is least.

Levenberg and Marquardt's method on the vector (position / reach, logarithm of the rotation), damped
in proportion to the error as Sugihara does (Solvability-Unconcerned Inverse Kinematics by the
Levenberg-Marquardt Method, 2011), within limits by an active set: a joint that stands at its limit
and is pushed outwards does not take part in the step.
"""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import Matrix, Vector
from .chain import Chain

_LONGEST_STEP = 1.0
"""In units of the variables: 1 rad."""
_LEAST_DAMPING = 1e-13
_STALLED = 1e-5
"""A posture that a step of this size, in units, does not make better has come to rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """Where the point of a chain is to be: `frame` (4, 4), of which position, rotation or both
    count, to tolerances in m and rad."""

    frame: Matrix
    position: bool
    orientation: bool
    near: float
    turned: float


@dataclass(slots=True, kw_only=True)
class Postures:
    """B postures and how far each is from the goal.

    values (B, n); frames (E, B, 4, 4) and ends (B, 4, 4) as Chain.place returns them
    residuals (B, r), position over reach and rotation; costs (B,) half their squares
    distances (B,) m and angles (B,) rad, 0 where they do not count; solved (B,)
    """

    values: Matrix
    frames: Matrix
    ends: Matrix
    residuals: Matrix
    costs: Vector
    distances: Vector
    angles: Vector
    solved: NDArray[np.bool_]

    def take(self, chosen: NDArray[np.intp]) -> "Postures":
        """Returns some of them."""
        return Postures(
            values=self.values[chosen],
            frames=self.frames[:, chosen],
            ends=self.ends[chosen],
            residuals=self.residuals[chosen],
            costs=self.costs[chosen],
            distances=self.distances[chosen],
            angles=self.angles[chosen],
            solved=self.solved[chosen],
        )

    def put(self, chosen: NDArray[np.bool_], other: "Postures") -> None:
        """Takes those chosen over from as many others."""
        self.values[chosen] = other.values[chosen]
        self.frames[:, chosen] = other.frames[:, chosen]
        self.ends[chosen] = other.ends[chosen]
        self.residuals[chosen] = other.residuals[chosen]
        self.costs[chosen] = other.costs[chosen]
        self.distances[chosen] = other.distances[chosen]
        self.angles[chosen] = other.angles[chosen]
        self.solved[chosen] = other.solved[chosen]


def look_at(chain: Chain, goal: Goal, values: Matrix) -> Postures:
    """Returns how (B, n) values do."""
    frames, ends = chain.place(values)
    missing = goal.frame[:3, 3] - ends[:, :3, 3] if goal.position else np.zeros((len(values), 3))
    turn = (
        logarithms(goal.frame[:3, :3] @ ends[:, :3, :3].transpose(0, 2, 1))
        if goal.orientation
        else np.zeros((len(values), 3))
    )
    parts = [missing / chain.reach] * goal.position + [turn] * goal.orientation
    residuals = np.concatenate(parts, axis=1)
    distances = np.sqrt((missing * missing).sum(1))
    angles = np.sqrt((turn * turn).sum(1))
    return Postures(
        values=values,
        frames=frames,
        ends=ends,
        residuals=residuals,
        costs=0.5 * (residuals * residuals).sum(1),
        distances=distances,
        angles=angles,
        solved=(distances <= goal.near) & (angles <= goal.turned),
    )


def logarithms(rotations: Matrix) -> Matrix:
    """Returns the rotation vectors (B, 3) of rotations (B, 3, 3), of length 0 to pi.

    Near half a turn the axis comes from the symmetric part, since the other one vanishes.
    """
    m = rotations
    twice = np.empty((len(m), 3))
    twice[:, 0] = m[:, 2, 1] - m[:, 1, 2]
    twice[:, 1] = m[:, 0, 2] - m[:, 2, 0]
    twice[:, 2] = m[:, 1, 0] - m[:, 0, 1]
    sines = 0.5 * np.sqrt((twice * twice).sum(1))
    cosines = 0.5 * (m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2] - 1.0)
    angles = np.arctan2(sines, cosines)
    result = twice * (0.5 * angles / np.maximum(sines, 1e-300))[:, None]
    tiny = sines < 1e-9
    if tiny.any():
        result[tiny] = 0.5 * twice[tiny]
    flipped = cosines < -0.9
    if flipped.any():
        result[flipped] = _far_logarithms(
            m[flipped], twice[flipped], cosines[flipped], angles[flipped]
        )
    return result


def _far_logarithms(m: Matrix, twice: Matrix, cosines: Vector, angles: Vector) -> Matrix:
    symmetric = 0.5 * (m + m.transpose(0, 2, 1)) - cosines[:, None, None] * np.eye(3)
    largest = np.argmax(np.diagonal(symmetric, axis1=1, axis2=2), axis=1)
    axes = symmetric[np.arange(len(m)), :, largest]
    axes = axes / np.sqrt((axes * axes).sum(1))[:, None]
    signs = np.where((axes * twice).sum(1) < 0.0, -1.0, 1.0)
    far: Matrix = axes * (signs * angles)[:, None]
    return far


def jacobians(chain: Chain, goal: Goal, shown: Postures) -> Matrix:
    """Returns (B, r, n): how the point moves, position over reach, for a unit of each variable."""
    z = shown.frames[:, :, :3, 2]
    turns = chain.turns[:, None, None]
    parts = []
    if goal.position:
        arms = shown.ends[:, :3, 3] - shown.frames[:, :, :3, 3]
        swept = np.empty_like(arms)
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            swept[..., a] = z[..., b] * arms[..., c] - z[..., c] * arms[..., b]
        parts.append(np.where(turns, swept, z) / chain.reach)
    if goal.orientation:
        parts.append(np.where(turns, z, 0.0))
    steps = np.concatenate(parts, axis=2).transpose(1, 2, 0)
    result: Matrix = steps @ (chain.mixing * chain.units)
    return result


def descend(
    chain: Chain,
    goal: Goal,
    values: Matrix,
    *,
    iterations: int,
    deadline: float,
    enough: int,
) -> tuple[Postures, int]:
    """Leads (B, n) values, within limits, down to where the error is least. Returns them and the
    number of iterations: until `enough` are solved, all have come to rest, or time is up."""
    shown = look_at(chain, goal, values)
    iterations = iterations if chain.variables else 0
    caution = np.ones(len(values))
    resting = np.zeros(len(values), dtype=bool)
    done = 0
    while done < iterations:
        if shown.solved.sum() >= enough or (resting | shown.solved).all():
            break
        if time.perf_counter() > deadline:
            break
        done += 1
        steps = _steps(chain, goal, shown, caution)
        moved = np.clip(shown.values + steps, chain.lower, chain.upper)
        tried = look_at(chain, goal, moved)
        better = tried.costs < shown.costs
        better &= ~shown.solved
        resting |= _rest(steps / chain.units, shown, tried)
        caution = np.where(better, np.maximum(caution * 0.3, 1e-3), np.minimum(caution * 8.0, 1e12))
        if better.all():
            shown = tried
        else:
            shown.put(better, tried)
    return shown, done


def _rest(steps: Matrix, shown: Postures, tried: Postures) -> NDArray[np.bool_]:
    """Which postures gain nothing worth having: small steps, or hardly a lower error, though the
    error is large."""
    small = np.abs(steps).max(1) < _STALLED
    gained = shown.costs - tried.costs
    idle = (gained >= 0.0) & (gained < 1e-3 * shown.costs)
    rest: NDArray[np.bool_] = (small | idle) & (tried.costs > 1e-9)
    return rest


def _steps(chain: Chain, goal: Goal, shown: Postures, caution: Vector) -> Matrix:
    """Returns (B, n), at most _LONGEST_STEP for each variable."""
    matrices = jacobians(chain, goal, shown)
    slopes = (shown.residuals[:, None, :] @ matrices)[:, 0, :]
    low = (shown.values <= chain.lower) & (slopes < 0.0)
    stuck = low | ((shown.values >= chain.upper) & (slopes > 0.0))
    if stuck.any():
        matrices = np.where(stuck[:, None, :], 0.0, matrices)
        slopes = np.where(stuck, 0.0, slopes)
    normal = matrices.transpose(0, 2, 1) @ matrices
    count = len(chain.units)
    diagonals = normal.reshape(-1, count * count)[:, :: count + 1]
    damping = caution * shown.costs + _LEAST_DAMPING * (1.0 + diagonals.sum(1))
    diagonals += damping[:, None]
    try:
        steps = np.linalg.solve(normal, slopes[..., None])[..., 0]
    except np.linalg.LinAlgError:
        # Numbers beyond all measure: whoever is there stays there.
        steps = np.zeros_like(slopes)
    longest = np.abs(steps).max(1)
    shorter = np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-300))
    result: Matrix = steps * shorter[:, None] * chain.units
    return result
